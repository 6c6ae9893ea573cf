#!/usr/bin/env python3
"""Labels pairs of a crawl of one manual in many versions by a rule, in Henzinger's sense (docs/PAPERS.md).

    for method in b c; do
        nddb pairs kafka.nddb --method $method --expand --format tsv --with url -o $method.tsv
    done
    kafka_labels.py truth-kafka.tsv.gz b.tsv c.tsv > kafka.labels.tsv

The truth is a table of all pages with the columns url, text_id (equal for equal texts) and masked_id (equal for texts
that are equal once versions and numbers are masked). A pair with equal masked texts is correct, a pair of two different
pages of the manual is incorrect, and two versions of one page are undecided, because nobody has read what changed. Of
documents with equal texts, only the first is used.
"""

import csv
import gzip
import re
import sys


def page_of(url):
    """The page of the manual, without its version."""
    found = re.match(r"https?://[^/]+/\d+/(.*)", url)
    return found[1] if found else url


def label(one, other, truth):
    masked = [truth[url]["masked_id"] if url in truth else url for url in (one, other)]
    if masked[0] == masked[1]:
        return "1"
    names = [page_of(url).split("/")[-1] for url in (one, other)]
    return "0" if names[0] != names[1] else "g"


def labelled(pairs, truth):
    """The rows of the label file for pairs ((id, address), (id, address)), each pair once."""
    urls = {id: url for pair in pairs for id, url in pair}
    first = {}
    for id in sorted(urls):
        text = truth[urls[id]]["text_id"] if urls[id] in truth else id
        first.setdefault(text, id)
    chosen = set(first.values())
    for (a, url_a), (b, url_b) in sorted(set(pairs)):
        if a in chosen and b in chosen:
            kind = "same path" if page_of(url_a) == page_of(url_b) else "other path"
            yield a, b, label(url_a, url_b, truth), kind


def rows(lines):
    return csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def main(truth, *tables):
    with gzip.open(truth, "rt") as lines:
        truth = {row["url"]: row for row in rows(lines)}
    pairs = []
    for table in tables:
        with open(table) as lines:
            pairs += [((row["a"], row["a_url"]), (row["b"], row["b_url"])) for row in rows(lines)]
    print("id1\tid2\tlabel\tkind")
    for row in labelled(pairs, truth):
        print(*row, sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
