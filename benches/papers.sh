#!/bin/bash
# Measures the figures of docs/PAPERS.md: papers.sh BIN DATA > benches/papers.tsv
#
# BIN has nddb and nddb-lab. DATA has any of
#   docsites-dev, wild-dev, ota-dev, reader-dev    labelled sets: docs.jsonl.zst and pairs.tsv
#   kafka.warc.gz, misc-web.warc.gz                the two crawls, and truth-kafka.tsv.gz (kafka_labels.py)
#   manuals.jsonl                                  man_pages.py > manuals.jsonl
#   templates/docs.jsonl                           template_pages.py collect templates
# What is missing is left out, which is said. A line is a row of a table or figure of `nddb-lab paper`: the paper, the
# set (for main contents with ", main"), the name of the table, and its cells; the numbers of a note are a line of the
# table NAME (note). benches/compare/test_papers.py compares the page with the lines in benches/papers.tsv.
# PAPERS="henzinger ye" measures only these of henzinger, huang, manku, ye, templates and storage.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,12p' "$0" >&2; exit 2; }
here=$(realpath "$(dirname "$0")") bin=$(realpath "$1") data=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

wanted() { [[ " ${PAPERS-henzinger huang manku ye templates storage} " == *" $1 "* ]]; }

has() { # FILE WHAT
    [ -e "$data/$1" ] || { echo "papers: $data/$1 is missing, and $2 is left out" >&2; return 1; }
}

# Reads what a command prints with --json, and prints lines of the tables with these names, and of their notes.
rows='
import json, re, sys
paper, label, names, notes = sys.argv[1:]
cell = lambda value: f"{value:.4f}" if isinstance(value, float) else "" if value is None else str(value)
for line in sys.stdin:
    for exhibit in json.loads(line)["exhibits"]:
        name = exhibit["name"]
        for row in exhibit["rows"] if name in names.split(",") else []:
            print(paper, label, name, *map(cell, row), sep="\t")
        for note in exhibit["notes"] if name in notes.split(",") else []:
            print(paper, label, name + " (note)", *re.findall(r"-?\d+(?:\.\d+)?", note), sep="\t")
'

measure() { # PAPER LABEL INPUT TABLES NOTES [OPTION...]
    "$bin/nddb-lab" paper "$1" "$3" --json "${@:6}" | python3 -c "$rows" "$1" "$2" "$4" "$5" | sed 's/[ \t]*$//'
}

database() { # NAME FILE
    [ ! -e "$1.nddb" ] || return 0
    "$bin/nddb" create "$1.nddb" --recipe web --k 7 -q >&2
    "$bin/nddb" load "$1.nddb" "$data/$2" -q >&2
}

pairs() { # DB METHOD...
    for method in "${@:2}"; do
        "$bin/nddb" pairs "$1" --method "$method" --expand --format tsv --with url -q -o "${1%.nddb}/$method.tsv" >&2
    done
}

# What trustable LCS finds with other parameters, one changed at a time. On docsites-dev each list of millions of
# comparisons takes minutes, so only s and the limit of comparisons are changed there.
parameters() { # SET
    local changed=(lcs lcs:smallest=1 lcs:smallest=2 lcs:smallest=8 lcs:comparisons=1 lcs:comparisons=10
        lcs:comparisons=100) files=(--docs "$data/$1/docs.jsonl.zst" --pairs "$data/$1/pairs.tsv")
    [ "$1" = docsites-dev ] || changed+=(lcs:resemblance=0.4 lcs:resemblance=0.5 lcs:resemblance=0.7 lcs:rounds=2
        lcs:rounds=4 lcs:min-text=0 lcs:min-text=1024)
    for method in "${changed[@]}" cosine cosine:smallest=2 hamming:k=5; do
        "$bin/nddb" eval "${files[@]}" --recipe web --json --methods "$method" -q | python3 -c '
import json, sys
told = json.load(sys.stdin)
parts = ("precision_by_document", "precision", "recall", "f1")
shown = [f"{told[part]:.4f}" if told[part] is not None else "" for part in parts]
print("huang", sys.argv[1], "Parameters", sys.argv[2], *shown, told["candidates"], told["pairs"], sep="\t")
' "$1" "$method"
    done
}

degrees='Figure 1,Figure 2,Figure 3,Figure 4'
for set in docsites-dev wild-dev ota-dev reader-dev; do
    has "$set/docs.jsonl.zst" "what is measured on it" || continue
    if wanted henzinger && [ $set != reader-dev ]; then
        measure henzinger $set "$data/$set" 'Table 1,Table 2,Table 5,Table 12,Section 4' "$degrees"
    fi
    if wanted huang && [ $set != reader-dev ]; then
        parameters $set
        measure huang $set "$data/$set" 'Table 1,Figure 6,Figure 7,Figure 8' ''
        measure huang "$set, main" "$data/$set" 'Table 1' '' --recipe main
    fi
    if wanted manku; then
        measure manku $set "$data/$set" 'Figure 1,Section 6.A,Section 6.D,Section 6.E' ''
    fi
done

if wanted henzinger && has kafka.warc.gz "what is measured on it" && has truth-kafka.tsv.gz "its labels"; then
    database kafka kafka.warc.gz
    mkdir -p kafka && pairs kafka.nddb b c
    python3 "$here/kafka_labels.py" "$data/truth-kafka.tsv.gz" kafka/b.tsv kafka/c.tsv > kafka.labels.tsv
    measure henzinger kafka kafka.nddb 'Table 1,Table 2,Table 5,Table 12' "$degrees" --labels kafka.labels.tsv
fi
if wanted henzinger && has misc-web.warc.gz "the degrees of its pages"; then
    database misc-web misc-web.warc.gz
    measure henzinger misc-web misc-web.nddb 'Table 1' "$degrees"
fi

if wanted ye && has kafka.warc.gz "sampling of its shingles"; then
    database kafka kafka.warc.gz
    measure ye kafka kafka.nddb 'Figure 2(b),Figure 3,Figure 4' ''
fi
tune() { # NAME FILE
    wanted ye && has "$2" "the choice of ratios for it" || return 0
    database "$1" "$2"
    for goal in '0.85 0.85' '0.8 0.6'; do
        "$bin/nddb-lab" tune "$1.nddb" --precision ${goal% *} --set "shingles.resemblance=${goal#* }" --json |
            python3 -c '
import json, sys
name, goal = sys.argv[1:]
told = json.load(sys.stdin)
uniform = {run["ratios"]: run for run in told["uniform"]}[str(told["equal"])]
runs = [told["adaptive"], uniform, told["uniform"][1]]
cells = [run[part] for run in runs for part in ("shingles", "precision")]
shown = [f"{cell:.4f}" if cell is not None else "" for cell in cells]
print("ye", name, "tune", goal.replace(" ", ", "), *shown, told["ratios"], sep="\t")
' "$1" "$goal"
    done
}
tune kafka kafka.warc.gz
tune manuals manuals.jsonl
tune misc-web misc-web.warc.gz

if wanted templates && has templates/docs.jsonl "what Henzinger's methods find on templates"; then
    database templates templates/docs.jsonl
    mkdir -p templates && pairs templates.nddb b c
    ln -sf "$data/templates/docs.jsonl" templates/docs.jsonl
    labels=$here/labels/templates.tsv
    python3 "$here/template_pages.py" check templates "$labels"
    for method in b c; do
        awk -F'\t' -v m=$method 'NR == 1 || $3 ~ m' "$labels" > $method.labels.tsv
    done
    measure henzinger templates templates.nddb 'Table 1,Table 2,Table 12' "$degrees" --labels b.labels.tsv --sample 300
    measure henzinger templates templates.nddb 'Table 5' '' --labels c.labels.tsv --sample 300
    for step in score angles; do
        python3 "$here/template_pages.py" $step templates "$labels" | tail -n +2 | sed "s/^/henzinger\ttemplates\t$step\t/"
    done
fi

if wanted storage && has kafka.warc.gz "its bytes on disk"; then
    for recipe in main main-offline web; do
        "$bin/nddb" create stored.nddb --recipe $recipe -q >&2
        "$bin/nddb" load stored.nddb "$data/kafka.warc.gz" -q >&2
        "$bin/nddb" compact stored.nddb --all -q >&2
        "$bin/nddb" stats stored.nddb --json | python3 -c '
import json, sys
told = json.load(sys.stdin)
parts = [told["bytes"][part] / told["documents"] for part in ("total", "catalog", "summaries", "keys")]
print("storage", "kafka", sys.argv[1], *map(round, parts), sep="\t")
' $recipe
        rm -r stored.nddb
    done
fi
