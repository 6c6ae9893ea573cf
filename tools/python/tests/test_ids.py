"""Ids are texts and numbers: 1 and "1" are two documents."""

import json
import pickle

import pyarrow
import pytest
from conftest import FOX

import nddb


@pytest.fixture
def both(tmp_path):
    """A database of the number 1 and the text "1", near-duplicates of each other."""
    path = tmp_path / "both.nddb"
    with nddb.Writer(path, create=nddb.Config()) as writer:
        assert writer.add(1, text=FOX) == "new"
        assert writer.add("1", text=FOX + " again") == "new"
    return path


def test_numbers_and_texts_are_found_as_what_they_are(both):
    db = nddb.open(both)
    assert len(db) == 2
    assert [db.get(id)["id"] for id in (1, "1")] == [1, "1"]
    assert db.get(1)["digest"] != db.get("1")["digest"]
    assert [[match.id for match in db.query(id=id)] for id in (1, "1")] == [["1"], [1]]
    assert [match.id for match in db.query(text=FOX)] == [1, "1"]
    found = db.probe(int(db.get(1)["fp"], 16), k=0)
    assert [match.id for match in found if match.id == 1] == [1]
    assert repr(found[0]).startswith("<Match 1 at ")
    answer = db.query(text=FOX)
    assert repr(answer[0]).startswith("<NearDuplicate 1 by ") and repr(answer[1]).startswith('<NearDuplicate "1" by ')
    for result in (found, answer):
        assert pickle.loads(pickle.dumps(result)) == result
    assert list(db.why(1, "1"))[0]["holds"]
    shards = nddb.Federation([both])
    assert (shards.get(1)["id"], shards.get("1")["id"]) == (1, "1")
    assert 1 in shards and "1" in shards and 2 not in shards and "2" not in shards
    # Tables have text.
    pair = next(iter(db.pairs(expand=True)))
    assert (pair["a"], pair["b"]) == ("1", "1")
    assert [row["id"] for row in db.clusters()] == ["1", "1"]


def test_a_text_of_digits_finds_a_number_where_there_is_no_text(both, tmp_path):
    with nddb.Writer(both) as writer:
        assert writer.rm("1") == 1
    db = nddb.open(both)
    assert (db.get("1")["id"], "1" in db, 1 in db) == (1, True, True)
    with nddb.Writer(both) as writer:
        assert writer.rm(["1", 2]) == 1
    assert len(nddb.open(both)) == 0
    with nddb.Writer(both) as writer:
        writer.add("1", text=FOX)
        assert writer.rm(1) == 0
        assert writer.add_if_new(7, text=FOX).of == "1"
    db = nddb.open(both)
    assert db.get(1) is None and 1 not in db
    with pytest.raises(KeyError):
        db.query(id=1)
    with pytest.raises(KeyError):
        db.why(1, "1")


def test_numbers_have_64_bits_and_no_text_is_one(tmp_path):
    path = tmp_path / "a.nddb"
    numbers = [-(2**63), -5, 0, 2**64 - 1]
    with nddb.Writer(path, create=nddb.Config()) as writer:
        for index, number in enumerate(numbers):
            assert writer.add(number, fingerprint=index * 0x0101010101010101) == "new"
        verdict = writer.add_if_new("x", fingerprint=2 * 0x0101010101010101)
        assert (verdict.of, type(verdict.of)) == (0, int) and repr(verdict) == "<Verdict duplicate of 0 by hamming>"
        assert pickle.loads(pickle.dumps(verdict)) == verdict
        for number in (2**64, -(2**63) - 1):
            with pytest.raises(OverflowError):
                writer.add(number, text=FOX)
        with pytest.raises(nddb.InvalidDocument, match=r"U\+0001"):
            writer.add("\x015", text=FOX)
        with pytest.raises(TypeError):
            writer.add(1.5, text=FOX)
    db = nddb.open(path)
    assert [db.get(number)["id"] for number in numbers] == numbers
    assert "\x010" not in db


def test_columns_of_integers_are_numbers(tmp_path, command):
    path = tmp_path / "a.nddb"
    texts = [FOX + f" and {word}" for word in ("one more", "another")]
    for kind in (pyarrow.int8(), pyarrow.int64(), pyarrow.uint32(), pyarrow.uint64()):
        with nddb.Writer(path, create=None if path.exists() else nddb.Config()) as writer:
            table = pyarrow.table({"id": pyarrow.array([1, 2], kind), "text": texts})
            said = writer.add_batch(table)
            assert said["documents"] + said["unchanged"] == 2
    assert len(nddb.open(path)) == 2
    table = pyarrow.table({"id": ["1", "\x013"], "text": texts})
    with nddb.Writer(path) as writer:
        said = writer.add_batch(table)
    assert (said["documents"], said["replaced"], said["skipped"]) == (1, 0, 1)
    lines = tmp_path / "lines.jsonl"
    lines.write_text("".join(json.dumps({"id": id, "text": texts[0]}) + "\n" for id in (1, "1")))
    with nddb.Writer(path) as writer:
        assert writer.load(lines)["unchanged"] == 2
    db = nddb.open(path)
    assert [db.get(id)["id"] for id in (1, "1", 2)] == [1, "1", 2]
    ids = pyarrow.chunked_array([pyarrow.array([1]), pyarrow.array([1])])
    sketches = pyarrow.table(nddb.Recipe("main").sketch_batch(pyarrow.table({"id": ids, "text": texts})))
    assert sketches.select(["id", "is_number"]).to_pylist() == [{"id": "1", "is_number": True}] * 2
    sketches = pyarrow.table(nddb.Recipe("main").sketch_batch(table))
    assert sketches.select(["id", "is_number"]).to_pylist() == [{"id": "1", "is_number": False}]
