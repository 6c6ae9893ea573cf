"""Calls leave nothing in memory.

``python tests/test_memory.py 1000000`` makes a million of each, and 10,000 of those that take long, in half an hour.
"""

import json
import sys
import tempfile
from pathlib import Path

import pyarrow
import pytest
from conftest import FOX, pages, resident

import nddb


#: Calls that take a hundred times as long as the others, or more.
LONG = ("sketch_batch", "probe_batch", "open")


def calls(folder):
    """The calls that programs make once for each document or table, by name."""
    writer = nddb.Writer(folder / "a.nddb", create=nddb.Config())
    table = pyarrow.Table.from_pylist(pages(20))
    writer.add_batch(table)
    writer.commit()
    reader = nddb.open(folder / "a.nddb")
    recipe = nddb.Recipe()
    numbers = pyarrow.array(range(100), pyarrow.uint64())

    def refused():
        with pytest.raises(ValueError):
            reader.probe("no fingerprint")

    return {
        "add": lambda: writer.add("page-1", text=FOX, url="https://example.org/"),
        "add_if_new": lambda: writer.add_if_new("fox", text=FOX),
        "fingerprint": lambda: recipe.fingerprint(text=FOX),
        "sketch": lambda: recipe.sketch(html=FOX, url="https://example.org/"),
        "sketch_batch": lambda: pyarrow.table(recipe.sketch_batch(table[:2])),
        "get": lambda: reader.get("page-1"),
        "in": lambda: "page-1" in reader,
        "probe": lambda: reader.probe(0xFF),
        "probe_batch": lambda: list(reader.probe_batch(numbers, k=0)),
        "query": lambda: reader.query(id="page-1"),
        "refused": refused,
        "refresh": reader.refresh,
        "open": lambda: nddb.open(folder / "a.nddb").close(),
    }


def grown(call, count):
    """Bytes by which memory grows while so many calls are made, after as many as fill all caches."""
    for _ in range(max(count // 10, 200)):
        call()
    before = resident()
    for _ in range(count):
        call()
    return resident() - before


def test_calls_leave_nothing_in_memory(tmp_path):
    for name, call in calls(tmp_path).items():
        count = 100 if name in LONG else 2000
        # The text of each call alone would be 2.8 MB. The allocator may take as much once, for a thread; what calls
        # leave behind grows in each round.
        rounds = []
        while not rounds or rounds[-1] >= 2 << 20:
            assert len(rounds) < 3, f"{name}: {[more >> 10 for more in rounds]} KB more after {count} calls each"
            rounds.append(grown(call, count))


if __name__ == "__main__":
    most = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, call in calls(Path(folder)).items():
            count = most // 100 if name in LONG else most
            print(json.dumps({"call": name, "calls": count, "grown_bytes": grown(call, count)}), flush=True)
