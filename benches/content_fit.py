#!/usr/bin/env python3
"""Measures content extraction on pages in which people marked the article, and fits the weights of the classification.

    content_fit.py score NDDB PAGES           scores of the command on pages.jsonl.zst (id, url, html, body)
    content_fit.py extractors PAGES [WORST]   a table of nddb and other extractors, with their speed, and the blocks that
                                              nddb wrongly has or lacks on its WORST pages
    content_fit.py fit PAGES SET...           the weights, and scores cross-validated by site

Scores are computed as in the benchmark of article extraction: precision and recall of each page compare multisets of
4-grams of words (in lower case, without digits); F1 is computed from the means over all pages. A page with recall below
0.5 is a lost article.

The fit uses the marked pages with weight 1; a block of these is content if the marked article has most of its 5-grams.
It also uses, with weight 0.12, up to 60 pages of each SET (a folder with docs.jsonl.zst) that declare their main part;
the blocks in that part that are no links count as content. The script parses the markup itself, as a second
implementation of `text::outline` and `text::page_content::classify`, which use the printed weights. Needs numpy,
scikit-learn, zstandard.
"""

import io
import json
import math
import pathlib
import random
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import urlparse

INLINE = set(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rb ruby s samp small span strike "
    "strong sub sup time tt u var wbr".split()
)
DROPPED = set("script style noscript iframe noembed noframes template svg math".split())
VOID = set("area br col embed hr input link meta param source track img image base wbr".split())
LEFT_OPEN = set("p li dt dd tr td th thead tbody tfoot option optgroup".split())
FRAMES = set("nav footer aside menu select button dialog search".split())
FRAME_ROLES = set("navigation contentinfo search complementary dialog alertdialog".split())
WORD = re.compile(r"\w+")
NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
ENDS = ".!?:;\"”…。！？：；»"
MOST = 0.6
HINTS = {
    "comment": "comment comments disqus reply replies respond discussion",
    "related": "related recommend recommended recommendations more also popular trending recirc recent latest similar "
    "suggested teaser teasers promo promos upnext outbrain taboola carousel card cards",
    "boilerplate": "footer foot copyright legal disclaimer bottom ad ads advert advertisement sponsor sponsored newsletter "
    "subscribe signup subscription cta cookie cookies consent gdpr banner modal popup paywall share sharing social follow "
    "tools print nav navbar navigation menu breadcrumb breadcrumbs pagination pager toolbar sidebar aside widget widgets rail",
    "meta": "meta byline author date time tag tags caption credit category categories info bio source timestamp kicker",
    "text": "article story entry post body text content main prose paragraph copy",
}
GROUP = {word: group for group, words in HINTS.items() for word in words.split()}


def hints(names):
    return {GROUP[word.lower()] for word in NAME.findall(names) if word.lower() in GROUP}


def read(path):
    import zstandard

    with open(path, "rb") as file:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8")
        return [json.loads(line) for line in lines]


class Blocks(HTMLParser):
    """The blocks of a page, and the elements that contain them."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.containers = [{"tag": "", "names": "", "parent": 0, "role": "", "item": "", "hidden": False}]
        self.blocks, self.open, self.block, self.own = [], [], None, ("", "")
        self.dropped, self.depth, self.in_link, self.in_title = None, 0, False, False
        self.feed(html)
        self.close()
        self.blocks = [finished for block in self.blocks if (finished := finish(block))]

    def handle_starttag(self, tag, attributes):
        if self.dropped:
            self.depth += tag == self.dropped
            return
        values = {name: value or "" for name, value in attributes}
        if tag in INLINE:
            if tag == "a":
                self.in_link = "href" in values
            return
        self.block = None
        if tag in DROPPED:
            self.dropped, self.depth = tag, 1
        elif tag == "title":
            self.in_title = True
        elif tag not in VOID:
            names = values.get("class", "") + " " + values.get("id", "")
            self.own = (tag, names)
            if tag not in LEFT_OPEN:
                hidden = "hidden" in values or "display:none" in values.get("style", "").replace(" ", "")
                container = {"tag": tag, "names": names, "parent": self.open[-1][1] if self.open else 0, "hidden": hidden}
                container |= {"role": values.get("role", ""), "item": values.get("itemprop", "")}
                self.open.append((tag, len(self.containers)))
                self.containers.append(container)

    def handle_endtag(self, tag):
        if self.dropped:
            self.depth -= tag == self.dropped
            if self.depth == 0:
                self.dropped, self.block = None, None
        elif tag in INLINE:
            self.in_link &= tag != "a"
        else:
            self.block = None
            if tag == "title":
                self.in_title = False
            elif tag in LEFT_OPEN:
                self.own = ("", "")
            else:
                at = max((index for index, (name, _) in enumerate(self.open) if name == tag), default=None)
                if at is not None:
                    del self.open[at:]
                    self.own = ("", "")

    def handle_data(self, data):
        if self.dropped or self.in_title or (self.block is None and not data.strip()):
            return
        if self.block is None:
            self.block = {"parts": [], "container": self.open[-1][1] if self.open else 0, "own": self.own}
            self.blocks.append(self.block)
        self.block["parts"].append((data, self.in_link))


def units(text):
    return sum(1 if ord(letter) < 128 else 2 for word in WORD.findall(text) for letter in word)


def finish(block):
    text = "".join(part for part, _ in block["parts"])
    if not WORD.search(text):
        return None
    block["text"] = " ".join(text.split())
    block["units"] = units(text)
    block["links"] = sum(units(part) for part, is_link in block["parts"] if is_link)
    block["plain"] = block["units"] - block["links"]
    block["words"] = len(WORD.findall(text))
    block["ends"] = block["text"][-1] in ENDS
    is_link = 2 * block["links"] >= block["units"]
    block["prose"] = block["words"] >= 8 and not is_link and (block["units"] >= 60 or block["ends"])
    return block


def words(text):
    return [word for word in WORD.findall(text.lower()) if not any(letter.isdigit() for letter in word)]


def score(found, body):
    def grams(text):
        every = words(text)
        return Counter(tuple(every[at : at + 4]) for at in range(max(1, len(every) - 3))) if every else Counter()

    a, b = grams(found), grams(body)
    both = sum((a & b).values())
    return both / max(1, sum(a.values())), both / max(1, sum(b.values()))


def figures(scores):
    precision, recall = (sum(score[index] for score in scores) / len(scores) for index in (0, 1))
    lost = sum(recall < 0.5 for _, recall in scores)
    f1 = 2 * precision * recall / (precision + recall)
    return f"precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  lost articles {lost}"


def label(blocks, body):
    """Marks the blocks whose text is mostly in the article."""
    article = words(body)
    known = {tuple(article[at : at + 5]) for at in range(len(article) - 4)}
    lines = {" ".join(words(line)) for line in body.split("\n")}
    page = [(word, index) for index, block in enumerate(blocks) for word in words(block["text"])]
    covered = set()
    for at in range(len(page) - 4):
        if tuple(word for word, _ in page[at : at + 5]) in known:
            covered.update(range(at, at + 5))
    every, found = Counter(index for _, index in page), Counter(page[at][1] for at in covered)
    for index, block in enumerate(blocks):
        is_line = 0 < every[index] < 5 and " ".join(words(block["text"])) in lines
        block["is_content"] = is_line or 2 * found[index] > every[index]


def label_declared(blocks, containers):
    """Marks the blocks of the main part that a page declares. Returns their length."""
    for block in blocks:
        around, at = [], block["container"]
        while at:
            around.append(containers[at])
            at = containers[at]["parent"]
        is_main = any(one["tag"] in ("main", "article") or one["role"] == "main" for one in around)
        is_frame = any(one["tag"] in FRAMES or one["role"] in FRAME_ROLES for one in around)
        block["is_content"] = is_main and not is_frame and 2 * block["links"] < block["units"]
    return sum(block["units"] for block in blocks if block["is_content"])


def log(length):
    value = min(length, 1000) + 1
    digits = value.bit_length() - 1
    return digits + value / (1 << digits) - 1


LOCAL = (
    "length link_share sentence_end neighbour_length neighbour_prose paragraph list_item figure comment related boilerplate "
    "meta text frame header article inner_article main quote after_heading before_heading position"
).split()


def local_features(blocks, containers):
    for container in containers:
        container["hints"] = hints(container["names"])
        container["units"] = container["plain"] = 0
        first = re.sub(r"\d+", "", container["names"]).split()[:1]
        container["signature"] = f"{container['tag']}.{first[0]}" if first else ""
        is_frame = container["tag"] in FRAMES or container["role"] in FRAME_ROLES
        container["is_frame"] = is_frame or container["hidden"]
    for block in blocks:
        block["path"], at = [], block["container"]
        while at:
            block["path"].append(at)
            at = containers[at]["parent"]
        block["path"].append(0)
        for at in block["path"]:
            containers[at]["units"] += block["units"]
            containers[at]["plain"] += block["plain"]
    def group(container):
        return container["signature"], containers[container["parent"]]["signature"]

    siblings = Counter(group(one) for one in containers[1:] if one["units"] and one["signature"])
    everything, before = max(1, containers[0]["plain"]), 0
    heading = next((index for index, block in enumerate(blocks) if block["own"][0] == "h1"), None)
    rows = []
    for index, block in enumerate(blocks):
        path = [containers[at] for at in block["path"][:-1]]
        small = [one for one in path if one["plain"] < MOST * everything]
        hinted = set().union(*(one["hints"] for one in small)) if small else set()
        if block["own"][0] in LEFT_OPEN:
            hinted |= hints(block["own"][1])
        neighbours = [blocks[at] for at in (index - 1, index + 1) if 0 <= at < len(blocks)]
        articles = sum(one["tag"] == "article" for one in path)
        block["siblings"] = max([1] + [siblings[group(one)] for one in small if one["signature"]])
        is_main = any(one["tag"] == "main" or one["role"] == "main" or one["item"] == "articleBody" for one in path)
        rows.append([
            log(block["plain"]),
            block["links"] / block["units"],
            block["ends"],
            sum(log(one["plain"]) for one in neighbours) / 2,
            sum(one["prose"] for one in neighbours) / 2,
            block["own"][0] == "p",
            block["own"][0] == "li",
            any(one["tag"] in ("figure", "figcaption") for one in path),
            *(name in hinted for name in ("comment", "related", "boilerplate", "meta")),
            any("text" in one["hints"] for one in path[:2]),
            any(one["is_frame"] for one in small),
            any(one["tag"] == "header" for one in small),
            articles > 0,
            articles > 1 and any(one["tag"] == "article" for one in small),
            is_main,
            any(one["tag"] in ("blockquote", "table", "pre") for one in path),
            heading is not None and index > heading,
            heading is not None and index < heading,
            before / everything,
        ])
        before += block["plain"]
    return [[float(value) for value in row] for row in rows]


CONTEXT = "score neighbour_score depth distance between behind link_share".split()


def context_features(blocks, containers, scores):
    gains = [0.0] * len(containers)
    for block, one in zip(blocks, scores):
        gain = (min(1.0, max(0.0, 0.5 + 0.22 * one)) - 0.2) * block["units"]
        if gain > 0 and block["siblings"] >= 3:
            gain /= math.sqrt(block["siblings"])
        for at in block["path"]:
            gains[at] += gain
    main = max((at for at in range(len(containers)) if at == 0 or containers[at]["units"]), key=lambda at: (gains[at], at))
    distance, at = {}, main
    while True:
        distance[at] = len(distance)
        if at == 0:
            break
        at = containers[at]["parent"]
    clipped = [min(4.0, max(-4.0, one)) for one in scores]
    inside = [index for index, block in enumerate(blocks) if main in block["path"]]
    sure = [index for index in inside if scores[index] > 0.45 and blocks[index]["plain"] > 40] or inside
    rows = []
    for index, block in enumerate(blocks):
        around = [at for at in range(max(0, index - 2), min(len(blocks), index + 3)) if at != index]
        weights = [min(blocks[at]["units"], 300) + 10 for at in around]
        is_between, is_inside = sure[0] <= index <= sure[-1], main in block["path"]
        rows.append([
            clipped[index],
            sum(weight * clipped[at] for weight, at in zip(weights, around)) / max(1, sum(weights)),
            min(4, block["path"].index(main)) if is_inside else 0,
            min(5, distance[next(at for at in block["path"] if at in distance)]),
            is_between,
            index > sure[-1],
            block["links"] / block["units"] if is_between and is_inside else 0,
        ])
    return [[float(value) for value in row] for row in rows]


def logistic(rows, labels, weights, strength):
    """Fits the weights. Rare features are not scaled to deviation 1, so that none of them becomes a veto."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    rows = np.array(rows)
    scale, middle = np.maximum(rows.std(axis=0), 0.22), rows.mean(axis=0)
    model = LogisticRegression(C=strength, max_iter=3000).fit((rows - middle) / scale, labels, sample_weight=weights)
    factors = model.coef_[0] / scale
    constant = model.intercept_[0] - (factors * middle).sum()
    return lambda features: np.array(features) @ factors + constant, factors, constant


def fit(pages_path, sets):
    pages = []
    for page in read(pages_path):
        parsed = Blocks(page["html"])
        label(parsed.blocks, page["body"])
        pages.append((page, parsed, 1.0))
    draw = random.Random(3)
    for folder in sets:
        documents = [one for one in read(f"{folder}/docs.jsonl.zst") if one.get("html")]
        draw.shuffle(documents)
        hosts, taken = Counter(), 0
        for page in documents:
            host = urlparse(page.get("url") or "").hostname
            if hosts[host] >= 6 or not re.search(r"<main\b|role=[\"']?main|<article\b", page["html"], re.I):
                continue
            parsed = Blocks(page["html"])
            if label_declared(parsed.blocks, parsed.containers) < 300 or len(parsed.blocks) > 3000:
                continue
            hosts[host] += 1
            pages.append((page, parsed, 0.12))
            taken += 1
            if taken == 60:
                break
    local = [local_features(parsed.blocks, parsed.containers) for _, parsed, _ in pages]
    sites = [urlparse(page.get("url") or "").hostname or "" for page, _, _ in pages]
    order = sorted(set(sites))
    random.Random(1).shuffle(order)
    fold = {site: index % 10 for index, site in enumerate(order)}

    def examples(features, chosen):
        rows, labels, weights = [], [], []
        for index in chosen:
            _, parsed, weight = pages[index]
            lengths = [min(block["units"], 400) + 5 for block in parsed.blocks]
            rows += features[index]
            labels += [block["is_content"] for block in parsed.blocks]
            weights += [100 * weight * length / sum(lengths) for length in lengths]
        return rows, labels, weights

    def trained(chosen):
        context = [None] * len(pages)
        for part in range(4):
            of_others, _, _ = logistic(*examples(local, [at for n, at in enumerate(chosen) if n % 4 != part]), 0.02)
            for at in (at for n, at in enumerate(chosen) if n % 4 == part):
                parsed = pages[at][1]
                context[at] = context_features(parsed.blocks, parsed.containers, of_others(local[at]))
        return logistic(*examples(local, chosen), 0.02), logistic(*examples(context, chosen), 0.05)

    scores = []
    for held_out in range(10):
        (of_local, _, _), (of_context, _, _) = trained([at for at, site in enumerate(sites) if fold[site] != held_out])
        for at, site in enumerate(sites):
            page, parsed, _ = pages[at]
            if fold[site] == held_out and "body" in page:
                final = of_context(context_features(parsed.blocks, parsed.containers, of_local(local[at])))
                found = "\n".join(block["text"] for block, one in zip(parsed.blocks, final) if one > 0)
                scores.append(score(found, page["body"]))
    print("cross-validated by site, without the fail-safe:", figures(scores))
    for names, (_, factors, constant) in zip((LOCAL, CONTEXT), trained(range(len(pages)))):
        print(f"constant: {constant:.3f}")
        for name, factor in zip(names, factors):
            print(f"{name}: {factor:.3f}")


def score_command(nddb, pages_path):
    pages = read(pages_path)
    lines = "".join(json.dumps({"id": page["id"], "html": page["html"], "url": page["url"]}) + "\n" for page in pages)
    done = subprocess.run([nddb, "text", "--jsonl", "-"], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    texts = {one["id"]: one["text"] for one in map(json.loads, done.stdout.splitlines())}
    print(figures([score(texts[page["id"]], page["body"]) for page in pages]))


EXTRACTORS = pathlib.Path(__file__).parent / "compare" / "extractors" / "Cargo.toml"


def extractors(pages_path, worst):
    """Builds compare/extractors, and prints quality and speed of its extractors."""
    pages = {page["id"]: page for page in read(pages_path)}
    lines = "".join(json.dumps({key: page[key] for key in ("id", "html", "url")}) + "\n" for page in pages.values())
    run = ["cargo", "run", "--release", "--quiet", "--manifest-path", EXTRACTORS]
    done = subprocess.run(run, input=lines.encode(), stdout=subprocess.PIPE, check=True)
    found = {}
    for line in map(json.loads, done.stdout.splitlines()):
        found.setdefault(line["extractor"], {})[line["id"]] = line
    size = sum(len(page["html"].encode()) for page in pages.values()) / 1e6
    scores = {}
    for name, lines in found.items():
        scores[name] = {key: score(line["text"], pages[key]["body"]) for key, line in lines.items()}
        seconds = sum(line["seconds"] for line in lines.values())
        print(f"{name:28}{figures(list(scores[name].values()))}  {size / seconds:.1f} MB a CPU second")
    for key in sorted(pages, key=lambda key: math.prod(scores["nddb"][key]))[:worst]:
        told = ", ".join(f"{name} {each[key][0]:.2f} {each[key][1]:.2f}" for name, each in scores.items())
        print(f"\n{pages[key]['url']}\n  precision and recall: {told}")
        lines, body = found["nddb"][key]["text"].split("\n"), pages[key]["body"].split("\n")
        show("not of the article", lines, pages[key]["body"])
        show("lacking", body, found["nddb"][key]["text"])


def show(what, lines, text):
    """Prints the lines that are mostly absent from a text, the longest first."""
    known = set(zip(*(words(text)[at:] for at in range(3)), strict=False))
    for line in sorted(lines, key=len, reverse=True):
        every = words(line)
        grams = list(zip(*(every[at:] for at in range(3)), strict=False))
        if len(grams) > 1 and 2 * sum(gram in known for gram in grams) < len(grams):
            print(f"  {what} ({len(every)} words): {line[:160]}")


def main():
    match sys.argv[1:]:
        case ["score", nddb, pages]:
            score_command(nddb, pages)
        case ["extractors", pages, *worst]:
            extractors(pages, int(*worst or [0]))
        case ["fit", pages, *sets]:
            fit(pages, sets)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
