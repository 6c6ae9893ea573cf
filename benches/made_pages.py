#!/usr/bin/env python3
"""Generates synthetic pages with labelled pairs: which are near-duplicates is known from their construction.

    made_pages.py FOLDER [--seed 2007] [--edits 100] [--products 10] [--revisions 25] [--figures 100]
        [--references 8] [--hot 0]

    nddb eval --docs FOLDER/edits/docs.jsonl --pairs FOLDER/edits/pairs.tsv --methods model,min-hash --json |
        jq -r '.method as $m | .splits[] | select(.by == "kind") | [$m, .part, .recall] | @tsv'
    nddb eval --docs FOLDER/products/docs.jsonl --pairs FOLDER/products/pairs.tsv --methods model,min-hash --json |
        jq -r '.method as $m | .splits[] | select(.by == "kind") | [$m, .part, .found.incorrect] | @tsv'

`edits`: pages of 200 words, each with a copy in which 1, 3, 5 or 10% of the words are replaced, at random places
(`scattered`) or one after another (`block`). The copy is on the same site or on another one, or both have neither
address nor title (`bare`). These pairs are labelled 1. All other pairs have only the language in common, so every found
pair without a label (`unlabelled`) is wrong. `--edits N` makes N pairs of each of the 24 kinds.

The same folder has revisions: pairs made in the same way, but with 30 or 50% of the words replaced, or 50 or 100%
`added`. These pairs are labelled 0. `--revisions N` makes N pairs of each of the 18 kinds.

`products`: for each kind, 20 templates with `--products` pages each. A page has 80 to 200 words of the template and 15
to 40 words of its own, in one place (`block`) or in three (`spread`). The name of the product is in an h2. In half of
the templates the name is also in the title; in the others the title is the name of the shop. With `equal_title`, all
pages of a template have the same title and h1. All pages are on one host, or every second page is on another host. All
pairs of one template are labelled 0; no pair is correct.

`references`: pages of generated manuals, one class or entry per page. For each kind there are 20 generators with
`--references` pages in two releases. A generator writes the same 60 to 200 words under two to six headings on all its
pages. The page itself has its name, three to six times, and a description: a sentence (`few`, 3 to 8 words) or a
paragraph (`some`, 12 to 25 words). The name is in the title and in the h1 (`named`), or only in the title (`titled`).
In the second release, titles have another version, the generator has one more heading and other words in a twentieth of
its text, and in a description of twenty words or more one word is replaced. Two releases of one name are labelled 1,
two names of one generator are labelled 0.

`figures`: pages of 60 to 150 words with a table of 20 to 60 numbers. Each page has two copies: in one, one to three
numbers differ (a date, a counter; labelled 1); in the other, all numbers differ (statistics of something else; labelled
0).

`hot`, only if asked for: N documents, half of them copies of one page on 1,000 sites, a quarter one login page with a
visitor number, the rest distinct texts; and three labelled pairs.

Each folder has `docs.jsonl`, `pairs.tsv` and, for `nddb-lab fit`, `groups.tsv`: a group is a kind of pairs. Words
consist of random syllables and are drawn by Zipf's law. The same arguments give the same bytes.
"""

import argparse
import itertools
import json
import random
from pathlib import Path

WORDS, EXPONENT_SHIFT = 20_000, 2.7
RATES, REVISED, ADDED = (1, 3, 5, 10), (30, 50), (50, 100)


class Language:
    """Synthetic words, the frequent ones short, and a way to draw them."""

    def __init__(self, draw):
        self.draw = draw
        syllables = [a + b for a, b in itertools.product("bdfgklmnprstvz", ("a", "e", "i", "o", "u", "an", "el", "or"))]
        words = {}
        while len(words) < WORDS:
            length = 1 + draw.randrange(2) if len(words) < 100 else 2 + draw.randrange(3)
            words["".join(draw.choices(syllables, k=length))] = None
        self.words = list(words)
        self.weights = list(itertools.accumulate(1 / (rank + EXPONENT_SHIFT) for rank in range(WORDS)))

    def text(self, words):
        return self.draw.choices(self.words, cum_weights=self.weights, k=words)

    def name(self, words):
        """Returns words that are rare, as in titles and names."""
        return " ".join(word.capitalize() for word in self.draw.sample(self.words[500:], words))


def paragraphs(words, length=50):
    """Returns markup of sentences of twelve words, in paragraphs."""
    sentence = lambda of: " ".join(of).capitalize() + "."
    cut = lambda of, size: [of[at : at + size] for at in range(0, len(of), size)]
    return "\n".join("<p>" + " ".join(map(sentence, cut(part, 12))) + "</p>" for part in cut(words, length))


def page(title, h1, body):
    head = f"<head><title>{title}</title></head>" if title else ""
    heading = f"<h1>{h1}</h1>\n" if h1 else ""
    return f'<!doctype html><html lang="en">{head}<body>\n{heading}{body}\n</body></html>'


def replaced(language, words, count, where):
    """Returns the words with this many of them replaced by others."""
    if where == "block":
        start = language.draw.randrange(len(words) - count + 1)
        places = range(start, start + count)
    else:
        places = language.draw.sample(range(len(words)), count)
    words = list(words)
    for place in places:
        other = words[place]
        while other == words[place]:
            other = language.text(1)[0]
        words[place] = other
    return words


def copies(language, each, rates, places, label):
    """Returns pages and edited copies of them, and their pairs."""
    documents, pairs = [], []
    for rate, where, site in itertools.product(rates, places, ("same", "other", "bare")):
        for number in range(each):
            name = f"{where}-{rate}-{site}-{number}"
            title, words = language.name(4), language.text(200)
            if where == "added":
                start = language.draw.randrange(len(words))
                changed = words[:start] + language.text(len(words) * rate // 100) + words[start:]
            else:
                changed = replaced(language, words, len(words) * rate // 100, where)
            for copy, text in enumerate((words, changed)):
                document = {"id": f"{name}-{copy}"}
                if site == "bare":
                    document["html"] = page(None, None, paragraphs(text))
                else:
                    host = f"{where}-{rate}-{number}-{copy if site == 'other' else 0}.example"
                    document["url"] = f"https://{host}/{copy}.html"
                    document["html"] = page(title, title, paragraphs(text))
                documents.append(document)
            pairs.append((f"{name}-0", f"{name}-1", label, f"{where}_{rate}_{site}"))
    return documents, pairs


def edits(language, arguments):
    documents, pairs = copies(language, arguments.edits, RATES, ("scattered", "block"), 1)
    for rates, places in ((REVISED, ("scattered", "block")), (ADDED, ("added",))):
        more_documents, more_pairs = copies(language, arguments.revisions, rates, places, 0)
        documents, pairs = documents + more_documents, pairs + more_pairs
    return documents, pairs


def products(language, arguments):
    documents, pairs = [], []
    for hosts, has_equal_title, where in itertools.product((1, 2), (False, True), ("block", "spread")):
        kind = f"{'one_host' if hosts == 1 else 'two_hosts'}{'_equal_title' if has_equal_title else ''}_{where}"
        for template in range(20):
            shop, category = language.name(2), language.name(2)
            frame = language.text(language.draw.randint(80, 200))
            size = language.draw.randint(15, 40)
            cuts = sorted(language.draw.sample(range(10, len(frame) - 10), 3))
            ids = []
            for number in range(arguments.products):
                name, filling = language.name(2), language.text(size)
                third = (size + 2) // 3
                parts = [filling] if where == "block" else [filling[at : at + third] for at in range(0, size, third)]
                body, start = [f"<h2>{name}</h2>"], 0
                for cut, part in zip(cuts, parts):
                    body += [paragraphs(frame[start:cut]), paragraphs(part)]
                    start = cut
                body.append(paragraphs(frame[start:]))
                title = category if has_equal_title else f"{name} - {shop}" if template % 2 else shop
                host = f"shop{template}-{number % hosts}.example"
                ids.append(f"{kind}-{template}-{number}")
                url = f"https://{host}/{name.lower().replace(' ', '-')}"
                html = page(title, category if has_equal_title else None, "\n".join(body))
                documents.append({"id": ids[-1], "url": url, "html": html})
            pairs += [(a, b, 0, kind) for a, b in itertools.combinations(ids, 2)]
    return documents, pairs


def references(language, arguments):
    documents, pairs = [], []
    for where, own in itertools.product(("named", "titled"), ("few", "some")):
        kind = f"{where}_{own}"
        for generator in range(20):
            manual, host = language.name(2), f"{kind}-{generator}.example".replace("_", "-")
            noun = language.text(1)[0].capitalize()
            frame = language.text(language.draw.randint(60, 200))
            headings = [language.name(language.draw.randint(1, 3)) for _ in range(language.draw.randint(2, 6))]
            least, most = (3, 8) if own == "few" else (12, 25)
            entries = [
                (name, language.text(language.draw.randint(least, most)), language.draw.randint(3, 6))
                for name in language.name(arguments.references).split()
            ]
            places = [language.draw.random() for _ in range(6)]
            made = []
            for release in (1, 2):
                if release == 2:
                    frame = replaced(language, frame, len(frame) // 20, "scattered")
                    headings = [*headings, language.name(2)]
                for number, (name, description, times) in enumerate(entries):
                    if release == 2:
                        description = replaced(language, description, len(description) // 20, "scattered")
                    words = list(frame)
                    for place in sorted((int(place * len(frame)) for place in places[:times]), reverse=True):
                        words.insert(place, name)
                    size = -(-len(words) // len(headings))
                    parts = [words[at : at + size] for at in range(0, len(words), size)]
                    body = [paragraphs(description)]
                    for heading, part in itertools.zip_longest(headings, parts, fillvalue=[]):
                        body.append(f"<h2>{heading}</h2>\n{paragraphs(part)}")
                    title = f"{name} ({manual} {release}.0)"
                    h1 = f"{noun} {name}" if where == "named" else manual
                    made.append((number, f"{kind}-{generator}-{number}-{release}"))
                    url = f"https://{host}/{release}/{name.lower()}.html"
                    documents.append({"id": made[-1][1], "url": url, "html": page(title, h1, "\n".join(body))})
            pairs += [(a, b, int(x == y), kind) for (x, a), (y, b) in itertools.combinations(made, 2)]
    return documents, pairs


def figures(language, arguments):
    documents, pairs = [], []
    for number in range(arguments.figures):
        title, words = language.name(4), language.text(language.draw.randint(60, 150))
        rows = [language.name(1) for _ in range(language.draw.randint(10, 30))]
        table = [str(language.draw.randint(10, 99_999)) for _ in range(2 * len(rows))]
        few, other = list(table), [str(language.draw.randint(10, 99_999)) for _ in table]
        for place in language.draw.sample(range(len(table)), language.draw.randint(1, 3)):
            few[place] = other[place]
        for copy, numbers in enumerate((table, few, other)):
            cells = zip(rows, numbers[::2], numbers[1::2])
            body = "".join(f"<tr><td>{row}</td><td>{one}</td><td>{two}</td></tr>\n" for row, one, two in cells)
            html = page(title, title, f"{paragraphs(words)}\n<table>\n{body}</table>")
            url = f"https://figures-{number}.example/{copy}.html"
            documents.append({"id": f"figures-{number}-{copy}", "url": url, "html": html})
        for copy, (label, kind) in enumerate(((1, "few_numbers"), (0, "all_numbers")), 1):
            pairs.append((f"figures-{number}-0", f"figures-{number}-{copy}", label, kind))
    return documents, pairs


def hot(_, arguments):
    count, draw = arguments.hot, random.Random(1)
    words = ["".join(draw.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(draw.randint(3, 9))) for _ in range(5000)]
    text = lambda: " ".join(draw.choice(words) for _ in range(60))
    copy, login = text(), text()
    body = lambda n: copy if n % 2 == 0 else login + f" Visitor {n}." if n % 4 == 1 else text()
    made = lambda n: {"id": f"d{n}", "url": f"http://s{n % 1000}.org/{n}", "html": f"<p>{body(n)}</p>"}
    return map(made, range(count)), [("d0", "d2", 1, "copy"), ("d1", "d5", 1, "login"), ("d3", "d7", 0, "other")]


MADE = (("edits", edits), ("products", products), ("references", references), ("figures", figures), ("hot", hot))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=2007)
    parser.add_argument("--edits", type=int, default=100, help="pairs of each kind of edits")
    parser.add_argument("--revisions", type=int, default=25, help="pairs of each kind of revisions")
    parser.add_argument("--products", type=int, default=10, help="pages of each template")
    parser.add_argument("--references", type=int, default=8, help="pages of each generator and release")
    parser.add_argument("--figures", type=int, default=100, help="pages with two copies")
    parser.add_argument("--hot", type=int, default=0, metavar="N", help="documents of which many are equal")
    arguments = parser.parse_args()
    for name, make in MADE:
        if name == "hot" and not arguments.hot:
            continue
        documents, pairs = make(Language(random.Random(f"{name} {arguments.seed}")), arguments)
        folder = arguments.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        count = 0
        with open(folder / "docs.jsonl", "w", encoding="utf-8") as file:
            for count, document in enumerate(documents, 1):
                file.write(json.dumps(document) + "\n")
        with open(folder / "pairs.tsv", "w", encoding="utf-8") as file:
            file.write("id1\tid2\tlabel\tkind\n")
            file.writelines("\t".join(map(str, pair)) + "\n" for pair in pairs)
        # A page in pairs of several kinds belongs to the first kind, so these kinds form one component.
        groups = {}
        for a, b, _, kind in pairs:
            groups.setdefault(a, kind), groups.setdefault(b, kind)
        with open(folder / "groups.tsv", "w", encoding="utf-8") as file:
            file.writelines(f"{document}\t{group}\n" for document, group in groups.items())
        print(f"{folder}: {count} pages, {len(pairs)} pairs")


if __name__ == "__main__":
    main()
