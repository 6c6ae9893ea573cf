"""The jobs on a cluster of two executors give what one machine gives.

Without Java or pyspark they are left out. `make test-spark` runs all of them; `.ci/run` those that are not long.
"""

import json
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
import pyarrow.parquet
import pytest
from cluster import executors, same

import nddb

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: make test-spark")
if shutil.which("java") is None:
    pytest.skip("there is no Java: apt-get install openjdk-17-jre-headless", allow_module_level=True)

import nddb.spark as jobs  # noqa: E402

CRAWL = Path(__file__).parents[4] / "shared/data/crawl/misc-web.warc.gz"
JUDGING = [{}, {"method": "hamming"}]
LONG = [pytest.param(judging, marks=pytest.mark.long) for judging in ({"group_limit": 20}, {"method": "split"})]


def test_documents_are_those_that_live(spark, collection):
    folder, documents = collection
    db = nddb.open(folder / "crawl.nddb")
    living = {row.id: row for row in documents.where("not deleted").select("id", "url", "tokens").collect()}
    assert len(living) == len(db) > 300
    for id in list(living)[::29]:
        stored = db.get(id)
        assert (living[id].url, living[id].tokens) == (stored["url"], stored["tokens"])


@pytest.mark.parametrize("judging", JUDGING, ids=str)
def test_pairs_are_those_of_one_machine(collection, tmp_path, judging):
    folder, documents = collection
    found = jobs.pairs(documents, tmp_path / "work", **judging).toArrow()
    assert same(found, pyarrow.table(nddb.open(folder / "crawl.nddb").pairs(**judging))) > 100


@pytest.mark.parametrize("judging", [*JUDGING, *LONG], ids=str)
def test_clusters_and_lists_are_those_of_one_machine(spark, collection, tmp_path, judging):
    folder, documents = collection
    jobs.clusters(documents, tmp_path / "work", **judging).write.parquet(f"file://{tmp_path}/members")
    members = spark.read.parquet(f"file://{tmp_path}/members")
    assert same(members.toArrow(), pyarrow.table(nddb.open(folder / "crawl.nddb").clusters(**judging))) > 100
    jobs.lists(documents, members, tmp_path / "lists")
    options = [f"--{name.replace('_', '-')}={value}" for name, value in judging.items()]
    command = [sys.executable, "-m", "nddb", "cluster", folder / "crawl.nddb", "-o", tmp_path / "out", *options]
    subprocess.run(command, check=True, capture_output=True)
    for name in ("keep.txt", "remove.txt"):
        expected = (tmp_path / "out" / name).read_bytes()
        assert (tmp_path / "lists" / name).read_bytes() == expected and expected


def test_a_table_of_pages_is_clustered_as_by_one_machine(spark, tmp_path):
    pages = [page for page in hot.crawl(9, 120) if "text" in page]
    pages = list({page["id"]: page for page in pages}.values())
    pages[3]["id"] = "tab\tand \\ and é\x1b\x9b\u202e\x7f"
    table = pyarrow.Table.from_pylist([page | {"number": number} for number, page in enumerate(pages)])
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3)) as writer:
        writer.add_batch(table)
    given = spark.createDataFrame(table.to_pandas())
    documents = jobs.sketch(given, number="number", html=None)
    members = jobs.clusters(documents, tmp_path / "work", keep=["longest", "id"])
    expected = pyarrow.table(nddb.open(tmp_path / "a.nddb").clusters(keep=["longest", "id"]))
    assert same(members.toArrow(), expected) > 20
    jobs.lists(documents, members, tmp_path)
    lists = [(tmp_path / name).read_text().splitlines() for name in ("keep.txt", "remove.txt")]
    assert sum(map(len, lists)) == len(pages)
    assert r"tab\tand \\ and é\u001b\u009b\u202e\u007f" in lists[0] + lists[1]


def test_passages_are_those_that_the_command_prints(spark, tmp_path, command):
    pages = hot.quoting(7, 300)
    table = pyarrow.Table.from_pylist([page | {"number": number} for number, page in enumerate(pages)])
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(recipe="main-parts")) as writer:
        writer.add_batch(table)
    documents = jobs.sketch(spark.createDataFrame(table.to_pandas()), number="number", html=None, recipe="main-parts")
    found = jobs.parts(documents, tmp_path / "work").toArrow()
    printed = [
        (line["a"], line["b"], line["a_contained"], line["b_contained"],
         one["words"], one["longest"], *one["a"], *one["b"])
        for line in command.lines("pairs", "a.nddb", "--parts") for one in line["passages"]
    ]
    assert [tuple(row.values()) for row in found.to_pylist()] == printed and len(printed) > 100


def ids_of(found):
    return [(match.id, match.distance) for match in found]


@pytest.fixture(scope="module")
def shards(collection):
    """Databases of the documents of the collection."""
    folder, documents = collection
    return jobs.shards(documents, folder / "shards", shards=3)


def test_a_number_is_another_document_than_its_digits(spark, tmp_path):
    text = " ".join(f"word{number}" for number in range(100))
    lines = [{"id": 1, "text": text}, {"id": "1", "text": text}, {"id": 2, "text": "some other words"}]
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert jobs.ingest(spark, [path], tmp_path / "store", crawl="a") == 3
    documents = jobs.documents(spark, tmp_path / "store")
    found = sorted((row.id, row.is_number) for row in documents.collect())
    assert found == [("1", False), ("1", True), ("2", True)]
    members = jobs.clusters(documents, tmp_path / "work")
    assert sorted((row.id, row.verdict) for row in members.collect()) == [("1", "keep"), ("1", "remove")]
    with pytest.raises(ValueError, match="1 is the id of a number and of a text"):
        jobs.lists(documents, members, tmp_path / "lists")


def test_numbers_are_the_order_of_loads(spark, tmp_path):
    text = " ".join(f"word{number}" for number in range(100))
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3, keep_words=True)) as writer:
        for crawl, names in {"z": ["c", "b"], "a": ["d", "a"]}.items():
            paths = [tmp_path / f"{name}.jsonl" for name in names]
            for name, path in zip(names, paths):
                lines = [{"id": f"{name}{line}", "text": f"{text} {name}"} for line in (2, 1)]
                path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            jobs.ingest(spark, paths, tmp_path / "store", crawl=crawl, keep_words=True)
            writer.load(paths)
    documents = jobs.documents(spark, tmp_path / "store")
    in_order = [row.id for row in documents.orderBy("number").select("id").collect()]
    assert in_order == ["c2", "c1", "b2", "b1", "d2", "d1", "a2", "a1"]
    members = jobs.clusters(documents, tmp_path / "work").toArrow()
    assert same(members, pyarrow.table(nddb.open(tmp_path / "a.nddb").clusters())) == 8
    assert set(members["kept"].to_pylist()) == {"c2"}, "the first document of the first load stays"


def test_shards_answer_as_one_machine(collection, shards, tmp_path):
    folder, documents = collection
    whole, paths, target = nddb.open(folder / "crawl.nddb"), shards, folder / "shards"
    assert [path.name for path in paths] == [f"shard-0000{shard}.nddb" for shard in range(3)]
    parts = nddb.Federation(paths)
    living = {row.id for row in documents.where("not deleted").select("id").collect()}
    assert len(parts) == len(whole) == len(living) and all(map(len, parts.readers))
    for id in sorted(living)[::9]:
        stored = parts.get(id)
        assert stored["source"]["offset"] == whole.get(id)["source"]["offset"]
        fingerprint = stored["fp"]
        if fingerprint:
            assert ids_of(parts.probe(fingerprint)) == ids_of(whole.probe(fingerprint))
        found, wanted = (sorted(one.id for one in db.query(id=id)) for db in (parts, whole))
        assert found == wanted
    # What is there is kept, what is missing is made again, also where nothing is in a shard.
    before = paths[0].stat().st_ino
    shutil.rmtree(paths[1])
    (target / ".shard-00001.nddb.left").mkdir()
    assert jobs.shards(documents, target, shards=3) == paths
    assert len(nddb.Federation(paths)) == len(living) and paths[0].stat().st_ino == before
    assert not list(target.glob(".shard-*"))
    empty = jobs.shards(documents.limit(0), tmp_path / "empty", shards=2)
    assert [len(nddb.open(path)) for path in empty] == [0, 0]
    with pytest.raises(nddb.Error, match="another job"):
        jobs.shards(documents, target, shards=4)
    with pytest.raises(Exception, match="recipe"):
        jobs.shards(documents, tmp_path / "web", shards=1, recipe="web")


def test_batch_queries_give_the_rows_of_one_machine(spark, collection, shards, tmp_path):
    import numpy

    folder, documents = collection
    shutil.copytree(folder / "crawl.nddb", tmp_path / "crawl.nddb")
    with nddb.Writer(tmp_path / "crawl.nddb") as writer:
        writer.add("recent", fingerprint=0xFF)
    db = nddb.open(tmp_path / "crawl.nddb")
    assert len(list(nddb.tables.scan_ranges(db.path))) > 2, "several runs, and what is in none"
    prints = [row.fp for row in documents.select("fp").where("fp is not null").orderBy("number").collect()]
    queries = numpy.array([*prints[::3], 0xFF, 0xFE], dtype=numpy.int64) ^ 1
    for k in (None, 1):
        found = jobs.batch_query(spark, db.path, queries, tmp_path / f"work-{k}", k=k).toArrow()
        assert same(found, pyarrow.table(db.probe_batch(queries, k))) > 50
    ids = found["id"].to_pylist()
    assert "recent" in ids and "page-11" not in ids
    # Of several databases: those of one with the documents of all.
    queries.tofile(tmp_path / "Q.u64le")
    found = jobs.batch_query(spark, shards, tmp_path / "Q.u64le", tmp_path / "several").toArrow()
    assert same(found, pyarrow.table(nddb.open(folder / "crawl.nddb").probe_batch(queries))) > 50
    with pytest.raises(nddb.OutOfRange):
        jobs.batch_query(spark, shards, queries, tmp_path / "far", k=4)
    with pytest.raises(ValueError):
        jobs.batch_query(spark, shards, [1.5], tmp_path / "floats")


def test_what_makes_no_sense_is_refused(spark, collection, tmp_path):
    folder, documents = collection
    archive = folder / "first-0.jsonl"
    with pytest.raises(FileExistsError):
        jobs.ingest(spark, [archive], folder / "store", crawl="01")
    with pytest.raises(nddb.Error, match="recipe"):
        jobs.ingest(spark, [archive], folder / "store", crawl="third", recipe="web")
    with pytest.raises(ValueError):
        jobs.ingest(spark, [archive], folder / "store", crawl="a/b")
    with pytest.raises(nddb.UnusableMethod):
        jobs.pairs(documents, tmp_path / "texts", method="lcs")
    jobs.pairs(documents.limit(0), tmp_path / "one")
    with pytest.raises(nddb.Error, match="another job.*job pairs there, clusters now"):
        jobs.clusters(documents.limit(0), tmp_path / "one")


def test_the_steps_of_other_documents_are_refused(collection, tmp_path):
    _, documents = collection
    some = documents.where("number % 2 = 0")
    rows = jobs.pairs(some, tmp_path / "work").toArrow()
    with pytest.raises(nddb.Error, match="another job.*documents .* there, .* now"):
        jobs.pairs(documents, tmp_path / "work")
    changed = some.withColumn("deleted", some.deleted | (some.id == some.where("not deleted").first().id))
    with pytest.raises(nddb.Error, match="another job.*digest"):
        jobs.pairs(changed, tmp_path / "work")
    assert jobs.pairs(some.repartition(3), tmp_path / "work").toArrow().to_pylist() == rows.to_pylist()


def test_tables_that_are_none_of_documents_are_refused(spark, collection, tmp_path):
    from pyspark.sql import functions

    folder, documents = collection
    twice = documents.withColumn("number", functions.lit(7).cast("long"))
    unnumbered = documents.withColumn("number", functions.lit(None).cast("long"))
    cases = [(twice, "number of another"), (unnumbered, "no number"), (documents.drop("deleted"), "no column deleted")]
    for table, message in cases:
        with pytest.raises(ValueError, match=message):
            jobs.clusters(table, tmp_path / "work")
    pages = spark.createDataFrame([("a", "some text", 1.5)], "id string, text string, number double")
    for options, message in [
        ({"number": "number"}, "double"), ({"number": "age"}, "not there"),
        ({"number": "id"}, "string"),
    ]:
        with pytest.raises(ValueError, match=message):
            jobs.sketch(pages, **options)
    whole = pages.withColumn("number", pages.number.cast("long"))
    with pytest.raises(ValueError, match="no column body"):
        jobs.sketch(whole, number="number", text="body")
    assert jobs.sketch(whole, number="number").select("tokens").first().tokens == 2
    with pytest.raises(ValueError, match="no column id"):
        jobs.documents(spark, folder / "store", deleted=pages.select("text"))


@pytest.mark.long
def test_the_jobs_run_from_a_command_line(collection, tmp_path):
    folder, documents = collection
    submit = [Path(pyspark.__file__).parent / "bin/spark-submit", "--master", "local[2]"]
    submit += ["--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=2"]
    path = subprocess.run([sys.executable, "-m", "nddb.spark", "path"], check=True, capture_output=True, text=True)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}

    def run(*arguments):
        command = [*submit, path.stdout.strip(), *arguments]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    archives = [folder / f"first-{part}.jsonl" for part in range(3)]
    run("ingest", "store", *archives, "--crawl", "first", "--keep-words")
    (tmp_path / "gone").write_text("page-7\n")
    run("clusters", "store", "out", "--deleted", "gone", "--keep", "longest,id")
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3)) as writer:
        writer.load(archives)
    with nddb.Writer(tmp_path / "a.nddb") as writer:
        writer.rm("page-7")
    members = nddb.open(tmp_path / "a.nddb").clusters(["longest", "id"])
    removed = {row["id"] for row in members if row["verdict"] == "remove"}
    assert set((tmp_path / "out/remove.txt").read_text().split()) == removed and removed
    run("shards", "store", "shards", "--shards", "2", "--deleted", "gone")
    shards = sorted((tmp_path / "shards").glob("*.nddb"))
    assert len(nddb.Federation(shards)) == len(nddb.open(tmp_path / "a.nddb"))
    (tmp_path / "Q.u64le").write_bytes(bytes.fromhex(nddb.open(tmp_path / "a.nddb").get("page-1")["fp"])[::-1])
    run("batch-query", "near.parquet", "Q.u64le", *shards)
    near = pyarrow.parquet.read_table(tmp_path / "near.parquet")
    assert "page-1" in near["id"].to_pylist()
    assert not list(tmp_path.glob(".*"))


def test_the_lines_of_the_guide_for_spark_do_the_whole_job(spark, tmp_path, monkeypatch):
    import re

    readme = (Path(__file__).parents[1] / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    block = next(block for block in blocks if "import nddb.spark" in block)
    assert len(block.splitlines()) <= 10
    pages = {page["id"]: page for page in hot.crawl(3, 80) if "text" in page}
    table = pyarrow.Table.from_pylist([page | {"number": number} for number, page in enumerate(pages.values())])
    monkeypatch.chdir(tmp_path)
    pyarrow.parquet.write_table(table, "documents.parquet")
    # The session's folder is where it began: paths of the page are below this one.
    block = re.sub(r'"(documents\.parquet|sketches|members|clean|work)"', rf'"file://{tmp_path}/\1"', block)
    exec(compile(block, "README.md", "exec"), {})
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3)) as writer:
        writer.add_batch(table)
    removed = {row["id"] for row in nddb.open(tmp_path / "a.nddb").clusters() if row["verdict"] == "remove"}
    kept = {row.id for row in spark.read.parquet(f"file://{tmp_path}/clean").select("id").collect()}
    assert kept == set(pages) - removed and len(removed) > 10


@pytest.mark.long
def test_an_executor_that_is_killed_changes_nothing(spark, collection, tmp_path):
    folder, documents = collection
    killed = []

    def kill():
        # In the middle: when a step is whole and the next one runs.
        for step in ("leaders", "near"):
            while not (tmp_path / "work" / step / "_SUCCESS").exists():
                time.sleep(0.05)
            victims = [one for one in executors(spark) if one not in killed]
            os.kill(victims[0], signal.SIGKILL)
            killed.append(victims[0])

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    members = jobs.clusters(documents, tmp_path / "work").toArrow()
    thread.join(60)
    assert len(killed) == 2 and not set(killed) & set(executors(spark))
    same(members, pyarrow.table(nddb.open(folder / "crawl.nddb").clusters()))


@pytest.mark.long
@pytest.mark.skipif(not CRAWL.exists(), reason="there is no crawl")
@pytest.mark.parametrize("judging", JUDGING, ids=str)
def test_a_crawl_is_clustered_as_by_one_machine(spark, tmp_path_factory, tmp_path, judging):
    folder = tmp_path_factory.getbasetemp() / "web"
    if not folder.exists():
        folder.mkdir()
        archives = [CRAWL, CRAWL.with_name("misc-web.warc.wet.gz")]
        with nddb.Writer(folder / "crawl.nddb", create=nddb.Config(k=3)) as writer:
            writer.load(archives[:1])
            writer.load(archives[1:])
        for archive in archives:
            jobs.ingest(spark, [archive], folder / "store", crawl=archive.name, keep_words=True)
    db, documents = nddb.open(folder / "crawl.nddb"), jobs.documents(spark, folder / "store")
    pairs = jobs.pairs(documents, tmp_path / "pairs", **judging).toArrow()
    assert same(pairs, pyarrow.table(db.pairs(**judging))) > 50
    members = jobs.clusters(documents, tmp_path / "clusters", **judging).toArrow()
    assert same(members, pyarrow.table(db.clusters(**judging))) > 50
