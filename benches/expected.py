#!/usr/bin/env python3
"""Counts how many removals are wrong by level, kind of document and size, on labelled pairs that the fit never saw.

    expected.py NDDB page:kafka.warc.gz:labels/kafka.tsv text:docs.jsonl.zst:pairs.tsv ...

A set is named by its kind (page or text), its documents and its labels (id1, id2, label). A pair counts if it is near
and the level removes either document when the other one is kept; it is wrong if its label is 0. The size is the number
of words of the shorter document. Pairs without a label and undecided ones do not count. Labelled pairs are mostly
borderline ones, so of a crawl fewer removals are wrong. Prints a row for each level, kind and size, in the form of
src/evaluate/report/expected.rs. Standard library only.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

LEVELS = ["same", "strict", "standard"]
SIZES = [100, 1000]


def labels_of(path):
    lines = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")]
    columns = [lines[0].index(name) for name in ("id1", "id2", "label")]
    rows = [[row[column] for column in columns] for row in lines[1:]]
    return {frozenset((a, b)): label for a, b, label in rows if label in ("0", "1")}


def pairs_of(nddb, folder, docs):
    db = Path(tempfile.mkdtemp(dir=folder), "nddb")
    ids = ["--id", "url"] if "warc" in docs else []
    subprocess.run([nddb, "create", db, "--keep-words", "-q"], check=True)
    subprocess.run([nddb, "load", db, docs, *ids, "-q"], check=True)
    command = [nddb, "pairs", db, "--expand", "--with", "tokens", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            yield json.loads(line)


def main():
    nddb, *sets = sys.argv[1:]
    found = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name in sets:
            kind, docs, path = name.split(":")
            labels = labels_of(path)
            for pair in pairs_of(nddb, folder, docs):
                label = labels.get(frozenset((str(pair["a"]), str(pair["b"]))))
                least = [level for level in (pair["level_a"], pair["level_b"]) if level]
                if label is None or not least:
                    continue
                words = min(document["tokens"] for document in pair["documents"])
                size = sum(words >= bound for bound in SIZES)
                least = min(LEVELS.index(level) for level in least)
                for level in LEVELS[least:]:
                    found[LEVELS.index(level), kind, size, "of"] += 1
                    found[LEVELS.index(level), kind, size, "wrong"] += label == "0"
    for level, kind, size in sorted({key[:3] for key in found}):
        wrong, of = found[level, kind, size, "wrong"], found[level, kind, size, "of"]
        print(f"    Judged::of(Level::{LEVELS[level].title()}, {str(kind == 'text').lower()}, {size}, {wrong}, {of}),")


if __name__ == "__main__":
    main()
