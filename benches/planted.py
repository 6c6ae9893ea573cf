#!/usr/bin/env python3
"""Prints which planted edits are found and removed, by language, length and share of edited words.

    planted.py NDDB TEXTS.warc.wet.gz [--pairs 8] [--seed 1]

The texts are stretches of the long lines of a WET file (of many sites), without numbers and without words of capitals:
plain prose. The language is told by the letters, and in Latin script by the commonest words. Each stretch has a copy in
which 1, 3, 5 or 10% of its words, at random places, are replaced by other words of the language, none of them a
negation: those of src/verdict/loss/kinds.rs. In scripts without spaces a word is two characters, in Thai four, whatever
words they belong to, so that an edit often changes two words there. Stretches do not overlap; where the words of a language are
used up, texts are made of them by drawing for each word one that follows it somewhere. The languages are the eight with
the most words, and Thai. Each table has the lengths in words as rows and prints for each
share `found/removed`: shares of the pairs that `nddb pairs` prints, and of the copies (or originals) that `nddb cluster`
removes by the level standard. Standard library only.
"""

import argparse
import gzip
import json
import random
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

LENGTHS = [30, 100, 300, 1000, 5000]
SHARES = [0.01, 0.03, 0.05, 0.10]
SCRIPTS = [
    ("ja", "[\u3041-\u30ff]"),
    ("zh", "[\u4e00-\u9fff]"),
    ("th", "[\u0e00-\u0e7f]"),
    ("ar", "[\u0600-\u06ff]"),
    ("ru", "[\u0400-\u04ff]"),
    ("el", "[\u0370-\u03ff]"),
    ("he", "[\u0590-\u05ff]"),
    ("hi", "[\u0900-\u097f]"),
    ("ko", "[\uac00-\ud7af]"),
]
WORDS = {
    "en": "the and of to in is that for it with as was on are by this",
    "de": "der die und das ist nicht ein eine mit auf für den von zu sich dem",
    "fr": "le la les des et est une dans que qui pour du sur pas au avec",
    "es": "el los las y que una por con para del se es en su como más",
    "it": "il che di e una per con non sono del della gli dei nel alla più",
    "pt": "o que e do da em um para com não uma os no se na por dos",
    "pl": "w na nie się z do że jest to po od jak dla za przez",
    "vi": "và của là có trong được cho không các với một những người này",
    "tr": "ve bir bu için ile da de olarak olan daha çok gibi sonra",
}
SIZES = {"ja": 2, "zh": 2, "th": 4}
NO_WORD = re.compile(r"\d|^[^\W\d_]*[A-Z]{2}|^[\W_]*$")
KINDS = Path(__file__).resolve().parent.parent / "src/verdict/loss/kinds.rs"
NEGATIONS = set(re.findall('^    "(.+)",$', KINDS.read_text(encoding="utf-8"), re.MULTILINE))


def language(line):
    """Returns the language of a line, or None if it is not clear."""
    letters = sum(c.isalpha() for c in line)
    for name, script in SCRIPTS:
        if len(re.findall(script, line)) > (0.2 if name == "ja" else 0.6) * letters:
            return name
    words = re.findall(r"[^\W\d_]+", line.lower())
    known = {name: sum(word in common.split() for word in words) for name, common in WORDS.items()}
    best = sorted(known, key=known.get)[-2:]
    return best[1] if words and known[best[1]] > max(0.15 * len(words), 1.5 * known[best[0]]) else None


def pools(path):
    """Returns the words of each language, in the order of the pages."""
    found, seen = defaultdict(list), set()
    for line in gzip.open(path, "rt", encoding="utf-8", errors="replace"):
        line = line.strip()
        if len(line.encode()) < 90 or line in seen or not (name := language(line)):
            continue
        seen.add(line)
        units = re.findall(r"[^\s\d]{1,%d}" % SIZES[name], line) if name in SIZES else line.split()
        found[name] += [unit for unit in units if not NO_WORD.search(unit)]
    return found


def negates(word, name):
    """Returns whether a word negates, or has a character that does where words are not told apart."""
    word = re.sub(r"[^\w'’]", "", word.lower())
    return any(one in word for one in NEGATIONS) if name in SIZES else word in NEGATIONS or word[-3:] in ("n't", "n’t")


def planted(pool, name, count, chance):
    """Yields the pairs of a language: length, share, original and copy."""
    join = "".join if name in SIZES else " ".join
    followers = defaultdict(list)
    for word, following in zip(pool, pool[1:] + pool[:1]):
        followers[word].append(following)

    def made(length):
        word = chance.choice(pool)
        for _ in range(length):
            yield word
            word = chance.choice(followers[word])

    at, harmless = 0, [word for word in pool if not negates(word, name)]
    for length in LENGTHS:
        for share in SHARES:
            for _ in range(count):
                text = pool[at : at + length] if at + length <= len(pool) else list(made(length))
                at += length
                copy = text[:]
                places = [place for place in range(length) if not negates(text[place], name)]
                for place in chance.sample(places, max(1, round(share * length))):
                    while copy[place] == text[place]:
                        copy[place] = chance.choice(harmless)
                yield length, share, join(text), join(copy)


def run(nddb, *arguments):
    return subprocess.run([nddb, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nddb")
    parser.add_argument("texts", type=Path)
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    all_pools = pools(arguments.texts)
    names = sorted(all_pools, key=lambda name: -len(all_pools[name]) * (name != "th"))[:8] + ["th"] * ("th" in all_pools)
    with tempfile.TemporaryDirectory() as folder:
        docs, db, out = (Path(folder) / name for name in ("docs.jsonl", "db", "out"))
        pairs = {}
        with open(docs, "w", encoding="utf-8") as file:
            for name in names:
                made = planted(all_pools[name], name, arguments.pairs, random.Random(f"{arguments.seed} {name}"))
                for number, (length, share, *texts) in enumerate(made):
                    ids = [f"{name}-{number}-{side}" for side in "ab"]
                    pairs[tuple(ids)] = (name, length, share)
                    for id, text in zip(ids, texts):
                        file.write(json.dumps({"id": id, "text": text}) + "\n")
        run(arguments.nddb, "create", db, "--keep-words")
        run(arguments.nddb, "load", db, docs)
        lines = [json.loads(line) for line in run(arguments.nddb, "pairs", db, "--expand").splitlines()]
        found = {tuple(sorted((line["a"], line["b"]))) for line in lines if "a" in line}
        run(arguments.nddb, "cluster", db, "-o", out)
        removed = set((out / "remove.txt").read_text(encoding="utf-8").split())
    for name in [*names, "all"]:
        words = f", {len(all_pools[name]):,} words" if name != "all" else ""
        print(f"{name}{words}\n| words | " + " | ".join(f"{share:.0%}" for share in SHARES) + " |")
        print("|" + "---|" * (len(SHARES) + 1))
        for length in LENGTHS:
            cells = []
            for share in SHARES:
                here = [ids for ids, of in pairs.items() if of[1:] == (length, share) and name in ("all", of[0])]
                near = sum(ids in found for ids in here)
                gone = sum(not removed.isdisjoint(ids) for ids in here)
                cells.append(f"{near / len(here):.2f}/{gone / len(here):.2f}" if here else "-")
            print(f"| {length:,} | " + " | ".join(cells) + " |")
        print()


if __name__ == "__main__":
    main()
