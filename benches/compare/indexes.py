#!/usr/bin/env python3
"""FAISS MultiHash on the fingerprints of the benches, complete within the distances that are given.

    cargo bench --bench data -- --len 10M --queries 20K --dir D
    indexes.py D [--within 3,8,10,12] [--work FOLDER]

Of n parts of a fingerprint, one has at most k / n errors, so that as many flips find everything within k bits: 2 x 32
bits within 3, and 3 x 21 beyond that (4 x 16 takes 4 to 60 times as long). FAISS is installed from PyPI into an
environment in FOLDER. Prints CPU us a query, one by one and in a batch, on one thread, the matches (which are those of
`probe`; beyond 3 bits of the first hundredth of the queries, as there), and the seconds to load the index of the first
distance from its file. What cannot be installed is said, with exit code 3.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PACKAGES = ["faiss-cpu==1.15.1"]


def measure(folder, distances):
    import faiss
    import numpy

    faiss.omp_set_num_threads(1)
    read = lambda name: numpy.fromfile(folder / name, dtype=numpy.uint8).reshape(-1, 8)
    stored, all_queries = read("stored.u64le"), read("queries.u64le")
    indexes = {}
    for k in distances:
        queries = all_queries if k <= 3 else all_queries[: -(-len(all_queries) // 100)]
        parts, bits = (2, 32) if k <= 3 else (3, 21)
        if parts not in indexes:
            index = faiss.IndexBinaryMultiHash(64, parts, bits)
            begun = time.process_time()
            index.add(stored)
            seconds = time.process_time() - begun
            print(f"FAISS {faiss.__version__}, {len(stored):,} fingerprints, {parts} x {bits}: made in {seconds:.1f} CPU s")
            indexes[parts] = index
        index = indexes[parts]
        index.nflip = k // parts
        # FAISS returns what is nearer than the radius.
        begun = time.process_time()
        limits, _, _ = index.range_search(queries, k + 1)
        batch = time.process_time() - begun
        begun = time.process_time()
        found = sum(len(index.range_search(queries[at : at + 1], k + 1)[1]) for at in range(len(queries)))
        single = time.process_time() - begun
        assert found == limits[-1], "one by one and in a batch it finds the same"
        for name, seconds in [("single queries", single), ("in a batch", batch)]:
            what = f"within {k}, {parts} x {bits}, {index.nflip} flips, {name}"
            print(f"FAISS MultiHash {what}: {1e6 * seconds / len(queries):.1f} CPU us a query")
        print(f"matches: {found:,}")
    index = next(iter(indexes.values()))
    del indexes
    with tempfile.TemporaryDirectory() as temporary:
        path = os.path.join(temporary, "index")
        faiss.write_index_binary(index, path)
        del index
        begun = time.perf_counter()
        faiss.read_index_binary(path)
        print(f"loaded from its file of {os.path.getsize(path) / 1e6:.0f} MB in {time.perf_counter() - begun:.2f} s")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--work", type=Path, default=Path("target/compare"))
    options.add_argument("--within", default="3", help="distances, as 3,8,10")
    options.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        return measure(given.folder, [int(k) for k in given.within.split(",")])
    python = given.work / "faiss" / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", given.work / "faiss"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True, stdout=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"not run: FAISS cannot be installed: {error}")
        sys.exit(3)
    sys.exit(subprocess.run([python, __file__, given.folder, "--within", given.within, "--measure"]).returncode)


if __name__ == "__main__":
    main()
