#!/usr/bin/env python3
"""Does the job that README.md shows with datatrove and with nddb, by the commands of that page, and prints a table of
both.

    cargo build --release -p nddb-cli
    same_job.py SET... --nddb target/release/nddb > table.md

SET is a labelled set in the format of compare.py. Its documents become eight Parquet files with columns `id`, `url` and
`text` (the visible text of a page, by plain_text.py), which both tools read. nddb also runs on eight files with `html`
instead of `text`. datatrove gets a virtual environment of its own under --work. The code is read from README.md, with
one change: datatrove also saves its clusters (`save_cluster_id=True`), for the score.

Columns: documents left in `out/`; F1 on the labelled pairs, where a pair in one cluster counts as found; CPU seconds
(user and system) and wall clock seconds of all commands, including their start; greatest resident memory of a process,
in MB.
"""

import argparse
import json
import re
import shlex
import struct
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from compare import PACKAGES  # noqa: E402
from plain_text import text_of  # noqa: E402
from score import Counts, decimal, read_json_lines, read_labels  # noqa: E402

FILES = 8
# Packages that datatrove needs to read Parquet.
READERS = ["pyarrow==26.0.1", "fsspec==2026.9.0"]

# These scripts run in the environment of datatrove.
MAKE = """
import json, sys
import pyarrow, pyarrow.parquet
for line in open(sys.argv[1], encoding="utf-8"):
    name, rows = json.loads(line)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), name)
"""
READ = """
import glob, json, sys
import pyarrow.parquet
for name in sorted(glob.glob(sys.argv[1])):
    table = pyarrow.parquet.read_table(name)
    print(json.dumps([name, {column: table.column(column).to_pylist() for column in sys.argv[2:]}]))
"""
# Sums the CPU time of all descendants, because a process that forks servers does not wait for them.
METER = """
import ctypes, os, resource, subprocess, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
start = time.monotonic()
code = subprocess.call(sys.argv[2:])
wall = time.monotonic() - start
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], "w").write(f"{used.ru_utime + used.ru_stime} {wall} {used.ru_maxrss / 1024}")
sys.exit(code)
"""


def measured(command, folder):
    """Runs a command in a folder; returns CPU seconds, wall clock seconds and MB, including all its child processes."""
    told = folder / "told"
    with open(folder / "log", "ab") as log:
        command = [sys.executable, "-c", METER, told.resolve(), *command]
        ended = subprocess.run(list(map(str, command)), cwd=folder, stdout=log, stderr=log)
    if ended.returncode not in (0, 3):
        sys.exit(f"{folder}: ended with {ended.returncode}: {(folder / 'log').read_text()[-2000:]}")
    return [float(part) for part in told.read_text().split()]


def blocks():
    """Returns the code of both tools from README.md."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    text = text[text.index("## The same job with datatrove") :]
    python = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
    shell = re.search(r"```sh\n(.*?)```", text, re.DOTALL).group(1)
    lines = [line.split("  #")[0].strip() for line in shell.splitlines()]
    python = python.replace('"remove")]).run()', '"remove", save_cluster_id=True)]).run()')
    return python, [line for line in lines if line]


def environment(work):
    python = work / "environment" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", work / "environment"], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--prefer-binary", *PACKAGES["datatrove"], *READERS]
        subprocess.run(pip, check=True, stdout=sys.stderr)
    return python


def read(python, pattern, *columns):
    out = subprocess.check_output([python, "-c", READ, pattern, *columns], text=True)
    return [json.loads(line) for line in out.splitlines()]


def score(labels, clusters):
    counts, of = Counts(), {member: number for number, members in enumerate(clusters) for member in members}
    for a, b, is_near, *_ in labels:
        counts.add(a in of and of.get(a) == of.get(b), is_near)
    return decimal(counts.scores()[2])


def with_datatrove(python, code, folder, labels):
    (folder / "job.py").write_text(code)
    figures = measured([python.absolute(), "job.py"], folder)
    clusters, ids = {}, [rows["id"] for _, rows in read(python, f"{folder}/in/*.parquet", "id")]
    for rank, of_rank in enumerate(ids):
        path = folder / "remove" / f"{rank:06}.clusters"
        for document, cluster in struct.iter_unpack("<2I", path.read_bytes() if path.exists() else b""):
            clusters.setdefault(cluster, []).append(of_rank[document])
    left = sum(len(rows["id"]) for _, rows in read(python, f"{folder}/out/*.parquet", "id"))
    return left, score(labels, clusters.values()), figures


def with_nddb(nddb, python, lines, folder, labels):
    total = [0.0, 0.0, 0.0]
    for line in lines:
        line = re.sub(r"^nddb ", shlex.quote(str(nddb)) + " ", line)
        cpu, wall, memory = measured(["sh", "-c", line], folder)
        total = [total[0] + cpu, total[1] + wall, max(total[2], memory)]
    clusters = {}
    for _, rows in read(python, f"{folder}/clusters/clusters.parquet", "cluster", "id"):
        for cluster, member in zip(rows["cluster"], rows["id"]):
            clusters.setdefault(cluster, []).append(member)
    left = sum(len(rows["id"]) for _, rows in read(python, f"{folder}/out/*.parquet", "id"))
    return left, score(labels, clusters.values()), total


def make(python, documents, folder, column):
    (folder / "in").mkdir(parents=True)
    rows = []
    for document in documents:
        row = {name: document.get(name) for name in ("id", "url", "text", "html")}
        if column == "text":
            row["text"] = row["text"] if row["html"] is None else text_of(row["html"])
            del row["html"]
        rows.append(row)
    if all(row["text"] is None for row in rows):
        rows = [{name: row[name] for name in row if name != "text"} for row in rows]
    files = [[f"{folder.absolute()}/in/{number:03}.parquet", rows[number::FILES]] for number in range(FILES)]
    (folder / "rows").write_text("".join(json.dumps(file) + "\n" for file in files), encoding="utf-8")
    subprocess.run([python, "-c", MAKE, folder / "rows"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+", metavar="SET")
    parser.add_argument("--nddb", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("same-job"), help="folder of the environment and all files")
    arguments = parser.parse_args()
    work, nddb = arguments.work.absolute(), arguments.nddb.absolute()
    work.mkdir(parents=True, exist_ok=True)
    python, (code, lines) = environment(work), blocks()
    run = work / time.strftime("%Y%m%dT%H%M%S")
    print("| set | documents | with | left | F1 | CPU s | s | MB |\n|---|---|---|---|---|---|---|---|")
    for folder in arguments.sets:
        packed = folder / "docs.jsonl.zst"
        documents = list(read_json_lines(packed if packed.exists() else folder / "docs.jsonl"))
        labels, name = read_labels(folder / "pairs.tsv"), folder.resolve().name
        sides = [
            ("datatrove, texts", "text", lambda at: with_datatrove(python, code, at, labels)),
            ("nddb, the same texts", "text", lambda at: with_nddb(nddb, python, lines, at, labels)),
            ("nddb, the pages", "html", lambda at: with_nddb(nddb, python, lines, at, labels)),
        ]
        for number, (side, column, does) in enumerate(sides):
            at = run / f"{name}-{number}"
            make(python, documents, at, column)
            left, f1, (cpu, wall, memory) = does(at)
            cells = [name, f"{len(documents):,}", side, f"{left:,}", f1, f"{cpu:.1f}", f"{wall:.1f}", f"{memory:.0f}"]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
