"""Compares the package with the command: CPU seconds for sketches and for probes of the same input, by turns.

    target/python/test/bin/python tools/python/throughput.py [--pages N] [--queries N] [--rounds N]

Both sketch the same pages on one thread: the command stores them, too (`nddb load`), as `add_batch` does and
`sketch_batch` does not. Both probe the same database for the same fingerprints (`nddb query --fp-file`). What is
compared is what a process spends beyond its start, imports included; the median of the rounds counts. Of the package
it is also told what the call alone takes, of a table that pyarrow has read.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SKETCH = """
import sys, time, pyarrow.parquet, nddb
table = pyarrow.parquet.ParquetFile(sys.argv[1]).read()
begun = time.process_time()
for batch in pyarrow.RecordBatchReader.from_stream(nddb.Recipe("main").sketch_batch(table, threads=1)):
    pass
print(time.process_time() - begun)
"""
ADD = """
import sys, time, pyarrow.parquet, nddb
table = pyarrow.parquet.ParquetFile(sys.argv[2]).read()
begun = time.process_time()
with nddb.Writer(sys.argv[1], threads=1) as writer:
    writer.add_batch(table)
print(time.process_time() - begun)
"""
PROBE = """
import sys, time, numpy, pyarrow, nddb
queries = numpy.memmap(sys.argv[2], dtype=numpy.uint64)
begun = time.process_time()
for batch in pyarrow.RecordBatchReader.from_stream(nddb.open(sys.argv[1]).probe_batch(queries, threads=1)):
    pass
print(time.process_time() - begun)
"""


def cpu_seconds(*command, output=subprocess.DEVNULL):
    """Runs a command; returns its processor time."""
    before = os.times()
    subprocess.run(command, check=True, stdout=output, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def called(code, *arguments):
    """Runs Python code that prints what its call took; returns the processor time of the process, and that."""
    with tempfile.TemporaryFile() as printed:
        seconds = cpu_seconds(sys.executable, "-c", code, *arguments, output=printed)
        printed.seek(0)
        return seconds, float(printed.read())


def made(folder, pages, queries):
    """Makes pages, and a database with queries for it."""
    import numpy
    import pyarrow
    import pyarrow.parquet

    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(3, 9))) for _ in range(5000)]
    texts = [" ".join(rng.choices(words, k=400)) for _ in range(pages)]
    table = pyarrow.table({"id": [f"page-{number}" for number in range(pages)], "text": texts})
    pyarrow.parquet.write_table(table, folder / "pages.parquet")
    prints = numpy.random.default_rng(1).integers(0, 1 << 64, queries, dtype=numpy.uint64)
    prints.tofile(folder / "stored.u64le")
    (prints ^ numpy.uint64(1)).tofile(folder / "queries.u64le")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made(folder, asked.pages, asked.queries)
        nddb = [sys.executable, "-m", "nddb", "-q", "--threads", "1"]
        cpu_seconds(*nddb, "create", folder / "probed.nddb")
        cpu_seconds(*nddb, "load", folder / "probed.nddb", folder / "stored.u64le")
        imports = "import numpy, pyarrow.parquet, nddb"
        start = [
            statistics.median(cpu_seconds(*command) for _ in range(5))
            for command in ([sys.executable, "-c", imports], [*nddb[:3], "--version"])
        ]
        seconds = {"sketch": ([], []), "add": ([], []), "probe": ([], [])}
        for turn in range(asked.rounds):
            empty = folder / f"{turn}.nddb"
            cpu_seconds(*nddb, "create", empty)
            package, command = seconds["sketch"]
            package.append(called(SKETCH, folder / "pages.parquet"))
            command.append(cpu_seconds(*nddb, "load", empty, folder / "pages.parquet"))
            seconds["add"][1].append(command[-1])
            empty = folder / f"{turn}-added.nddb"
            cpu_seconds(*nddb, "create", empty)
            seconds["add"][0].append(called(ADD, empty, folder / "pages.parquet"))
            package, command = seconds["probe"]
            package.append(called(PROBE, folder / "probed.nddb", folder / "queries.u64le"))
            command.append(
                cpu_seconds(*nddb, "query", folder / "probed.nddb", "-k", "3", "--fp-file", folder / "queries.u64le")
            )
    for what, (package, command) in seconds.items():
        whole, call = (statistics.median(one[part] for one in package) for part in (0, 1))
        whole, command = whole - start[0], statistics.median(command) - start[1]
        print(json.dumps({
            "what": what,
            "package_cpu_seconds": round(whole, 2),
            "call_cpu_seconds": round(call, 2),
            "command_cpu_seconds": round(command, 2),
            "throughput_of_the_command": round(command / whole, 2),
            "throughput_of_the_command_by_the_call": round(command / call, 2),
        }))


if __name__ == "__main__":
    main()
