#!/usr/bin/env python3
"""What counts as the content of a page a second time: content.py NDDB NDDB_LAB [SEED].

Pages of nested elements are made, and their blocks classified by features that others use per block: length, share of
links and ends of sentences of the block and its neighbours (Kohlschuetter, Fankhauser, Nejdl, WSDM 2010; Pomikalek
2011), the elements around it and their names, and its place beside the main element, as in Readability. Names of an
element with most of the text are no evidence. Where little of the text outside boilerplate elements is content, or
little of the content is prose, all of it becomes content, and what is left out is in the profile.
"""

import math
from collections import Counter

from second import MASK, Commands, lines_of, xxh3_64

# Names, and what they hint at.
NAMES = {
    "sidebar": "boilerplate", "site-nav": "boilerplate", "relatedPosts": "related", "card card-9": "related",
    "comments": "comment", "post-comments": "comment text", "byline": "meta", "post": "text", "entry-content": "text",
    "articleBody": "text", "row 7": "", "c-1": "", "": "",
}  # fmt: skip
FRAMES = ["nav", "footer", "aside"]
TAGS = ["div"] * 6 + ["section", "article", "main", "header", "blockquote", "figure", *FRAMES]
LOCAL = {
    "constant": -2.92, "length": 0.193, "neighbour_length": 0.177, "link_share": -1.828, "sentence_end": 0.675,
    "neighbour_prose": 0.772, "p": 0.666, "li": 0.893, "figure": -1.227, "quote": 2.364, "text": 0.727, "frame": -1.466,
    "header": -1.539, "article": 0.211, "inner_article": -1.797, "main": 1.01, "after": 1.049, "before": -0.513,
    "position": -1.08,
}  # fmt: skip
HINTS = {"comment": -5.19, "related": -1.09, "boilerplate": -2.097, "meta": -2.023}
CONSTANT, SCORE, NEIGHBOURS, DEPTH, DISTANCE, BETWEEN, BEHIND, LINKS = (
    -0.137, 0.681, 0.27, -0.192, -0.479, 1.045, 0.256, -1.724,
)  # fmt: skip
FEWEST_TERMS = 20


def ramp(value, start, end):
    return min(1, max(0, (value - start) / (end - start)))


def log(units):
    value = min(units, 1000) + 1
    digits = value.bit_length() - 1
    return digits + value / (1 << digits) - 1


class Element:
    def __init__(self, tag="", names="", parent=None, role="", style=""):
        self.tag, self.names, self.parent, self.role, self.style = tag, names, parent, role, style
        self.parts, self.units, self.plain = [], 0, 0
        self.hints = set(NAMES[names].split())
        first = "".join(letter for letter in names.split(" ")[0] if not letter.isdigit())
        self.signature = (tag, first) if names else None

    def html(self):
        given = {"class": self.names, "role": self.role, "style": self.style}
        attributes = "".join(f' {name}="{value}"' for name, value in given.items() if value)
        return f"<{self.tag}{attributes}>{''.join(part.html() for part in self.parts)}</{self.tag}>"

    def around(self):
        """The element, and those around it; the page itself is the last."""
        return [self, *(self.parent.around() if self.parent else [])]


class Block:
    """Words in an element of its own, some of them in a link."""

    def __init__(self, tag, names, parent, words, linked, end):
        self.tag, self.words, self.end = tag, words, end
        self.linked = words[:linked]
        # Paragraphs and items need no end tag; others contain what is in them.
        self.holder = parent if tag in ("p", "li") else Element(tag, names, parent)
        self.own_hints = set(NAMES[names].split()) if tag in ("p", "li") else set()
        self.names = names
        length = lambda words: sum(map(len, words))
        self.units, self.links = length(words), length(self.linked)
        self.plain = self.units - self.links
        self.is_link = 2 * self.links >= self.units
        self.is_prose = len(words) >= 8 and not self.is_link and (self.units >= 60 or bool(end))
        self.share_of_links = self.links / self.units

    def text(self):
        return " ".join(self.words) + self.end

    def html(self):
        parts = [f"<a href=/x>{' '.join(self.linked)}</a>"] if self.linked else []
        names = f' class="{self.names}"' if self.names else ""
        return f"<{self.tag}{names}>{' '.join([*parts, *self.words[len(self.linked):]])}{self.end}</{self.tag}>"

    def draw(self):
        drawn = 0
        for word in self.words:
            drawn = (drawn ^ xxh3_64(word.encode())) * 0x9E3779B97F4A7C15 & MASK
        return (drawn >> 11) / (1 << 53)


def made_page(random, words):
    blocks, kind = [], random.choice(["article", "list", "any", "any", "brief"])

    def fill(element, depth):
        for _ in range(random.randint(1, 4)):
            if depth < 4 and random.random() < 0.45:
                role = random.choice([""] * 12 + ["main", "navigation"])
                style = random.choice([""] * 15 + ["color:red; display: none"])
                inner = Element(random.choice(TAGS), random.choice([*NAMES]), element, role, style)
                element.parts.append(inner)
                fill(inner, depth + 1)
                continue
            tag = random.choice({"list": ["li"] * 6}.get(kind, []) + ["p"] * 4 + ["li", "h1", "h2", "div"])
            size = random.choice([2, 5, 9] if kind in ("list", "brief") else [3, 10, 30, 80, 200])
            link = random.choice([0, 0, 0, size // 2, size]) if kind != "list" else random.choice([0, size])
            names = random.choice([*NAMES] + [""] * 30)
            block = Block(tag, names, element, random.sample(words, size), link, random.choice([".", ".", ""]))
            element.parts.append(block)
            blocks.append(block)

    while len(blocks) < 3 or not any(block.plain for block in blocks):
        body = Element("body", parent=Element("html", parent=Element()))
        blocks.clear()
        fill(body, 0)
    return blocks, f"<!DOCTYPE html><html>{body.html()}</html>"


class Page:
    """The features and scores of the blocks of a page."""

    def __init__(self, blocks):
        self.blocks = blocks
        # Elements with text, each after those around it.
        self.elements = list(dict.fromkeys(one for block in blocks for one in reversed(block.holder.around())))
        self.root = self.elements[0]
        for block in blocks:
            for one in block.holder.around():
                one.units, one.plain = one.units + block.units, one.plain + block.plain
        named = Counter((one.signature, one.parent.signature) for one in self.elements[1:] if one.signature)
        for one in self.elements:
            is_page = one.parent is None
            one.strength = 0 if is_page else ramp(one.plain, 0.75 * self.root.plain, 0.45 * self.root.plain)
            one.siblings = 0 if is_page or not one.signature else named[one.signature, one.parent.signature]
            one.is_article = one.tag == "article"
            hidden = "display" in one.style or one.role == "navigation"
            one.is_frame = one.tag in FRAMES or hidden

    @staticmethod
    def strongest(block, has):
        return max(one.strength if has(one) else 0 for one in block.holder.around())

    def frame(self, block):
        return self.strongest(block, lambda one: one.is_frame)

    def local(self):
        heading = next((at for at, block in enumerate(self.blocks) if block.tag == "h1"), None)
        scores, before = [], 0
        for at, block in enumerate(self.blocks):
            around = block.holder.around()
            tags = {one.tag for one in around}
            beside = [self.blocks[other] for other in (at - 1, at + 1) if 0 <= other < len(self.blocks)]
            nearest = [one for one in around[:2] if one.parent]
            is_inner = lambda one: one.is_article and any(outer.is_article for outer in one.around()[1:])
            values = {
                "constant": 1,
                "length": log(block.plain),
                "link_share": block.share_of_links,
                "sentence_end": bool(block.end),
                "neighbour_length": sum(log(one.plain) for one in beside) / 2,
                "neighbour_prose": sum(one.is_prose for one in beside) / 2,
                "p": block.tag == "p",
                "li": block.tag == "li",
                "figure": "figure" in tags,
                "quote": "blockquote" in tags,
                "text": any("text" in one.hints for one in nearest),
                "frame": self.frame(block),
                "header": self.strongest(block, lambda one: one.tag == "header"),
                "article": "article" in tags,
                "inner_article": self.strongest(block, is_inner),
                "main": "main" in tags or any(one.role == "main" for one in around),
                "after": heading is not None and at > heading,
                "before": heading is not None and at < heading,
                "position": before / self.root.plain,
            }
            score = sum(LOCAL[name] * value for name, value in values.items())
            for hint, weight in HINTS.items():
                inside = hint in block.own_hints
                score += weight * (1 if inside else self.strongest(block, lambda one: hint in one.hints))
            scores.append(score)
            before += block.plain
        return scores

    def main_elements(self, local):
        """The elements with the most probable content, and their weights."""
        gains = Counter()
        for block, score in zip(self.blocks, local):
            gain = (min(1, max(0, 0.5 + 0.22 * score)) - 0.2) * block.units
            siblings = max(one.strength * one.siblings for one in block.holder.around())
            gain = gain / math.sqrt(max(1, siblings - 1)) if gain > 0 else gain
            for one in block.holder.around():
                gains[one] += gain
        best = max(gains.values())
        if best <= 0:
            return {self.root: 1}
        weights = {one: ramp(gains[one], 0.85 * best, best) ** 2 for one in self.elements}
        inside = lambda one: max((weights[other] for other in self.elements if one in other.around()[1:]), default=0)
        own = {one: weights[one] - inside(one) for one in self.elements if weights[one] > inside(one)}
        return {one: weight / sum(own.values()) for one, weight in own.items() if weight / sum(own.values()) > 0.01}

    def by_place(self, local, main):
        chain = main.around()
        inside = [main in block.holder.around() for block in self.blocks]
        sure = [
            ramp(score, 0.2, 0.7) * ramp(block.plain, 20, 60) * block.plain if is_inside else 0
            for block, score, is_inside in zip(self.blocks, local, inside)
        ]
        known, edge = ramp(sum(sure), 0, 400), max(0.05 * sum(sure), 1)
        first = inside.index(True)
        last = len(inside) - 1 - inside[::-1].index(True)
        adds = []
        for at, block in enumerate(self.blocks):
            after = ramp(sum(sure) - sum(sure[:at]), 0, edge)
            is_between = known * ramp(sum(sure[: at + 1]), 0, edge) * after + (1 - known) * (first <= at <= last)
            is_behind = known * (1 - after) + (1 - known) * (at > last)
            around = block.holder.around()
            depth = around.index(main) if inside[at] else 0
            away = next(chain.index(one) for one in around if one in chain)
            links = is_between * LINKS * block.share_of_links if inside[at] else 0
            own = DEPTH * min(depth, 4) + DISTANCE * min(away, 5)
            adds.append(own + BETWEEN * is_between + BEHIND * is_behind + links)
        return adds

    def shares(self, seen):
        """Of blocks like each one, the share that is content."""
        local = self.local()
        clipped = [min(4, max(-4, score)) for score in local]
        scores = []
        for at in range(len(local)):
            others = [other for other in range(max(0, at - 2), min(len(local), at + 3)) if other != at]
            weights = [min(self.blocks[other].units, 300) + 10 for other in others]
            mean = sum(weight * clipped[other] for weight, other in zip(weights, others)) / max(1, sum(weights))
            scores.append(CONSTANT + SCORE * clipped[at] + NEIGHBOURS * mean)
        for main, weight in self.main_elements(local).items():
            for at, adds in enumerate(self.by_place(local, main)):
                scores[at] += weight * adds
        shares = [ramp(score, -0.6, 0.6) for score in scores]
        sizes = [share * block.plain for share, block in zip(shares, self.blocks)]
        content, prose = sum(sizes), sum(size for size, block in zip(sizes, self.blocks) if block.is_prose)
        openness = [1 - self.frame(block) for block in self.blocks]
        of_open = lambda units: sum(one * units(block) for one, block in zip(openness, self.blocks))
        open, with_links = of_open(lambda block: block.plain), of_open(lambda block: block.units)
        least = open * (0.2 + 0.3 * ramp(content, 900, 300))
        doubt = 1
        if content > 0:
            by_amount = ramp(content, least, 0.5 * least) if least else 0
            doubt = max(by_amount, ramp(prose, 0.75 * content, 0.25 * content))
        links = ramp(open, 0.7 * with_links, 0.5 * with_links) if with_links else 1
        seen["in doubt" if doubt == 1 else "in some doubt" if doubt else "sure"] += 1
        wanted = [one * (links if block.is_link else 1) for one, block in zip(openness, self.blocks)]
        return [share + doubt * (one - share) for share, one in zip(shares, wanted)]


def content_of(blocks, seen):
    shares = Page(blocks).shares(seen)
    drawn = [block for block, share in zip(blocks, shares) if share > 0 and (share >= 1 or block.draw() < share)]
    seen["drawn"] += sum(0 < share < 1 for share in shares)
    is_whole = sum(len(block.words) for block in drawn) < FEWEST_TERMS
    seen["whole"] += is_whole
    return blocks if is_whole else drawn


def main():
    commands, seen = Commands(), Counter()
    words = commands.vocabulary(900)
    pages = {f"p{number:04}": made_page(commands.random, words) for number in range(1200)}
    made = [{"id": key, "html": html} for key, (_, html) in pages.items()]
    (commands.folder / "pages.jsonl").write_text(lines_of(made))
    found = {row["id"]: row["text"] for row in commands.lines("text", "--jsonl", "pages.jsonl")}
    name = commands.database("content", made[:200])
    for key, (blocks, html) in pages.items():
        content = content_of(blocks, seen)
        assert found[key].splitlines() == [block.text() for block in content], (key, html)
        seen.update(blocks=len(blocks), content=len(content))
        if key < "p0200":
            # What is left out is in the profile, but for links.
            profile = commands.lines("get", name, key)[0]["profile"]
            shown = [block for block in blocks if block in content or not block.is_link]
            sizes = [sum(len(block.words) for block in of) for of in (content, shown)]
            assert [profile["terms"], profile["whole_terms"]] == sizes, (profile, sizes, html)
    print("content", dict(seen))
    assert min(seen[what] for what in ("in doubt", "in some doubt", "sure", "drawn", "whole")) > 20, seen


if __name__ == "__main__":
    main()
