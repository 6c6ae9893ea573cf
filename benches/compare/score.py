#!/usr/bin/env python3
"""Scores pairs against labels, by kind, and lists the errors.

    nddb create set.nddb && nddb load set.nddb docs.jsonl.zst
    nddb pairs set.nddb --expand --format tsv | score.py --pairs pairs.tsv --groups groups.tsv --list

Reads lines of ids separated by tabs; all documents of a line are near-duplicates of each other. In the output of `nddb
pairs --format tsv`, which begins with the names of its columns, only the first two columns are ids. A labelled pair
counts as found if a line has both of its ids. Intervals are 95% bootstrap intervals from 10,000 draws of components
with replacement. A component is a set of groups (or of documents, without --groups) that labelled pairs connect.
`--family` adds up kinds. Standard library only; the same input and seed give the same output.
"""

import argparse
import csv
import gzip
import json
import random
import subprocess
import sys
from collections import defaultdict

DRAWS = 10_000


def read_json_lines(path):
    """Yields the objects of a file of JSON lines: plain, .gz, or .zst (read with the command zstd)."""
    path = str(path)
    if path.endswith(".zst"):
        with subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE) as process:
            for line in process.stdout:
                yield json.loads(line)
        if process.returncode:
            sys.exit(f"{path}: zstd ended with {process.returncode}")
        return
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as lines:
        for line in lines:
            yield json.loads(line)


def read_labels(path):
    """Returns (id1, id2, is near, kind) of each pair labelled 1 or 0."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        near = {"1": True, "correct": True, "0": False, "incorrect": False}
        return [
            (row["id1"], row["id2"], near[row["label"]], row.get("kind") or "", row)
            for row in rows
            if row["label"] in near
        ]


class Found:
    """The results of a tool: pairs, and clusters, in which each two documents count as a pair."""

    def __init__(self, lines):
        self.pairs, self.cluster, self.in_clusters, self.evidence = set(), {}, 0, {}
        columns = None
        for number, line in enumerate(lines):
            fields = line.rstrip("\n").split("\t")
            if number == 0 and fields[:3] == ["a", "b", "method"]:
                columns = fields
            elif line.startswith("#") or len(fields) < 2:
                continue
            elif columns or len(fields) == 2:
                self.pairs.add(frozenset(fields[:2]))
                if columns:
                    self.evidence[frozenset(fields[:2])] = dict(zip(columns, fields))
            else:
                self.in_clusters += len(fields) * (len(fields) - 1) // 2
                self.cluster.update((field, number) for field in fields)

    def __contains__(self, pair):
        a, b = pair
        return frozenset(pair) in self.pairs or a in self.cluster and self.cluster[a] == self.cluster.get(b)

    def __len__(self):
        return len(self.pairs) + self.in_clusters


class Counts:
    """Pairs found and missed."""

    def __init__(self):
        self.right = self.false = self.missed = self.others = 0

    def add(self, is_found, is_near, weight=1):
        name = ("right" if is_near else "false") if is_found else ("missed" if is_near else "others")
        setattr(self, name, getattr(self, name) + weight)

    def scores(self):
        """Returns precision, recall and F1; each is None if it is undefined."""
        share = lambda part, whole: part / whole if whole else None
        return (
            share(self.right, self.right + self.false),
            share(self.right, self.right + self.missed),
            share(2 * self.right, 2 * self.right + self.false + self.missed),
        )


def components(labels, group):
    """Returns the number of the component of each labelled pair."""
    parent = {}

    def root(node):
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for a, b, *_ in labels:
        parent[root(group(a))] = root(group(b))
    numbers = {}
    return [numbers.setdefault(root(group(a)), len(numbers)) for a, *_ in labels]


def interval(parts, seed):
    """Returns the 95% bootstrap interval of F1; a part is (right, false, missed)."""
    if len(parts) < 2:
        return None
    draw, values = random.Random(seed), []
    for _ in range(DRAWS):
        right = wrong = 0
        for of_right, of_false, of_missed in draw.choices(parts, k=len(parts)):
            right += of_right
            wrong += of_false + of_missed
        if right or wrong:
            values.append(2 * right / (2 * right + wrong))
    values.sort()
    return (values[len(values) // 40], values[len(values) - 1 - len(values) // 40]) if values else None


def scored(labels, found, parts, seed):
    """Returns counts and the interval of F1 of labelled pairs."""
    counts, by_part = Counts(), defaultdict(Counts)
    for (a, b, is_near, *_), part in zip(labels, parts):
        is_found = (a, b) in found
        counts.add(is_found, is_near)
        by_part[part].add(is_found, is_near)
    return counts, interval([(of.right, of.false, of.missed) for of in by_part.values()], seed)


def decimal(value):
    return "-" if value is None else f"{value:.3f}".removeprefix("0")


def row(name, counts, ends, pairs):
    precision, recall, f1 = map(decimal, counts.scores())
    ends = " to ".join(map(decimal, ends)) if ends else "-"
    return f"| {name} | {pairs} | {precision} | {recall} | {f1} | {ends} | {counts.false} | {counts.missed} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("found", nargs="?", type=argparse.FileType(encoding="utf-8"), default=sys.stdin)
    parser.add_argument("--pairs", required=True, help="the labels: id1, id2, label, kind")
    parser.add_argument("--groups", help="lines of id, tab, group")
    parser.add_argument("--family", action="append", default=[], help="kinds to add up: api+template")
    parser.add_argument("--list", action="store_true", help="list false pairs and misses")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    labels, found = read_labels(arguments.pairs), Found(arguments.found)
    groups = {}
    if arguments.groups:
        with open(arguments.groups, encoding="utf-8") as lines:
            groups = dict(line.rstrip("\n").split("\t", 1) for line in lines)
    parts = components(labels, lambda document: groups.get(document, document))
    kinds = sorted({kind for _, _, _, kind, _ in labels})
    print("| kind | pairs, near and not | P | R | F1 | 95% | false | missed |\n|---|---|---|---|---|---|---|---|")
    families = [(family.replace("+", ", "), set(family.split("+"))) for family in arguments.family]
    for name, of in [("all", set(kinds)), *families, *((kind, {kind}) for kind in kinds)]:
        chosen = [(label, part) for label, part in zip(labels, parts) if label[3] in of]
        counts, ends = scored([label for label, _ in chosen], found, [part for _, part in chosen], arguments.seed)
        near = sum(label[2] for label, _ in chosen)
        print(row(name, counts, ends, f"{near}, {len(chosen) - near}"))
    print(f"\n{len(found)} pairs in all, {len(set(parts))} components")
    if arguments.list:
        for a, b, is_near, kind, of in labels:
            if ((a, b) in found) != is_near:
                evidence = found.evidence.get(frozenset((a, b)), {})
                known = {key: value for key, value in evidence.items() if key in ("probability", "agreement") and value}
                known |= {key: value for key, value in of.items() if key not in ("id1", "id2", "label", "kind")}
                print("\t".join([kind, "missed" if is_near else "false", a, b, json.dumps(known, ensure_ascii=False)]))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        pass
