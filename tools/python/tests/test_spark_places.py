"""Stores, work folders, archives and outputs of the jobs at URIs, and tables of pages of other formats."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import hot
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest
import s3
from cluster import BUCKET, GONE, executors, same

import nddb

pytest.importorskip("pyspark", reason="pyspark is not installed: make test-spark")
if shutil.which("java") is None:
    pytest.skip("there is no Java: apt-get install openjdk-17-jre-headless", allow_module_level=True)

import nddb.spark as jobs  # noqa: E402
from nddb.spark import __main__ as command  # noqa: E402
from nddb.spark.archives import sketched  # noqa: E402
from nddb.spark.places import Place  # noqa: E402

needs_s3 = pytest.mark.skipif(not s3.is_here(), reason="moto or sagemaker_pyspark is not installed: make test-spark")


@pytest.fixture
def stored(spark):
    """A folder of the store, which is empty."""
    return Place(f"s3a://{BUCKET}/{time.monotonic_ns()}")


@needs_s3
def test_a_job_in_a_store_gives_the_rows_of_one_machine_though_an_executor_is_killed(
    spark, collection, stored, tmp_path
):
    folder, _ = collection
    for crawl in ("first", "second"):
        for archive in folder.glob(f"{crawl}-*.jsonl"):
            (stored / crawl / archive.name).put(lambda new, archive=archive: shutil.copy(archive, new))
        (stored / crawl / "_SUCCESS").put(lambda new: new.touch())
        jobs.ingest(spark, [stored / crawl], stored / "store", crawl=crawl, keep_words=True)
    assert len((stored / "store/sketches/crawl=first").children()) == 3 + 1, "a file of each archive, by its own task"
    (stored / "gone.txt").put(lambda new: new.write_text("\n".join(GONE)))
    killed = []

    def kill():
        while not (stored / ".out.work/leaders/_SUCCESS").exists():
            time.sleep(0.05)
        killed.append(executors(spark)[0])
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    given = ["clusters", stored / "store", stored / "out", "--deleted", stored / "gone.txt"]
    command.run(spark, command.parser().parse_args(list(map(str, given))))
    thread.join(60)
    assert killed and not set(killed) & set(executors(spark))
    expected = pyarrow.table(nddb.open(folder / "crawl.nddb").clusters())
    where = pyarrow.array([
        f"{stored}/{Path(path).name.split('-')[0]}/{Path(path).name}" for path in expected["archive"].to_pylist()
    ])
    expected = expected.set_column(expected.schema.names.index("archive"), "archive", where)
    assert same(spark.read.parquet((stored / "out/clusters").uri).toArrow(), expected) > 100
    subprocess.run(
        [sys.executable, "-m", "nddb", "cluster", folder / "crawl.nddb", "-o", tmp_path / "out"],
        check=True, capture_output=True,
    )
    for name in ("keep.txt", "remove.txt"):
        assert (stored / "out" / name).read() == (tmp_path / "out" / name).read_bytes() != b""
    # What was not of the output is gone: the steps and the parts of the lists.
    assert [one.name for one in stored.children()] == ["first", "gone.txt", "out", "second", "store"]
    assert [one.name for one in (stored / "out").children()] == ["clusters", "keep.txt", "remove.txt"]


@needs_s3
def test_ids_that_would_be_paths_of_copies_are_refused(stored, tmp_path):
    archive = stored / "pages.parquet"
    table = pyarrow.table({"text": ["one page", "another page"]})
    archive.put(lambda new: pyarrow.parquet.write_table(table, new))
    with pytest.raises(ValueError, match="no ids of their own"):
        list(sketched(str(archive)))
    pyarrow.parquet.write_table(table, tmp_path / "pages.parquet")
    of_disk, of_store = (list(sketched(str(path), id_from="row")) for path in (tmp_path / "pages.parquet", archive))
    assert of_store == of_disk and of_store[0]["id"].to_pylist() == ["pages.parquet:0", "pages.parquet:1"]


@needs_s3
def test_archives_of_a_store_are_listed_as_those_of_a_folder(spark, stored, tmp_path):
    from nddb.spark.archives import listed

    names = ["b/x.jsonl", "b/.hidden.jsonl", "a.warc.gz", "_SUCCESS", "b-c/1.parquet", "notes.doc", "é [1].jsonl"]
    for name in names:
        for place in (stored / "pages" / name, Place(tmp_path / "pages" / name)):
            place.put(lambda new: new.write_text("{}"))
    found, expected = (
        [path.removeprefix(str(root)) for path in listed([root / "pages", root / "pages/b/x.jsonl"], "auto")]
        for root in (stored, Place(tmp_path))
    )
    assert found == expected and len(found) == 5
    with pytest.raises(nddb.ArchiveError, match="no such object"):
        listed([stored / "none"], "auto")
    (stored / "pages/page.html").put(lambda new: new.write_text("<p>a page"))
    with pytest.raises(ValueError, match=f"{stored}/pages/page.html is a single page"):
        listed([stored / "pages"], "auto")


@needs_s3
def test_a_file_is_put_as_a_whole_or_not_at_all(stored, tmp_path):
    def fail(new):
        new.write_text("half")
        raise OSError("the disk is full")

    for folder in (stored / "a b", Place(tmp_path / "a b")):
        place = folder / "[x].txt"
        assert not place.was_put() and not place.beside("none").children()
        with pytest.raises(OSError, match="full"):
            place.put(fail)
        assert not place.was_put()
        for text in ("first", "second"):
            place.put(lambda new, text=text: new.write_text(text))
            assert place.read() == text.encode()
        with pytest.raises(OSError, match="full"):
            place.put(fail)
        assert place.read() == b"second"
        with place.fetched() as file:
            assert (file.name, file.read_text()) == ("[x].txt", "second")
        assert file.exists() == (place.here is not None)
        assert [one.name for one in folder.children()] == ["[x].txt"]
        folder.remove()
        assert not place.exists()


def test_what_no_file_system_knows_is_refused_at_once(spark, collection, tmp_path, monkeypatch):
    folder, documents = collection
    monkeypatch.chdir(tmp_path)
    # pyarrow does not know the one, Spark has no classes for the other.
    for path, message in (("oss://bucket/work", "pyarrow cannot open"), ("dbfs:/work", "Spark cannot open")):
        for job in (
            lambda: jobs.pairs(documents, path),
            lambda: jobs.documents(spark, path),
            lambda: jobs.ingest(spark, [folder / "first-0.jsonl"], path, crawl="one"),
            lambda: jobs.lists(documents, documents, path),
        ):
            with pytest.raises(ValueError, match=message):
                job()
    with pytest.raises(ValueError, match="pyarrow cannot open"):
        jobs.ingest(spark, ["oss://bucket/a.jsonl"], tmp_path / "store", crawl="one")
    assert not list(tmp_path.iterdir())
    assert jobs.documents(spark, f"file://{folder}/store").count() == documents.count()


@needs_s3
def test_databases_of_stores_are_refused(spark, collection, stored, tmp_path):
    _, documents = collection
    with pytest.raises(ValueError, match="memory maps"):
        jobs.shards(documents, stored, shards=1)
    with pytest.raises(ValueError, match="memory maps"):
        jobs.batch_query(spark, stored, [1], tmp_path / "work")
    assert not list(tmp_path.iterdir()) and not stored.exists()


def test_pages_of_a_delta_table_are_those_of_its_last_version(spark, tmp_path):
    deltalake = pytest.importorskip("deltalake", reason="deltalake is not installed: make test-spark")
    pages = {page["id"]: page for page in hot.crawl(4, 40) if "text" in page}
    table = pyarrow.Table.from_pylist([page | {"number": number} for number, page in enumerate(pages.values())])
    deltalake.write_deltalake(tmp_path / "pages", table)
    deltalake.DeltaTable(tmp_path / "pages").delete("number < 10")
    files = deltalake.DeltaTable(tmp_path / "pages").file_uris()
    documents = jobs.sketch(spark.read.parquet(*(Place(file).pattern for file in files)), number="number")
    assert sorted(row.number for row in documents.collect()) == list(range(10, len(pages)))
