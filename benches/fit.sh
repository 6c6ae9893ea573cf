#!/usr/bin/env bash
# The constants of the default verdict: fits them as those of the program were, and compares the two.
#
# benches/fit.sh NDDB SETS WORK: the command, the folder of wild-dev, ota-dev and docsites-dev, and a folder for what is
# made. Ten sets of equal weight: the three that people labelled, their texts without markup, and made pages of another
# seed than those of the figures: edits with revisions, products, a manual, statistics. Prints the figures of the fit,
# and writes WORK/model.json.
set -euo pipefail
nddb=$1 sets=$2 work=$3
benches=$(dirname "$0")
mkdir -p "$work"
"$benches/compare/groups.py" "$sets/wild-dev/docs.jsonl.zst" > "$work/wild.groups.tsv"
arguments=()
for name in wild-dev ota-dev docsites-dev; do
    groups=-
    [ "$name" != wild-dev ] || groups=$work/wild.groups.tsv
    "$benches/plain_text.py" "$sets/$name" "$work/$name-text"
    for folder in "$sets/$name" "$work/$name-text"; do
        docs=$(ls "$folder"/docs.jsonl*)
        arguments+=(--docs "$docs" --pairs "$folder/pairs.tsv" --groups "$groups")
    done
done
"$benches/made_pages.py" "$work/made" --seed 1 --edits 20 --revisions 20 --products 6 --references 4 \
    --figures 40
for name in edits products references figures; do
    folder=$work/made/$name
    arguments+=(--docs "$folder/docs.jsonl" --pairs "$folder/pairs.tsv" --groups "$folder/groups.tsv")
done
"$nddb" lab fit "${arguments[@]}" --penalty 0.005 --output "$work/model.json"
diff "$benches/default_model.json" "$work/model.json" && echo "the constants of the program"
