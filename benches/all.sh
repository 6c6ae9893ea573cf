#!/usr/bin/env bash
# Measures what the tables of README.md, benches/README.md and benches/compare/README.md say, on this machine.
#
#   benches/all.sh [--quick] [SETS] > figures.txt
#
# --quick takes a tenth of a percent of the data, and 100 pairs of each set, to see that everything runs. SETS is a
# folder of labelled sets (wild-dev, ota-dev, docsites-dev, reader-dev, licences-dev, packages, manuals: docs.jsonl.zst
# and pairs.tsv). A part that cannot run is marked "not run", with the reason. Other tools run at each of their
# settings, on the same machine, data and text.
set -uo pipefail
cd "$(dirname "$0")/.."
len=10M large=100M pages=5M queries=20K documents=200000 rounds=3 pairs=()
if [ "${1:-}" = --quick ]; then
    len=10K large=20K pages=2K queries=1K documents=2000 rounds=1 pairs=(--pairs 100)
    shift
fi
sets=${1:-}
not_run=0

heading() { printf '\n## %s\n\n' "$*"; }
# run COMMAND...: prints the command, and what it prints.
run() {
    printf '$ %s\n' "$*"
    "$@" 2> "$work/errors" && return
    not_run=$((not_run + 1))
    printf 'not run: %s\n' "$(tail -n 1 "$work/errors")"
}
missing() {
    not_run=$((not_run + 1))
    printf 'not run: %s\n' "$*"
}

eval "$(make -s env)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nddb=target/release/nddb

heading 'Machine and versions'
date -u '+%Y-%m-%d %H:%M UTC'
uname -srm
grep -m 1 'model name' /proc/cpuinfo
printf '%s processors, %s of memory, load %s\n' "$(nproc)" "$(awk '/MemTotal/ { print int($2 / 1048576) " GB" }' /proc/meminfo)" \
    "$(cut -d ' ' -f 1-3 /proc/loadavg)"
git log -1 --format='nddb %h of %cs'
rustc --version
python3 --version
cargo build --release -q --locked -p nddb-cli --bin nddb || exit 1
cargo build --release -q --locked -p nddb-benches --example main_text || exit 1

bench() {
    local name=$1
    shift
    run cargo bench -q -p nddb-benches --bench "$name" -- "$@"
}

heading 'Fingerprints: queries'
bench probe --len "$len"
bench fresh --len "$len"
bench probe --len "$large"
bench probe --len "$len" --queries "$queries" --rounds 3 --within 8,10,12
bench cold --len "$len"
bench batch --len "$large"
bench pairs --len "$len"
heading 'Other indexes'
bench data --len "$len" --queries "$queries" --dir "$work"
run benches/compare/indexes.py "$work" --within 3,8,10,12
heading 'Fingerprints: storage and loading'
bench decode --len "$len"
bench size --len "$len"
bench build --len "$len"
bench ingest --len "$len"
heading 'Verdicts online, and texts'
bench online --len "$pages" --usual --recipe main
bench lcs

heading 'Verdicts'
if [ -d "$sets" ]; then
    fit_saw=(wild-dev ota-dev docsites-dev reader-dev)
    fit_did_not_see=(licences-dev packages manuals)
    for set in "${fit_saw[@]}" "${fit_did_not_see[@]}"; do
        if [ -d "$sets/$set" ]; then
            run benches/compare/compare.py "$sets/$set" "${pairs[@]}" --nddb "$nddb" \
                --main-text target/release/examples/main_text
        else
            missing "no set $sets/$set"
        fi
    done
    # 95% intervals on the sets that the fit did not see.
    for set in "${fit_did_not_see[@]}"; do
        docs=$(ls "$sets/$set"/docs.jsonl* 2> /dev/null | head -n 1)
        [ -z "$docs" ] || run "$nddb" eval --docs "$docs" --pairs "$sets/$set/pairs.tsv" --methods model,min-hash
    done
else
    missing 'no folder of labelled sets is given'
fi

heading 'From lines of JSON to the list of kept documents'
python=()
if [ -x target/python/test/bin/python ]; then
    python=(--python target/python/test/bin/python)
else
    missing 'nddb.dedup(table): no Python package (make test-python)'
fi
run python3 benches/compare/keep_list.py --nddb "$nddb" "${python[@]}" --documents "$documents" --rounds "$rounds"

printf '\n%s parts were not run.\n' "$not_run"
