#!/usr/bin/env python3
"""Ye, Wen, Ma 2007 a second time: ye.py NDDB NDDB_LAB [SEED].

Resemblance by shingles of words, for all shingles and for each remainder of a sample (3.1, 4.4); shingles that many
texts share and the least shingles of a text (Broder's rules, 4.5); precision and recall of samples as means over the
trials of a ratio (4.4, Figures 2 and 3).
"""

from collections import Counter
from itertools import combinations

from second import Commands, same, xxh3_128

WORDS = 5
# Those of Figure 2.
THRESHOLDS = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95]


def shingles(text):
    """The hashes of every five successive words."""
    words = text.split()
    count = max(1, len(words) - WORDS + 1)
    return frozenset(xxh3_128(" ".join(words[at : at + WORDS]).encode()) for at in range(count))


def resemblances(sets):
    """The resemblance of each pair that has a shingle in common."""
    found = {}
    for a, b in combinations(sorted(sets), 2):
        common = len(sets[a] & sets[b])
        if common:
            found[a, b] = common / (len(sets[a]) + len(sets[b]) - common)
    return found


def sampled(sets, ratio, remainder):
    return {key: frozenset(value for value in of if value % ratio == remainder) for key, of in sets.items()}


def check(commands, name, sets, what, *settings, threshold=0.6):
    flags = [part for setting in (f"resemblance={threshold}", *settings) for part in ("--set", setting)]
    found = commands.pairs(name, "--method", "shingles", *flags)
    expected = {pair for pair, value in resemblances(sets).items() if value >= threshold}
    assert expected, what
    same(found, expected, what)


def check_figures(commands, name, sets):
    """Every pair of a trial counts alike; the figure of a ratio is the mean over its trials."""
    truth = resemblances(sets)
    for figure, ratio in [("Figure 2(a)", 4), ("Figure 2(b)", 16), ("Figure 3", 16)]:
        rows = commands.exhibit("ye", name, figure)
        trials = [resemblances(sampled(sets, ratio, remainder)) for remainder in range(ratio)]
        for threshold, row in zip(THRESHOLDS, rows):
            near = lambda of: {pair for pair, value in of.items() if value >= threshold}
            right, shares = near(truth), []
            for returned in map(near, trials):
                whole = returned if figure.startswith("Figure 2") else right
                shares += [len(returned & right) / len(whole)] if whole else []
            expected = sum(shares) / len(shares) if shares else None
            assert row[0] == threshold and (row[1] is None) == (expected is None), (figure, row[:2], expected)
            assert expected is None or abs(row[1] - expected) < 1e-3, (figure, row[:2], expected)
    print("figures 2 and 3")


def main():
    commands = Commands()
    words, texts = commands.vocabulary(800), {}
    header = " ".join(commands.random.choices(words, k=12))
    for _ in range(14):
        text = commands.random.choices(words, k=commands.random.choice([15, 40, 120, 300]))
        for _ in range(6):
            copy = list(text)
            for at in commands.random.sample(range(len(copy)), commands.random.choice([0, 1, 2, 4])):
                copy[at] = commands.random.choice(words)
            texts[f"d{len(texts):03}"] = header + " " + " ".join(copy)
    texts = {key: text for key, text in texts.items() if list(texts.values()).count(text) == 1}
    name = commands.database("texts", [{"id": key, "text": text} for key, text in texts.items()], "--recipe", "web")
    sets = {key: shingles(text) for key, text in texts.items()}
    check(commands, name, sets, "all shingles")
    check(commands, name, sets, "all shingles, 0.85", threshold=0.85)
    for ratio, remainder in [(2, 1), (4, 0), (16, 9)]:
        settings = f"ratios={ratio}", f"remainder={remainder}"
        check(commands, name, sampled(sets, ratio, remainder), f"remainder {remainder} of {ratio}", *settings)
    counts = Counter(value for of in sets.values() for value in of)
    kept = {key: frozenset(value for value in of if counts[value] <= 6) for key, of in sets.items()}
    check(commands, name, kept, "without shingles of more than 6 texts", "stop=6")
    least = {key: frozenset(sorted(of)[:20]) for key, of in sets.items()}
    check(commands, name, least, "the 20 least shingles", "cap=20")
    check_figures(commands, name, sets)


if __name__ == "__main__":
    main()
