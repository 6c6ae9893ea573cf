"""Made collections with what is hard: hot groups, repeated ids, equal texts of unequal pages."""

import json
import random

WORDS = [a + b + c for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "r", "l", "sk", "t")]


def page(rng, words, number, html=None):
    """A page as a line of JSON; `html` frames the text."""
    text = " ".join(words)
    made = {"id": f"page-{number}", "url": f"https://www.example{rng.randrange(3)}.org/{number}"}
    if html is None:
        made["text"] = text
    else:
        made["html"] = f"<html><head><title>{html}</title></head><body><h1>{html}</h1><p>{text}</p></body></html>"
    return made


def crawl(seed, count, first=0):
    """Makes pages: near-duplicates and copies of earlier ones, a template that many share, and texts without words."""
    rng = random.Random(seed)
    template = rng.choices(WORDS, k=120)
    texts, made = [], []
    for number in range(first, first + count):
        kind = rng.random()
        html = None
        if texts and kind < 0.25:
            words = list(rng.choice(texts))
            for _ in range(rng.randrange(5)):
                if words:
                    words[rng.randrange(len(words))] = rng.choice(WORDS)
        elif texts and kind < 0.4:
            words = list(rng.choice(texts))
        elif kind < 0.65:
            # One text but for two words: all share keys.
            words = list(template)
            words[rng.randrange(120)] = rng.choice(WORDS)
            words[rng.randrange(120)] = rng.choice(WORDS)
        elif kind < 0.7:
            words = rng.choices(WORDS, k=rng.randrange(12))
            html = rng.choice(["Red", "Blue"])
        elif kind < 0.72:
            words = []
        else:
            words = rng.choices(WORDS, k=rng.randrange(80, 200))
            html = rng.choice([None, "Fox", "Whale"])
        texts.append(words)
        # Sometimes the same text in another frame.
        if kind > 0.2 and kind < 0.3:
            html = rng.choice(["Fox", "Hen"])
        made.append(page(rng, words, number, html))
        if rng.random() < 0.05 and len(made) > 3:
            # An id comes again, with the same content or another.
            again = dict(rng.choice(made))
            if rng.random() < 0.5:
                again = page(rng, rng.choice(texts), int(again["id"].split("-")[1]))
            made.append(again)
    return made


def quoting(seed, count):
    """Pages with texts, of which some have a passage in common, all a footer, and some are copies."""
    rng = random.Random(seed)
    footer = " ".join(rng.choices(WORDS, k=15))
    made = list({page["id"]: page for page in crawl(seed, count) if page.get("text")}.values())
    for page in made:
        if rng.random() < 0.4:
            words = rng.choice(made)["text"].split()
            start = rng.randrange(len(words))
            page["text"] += " " + " ".join(words[start : start + rng.randrange(10, 60)])
        page["text"] += " " + footer
    return made


def write(folder, name, pages, parts):
    """Writes pages into so many archives, and returns their paths."""
    paths = []
    for part in range(parts):
        path = folder / f"{name}-{part}.jsonl"
        lines = pages[part * len(pages) // parts : (part + 1) * len(pages) // parts]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        paths.append(path)
    return paths
