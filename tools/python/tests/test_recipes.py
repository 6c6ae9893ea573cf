"""Recipes for the tools that data sets are made with. Those whose packages are not here are left out, which is said."""

import gzip
import json
import multiprocessing

import duckdb
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest

import nddb


def removed(path):
    """The remove-list of a database."""
    return {row["id"] for row in nddb.open(path).clusters() if row["verdict"] == "remove"}


@pytest.fixture(scope="module")
def built(tmp_path_factory, table):
    """A database of the table, built once."""
    path = tmp_path_factory.mktemp("recipes") / "crawl.nddb"
    with nddb.Writer(path, create=nddb.Config(k=3)) as writer:
        writer.add_batch(table)
    return path


def test_polars_leaves_out_what_is_on_the_remove_list(built, table):
    documents = polars.from_arrow(table)
    members = polars.DataFrame(nddb.open(built).clusters())
    remove = members.filter(polars.col("verdict") == "remove").select("id")
    clean = documents.join(remove, on="id", how="anti")

    assert set(clean["id"]) == set(documents["id"]) - removed(built)
    assert clean["id"].to_list() == [id for id in documents["id"] if id in set(clean["id"])], "ids and order are one's own"


def test_clusters_keep_their_ids_and_one_document_each(built, tmp_path, table):
    members = polars.DataFrame(nddb.open(built).clusters())
    kept = members.group_by("cluster").agg((polars.col("verdict") == "keep").sum().alias("kept"))
    assert kept["kept"].min() >= 1, "no cluster is deleted whole"
    assert set(members["id"]) <= set(table["id"].to_pylist())
    for threads in (1, 4):
        path = tmp_path / f"{threads}.nddb"
        with nddb.Writer(path, create=nddb.Config(k=3), threads=threads) as writer:
            writer.add_batch(table)
        assert polars.DataFrame(nddb.open(path).clusters()).equals(members), "whatever the number of threads"


def test_duckdb_reads_pairs_and_removes(built, table):
    documents, pairs, members = table, nddb.open(built).pairs(), nddb.open(built).clusters()
    by_rule = dict(duckdb.sql("SELECT verdict, count(*) FROM pairs WHERE verdict IS NOT NULL GROUP BY ALL").fetchall())
    clean = duckdb.sql(
        "SELECT id FROM documents WHERE id NOT IN (SELECT id FROM members WHERE verdict = 'remove')"
    ).fetchall()

    assert by_rule["model"] > 50
    assert {id for (id,) in clean} == set(table["id"].to_pylist()) - removed(built)


def test_a_stream_of_duckdb_is_taken_in(built, tmp_path, table):
    pages = table
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3)) as writer:
        writer.add_batch(duckdb.sql("SELECT id, text, url FROM pages"))
    assert removed(tmp_path / "a.nddb") == removed(built)


def partner(db, page):
    """The oldest near-duplicate of a stored page that came before it."""
    return next((match.id for match in db.query(id=page["id"]) if number(match.id) < number(page["id"])), None)


def number(id):
    """The number of a made page."""
    return int(id.removeprefix("page-"))


class Marked:
    """A function for `map`: marks a page with the id of its near-duplicate. It is pickled with its reader, as a path."""

    def __init__(self, path):
        self.db = nddb.open(path)

    def __call__(self, page):
        return {"of": partner(self.db, page)}


def test_datasets_maps_and_filters_in_many_processes(built, table, tmp_path):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    pages = datasets.Dataset.from_dict(table[:200].to_pydict())
    alone = pages.map(Marked(built), new_fingerprint="alone")
    together = pages.map(Marked(built), num_proc=2, new_fingerprint="together")
    gone = removed(built)
    clean = pages.filter(lambda page: page["id"] not in gone, new_fingerprint="clean")

    assert alone["of"][:] == together["of"][:] and sum(of is not None for of in alone["of"]) > 20
    assert set(clean["id"]) == set(pages["id"]) - gone
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        assert writer.add_batch(pages.with_format("arrow")[:])["documents"] == 200


def lines(folder):
    """The documents that a writer of datatrove wrote."""
    for file in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(file, "rt") as rows:
            yield from map(json.loads, rows)


def test_blocks_of_datatrove_find_and_drop_near_duplicates(table, tmp_path):
    """Found by one task, dropped by any number of them, with the partner's own id."""
    pytest.importorskip("datatrove", reason="datatrove is not installed")
    try:
        from datatrove.executor import LocalPipelineExecutor as Run
        from datatrove.pipeline.readers import ParquetReader
        from datatrove.pipeline.writers import JsonlWriter

        from nddb.datatrove import DropNearDuplicates, FindNearDuplicates
    except ImportError as error:
        pytest.skip(f"datatrove cannot be used: {error}")
    # Parts of the pages, so that each task has some. datatrove itself leaves out documents without a text.
    table = table.filter(pyarrow.compute.not_equal(table["text"], ""))
    (tmp_path / "parts").mkdir()
    for part in range(4):
        pyarrow.parquet.write_table(table[part * 375 : (part + 1) * 375], tmp_path / f"parts/{part}.parquet")
    database, found = tmp_path / "crawl.nddb", tmp_path / "removed.parquet"

    def run(*blocks, tasks=1, workers=1):
        pages = ParquetReader(str(tmp_path / "parts"))
        Run([pages, *blocks], tasks=tasks, workers=workers, logging_dir=str(tmp_path / f"logs-{tasks}")).run()

    run(FindNearDuplicates(database, found, keep="longest"), JsonlWriter(str(tmp_path / "passed")))
    assert sorted(line["id"] for line in lines(tmp_path / "passed")) == sorted(table["id"].to_pylist())
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3)) as writer:
        writer.add_batch(table)
    kept_of = {
        row["id"]: row["kept"]
        for row in nddb.open(tmp_path / "a.nddb").clusters(["longest"]) if row["verdict"] == "remove"
    }
    for tasks, workers in [(2, 1), (4, 2)]:
        out = tmp_path / f"out-{tasks}"
        dropping = DropNearDuplicates(found, JsonlWriter(str(out / "dropped")))
        run(dropping, JsonlWriter(str(out / "kept")), tasks=tasks, workers=workers)
        dropped = {line["id"]: line["metadata"]["near_duplicate_of"] for line in lines(out / "dropped")}
        assert dropped == kept_of and len(dropped) > 100
        assert {line["id"] for line in lines(out / "kept")} == set(table["id"].to_pylist()) - set(dropped)
    with pytest.raises(ValueError, match="give it tasks=1"):
        list(FindNearDuplicates(database, found).run(iter([]), world_size=2))


def child(db):
    """What a process of a pool does."""
    return len(db)


def test_a_pool_of_processes_shares_a_reader(built):
    db = nddb.open(built)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(child, [db] * 3) == [len(db)] * 3
