#!/usr/bin/env python3
"""From lines of JSON to the list of kept documents: nddb and rensa, by CPU time, in turns.

    keep_list.py --nddb target/release/nddb [--python PYTHON] [--documents 200000] [--rounds 3] [--work DIR]

Makes documents of 2.1 KB, a fifth of which repeat an earlier one with a few words changed, and measures each tool as a
process of its own, its start included: CPU seconds (user and system), seconds by the clock, and the greatest resident
memory in MB; the table has medians. rensa reads the lines with json, sketches the words of a thousand texts at a time,
and passes each sketch to its RMinHashDeduplicator (threshold 0.8, 128 permutations), as its README does. nddb runs
`dedup` with its defaults, and `create`, `load` and `cluster`, of a database that stays; with a PYTHON that has nddb and
pyarrow also `nddb.dedup` of a table that is made of the lines, whose own share is printed. rensa is installed into DIR.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from same_job import METER

RENSA = """
import json, sys
from rensa import RMinHash, RMinHashDeduplicator
kept, out = RMinHashDeduplicator(threshold=0.8, num_perm=128, use_lsh=True, seed=42), open(sys.argv[2], "w")
def add(ids, texts):
    for id, sketch in zip(ids, RMinHash.from_token_sets(texts, num_perm=128, seed=42)):
        if kept.add(id, sketch):
            out.write(id + "\\n")
ids, texts = [], []
for line in open(sys.argv[1], encoding="utf-8"):
    row = json.loads(line)
    ids.append(row["id"])
    texts.append(row["text"].split())
    if len(ids) == 1000:
        add(ids, texts)
        ids, texts = [], []
add(ids, texts)
"""

FRAME = """
import json, sys, time
import nddb, pyarrow
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
table = pyarrow.table({name: [row[name] for row in rows] for name in ("id", "text")})
del rows
start = time.process_time()
kept = nddb.dedup(table).kept
print(f"nddb.dedup(table): {time.process_time() - start:.1f} CPU s, {kept.num_rows:,} kept", file=sys.stderr)
open(sys.argv[2], "w").write("\\n".join(kept["id"].to_pylist()) + "\\n")
"""


def documents(count, seed):
    """Yields texts; a fifth of them are earlier ones with up to three words changed."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 10))) for _ in range(20_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    earlier = []
    for _ in range(count):
        if earlier and rng.random() < 0.2:
            text = list(rng.choice(earlier))
            for _ in range(rng.randint(0, 3)):
                text[rng.randrange(len(text))] = rng.choice(words)
        else:
            text = rng.choices(words, weights, k=rng.randint(200, 440))
            earlier.append(text)
            del earlier[:-5000]
        yield " ".join(text)


def measured(command):
    """Returns CPU seconds, seconds by the clock and MB of a command with its child processes."""
    with tempfile.NamedTemporaryFile() as told:
        subprocess.run([sys.executable, "-c", METER, told.name, *map(str, command)], check=True, stdout=subprocess.DEVNULL)
        return [float(part) for part in open(told.name).read().split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nddb", required=True, type=Path)
    parser.add_argument("--python", type=Path)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path)
    args = parser.parse_args()
    work = args.work or Path(tempfile.mkdtemp())
    work.mkdir(parents=True, exist_ok=True)
    python = work / "rensa" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", work / "rensa"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "rensa==0.5.0"], check=True, stdout=sys.stderr)
    data, size = work / "documents.jsonl", 0
    with open(data, "w", encoding="utf-8") as file:
        for number, text in enumerate(documents(args.documents, 1)):
            size += len(text)
            file.write(json.dumps({"id": f"d{number}", "text": text}) + "\n")
    print(f"{args.documents:,} documents of {size // args.documents:,} characters, seed 1")
    (work / "pipeline.py").write_text(RENSA)
    nddb = args.nddb.absolute()
    steps = (
        f"rm -rf db clusters && {nddb} create db && {nddb} load db documents.jsonl -q && "
        f"{nddb} cluster db -o clusters -q"
    )
    tools = {
        "rensa": [python, work / "pipeline.py", data, work / "kept.txt"],
        "nddb dedup": [nddb, "dedup", data, "-o", work / "kept.jsonl", "-q"],
        "nddb create, load, cluster": ["sh", "-c", f"cd {work} && {steps}"],
    }
    files = {"rensa": "kept.txt", "nddb dedup": "kept.jsonl", "nddb create, load, cluster": "clusters/keep.txt"}
    if args.python:
        (work / "frame.py").write_text(FRAME)
        tools["nddb.dedup(table)"] = [args.python, work / "frame.py", data, work / "frame.txt"]
        files["nddb.dedup(table)"] = "frame.txt"
    figures = {name: [] for name in tools}
    for _ in range(args.rounds):
        for name, command in tools.items():
            figures[name].append(measured(command))
            time.sleep(1)
    kept = {name: sum(1 for _ in open(work / file)) for name, file in files.items()}
    base = statistics.median(row[0] for row in figures["rensa"])
    print("| tool | kept | CPU s | of rensa | seconds | MB |\n|---|---:|---:|---:|---:|---:|")
    for name, rows in figures.items():
        cpu, wall, memory = (statistics.median(column) for column in zip(*rows))
        print(f"| {name} | {kept[name]:,} | {cpu:.1f} | {cpu / base:.2f} | {wall:.1f} | {memory:.0f} |")


if __name__ == "__main__":
    main()
