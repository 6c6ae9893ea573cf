#!/usr/bin/env python3
"""Henzinger 2006 a second time: henzinger.py NDDB NDDB_LAB [SEED].

Tokens, supershingles of algorithm B and projections of algorithm C (section 2) of each document; the pairs of B, C, the
combined algorithm and the choice by site (section 4) among all documents; the estimate of the resemblance; and the
figures about degrees and sites (section 3).
"""

import re
from collections import Counter
from itertools import combinations
from urllib.parse import urlsplit

from second import Commands, same, split_mix, xxh3_64

LITTLE = "little"
FUNCTIONS = [(split_mix(84, 2 * i) & 0xFFFFFFFF | 1, split_mix(84, 2 * i + 1) & 0xFFFFFFFF) for i in range(84)]


def tokens(text):
    """Each maximal alphanumeric sequence, without folding case, as a 64-bit hash."""
    return [xxh3_64(term.encode()) for term in re.findall("[A-Za-z0-9]+", text)]


def joined(values, size):
    return b"".join(value.to_bytes(size, LITTLE) for value in values)


def min_values(hashes):
    """The least value of each of 84 functions over the shingles of eight tokens."""
    count = max(1, len(hashes) - 7)
    shingles = {xxh3_64(joined(hashes[at : at + 8], 8)) & 0xFFFFFFFF for at in range(count)}
    return [min((a * x + b) & 0xFFFFFFFF for x in shingles) for a, b in FUNCTIONS]


def supershingles(values):
    return [xxh3_64(joined(values[at : at + 14], 4)) for at in range(0, 84, 14)]


def projection(hashes):
    """384 sums of +1 and -1 over the token sequence; the positive ones are 1."""
    sums = [0] * 384
    for token in hashes:
        drawn = int.from_bytes(joined((split_mix(token, at) for at in range(6)), 8), LITTLE)
        for at in range(384):
            sums[at] += 1 if drawn >> at & 1 else -1
    return sum((total > 0) << at for at, total in enumerate(sums))


def site(url):
    """The host name, without what stands before its first dot if it has more than one."""
    host = urlsplit(url).hostname.rstrip(".")
    return host if host.count(".") <= 1 or re.fullmatch(r"[\d.]+", host) else host.split(".", 1)[1]


def documents(commands):
    """Copies of texts on several sites with some words changed, and some texts that are equal."""
    words, made = commands.vocabulary(600) + ["Upper", "CASE", "b42"], []
    hosts = ["www.one.example", "two.example", "a.b.one.example", "www.two.example", "10.0.0.7"]
    for _ in range(12):
        text = commands.random.choices(words, k=commands.random.choice([5, 60, 200, 400]))
        for _ in range(9):
            copy = list(text)
            for at in commands.random.sample(range(len(copy)), min(len(copy), commands.random.choice([0, 1, 2, 4, 9]))):
                copy[at] = commands.random.choice(words)
            number = len(made)
            url = f"http://{commands.random.choice(hosts)}:8080/{number}"
            made.append({"id": f"d{number:03}", "url": url, "text": " ".join(copy)})
    return made


class Sketched:
    def __init__(self, document):
        self.tokens = tokens(document["text"])
        self.values = min_values(self.tokens)
        self.b, self.c, self.site = supershingles(self.values), projection(self.tokens), site(document["url"])


def b_similarity(x, y):
    return sum(p == q for p, q in zip(x.b, y.b))


def c_similarity(x, y):
    return 384 - (x.c ^ y.c).bit_count()


def share_piece(x, y):
    return any((x.c ^ y.c) >> 32 * piece & 0xFFFFFFFF == 0 for piece in range(12))


def combined(x, y):
    return b_similarity(x, y) >= 2 and c_similarity(x, y) >= 355


def by_c(x, y):
    return share_piece(x, y) and c_similarity(x, y) >= 372


def split(x, y):
    """Pairs on one site by the combined algorithm, the others by C; candidates share a key of either."""
    if x.site == y.site:
        return combined(x, y)
    return c_similarity(x, y) >= 372 and (share_piece(x, y) or b_similarity(x, y) >= 2)


METHODS = {
    "identity": lambda x, y: False,
    "b": lambda x, y: b_similarity(x, y) >= 2,
    "c": by_c,
    "combined": combined,
    "split": split,
}


def check_sketches(commands, name, sketched):
    for key, of in sketched.items():
        stored = commands.lines("get", name, key)[0]
        assert stored["tokens"] == len(of.tokens) and stored["site"] == of.site, key
        assert [int(value, 16) for value in stored["supershingles"]] == of.b, key
        words = (int(value, 16) for value in stored["projection"])
        assert sum(value << 64 * at for at, value in enumerate(words)) == of.c, key
        kept = bytes((value * 0x9E3779B1 & 0xFFFFFFFF) >> 24 for value in of.values)
        assert bytes.fromhex(stored["min_bytes"]) == kept, key
    print("sketches", len(sketched))


def check_degrees(commands, name, sketched, pairs):
    """Degrees over distinct token sequences, as the paper takes one page of each identity set."""
    first = {}
    for key, of in sketched.items():
        first.setdefault(tuple(of.tokens), key)
    nodes = set(first.values())
    between = [pair for pair in pairs if nodes >= set(pair)]
    degrees = Counter(Counter(key for pair in between for key in pair).values())
    found = {row[0]: row[1] for row in commands.exhibit("henzinger", name, "Figure 1") if row[1]}
    assert found == degrees, (found, degrees)
    print("degrees", dict(degrees))


def main():
    commands = Commands()
    made = documents(commands)
    name = commands.database("pages", made, "--recipe", "web-c")
    sketched = {document["id"]: Sketched(document) for document in made}
    check_sketches(commands, name, sketched)
    for method, near in METHODS.items():
        found = commands.pairs(name, "--method", method)
        is_near = lambda a, b: a.tokens == b.tokens or near(a, b)
        expected = {(a, b) for a, b in combinations(sketched, 2) if is_near(sketched[a], sketched[b])}
        same(found, expected, f"pairs by {method}")
        for (a, b), row in found.items():
            x, y = sketched[a], sketched[b]
            assert (row["b_sim"], row["c_sim"]) == (b_similarity(x, y), c_similarity(x, y)), row
            assert row["same_site"] == (x.site == y.site), row
            # Li and Koenig 2010: equal low bits of min-values, corrected for those equal by chance.
            share = row["agreement"] / 84
            assert abs(row["resemblance"] - max(0, (share - 1 / 256) / (1 - 1 / 256))) < 1e-6, row
        if method == "b":
            check_degrees(commands, name, sketched, found)


if __name__ == "__main__":
    main()
