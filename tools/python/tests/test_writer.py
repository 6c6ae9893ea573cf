"""Writing: what is staged, what is durable, and what is refused."""

import datetime
import json
import multiprocessing

import duckdb
import numpy
import polars
import pyarrow
import pyarrow.parquet
import pytest
from conftest import FOX, pages

import nddb


def test_an_exception_drops_what_is_staged(tmp_path):
    path = tmp_path / "a.nddb"
    with nddb.Writer(path, create=nddb.Config()) as writer:
        assert writer.add("kept", text=FOX) == "new"
    with pytest.raises(ZeroDivisionError):
        with nddb.Writer(path) as writer:
            writer.add("dropped", text="something else that is staged")
            writer.add_batch(pyarrow.table({"id": ["too"], "text": ["another text"]}))
            writer.rm("kept")
            raise ZeroDivisionError
    db = nddb.open(path)
    assert len(db) == 1 and "kept" in db
    with nddb.Writer(path) as writer:
        writer.abandon()
    with pytest.raises(ValueError, match="closed"):
        writer.add("a", text="b")


def test_documents_are_told_new_from_stored(tmp_path):
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        assert writer.add("a", text=FOX) == "new"
        assert writer.add("a", text=FOX) == "unchanged"
        assert writer.add("a", text=FOX + " and more of it") == "replaced"
        verdict = writer.add_if_new("b", html=f"<p>{FOX}</p>".encode())
        assert verdict.is_duplicate and (verdict.verdict, verdict.of, verdict.rule) == ("duplicate", "a", "model")
        assert verdict.scores["agreement"] > 60 and verdict.probability == verdict.scores["probability"] > 0.5
        verdict = writer.add_if_new("c", text="nothing of the kind is stored here so far")
        assert not verdict.is_duplicate and (verdict.verdict, verdict.of, verdict.scores) == ("new", None, None)
        verdict = writer.add_if_new("d", fingerprint=0xFF)
        assert verdict.verdict == "new"
        verdict = writer.add_if_new("e", fingerprint=0xFE, method="hamming", k=1)
        assert (verdict.of, verdict.rule, verdict.distance) == ("d", "hamming", 1)
        assert writer.rm(["a", "d", "nothing"]) == 2 and writer.rm("c") == 1
        for wrong in [{}, {"text": "a", "html": "b"}, {"text": "a", "fingerprint": 1}]:
            with pytest.raises(ValueError):
                writer.add("f", **wrong)
        with pytest.raises(nddb.InvalidDocument):
            writer.add("", text="a b c")
    assert len(nddb.open(tmp_path / "a.nddb")) == 0


def test_add_if_new_says_what_the_command_says(tmp_path, command):
    made = pages(200, seed=7)
    path = tmp_path / "a.nddb"
    lines = []
    with nddb.Writer(path, create=nddb.Config()) as writer:
        for page in made:
            said = writer.add_if_new(page["id"], text=page["text"], url=page["url"])
            lines.append((page["id"], said.verdict, said.of, said.distance, said.rule, said.complete, said.scores))
    command("create", "b.nddb")
    import json

    text = "".join(json.dumps(page) + "\n" for page in made).encode()
    told = [json.loads(line) for line in command("add", "b.nddb", "--if-new", input=text).splitlines()]
    keys = ["b_sim", "c_sim", "agreement", "probability", "resemblance", "lcs", "same_site", "same_heading"]
    for line, expected in zip(lines, told, strict=True):
        assert line[:6] == tuple(expected[key] for key in ["id", "verdict", "of", "distance", "rule", "complete"])
        if line[6]:
            assert {key: line[6][key] for key in keys} == {key: expected[key] for key in keys}
    assert sum(line[1] == "duplicate" for line in lines) > 20


def test_tables_of_every_producer_give_the_same_database(tmp_path, table):
    pages = table = table[:300]
    expected = None
    large = table.cast(pyarrow.schema([(name, pyarrow.large_string()) for name in table.column_names]))
    view = table.cast(pyarrow.schema([(name, pyarrow.string_view()) for name in table.column_names]))
    producers = {
        "table": table,
        "batch": table.combine_chunks().to_batches()[0],
        "reader": pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7)),
        "large": large,
        "view": view,
        "polars": polars.from_arrow(table),
        "duckdb": duckdb.sql("SELECT * FROM pages"),
    }
    for name, producer in producers.items():
        path = tmp_path / f"{name}.nddb"
        with nddb.Writer(path, create=nddb.Config(), threads=2) as writer:
            said = writer.add_batch(producer)
        assert said["documents"] == 300, name
        db = nddb.open(path)
        found = [db.get(f"page-{number}") for number in range(300)]
        expected = expected or found
        assert found == expected, name


def test_columns_that_are_named_exist_and_win(tmp_path):
    table = pyarrow.table({
        "id": ["a"], "body": ["an apple and a pear"], "text": ["a short title"], "html": ["<p>a page"],
        "address": ["https://a.example/"],
    })
    recipe = nddb.Recipe("main")

    def tokens(**names):
        return [row["tokens"] for row in recipe.sketch_batch(table, **names)]

    assert [tokens(), tokens(html=None), tokens(text="body"), tokens(text="text", url=...)] == [[2], [3], [5], [3]]
    assert tokens(text="body", html="html") == [2], "of a page that is there the markup is taken"
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        writer.add_batch(table, text="body", url="address")
        for name in ("id", "text", "html", "url", "fingerprint"):
            with pytest.raises(ValueError, match="no column 'missing'.*id, body, text, html, address"):
                writer.add_batch(table, **{name: "missing"})
        with pytest.raises(ValueError, match="name the column"):
            writer.add_batch(table, text=None, html=None)
    db = nddb.open(tmp_path / "a.nddb")
    assert (db.get("a")["tokens"], db.get("a")["url"]) == (5, "https://a.example/")


def test_columns_may_have_other_names_and_types(tmp_path):
    bits = numpy.array([255, 1 << 63], dtype=numpy.uint64)
    table = pyarrow.table({
        "key": [1, 2, None],
        "body": pyarrow.array([b"<p>a page of <b>bytes</b>", None, b"c"]),
        "address": ["https://a.example.org/", None, None],
        "print": pyarrow.array([*bits, 3], type=pyarrow.uint64()),
    })
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        said = writer.add_batch(table, id="key", html="body", text=None, url="address")
        assert (said["documents"], said["skipped"]) == (1, 2)
        said = writer.add_batch(table, id="key", fingerprint="print", text=None)
        assert (said["documents"], said["replaced"], said["skipped"]) == (2, 1, 1)
        for wrong, message in [({"id": "nothing"}, "no column 'nothing'"), ({}, "no column 'id'")]:
            with pytest.raises(ValueError, match=message):
                writer.add_batch(table, **wrong)
        with pytest.raises(ValueError, match="no text"):
            writer.add_batch(table, id="key", text="print")
        with pytest.raises(ValueError, match="table of Arrow"):
            writer.add_batch([1, 2, 3])
    db = nddb.open(tmp_path / "a.nddb")
    assert [match.id for match in db.probe(1 << 63, k=0)] == [2]


def test_a_long_table_is_loaded_in_bulk_and_a_batch_is_named(tmp_path):
    count = 70_000
    ids = pyarrow.array([f"d{number}" for number in range(count)])
    prints = pyarrow.array(numpy.arange(count, dtype=numpy.uint64) << numpy.uint64(20))
    told = []
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        table = pyarrow.table({"id": ids, "fp": prints})
        said = writer.add_batch(table, fingerprint="fp", progress=told.append)
        db = nddb.open(tmp_path / "a.nddb")
        assert said["documents"] == len(db) == count, "durable when it returns"
        assert told and told[-1]["done"] <= count and told[-1]["unit"]
        writer.add_batch(table[:10], id="id", fingerprint="fp", batch="again")
        assert db.refresh() is False or len(db) == count


def test_an_error_of_the_producer_leaves_nothing(tmp_path, table):
    def batches():
        yield from table.to_batches(max_chunksize=100)[:3]
        raise RuntimeError("the producer fails")

    path = tmp_path / "a.nddb"
    with nddb.Writer(path, create=nddb.Config()) as writer:
        with pytest.raises(Exception, match="the producer fails"):
            writer.add_batch(pyarrow.RecordBatchReader.from_batches(table.schema, batches()))
        writer.add("a", text=FOX)
    assert len(nddb.open(path)) == 1


def test_files_are_loaded_as_by_the_command(tmp_path, command, table):
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(page) + "\n" for page in table[:200].to_pylist()) + "no line of JSON\n")
    told = []
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        said = writer.load([file], progress=told.append)
    command("create", "b.nddb")
    expected = json.loads(command("load", "b.nddb", file, "--json", code=3))
    assert said == {key: expected[key] for key in said} and said["skipped"] == 1
    assert told
    assert nddb.open(tmp_path / "a.nddb").get("page-7") == nddb.open(tmp_path / "b.nddb").get("page-7")


def test_a_load_takes_the_records_that_an_index_names(tmp_path, command):
    (tmp_path / "warc").mkdir()
    offsets, archive = [], b""
    for page in pages(20):
        body = f"<html><body><p>{page['text']}</p></body></html>".encode()
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
        head = (
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:{page['id']}>\r\nWARC-Target-URI: {page['url']}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
        )
        record = head.encode() + http + b"\r\n\r\n"
        offsets.append((len(archive), len(record)))
        archive += record
    (tmp_path / "warc" / "a.warc").write_bytes(archive)
    (tmp_path / "warc" / "b.warc").write_bytes(archive)
    chosen = [offsets[number] for number in (3, 4, 11)]
    index = pyarrow.table({
        "warc_filename": ["crawl/a.warc"] * 3 + ["crawl/absent.warc"],
        "warc_record_offset": [offset for offset, _ in chosen] + [0],
        "warc_record_length": [length for _, length in chosen] + [100],
    })
    pyarrow.parquet.write_table(index, tmp_path / "index.parquet")
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        said = writer.load(tmp_path / "warc", select=[tmp_path / "index.parquet"])
        assert said["documents"] == 3 and said["selected"]["absent"] == ["crawl/absent.warc"]
    command("create", tmp_path / "b.nddb")
    line = command("load", tmp_path / "b.nddb", "--select", "index.parquet", "warc", "--json", code=3)
    selected = json.loads(line)["selected"]
    assert {key: said["selected"][key] for key in selected} == selected
    assert command("export", tmp_path / "a.nddb") == command("export", tmp_path / "b.nddb") != b""
    with nddb.Writer(tmp_path / "a.nddb") as writer:
        with pytest.raises(ValueError, match="absent.warc is not"):
            pyarrow.parquet.write_table(index[3:], tmp_path / "index.parquet")
            writer.load(tmp_path / "warc", select=tmp_path / "index.parquet")
        with pytest.raises(nddb.ArchiveError):
            writer.load(tmp_path / "warc", select=tmp_path / "nothing.parquet")
        assert writer.load(tmp_path / "warc" / "a.warc")["selected"] is None


def test_an_exception_of_the_progress_callback_ends_the_load(tmp_path, table):
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(page) + "\n" for page in table.to_pylist() * 20))

    def fail(said):
        raise ZeroDivisionError

    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        with pytest.raises(ZeroDivisionError):
            writer.load(file, progress=fail)
        writer.add("after", text=FOX)
    assert "after" in nddb.open(tmp_path / "a.nddb")


def test_one_process_writes(tmp_path, script):
    path = tmp_path / "a.nddb"
    with nddb.Writer(path, create=nddb.Config()) as writer:
        with pytest.raises(nddb.Locked):
            nddb.Writer(path)
        context = multiprocessing.get_context("fork")
        answers = context.Queue()

        def child():
            try:
                writer.add("a", text="b")
            except ValueError as error:
                answers.put(str(error))

        process = context.Process(target=child)
        process.start()
        assert "another process" in answers.get(timeout=60)
        process.join(timeout=60)
        assert process.exitcode == 0
        writer.add("a", text=FOX)
    with nddb.Writer(path):
        assert len(nddb.open(path)) == 1


def test_of_near_duplicates_the_row_with_the_oldest_date_is_kept(tmp_path):
    text = " ".join(f"w{word * 37 % 1009}" for word in range(60))
    days = [datetime.datetime(2024, 5, 2), datetime.datetime(2023, 1, 1), None]
    columns = {
        "timestamps": pyarrow.array(days, pyarrow.timestamp("us")),
        "days": pyarrow.array([day and day.date() for day in days], pyarrow.date32()),
        "texts": pyarrow.array(["2024-05-02T00:00:00Z", "2023-01-01", "soon"]),
        "numbers": pyarrow.array([1714608000, 1672531200, None], pyarrow.int64()),
    }
    for name, dates in columns.items():
        table = pyarrow.table({"id": ["a", "b", "c"], "text": [text] * 3, name: dates})
        with nddb.Writer(tmp_path / name, create=nddb.Config()) as writer:
            writer.add_batch(table, date=name)
        clusters = nddb.open(tmp_path / name).clusters()
        rows = pyarrow.table(clusters).to_pylist()
        assert {row["id"] for row in rows if row["verdict"] == "keep"} == {"b"}, name
    with nddb.Writer(tmp_path / "none", create=nddb.Config()) as writer:
        with pytest.raises(ValueError, match="when"):
            writer.add_batch(table, date="when")
        with pytest.raises(ValueError, match="dates are"):
            writer.add_batch(pyarrow.table({"id": ["a"], "text": [text], "when": [1.5]}), date="when")
