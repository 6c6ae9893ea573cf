#!/usr/bin/env python3
"""The fit of the default verdict a second time: fit.py NDDB NDDB_LAB [SEED].

The weights by maximum likelihood with a penalty on squares, where groups count alike and a weight of the wrong sign is
left out; cross-validation over groups; and that a fit to pairs with 30% edits makes the verdict more lenient, while the
levels of what a removal loses, which follow from the words, stay as they are.
"""

import json
import math
from collections import Counter, defaultdict
from itertools import combinations

from henzinger import min_values, shingles
from second import Commands, near, share, xxh3_64
from verdict import MAIN, agreeing, edited, evidence_of

PENALTY = 0.005
# The direction of each piece of evidence; the weight of the rest is chosen and not fitted.
SIGNS = {"content": 1, "missing": -1, "numbers": -1}


def solved(matrix, right):
    """The solution of linear equations, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for at in range(len(rows)):
        rows[at] = [value / rows[at][at] for value in rows[at]]
        for other in range(len(rows)):
            if other != at:
                rows[other] = [x - rows[other][at] * y for x, y in zip(rows[other], rows[at])]
    return [row[-1] for row in rows]


def weights_of(pairs, penalty=PENALTY):
    """Newton's method on columns of mean 0 and deviation 1; a weight of the wrong sign is left out, the worst first."""
    total, used = sum(pair["weight"] for pair in pairs), list(SIGNS)
    mean = lambda of: sum(pair["weight"] * of(pair) for pair in pairs) / total
    middle = {name: mean(lambda pair: pair["values"][name]) for name in used}
    spread = {name: math.sqrt(mean(lambda pair: (pair["values"][name] - middle[name]) ** 2)) for name in used}
    used = [name for name in used if spread[name] > 1e-6]
    while True:
        rows = [[1, *((pair["values"][name] - middle[name]) / spread[name] for name in used)] for pair in pairs]
        found = [0.0] * len(rows[0])
        for _ in range(60):
            slopes = [-penalty * total * weight if at else 0 for at, weight in enumerate(found)]
            curves = [[penalty * total * (at == other > 0) for other in range(len(found))] for at in range(len(found))]
            for row, pair in zip(rows, pairs):
                p = 1 / (1 + math.exp(-sum(x * y for x, y in zip(row, found))))
                for at, x in enumerate(row):
                    slopes[at] += pair["weight"] * (pair["near"] - p) * x
                    for other, y in enumerate(row):
                        curves[at][other] += pair["weight"] * p * (1 - p) * x * y
            steps = solved(curves, slopes)
            found = [weight + step for weight, step in zip(found, steps)]
        wrong = {name: SIGNS[name] * weight for name, weight in zip(used, found[1:]) if SIGNS[name] * weight < 0}
        if not wrong:
            break
        used.remove(min(wrong, key=wrong.get))
    weights = dict.fromkeys(MAIN, 0.0) | {name: weight / spread[name] for name, weight in zip(used, found[1:])}
    constant = found[0] - sum(weights[name] * middle[name] for name in used)
    return weights | {"constant": constant, "rest": MAIN["rest"]}


def made_set(commands, words, name, lenient):
    """Versions of texts, of which those with few edits are near, and those with a third too if the set is lenient."""
    random, made, groups, edits = commands.random, [], {}, {}
    for group in range(24):
        text = random.choices(words, k=random.choice([80, 150, 300]))
        for part in [0, 3, 8, 30, 33, 60]:
            key = f"d{len(made):03}"
            numbers = random.sample(range(100, 999), random.choice([0, 0, 4]))
            body = " ".join([edited(random, words, text, len(text) * part // 100), *map(str, numbers)])
            made.append({"id": key, "text": body})
            groups[key], edits[key] = group // 2, part
            made[-1]["numbers"] = {str(number) for number in numbers}
    is_near = lambda a, b: edits[a] + edits[b] <= (45 if lenient else 15)
    within = lambda a, b: groups[a] == groups[b] and int(a[1:]) // 6 == int(b[1:]) // 6
    chosen = [pair for pair in combinations(groups, 2) if within(*pair)]
    # Pairs of two groups connect them.
    chosen += [tuple(sorted(random.sample(list(groups), 2))) for _ in range(3)]
    odd = lambda: random.random() < 0.06
    labels = {pair: str(int(is_near(*pair) and within(*pair) or odd())) for pair in chosen}
    documents = [{"id": one["id"], "text": one["text"]} for one in made]
    commands.labelled_set(name, documents, labels)
    lines = "".join(f"{key}\tg{group}\n" for key, group in groups.items())
    (commands.folder / f"{name}.groups.tsv").write_text(lines)
    return made, labels, groups


def weighted(labels, groups):
    """Components of groups that pairs connect count alike, and so do the pairs of a component."""
    component = {group: {group} for group in groups.values()}
    for a, b in labels:
        both = component[groups[a]] | component[groups[b]]
        component.update(dict.fromkeys(both, both))
    sizes = Counter(min(component[groups[a]]) for a, _ in labels)
    return {(a, b): len(labels) / len(sizes) / sizes[min(component[groups[a]])] for a, b in labels}


def check_fit(commands, words, lenient):
    name = ["strict", "lenient"][lenient]
    made, labels, groups = made_set(commands, words, name, lenient)
    documents = {one["id"]: one for one in made}
    database = commands.database(f"{name}.nddb", [{"id": one["id"], "text": one["text"]} for one in made])
    profiles = {key: commands.lines("get", database, key)[0]["profile"] for key in documents}
    terms = lambda one: [xxh3_64(word.encode()) for word in one["text"].split() if not word.isdigit()]
    hashes = {key: terms(one) for key, one in documents.items()}
    # Of each min-value of shingles of eight, the byte that profiles have.
    bytes_of = lambda values: [str(value * 0x9E3779B1 >> 24 & 0xFF) for value in values]
    long = {key: bytes_of(min_values(shingles(of))) for key, of in hashes.items()}

    def measured(a, b, weights):
        numbers = [documents[key]["numbers"] for key in (a, b)]
        return evidence_of(profiles[a], profiles[b], agreeing(long[a], long[b]), numbers, weights)

    weights, pairs = weighted(labels, groups), []
    for (a, b), label in labels.items():
        values = measured(a, b, dict.fromkeys(MAIN, 1))
        pairs.append({"pair": (a, b), "near": int(label), "weight": weights[a, b], "values": values})
    args = "--docs", f"{name}/docs.jsonl", "--pairs", f"{name}/pairs.tsv", "--groups", f"{name}.groups.tsv"
    output = "--penalty", PENALTY, "--output", f"{name}.json", "--json"
    told = json.loads(commands.run("fit", *args, *output, program=commands.lab))
    expected, found = weights_of(pairs), told["model"]
    for piece in MAIN:
        value = found["constant"] if piece == "constant" else found["weights"][piece]
        assert abs(value - expected[piece]) < 0.011, (name, piece, found, expected)
    counts, squares, models = Counter(), 0, {}
    for pair in pairs:
        touched = {groups[key] for key in pair["pair"]}
        key = tuple(sorted(touched))
        apart = lambda other: not touched & {groups[one] for one in other["pair"]}
        models.setdefault(key, None)
        models[key] = models[key] or weights_of([other for other in pairs if apart(other)])
        probability = 1 / (1 + math.exp(-sum(measured(*pair["pair"], models[key]).values())))
        counts[probability >= 0.5, pair["near"]] += 1
        squares += (probability - pair["near"]) ** 2
    hits, wrong, missed = counts[True, 1], counts[True, 0], counts[False, 1]
    row = told["sets"][0]
    assert [row["pairs"], row["false"], row["missed"]] == [len(pairs), wrong, missed], (row, counts)
    near([row["f1"]], [round(share(2 * hits, 2 * hits + wrong + missed), 4)], name)
    assert abs(row["brier"] - squares / len(pairs)) < 1e-3, (row, squares / len(pairs))
    print(name, len(pairs), found["constant"], found["weights"])
    return expected


def main():
    commands = Commands()
    words = commands.vocabulary(900)
    check_fit(commands, words, False)
    check_fit(commands, words, True)
    made, found = defaultdict(list), {}
    for name in ("strict", "lenient"):
        rows = commands.pairs("strict.nddb", "--words", "archives", "--model", f"{name}.json", "--set", "probability=0")
        made[name] = [pair for pair, row in rows.items() if row["probability"] >= 0.5]
        found[name] = {pair: (row["level_a"], row["level_b"]) for pair, row in rows.items()}
    assert found["strict"] == found["lenient"] and set(made["strict"]) < set(made["lenient"])
    assert 0 < sum(any(levels) for levels in found["strict"].values()) < len(made["lenient"])
    print("near", {name: len(pairs) for name, pairs in made.items()})


if __name__ == "__main__":
    main()
