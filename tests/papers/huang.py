#!/usr/bin/env python3
"""Huang, Wang, Li 2008 a second time: huang.py NDDB NDDB_LAB [SEED].

Sentences and their signatures (3.1), perhaps-similar sets (3.2), filtered sketches (3.3), trustable common subsequences
and the decision (3.4), by the loops of the paper, on texts of ASCII; and cosine over the same sets (4).
"""

import hashlib
import math
import re
from collections import Counter, defaultdict
from itertools import combinations

from second import Commands, same

MODULUS, ROTATIONS, SMALLEST, WINDOW, SLOPE, BLOCKS = 7, 16, 4, 16, 0.1, 32
RESEMBLANCE, CONTAINMENT, COSINE, SHORT = 0.28, 0.7, 0.95, 256


def signatures(text):
    """3.1: MD5 of each sentence of more than 16 characters, turned 16 times, grouped by the remainder modulo 7."""
    sentences = [part.strip() for line in text.split("\n") for part in re.split("[.,;:!?]", line)]
    prints = {}
    for sentence in sentences:
        if len(sentence) > 16:
            digest = int.from_bytes(hashlib.md5(sentence.encode()).digest(), "big")
            prints.setdefault(digest, 1 + math.log(len(sentence)))
    found = set()
    for rotation in range(ROTATIONS):
        groups = defaultdict(list)
        for print, weight in prints.items():
            turned = (print << 8 * rotation | print >> 128 - 8 * rotation) & (1 << 128) - 1
            groups[turned % MODULUS].append((turned, weight))
        for group in groups.values():
            least = sorted(group)[:SMALLEST]
            sums = [sum(weight if value >> bit & 1 else -weight for value, weight in least) for bit in range(128)]
            found.add(sum((total > 0) << bit for bit, total in enumerate(sums)))
    return found


def perhaps_similar(texts):
    """3.2: lists of documents by signature, merged by their representatives, the documents of the largest key."""
    signed = {number: signatures(text) for number, text in enumerate(texts)}
    lists = defaultdict(set)
    for number, found in signed.items():
        for signature in found:
            lists[signature].add(number)
    merged = defaultdict(set)
    for documents in lists.values():
        if len(documents) > 1:
            merged[max((len(signed[one]), one) for one in documents)] |= documents
    sets = []
    for key in sorted(merged, reverse=True):
        if key not in merged:
            continue
        documents, grown = merged.pop(key), True
        while grown:
            inside = [other for other in merged if other[1] in documents]
            for other in inside:
                documents |= merged.pop(other)
            grown = bool(inside)
        sets.append(documents)
    return {pair for documents in sets for pair in combinations(sorted(documents), 2)}


def filtered(text, other):
    """3.3: the places of the text that windows cover which the other text has, too."""
    theirs = {other[at : at + WINDOW] for at in range(len(other) - WINDOW + 1)}
    kept = set()
    for at in range(len(text) - WINDOW + 1):
        if text[at : at + WINDOW] in theirs:
            kept.update(range(at, at + WINDOW))
    return sorted(kept)


def matches(a, b):
    """The longest common subsequence of the two sketches, as places in both texts."""
    in_a, in_b = filtered(a, b), filtered(b, a)
    table = [[0] * (len(in_b) + 1) for _ in range(len(in_a) + 1)]
    for x, one in enumerate(in_a):
        row, before = table[x + 1], table[x]
        for y, other in enumerate(in_b):
            row[y + 1] = before[y] + 1 if a[one] == b[other] else max(before[y + 1], row[y])
    found, x, y = [], len(in_a), len(in_b)
    while x and y:
        if a[in_a[x - 1]] == b[in_b[y - 1]]:
            x, y = x - 1, y - 1
            found.append((in_a[x], in_b[y]))
        elif table[x - 1][y] >= table[x][y - 1]:
            x -= 1
        else:
            y -= 1
    return found[::-1]


def region(found, a, b):
    """3.4: the trustable region of A: not steep, of the greatest weight, then of the fewest blocks, then extended."""
    matched_a, matched_b = {x for x, _ in found}, {y for _, y in found}
    steps = [int(x not in matched_a) for x in range(a)]
    for y in range(b):
        # What B inserts counts with the character of A that follows the match before it.
        before = [x + 1 for x, other in found if other < y][-1:]
        if y not in matched_b and before and before[0] < a:
            steps[before[0]] += 1
    d = [0]
    for step in steps:
        d.append(d[-1] + step)
    holds = lambda start, end: d[end] - d[start] <= SLOPE * (end - start)
    size = -(-a // BLOCKS)
    blocks = -(-a // size)
    regions = []
    for first in range(blocks):
        for last in range(first, blocks):
            start, end = first * size, min(a, (last + 1) * size)
            if holds(start, end):
                weight = sum(min(block + 1, blocks - block) for block in range(first, last + 1))
                regions.append((weight, first - last, start, end))
    if not regions:
        return None
    best = max(region[:2] for region in regions)
    extended = []
    for *key, start, end in regions:
        if tuple(key) == best:
            for left_first in (True, False):
                extended.append(extend(start, end, left_first, size - 1, a, holds))
    return max(extended, key=lambda one: (one[1] - one[0], -one[0]))


def extend(start, end, left_first, most, a, holds):
    for left in (left_first, not left_first):
        for _ in range(most):
            if left and start > 0 and holds(start - 1, end):
                start -= 1
            elif not left and end < a and holds(start, end + 1):
                end += 1
            else:
                break
    return start, end


def trustable(a, b):
    """Resemblance and containment; A is the shorter text."""
    a, b = sorted((a, b), key=len)
    shorter = min(len(filtered(a, b)), len(filtered(b, a)))
    reach = shorter / (len(a) + len(b) - shorter) > RESEMBLANCE or len(a) >= SHORT and shorter / len(a) > CONTAINMENT
    if not reach:
        return 0.0, 0.0
    found = matches(a, b)
    inside = region(found, len(a), len(b))
    trusted = sum(inside[0] <= x < inside[1] for x, _ in found) if inside else 0
    return trusted / (len(a) + len(b) - len(found)), trusted / len(a) if len(a) >= SHORT else 0.0


def cosine(a, b):
    x, y = Counter(re.findall("[a-z0-9]+", a)), Counter(re.findall("[a-z0-9]+", b))
    length = lambda of: math.sqrt(sum(count * count for count in of.values()))
    return sum(x[word] * y[word] for word in x) / (length(x) * length(y))


def texts_of(commands):
    """Texts of sentences, and copies with words changed, sentences added, or a part of another text."""
    words, random, texts = commands.vocabulary(500), commands.random, []
    sentence = lambda: " ".join(random.choices(words, k=random.randint(3, 7)))
    for _ in range(9):
        base = [sentence() for _ in range(random.choice([6, 9, 14]))]
        for number in range(4):
            copy = list(base)
            if number < 2:
                # One word more: near by every method.
                copy[0] += " " + random.choice(words)
                texts.append(".\n".join(copy) + ".")
                continue
            for _ in range(random.choice([0, 0, 1, 2])):
                copy[random.randrange(len(copy))] = sentence()
            if random.random() < 0.4:
                copy[random.randrange(len(copy)) :] += [sentence() for _ in range(random.choice([1, 4, 9]))]
            copy[0] += " " + random.choice(words)
            texts.append(".\n".join(copy) + ".")
    # Which of two texts of one length is A depends on a digest.
    return list({len(text): text for text in texts}.values())


def main():
    commands = Commands()
    texts = texts_of(commands)
    ids = [f"d{number:03}" for number in range(len(texts))]
    made = [{"id": key, "text": text} for key, text in zip(ids, texts)]
    name = commands.database("texts", made, "--recipe", "web")
    perhaps = perhaps_similar(texts)
    print("pairs perhaps similar", len(perhaps))
    found, expected, lcs = commands.pairs(name, "--method", "lcs"), set(), {}
    for a, b in perhaps:
        resemblance, containment = trustable(texts[a], texts[b])
        lcs[ids[a], ids[b]] = resemblance, containment
        if resemblance > RESEMBLANCE or containment > CONTAINMENT:
            expected.add((ids[a], ids[b]))
    same(found, expected, "pairs by lcs")
    for pair, row in found.items():
        assert abs(row["lcs"] - lcs[pair][0]) < 1e-6, (row, lcs[pair])
        assert abs((row["lcs_containment"] or 0) - lcs[pair][1]) < 1e-6, (row, lcs[pair])
    near = {(ids[a], ids[b]) for a, b in perhaps if cosine(texts[a], texts[b]) > COSINE}
    same(commands.pairs(name, "--method", "cosine"), near, "pairs by cosine")


if __name__ == "__main__":
    main()
