"""A search made of functions of tables gives what a database gives, in all that is hard: without Spark."""

import hot
import pyarrow
import pyarrow.parquet
import pytest

import engine
import nddb
from nddb import tables


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archives")
    return hot.write(folder, "pages", hot.crawl(1, 700), 3)


@pytest.fixture(scope="module")
def database(tmp_path_factory, archives):
    path = tmp_path_factory.mktemp("database") / "crawl.nddb"
    with nddb.Writer(path, create=nddb.Config(k=3)) as writer:
        writer.load(archives)
    return path


CASES = [
    {},
    {"group_limit": 20},
    {"method": "hamming", "groups": 4},
    {"method": "hamming", "groups": 6, "k": 2},
    {"method": "b"},
    {"method": "combined", "group_limit": 5},
    {"method": "min-hash", "group_limit": 7},
    {"method": "split"},
    {"method": "identity", "groups": 4},
]


@pytest.mark.parametrize("options", CASES, ids=str)
def test_pairs_are_those_of_a_database(archives, database, options):
    found = engine.pairs(engine.sketches(archives), **options)
    of_database = {name: value for name, value in options.items() if name != "groups"}
    expected = [
        ((["identity", "hot", "empty"].index(row["group"]), row["a"].encode(), row["b"].encode()), row["group"],
         row["flagged"])
        if row["group"]
        else ((3, row["a"].encode(), row["b"].encode()), row["verdict"], row["distance"], row["probability"],
              row["agreement"])
        for row in nddb.open(database).pairs(**of_database)
    ]
    assert found == expected
    assert len(expected) > 80


@pytest.mark.parametrize("options", CASES, ids=str)
def test_clusters_are_those_of_a_database(archives, database, options):
    found = engine.clusters(engine.sketches(archives, keep_words=True), **options)
    of_database = {name: value for name, value in options.items() if name != "groups"}
    expected = pyarrow.table(nddb.open(database).clusters(**of_database))
    assert found.schema.equals(expected.schema)
    assert found.equals(expected) and found.num_rows > 80


def test_losses_are_estimated_without_the_words_of_pages(archives, database):
    found = engine.clusters(engine.sketches(archives))
    assert found.equals(pyarrow.table(nddb.open(database).clusters(words="estimate")))
    with pytest.raises(ValueError, match="nonsense"):
        nddb.open(database).clusters(words="nonsense")


def test_deleted_documents_stay_founders(archives, tmp_path):
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3)) as writer:
        writer.load(archives)
    documents = engine.sketches(archives, keep_words=True)
    gone = {row["id"] for row in list(documents.values())[::7]}
    with nddb.Writer(tmp_path / "a.nddb") as writer:
        writer.rm(gone)
    for row in documents.values():
        row["deleted"] = row["id"] in gone
    for options in [{}, {"method": "hamming", "groups": 4}, {"group_limit": 10, "keep": ["longest"], "level": "same"}]:
        of_database = {name: value for name, value in options.items() if name != "groups"}
        expected = pyarrow.table(nddb.open(tmp_path / "a.nddb").clusters(**of_database))
        assert engine.clusters(documents, **options).equals(expected)
    assert set(expected["cluster"].to_pylist()) & gone


def test_bare_fingerprints_are_decided_by_hamming(tmp_path):
    pages = hot.crawl(2, 150)
    recipe = nddb.Recipe("main")
    for number, page in enumerate(pages):
        if number % 3 == 0 and "text" in page:
            page["fp"] = f"{recipe.fingerprint(text=page.pop('text')):016x}"
    paths = hot.write(tmp_path, "pages", pages, 2)
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3)) as writer:
        writer.load(paths)
    documents = engine.sketches(paths, keep_words=True)
    expected = pyarrow.table(nddb.open(tmp_path / "a.nddb").clusters())
    assert "hamming" in expected["rule"].to_pylist()
    assert engine.clusters(documents, groups=5).equals(expected)


def test_documents_that_a_load_calls_unchanged_have_equal_contents(tmp_path):
    fox = {"id": "a", "text": "the quick brown fox " * 20, "url": "https://example.org/"}
    lines = [fox, fox | {"url": "https://example.org/2"}, fox | {"text": "the lazy dog " * 20}, fox]
    paths = [hot.write(tmp_path, str(number), [line], 1)[0] for number, line in enumerate(lines)]
    contents = []
    for number, path in enumerate(paths):
        sketches = pyarrow.table(tables.sketch_archive(path, archive=number))
        of_table = nddb.Recipe().sketch_batch(pyarrow.table({"id": ["x"], "text": ["y"]}))
        assert sketches.schema.equals(pyarrow.table(of_table).schema)
        given = pyarrow.table({"number": [number], "sketch": sketches["sketch"]})
        contents.append(pyarrow.table(tables.contents(given))["content"][0].as_py())
    assert contents[0] == contents[3] and len(set(contents)) == 3
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3)) as writer:
        for line, unchanged in zip([lines[0], lines[3], lines[1], lines[2]], [0, 1, 0, 0]):
            path = hot.write(tmp_path, "line", [line], 1)[0]
            assert writer.load(path)["unchanged"] == unchanged


def test_archives_are_listed_in_the_order_of_a_load_and_what_cannot_be_read_is_told(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    b, a = hot.write(folder, "b", hot.crawl(1, 3), 1)[0], hot.write(folder, "a", hot.crawl(2, 3), 1)[0]
    assert tables.archives([b, folder]) == [b, a, b]
    with a.open("a") as file:
        file.write("no JSON\n")
    told = []
    count = pyarrow.table(tables.sketch_archive(a, skipped=lambda *entry: told.append(entry))).num_rows
    assert count >= 3 and len(told) == 1 and told[0][0] > 0
    with pytest.raises(nddb.ArchiveError):
        tables.archives([tmp_path / "none"])
    (folder / "page.html").write_text("<p>a page")
    with pytest.raises(ValueError, match="single page"):
        tables.archives([folder])
    (tmp_path / "a.u64le").write_bytes(bytes(16))
    with pytest.raises(pyarrow.ArrowInvalid, match="raw fingerprints"):
        pyarrow.table(tables.sketch_archive(tmp_path / "a.u64le"))


def test_wrong_tables_and_options_are_refused(archives):
    sketches = pyarrow.table(tables.sketch_archive(archives[0]))
    numbered = pyarrow.table({"number": [1], "sketch": sketches["sketch"][:1]})
    for wrong in [
        lambda: tables.properties(numbered, groups=3),
        lambda: tables.properties(numbered, "nonsense"),
        lambda: tables.properties(numbered, recipe="main", method="lcs"),
        lambda: tables.members(numbered, keep=["nonsense"]),
        lambda: tables.members(numbered, level="nonsense"),
        lambda: tables.members(numbered, min_probability=2),
        lambda: list(tables.properties(sketches)),
        lambda: list(tables.members(numbered)),
        lambda: list(tables.members(numbered.append_column("founder", [[2]]))),
        lambda: list(tables.stars(numbered)),
        lambda: list(tables.pairs_by_key(numbered)),
    ]:
        with pytest.raises((ValueError, nddb.UnusableMethod)):
            wrong()
