#!/usr/bin/env python3
"""FAISS at its best setting on the fingerprints of the benches: MultiHash of 2 x 32 bits with one flip, complete within 3.

    cargo bench --bench data -- --len 10M --queries 20K --dir D
    indexes.py D [--work FOLDER]

Two halves of 32 bits: within 3 bits, one half has at most one error, which one flip reaches. FAISS is installed from
PyPI into an environment in FOLDER. Prints wall clock us a query, one by one and in a batch, on one thread, the matches
(which are those of `probe`), and the seconds to load the index from its file. What cannot be installed is said, with
exit code 3.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PACKAGES = ["faiss-cpu==1.15.1"]


def measure(folder):
    import faiss
    import numpy

    faiss.omp_set_num_threads(1)
    read = lambda name: numpy.fromfile(folder / name, dtype=numpy.uint8).reshape(-1, 8)
    stored, queries = read("stored.u64le"), read("queries.u64le")
    index = faiss.IndexBinaryMultiHash(64, 2, 32)
    index.nflip = 1
    begun = time.perf_counter()
    index.add(stored)
    print(f"FAISS {faiss.__version__}, {len(stored):,} fingerprints, made in {time.perf_counter() - begun:.1f} s")
    # FAISS returns what is nearer than the radius.
    begun = time.perf_counter()
    limits, _, _ = index.range_search(queries, 4)
    batch = time.perf_counter() - begun
    begun = time.perf_counter()
    found = sum(len(index.range_search(queries[at : at + 1], 4)[1]) for at in range(len(queries)))
    single = time.perf_counter() - begun
    assert found == limits[-1], "one by one and in a batch it finds the same"
    for name, seconds in [("single queries", single), ("in a batch", batch)]:
        print(f"FAISS MultiHash 2 x 32, one flip, {name}: {1e6 * seconds / len(queries):.1f} us a query")
    print(f"matches: {found:,}")
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
    options.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        return measure(given.folder)
    python = given.work / "faiss" / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", given.work / "faiss"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True, stdout=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"not run: FAISS cannot be installed: {error}")
        sys.exit(3)
    sys.exit(subprocess.run([python, __file__, given.folder, "--measure"]).returncode)


if __name__ == "__main__":
    main()
