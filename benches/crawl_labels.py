#!/usr/bin/env python3
"""Labels a sample of the candidate pairs of a crawl blind, and scores the default verdict on it.

    nddb create crawl.nddb && nddb load crawl.nddb crawl.warc.gz --id url
    nddb pairs crawl.nddb --set probability=0 --format tsv -o pairs.tsv

    crawl_labels.py draw --count 200 --seed 1 < pairs.tsv > drawn.tsv
    crawl_labels.py show drawn.tsv crawl.warc.gz --seed 1 --from 0 --to 20      pairs for the reader, without scores
    crawl_labels.py settle drawn.tsv first.txt second.txt [third.txt] > labels/crawl.tsv
    crawl_labels.py score labels/crawl.tsv < pairs.tsv

`draw` takes equal numbers of pairs from each stratum of probability, as far as a stratum has them, until there are
`--count` pairs. The order of its rows does not reveal the stratum; the number of a pair is the number of its row, from
0. Documents with equal texts or equal sketches form a group and are not pairs; only the first document of a group is
compared with others.

`show` prints address, title, headings and a word diff of the visible texts, including navigation. Long stretches, equal
or different, are abbreviated; if there are many differences, only the longest are shown, in the order of the page. The
order of the pairs depends on the seed. A verdict is a line of number, tab, and `1` (near-duplicates), `0` (not) or `g`
(undecided).

`settle` joins two passes; where they differ, a third decides. `score` weighs each pair by one over the share of its
stratum that was drawn. Undecided pairs are left out, and counted. Intervals are 95% bootstrap intervals over components
(sets of documents that pairs connect); each draw keeps the weight of every stratum. If the sample has no false (or no
missed) pair, the lower bound of precision (or recall) and of F1 is a worst case: with the number of such pairs at this
bound, the sample has none of them with probability 0.025. All such pairs are assumed to be in the stratum that could
hide most. Standard library only; the same input and seed give the same output.
"""

import argparse
import gzip
import math
import random
import re
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "compare"))
from plain_text import Lines  # noqa: E402
from score import components, decimal  # noqa: E402

EDGES = (0.05, 0.2, 0.5, 0.8, 0.95)
STRATA = ["0 to .05", ".05 to .2", ".2 to .5", ".5 to .8", ".8 to .95", ".95 to 1"]
VERDICTS = {"0", "1", "g"}
DRAWS = 2_000
BINS = 5
# A page with fewer letters of visible text may have its text in template scripts.
LITTLE = 200
# Limits of the diff of a pair: number of differences, words per side of a difference, equal words around it, words of
# all differences.
HUNKS, HUNK_WORDS, CONTEXT, ALL_WORDS = 22, 40, 4, 190
# Bound of the log-odds of probabilities near 0 and 1.
LEAST = 1e-6


def read_pairs(lines):
    """Returns the probability of each pair, by its ids in order, of `nddb pairs --format tsv`."""
    columns, probabilities = None, {}
    for line in lines:
        fields = line.rstrip("\n").split("\t")
        if columns is None:
            columns = fields
        elif not line.startswith("#"):
            of = dict(zip(columns, fields))
            if of["method"] == "model":
                probabilities[tuple(sorted((of["a"], of["b"])))] = float(of["probability"])
    return probabilities


def shares(available, count):
    """Returns how many pairs to draw from each stratum: equal numbers, as far as a stratum has them."""
    drawn = [0] * len(available)
    while sum(drawn) < min(count, sum(available)):
        open_strata = [number for number, of in enumerate(available) if drawn[number] < of]
        drawn[min(open_strata, key=lambda number: (drawn[number], number))] += 1
    return drawn


def draw(probabilities, count, seed):
    """Returns rows (id1, id2, stratum, weight): the weight is how many candidates a drawn pair stands for."""
    strata = [[] for _ in STRATA]
    for pair, probability in sorted(probabilities.items()):
        strata[bisect_right(EDGES, probability)].append(pair)
    chance = random.Random(seed)
    rows = []
    for name, pairs, number in zip(STRATA, strata, shares([len(pairs) for pairs in strata], count)):
        rows += [(*pair, name, len(pairs) / number) for pair in chance.sample(pairs, number)]
    chance.shuffle(rows)
    return rows


class Page(Lines):
    """Title, headings and visible text of a page; headings begin with #. With little text, its template scripts too."""

    def __init__(self, html):
        super().__init__()
        self.title, self.in_title = "", False
        self.feed(html)
        self.close()
        self.end_line()
        with_templates = re.sub("<script[^>]*template[^>]*>", "<div>", html)
        if sum(map(len, self.lines)) < LITTLE and with_templates != html:
            self.__init__(with_templates)
            return
        self.title = " ".join(self.title.split())
        lines = [" ".join(line.split()) for line in self.lines]
        self.headings = [line.lstrip("# ") for line in lines if line.startswith("#") and line.strip("# ")]
        self.words = [word for line in lines for word in line.split()]

    def handle_starttag(self, tag, attributes):
        super().handle_starttag(tag, attributes)
        self.in_title |= tag == "title" and not self.title
        if re.fullmatch("h[1-3]", tag):
            self.line.append("# ")

    def handle_endtag(self, tag):
        super().handle_endtag(tag)
        self.in_title &= tag != "title"

    def handle_data(self, data):
        super().handle_data(data)
        if self.in_title:
            self.title += data


def responses(path):
    """Yields the address, the head and the body of each response in a WARC file."""
    with gzip.open(path) as file:
        while version := file.readline():
            if not version.strip():
                continue
            fields = {}
            while line := file.readline().strip():
                name, _, value = line.decode("utf-8", "replace").partition(":")
                fields[name.lower()] = value.strip()
            block = file.read(int(fields["content-length"]))
            if fields.get("warc-type") == "response":
                head, _, body = block.partition(b"\r\n\r\n")
                yield fields["warc-target-uri"], head, body


def read_pages(path, wanted):
    """Returns the pages of a WARC file that have these addresses; if several have the same address, the last one."""
    return {address: Page(decoded(head, body)) for address, head, body in responses(path) if address in wanted}


def decoded(head, body):
    """Decodes a page by the character set that it declares."""
    name = re.compile(rb"charset=[\"']?([\w-]+)", re.I)
    named = name.search(head) or name.search(body[:4096])
    for charset in ([named[1].decode("ascii")] if named else []) + ["utf-8"]:
        try:
            return body.decode(charset)
        except (LookupError, UnicodeDecodeError):
            pass
    return body.decode("utf-8" if b"\xc3" in body else "latin-1", "replace")


def shortened(words, most):
    """Returns the words as text; if there are more than `most`, without the middle."""
    if len(words) <= most:
        return " ".join(words)
    end = most // 3
    left_out = len(words) - most
    return " ".join([*words[: most - end], f"..{left_out}..", *(words[-end:] if end else [])])


def anchored(a, b):
    """Yields (a from, a to, b from, b to, is equal) of two lists; in long lists, frequent words begin no match."""
    if len(a) * len(b) <= 4_000_000:
        for tag, *ends in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            yield (*ends, tag == "equal")
        return
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=True).get_opcodes():
        if tag == "replace" and (j - i) * (m - k) <= 4_000_000:
            for o, p, q, r, is_equal in anchored(a[i:j], b[k:m]):
                yield i + o, i + p, k + q, k + r, is_equal
        else:
            yield i, j, k, m, tag == "equal"


def diff(a, b):
    """Returns numbers of words only in a, only in b, and in both, and an abbreviated word diff."""
    parts = list(anchored(a, b))
    only_a, only_b = (sum(part[k + 1] - part[k] for part in parts if not part[4]) for k in (0, 2))
    size = lambda number: parts[number][1] - parts[number][0] + parts[number][3] - parts[number][2]
    hunks = [number for number, part in enumerate(parts) if not part[4]]
    shown = set(sorted(hunks, key=lambda number: (-size(number), number))[:HUNKS])
    sides = [end - start for number in shown for start, end in (parts[number][:2], parts[number][2:4])]
    most = HUNK_WORDS
    while most > 6 and sum(min(words, most) for words in sides) > ALL_WORDS:
        most -= 2
    out, hidden = [], 0
    for number, (i, j, k, m, is_equal) in enumerate(parts):
        if is_equal:
            before = CONTEXT if number - 1 in shown else 0
            after = CONTEXT if number + 1 in shown else 0
            if j - i <= before + after + 2:
                out.append(" ".join(a[i:j]) if before or after else f"..{j - i}..")
            else:
                out += [*a[i : i + before], f"..{j - i - before - after}..", *a[j - after : j]]
        elif number in shown:
            out += [f"[-{shortened(a[i:j], most)}-]"] * (j > i) + [f"{{+{shortened(b[k:m], most)}+}}"] * (m > k)
        else:
            hidden += 1
            out.append("[~]")
    text = re.sub(r"(?:\.\.\d+\.\. )*(?:\[~\](?: \.\.\d+\.\.)*(?: |$))+", "[~] ", " ".join(out))
    return only_a, only_b, len(a) - only_a, text + (f" ({hidden} more)" if hidden else "")


def rendered(number, ids, pages):
    """Returns the text that `show` prints for a pair."""
    missing = [address for address in ids if address not in pages]
    if missing:
        sys.exit(f"not in the archive: {missing}")
    a, b = (pages[address] for address in ids)
    only_a, only_b, both, text = diff(a.words, b.words)
    lines = [f"== {number}", *ids]
    lines.append(f"title: {a.title}" + ("" if a.title == b.title else f" | {b.title}"))
    if a.headings != b.headings:
        heads = [(left, right) for left, right in zip_longest(a.headings, b.headings, fillvalue="-") if left != right]
        lines.append("headings: " + "; ".join(f"{left[:50]} | {right[:50]}" for left, right in heads[:2]))
    lines.append(f"words: {only_a} only in a, {only_b} only in b, {both} in both")
    return "\n".join([*lines, text])


def read_rows(path):
    with open(path, encoding="utf-8") as lines:
        columns, *rows = (line.rstrip("\n").split("\t") for line in lines)
        return [dict(zip(columns, row)) for row in rows]


def read_verdicts(path):
    """Returns the verdict of each number; the last line of a number counts."""
    with open(path, encoding="utf-8") as lines:
        verdicts = dict(line.split()[:2] for line in lines if line.strip() and not line.startswith("#"))
    if wrong := set(verdicts.values()) - VERDICTS:
        sys.exit(f"{path}: no verdicts: {sorted(wrong)}")
    return {int(number): verdict for number, verdict in verdicts.items()}


def agreement(first, second):
    """Returns the share of equal verdicts and Cohen's kappa."""
    equal = sum(a == b for a, b in zip(first, second)) / len(first)
    counts = [Counter(verdicts) for verdicts in (first, second)]
    chance = sum(counts[0][verdict] * counts[1][verdict] for verdict in VERDICTS) / len(first) ** 2
    return equal, (equal - chance) / (1 - chance) if chance < 1 else 1.0


def log_odds(probability):
    probability = min(max(probability, LEAST), 1 - LEAST)
    return math.log(probability / (1 - probability))


def slope(pairs):
    """Returns the slope of a logistic regression of labels on log-odds; rows are (probability, is near, weight).

    There is none if all labels are equal, or if a threshold of the probability separates all near pairs from all
    others.
    """
    near, others = ([p for p, is_near, _ in pairs if is_near == of] for of in (True, False))
    if not near or not others or min(near) > max(others):
        return None
    total = sum(weight for *_, weight in pairs)
    of = [(log_odds(probability), is_near, weight / total) for probability, is_near, weight in pairs]
    loss = lambda at: sum(
        weight * (math.log1p(math.exp(-abs(z))) + max(z, 0) - is_near * z)
        for x, is_near, weight in of
        for z in [at[0] + at[1] * x]
    )
    at = (0.0, 0.0)
    for _ in range(100):
        g0 = g1 = 0.0
        h00 = h01 = h11 = 1e-9
        for x, is_near, weight in of:
            p = 1 / (1 + math.exp(-max(-500, min(500, at[0] + at[1] * x))))
            gradient, curvature = weight * (p - is_near), weight * p * (1 - p)
            g0, g1 = g0 + gradient, g1 + gradient * x
            h00, h01, h11 = h00 + curvature, h01 + curvature * x, h11 + curvature * x * x
        determinant = h00 * h11 - h01 * h01
        if determinant <= 0:
            return None
        step = ((h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant)
        size, now = 1.0, loss(at)
        while size > 1e-4 and loss((at[0] - size * step[0], at[1] - size * step[1])) > now:
            size /= 2
        at = (at[0] - size * step[0], at[1] - size * step[1])
        if max(map(abs, step)) * size < 1e-7:
            break
    return at[1]


def measures(pairs):
    """Returns precision, recall, F1, Brier score and slope of pairs (probability, is near, weight)."""
    right = sum(weight for p, is_near, weight in pairs if is_near and p >= 0.5)
    false = sum(weight for p, is_near, weight in pairs if not is_near and p >= 0.5)
    missed = sum(weight for p, is_near, weight in pairs if is_near and p < 0.5)
    total = sum(weight for *_, weight in pairs)
    share = lambda part, whole: part / whole if whole else None
    return {
        "precision": share(right, right + false),
        "recall": share(right, right + missed),
        "F1": share(2 * right, 2 * right + false + missed),
        "Brier": share(sum(weight * (p - is_near) ** 2 for p, is_near, weight in pairs), total),
        "slope": slope(pairs),
    }


def bins(pairs):
    """Returns (mean probability, share of near pairs) of five bins of equal weight, by probability."""
    total = sum(weight for *_, weight in pairs)
    sums, passed = [[0.0, 0.0, 0.0] for _ in range(BINS)], 0.0
    for p, is_near, weight in sorted(pairs):
        # The weight of a pair on the border of two bins is divided between them.
        while weight > 1e-9 * total:
            number = min(int(passed * BINS / total + 1e-9), BINS - 1)
            room = (number + 1) * total / BINS - passed if number < BINS - 1 else weight
            part = min(weight, room)
            sums[number] = [of + part * by for of, by in zip(sums[number], (1, p, is_near))]
            passed, weight = passed + part, weight - part
    return [(p / weight, near / weight) for weight, p, near in sums if weight]


def intervals(pairs, strata, parts, seed):
    """Returns the 95% bootstrap interval of each measure."""
    of_part, stratum_weight = defaultdict(list), Counter()
    for number, part in enumerate(parts):
        of_part[part].append(number)
        stratum_weight[strata[number]] += pairs[number][2]
    of_part, chance, values = list(of_part.values()), random.Random(seed), defaultdict(list)
    if len(of_part) < 2:
        return {}
    for _ in range(DRAWS):
        times = Counter(number for part in chance.choices(of_part, k=len(of_part)) for number in part)
        drawn_weight = Counter()
        for number, count in times.items():
            drawn_weight[strata[number]] += count * pairs[number][2]
        scale = {stratum: stratum_weight[stratum] / weight for stratum, weight in drawn_weight.items()}
        drawn = [
            (*pairs[number][:2], count * pairs[number][2] * scale[strata[number]]) for number, count in times.items()
        ]
        for name, value in measures(drawn).items():
            if value is not None:
                values[name].append(value)
    for of in values.values():
        of.sort()
    known = {name: of for name, of in values.items() if len(of) > DRAWS // 2}
    ends = {name: (of[len(of) // 40], of[len(of) - 1 - len(of) // 40]) for name, of in known.items()}
    right = sum(weight for p, is_near, weight in pairs if is_near and p >= 0.5)
    for name, is_found in (("precision", True), ("recall", False)):
        if ends.get(name) == (1, 1):
            hidden = hideable(pairs, strata, parts, is_found)
            ends[name] = ((right - hidden) / right if is_found else right / (right + hidden), 1)
            kept = right - hidden if is_found else right
            if ends["F1"][1] == 1:
                ends["F1"] = (min(ends["F1"][0], 2 * kept / (2 * kept + hidden)), 1)
    return ends


def hideable(pairs, strata, parts, is_found):
    """Returns the greatest weight of wrong pairs that the sample may have missed, if all of them are in one stratum."""
    of_stratum = defaultdict(lambda: [set(), 0.0])
    for (p, _, weight), stratum, part in zip(pairs, strata, parts):
        if (p >= 0.5) == is_found:
            of_stratum[stratum][0].add(part)
            of_stratum[stratum][1] += weight
    return max((weight * (1 - 0.025 ** (1 / len(of))) for of, weight in of_stratum.values()), default=0.0)


def report(rows, probabilities, seed, is_listed):
    """Prints tables of all measures."""
    for row in rows:
        # A labelled pair that is no longer a candidate counts as not found.
        row["p"] = probabilities.get(tuple(sorted((row["id1"], row["id2"]))), 0.0)
    decided = [row for row in rows if row["label"] != "g"]
    pairs = [(row["p"], row["label"] == "1", float(row["weight"])) for row in decided]
    strata = [row["stratum"] for row in decided]
    print("| drawn from | candidates | drawn | near | not | undecided | mean probability | near, of decided |")
    print("|---|---|---|---|---|---|---|---|")
    for name in STRATA:
        of = [row for row in rows if row["stratum"] == name]
        labels = Counter(row["label"] for row in of)
        mean = sum(row["p"] for row in of) / len(of) if of else None
        share = labels["1"] / (labels["1"] + labels["0"]) if labels["1"] + labels["0"] else None
        counts = " | ".join(str(labels[label]) for label in "10g")
        candidates = round(sum(float(row["weight"]) for row in of))
        print(f"| {name} | {candidates} | {len(of)} | {counts} | {decimal(mean)} | {decimal(share)} |")
    parts = components([(row["id1"], row["id2"]) for row in decided], lambda document: document)
    ends = intervals(pairs, strata, parts, seed)
    print("\n| measure | value | 95% | if undecided were near | if not |\n|---|---|---|---|---|")
    as_if = [
        measures([(row["p"], row["label"] in of, float(row["weight"])) for row in rows]) for of in (("1", "g"), ("1",))
    ]
    for name, value in measures(pairs).items():
        interval = " to ".join(map(decimal, ends[name])) if name in ends else "-"
        print(f"| {name} | {decimal(value)} | {interval} | {' | '.join(decimal(of[name]) for of in as_if)} |")
    listed = "; ".join(f"{decimal(p)}, {decimal(near)}" for p, near in bins(pairs))
    print(f"\nfive bins of equal weight: mean probability, near: {listed}")
    undecided = sum(float(row["weight"]) for row in rows if row["label"] == "g")
    share = undecided / sum(float(row["weight"]) for row in rows)
    print(f"{len(decided)} pairs of {len(set(parts))} components; undecided: {decimal(share)} by weight")
    if is_listed:
        for row in sorted(rows, key=lambda row: -row["p"]):
            if row["label"] != "g" and (row["label"] == "1") != (row["p"] >= 0.5):
                kind = "missed" if row["label"] == "1" else "false"
                print(kind, f"{row['p']:.4f}", row["id1"], row["id2"], sep="\t")


def settled(rows, passes, third):
    """Returns rows with the verdicts of two passes and the label, and the numbers of pairs without agreement."""
    undecided, out = [], []
    for number, row in enumerate(rows):
        first, second = (verdicts.get(number) for verdicts in passes)
        if first is None or second is None:
            sys.exit(f"pair {number}: no verdict in one of the passes")
        label = first if first == second else third.get(number)
        if label is None:
            undecided.append(number)
        out.append({**row, "first": first, "second": second, "label": label})
    return out, undecided


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("draw", help="draw pairs of the pairs on stdin")
    step.add_argument("--count", type=int, default=200)
    step.add_argument("--seed", type=int, default=1)
    step = steps.add_parser("show", help="print pairs without scores")
    step.add_argument("drawn")
    step.add_argument("archive", help="a WARC file, compressed with gzip")
    step.add_argument("--seed", type=int, default=1, help="decides the order")
    step.add_argument("--from", dest="first", type=int, default=0)
    step.add_argument("--to", type=int)
    step.add_argument("--only", help="only pairs of these numbers: 1,2,3")
    step = steps.add_parser("settle", help="join two passes, and a third where they differ")
    step.add_argument("drawn")
    step.add_argument("passes", nargs="+", help="two or three files of verdicts")
    step = steps.add_parser("score", help="score the pairs on stdin")
    step.add_argument("labels")
    step.add_argument("--seed", type=int, default=1)
    step.add_argument("--list", action="store_true", help="list false pairs and misses")
    arguments = parser.parse_args()
    if arguments.step == "draw":
        print("id1", "id2", "stratum", "weight", sep="\t")
        for *row, weight in draw(read_pairs(sys.stdin), arguments.count, arguments.seed):
            print(*row, f"{weight:.4f}", sep="\t")
    elif arguments.step == "show":
        rows = read_rows(arguments.drawn)
        order = [int(number) for number in arguments.only.split(",")] if arguments.only else list(range(len(rows)))
        random.Random(arguments.seed).shuffle(order)
        order = order[arguments.first : arguments.to]
        chosen = [(number, (rows[number]["id1"], rows[number]["id2"])) for number in order]
        pages = read_pages(arguments.archive, {address for _, ids in chosen for address in ids})
        for number, ids in chosen:
            print(rendered(number, ids, pages), end="\n\n")
    elif arguments.step == "settle":
        first, second, *third = map(read_verdicts, arguments.passes)
        rows, undecided = settled(read_rows(arguments.drawn), (first, second), third[0] if third else {})
        verdicts = [[row[name] for row in rows] for name in ("first", "second")]
        equal, kappa = agreement(*verdicts)
        differ = sum(a != b for a, b in zip(*verdicts))
        flips = sum({a, b} == {"0", "1"} for a, b in zip(*verdicts))
        said = f"{len(rows)} pairs, {differ} differ, {flips} of them between 1 and 0"
        print(f"{said}; equal {equal:.3f}, kappa {kappa:.3f}", file=sys.stderr)
        if undecided:
            sys.exit("to be settled: " + ",".join(map(str, undecided)))
        print(*rows[0], sep="\t")
        for row in rows:
            print(*row.values(), sep="\t")
    else:
        report(read_rows(arguments.labels), read_pairs(sys.stdin), arguments.seed, arguments.list)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        pass
