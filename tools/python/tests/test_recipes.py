"""Recipes for the tools that data sets are made with. Those whose packages are not here are left out, which is said."""

import multiprocessing

import duckdb
import polars
import pyarrow
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


def test_a_filter_of_datatrove_marks_what_it_drops(built, table, tmp_path):
    """Build once, then drop in many tasks what the remove-list of the database names, with the partner's own id.

    Check-and-insert online, `Writer.add_if_new`, depends on the order of documents and is for one process.
    """
    pytest.importorskip("datatrove", reason="datatrove is not installed")
    try:
        from near_duplicates import pipeline
    except ImportError as error:
        pytest.skip(f"datatrove cannot be used: {error}")
    pyarrow.parquet.write_table(table, tmp_path / "pages.parquet")
    outputs = {}
    for tasks, workers in [(1, 1), (4, 2)]:
        outputs[tasks] = pipeline(built, tmp_path, tasks, workers)
    assert outputs[1] == outputs[4]
    kept, dropped = outputs[1]
    gone = removed(built)
    # datatrove itself leaves out documents without a text.
    read = {row["id"] for row in table.to_pylist() if row["text"]}
    assert set(kept) == read - gone
    assert {id for id, _ in dropped} == gone & read and len(dropped) > 100
    kept_of = {row["id"]: row["kept"] for row in nddb.open(built).clusters()}
    assert all(reason == f"dup:{kept_of[id]}" for id, reason in dropped)


def child(db):
    """What a process of a pool does."""
    return len(db)


def test_a_pool_of_processes_shares_a_reader(built):
    db = nddb.open(built)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(child, [db] * 3) == [len(db)] * 3
