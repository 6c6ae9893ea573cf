#!/bin/bash
# Measures the figures of docs/PAPERS.md on labelled sets: papers.sh NDDB_LAB SETS > benches/papers.tsv
#
# SETS has the folders docsites-dev, wild-dev, ota-dev and reader-dev, each with docs.jsonl.zst and pairs.tsv; those that
# are missing are left out, which is said. A line is a row of a table or figure of `nddb-lab paper`: the paper, the set
# (for main contents with ", main"), the name of the table, and its cells. benches/compare/test_papers.py compares the
# numbers of the page with the lines in benches/papers.tsv.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,4p' "$0" >&2; exit 2; }
lab=$(realpath "$1") sets=$2

measure() { # PAPER SET NAMES [OPTION...]
    local paper=$1 set=$2 names=$3 label=$2
    [ "${4-}" != --recipe ] || label="$2, $5"
    if [ ! -e "$sets/$set/docs.jsonl.zst" ]; then
        echo "papers: $sets/$set is missing, and paper $paper on it is left out" >&2
        return
    fi
    "$lab" paper "$paper" "$sets/$set" --json "${@:4}" | python3 -c '
import json, sys
paper, label, names = sys.argv[1:]
cell = lambda value: f"{value:.4f}" if isinstance(value, float) else "" if value is None else str(value)
for exhibit in json.load(sys.stdin)["exhibits"]:
    for row in exhibit["rows"] if exhibit["name"] in names.split(",") else []:
        print(paper, label, exhibit["name"], *map(cell, row), sep="\t")
' "$paper" "$label" "$names" | sed 's/[ \t]*$//'
}

for set in docsites-dev wild-dev ota-dev; do
    measure henzinger $set 'Table 2,Table 5,Table 12,Section 4'
    measure huang $set 'Table 1,Figure 6,Figure 7,Figure 8,Parameters'
    measure huang $set 'Table 1' --recipe main
done
for set in docsites-dev wild-dev ota-dev reader-dev; do
    measure manku $set 'Figure 1,Section 6.A,Section 6.D,Section 6.E'
done
