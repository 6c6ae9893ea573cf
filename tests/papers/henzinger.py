#!/usr/bin/env python3
"""Henzinger 2006 a second time: henzinger.py NDDB NDDB_LAB [SEED].

Tokens, also of markup, supershingles of algorithm B and projections of algorithm C (section 2); the pairs of B, C, the
combined algorithm and the choice by site (section 4) among all documents; the estimate of the resemblance; sites by
the public suffix list; and the tables and figures of sections 3 and 4 from labelled pairs: degrees, sites,
similarities, differences of terms and their kinds, the combined algorithm by its threshold, and other shingles.
"""

import math
import re
from collections import Counter, defaultdict
from itertools import combinations
from statistics import fmean, linear_regression
from urllib.parse import urlsplit

from second import Commands, Counts, near, same, share, split_mix, xxh3_64, xxh3_128

LITTLE = "little"
FUNCTIONS = [(split_mix(84, 2 * i) & 0xFFFFFFFF | 1, split_mix(84, 2 * i + 1) & 0xFFFFFFFF) for i in range(84)]


def tokens(text):
    """Each maximal alphanumeric sequence, without folding case, as a 64-bit hash."""
    return [xxh3_64(term.encode()) for term in re.findall("[A-Za-z0-9]+", text)]


def joined(values, size):
    return b"".join(value.to_bytes(size, LITTLE) for value in values)


def shingles(hashes, length=8):
    return {xxh3_64(joined(hashes[at : at + length], 8)) for at in range(max(1, len(hashes) - length + 1))}


def min_values(features):
    """The least value of each of 84 functions over the low bits of features."""
    low = {feature & 0xFFFFFFFF for feature in features}
    return [min((a * x + b) & 0xFFFFFFFF for x in low) for a, b in FUNCTIONS]


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
    """Copies of texts on several sites with some words changed or halves exchanged, and some texts that are equal."""
    words, made = commands.vocabulary(600) + ["Upper", "CASE", "b42"], []
    hosts = ["www.one.example", "two.example", "a.b.one.example", "www.two.example", "10.0.0.7"]
    for one in range(12):
        # The first two documents are one long text and its halves exchanged: similar, and different in many terms.
        text = commands.random.choices(words, k=commands.random.choice([5, 60, 200, 400]) if one else 400)
        for _ in range(9):
            copy = list(text)
            edits = commands.random.choice([0, 1, 2, 4, 9]) if len(made) > 1 else 0
            for at in commands.random.sample(range(len(copy)), min(len(copy), edits)):
                copy[at] = commands.random.choice(words)
            number = len(made)
            if commands.random.random() < 0.2 and number or number == 1:
                copy = copy[len(copy) // 2 :] + copy[: len(copy) // 2]
            url = f"http://{commands.random.choice(hosts)}:8080/{number}"
            made.append({"id": f"d{number:03}", "url": url, "text": " ".join(copy)})
    return made


class Sketched:
    def __init__(self, document, terms=None):
        self.tokens = [xxh3_64(term.encode()) for term in terms] if terms else tokens(document["text"])
        self.values = min_values(shingles(self.tokens))
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


RANGES = [(372, 375), (376, 378), (379, 381), (382, 384)]
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


def check_markup(commands):
    """2: markup is white space, but formatting is not; addresses in the text break at slashes and dots; an image is a
    term: its address, or on the host of the page its file name; an image in the address itself is a digest."""
    random, words, made, terms = commands.random, commands.vocabulary(300), [], {}
    inside = lambda word: "data:image/png;base64," + word * 4
    pieces = {
        "{0} {1}": ["{0}", "{1}"],
        "{0}, {1}-{2}. ": ["{0}", "{1}", "{2}"],
        "<b>{0}</b>{1} ": ["{0}{1}"],
        "{0}<br>{1}": ["{0}", "{1}"],
        "<h2 class={2}>{0}</h2><!-- {1} --><script>{1}</script>": ["{0}"],
        " http://www.{0}-a.example/{1}-b?id=5/{2} ": ["http", "www", "{0}-a", "example", "{1}-b?id=5", "{2}"],
        "<img src='/{0}/{1}.png?{2}'>": ["{1}.png"],
        "<img src='{0}.png'> ": ["{0}.png"],
        "<img src='http://{0}.example/{1}.png?{2}#a'>": ["http://{0}.example/{1}.png?{2}"],
    }
    for number in range(40):
        html, found = [], []
        for _ in range(random.choice([3, 30, 120])):
            piece, three = random.choice(list(pieces)), random.sample(words, 3)
            html.append(f" {piece.format(*three)} ")
            found += [term.format(*three) for term in pieces[piece]]
        word = random.choice(words)
        html.append(f"<img src='{inside(word)}'>{word.upper()}")
        found += [f"data:{xxh3_128(inside(word).encode()):032x}", word.upper()]
        body = f"<!DOCTYPE html><html><body><p>{''.join(html)}</p></body></html>"
        made.append({"id": f"m{number:02}", "url": f"http://www.one.example/{number}", "html": body})
        terms[f"m{number:02}"] = found
    name = commands.database("markup", made, "--recipe", "web-c")
    check_sketches(commands, name, {one["id"]: Sketched(one, terms[one["id"]]) for one in made})


# An extract of the public suffix list.
SUFFIXES = {"com", "uk", "co.uk", "io", "github.io", "*.ck", "!www.ck", "jp", "*.kobe.jp", "!city.kobe.jp"}


def registrable(host):
    """The public suffix by the longest rule, or that of an exception, and one label more."""
    if re.fullmatch(r"[\d.]+", host):
        return host
    labels = host.split(".")
    names = [".".join(labels[at:]) for at in range(len(labels))]
    for at, name in enumerate(names):
        if "!" + name in SUFFIXES:
            return name
        if name in SUFFIXES or ".".join(["*", *names[at + 1 : at + 2]]) in SUFFIXES:
            return names[max(0, at - 1)]
    return names[max(0, len(names) - 2)]


def check_suffixes(commands):
    ends = ["com", "co.uk", "uk", "github.io", "b.ck", "www.ck", "x.kobe.jp", "city.kobe.jp", "jp", "unknownend"]
    hosts = [begin + end for end in ends for begin in ("", "a.", "news.a.", "c.news.a.")] + ["10.0.0.7", "localhost"]
    made = [{"id": host, "url": f"http://{host}:8080/", "text": f"a page of {host}"} for host in hosts]
    for recipe, of in [("web-psl", registrable), ("web", lambda host: site(f"http://{host}"))]:
        name = commands.database(f"sites-{recipe}", made, "--recipe", recipe)
        for host in hosts:
            found = commands.lines("get", name, host)[0]["site"]
            assert found == of(host), (recipe, host, found, of(host))
    print("sites", 2 * len(hosts))


def difference(a, b):
    """Deletions and insertions between two token sequences: the longest common one by bits (Hyyro 2004)."""
    places = defaultdict(int)
    for at, token in enumerate(a):
        places[token] |= 1 << at
    whole = (1 << len(a)) - 1
    row = whole
    for token in b:
        matched = row & places[token]
        row = (row + matched | row - matched) & whole
    return len(b) + len(a) - 2 * (len(a) - row.bit_count())


def check_figures(commands, name, sketched, labels):
    """Section 3 over pairs of different token sequences, and of these the labelled ones."""
    first = {}
    for key, of in sketched.items():
        first.setdefault(tuple(of.tokens), key)
    nodes = set(first.values())
    differ = [pair for pair in combinations(sketched, 2) if sketched[pair[0]].tokens != sketched[pair[1]].tokens]
    b, c = [{pair: of(*map(sketched.get, pair)) for pair in differ} for of in (b_similarity, c_similarity)]
    similar_b, similar_c = {pair for pair in b if b[pair] >= 2}, {pair for pair in c if c[pair] >= 372}
    # One page of each identity set.
    near_b = [pair for pair in similar_b if nodes >= set(pair)]
    near_c = [pair for pair in similar_c if nodes >= set(pair) and share_piece(*map(sketched.get, pair))]
    same_site = lambda pair: sketched[pair[0]].site == sketched[pair[1]].site
    table = lambda title: commands.exhibit("henzinger", name, title)

    for pairs, of_degrees, of_terms in [(near_b, "Figure 1", "Figure 2"), (near_c, "Figure 3", "Figure 4")]:
        of_pages = Counter(key for pair in pairs for key in pair)
        degrees = Counter(of_pages.values())
        assert {row[0]: row[1] for row in table(of_degrees) if row[1]} == degrees, (of_degrees, degrees)
        note = commands.told("henzinger", name, of_degrees)["notes"][0]
        expected = [len(of_pages), len(nodes), len(of_pages) / len(nodes), 2 * len(pairs) / len(of_pages)]
        expected += [len(pairs), fmean(map(same_site, pairs))]
        if len(degrees) > 2:
            logarithms = [[math.log(value) for value in of] for of in (degrees, degrees.values())]
            expected.append(linear_regression(*logarithms).slope)
        found = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", note)]
        assert all(abs(one - other) < 1e-3 for one, other in zip(found, expected, strict=True)), (note, expected)
        terms = Counter(difference(sketched[one].tokens, sketched[other].tokens) for one, other in pairs)
        assert {row[0]: row[1] for row in table(of_terms)} == {of: terms[of] for of in terms if of <= 200}, of_terms
        ordered = sorted(terms.elements())
        middle = f"mean {fmean(ordered):.3f}, median {ordered[(len(ordered) - 1) // 2]};"
        assert middle in commands.told("henzinger", name, of_terms)["notes"][0], middle

    of_b, of_c = defaultdict(list), defaultdict(list)
    for pair in near_b:
        of_b[b[pair]].append(c[pair])
    for pair in near_c:
        of_c[next(of for of in RANGES if of[0] <= c[pair] <= of[1])].append(b[pair])
    mean = lambda values: fmean(values) if values else None
    for row, value in zip(table("Table 1"), range(2, 7)):
        near(row[1:3], [len(of_b[value]), len(of_b[value]) / len(near_b)], "Table 1")
    near([row[1] for row in table("Table 9")], [mean(of_b[value]) for value in range(2, 7)], "Table 9")
    near([row[1] for row in table("Table 10")], [mean(of_c[of]) for of in reversed(RANGES)], "Table 10")
    for least, *row in table("Figure 5"):
        within = lambda value: sum(least <= one < least + 5 for one in of_b[value])
        near(row, [share(within(value), len(of_b[value])) for value in range(2, 7)], "Figure 5")

    labels = {pair: (at, label) for at, (pair, label) in enumerate(labels.items()) if pair in b}
    parts = [("all", lambda pair: True), ("same site", same_site), ("different site", lambda pair: not same_site(pair))]
    counts = lambda chosen, found: Counts({pair: labels[pair][1] for pair in labels if chosen(pair)}, found)
    by_b = [(f"B-sim {value}", lambda pair, value=value: b[pair] == value) for value in range(2, 7)]
    of_range = lambda of: lambda pair: of[0] <= c[pair] <= of[1]
    by_c_range = [(f"C-sim {of[0]} to {of[1]}", of_range(of)) for of in RANGES]
    for title, found, chosen in [("Table 2", similar_b, parts + by_b), ("Table 5", similar_c, parts + by_c_range)]:
        for row, (what, chosen) in zip(table(title), chosen, strict=True):
            of = counts(chosen, found)
            assert row[:2] == [what, sum(of.labels.values())], (title, row)
            near(row[2:5], of.shares(), f"{title}, {what}")

    large = lambda pair: difference(*(sketched[key].tokens for key in pair)) > 200
    returned = similar_b, similar_c
    is_first = lambda pair: split_mix(1, labels[pair][0]) % 3 == 0
    combined_at = lambda least: {pair for pair in similar_b if c[pair] >= least}
    right = lambda chosen, found: counts(chosen, found).labels["1"]
    r = lambda chosen, least: share(right(chosen, combined_at(least)), right(chosen, similar_b))
    for least, r_of, precision in table("Table 11"):
        near([r_of, precision], [r(is_first, least), counts(is_first, combined_at(least)).figures()[0]], "Table 11")
    of_figure = [(least, *row) for *row, least in table("Figure 7")]
    assert of_figure == sorted(of_figure, reverse=True) and len(of_figure) == len(table("Figure 6")), of_figure
    for least, r_of, precision in of_figure:
        near([r_of, precision], [r(is_first, least), counts(is_first, combined_at(least)).figures()[0]], "Figure 7")
    for least, precision in table("Figure 6"):
        near([precision], [counts(lambda pair: True, combined_at(least)).figures()[0]], "Figure 6")
    for row, (what, chosen) in zip(table("Table 12"), parts):
        others = lambda pair: chosen(pair) and not is_first(pair)
        of = counts(others, combined_at(355))
        near(row[1:6], [sum(of.labels.values()), *of.shares(), r(others, 355)], f"Table 12, {what}")
    for (what, *row), label in zip(table("Table 8"), "0g1", strict=True):
        expected = [sum(large(pair) for pair in labels if pair in of and labels[pair][1] == label) for of in returned]
        assert row == expected, ("Table 8", what, row, expected)
    assert any(large(pair) for pair in labels if pair in similar_b), "some similar pairs differ in many terms"
    check_shingles(table("Section 4"), sketched, {pair: label for pair, (_, label) in labels.items()})
    print("figures of", len(near_b), len(near_c), "pairs,", len(labels), "labels")


def check_shingles(rows, sketched, labels):
    """Section 4: other lengths of shingles, and shingles that count by the logarithm of their inverse frequency."""
    documents = {key for pair in labels for key in pair}
    for row, length, is_weighted in zip(rows, [8, 3, 5, 12, 8, 5], [False] * 4 + [True] * 2, strict=True):
        of = {key: shingles(sketched[key].tokens, length) for key in documents}
        if is_weighted:
            frequency = Counter(shingle for found in of.values() for shingle in found)
            weight = lambda shingle: max(1, round(math.log(len(documents) / frequency[shingle])))
            copies = lambda found: (split_mix(one, copy) for one in found for copy in range(weight(one)))
            of = {key: set(copies(found)) for key, found in of.items()}
        of = {key: supershingles(min_values(found)) for key, found in of.items()}
        equal = lambda pair: sum(p == q for p, q in zip(of[pair[0]], of[pair[1]]))
        expected = []
        for least in (2, 3):
            returned, _, recall, f1 = Counts(labels, {pair for pair in labels if equal(pair) >= least}).figures()
            expected += [returned, recall, f1]
        near(row[1:], expected, f"Section 4, {row[0]}")


# Differences as the paper lists them for correct pairs (3.1), each of a page with a number of its own.
PLANTED = {
    "URL only": "go to www.shop{0}.example today",
    "time stamp only": "printed on {1}:15:02 by us",
    "combination": "printed on {1}:15:02 for visitor {0} of us",
    "execution time only": "made in 0.{0} seconds for you",
    "visitor count only": "you are visitor {0} of us",
    "message id only": "this is message {0} of us",
    "session id only": "go to PHPSESSID={0}a1b2c3d today",
    "server name only": "served by host{0}.farm.example today",
    "invisible": "<img src='photo{0}'>",
    "rest": "costs {0} only",
}
# The reason of an undecided pair with such a difference; the words of the page tell no other.
REASONS = {"invisible": "form", "rest": "different minor item"}


def check_differences(commands):
    """Tables 3, 4, 6 and 7: of the pairs that B and C return, the kinds of difference, by label and by site."""
    random, words, made, labels, planted = commands.random, commands.vocabulary(500), [], {}, {}
    for kind, phrase in list(PLANTED.items()) * 6:
        text = random.choices(words, k=400)
        pair, at, label = (f"p{len(labels):03}a", f"p{len(labels):03}b"), random.randrange(50, 350), random.choice("11g0")
        hosts = random.choices(["www.one.example", "two.example"], k=2)
        for key, host, number in zip(pair, hosts, random.sample(range(10, 24), 2)):
            page = " ".join([*text[:at], phrase.format(number, number), *text[at:]])
            made.append({"id": key, "url": f"http://{host}/page", "html": f"<html><body><p>{page}</p></body></html>"})
        labels[pair], planted[pair] = label, kind
    name = commands.labelled_set("differences", made, labels)
    page = {document["id"]: document for document in made}
    image = re.compile("<img src='(.*?)'>")
    # The name of an image is a term.
    text = lambda html: re.sub("<[^>]*>", " ", image.sub(r" \1 ", html))
    sketched = {key: Sketched({**of, "text": text(of["html"])}) for key, of in page.items()}
    by_b = {pair for pair in labels if b_similarity(*map(sketched.get, pair)) >= 2}
    by_c = {pair for pair in labels if c_similarity(*map(sketched.get, pair)) >= 372}
    assert len(by_b) > 40 and len(by_c) > 40, "most pairs are returned"
    same_site = lambda pair: sketched[pair[0]].site == sketched[pair[1]].site
    for titles, found in [(("Table 3", "Table 4"), by_b), (("Table 6", "Table 7"), by_c)]:
        for title, label in zip(titles, "1g"):
            pairs = [pair for pair in sorted(found) if labels[pair] == label]
            of = lambda pair: planted[pair] if label == "1" else REASONS.get(planted[pair], "rest")
            kinds, same = Counter(map(of, pairs)), Counter(map(of, filter(same_site, pairs)))
            rows = commands.exhibit("henzinger", name, title)
            assert {row[0] for row in rows} >= kinds.keys(), (title, rows)
            for kind, *row in rows:
                expected = kinds[kind], share(kinds[kind], kinds.total()), same[kind], share(same[kind], same.total())
                near(row, expected, f"{title}, {kind}")
    print("differences of", len(by_b), len(by_c), "pairs")


def main():
    commands = Commands()
    made = documents(commands)
    name = commands.database("pages", made, "--recipe", "web-c")
    sketched = {document["id"]: Sketched(document) for document in made}
    check_sketches(commands, name, sketched)
    check_markup(commands)
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
    likely = lambda a, b: commands.random.choices("10g", [6, 1, 1] if near_pair(a, b) else [1, 6, 1])[0]
    near_pair = lambda a, b: b_similarity(sketched[a], sketched[b]) >= 2
    drawn = [pair for pair in combinations(sketched, 2) if near_pair(*pair) or commands.random.random() < 0.1]
    labels = {pair: likely(*pair) for pair in drawn}
    check_figures(commands, commands.labelled_set("labelled", made, labels), sketched, labels)
    check_differences(commands)
    check_suffixes(commands)


if __name__ == "__main__":
    main()
