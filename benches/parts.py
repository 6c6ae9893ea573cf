#!/usr/bin/env python3
"""Measures how well passages in common are found, and what that costs.

    parts.py NDDB [--windows 4,8,12,16,24] [--seed 1] [--why] [--beside]

NDDB is the program; times mean something from a release build only. All texts are made of the documentation in Python's
standard library: pages of 300 to 900 words from the docstrings of its modules, test items from its language reference.

1. *planted*: 210 items, each a question of 45 words and an answer of 20, are put into 210 of 283 pages: 70 whole, 70
   questions alone, 70 questions with a word in ten exchanged. `against pages items --parts` should name these pages and
   none of the 73 others. The other way, `against items pages.nddb --parts` for each window of `create --parts`. With
   --beside also by decon (`pip install decontaminate`, Python 3.12) and datatrove (`pip install datatrove spacy`).
2. *short in long*: 103 texts of 60 to 150 words, each inside of a longer page.
3. *edited*: 200 passages of 80 words of stored pages, with 5% of the words exchanged, between other words.
4. *verbatim*: passages of 15, 20, 30 and 50 words.
5. Bytes a document and seconds of loading, with parts and without, and microseconds of `against` a page.
"""

import argparse
import ast
import json
import random
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from pydoc_data.topics import topics


def docstrings():
    """The docstrings of the standard library, each once, as lists of words; those of pdb are in the reference, too."""
    seen = set()
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" in path.parts or "test" in path.parts or "pydoc_data" in path.parts or path.name == "pdb.py":
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                words = words_of(ast.get_docstring(node) or "")
                if len(words) >= 20 and tuple(words[:20]) not in seen:
                    seen.add(tuple(words[:20]))
                    yield words


def words_of(text):
    return re.findall(r"[A-Za-z]+(?:['-][A-Za-z]+)*", text)


def edited(words, share, rng, others):
    """Exchanges this share of the words, at random places, for words from elsewhere."""
    words = list(words)
    for at in rng.sample(range(len(words)), round(share * len(words))):
        words[at] = rng.choice(others)
    return words


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, Path(folder)

    def run(self, *args):
        """Runs a command; returns its lines and its CPU seconds."""
        before = time.process_time_ns(), _children()
        out = subprocess.run([self.path, *map(str, args)], cwd=self.folder, capture_output=True)
        if out.returncode not in (0, 3):
            sys.exit(f"{args}: {out.stderr.decode()}")
        return [json.loads(line) for line in out.stdout.splitlines() if line.startswith(b"{")], _children() - before[1]

    def write(self, name, documents):
        lines = (json.dumps({"id": key, "text": " ".join(words)}) + "\n" for key, words in documents.items())
        (self.folder / name).write_text("".join(lines))
        return name

    def database(self, name, documents, *flags):
        """Loads documents into a new database; returns the CPU seconds and the bytes on disk."""
        self.run("create", name, *flags)
        _, seconds = self.run("load", name, documents)
        self.run("compact", name)
        return seconds, sum(path.stat().st_size for path in (self.folder / name).rglob("*") if path.is_file())

    def found(self, a, b, *flags):
        """Returns the ids of the documents found for each document of a."""
        lines, seconds = self.run("against", a, b, "--parts", *flags)
        return {line["query"]: [match["id"] for match in line["matches"]] for line in lines}, seconds


def _children():
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def by_decon(folder, pages, items):
    """The pages that decon finds, each item as a question and its answer."""
    import decon

    for name, lines in {
        "pages": ({"id": key, "text": " ".join(words)} for key, words in pages.items()),
        "items": (
            {"eval_key": "items", "eval_instance_index": index, "split": "test", "doc_id": index + 1, "is_correct": True,
             "fingerprint": key, "question": " ".join(words[:45]), "answer": " ".join(words[45:])}
            for index, (key, words) in enumerate(items.items())
        ),
    }.items():
        (folder / name).mkdir()
        (folder / name / "all.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    reports = Path(decon.detect(decon.Config(str(folder / "pages"), str(folder / "items"), str(folder / "reports"))))
    lines = [json.loads(line) for path in reports.rglob("*.jsonl") for line in path.read_text().splitlines()]
    return {list(pages)[line["training_line"]] for line in lines}


def by_datatrove(folder, pages, items):
    """The pages that datatrove's n-gram decontamination drops: 12 words of a question, an answer or both."""
    import numpy
    from datatrove.data import Document
    from datatrove.pipeline.decont import NGramsDecontConfig, NGramsDecontFilter, NGramsDecontIndexer
    from datatrove.utils.hashing import HashConfig

    how = NGramsDecontConfig(find_query_ngrams=True, hash_config=HashConfig(hash_fc="sha1"))
    # lighteval has tasks of its own.
    NGramsDecontIndexer._requires_dependencies = []
    index = NGramsDecontIndexer(str(folder), config=how)
    hashes = [
        key for words in items.values() for key in index.compute_hashes(" ".join(words[45:]), " ".join(words[:45]))
    ]
    numpy.array(hashes, dtype=how.hash_config.np_descr).tofile(folder / "items.index.hashes")
    kept = NGramsDecontFilter(str(folder), config=how)
    return {key for key, words in pages.items() if kept.filter(Document(text=" ".join(words), id=key)) is not True}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nddb", type=Path)
    parser.add_argument("--windows", default="4,8,12,16,24")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--why", action="store_true", help="show what is found in pages without an item")
    parser.add_argument("--beside", action="store_true", help="the planted items by decon and datatrove, too")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    prose = [word for words in docstrings() for word in words]
    reference = [word for text in topics.values() for word in words_of(text)]
    print(f"{len(prose):,} words for pages, {len(reference):,} for items; seed {args.seed}")
    at = 0
    pages = {}
    while len(pages) < 330:
        size = rng.randint(300, 900)
        pages[f"page-{len(pages)}"] = prose[at : at + size]
        at += size
    starts = rng.sample(range(0, len(reference) - 65, 65), 210)
    items = {f"item-{index}": reference[start : start + 65] for index, start in enumerate(starts)}
    kinds = ["with answer", "bare question", "edited question"]
    planted, kind_of = {}, {}
    for index, (key, words) in enumerate(pages.items()):
        if index < 283:
            planted[key] = words
        if index < 210:
            item, kind_of[key] = items[f"item-{index}"], kinds[index % 3]
            text = [item, item[:45], edited(item[:45], 0.1, rng, prose)][index % 3]
            place = rng.randint(20, len(words) - 20)
            planted[key] = words[:place] + text + words[place:]
    with tempfile.TemporaryDirectory() as folder:
        program = Program(args.nddb.resolve(), folder)
        files = program.write("pages.jsonl", planted), program.write("items.jsonl", items)
        found, seconds = program.found(*files)
        _, idle = program.found(files[1], files[1], "--limit", "1")
        right = {key for key, ids in found.items() if f"item-{key.removeprefix('page-')}" in ids}
        of_kind = [sum(kind_of.get(key) == kind for key in right) for kind in kinds]
        clean = sum(key not in kind_of for key in found)
        if args.why:
            lines, _ = program.run("against", *files, "--parts", "--why")
            for line in (line for line in lines if line["query"] not in kind_of):
                passages = [passage for match in line["matches"] for passage in match["passages"]]
                print(line["query"], [passage["query_text"] for passage in passages])
        per_page = 1e6 * (seconds - idle) / len(planted)
        print(f"planted, pages against items: {of_kind} of 70 each, {clean} of 73 clean, {per_page:.0f} us a page")
        for tool in [by_decon, by_datatrove] if args.beside else []:
            tools = Path(tempfile.mkdtemp(dir=folder))
            before = time.process_time()
            try:
                named = tool(tools, planted, items)
            except ImportError as error:
                print(f"{tool.__name__}: {error}")
                continue
            of_kind = [sum(kind_of.get(key) == kind for key in named) for kind in kinds]
            clean, each = sum(key not in kind_of for key in named), 1e6 * (time.process_time() - before) / len(planted)
            print(f"{tool.__name__}: {of_kind} of 70 each, {clean} of 73 clean, {each:.0f} us a page, loading included")
        plain_seconds, plain_bytes = program.database("plain.nddb", files[0])
        shorts = {f"short-{n}": prose[at + 160 * n :][: rng.randint(60, 150)] for n in range(103)}
        longs = dict(planted)
        for (key, words), (_, page) in zip(shorts.items(), planted.items()):
            longs[f"long-{key}"] = page[:100] + words + page[100:]
        stored = [(key, words) for key, words in pages.items() if len(words) > 300]
        cuts = {}
        for size in (15, 20, 30, 50, 80):
            for index in range(200):
                key, words = rng.choice(stored[:283])
                start = rng.randint(0, len(words) - size)
                cut = words[start : start + size]
                cut = edited(cut, 0.05, rng, reference) if size == 80 else cut
                around = [reference[(place := rng.randint(0, len(reference) - 200)) : place + 150] for _ in "ab"]
                cuts[f"{size}-{index}"] = (key, around[0] + cut + around[1])
        program.write("cuts.jsonl", {key: words for key, (_, words) in cuts.items()})
        program.write("longs.jsonl", longs)
        program.write("shorts.jsonl", shorts)
        program.write("stored.jsonl", dict(stored))
        print("| --parts | bytes a page more | load | with answer | bare | edited | short in long | 15 | 20 | 30 | 50 "
              "| 80, 5% edited |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        for window in args.windows.split(","):
            flag = f"--parts={window}"
            seconds, size = program.database(f"{window}.nddb", files[0], flag)
            backward, _ = program.found(files[1], f"{window}.nddb")
            hits = [0, 0, 0]
            for key, ids in backward.items():
                index = int(key.removeprefix("item-"))
                hits[index % 3] += f"page-{index}" in ids
            program.database(f"longs{window}.nddb", "longs.jsonl", flag)
            inside, _ = program.found("shorts.jsonl", f"longs{window}.nddb")
            short = sum(f"long-{key}" in ids for key, ids in inside.items())
            program.database(f"stored{window}.nddb", "stored.jsonl", flag)
            passages, _ = program.found("cuts.jsonl", f"stored{window}.nddb", "--min-words", "10")
            recall = [
                sum(cuts[key][0] in passages.get(key, []) for key in cuts if key.startswith(f"{size}-")) / 200
                for size in (15, 20, 30, 50, 80)
            ]
            more = (size - plain_bytes) / len(planted)
            print(f"| {window} | {more:.0f} | {seconds / plain_seconds:.2f} x | " + " | ".join(map(str, hits))
                  + f" | {short} | " + " | ".join(f"{share:.3f}" for share in recall) + " |")


if __name__ == "__main__":
    main()
