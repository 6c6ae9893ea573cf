#!/usr/bin/env python3
"""Labels and the default verdict a second time: verdict.py NDDB NDDB_LAB [SEED].

The figures of labelled pairs (Henzinger 3.1, Huang 4): precision among returned and among decided pairs, recall, by
site and by registrable domain. Of the recipe main: the fingerprint (Shrivastava and Li 2014), the stored min-values of
short and whole texts, also of texts that repeat few words; that a verdict is a logistic sum of evidence, and a function
of two sketches alone; calibration; what each piece of evidence adds, and that whole texts that are nearly equal bound
what numbers subtract; that two captures of one address are not told apart by their names; and what is lost if a text is
removed, and the level that allows it.
"""

import math
from collections import Counter, defaultdict
from itertools import combinations

from henzinger import Sketched, b_similarity, min_values, registrable, shingles, site
from manku import simhash
from second import Commands, Counts, near, share, xxh3_64

K = 5
# Successive words up to which two lost words belong to one passage.
GAP = 3
BINS = 5


def edited(random, words, text, edits):
    copy = list(text)
    for at in random.sample(range(len(copy)), edits):
        copy[at] = random.choice(words)
    return " ".join(copy)


def pages(commands, words, sizes, edits):
    """Texts in several versions, on sites of two registrable domains."""
    random, made = commands.random, []
    for _ in range(8):
        text = random.choices(words, k=random.choice(sizes))
        for number in edits:
            host = random.choice(["www.a.co.uk", "b.co.uk", "b.example.com", "c.example.com"])
            key = f"d{len(made):03}"
            text_of = edited(random, words, text, len(text) * number // 100)
            made.append({"id": key, "url": f"http://{host}/{key}", "text": text_of})
    return made


def check_labels(commands, words):
    made = pages(commands, words, [100, 300], [0, 1, 1, 2, 4, 9])
    documents = {document["id"]: document for document in made}
    sketched = {key: Sketched(document) for key, document in documents.items()}
    prints = {key: simhash(Counter(document["text"].split())) for key, document in documents.items()}
    pairs = list(combinations(documents, 2))
    same_terms = lambda a, b: sketched[a].tokens == sketched[b].tokens
    methods = {
        "b": {(a, b) for a, b in pairs if same_terms(a, b) or b_similarity(sketched[a], sketched[b]) >= 2},
        "hamming": {(a, b) for a, b in pairs if (prints[a] ^ prints[b]).bit_count() <= K},
    }
    drawn = set().union(*methods.values()) | set(commands.random.sample(pairs, 60))
    labels = {pair: commands.random.choices("10g", [5, 3, 2])[0] for pair in sorted(drawn)}
    commands.labelled_set("labels", made, labels)
    files = "--docs", "labels/docs.jsonl", "--pairs", "labels/pairs.tsv"
    rows = commands.lines("eval", *files, "--recipe", "web", "--methods", f"b,hamming:k={K}", "--json")
    for row in rows:
        found = methods[row["method"]]
        figures = lambda of: [of["precision_of_returned"], of["precision"], of["recall"], of["f1"]]
        near(figures(row), Counts(labels, found).figures(), row["method"])
        of_documents = defaultdict(Counter)
        for pair in found & labels.keys():
            for key in pair:
                of_documents[key][labels[pair]] += 1
        shares = [share(of["1"], of["1"] + of["0"]) for of in of_documents.values() if of["1"] + of["0"]]
        near([row["precision_by_document"]], [share(sum(shares), len(shares))], "as a mean over documents")
        for split in row["splits"]:
            of_url = site if split["by"] == "site" else lambda url: registrable(url.split("/")[2])
            is_one = lambda pair: len({of_url(documents[key]["url"]) for key in pair}) == 1
            chosen = {pair: label for pair, label in labels.items() if is_one(pair) == (split["part"] == "same")}
            near(figures(split), Counts(chosen, found).figures(), (row["method"], split["by"], split["part"]))
        assert {(split["by"], split["part"]) for split in row["splits"]} >= {("site", "same"), ("domain", "same")}, row
    assert len(rows) == len(methods)
    print("labels", len(labels))


def main_fingerprint(hashes):
    """The parity of each of 64 min-values of the distinct words, or of shingles of eight where words are few."""
    is_of_few = len(set(hashes)) ** 2 < 2 * len(hashes)
    values = min_values(shingles(hashes, 8 if is_of_few else 1))[:64]
    return sum((value.bit_count() & 1) << at for at, value in enumerate(values))


def lengthened(hashes, length):
    """Shingles of this length, doubled until a quarter is distinct; of texts of at most 16 words long ones at once."""
    words = len(set(hashes))
    if words <= 16 and len(hashes) >= 3 * words:
        return shingles(hashes, max(length, min(16, len(hashes) // 2)))
    while 4 * len(shingles(hashes, length)) < len(hashes) - length + 1:
        length *= 2
    return shingles(hashes, length)


def check_sketches(commands, words):
    random = commands.random
    few, some = random.sample(words, 5), random.sample(words, 17)
    texts = [random.choices(words, k=size) for size in (3, 40, 200, 700)]
    texts += [random.choices(few, k=120), random.choices(few, k=60), random.choices(some, k=1600)]
    made = [{"id": f"t{at}", "text": " ".join(text)} for at, text in enumerate(texts)]
    name = commands.database("sketches", made)
    for document, text in zip(made, texts):
        stored = commands.lines("get", name, document["id"])[0]
        hashes = [xxh3_64(word.encode()) for word in text]
        assert int(stored["fp"], 16) == main_fingerprint(hashes), document
        profile, low = stored["profile"], lambda values: [value & 0xFF for value in values]
        mixed = lambda values: [(value * 0x9E3779B1 & 0xFFFFFFFF) >> 24 for value in values]
        assert [int(value, 16) for value in profile["short"]] == low(min_values(lengthened(hashes, 2))), document
        whole = mixed(min_values(lengthened(hashes, 3)))[:40]
        assert [int(value, 16) for value in profile["whole_text"]] == whole, document
    print("sketches of main", len(texts))


def check_model(commands, words):
    """The probability is 1 / (1 + exp(-sum)) of the evidence, near from 0.5, and calibrated as eval says."""
    made = pages(commands, words, [100, 200], [0, 3, 6, 10, 15, 20, 30, 45])
    name = commands.database("model", made)
    found = {pair: row["probability"] for pair, row in commands.pairs(name, "--set", "probability=0").items()}
    near_pairs = commands.pairs(name)
    assert near_pairs.keys() == {pair for pair, probability in found.items() if probability >= 0.5}
    assert 0 < len(near_pairs) < len(found), "some pairs are near, some are not"
    documents = {document["id"]: document for document in made}
    for a, b in list(near_pairs)[:6]:
        matches = {match["id"]: match for match in commands.lines("query", name, "--id", a, "--why")[0]["matches"]}
        total = sum(piece["adds"] for piece in matches[b]["why"]["evidence"])
        assert abs(1 / (1 + math.exp(-total)) - found[a, b]) < 2e-3, (matches[b], found[a, b])
        # Of two sketches alone: in a database without the others the verdict is the same.
        alone = commands.database(f"alone-{a}-{b}", [documents[a], documents[b]])
        assert commands.pairs(alone)[a, b]["probability"] == found[a, b] == matches[b]["probability"]
    chance = lambda probability: 0.1 + 0.8 * probability
    labels = {pair: "1" if commands.random.random() < chance(of) else "0" for pair, of in found.items()}
    commands.labelled_set("calibration", made, labels)
    files = "--docs", "calibration/docs.jsonl", "--pairs", "calibration/pairs.tsv"
    told = commands.lines("eval", *files, "--methods", "model", "--json")[0]["by_probability"]["calibration"]
    ordered = sorted((probability, float(labels[pair])) for pair, probability in found.items())
    assert len(told["bins"]) == BINS
    for at, bin in enumerate(told["bins"]):
        start, end = at * len(ordered) // BINS, (at + 1) * len(ordered) // BINS
        part = ordered[start:end]
        mean = lambda values: sum(values) / len(part)
        assert bin["pairs"] == len(part), bin
        assert abs(bin["predicted"] - mean(one for one, _ in part)) < 1e-5, (bin, part)
        # Of pairs with one probability, any may be the last of a bin.
        is_tied = any(ordered[edge - 1][0] == ordered[edge][0] for edge in (start, end) if 0 < edge < len(ordered))
        assert is_tied or abs(bin["observed"] - mean(label for _, label in part)) < 1e-9, (bin, part)
    brier = sum((one - label) ** 2 for one, label in ordered) / len(ordered)
    assert abs(told["brier"] - brier) < 1e-5, (told["brier"], brier)
    assert abs(told["slope"] - slope(ordered)) < 1e-3, (told["slope"], slope(ordered))
    print("calibrated", len(ordered))


def slope(pairs):
    """Of a logistic regression of the labels on the log-odds, by Newton's method."""
    x = [math.log(one / (1 - one)) for one, _ in ((min(max(one, 1e-6), 1 - 1e-6), label) for one, label in pairs)]
    a, b = 0.0, 1.0
    for _ in range(50):
        p = [1 / (1 + math.exp(-(a + b * one))) for one in x]
        rest = [label - one for (_, label), one in zip(pairs, p)]
        weights = [one * (1 - one) for one in p]
        sums = [sum(weight * one**power for weight, one in zip(weights, x)) for power in range(3)]
        steps = sum(rest), sum(one * other for one, other in zip(rest, x))
        whole = sums[0] * sums[2] - sums[1] ** 2
        a += (sums[2] * steps[0] - sums[1] * steps[1]) / whole
        b += (sums[0] * steps[1] - sums[1] * steps[0]) / whole
    return b


NEARLY = 0.05
# The recipe's weights.
MAIN = {"constant": 0.37, "content": 1.2, "missing": -2.92, "numbers": -6.98, "rest": -4.0}


def log_odds(resemblance):
    return math.log((resemblance + NEARLY) / (1 + NEARLY - resemblance))


def agreeing(one, other):
    """Li and Koenig 2010: the resemblance from equal bytes of min-values, corrected for those equal by chance."""
    return max(0, (sum(map(str.__eq__, one, other)) / len(one) - 1 / 256) / (1 - 1 / 256))


def common(resemblance, sizes):
    """Broder 1997, 2: the size of the intersection of two sets of these sizes."""
    return resemblance * sum(sizes) / (1 + resemblance)


def evidence_of(a, b, long, numbers, weights=MAIN):
    """What each piece of evidence adds, of two stored profiles without names, whose contents have this resemblance by
    shingles of eight, and of sets of numbers."""
    few, many = sorted([a["terms"], b["terms"]])
    wholes = [a["whole_terms"], b["whole_terms"]]
    kept = lambda resemblance: min(1, common(resemblance, (few, many)) / many)
    # Replaced single words leave the fourth power of the share of common pairs of words in shingles of eight.
    most = min(1, kept(long) + 0.05 + 4 / few) ** 0.25
    short = agreeing(a["short"], b["short"])
    both = min(kept(short), most) * many
    short = min(short, both / (few + many - both))
    whole = agreeing(a["whole_text"], b["whole_text"])
    least = max(0, whole - math.sqrt(whole * (1 - whole) / len(a["whole_text"])) - 0.03)
    absent = max(1 - most, min(1, max(0, max(wholes) - common(least, wholes)) / many))
    missing = 1 - min(1, kept(short) + max(0, kept(short) - kept(long)) / 6)
    content = max(short, (1 - absent) / (1 + absent))
    inside = min(common(whole, wholes), *wholes) / min(wholes)
    outside = max(1 - min(1, one["terms"] / one["whole_terms"]) for one in (a, b))
    rest = (1 - inside) * outside
    whole = min(whole, (min(wholes) + 1) / (max(wholes) + 1))
    odd = max(0, min(map(len, numbers)) - len(set.intersection(*numbers)))
    values = {
        "constant": 1,
        "content": log_odds(content),
        "missing": max(0, min(missing, absent) - 0.1),
        "numbers": min(1, odd / (12 + few / 20)),
        "rest": rest,
    }
    adds = {name: weights[name] * value for name, value in values.items()}
    # Nearly equal whole texts are evidence for, and bound what numbers subtract.
    texts = sum(adds.values()) - adds["numbers"]
    bound = 2 + 40 * max(0, 0.95 - min(whole, content)) + (300 / min(wholes)) ** 2
    total = max(texts, 2 * log_odds(whole) - 3) + max(adds["numbers"], -bound)
    adds["whole"] = total - sum(adds.values())
    return adds


def check_evidence(commands, words):
    """Each piece of evidence of texts and of pages with other words around the content, some with other numbers."""
    random, made, numbers = commands.random, [], {}
    for at in range(40):
        size, share = random.choice([(60, 2), (200, 1), (200, 4), (700, 10), (700, 20)]) if at % 5 else (1500, 0)
        text = random.choices(words, k=size)
        for side in "ab":
            key = f"{side}{at:02}"
            # Few, or of long texts that are else equal many, all of them others.
            of = (range(10, 99), at % 3 * 3) if at % 5 else (range(100, 500) if side == "a" else range(500, 900), 40)
            mine = [str(number) for number in random.sample(*of)]
            numbers[key] = set(mine)
            body = " ".join([*edited(random, words, text, len(text) * share // 200).split(), "and", *mine, "so"])
            if at % 2:
                links = "".join(f"<li><a href='/{word}'>{word}</a>" for word in random.sample(words, at))
                body = f"<html><body><ul>{links}</ul><article><p>{body}.</p></article></body></html>"
            made.append({"id": key, ["text", "html"][at % 2]: body})
    name, seen = commands.database("evidence", made), Counter()
    profiles = {document["id"]: commands.lines("get", name, document["id"])[0]["profile"] for document in made}
    for answer in commands.lines("query", name, "--all", "--why", "--set", "probability=0"):
        a = answer["query"]
        for b, match in ((match["id"], match) for match in answer["matches"]):
            if "why" not in match or match["why"]["identical"] or a[1:] != b[1:]:
                continue
            found = {piece["name"]: piece["adds"] for piece in match["why"]["evidence"]}
            expected = evidence_of(profiles[a], profiles[b], match["resemblance"], [numbers[a], numbers[b]])
            for piece, adds in expected.items():
                assert abs(found[piece] - adds) < 2e-3, (a, b, piece, found, expected)
                seen[piece] += abs(adds) > 1e-3
    assert min(seen[piece] for piece in ("content", "missing", "numbers", "rest", "whole")) > 3, seen
    print("evidence", dict(seen))


def check_names(commands, words):
    """Titles tell pages of one site apart, but not two captures of one address."""
    random, made = commands.random, []
    text = random.choices(words, k=150)
    for at, path in enumerate(["one", "one", "two"]):
        name = random.sample(words, 2)
        body = f"<p>{edited(random, words, text, 2)} {' '.join(name)}.</p>"
        html = f"<!DOCTYPE html><html><head><title>{' '.join(name)}</title></head><body>{body}</body></html>"
        made.append({"id": f"n{at}", "url": f"http://a.example/{path}", "html": html})
    name = commands.database("names", made)
    row = commands.lines("query", name, "--id", "n0", "--why", "--set", "probability=0")[0]
    pieces = lambda match: {piece["name"]: piece["adds"] for piece in match["why"]["evidence"]}
    adds = {match["id"]: pieces(match) for match in row["matches"]}
    assert adds["n1"]["siblings"] == 0 and adds["n2"]["siblings"] < 0, adds
    print("names")


def check_loss(commands, words):
    """The words of a text that the other lacks; a passage may have up to three words that are not lost."""
    random, made = commands.random, []
    for number in range(8):
        text, *new = random.sample(words, 200), *random.sample([f"{word}q" for word in words], 60)
        copy = list(text)
        for at in random.sample(range(198), random.choice([1, 4, 8])):
            copy[at : at + random.choice([1, 1, 2])] = [new.pop() for _ in range(random.choice([1, 1, 3]))]
        made += [(f"a{number}", text, copy), (f"b{number}", copy, text)]
    name = commands.database("loss", [{"id": key, "text": " ".join(text)} for key, text, _ in made])
    rows = commands.pairs(name, "--words", "archives", "--set", "probability=0")
    for key, text, other in made:
        lost, side, row = [word not in other for word in text], key[0], rows[f"a{key[1:]}", f"b{key[1:]}"]
        found = row[f"lost_words_{side}"], row[f"lost_passage_{side}"]
        assert found == (sum(lost), passage(lost)), (row, sum(lost), passage(lost))
        near([row[f"loss_{side}"]], [round(sum(lost) / len(text), 6)], row)
    print("losses", len(made))


# Greatest share of the words that a level loses.
SHARES = {"strict": 0.05, "standard": 0.1}
# Kinds of words that may not differ in plain text, and fewest words of a text whose words may differ.
NEVER = {"strict": {"number", "negation", "sign", "name"}, "standard": {"number", "negation"}}
SHORT, PASSAGE = 30, 30


def level_of(lost, added, kinds, sizes):
    """The least level that removes a text: what it loses and what the other one has besides, of texts of these sizes."""
    if not any(lost) and not any(added):
        return "same"
    for level, most in SHARES.items() if sizes[0] >= SHORT else ():
        both = [(lost, sizes[0])] + [(added, sizes[1])] * (level == "strict")
        if kinds & NEVER[level] or any(sum(of) > most * size or passage(of) > PASSAGE for of, size in both):
            continue
        return level
    return None


def check_levels(commands, words):
    """Texts that differ in words of known kinds, at places apart from each other."""
    random, made, expected = commands.random, [], {}
    new = iter(f"{word}q" for word in words * 9)
    kinds = {
        "word": lambda: [next(new), next(new)],
        "number": lambda: random.sample(["17", "230", "4711", "2,600"], 2),
        "negation": lambda: random.sample(["not", "never", next(new)], 2),
        "sign": lambda: random.sample(["<", "<=", "+", "="], 2),
        "name": lambda: random.sample(["Peter", "Anna", "Paul"], 2),
    }
    for number in range(150):
        size = random.choice([20, 29, 60, 150, 400, 900])
        text = [[word] * 2 for word in random.sample(words, size)]
        # A name and no sign of a sentence before it: capitals mark names.
        text[3:4] = [["said"] * 2, ["Maria"] * 2]
        chosen = [] if number % 10 == 0 else random.choices([*kinds], [20, 1, 1, 1, 1], k=1 + random.randrange(size // 8))
        chosen = ["word"] * len(chosen) if number % 3 else chosen
        places = random.sample(range(6, len(text) - 4, GAP + 2), min(len(chosen), (len(text) - 10) // (GAP + 2)))
        for at, kind in zip(places, chosen):
            text[at] = kinds[kind]()
        if number % 5 == 1 and size > 300:
            text += [[next(new), None] for _ in range(random.choice([25, 30, 31, 40]))] + [["then"] * 2] * 5
        sides = [[pair[side] for pair in text if pair[side]] for side in (0, 1)]
        lost, added = ([pair[0] != pair[1] for pair in text if pair[side]] for side in (0, 1))
        differ, sizes = set(chosen[: len(places)]), [len(side) for side in sides]
        expected[number] = [level_of(*of) for of in ((lost, added, differ, sizes), (added, lost, differ, sizes[::-1]))]
        # Commas and capitals that begin a sentence say nothing.
        sides[1][0:2] = [f"{sides[1][0].capitalize()},", f"{sides[1][1]};"]
        made += [{"id": f"{key}{number:03}", "text": " ".join(side)} for key, side in zip("ab", sides)]
    rows = commands.pairs(commands.database("levels", made), "--words", "archives", "--set", "probability=0")
    found, told = {(f"a{number:03}", f"b{number:03}"): of for number, of in expected.items()}, Counter()
    for pair in found.keys() & rows.keys():
        row = rows[pair]
        assert [row["level_a"], row["level_b"]] == found[pair], (row, found[pair])
        told.update(found[pair])
    assert min(told[level] for level in ("same", *SHARES, None)) > 10, told
    print("levels", dict(told))


def passage(lost):
    longest, current, gap = 0, 0, 0
    for one in lost:
        current, gap = (current + 1, 0) if one else (current, gap + 1)
        if gap > GAP:
            current = 0
        longest = max(longest, current)
    return longest


def main():
    commands = Commands()
    words = commands.vocabulary(900)
    check_labels(commands, words)
    check_sketches(commands, words)
    check_model(commands, words)
    check_evidence(commands, words)
    check_names(commands, words)
    check_loss(commands, words)
    check_levels(commands, words)


if __name__ == "__main__":
    main()
