"""Measures what the jobs on Spark do a row, on archives, and computes from it what large crawls take: docs/SCALE.md.

    python tools/python/scale.py CC-MAIN-*.warc.gz

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
    engine.search(documents, "simhash", groups=6)
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


def main():
    for name, value in measure(sys.argv[1:]).items():
        print(f"{name:45} {value:12,.3f}")
    for documents, k in ((3e9, 3), (8e9, 3)):
        for groups in range(k + 1, k + 6):
            bits, count = 64 * (groups - k) / groups, math.comb(groups, k)
            print(f"{documents:.0e} fingerprints, {groups} groups: {count} tables of {bits:.1f} bits, "
                  f"{documents * count * 32 / 1e12:.1f} TB, {documents / 2**bits:,.2f} documents a key, "
                  f"{count * documents**2 / 2**bits / 2:.1e} comparisons")


if __name__ == "__main__":
    main()
