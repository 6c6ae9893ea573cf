"""Tables that readers give: the same as the command's files, whoever reads them, while other threads go on."""

import ctypes
import threading
import time

import duckdb
import numpy
import polars
import pyarrow
import pyarrow.parquet
import pytest
from conftest import resident

import nddb


@pytest.mark.parametrize(
    "options, more",
    [
        ({}, []),
        ({"method": "hamming", "k": 2}, ["--method", "hamming", "-k", "2"]),
        ({"method": "b", "expand": True}, ["--method", "b", "--expand"]),
        ({"verify": "lcs"}, ["--verify", "lcs"]),
        ({"min_probability": 0.99, "group_limit": 2}, ["--set", "probability=0.99", "--group-limit", "2"]),
    ],
)
def test_pairs_are_those_of_the_command(crawl, command, tmp_path, options, more):
    # Texts of tables cannot be read again, which the command says by its exit code.
    code = 3 if options.get("verify") else 0
    command("pairs", crawl, "--format", "parquet", "-o", "pairs.parquet", *more, code=code)
    expected = pyarrow.parquet.read_table(tmp_path / "pairs.parquet")
    found = pyarrow.table(nddb.open(crawl).pairs(**options))
    assert found.schema.equals(expected.schema) and found.equals(expected) and found.num_rows > 100


@pytest.mark.parametrize(
    "options, more",
    [
        ({}, []),
        ({"keep": ["longest", "id"], "method": "b"}, ["--keep", "longest,id", "--method", "b"]),
        ({"level": "same", "components": True}, ["--level", "same", "--components"]),
    ],
)
def test_clusters_are_those_of_the_command(crawl, command, tmp_path, options, more):
    command("cluster", crawl, "--format", "parquet", "-o", "out", *more)
    table = pyarrow.parquet.read_table(tmp_path / "out" / "clusters.parquet")
    expected = table.drop_columns(["copies", "copies_by_batch"])
    found = pyarrow.table(nddb.open(crawl).clusters(**options))
    assert found.schema.equals(expected.schema) and found.equals(expected) and found.num_rows > 100
    removed = {row["id"] for row in found.to_pylist() if row["verdict"] == "remove"}
    assert removed == set((tmp_path / "out" / "remove.txt").read_text().split())
    kept = {row["kept"] for row in found.to_pylist()}
    assert not removed & kept, "of each cluster one is kept"


def test_matches_are_those_of_the_command(crawl, command, tmp_path):
    db = nddb.open(crawl)
    prints = [int(db.get(f"page-{number}")["fp"] or "0", 16) for number in range(100, 1400, 9)] + [0, 1]
    queries = numpy.array(prints, dtype=numpy.uint64)
    queries.tofile(tmp_path / "q.u64le")
    command("query", crawl, "--fp-file", "q.u64le", "--format", "parquet", "-o", "near.parquet")
    expected = pyarrow.parquet.read_table(tmp_path / "near.parquet")
    arrays = {
        "numpy": queries,
        "signed": queries.view(numpy.int64),
        "memoryview": memoryview(queries),
        "arrow": pyarrow.array(queries),
        "chunked": pyarrow.chunked_array([queries[:10], queries[10:]]),
        "polars": polars.Series(queries),
    }
    for name, array in arrays.items():
        for threads in (1, 3):
            found = pyarrow.table(db.probe_batch(array, threads=threads))
            assert found.equals(expected), name
    assert expected.num_rows > len(prints) - 2
    apart = queries[::2]
    assert pyarrow.table(db.probe_batch(apart)).equals(pyarrow.table(db.probe_batch(apart.copy()))), "with gaps"
    for wrong in [queries[:10].reshape(2, 5), queries.astype(numpy.float64), "text", [1, 2],
                  pyarrow.array([1, None]), pyarrow.array([1], type=pyarrow.int32())]:
        with pytest.raises(ValueError):
            db.probe_batch(wrong)


def test_every_reader_of_tables_reads_the_same_table(crawl):
    db = nddb.open(crawl)
    pairs = db.pairs()
    expected = pyarrow.table(pairs).to_pylist()
    assert list(pairs) == expected, "a second time"
    assert polars.DataFrame(pairs).to_dicts() == expected
    assert duckdb.sql("SELECT count(*) FROM pairs").fetchall() == [(len(expected),)]
    assert duckdb.sql("FROM pairs").to_arrow_table().to_pylist() == expected
    assert pyarrow.schema(pairs).names == pairs.column_names == list(expected[0])
    assert [row for row, _ in zip(pairs, range(3))] == expected[:3], "who stops early has read what is there"


def test_why_says_what_the_pairs_and_the_command_say(crawl, command):
    db = nddb.open(crawl)
    pair = next(row for row in db.pairs() if row["verdict"] == "model")
    rows = list(db.why(pair["a"], pair["b"]))
    assert rows[0]["part"] == "verdict" and rows[0]["holds"] and rows[0]["value"] == pair["probability"]
    assert "of the text is equal" in rows[0]["says"] and rows[0]["says"] == pair["why"]
    line = command.lines("query", crawl, "--id", pair["a"], "--why")[0]
    match = next(match for match in line["matches"] if match["id"] == pair["b"])
    found = [
        {"name": row["name"], "says": row["says"], "adds": round(row["adds"], 3)}
        for row in rows
        if row["part"] == "evidence"
    ]
    assert found == match["why"]["evidence"] and len(found) > 5
    assert match["why"]["sentence"] == pair["why"]
    bounds = {row["name"]: row for row in db.why(pair["a"], pair["b"], "hamming") if row["part"] == "bound"}
    assert bounds["distance"]["value"] == pair["distance"] and bounds["distance"]["says"] == "at most"


def test_another_thread_advances_while_tables_are_computed(crawl):
    db = nddb.open(crawl)
    stop, turns = threading.Event(), [0]

    def count():
        while not stop.is_set():
            turns[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    seconds = inside = 0
    works = [lambda: next(iter(db.pairs())), lambda: next(iter(db.clusters())), lambda: pyarrow.table(db.pairs("b"))]
    for work in works * 5:
        before, begun = turns[0], time.monotonic()
        work()
        seconds, inside = seconds + time.monotonic() - begun, inside + turns[0] - before
    stop.set()
    thread.join()
    # A call that held the GIL would let it pass once at most.
    assert inside > 2 * len(works * 5) and inside > 20 * seconds, f"{inside} turns in {seconds} s"


def measured_anew():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def test_ten_million_fingerprints_are_not_copied(crawl):
    db = nddb.open(crawl)
    array = numpy.arange(10_000_000, dtype=numpy.uint64)
    array *= numpy.uint64(0x9E3779B97F4A7C15)
    arrow = pyarrow.array(array)
    probed = lambda queries: sum(
        batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(db.probe_batch(queries, k=0))
    )
    probed(array[:100_000])
    for queries in (array, arrow):
        measured_anew()
        before = resident()
        probed(queries)
        more = resident(most=True) - before
        assert more < 24 << 20, f"{more >> 20} MB more at most for 80 MB of queries"


def test_a_stream_is_released_by_whoever_takes_it(crawl):
    db = nddb.open(crawl)
    threads = threading.active_count()
    for _ in range(20):
        db.pairs().__arrow_c_stream__()
        reader = pyarrow.RecordBatchReader.from_stream(db.pairs())
        reader.read_next_batch()
        del reader
    assert threading.active_count() == threads
    capsule = db.pairs().__arrow_c_stream__()
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    assert name(capsule) == b"arrow_array_stream"
