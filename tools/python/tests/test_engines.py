"""Ray Data, Daft and DuckDB give what one machine gives, each with two workers.

`.ci/python engines` installs all of them. Elsewhere the tests of one that is not here are left out; in CI they fail.
"""

import importlib
import os
import re
import textwrap
from importlib.util import find_spec

import hot
import pyarrow
import pyarrow.parquet
import pytest

import engine as one_machine
import nddb
from nddb.steps import schemas

JUDGING = [{}, {"method": "hamming"}, {"group_limit": 20, "keep": ["longest", "id"], "level": "strict"}]


def thirds(rows):
    """Parts of a table, so that what belongs together has to be brought together."""
    size = len(rows) // 3 + 1
    return [rows[start : start + size] for start in (0, size, 2 * size)]


class DuckDB:
    """Tables of DuckDB."""

    module = "on_duckdb"
    packages = ["duckdb"]

    def table(self, rows):
        import duckdb

        return duckdb.from_arrow(rows)

    def rows(self, table):
        return table.to_arrow_table()


class Daft:
    """DataFrames of Daft."""

    module = "on_daft"
    packages = ["daft"]

    def table(self, rows):
        import daft

        first, second, third = map(daft.from_arrow, thirds(rows))
        return first.concat(second).concat(third)

    def rows(self, table):
        return table.to_arrow()


class Ray:
    """Datasets of Ray, on two workers."""

    module = "nddb.ray"
    packages = ["ray", "polars"]

    def __init__(self):
        os.environ["RAY_AUTH_MODE"] = "disabled"
        import ray

        # On two cores Ray would end its processes after each shuffle, and start others for the next one.
        kept = {"num_workers_soft_limit": 8, "idle_worker_killing_time_threshold_ms": 600_000}
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error", _system_config=kept)
        ray.data.DataContext.get_current().enable_progress_bars = False

    def table(self, rows):
        import ray

        return ray.data.from_arrow(thirds(rows))

    def rows(self, table):
        import ray

        return pyarrow.concat_tables(ray.get(table.to_arrow_refs()))


@pytest.fixture(scope="module", params=[DuckDB, Daft, Ray], ids=lambda kind: kind.__name__)
def engine(request):
    """An engine, with its module: of nddb, or an example."""
    missing = [name for name in request.param.packages if find_spec(name) is None]
    if missing:
        said = f"{', '.join(missing)} not installed: .ci/python engines"
        pytest.fail(said) if os.environ.get("CI") == "true" else pytest.skip(said)
    made = request.param()
    made.jobs = importlib.import_module(made.module)
    yield made
    if request.param is Ray:
        import ray

        ray.shutdown()


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """Documents with what is hard, and a database of the same from which some were deleted."""
    folder = tmp_path_factory.mktemp("collection")
    pages, recipe = hot.crawl(1, 300), nddb.Recipe("main")
    for number, page in enumerate(pages):
        # Of some documents only the fingerprint is known.
        if number % 13 == 0 and page.get("text"):
            page["fp"] = f"{recipe.fingerprint(text=page.pop('text')):016x}"
    paths = hot.write(folder, "pages", pages, 2)
    gone = [f"page-{number}" for number in range(0, 300, 11)]
    with nddb.Writer(folder / "crawl.nddb", create=nddb.Config(k=3, keep_words=True)) as writer:
        writer.load(paths)
    with nddb.Writer(folder / "crawl.nddb") as writer:
        assert writer.rm(gone) > 20
    documents = [row | {"deleted": row["id"] in gone} for row in one_machine.sketches(paths, keep_words=True).values()]
    assert any(row["tokens"] == 0 for row in documents), "empty ones"
    documents = pyarrow.Table.from_pylist(documents, schemas.arrow(schemas.DOCUMENTS))
    return documents, nddb.open(folder / "crawl.nddb")


def same(found, expected):
    """Whether two tables have the same columns and rows, in the same order."""
    assert found.schema.names == expected.schema.names
    assert found.cast(expected.schema).to_pylist() == expected.to_pylist()
    return expected.num_rows


@pytest.mark.parametrize("judging", JUDGING, ids=str)
def test_clusters_are_those_of_one_machine(engine, collection, judging):
    documents, database = collection
    found = engine.rows(engine.jobs.clusters(engine.table(documents), **judging))
    expected = pyarrow.table(database.clusters(**judging))
    assert same(found, expected) > 100
    assert "hamming" in expected["rule"].to_pylist()


@pytest.mark.parametrize("judging", [{}, {"method": "hamming", "k": 2}, {"group_limit": 20}], ids=str)
def test_pairs_are_those_of_one_machine(engine, collection, judging):
    documents, database = collection
    found = engine.rows(engine.jobs.pairs(engine.table(documents), **judging))
    expected = pyarrow.table(database.pairs(**judging))
    assert same(found, expected) > 100
    assert {"identity", "empty"} <= set(expected["group"].to_pylist())


def test_a_table_of_pages_is_clustered_as_by_one_machine(engine, tmp_path):
    pages = {page["id"]: page for page in hot.crawl(9, 120)}
    names = {"id": "string", "url": "string", "text": "string", "html": "string", "age": "int32"}
    rows = [page | {"age": number} for number, page in enumerate(pages.values())]
    table = pyarrow.Table.from_pylist(rows, pyarrow.schema(names.items()))
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3)) as writer:
        writer.add_batch(table)
    none = pyarrow.Table.from_pylist([{"id": "no page", "age": -1}, {"text": "no id", "age": -2}], table.schema)
    given = engine.table(pyarrow.concat_tables([none, table]).rename_columns(["name", *table.column_names[1:]]))
    documents = engine.jobs.sketch(given, number="age", id="name")
    assert engine.rows(documents).num_rows == len(pages)
    found = engine.rows(engine.jobs.clusters(documents))
    assert same(found, pyarrow.table(nddb.open(tmp_path / "a.nddb").clusters())) > 20


@pytest.mark.parametrize("options", [{}, {"min_words": 12, "min_containment": 0.3, "k": 1}], ids=str)
def test_passages_are_those_of_one_machine(engine, tmp_path, options):
    pages = hot.quoting(4, 400)
    table = pyarrow.Table.from_pylist([page | {"number": 7 * number} for number, page in enumerate(pages)])
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=options.get("k", 3), recipe="main-parts")) as writer:
        writer.add_batch(table)
    found = engine.rows(engine.jobs.parts(engine.jobs.sketch(engine.table(table), number="number",
                                                             recipe="main-parts"), **options))
    given = {name: value for name, value in options.items() if name != "k"}
    expected = pyarrow.table(nddb.open(tmp_path / "a.nddb").passage_pairs(**given))
    assert same(found, expected.select(schemas.names(schemas.PASSAGES))) > 100
    plain = engine.jobs.sketch(engine.table(table.slice(0, 9)), number="number")
    with pytest.raises(Exception, match="main-parts"):
        engine.rows(engine.jobs.parts(plain))


def test_the_lines_of_the_module_run(engine, tmp_path, monkeypatch):
    pages = {page["id"]: page for page in hot.crawl(3, 80) if "text" in page}
    rows = [page | {"number": number} for number, page in enumerate(pages.values())]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "documents.parquet")
    monkeypatch.chdir(tmp_path)
    lines = textwrap.dedent(re.search(r"::\n((?:\n|    .*\n)+)", engine.jobs.__doc__).group(1))
    names = {}
    exec(compile(lines.replace('"documents', f'"{tmp_path}/documents'), engine.jobs.__name__, "exec"), names)
    removed = {row["id"] for row in engine.rows(names["members"]).to_pylist() if row["verdict"] == "remove"}
    clean = engine.rows(names["clean"])
    assert set(clean["id"].to_pylist()) == set(pages) - removed and len(removed) > 10


def test_documents_without_a_pair_give_tables_without_rows(engine):
    texts = ["some words of one", "and quite others in two"]
    table = pyarrow.table({"id": ["a", "b"], "text": texts, "number": [1, 2]})
    documents = engine.jobs.sketch(engine.table(table), number="number")
    for job, schema in ((engine.jobs.pairs, schemas.PAIRS), (engine.jobs.clusters, schemas.MEMBERS)):
        rows = engine.rows(job(documents))
        assert (rows.num_rows, rows.column_names) == (0, schemas.names(schema))


def test_tables_that_make_no_sense_are_refused(engine, collection):
    documents = collection[0][:50]
    number = documents.schema.get_field_index("number")
    twice = documents.set_column(number, "number", pyarrow.array([*range(49), 0], pyarrow.int64()))
    missing = documents.set_column(number, "number", pyarrow.array([*range(48), None, None], pyarrow.int64()))
    named = f"make it by {engine.module}.sketch"
    for table, message in [
        (twice, "1 of 50 documents have the number of another one"),
        (missing, "2 of 50 documents have no number"),
        (documents.drop_columns("deleted"), f"no column deleted: {named}"),
    ]:
        with pytest.raises(ValueError, match=message):
            engine.jobs.clusters(engine.table(table))
    pages = engine.table(pyarrow.table({"id": ["a"], "text": ["some text"], "number": [1.5]}))
    for options, message in [
        ({"number": "number"}, "double"), ({"number": "age"}, "no column age"),
        ({"number": "number", "text": "body"}, "no column body"), ({"number": "number", "text": None}, "text or html"),
    ]:
        with pytest.raises(ValueError, match=message):
            engine.jobs.sketch(pages, **options)
    with pytest.raises(nddb.UnusableMethod):
        engine.jobs.pairs(engine.table(documents), method="lcs")
    with pytest.raises(ValueError):
        engine.jobs.clusters(engine.table(documents), keep=["nonsense"])
