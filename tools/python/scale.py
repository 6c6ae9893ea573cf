"""Measures what the jobs on Spark do a row, on archives, and computes from it what large crawls take: docs/SCALE.md.

    python -P tools/python/scale.py CC-MAIN-*.warc.gz

CPU times are of this process, with the functions of `nddb.tables` alone; an engine's own work is not in them.
"""

import collections
import math
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet

sys.path.insert(0, str(Path(__file__).parent / "tests"))

import engine  # noqa: E402
import nddb  # noqa: E402
from nddb import tables  # noqa: E402

SECONDS, ROWS = collections.Counter(), collections.Counter()


def timed(name):
    """Has a function of tables counted: its CPU seconds, and the rows that it takes and gives."""
    function = getattr(tables, name)

    def call(given, *arguments, **options):
        start = time.process_time()
        made = pyarrow.table(function(given, *arguments, **options))
        SECONDS[name] += time.process_time() - start
        ROWS[name] += made.num_rows if name == "sketch_archive" else given.num_rows
        ROWS[f"of {name}"] += made.num_rows
        return made

    setattr(tables, name, call)


def measure(archives):
    """The figures of a crawl."""
    for name in ["sketch_archive", "properties", "pairs_by_key", "pairs_by_fingerprint", "decide", "stars", "members"]:
        timed(name)
    documents = engine.sketches(archives, threads=1)
    with tempfile.TemporaryDirectory() as folder:
        table = pyarrow.Table.from_pylist(list(documents.values()))
        pyarrow.parquet.write_table(table, Path(folder) / "sketches")
        stored = os.path.getsize(Path(folder) / "sketches") / len(documents)
    sketch = sum(len(row["sketch"]) for row in documents.values()) / len(documents)
    found = {"documents": len(documents), "bytes of a sketch": sketch, "bytes of a row in Parquet (snappy)": stored}
    known, _, leads, near = engine.search(documents)
    leaders = len(set(leads.values()))
    keys = collections.Counter(key for n in set(leads.values()) for key in set(known[n]["keys"]))
    found |= {
        "leaders a document": leaders / len(documents),
        "keys a leader": sum(keys.values()) / leaders,
        "of them shared": sum(times for times in keys.values() if times > 1) / leaders,
        "candidate pairs a document": ROWS["decide"] / len(documents),
        "near pairs a document": len(near) / len(documents),
    }
    members = engine.clusters(documents)
    found["members of clusters a document"] = members.num_rows / len(documents)
    engine.search(documents, "hamming", groups=6)
    # The few pairs of a sample would measure the start of the pass.
    SECONDS["stars"] = ROWS["stars"] = 0
    tables.stars(made_pairs(1_000_000))
    for name in SECONDS:
        found[f"{name}, CPU us a row"] = SECONDS[name] / max(1, ROWS[name]) * 1e6
    return found


def made_pairs(count):
    """Pairs as the ordered pass takes them."""
    rng = random.Random(1)
    newer = sorted(rng.randrange(1, 100 * count) for _ in range(count))
    older = [rng.randrange(number) for number in newer]
    columns = {"newer": newer, "older": older, "nearness": [rng.randrange(1 << 40) for _ in newer]}
    return pyarrow.table(columns)


def cpu(work):
    """The CPU seconds of a call, and what it returns."""
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def databases(pages=20_000, prints=8_000_000, queries=1_000_000):
    """The figures of shards and batch queries: of made pages, and of random fingerprints in one run."""
    rng = random.Random(1)
    words = [f"{number:x}{number * 7 % 997:x}" for number in range(5000)]
    texts = (" ".join(rng.choices(words, k=150)) for _ in range(pages))
    table = pyarrow.table({"id": [f"https://example.org/{n}" for n in range(pages)], "text": list(texts)})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pyarrow.parquet.write_table(pyarrow.table(nddb.Recipe("main").sketch_batch(table)), folder / "s.parquet")

        def load():
            with nddb.Writer(folder / "shard", create=nddb.Config(k=3), threads=1) as writer:
                writer.load(folder / "s.parquet")

        seconds, _ = cpu(load)
        found = {"load a sketch, CPU us": seconds / pages * 1e6, "bytes of a document": size(folder / "shard") / pages}
        (folder / "stored.u64le").write_bytes(rng.randbytes(8 * prints))
        with nddb.Writer(folder / "prints", create=nddb.Config(k=3)) as writer:
            writer.load(folder / "stored.u64le")
        asked = memoryview(rng.randbytes(8 * queries)).cast("Q")
        ranges = [one for one in tables.scan_ranges(folder / "prints") if one["blocks"]]
        # A whole range: its queries are prepared once.
        whole = max(ranges, key=lambda one: one["blocks"])
        options = {"first": whole["first"], "blocks": whole["blocks"]}
        prepared, _ = cpu(lambda: list(tables.scan(folder / "prints", asked, 3)))
        seconds, rows = cpu(lambda: pyarrow.table(tables.scan(whole["source"], asked, 3, **options)))
        stored = prints * whole["blocks"] / sum(one["blocks"] for one in ranges)
        found |= {
            "bytes of a fingerprint in a table": sum(one["blocks"] for one in ranges) * 1024 / prints,
            "prepare a query, CPU us": prepared / queries * 1e6,
            "scan a fingerprint, CPU us": (seconds - prepared) / stored * 1e6,
            "matches of the scan": rows.num_rows,
        }
        seconds, _ = cpu(lambda: list(tables.resolve(folder / "prints", known(folder, 200_000))))
        found["resolve a match, CPU us"] = seconds / 200_000 * 1e6
    return found


def known(folder, count):
    """Rows of a scan, of fingerprints that are stored."""
    bytes = (folder / "stored.u64le").read_bytes()[: 8 * count]
    numbers = pyarrow.array(memoryview(bytes).cast("q").tolist(), pyarrow.int64())
    ordinals = pyarrow.array(range(count), pyarrow.int64())
    return pyarrow.table({"query": ordinals, "fp": numbers, "distance": pyarrow.array([0] * count, pyarrow.int64())})


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main():
    for name, value in (measure(sys.argv[1:]) | databases()).items():
        print(f"{name:45} {value:12,.3f}")
    for documents, k in ((3e9, 3), (8e9, 3)):
        for groups in range(k + 1, k + 6):
            bits, count = 64 * (groups - k) / groups, math.comb(groups, k)
            print(f"{documents:.0e} fingerprints, {groups} groups: {count} tables of {bits:.1f} bits, "
                  f"{documents * count * 32 / 1e12:.1f} TB, {documents / 2**bits:,.2f} documents a key, "
                  f"{count * documents**2 / 2**bits / 2:.1e} comparisons")


if __name__ == "__main__":
    main()
