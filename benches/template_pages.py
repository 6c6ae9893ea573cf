#!/usr/bin/env python3
"""Makes pages of few sites that share long templates, from Debian packages, and draws pairs of them as Henzinger did.

    template_pages.py collect FOLDER                                FOLDER/docs.jsonl, all pages
    nddb create FOLDER/pages.nddb --recipe web --k 7 && nddb load FOLDER/pages.nddb FOLDER/docs.jsonl
    for method in identity b c; do
        nddb pairs FOLDER/pages.nddb --method $method --expand --format tsv -o FOLDER/$method.tsv
    done
    template_pages.py draw FOLDER --seed 1 > drawn.tsv              pairs to be judged
    template_pages.py show FOLDER drawn.tsv --seed 1                to be read; nothing of a method is shown
    crawl_labels.py settle drawn.tsv first.txt second.txt [third.txt] > labels/templates.tsv
    template_pages.py check FOLDER labels/templates.tsv             whether all pages of the labels are there
    template_pages.py score FOLDER labels/templates.tsv             the combined algorithm, its threshold by a half
    template_pages.py angles FOLDER labels/templates.tsv            the same of term vectors with and without numbers

`collect` takes packages of two suites of Debian as manuals.py does, and of each of the parts below at most as many
pages as it says, such as all its suites have first, by hashes of their paths. Each package of a suite is a site of its
own, but one has two releases on one site, and an id is suite, package and path. Parts whose pages are mostly one long
template (lists of all chapters, modules or methods) are taken of one suite, others of two, so that there are mirrors.

`draw` puts all pairs in one random order and takes the first of b and the first of c; a pair may be of both. Equal
texts are no pairs: of these only the first takes part. `show` is that of packages.py, without the ids; its order
depends on the seed. `score` takes the drawn pairs of b, halved by hashes of their ids. Of the first half it chooses the
number of equal bits of greatest precision with at least .79 of the correct pairs (the R of the paper), the least number
of several, and prints what the other half has there. `angles` takes instead of the projection the number of equal bits
of 384 that the angle between the two pages' vectors of term frequencies lets expect, once of all terms, once without
those of digits. Standard library only; the same packages give the same output.
"""

import argparse
import json
import math
import random
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "compare"))
from crawl_labels import Page, read_rows, rendered  # noqa: E402
from manuals import fetch  # noqa: E402
from packages import chosen, decoded, digest  # noqa: E402
from plain_text import text_of  # noqa: E402
from score import read_json_lines  # noqa: E402

SUITES = {"u": "bullseye", "b": "bookworm"}
LONGEST = 400_000
# R of the combined algorithm in the paper.
LEAST_R = 0.79
# package, suites (both on one site if a + stands between), then folder (a pattern) and most pages of it.
PARTS = [
    ("rust-doc", "b", {
        "/rust-by-example/": 250, "/reference/": 130, "/nomicon/": 70, "/rustc/": 60, "/rust-doc/html/book/[^/]*$": 120,
        "/unstable-book/library-features/": 6, "/unstable-book/language-features/": 6, "/book/second-edition/": 6,
        "/book/first-edition/": 6, "/(core|std)/(iter|slice|str)/[^/]*$": 60,
        "/(core|std)/(alloc|any|array|cell|char|cmp|convert|fmt|future|hash|marker|mem|num|ops|option|panic|pin|ptr"
        "|task|time)/[^/]*$": 1000,
    }),
    ("erlang-doc", "ub", {
        "/lib/(stdlib|kernel|snmp|ssl|inets|common_test|mnesia|compiler|megaco|diameter)-[^/]*/doc/html/": 260,
        "/erts-[^/]*/doc/html/": 40,
    }),
    ("lilypond-doc-html", "b", {
        "/notation/": 60, "/contributor/": 60, "/learning/": 128, "/usage/": 51, "/extending/": 54, "/internals/": 12,
        "/music-glossary/": 12,
    }),
    ("cppreference-doc-en-html", "b", {"/cpp/keyword/": 24, "/cpp/(?!keyword)": 700, "/en/c/": 300}),
    ("python-pandas-doc", "b", {"/reference/api/": 20, "/(whatsnew|user_guide|development)/": 100}),
    ("python-networkx-doc", "u", {"/reference/": 300}),
    ("libswingx-java-doc", "b", {"/swingx/(?!.*class-use)": 250, "/class-use/": 60}),
    ("qtbase5-doc-html", "ub", {"/qt(core|network|sql|xml|dbus|opengl)/(?!.*-(members|obsolete))": 220}),
    ("qtbase5-doc-html", "u+b", {
        "/qt(widgets|gui)/(?!.*-(members|obsolete))": 220, "/qt(widgets|gui)/.*-(members|obsolete)": 10,
    }),
    ("cargo-doc", "b", {"": 100}),
    ("mkdocs-doc", "b", {"": 40}),
]  # fmt: skip


def pages_of(tree):
    """Returns the paths of the pages of an unpacked package."""
    files = (file for file in sorted(tree.rglob("*.html")) if file.is_file() and not file.is_symlink())
    return [str(file.relative_to(tree)) for file in files if file.stat().st_size < LONGEST]


def picked(paths, folders):
    """Returns the paths that are taken, by suite, of all paths by suite."""
    out = {suite: set() for suite in paths}
    for folder, most in folders.items():
        within = {suite: [path for path in of if re.search(folder, path)] for suite, of in paths.items()}
        for suite, of in chosen(within, most, most).items():
            out[suite].update(of)
    return {suite: sorted(of) for suite, of in out.items()}


def document_of(package, suite, is_one_site, path, data):
    """Returns the document of a page."""
    site = f"{package}.example/{suite}" if is_one_site else f"{package}-{suite}.example"
    address = re.sub(r"^usr/share/(doc/)?", "", path)
    return {
        "id": f"{suite}:{package}:{path}",
        "url": f"http://{site}/{address}",
        "html": decoded(data, path, True),
    }


def collect(folder):
    """Writes docs.jsonl and prints packages, versions and numbers of pages."""
    written = set()
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "docs.jsonl", "w", encoding="utf-8") as file:
        for package, letters, folders in PARTS:
            suites = [SUITES[letter] for letter in letters if letter != "+"]
            versions = {suite: fetch(folder, suite, [package])[package] for suite in suites}
            trees = {suite: folder / "unpacked" / suite / package for suite in suites}
            for suite, paths in picked({suite: pages_of(tree) for suite, tree in trees.items()}, folders).items():
                for path in paths:
                    document = document_of(package, suite, "+" in letters, path, (trees[suite] / path).read_bytes())
                    if document["id"] not in written:
                        written.add(document["id"])
                        file.write(json.dumps(document, ensure_ascii=False) + "\n")
                print(package, suite, versions[suite], len(paths), sep="\t")
    print(f"{len(written)} pages")


def read_pairs(path):
    """Returns the pairs of ids of a table of `nddb pairs --expand`."""
    with open(path, encoding="utf-8") as lines:
        next(lines)
        return {tuple(sorted(line.split("\t", 2)[:2])) for line in lines}


def drawn_of(found, equal, count, seed):
    """Returns rows (id, id, methods): so many pairs of each method; of equal texts only the first takes part."""
    others, chance, methods = {max(pair) for pair in equal}, random.Random(seed), defaultdict(str)
    pairs = sorted(pair for pair in set().union(*found.values()) if not others.intersection(pair))
    chance.shuffle(pairs)
    for name, of in sorted(found.items()):
        for pair in [pair for pair in pairs if pair in of][:count]:
            methods[pair] += name
    rows = [(*chance.sample(pair, 2), of) for pair, of in sorted(methods.items())]
    chance.shuffle(rows)
    return rows


def draw(folder, count, seed):
    """Prints drawn pairs: id1, id2, the methods of whose pairs they were drawn."""
    found = {method: read_pairs(folder / f"{method}.tsv") for method in "bc"}
    print("id1", "id2", "drawn", sep="\t")
    for row in drawn_of(found, read_pairs(folder / "identity.tsv"), count, seed):
        print(*row, sep="\t")


def show(folder, labels, seed, first, to, only):
    """Prints pairs to be judged."""
    rows = read_rows(labels)
    order = only or list(range(len(rows)))
    random.Random(seed).shuffle(order)
    order = order[first:to]
    wanted = {rows[number][side] for number in order for side in ("id1", "id2")}
    found = [document for document in read_json_lines(folder / "docs.jsonl") if document["id"] in wanted]
    pages = {document["url"]: Page(document["html"]) for document in found}
    addresses = {document["id"]: document["url"] for document in found}
    for number in order:
        ids = [addresses[rows[number][side]] for side in ("id1", "id2")]
        print(rendered(number, ids, pages), end="\n\n")


def missing(folder, labels):
    """Returns which documents of the labels are not there, in words, or nothing."""
    wanted = {row[side] for row in read_rows(labels) for side in ("id1", "id2")}
    lacking = sorted(wanted.difference(document["id"] for document in read_json_lines(folder / "docs.jsonl")))
    if not lacking:
        return None
    return f"{len(lacking)} of {len(wanted)} pages of the labels are missing: {', '.join(lacking[:3])} .."


def measured(pairs, least):
    """Returns returned pairs, precision and R at so many equal bits, of pairs (equal bits, label)."""
    found = [label for bits, label in pairs if bits >= least]
    right, correct = found.count("1"), [label for _, label in pairs].count("1")
    return len(found), right / len(found) if found else 0.0, right / correct if correct else 0.0


def chosen_threshold(pairs):
    """Returns the threshold of greatest precision that keeps R, the least of several."""
    kept = [least for least in range(355, 385) if measured(pairs, least)[2] >= LEAST_R]
    return max(kept, key=lambda least: (measured(pairs, least)[1], -least))


def score(folder, labels):
    """Prints alg. B, and the combined algorithm at 355 and at a threshold chosen on the first half, of both halves."""
    with open(folder / "b.tsv", encoding="utf-8") as lines:
        columns, *found = (line.rstrip("\n").split("\t") for line in lines)
    bits = {tuple(sorted(row[:2])): int(row[columns.index("c_sim")]) for row in found}
    halves = {True: [], False: []}
    for row in read_rows(labels):
        if "b" in row["drawn"]:
            pair = tuple(sorted((row["id1"], row["id2"])))
            halves[int(digest(" ".join(pair))[0], 16) < 8].append((bits[pair], row["label"]))
    best = chosen_threshold(halves[True])
    print("half", "least equal bits", "pairs", "precision", "R", sep="\t")
    for is_first, half in halves.items():
        for least in (0, 355, best):
            pairs, precision, r = measured(half, least)
            print("chosen on" if is_first else "reported", least, pairs, f"{precision:.3f}", f"{r:.3f}", sep="\t")
    for least in (0, 355, 365, 373, 377, 381):
        pairs, precision, r = measured(halves[True] + halves[False], least)
        print("all", least, pairs, f"{precision:.3f}", f"{r:.3f}", sep="\t")


def frequencies(html, has_numbers):
    """Returns how often each term is in the visible text of a page."""
    terms = re.findall(r"[^\W_]+", text_of(html))
    return Counter(term for term in terms if has_numbers or not term.isdigit())


def expected_bits(a, b):
    """Returns how many of 384 bits of random projections of two term vectors are equal on average."""
    norm = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    cosine = min(1.0, sum(n * b[term] for term, n in a.items()) / norm) if norm else 0.0
    return 384 * (1 - math.acos(cosine) / math.pi)


def angles(folder, labels):
    """Prints precision and R of pairs of alg. B by the expected number of equal bits."""
    rows = [row for row in read_rows(labels) if "b" in row["drawn"]]
    wanted = {row[side] for row in rows for side in ("id1", "id2")}
    pages = {of["id"]: of["html"] for of in read_json_lines(folder / "docs.jsonl") if of["id"] in wanted}
    print("terms", "incorrect: mean bits", "correct", "least bits", "pairs", "precision", "R", sep="\t")
    for has_numbers in (True, False):
        vectors = {page: frequencies(html, has_numbers) for page, html in pages.items()}
        pairs = [(expected_bits(vectors[row["id1"]], vectors[row["id2"]]), row["label"]) for row in rows]
        means = [fmean(bits for bits, label in pairs if label == of) for of in "01"]
        for least in (0, 355, 372, 377, 380):
            found, precision, r = measured(pairs, least)
            parts = [f"{of:.1f}" for of in means] + [str(least), str(found), f"{precision:.3f}", f"{r:.3f}"]
            print("all" if has_numbers else "no numbers", *parts, sep="\t")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    about = {"collect": "write docs.jsonl", "draw": "draw pairs", "show": "print pairs", "check": "look for pages"}
    about |= {"score": "score the combined algorithm", "angles": "score angles of term vectors"}
    step = {name: steps.add_parser(name, help=text) for name, text in about.items()}
    for of in step.values():
        of.add_argument("folder", type=Path)
    step["draw"].add_argument("--count", type=int, default=150, help="pairs of each method")
    step["draw"].add_argument("--seed", type=int, default=1)
    step["show"].add_argument("labels", type=Path)
    step["show"].add_argument("--seed", type=int, default=1, help="decides the order")
    step["show"].add_argument("--from", dest="first", type=int, default=0)
    step["show"].add_argument("--to", type=int)
    step["show"].add_argument("--only", help="only pairs of these numbers: 1,2,3")
    for name in ("check", "score", "angles"):
        step[name].add_argument("labels", type=Path)
    arguments = parser.parse_args()
    if arguments.step == "collect":
        collect(arguments.folder)
    elif arguments.step == "draw":
        draw(arguments.folder, arguments.count, arguments.seed)
    elif arguments.step == "show":
        only = [int(number) for number in arguments.only.split(",")] if arguments.only else None
        show(arguments.folder, arguments.labels, arguments.seed, arguments.first, arguments.to, only)
    elif arguments.step == "score":
        score(arguments.folder, arguments.labels)
    elif arguments.step == "angles":
        angles(arguments.folder, arguments.labels)
    else:
        sys.exit(missing(arguments.folder, arguments.labels))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        pass
