#!/usr/bin/env python3
"""Ye, Wen, Ma 2007 a second time: ye.py NDDB NDDB_LAB [SEED].

Canonical texts (4.2); resemblance by shingles of words, for all shingles and for each remainder of a sample (3.1, 4.4);
shingles that many texts share and the least shingles of a text (Broder's rules, 4.5); precision and recall of samples
as means over the trials of a ratio (4.4, Figures 2 and 3); adaptive sampling with a ratio for each group of documents,
and the choice of groups and ratios on one half of the documents (6).
"""

import json
import math
import re
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations

from second import Commands, near, same, share, xxh3_64, xxh3_128

WORDS = 5
# Those of Figure 2.
THRESHOLDS = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95]


def shingles(text):
    """The hashes of every five successive words."""
    words = text.split()
    count = max(1, len(words) - WORDS + 1)
    return frozenset(xxh3_128(" ".join(words[at : at + WORDS]).encode()) for at in range(count))


def sharing(sets):
    """The pairs that have a shingle in common."""
    of = defaultdict(list)
    for key in sorted(sets):
        for value in sets[key]:
            of[value].append(key)
    return {pair for keys in of.values() for pair in combinations(keys, 2)}


def resemblance(a, b):
    common = len(a & b)
    return common / (len(a) + len(b) - common) if common else 0.0


def resemblances(sets):
    """The resemblance of each pair that has a shingle in common."""
    return {(a, b): resemblance(sets[a], sets[b]) for a, b in sharing(sets)}


def sample(of, ratio, remainder):
    return frozenset(value for value in of if value % ratio == remainder % ratio)


def sampled(sets, ratio, remainder):
    return {key: sample(of, ratio, remainder) for key, of in sets.items()}


def check(commands, name, sets, what, *settings, threshold=0.6):
    expected = {pair for pair, value in resemblances(sets).items() if value >= threshold}
    check_pairs(commands, name, expected, what, f"resemblance={threshold}", *settings)


def check_pairs(commands, name, expected, what, *settings):
    flags = [part for setting in settings for part in ("--set", setting)]
    same(commands.pairs(name, "--method", "shingles", *flags), expected, what)


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


def check_canonical(commands, words):
    """4.2: markup is removed and white space folded, case and punctuation stay. Exact duplicates are one document.

    The paper compares canonical texts for that; nddb compares the sequences of terms for all methods.
    """
    random, texts, made = commands.random, {}, []
    changes = [
        lambda word: word,
        lambda word: word,
        lambda word: word.capitalize() if random.random() < 0.03 else word,
        lambda word: word.rstrip(",") if random.random() < 0.2 else word,
        lambda word: random.choice(words) if random.random() < 0.03 else word,
    ]
    spaces = [" ", "  ", "\n", "\t \n", " <b></b>", "<p>", "</p><!-- , -->"]
    for _ in range(8):
        text = [word + random.choice(["", "", "", ","]) for word in random.choices(words, k=150)]
        for change in changes:
            key = f"d{len(texts):03}"
            texts[key] = " ".join(map(change, text))
            spaced = re.sub(" ", lambda _: random.choice(spaces), texts[key])
            made.append({"id": key, "html": f"<!DOCTYPE html><body>{spaced}<script>var x, y;</script></body>"})
    name = commands.database("canonical", made, "--recipe", "web")
    sets = {key: shingles(text) for key, text in texts.items()}
    terms = {key: tuple(re.findall("[A-Za-z0-9]+", text)) for key, text in texts.items()}
    expected = {pair for pair, value in resemblances(sets).items() if value >= 0.6}
    expected |= {(a, b) for a, b in combinations(texts, 2) if terms[a] == terms[b]}
    check_pairs(commands, name, expected, "canonical texts", "resemblance=0.6")
    rows = {row[0]: row[1] for row in commands.exhibit("ye", name, "Table 2")}
    counts = rows["documents"], rows["after removal of exact duplicates"]
    assert counts == (len(texts), len(set(terms.values()))), counts


RATIOS = [1, 2, 4, 8, 16, 32]
# One-sided 95%.
Z = 1.6448536269514722


class Adaptive:
    """6: ratios by the number of words."""

    def __init__(self, threshold, *groups):
        # Least number of words of a group, and its ratio.
        self.threshold, self.groups = threshold, groups

    def ratio(self, words):
        """The finest ratio of the groups within a factor 1 / threshold of a document's size."""
        least, most = math.floor(words * self.threshold), math.ceil(words / self.threshold)
        ends = [start for start, _ in self.groups[1:]] + [math.inf]
        return min(ratio for (start, ratio), end in zip(self.groups, ends) if start <= most and end > least)

    def returned(self, sets, words, pairs, remainder):
        """The pairs of enough resemblance, each by the coarser ratio of its two documents."""
        at = {key: self.ratio(words[key]) for key in sets}
        of = cache(lambda key, ratio: sample(sets[key], ratio, remainder))
        coarser = lambda pair: max(at[key] for key in pair)
        return {pair for pair in pairs if resemblance(*(of(key, coarser(pair)) for key in pair)) >= self.threshold}

    def kept(self, sets, words, remainder):
        return {key: len(sample(of, self.ratio(words[key]), remainder)) for key, of in sets.items()}


def lower_bound(correct, all):
    """Wilson's bound of a share."""
    part, square = correct / all, Z * Z
    width = Z * math.sqrt(part * (1 - part) / all + square / (4 * all * all))
    return (part + square / (2 * all) - width) / (1 + square / all)


def check_adaptive(commands, words):
    """Groups and ratios for pairs, and their choice on the half of the documents whose hashes begin with 0."""
    random, texts, threshold, wanted = commands.random, {}, 0.6, 0.8
    for number in range(80):
        text = random.choices(words, k=[40, 40, 40, 150, 400][number % 5])
        for _ in range(12):
            copy = list(text)
            for at in random.sample(range(len(copy)), round(len(copy) * random.choice([0.01, 0.02, 0.03, 0.06]))):
                copy[at] = random.choice(words)
            texts[f"d{len(texts):03}"] = " ".join(copy)
    texts = {key: text for key, text in texts.items() if list(texts.values()).count(text) == 1}
    sets = {key: shingles(text) for key, text in texts.items()}
    sizes = {key: len(text.split()) for key, text in texts.items()}
    name = commands.database("adaptive", [{"id": key, "text": text} for key, text in texts.items()], "--recipe", "web")
    pairs = sharing(sets)
    ratios = Adaptive(threshold, (0, 1), (60, 4), (200, 16))
    for remainder in (0, 13):
        expected = ratios.returned(sets, sizes, pairs, remainder)
        settings = f"resemblance={threshold}", "ratios=1,60:4,200:16", f"remainder={remainder}"
        check_pairs(commands, name, expected, f"adaptive, remainder {remainder}", *settings)

    half = lambda key: xxh3_64(key.encode()) >> 63
    pairs = {(a, b) for a, b in pairs if half(a) == half(b)}
    # Cells of 0, 64, 128, 256 and so on words; a pair counts for the smaller document.
    cell = lambda key: max(0, sizes[key].bit_length() - 6)
    of_pair = lambda pair: min(map(cell, pair))
    truth = Adaptive(threshold, (0, 1)).returned(sets, sizes, pairs, 0)

    def means(ratios, which):
        """Returned and correct pairs by cell in one half, and the shingles there, as means over the trials."""
        trials = max(ratio for _, ratio in ratios.groups)
        returned, correct, kept = Counter(), Counter(), 0
        for remainder in range(trials):
            found = {pair for pair in ratios.returned(sets, sizes, pairs, remainder) if half(pair[0]) == which}
            returned.update(map(of_pair, found))
            correct.update(map(of_pair, found & truth))
            kept += sum(size for key, size in ratios.kept(sets, sizes, remainder).items() if half(key) == which)
        mean = lambda counts: {of: count / trials for of, count in counts.items()}
        return mean(returned), mean(correct), kept / trials

    chosen_on = {ratio: means(Adaptive(threshold, (0, ratio)), 0) for ratio in RATIOS}
    groups, left = [], sum(chosen_on[1][0].values())
    in_group = lambda group: sum(chosen_on[1][0].get(of, 0) for of in group)
    for of in range(11):
        if groups and (in_group(groups[-1]) < 100 or left < 100):
            groups[-1].append(of)
        else:
            groups.append([of])
        left -= chosen_on[1][0].get(of, 0)

    def ratio_of(group):
        for ratio in reversed(RATIOS):
            returned, correct = [sum(counts.get(of, 0) for of in group) for counts in chosen_on[ratio][:2]]
            if returned and lower_bound(correct, returned) >= wanted:
                return ratio
        return 1

    chosen = Adaptive(threshold, *((64 << group[0] >> 1 if group[0] else 0, ratio_of(group)) for group in groups))
    flags = "--set", f"shingles.resemblance={threshold}", "--precision", wanted, "--json"
    told = json.loads(commands.run("tune", name, *flags, program=commands.lab))
    found = [group["ratio"] for group in told["groups"]]
    assert found == [ratio for _, ratio in chosen.groups], (told["groups"], chosen.groups)
    assert len(groups) > 1 and len({ratio for _, ratio in chosen.groups}) > 1, "ratios differ between groups"
    everything = means(Adaptive(threshold, (0, 1)), 1)
    for run, ratios in [(told["adaptive"], chosen), (told["uniform"][3], Adaptive(threshold, (0, 8)))]:
        returned, correct, kept = means(ratios, 1)
        right = sum(correct.values())
        expected = share(right, sum(returned.values())), share(right, sum(everything[0].values())), kept / everything[2]
        near([run["precision"], run["recall"], run["shingles"]], expected, run["ratios"])
    print("tuned", chosen.groups)


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
    check_canonical(commands, words)
    check_adaptive(commands, words)


if __name__ == "__main__":
    main()
