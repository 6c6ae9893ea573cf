"""Measures what a clustering takes on one machine and on each engine of two workers, by the number of pages.

    python -P tools/python/sizes.py machine|duckdb|daft|ray|spark PAGES...

Sketches of synthetic pages of 80 to 200 words, a third of them near-duplicates of earlier ones, are made before. Times
are those from sketches to the rows of all clusters, by the clock and of all processors, with all processes of an
engine; the first line has what its start takes.
"""

import os
import random
import sys
import tempfile
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet

import nddb

sys.path.append(str(Path(__file__).parent / "examples"))

#: All processes of a measurement have it in their environments.
MARK = f"NDDB_SIZES={os.getpid()}"
WORDS = [a + b + c + d for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "r", "l", "sk", "t") for d in "aeiou"]


def pages(count):
    rng, texts = random.Random(1), []
    for _ in range(count):
        if texts and rng.random() < 0.33:
            words = list(rng.choice(texts))
            for _ in range(rng.randrange(5)):
                words[rng.randrange(len(words))] = rng.choice(WORDS)
        else:
            words = rng.choices(WORDS, k=rng.randrange(80, 200))
        texts.append(words)
    ids = [f"https://host{number % 997}.example.org/{number}" for number in range(count)]
    return pyarrow.table({"id": ids, "text": [" ".join(words) for words in texts], "url": ids})


def ticks():
    """Processor time of all processes with the mark, and of those that they waited for, in seconds."""
    found = 0
    for process in Path("/proc").iterdir():
        try:
            if process.name == str(os.getpid()) or MARK.encode() in (process / "environ").read_bytes().split(b"\0"):
                found += sum(map(int, (process / "stat").read_text().rsplit(")", 1)[1].split()[11:15]))
        except (OSError, IndexError):
            continue
    return found / os.sysconf("SC_CLK_TCK")


def machine(folder, sketches, documents):
    with nddb.Writer(folder / "db", create=nddb.Config(k=3)) as writer:
        writer.load(sketches)
    return pyarrow.table(nddb.open(folder / "db").clusters()).num_rows


def duckdb(folder, sketches, documents):
    import duckdb
    import on_duckdb

    return on_duckdb.clusters(duckdb.read_parquet(str(documents))).to_arrow_table().num_rows


def daft(folder, sketches, documents):
    import daft
    import on_daft

    return on_daft.clusters(daft.read_parquet(str(documents))).count_rows()


def ray(folder, sketches, documents):
    import nddb.ray
    import ray

    return nddb.ray.clusters(ray.data.read_parquet(str(documents))).count()


def start_ray():
    import ray

    kept = {"num_workers_soft_limit": 8, "idle_worker_killing_time_threshold_ms": 600_000}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error", _system_config=kept)
    ray.data.DataContext.get_current().enable_progress_bars = False


def spark(folder, sketches, documents):
    import nddb.spark

    given = SESSION.read.parquet(f"file://{documents}")
    nddb.spark.clusters(given, folder / "work").write.parquet(f"file://{folder}/members")
    return SESSION.read.parquet(f"file://{folder}/members").count()


def start_spark():
    global SESSION
    from pyspark.sql import SparkSession

    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    SESSION = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    SESSION.sparkContext.setLogLevel("OFF")


def made(folder, count):
    """Sketches of pages, and the same as documents of the engines."""
    sketches = pyarrow.table(nddb.Recipe("main").sketch_batch(pages(count)))
    pyarrow.parquet.write_table(sketches, folder / "sketches.parquet")
    documents = sketches.append_column("number", [range(count)]).append_column("deleted", [[False] * count])
    documents = documents.append_column("archive", pyarrow.nulls(count, "string"))
    pyarrow.parquet.write_table(documents, folder / "documents.parquet")
    return folder / "sketches.parquet", folder / "documents.parquet"


def main():
    name, *counts = sys.argv[1:]
    # Processes that are started from now on have it in their environment.
    os.environ["NDDB_SIZES"] = str(os.getpid())
    before = time.monotonic(), ticks()
    globals().get(f"start_{name}", lambda: None)()
    print(f"{name}: start {time.monotonic() - before[0]:.1f} s, {ticks() - before[1]:.1f} CPU s", flush=True)
    for count in map(int, counts):
        with tempfile.TemporaryDirectory() as given:
            sketches, documents = made(Path(given), count)
            before = time.monotonic(), ticks()
            rows = globals()[name](Path(given), sketches, documents)
            took = time.monotonic() - before[0], ticks() - before[1]
        print(f"{name}: {count} pages, {rows} rows: {took[0]:.1f} s, {took[1]:.1f} CPU s", flush=True)


if __name__ == "__main__":
    main()
