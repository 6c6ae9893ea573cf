"""Several databases answer as one that holds what all do; sketches are loaded; batch queries are made of parts."""

import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import hot
import numpy
import pyarrow
import pyarrow.parquet
import pytest

import nddb
from nddb import tables

SHARDS = 3


@pytest.fixture(scope="module")
def databases(tmp_path_factory, table):
    """A database with the rows of the table, shard by shard, and those shards, made of sketches."""
    folder = tmp_path_factory.mktemp("shards")
    sketches = pyarrow.table(nddb.Recipe("main").sketch_batch(table[:900]))
    shards = [folder / f"{shard}.nddb" for shard in range(SHARDS)]
    for shard, path in enumerate(shards):
        own = sketches.take(list(range(shard, 900, SHARDS)))
        pyarrow.parquet.write_table(own, folder / f"{shard}.parquet")
        for database in (path, folder / "all.nddb"):
            create = None if database.exists() else nddb.Config(k=3)
            with nddb.Writer(database, create=create) as writer:
                assert writer.load(folder / f"{shard}.parquet")["documents"] == 300
    with nddb.Writer(folder / "all.nddb") as whole:
        for path in shards:
            gone = [f"page-{number}" for number in range(0, 200, 7)]
            with nddb.Writer(path) as writer:
                writer.rm(gone)
        assert whole.rm(gone) == len(gone)
    return folder / "all.nddb", shards


def lines(found):
    return [(match.id, match.distance, match.url, match.site) for match in found]


def test_sketches_become_what_their_pages_do(databases, table, tmp_path):
    with nddb.Writer(tmp_path / "pages.nddb", create=nddb.Config(k=3)) as writer:
        writer.add_batch(table[:900])
    from_pages, from_sketches = nddb.open(tmp_path / "pages.nddb"), nddb.open(databases[0])
    for number in range(1, 900, 17):
        id = f"page-{number}"
        found = from_sketches.get(id)
        assert found is None or {**found, "number": 0} == {**from_pages.get(id), "number": 0}


def test_sketches_of_another_recipe_are_refused(table, tmp_path):
    sketches = pyarrow.table(nddb.Recipe("web").sketch_batch(table[:9]))
    pyarrow.parquet.write_table(sketches, tmp_path / "web.parquet")
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        with pytest.raises(nddb.Mismatch, match="web.parquet.*'web/1'.*'main/1'"):
            writer.load(tmp_path / "web.parquet")
    assert len(nddb.open(tmp_path / "a.nddb")) == 0


def test_a_federation_answers_as_one_database(databases, table):
    whole, shards = nddb.open(databases[0]), nddb.Federation(databases[1])
    assert (len(shards), shards.k, shards.bits, shards.recipe) == (len(whole), 3, 64, "main/1")
    assert "page-1" in shards and "page-7" not in shards and shards.get("page-7") is None
    stored = shards.get("page-5")
    assert stored.pop("db") == str(databases[1][2]) and stored["url"] == whole.get("page-5")["url"]
    prints = [int(whole.get(f"page-{number}")["fp"] or "0", 16) for number in range(1, 900, 13) if number % 7]
    for print in prints:
        for options in ({}, {"k": 1}, {"limit": 2}):
            found = shards.probe(print ^ 1, **options)
            assert lines(found) == lines(whole.probe(print ^ 1, **options)), options
            assert all(match.db in map(str, databases[1]) for match in found)
    array = numpy.array(prints, dtype=numpy.uint64) ^ numpy.uint64(2)
    expected = pyarrow.table(whole.probe_batch(array))
    assert expected.num_rows > 10
    for threads in (1, 3):
        assert pyarrow.table(shards.probe_batch(array, threads=threads)).equals(expected)
    rows = table.slice(0, 900).to_pylist()
    several = 0
    for row in rows[1::11]:
        asked = [{"text": row["text"], "url": row["url"]}, {"text": row["text"], "method": "min-hash", "limit": 3}]
        if row["id"] in shards:
            asked += [{"id": row["id"]}, {"id": row["id"], "method": "hamming", "k": 2}]
        for options in asked:
            found, wanted = shards.query(**options), whole.query(**options)
            assert [(one.id, one.rule, one.scores) for one in found] == [(one.id, one.rule, one.scores) for one in wanted]
            assert (found.count, found.complete, found.method) == (wanted.count, wanted.complete, wanted.method)
            several += len({one.db for one in found}) > 1
    assert several > 10, "answers from more than one shard"
    with pytest.raises(KeyError):
        shards.query(id="page-7")
    with pytest.raises(nddb.OutOfRange):
        shards.probe_batch(array, k=17)


def test_passages_of_a_federation_are_those_of_each_database(tmp_path):
    pages, paths = hot.quoting(5, 240), [tmp_path / f"{name}.nddb" for name in "abc"]
    for number, path in enumerate(paths):
        with nddb.Writer(path, create=nddb.Config(recipe="main-parts")) as writer:
            writer.add_batch(pyarrow.Table.from_pylist(pages[number::3]))
    shards, several = nddb.Federation(paths), 0
    for page in pages[:80:4]:
        by_text = {"text": page["text"], "min_words": 9}
        for options in ({}, {"verify": True}):
            found = shards.passages(**by_text, **options)
            single = [(path, nddb.open(path).passages(**by_text, **options)) for path in paths]
            expected = [match | {"db": str(path)} for path, matches in single for match in matches]
            assert found == sorted(expected, key=lambda match: -match["words"]) and found.total == len(found)
            assert found.frequent == sum(matches.frequent for _, matches in single) > 0
            several += len({match["db"] for match in found}) > 1
        # A stored document is no match of itself, wherever it is stored.
        others = [match for match in shards.passages(**by_text) if match["id"] != page["id"]]
        assert {match["id"] for match in shards.passages(id=page["id"], min_words=9)} <= {one["id"] for one in others}
    assert several > 10, "answers from more than one database"
    assert shards.passages(text=pages[0]["text"], limit=1) == shards.passages(text=pages[0]["text"])[:1]
    other = tmp_path / "other.nddb"
    nddb.Writer(other, create=nddb.Config()).close()
    with pytest.raises(nddb.Mismatch, match="other.nddb.*without parts") as raised:
        nddb.Federation([other]).passages(text=pages[0]["text"])
    assert "main-parts" in raised.value.hint
    with pytest.raises(KeyError):
        shards.passages(id="nothing")


def test_a_federation_is_of_databases_of_one_kind(databases, tmp_path):
    shards = databases[1]
    for name, config in [
        ("k", nddb.Config(k=2)), ("width", nddb.Config(bits=32)), ("recipe", nddb.Config(recipe="web")),
    ]:
        path = tmp_path / f"{name}.nddb"
        nddb.Writer(path, create=config).close()
        with pytest.raises(nddb.Mismatch, match=f"{name}.nddb.*{name}"):
            nddb.Federation([*shards, path])
    for wrong in ([], str(shards[0]), shards[0], [7]):
        with pytest.raises((ValueError, TypeError)):
            nddb.Federation(wrong)
    with pytest.raises(nddb.NotADatabase):
        nddb.Federation([shards[0], tmp_path / "nowhere"])


def test_a_federation_follows_its_readers_and_is_pickled_as_their_paths(databases, tmp_path):
    paths = [tmp_path / "a.nddb", tmp_path / "b.nddb"]
    for path in paths:
        nddb.Writer(path, create=nddb.Config()).close()
    shards = nddb.Federation([nddb.open(paths[0]), paths[1]])
    assert [reader.path for reader in shards.readers] == paths
    assert not shards.refresh()
    with nddb.Writer(paths[1]) as writer:
        writer.add("one", fingerprint=0xFF)
    assert shards.probe(0xFF) == [] and shards.refresh() and len(shards.probe(0xFF)) == 1
    again = pickle.loads(pickle.dumps(shards))
    assert lines(again.probe(0xFF)) == [("one", 0, None, None)]
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: len(shards.probe(0xFF)) == 1, range(100)))


def test_scans_of_all_parts_are_resolved_to_what_one_machine_finds(crawl):
    db, rng = nddb.open(crawl), random.Random(7)
    prints = [int(db.get(f"page-{number}")["fp"] or "0", 16) for number in range(100, 1400, 3)]
    queries = numpy.array([print ^ (1 << rng.randrange(64)) for print in prints], dtype=numpy.uint64)
    ranges = list(tables.scan_ranges(crawl))
    assert len(ranges) > 2 and ranges[-1] == {"source": str(crawl), "first": None, "blocks": None}
    for k in (1, 3):
        found = [
            pyarrow.table(tables.scan(one["source"], queries, k, first=one["first"], blocks=one["blocks"]))
            for one in ranges
        ]
        # In any order, and more than once.
        found = pyarrow.concat_tables([*found, *found[::-1]])
        resolved = pyarrow.table(tables.resolve(crawl, found))
        expected = pyarrow.table(db.probe_batch(queries, k))
        assert resolved.equals(expected) and expected.num_rows > 100
    with pytest.raises(nddb.OutOfRange):
        list(tables.scan(ranges[-1]["source"], queries, 4))
    with pytest.raises(ValueError):
        list(tables.resolve(crawl, found.drop_columns("fp")))
