#!/usr/bin/env bash
# Fits the constants of the default verdict as for those in the program, and compares both.
#
# benches/fit.sh NDDB SETS WORK: the command (nddb-lab is beside it), the folder of wild-dev, ota-dev, docsites-dev and
# reader-dev, and a folder for output. The four sets labelled by people have equal weights. Each folder of synthetic
# pages has half that weight: edits with revisions, products, references, figures; their seed differs from that of the
# published figures. The synthetic pages cover cases that are rare among labelled pages, and are not a goal by
# themselves. Prints the figures of the fit, and writes WORK/model.json.
set -euo pipefail
nddb=$1 sets=$2 work=$3
benches=$(dirname "$0")
mkdir -p "$work"
"$benches/compare/groups.py" "$sets/wild-dev/docs.jsonl.zst" > "$work/wild.groups.tsv"
arguments=()
for name in wild-dev ota-dev docsites-dev reader-dev; do
    groups=-
    [ "$name" != wild-dev ] || groups=$work/wild.groups.tsv
    arguments+=(--docs "$sets/$name/docs.jsonl.zst" --pairs "$sets/$name/pairs.tsv" --groups "$groups" --weight 1)
done
[ -d "$work/made" ] || "$benches/made_pages.py" "$work/made" --seed 1 --edits 20 --revisions 20 --products 6 --references 4 \
    --figures 40
for name in edits products references figures; do
    folder=$work/made/$name
    arguments+=(--docs "$folder/docs.jsonl" --pairs "$folder/pairs.tsv" --groups "$folder/groups.tsv" --weight 0.5)
done
"$nddb-lab" fit "${arguments[@]}" --penalty 0.005 --output "$work/model.json"
diff "$benches/default_model.json" "$work/model.json" && echo "the constants of the program"
