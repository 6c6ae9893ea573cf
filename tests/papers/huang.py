#!/usr/bin/env python3
"""Huang, Wang, Li 2008 a second time: huang.py NDDB NDDB_LAB [SEED].

Sentences and their signatures (3.1), perhaps-similar sets with their limits, by leaders and exhaustively (3.2),
filtered sketches (3.3), trustable common subsequences and the decision (3.4), by the loops of the paper, on texts of
ASCII; cosine over the same sets, and the figures of section 4 from labelled pairs: precision as a mean over documents
and pooled, recall relative to simhash, coverage by the number of signatures, the effect of windows, and slopes.
"""

import hashlib
import math
import re
from collections import Counter, defaultdict
from itertools import combinations

from manku import simhash
from second import Commands, Counts, near, same, share

MODULUS, ROTATIONS, SMALLEST, WINDOW, SLOPE, BLOCKS = 7, 16, 4, 16, 0.1, 32
RESEMBLANCE, CONTAINMENT, COSINE, SHORT = 0.28, 0.7, 0.95, 256
# Of section 4: "59 agreeing bits".
BITS = 5


def signatures(text, rotations=ROTATIONS):
    """3.1: MD5 of each sentence of more than 16 characters, turned 16 times, grouped by the remainder modulo 7."""
    sentences = [part.strip() for line in text.split("\n") for part in re.split("[.,;:!?]", line)]
    prints = {}
    for sentence in sentences:
        if len(sentence) > 16:
            digest = int.from_bytes(hashlib.md5(sentence.encode()).digest(), "big")
            prints.setdefault(digest, 1 + math.log(len(sentence)))
    found = set()
    for rotation in range(rotations):
        groups = defaultdict(list)
        for print, weight in prints.items():
            turned = (print << 8 * rotation | print >> 128 - 8 * rotation) & (1 << 128) - 1
            groups[turned % MODULUS].append((turned, weight))
        for group in groups.values():
            least = sorted(group)[:SMALLEST]
            sums = [sum(weight if value >> bit & 1 else -weight for value, weight in least) for bit in range(128)]
            found.add(sum((total > 0) << bit for bit, total in enumerate(sums)))
    return found


def perhaps_similar(signed, keeps=lambda documents: True):
    """3.2: lists of documents by signature, merged by their representatives, the documents of the largest key."""
    lists = defaultdict(set)
    for number, found in enumerate(signed):
        for signature in found:
            lists[signature].add(number)
    key_of = lambda number: (len(signed[number]), number)
    merged = defaultdict(set)
    for documents in lists.values():
        if len(documents) > 1 and keeps(documents):
            merged[max(map(key_of, documents))] |= documents
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
        sets.append(sorted(documents, key=key_of, reverse=True))
    return sets


def pairs_of(sets):
    return {(min(pair), max(pair)) for documents in sets for pair in combinations(documents, 2)}


def by_leaders(sets, is_near):
    """3.2: the largest key is compared with all others, and the near ones are removed; so with the rest."""
    found = set()
    for documents in sets:
        while documents:
            leader, *others = documents
            close = [other for other in others if is_near(leader, other)]
            found |= {(min(leader, other), max(leader, other)) for other in close}
            documents = [other for other in others if other not in close]
    return found


def limited(sets, comparisons):
    """The pairs of each set that are compared if each of its documents may have this number of comparisons."""
    return {
        (min(pair), max(pair))
        for documents in sets
        for pair in list(combinations(documents, 2))[: comparisons * len(documents)]
    }


def filtered(text, other, window):
    """3.3: the places of the text that windows cover which the other text has, too."""
    theirs = {other[at : at + window] for at in range(len(other) - window + 1)}
    kept = set()
    for at in range(len(text) - window + 1):
        if text[at : at + window] in theirs:
            kept.update(range(at, at + window))
    return sorted(kept)


def matches(in_a, in_b, a, b):
    """The longest common subsequence of the two sketches, as places in both texts."""
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


def region(found, a, b, slope):
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
    holds = lambda start, end: d[end] - d[start] <= slope * (end - start)
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


def trustable(a, b, window=WINDOW, slope=SLOPE):
    """Resemblance, containment, and the length of the trustable subsequence; A is the shorter text."""
    a, b = sorted((a, b), key=len)
    in_a, in_b = filtered(a, b, window), filtered(b, a, window)
    found = matches(in_a, in_b, a, b)
    inside = region(found, len(a), len(b), slope)
    trusted = sum(inside[0] <= x < inside[1] for x, _ in found) if inside else 0
    return trusted / (len(a) + len(b) - len(found)), trusted / len(a) if len(a) >= SHORT else 0.0, trusted


def decided(resemblance, containment, *_):
    return resemblance > RESEMBLANCE or containment > CONTAINMENT


def words_of(text):
    return Counter(re.findall("[a-z0-9]+", text))


def cosine(a, b):
    x, y = words_of(a), words_of(b)
    length = lambda of: math.sqrt(sum(count * count for count in of.values()))
    return sum(x[word] * y[word] for word in x) / (length(x) * length(y))


def texts_of(commands):
    """Texts of sentences, and copies with words changed, sentences added, or a part of another text."""
    words, random, texts = commands.vocabulary(500), commands.random, []
    sentence = lambda: " ".join(random.choices(words, k=random.randint(3, 7)))
    for _ in range(7):
        base = [sentence() for _ in range(random.choice([6, 9, 14]))]
        for number in range(4):
            copy = list(base)
            if number < 2:
                # One word more: near by every method.
                copy[0] += " " + random.choice(words)
                texts.append(".\n".join(copy) + ".")
                continue
            for _ in range(random.choice([0, 0, 1, 2, 2 * len(base)])):
                copy[random.randrange(len(copy))] = sentence()
            if random.random() < 0.4:
                copy[random.randrange(len(copy)) :] += [sentence() for _ in range(random.choice([1, 4, 9]))]
            copy[0] += " " + random.choice(words)
            texts.append(".\n".join(copy) + ".")
    # Which of two texts of one length is A depends on a digest.
    return list({len(text): text for text in texts}.values())


class Set:
    """Texts, their signatures, and their pairs, which are compared when they are asked for."""

    def __init__(self, texts, random):
        # Of one load, documents of more distinct words come first, and an order of equals is that of their ids.
        self.texts, self.compared = sorted(texts, key=lambda text: -len(words_of(text))), {}
        self.ids = [f"d{number:03}" for number in range(len(texts))]
        self.sites = random.choices(["one.example", "two.example"], k=len(texts))
        self.signed = [signatures(text) for text in self.texts]
        self.made = [
            {"id": key, "url": f"http://{site}/{key}", "text": text}
            for key, site, text in zip(self.ids, self.sites, self.texts)
        ]

    def named(self, pairs):
        return {(self.ids[a], self.ids[b]) for a, b in pairs}

    def trustable(self, a, b, **parameters):
        key = min(a, b), max(a, b), *parameters.values()
        if key not in self.compared:
            self.compared[key] = trustable(self.texts[a], self.texts[b], **parameters)
        return self.compared[key]

    def is_near(self, a, b):
        return decided(*self.trustable(a, b))

    def near(self, pairs):
        return {pair for pair in pairs if self.is_near(*pair)}

    def is_of_one_site(self, documents):
        return 2 * max(Counter(self.sites[one] for one in documents).values()) > len(documents)


def check_pairs(commands, name, texts):
    sets = perhaps_similar(texts.signed)
    perhaps = pairs_of(sets)
    found = commands.pairs(name, "--method", "lcs")
    same(found, texts.named(texts.near(perhaps)), f"pairs by lcs, of {len(perhaps)} perhaps similar,")
    for (a, b), row in found.items():
        resemblance, containment, _ = texts.trustable(texts.ids.index(a), texts.ids.index(b))
        near([row["lcs"], row["lcs_containment"] or 0.0], [resemblance, containment], (a, b))
    by_cosine = {(a, b) for a, b in perhaps if cosine(texts.texts[a], texts.texts[b]) > COSINE}
    same(commands.pairs(name, "--method", "cosine"), texts.named(by_cosine), "pairs by cosine")
    return perhaps, texts.near(perhaps), by_cosine


def check_limits(commands, name, texts):
    """3.2: frequent signatures are dropped, on one site sooner; leaders; a limit of comparisons."""
    lcs = lambda *settings: commands.pairs(name, "--method", "lcs", *settings)
    for most, of_site in [(2, 400), (3, 400), (10_000, 2)]:
        keeps = lambda of: len(of) <= (min(most, of_site) if texts.is_of_one_site(of) else most)
        pairs = texts.near(pairs_of(perhaps_similar(texts.signed, keeps)))
        found = lcs("--set", f"signature-limit={most}", "--set", f"site-signature-limit={of_site}")
        same(found, texts.named(pairs), f"at most {most} documents with a signature, {of_site} of one site")
    sets = perhaps_similar(texts.signed)
    unexpanded = lambda *settings: commands.lines("pairs", name, "--method", "lcs", *settings)
    found = [(row["a"], row["b"]) for row in unexpanded()]
    same(found, texts.named(by_leaders(sets, texts.is_near)), "pairs by leaders")
    found = [(row["a"], row["b"]) for row in unexpanded("--set", "exhaustive=true")]
    same(found, texts.named(texts.near(pairs_of(sets))), "all pairs")
    same(lcs("--set", "comparisons=1"), texts.named(texts.near(limited(sets, 1))), "one comparison a document")


def check_figures(commands, texts, perhaps, by_lcs, by_cosine):
    """Section 4: Table 1 and Figures 6 to 8, from labelled pairs."""
    prints = [simhash(words_of(text)) for text in texts.texts]
    all_pairs = list(combinations(range(len(prints)), 2))
    by_simhash = {(a, b) for a, b in all_pairs if (prints[a] ^ prints[b]).bit_count() <= BITS}
    random, labels = commands.random, {}
    for pair in sorted(perhaps | by_simhash) + random.sample(all_pairs, 40):
        labels[pair] = random.choices("10g", [6, 2, 1] if pair in by_lcs else [2, 6, 1])[0]
    names = {(texts.ids[a], texts.ids[b]): label for (a, b), label in labels.items()}
    name = commands.labelled_set("labelled", texts.made, names)
    rows = commands.exhibit("huang", name, "Table 1")
    one_site = {pair: label for pair, label in labels.items() if len({texts.sites[one] for one in pair}) == 1}
    right = lambda found: Counts(labels, found).labels["1"]
    for row, found in zip(rows, [by_lcs, by_cosine, by_simhash], strict=True):
        of_documents = defaultdict(Counter)
        for pair in found & labels.keys():
            for one in pair:
                of_documents[one][labels[pair]] += 1
        shares = [share(of["1"], of["1"] + of["0"]) for of in of_documents.values()]
        decided_shares = [one for one in shares if one is not None]
        _, pooled, recall, f1 = Counts(labels, found).figures()
        near([row[1]], [share(sum(decided_shares), len(decided_shares))], f"Table 1, {row[0]}, mean over documents")
        near([row[3]], [share(right(found), right(by_simhash))], f"Table 1, {row[0]}, relative recall")
        near([row[5]], [Counts(one_site, found).figures()[1]], f"Table 1, {row[0]}, one site")
        near(row[8:11], [pooled, recall, f1], f"Table 1, {row[0]}")
        assert row[7] == Counts(one_site, found).labels["1"] and row[11] == len(found), row

    # Both orders of a pair count alike, so that shares are those of pairs.
    similar = texts.near(all_pairs)
    for row in commands.exhibit("huang", name, "Figure 6"):
        together = pairs_of(perhaps_similar([signatures(text, row[0] // MODULUS) for text in texts.texts]))
        near(row[1:3], [share(len(similar & together), of) for of in (len(similar), len(together))], "Figure 6")

    original = {pair: texts.trustable(*pair, window=1) for pair in perhaps}
    alike = {pair for pair in perhaps if decided(*original[pair])}
    for row in commands.exhibit("huang", name, "Figure 7"):
        if row[0] not in (6, WINDOW, 40):
            continue
        kept = lambda a, b: len(filtered(a, b, row[0])) + len(filtered(b, a, row[0]))
        of_texts = [[texts.texts[one] for one in pair] for pair in perhaps - alike]
        strained = [1 - kept(a, b) / (len(a) + len(b)) for a, b in of_texts]
        reserved = [texts.trustable(*pair, window=row[0])[2] / original[pair][2] for pair in alike]
        near(row[1:3], [share(sum(of), len(of)) for of in (strained, reserved)], f"Figure 7, {row[0]}")

    for row in commands.exhibit("huang", name, "Figure 8"):
        if round(row[0], 2) not in (0.02, 0.1, 0.2):
            continue
        of = {pair: texts.trustable(*pair, slope=row[0]) for pair in labels}
        reached = sorted((of[pair][0] for pair in labels if labels[pair] == "1"), reverse=True)
        least = reached[math.ceil(0.9 * len(reached)) - 1]
        adjusted, usual = [
            Counts(labels, {pair for pair in labels if takes(of[pair])}).figures()
            for takes in (lambda values: values[0] >= least, lambda values: decided(*values))
        ]
        near(row[1:5], [adjusted[1], least, usual[1], usual[2]], f"Figure 8, {row[0]}")
    print("figures of", len(labels), "labels;", len(alike), "alike,", len(perhaps - alike), "not")


def main():
    commands = Commands()
    texts = Set(texts_of(commands), commands.random)
    name = commands.database("texts", texts.made, "--recipe", "web")
    found = check_pairs(commands, name, texts)
    check_limits(commands, name, texts)
    check_figures(commands, texts, *found)


if __name__ == "__main__":
    main()
