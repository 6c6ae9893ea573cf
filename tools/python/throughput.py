"""Compares the package with the command: CPU seconds for sketches and for probes of the same input, by turns.

    target/python/test/bin/python tools/python/throughput.py [--pages N] [--queries N] [--rounds N]

Both sketch the same pages on one thread: the command stores them, too (`nddb load`), as `add_batch` does and `sketch_batch`
does not. Both probe the same database for the same fingerprints (`nddb query --fp-file`). What is compared is
what a process spends beyond its start, imports included; the median of the rounds counts.
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
import sys, pyarrow.parquet, nddb
rows = 0
for batch in pyarrow.RecordBatchReader.from_stream(
    nddb.Recipe("main").sketch_batch(pyarrow.parquet.ParquetFile(sys.argv[1]).read(), threads=1)
):
    rows += batch.num_rows
print(rows)
"""
ADD = """
import sys, pyarrow.parquet, nddb
with nddb.Writer(sys.argv[1], threads=1) as writer:
    print(writer.add_batch(pyarrow.parquet.ParquetFile(sys.argv[2]).read()))
"""
PROBE = """
import sys, numpy, pyarrow, nddb
queries = numpy.memmap(sys.argv[2], dtype=numpy.uint64)
rows = 0
for batch in pyarrow.RecordBatchReader.from_stream(nddb.open(sys.argv[1]).probe_batch(queries, threads=1)):
    rows += batch.num_rows
print(rows)
"""


def cpu_seconds(*command, **options):
    """Runs a command; returns its processor time."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


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
            package.append(cpu_seconds(sys.executable, "-c", SKETCH, folder / "pages.parquet"))
            command.append(cpu_seconds(*nddb, "load", empty, folder / "pages.parquet"))
            seconds["add"][1].append(command[-1])
            empty = folder / f"{turn}-added.nddb"
            cpu_seconds(*nddb, "create", empty)
            seconds["add"][0].append(cpu_seconds(sys.executable, "-c", ADD, empty, folder / "pages.parquet"))
            package, command = seconds["probe"]
            package.append(cpu_seconds(sys.executable, "-c", PROBE, folder / "probed.nddb", folder / "queries.u64le"))
            command.append(
                cpu_seconds(*nddb, "query", folder / "probed.nddb", "-k", "3", "--fp-file", folder / "queries.u64le")
            )
    for what, (package, command) in seconds.items():
        package, command = statistics.median(package) - start[0], statistics.median(command) - start[1]
        print(json.dumps({
            "what": what,
            "package_cpu_seconds": round(package, 2),
            "command_cpu_seconds": round(command, 2),
            "throughput_of_the_command": round(command / package, 2),
        }))


if __name__ == "__main__":
    main()
