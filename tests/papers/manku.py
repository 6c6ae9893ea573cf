#!/usr/bin/env python3
"""Manku, Jain, Das Sarma 2007 a second time: manku.py NDDB NDDB_LAB [SEED].

Simhash (section 2); all stored fingerprints within k bits, by tables of each size, one by one and in a batch (3.1,
3.3), also within more bits than the tables were designed for; every pair once; the designs of 3.1.2; and Figures 1 and
2.
"""

import math
import re
from collections import Counter
from itertools import combinations, product

from second import Commands, near, same, share, xxh3_64

K = 3
# Beyond the k of the tables.
FAR = [7, 9]


def simhash(features, bits=64):
    """Section 2: each bit of a feature's hash adds or subtracts the weight of the feature; signs make the bits."""
    sums = [0] * bits
    for feature, weight in features.items():
        hashed = xxh3_64(feature.encode())
        for bit in range(bits):
            sums[bit] += weight if hashed >> bit & 1 else -weight
    return sum((total > 0) << bit for bit, total in enumerate(sums))


def check_simhash(commands):
    words = commands.vocabulary(60) + ["Straight", "UPPER", "x", "42"]
    for number in range(20):
        text = " ".join(commands.random.choices(words, k=commands.random.randint(2, 200)))
        (commands.folder / "page.txt").write_text(text)
        found = commands.lines("fp", "page.txt", "--recipe", "web", "--json", "--explain")[0]
        features = Counter(re.findall("[a-z0-9]+", text.lower()))
        assert {row["text"]: row["weight"] for row in found["features"]}.items() <= features.items(), text
        assert (found["distinct"], found["tokens"]) == (len(set(text.split())), len(text.split())), text
        assert int(found["fp"], 16) == simhash(features), text
    print("simhash 20")


def prefix(bits, k, levels):
    """The least number of leading bits of a design: at each level the rest is cut into groups, all but k are chosen."""
    left, least = bits, 0
    for groups in levels:
        narrow, wide = divmod(left, groups)
        widths = sorted([narrow + 1] * wide + [narrow] * (groups - wide))
        chosen = sum(widths[: groups - k])
        least, left = least + chosen, left - chosen
    return least


def tables(k, levels):
    return math.prod(math.comb(groups, k) for groups in levels)


def fewest(bits, k, d, threshold):
    """3.1.2: X(f, k, d) = 1 if d <= tau, else the least over r > k of C(r, k) X(f k / r, k, d - (r - k) f / r)."""
    if d <= threshold + 1e-9:
        return 1
    rest = lambda r: fewest(bits * k / r, k, d - (r - k) * bits / r, threshold)
    return min((math.comb(r, k) * rest(r) for r in range(k + 1, 9)), default=math.inf)


def check_designs(commands):
    for least, expected in [(16, 4), (25, 10), (28, 16), (31, 20)]:
        assert fewest(64, 3, 34, 34 - least) == expected, "the examples of 3.1.1 for 2^34 fingerprints"
    designs = [levels for depth in (1, 2) for levels in product(range(K + 1, 13), repeat=depth)]
    for bits, most in product((32, 48, 64), (4, 10, 16, 20, 40)):
        made = commands.lines("create", f"design-{bits}-{most}", "--bits", bits, "--tables", most, "--json")[0]
        levels = made["levels"]
        fit = [one for one in designs if tables(K, one) <= most and valid(bits, one)]
        best = max(prefix(bits, K, one) for one in fit)
        assert tables(K, levels) <= most and prefix(bits, K, levels) >= best, (bits, most, levels, best)
    print("designs 15")


def valid(bits, levels):
    """Whether every group has a bit."""
    left = bits
    for groups in levels:
        if groups > left:
            return False
        narrow, wide = divmod(left, groups)
        left = sum(sorted([narrow + 1] * wide + [narrow] * (groups - wide))[groups - K :])
    return True


def fingerprints(random):
    """Clusters of near fingerprints and others, some of them several times."""
    found = []
    while len(found) < 1500:
        centre = random.getrandbits(64)
        for _ in range(random.choice([1, 1, 1, 2, 5, 20])):
            near = centre
            for bit in random.sample(range(64), random.randrange(5)):
                near ^= 1 << bit
            found.append(near)
    return found


def check_queries(commands):
    prints = fingerprints(commands.random)
    stored = {f"d{number:04}": print for number, print in enumerate(prints)}
    rows = "".join(f"{key}\t{value:016x}\n" for key, value in stored.items())
    (commands.folder / "prints.tsv").write_text(rows)
    asked = commands.random.sample(prints, 60) + [commands.random.getrandbits(64) for _ in range(20)]
    for at, value in enumerate(asked):
        for bit in commands.random.sample(range(64), at % 4):
            asked[at] ^= 1 << bit
    (commands.folder / "asked.u64le").write_bytes(b"".join(value.to_bytes(8, "little") for value in asked))
    distances = {(at, key): (value ^ one).bit_count() for at, value in enumerate(asked) for key, one in stored.items()}
    within = lambda k: {row for row, distance in distances.items() if distance <= k}
    expected = within(K)
    pairs = {(a, b) for a, b in combinations(stored, 2) if (stored[a] ^ stored[b]).bit_count() <= K}
    for count in (4, 10, 16, 20):
        name = f"tables-{count}"
        commands.run("create", name, "--tables", count, "--recipe", "1e0ng")
        commands.run("load", name, "prints.tsv")
        for k in [K, *FAR]:
            answers = [commands.lines("query", name, "--fp", f"{value:016x}", "--k", k)[0] for value in asked[:12]]
            found = {(at, match["id"]) for at, answer in enumerate(answers) for match in answer["matches"]}
            same(found, {row for row in within(k) if row[0] < 12}, f"{count} tables, within {k}, of 12 queries")
        rows = commands.run("query", name, "--fp-file", "asked.u64le", "--k", K, "--format", "tsv").splitlines()
        rows = [row.split("\t") for row in rows if row[:1].isdigit()]
        found = {(int(query), key) for query, _, _, key in rows}
        assert len(found) == len(rows), "each match once"
        same(found, expected, f"{count} tables, matches of a batch")
        same(commands.pairs(name, "--method", "hamming"), pairs, f"{count} tables, pairs")
    return "tables-4", prints


def check_figure_2(commands, name, prints):
    different = sorted(set(prints))
    leading = Counter((a ^ b).bit_length() - 1 for a, b in zip(different, different[1:]))
    found = {row[0]: row[1] for row in commands.exhibit("manku", name, "Figure 2(a)")}
    assert {place: count for place, count in found.items() if count} == leading
    buckets = Counter(value >> 57 for value in prints)
    found = {row[0]: row[1] for row in commands.exhibit("manku", name, "Figure 2(b)")}
    assert found == {at: buckets[at] for at in range(128)}, found
    print("figure 2")


def check_figure_1(commands):
    """4.1: precision and recall of equal numbers of pairs at each distance, and weighted by all pairs at each."""
    random, words, texts = commands.random, commands.vocabulary(400), {}
    for _ in range(12):
        text = random.choices(words, k=300)
        for edits in range(0, 27, 3):
            copy = list(text)
            for at in random.sample(range(300), edits):
                copy[at] = random.choice(words)
            texts[f"d{len(texts):03}"] = " ".join(copy)
    prints = {key: simhash(Counter(text.split())) for key, text in texts.items()}
    distances = {(a, b): (prints[a] ^ prints[b]).bit_count() for a, b in combinations(prints, 2)}
    drawn = [pair for pair, distance in distances.items() if distance <= 12 and random.random() < 0.8]
    labels = {pair: random.choices("10g", [14 - distances[pair], 1 + distances[pair], 3])[0] for pair in drawn}
    name = commands.labelled_set("labelled", [{"id": key, "text": text} for key, text in texts.items()], labels)
    pairs, at = Counter(distances.values()), Counter((distances[pair], label) for pair, label in labels.items())
    precision = [share(at[k, "1"], at[k, "1"] + at[k, "0"]) for k in range(11)]
    likely = [0 if not pairs[k] else None if precision[k] is None else precision[k] * pairs[k] for k in range(11)]
    for k, *figures in [row[:10] for row in commands.exhibit("manku", name, "Figure 1")]:
        decided = [one for one in precision[1 : k + 1] if one is not None]
        everywhere = sum(one for one in precision[1:] if one is not None)
        of_all = sum(pairs[one] for one in range(k + 1))
        weighted = None if None in likely[: k + 1] else share(sum(likely[: k + 1]), of_all)
        recall = None if None in likely else share(sum(likely[: k + 1]), sum(likely))
        expected = share(sum(decided), len(decided)), share(sum(decided), everywhere), weighted, recall
        near(figures[:4], expected, f"Figure 1, k = {k}")
        assert figures[5:] == [at[k, label] for label in "10g"] + [pairs[k]], (k, figures)
    print("figure 1", len(labels))


def main():
    commands = Commands()
    check_simhash(commands)
    check_designs(commands)
    check_figure_1(commands)
    check_figure_2(commands, *check_queries(commands))


if __name__ == "__main__":
    main()
