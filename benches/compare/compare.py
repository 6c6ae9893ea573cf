#!/usr/bin/env python3
"""Runs common tools and nddb on labelled sets, and writes one table for each.

    cargo build --release -p nddb-cli && cargo build --release --example main_text
    compare.py SET... --nddb target/release/nddb --main-text target/release/examples/main_text > tables.md

SET is a folder with `docs.jsonl` or `docs.jsonl.zst` (read by the command zstd) and `pairs.tsv`, as `nddb eval` reads
them. Each tool gets a virtual environment of its own under --work, with the versions below from PyPI; a tool that
cannot be installed, or fails, has the reason in its row. tools.py describes the settings of each tool. Each tool runs
on two kinds of texts of the pages:

- `trafilatura`: the text that trafilatura extracts with its defaults (plain text documents stay unchanged);
- `nddb`: the main content by nddb, as text (needs `--main-text`).

nddb runs on the pages, and on the text by trafilatura. Columns: precision, recall and F1 on the labelled pairs; the
number of pairs found, where each two documents of a cluster are a pair; CPU seconds (user and system) of the extraction
and of the tool without its imports, or of the whole nddb command; greatest resident memory of an extraction or tool
process, in MB. Everything except CPU and memory is the same for the same input.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from score import Counts, Found, decimal, read_json_lines, read_labels
from tools import THRESHOLDS

HERE = Path(__file__).resolve().parent

# The packages of each tool; the second list has requirements that its own metadata omits.
PACKAGES = {
    "trafilatura": ["trafilatura==2.3.1", "lxml_html_clean==0.4.6"],
    "datasketch": ["datasketch==2.0.0"],
    "rensa": ["rensa==0.5.0"],
    "text-dedup": ["text-dedup==0.4.0"],
    "datatrove": ["datatrove==0.10.1", "spacy==3.8.18", "tokenizers==0.23.3", "regex==2026.11.15", "xxhash==3.8.2"],
}

# Rows: the name in tools.py, its environment, and its label in the table.
ROWS = [
    *((f"datasketch-1-{at}", "datasketch", f"datasketch, words, {at}") for at in THRESHOLDS),
    *((f"datasketch-5-{at}", "datasketch", f"datasketch, 5 words, {at}") for at in THRESHOLDS),
    *((f"rensa-{at}", "rensa", f"rensa, words, {at}") for at in THRESHOLDS),
    ("text-dedup", "text-dedup", "text-dedup, 5 words, .7"),
    ("datatrove", "datatrove", "datatrove, 5 words, 14 x 8"),
]


class Failed(Exception):
    """A tool that cannot be installed, or fails."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def measured(command, output, log, **options):
    """Runs a command with its stdout in a file; returns its CPU seconds, children included, and its memory in MB."""
    with open(output, "wb") as out, open(log, "wb") as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors, **options)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        last = log.read_text(errors="replace").strip().splitlines()[-1:]
        raise Failed(f"ended with {process.returncode}: {' '.join(last)}"[:160])
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def environments(folder, wanted):
    """Creates missing environments; returns the Python of each environment, or the reason why there is none."""
    pythons = {}
    for name in wanted:
        python, log = folder / name / "bin" / "python", folder / f"{name}.log"
        done = folder / name / "installed"
        try:
            if not done.exists() or done.read_text() != "\n".join(PACKAGES[name]):
                say(f"installing {' '.join(PACKAGES[name])}")
                folder.mkdir(parents=True, exist_ok=True)
                measured([sys.executable, "-m", "venv", "--clear", folder / name], os.devnull, log)
                pip = [python, "-m", "pip", "install", "--prefer-binary", *PACKAGES[name]]
                measured(pip, os.devnull, log)
                done.write_text("\n".join(PACKAGES[name]))
            pythons[name] = python
        except Failed as failed:
            pythons[name] = f"cannot be installed: {failed}"
    return pythons


def run_tool(name, python, texts, output, folder):
    """Runs a tool in its environment; returns CPU seconds without imports, memory in MB, and empty texts."""
    if isinstance(python, str):
        raise Failed(python)
    folder.mkdir(parents=True)
    # A fixed seed: no result may depend on the hashes of strings.
    environment = {**os.environ, "PYTHONHASHSEED": "0", "HF_HOME": str(folder / "hf"), "TMPDIR": str(folder)}
    told = folder / "told"
    command = [python, HERE / "tools.py", name, texts, output, folder]
    cpu, memory = measured(command, told, folder / "log", env=environment)
    last = json.loads(told.read_text().strip().splitlines()[-1])
    return cpu - last["imports"], memory, last["empty"]


def scores(labels, found):
    counts = Counts()
    for a, b, is_near, *_ in labels:
        counts.add((a, b) in found, is_near)
    return [*map(decimal, counts.scores()), f"{len(found):,}"]


def nddb_row(nddb, docs, pairs, method, folder):
    """Runs `nddb eval` by a method; returns scores, CPU and memory."""
    folder.mkdir(parents=True)
    command = [nddb, "eval", "--docs", docs, "--pairs", pairs, "--methods", method, "--json", "--progress", "off"]
    cpu, memory = measured(command, folder / "eval", folder / "log")
    found = json.loads((folder / "eval").read_text())
    return [*(decimal(found[key]) for key in ("precision", "recall", "f1")), f"{found['pairs']:,}"], cpu, memory


def compare(folder, arguments, pythons, work):
    """Yields the lines of the table of a set."""
    source = next((folder / name for name in ("docs.jsonl", "docs.jsonl.zst") if (folder / name).exists()), None)
    if not source:
        sys.exit(f"{folder}: neither docs.jsonl nor docs.jsonl.zst")
    labels = read_labels(folder / "pairs.tsv")
    pairs, wanted = folder / "pairs.tsv", None
    work.mkdir(parents=True)
    if arguments.pairs:
        labels = labels[: arguments.pairs]
        wanted = {id for a, b, *_ in labels for id in (a, b)}
        pairs = work / "pairs.tsv"
        rows = (f"{a}\t{b}\t{int(is_near)}\n" for a, b, is_near, *_ in labels)
        pairs.write_text("id1\tid2\tlabel\n" + "".join(rows), encoding="utf-8")
    docs, urls = work / "docs.jsonl", {}
    with open(docs, "w", encoding="utf-8") as file:
        for document in read_json_lines(source):
            if wanted is not None and document["id"] not in wanted:
                continue
            kept = {key: document[key] for key in ("id", "url", "html", "text") if key in document}
            urls[document["id"]] = document.get("url")
            file.write(json.dumps(kept) + "\n")
    near = sum(label[2] for label in labels)
    counted = f"{len(urls):,} documents, {near:,} near-duplicate pairs and {len(labels) - near:,} others"
    yield f"**{folder.resolve().name}**: {counted}"
    yield ""
    yield "| tool | text | P | R | F1 | pairs in all | CPU s: text, tool | MB |"
    yield "|---|---|---|---|---|---|---|---|"

    texts, notes = {}, []

    def extracted(name, extract):
        try:
            cpu, memory, empty = extract(work / f"{name}.jsonl")
            texts[name] = (work / f"{name}.jsonl", cpu, memory)
            notes.append(f"{name} found no text in {empty:,} documents")
        except Failed as failed:
            notes.append(f"{name}'s text: {failed}")

    def ours(output):
        with open(docs, "rb") as pages:
            cpu, memory = measured([arguments.main_text], output, work / "main-text.log", stdin=pages)
        return cpu, memory, sum(not document["text"].strip() for document in read_json_lines(output))

    say(f"{folder.resolve().name}: texts")
    extracted("trafilatura", lambda output: run_tool("extract", pythons["trafilatura"], docs, output, work / "extract"))
    if arguments.main_text:
        extracted("nddb", ours)
    else:
        notes.append("no --main-text: the tools did not run on nddb's main content")

    for text, (path, text_cpu, text_memory) in texts.items():
        for name, environment, title in ROWS:
            say(f"{folder.resolve().name}: {name} on {text}")
            output = work / f"{name}-{text}.tsv"
            try:
                cpu, memory, _ = run_tool(name, pythons[environment], path, output, work / f"{name}-{text}")
                with open(output, encoding="utf-8") as lines:
                    found = scores(labels, Found(lines))
                cells = [*found, f"{text_cpu:.1f}, {cpu:.1f}", f"{max(memory, text_memory):.0f}"]
            except Failed as failed:
                cells = [str(failed).replace("|", "/"), "", "", "", "", ""]
            yield f"| {title} | {text} | {' | '.join(cells)} |"

    say(f"{folder.resolve().name}: nddb")
    inputs = [("pages", docs, 0)]
    if "trafilatura" in texts:
        path, cpu, _ = texts["trafilatura"]
        with open(work / "texts.jsonl", "w", encoding="utf-8") as file:
            for document in read_json_lines(path):
                file.write(json.dumps(document | {"url": urls[document["id"]]}) + "\n")
        inputs.append(("trafilatura", work / "texts.jsonl", cpu))
    # Other tools say what is near; nddb also what of it the level standard removes.
    ways = [("nddb", "model:level=none"), ("nddb, near and removed", "model")]
    for (title, method), (text, path, text_cpu) in itertools.product(ways, inputs):
        to = work / f"nddb-{text}-{method.replace(':', '-')}"
        found, cpu, memory = nddb_row(arguments.nddb, path, pairs, method, to)
        cpu = f"{text_cpu:.1f}, {cpu:.1f}" if text_cpu else f"{cpu:.1f}"
        yield f"| **{title}** | {text} | {' | '.join(found)} | {cpu} | {memory:.0f} |"
    yield ""
    yield "; ".join(notes) + "."
    yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--nddb", required=True, type=Path, help="the command")
    parser.add_argument("--main-text", type=Path, help="the example main_text")
    parser.add_argument("--pairs", type=int, metavar="N", help="only the first N labelled pairs, and their documents")
    parser.add_argument("--work", type=Path, default=Path("target/compare"), help="for environments and outputs")
    arguments = parser.parse_args()
    for name in ("nddb", "main_text"):
        if path := getattr(arguments, name):
            setattr(arguments, name, path.resolve(strict=True))
    environments_folder = arguments.work.resolve() / "environments"
    pythons = environments(environments_folder, PACKAGES)
    work = arguments.work.resolve() / time.strftime("run-%Y%m%d-%H%M%S")
    for number, folder in enumerate(arguments.sets):
        for line in compare(folder, arguments, pythons, work / str(number)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
