"""Sketches without a database decide as a database does."""

import pickle

import pyarrow
import pyarrow.parquet
import pytest
from conftest import FOX

import nddb


def sketches_of(table, **options):
    return pyarrow.table(nddb.Recipe("main").sketch_batch(table, **options))


def test_sketches_are_those_that_a_database_stores(crawl, table):
    db = nddb.open(crawl)
    rows = sketches_of(table, threads=3).to_pylist()
    assert [row["id"] for row in rows] == table["id"].to_pylist()
    recipe = nddb.Recipe("main")
    for number in (1, 500, 1400):
        row, stored, page = rows[number], db.get(f"page-{number}"), table.slice(number, 1).to_pylist()[0]
        assert row["site"] == stored["site"] and row["tokens"] == stored["tokens"] and row["url"] == stored["url"]
        assert f"{row['fp'] % (1 << 64):016x}" == stored["fp"]
        assert recipe.fingerprint(text=page["text"], url=page["url"]) == row["fp"] % (1 << 64)
        sketch = recipe.sketch(text=page["text"], url=page["url"])
        assert sketch == {key: stored[key] for key in sketch} and "min_bytes" in sketch
    empty = [row for row in rows if row["tokens"] < 2]
    assert empty and all(row["fp"] is None for row in empty)


def test_fingerprints_are_those_of_the_command(command, tmp_path):
    (tmp_path / "page.txt").write_text(FOX)
    (tmp_path / "page.html").write_text(f"<html><body><p>{FOX}</p></body></html>")
    for label in ["main", "web", "seomoz", "web-2grams"]:
        recipe = nddb.Recipe(label)
        for kind in ("text", "html"):
            file = tmp_path / f"page.{'txt' if kind == 'text' else 'html'}"
            for body in (file.read_text(), file.read_bytes()):
                expected = command("fp", file, "--recipe", label).decode().strip()
                assert f"{recipe.fingerprint(**{kind: body}):016x}" == expected
        assert pickle.loads(pickle.dumps(recipe)).label == recipe.label


@pytest.mark.parametrize("method", ["model", "b", "hamming", "identity"])
def test_joined_keys_and_decisions_give_the_pairs_of_a_database(tmp_path, table, method):
    table = table[:500]
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config(k=3)) as writer:
        writer.add_batch(table)
    expected = {
        (row["a"], row["b"]): row["distance"]
        for row in nddb.open(tmp_path / "a.nddb").pairs(method, expand=True)
    }
    sketches = sketches_of(table)
    by_key = {}
    for row in nddb.candidate_keys(sketches, method, k=3):
        by_key.setdefault(row["key"], []).append(row["id"])
    index = {id: number for number, id in enumerate(sketches["id"].to_pylist())}
    candidates = sorted({
        (a, b)
        for ids in by_key.values()
        for a in ids
        for b in ids
        if index[a] < index[b]
    })
    left, right = ([index[pair[side]] for pair in candidates] for side in (0, 1))
    decided = nddb.decide(sketches.take(left), sketches.take(right), method, k=3)
    found = {tuple(sorted((row["a"], row["b"]))): row["distance"] for row in decided if row["near"]}
    assert found == {tuple(sorted(pair)): distance for pair, distance in expected.items()}
    assert len(found) > 30 and len(candidates) < 500 * 499 / 4


def test_what_is_no_sketch_is_refused(table):
    sketches = sketches_of(table[:3])
    assert [row["near"] for row in nddb.decide(sketches, sketches)] == [True] * 3
    for wrong in [
        lambda: list(nddb.decide(sketches, sketches[:2])),
        lambda: list(nddb.decide(table, table)),
        lambda: list(nddb.candidate_keys(pyarrow.table({"sketch": [b"nonsense"]}))),
        lambda: nddb.candidate_keys(sketches, "nonsense"),
        lambda: nddb.candidate_keys([1, 2]),
    ]:
        with pytest.raises(ValueError):
            wrong()
    for wrong in [lambda: nddb.candidate_keys(sketches, "lcs"), lambda: nddb.decide(sketches, sketches, "lcs")]:
        with pytest.raises(nddb.UnusableMethod):
            wrong()


def test_a_database_takes_the_words_of_sketches_if_it_keeps_words(tmp_path, table):
    table = table[:500]
    pyarrow.parquet.write_table(sketches_of(table, keep_words=True), tmp_path / "sketches.parquet")
    members = {}
    for name, keep_words in [("pages", True), ("sketches", True), ("sketches", False)]:
        path = tmp_path / f"{name}-{keep_words}.nddb"
        with nddb.Writer(path, create=nddb.Config(k=3, keep_words=keep_words)) as writer:
            writer.add_batch(table) if name == "pages" else writer.load(tmp_path / "sketches.parquet")
        found = nddb.open(path).clusters(words="stored")
        members[name, keep_words] = [(row["id"], row["verdict"], row["kept"]) for row in found]
    assert members["sketches", True] == members["pages", True] != members["sketches", False]
