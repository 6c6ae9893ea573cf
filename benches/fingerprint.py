#!/usr/bin/env python3
"""Measures how well the fingerprints of recipes distinguish documents.

    cargo build --release -p nddb-cli && cargo build --release --example main_text
    fingerprint.py [--made] [--crawl WARC LABELS] SET... --nddb target/release/nddb
        --main-text target/release/examples/main_text [--recipe main --recipe web] [--frequencies FILE]

SET has `docs.jsonl` or `docs.jsonl.zst` and `pairs.tsv`; LABELS is such a table of pairs, by addresses. `--made`
generates 700 news articles of 150 to 900 words. A quarter of the words of an article are drawn from 20 to 95 words of
its own, the others mostly from the same few hundred frequent words, as in any language. For each recipe two tables are
printed. The first is about all pairs of documents:

* ones: the share of documents in which a bit is 1, the least and the greatest over the 64 bits, and the number of bits
  that are 1 in less than a quarter or more than three quarters of the documents
* median, deviation: of the distances of unrelated pairs; in brackets, the deviation of 64 independent bits that differ
  as often on average
* <= 3, <= 5, <= 7: the number of unrelated pairs within so many bits; in brackets, their share of the pairs drawn
* law: the expected share within so many bits for `main`, on average over its hash functions. Each of 64 bits differs
  with probability (1 - r) / 2, where r is the share of words that a pair has in common

The second table is about the labelled pairs: the share of near-duplicates (recall) and the share of other pairs
(joined) within so many bits. A pair is unrelated if the contents have less than a fifth of their shingles of three
words in common. A document without a fingerprint is near no other.

With `--frequencies`, both tables also have Manku's simhash of the terms of the content that `main` takes, over the
distinct words and over the distinct pairs of neighbouring words, weighted by a fixed table: by nothing, by the number of
letters, and by the rarity of words in FILE (lines of word, tab, and the decimal logarithm of its number of occurrences
in a billion words; rarity is 9 minus that, and 9 for other words). The weight of a pair is the sum of its two. Such a
file is made of the Python package wordfreq:

    python3 -c 'import wordfreq as w; [print(x, w.zipf_frequency(x, "en"), sep="\\t") for x in w.top_n_list("en", 300000)]'

Standard library, and zstd for .zst; the same input
gives the same output.
"""

import argparse
import functools
import hashlib
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "compare"))
from crawl_labels import decoded, responses  # noqa: E402
from made_pages import Language  # noqa: E402
from score import read_json_lines, read_labels  # noqa: E402

BITS, BOUNDS = 64, (3, 5, 7)
# Two documents are related if they have at least this share of their shingles of three words in common.
RELATED = 0.2
# Number of pairs of documents over which the law is averaged.
DRAWN = 1_500_000
ARTICLES = 700


def made_news():
    """Yields articles; no two of them are related."""
    draw = random.Random(2014)
    language = Language(draw)
    for number in range(ARTICLES):
        own = draw.sample(language.words[500:], draw.randint(20, 95))
        words = language.text(draw.randint(150, 900))
        words = [draw.choice(own) if draw.random() < 0.25 else word for word in words]
        yield {"id": f"news-{number}", "text": " ".join(words)}


def crawl(path):
    """Yields the pages of an archive; if several have the same address, the last one."""
    pages = {address: decoded(head, body) for address, head, body in responses(path)}
    for address, html in pages.items():
        yield {"id": address, "html": html}


@functools.lru_cache(1 << 18)
def spread(feature):
    """Returns the hash of a feature as a number with 32 bits for each of its bits."""
    value = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "little")
    return sum((value >> bit & 1) << 32 * bit for bit in range(BITS))


def simhash(weighted):
    """Returns the simhash (Manku et al. 2007, 2) of features with whole weights."""
    ones = sum(weight * spread(feature) for feature, weight in weighted.items())
    total = sum(weighted.values())
    return sum((2 * (ones >> 32 * bit & 0xFFFFFFFF) > total) << bit for bit in range(BITS))


class Simhash:
    """Simhash of the distinct shingles of a content, by fixed weights of words."""

    def __init__(self, name, words, weight):
        self.name, self.words, self.weight = name, words, weight

    def fingerprints(self, collection):
        found = {}
        for key, terms in collection.terms.items():
            shingles = set(zip(*(terms[at:] for at in range(self.words)))) or ({tuple(terms)} if terms else set())
            if shingles:
                found[key] = simhash({" ".join(of): sum(map(self.weight, of)) for of in shingles})
        return found


def simhashes(frequencies):
    """Returns the simhashes to compare."""
    with open(frequencies, encoding="utf-8") as file:
        known = {word: float(value) for word, _, value in (line.rstrip("\n").partition("\t") for line in file)}
    weights = {
        "each once": lambda word: 1, "length": len, "rarity": lambda word: max(1, round(100 * (9 - known.get(word, 0)))),
    }  # fmt: skip
    named = {1: "words", 2: "pairs of words"}
    return [Simhash(f"simhash, {named[n]}, {name}", n, weight) for n in named for name, weight in weights.items()]


class Collection:
    """Documents, with the terms of their contents, and labelled pairs."""

    def __init__(self, name, documents, labels, main_text):
        self.name, self.labels = name, labels
        self.lines = "".join(json.dumps(document) + "\n" for document in documents)
        texts = subprocess.run([main_text], input=self.lines, stdout=subprocess.PIPE, check=True, text=True)
        texts = {row["id"]: row["text"].split() for row in map(json.loads, texts.stdout.splitlines())}
        # Numbers are all printed as `0`; they are no terms of a content.
        self.terms = {key: [term for term in terms if term != "0"] for key, terms in texts.items()}
        self.words = {key: frozenset(terms) for key, terms in self.terms.items()}
        self.shingles = {}

    def fingerprints(self, nddb, recipe):
        """Returns the stored fingerprints of the documents by id."""
        with tempfile.TemporaryDirectory() as folder:
            database, file = f"{folder}/db", Path(folder) / "docs.jsonl"
            file.write_text(self.lines)
            for command in (["create", database, "--recipe", recipe], ["load", database, file]):
                subprocess.run([nddb, *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            export = [nddb, "export", database, "--format", "tsv", "--columns", "id,fp"]
            listed = subprocess.run(export, check=True, stdout=subprocess.PIPE)
        rows = (line.split("\t") for line in listed.stdout.decode().split("\n") if line)
        return {key: int(value, 16) for key, value in rows if value}

    def are_related(self, a, b):
        return resemblance(self.shingles_of(a), self.shingles_of(b)) >= RELATED

    def shingles_of(self, key):
        if key not in self.shingles:
            terms = self.terms[key]
            self.shingles[key] = {tuple(terms[at : at + 3]) for at in range(max(1, len(terms) - 2))}
        return self.shingles[key]

    def law(self):
        """Returns, for `main`, the expected share of pairs drawn that are unrelated and within each bound."""
        keys = [key for key in self.terms if self.terms[key]]
        draw, count = random.Random(1), len(keys) * (len(keys) - 1) // 2
        pairs = ((a, b) for i, a in enumerate(keys) for b in keys[:i])
        if count > DRAWN:
            count, pairs = DRAWN, (draw.sample(keys, 2) for _ in range(DRAWN))
        within = {}
        sums = [0.0] * len(BOUNDS)
        for a, b in pairs:
            r = round(resemblance(self.words[a], self.words[b]), 3)
            # Related documents have many words in common.
            if r >= RELATED and self.are_related(a, b):
                continue
            if r not in within:
                within[r] = [binomial((1 - r) / 2, bound) for bound in BOUNDS]
            sums = [total + chance for total, chance in zip(sums, within[r])]
        return [total / count for total in sums]


def resemblance(a, b):
    common = len(a & b)
    return common / max(1, len(a) + len(b) - common)


def binomial(p, bound):
    """Returns the probability that at most `bound` of 64 bits differ, each with probability p."""
    return sum(math.comb(BITS, d) * p**d * (1 - p) ** (BITS - d) for d in range(bound + 1))


def of_all_pairs(collection, found):
    """Returns the cells of the table of all pairs."""
    keys, prints = list(found), list(found.values())
    shares = [sum(value >> bit & 1 for value in prints) / len(prints) for bit in range(BITS)]
    uneven = sum(not 0.25 <= share <= 0.75 for share in shares)
    distances, close = [0] * (BITS + 1), [0] * len(BOUNDS)
    for i, value in enumerate(prints):
        for j in range(i):
            distance = (value ^ prints[j]).bit_count()
            if distance > 2 * BOUNDS[-1] or not collection.are_related(keys[i], keys[j]):
                distances[distance] += 1
                for at, bound in enumerate(BOUNDS):
                    close[at] += distance <= bound
    drawn, unrelated = len(prints) * (len(prints) - 1) // 2, sum(distances)
    mean = sum(d * count for d, count in enumerate(distances)) / unrelated
    deviation = math.sqrt(sum((d - mean) ** 2 * count for d, count in enumerate(distances)) / unrelated)
    below, median = 0, -1
    while 2 * below < unrelated:
        median += 1
        below += distances[median]
    p = mean / BITS
    return [
        f"{min(shares):.2f} to {max(shares):.2f}; {uneven}",
        f"{median}; {deviation:.1f} ({math.sqrt(BITS * p * (1 - p)):.1f})",
        *(f"{count:,} ({count / drawn:.0e})" if count else f"0 (of {drawn:,})" for count in close),
    ]


def labelled(collection, found):
    """Returns the cells of the table of labelled pairs."""
    distances = {True: [], False: []}
    for a, b, is_near, *_ in collection.labels:
        both = a in found and b in found
        distances[is_near].append((found[a] ^ found[b]).bit_count() if both else BITS + 1)
    share = lambda of, bound: sum(distance <= bound for distance in of) / max(1, len(of))
    near, other = distances[True], distances[False]
    cells = [f"{len(near)}, {len(other)}"]
    return cells + ["; ".join(f"{share(of, bound):.3f}" for of in (near, other)) for bound in BOUNDS]


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", type=Path, metavar="SET")
    parser.add_argument("--crawl", nargs=2, type=Path, action="append", default=[], metavar=("WARC", "LABELS"))
    parser.add_argument("--made", action="store_true", help="made news")
    parser.add_argument("--nddb", required=True, help="the command nddb")
    parser.add_argument("--main-text", required=True, help="the example main_text")
    parser.add_argument("--recipe", action="append", help="main and web, if none is given")
    parser.add_argument("--frequencies", metavar="FILE", help="compares simhashes by fixed weights, too")
    arguments = parser.parse_args()
    inputs = [("made news", made_news(), [])] if arguments.made else []
    inputs += [(path.name.split(".")[0], crawl(path), read_labels(labels)) for path, labels in arguments.crawl]
    for folder in arguments.sets:
        files = [path for path in (folder / "docs.jsonl", folder / "docs.jsonl.zst") if path.exists()]
        if not files:
            sys.exit(f"{folder}: neither docs.jsonl nor docs.jsonl.zst; give the folder of a labelled set")
        inputs.append((folder.name, read_json_lines(files[0]), read_labels(folder / "pairs.tsv")))
    all_pairs, labels = [], []
    for name, documents, pairs in inputs:
        collection = Collection(name, documents, pairs, arguments.main_text)
        law = "; ".join(f"{share:.0e}" for share in collection.law())
        made = [(of, collection.fingerprints(arguments.nddb, of)) for of in arguments.recipe or ["main", "web"]]
        if arguments.frequencies:
            made += [(of.name, of.fingerprints(collection)) for of in simhashes(arguments.frequencies)]
        for of, found in made:
            all_pairs.append([name, of, *of_all_pairs(collection, found), law if of == "main" else ""])
            if pairs:
                labels.append([name, of, *labelled(collection, found)])
    table(["documents", "recipe", "ones", "median, deviation", *(f"<= {k}" for k in BOUNDS), "law"], all_pairs)
    bounds = (f"<= {k}: recall; joined" for k in BOUNDS)
    table(["set", "recipe", "near, not", *bounds], labels)


if __name__ == "__main__":
    main()
