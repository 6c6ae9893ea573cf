"""What the tasks of engines do with sorted rows, whatever batches these come in, and packages that are not here."""

import itertools
import random

import pyarrow
import pytest

from nddb._packages import need
from nddb.steps import Judging, schemas
from nddb.steps.batches import runs, whole_runs
from nddb.steps.tasks import candidates as tasks


def batches(rng, keys):
    """Rows of keys and numbers in batches of any length."""
    table = pyarrow.table({"key": pyarrow.array(keys, "int64"), "number": pyarrow.array(range(len(keys)), "int64")})
    start = 0
    while start < len(keys) or rng.random() < 0.2:
        size = rng.randrange(6)
        yield from table.slice(start, size).combine_chunks().to_batches() or table.schema.empty_table().to_batches()
        start += size


def cases():
    rng = random.Random(7)
    for _ in range(200):
        keys = sorted(rng.randrange(rng.choice([1, 4, 40])) for _ in range(rng.randrange(30)))
        yield rng, keys, [[*rows] for _, rows in itertools.groupby(range(len(keys)), lambda row: keys[row])]


def test_runs_know_their_first_row_across_batches():
    for rng, keys, groups in cases():
        found = [
            (number, first, begins)
            for batch, firsts, starts in runs(batches(rng, keys), "key", first=["number"])
            for number, first, begins in zip(batch["number"].to_pylist(), firsts["number"].to_pylist(), starts)
        ]
        assert found == [(row, group[0], row == group[0]) for group in groups for row in group]


def test_whole_runs_end_with_a_run():
    for rng, keys, groups in cases():
        found = [batch["number"].to_pylist() for batch in whole_runs(batches(rng, keys), "key", rows=5)]
        assert [row for batch in found for row in batch] == list(range(len(keys)))
        ends = {group[-1] for group in groups}
        assert all(batch[-1] in ends for batch in found)
        assert all(len(batch) <= 5 + 5 + max(map(len, groups)) for batch in found)


def test_keys_of_one_document_are_left_out_and_those_of_many_are_told():
    for rng, keys, groups in cases():
        limit = rng.randrange(1, 5)
        rows = [row for batch in tasks.shared(batches(rng, keys), limit) for row in batch.to_pylist()]
        expected = [
            {"key": keys[row], "number": row, "above": place == limit}
            for group in groups if len(group) > 1 for place, row in enumerate(group)
        ]
        assert rows == expected


def test_postings_have_all_keys_of_their_document():
    given = pyarrow.table({"number": [1, 1, 2, 4, 4, 4], "key": [7, 9, 7, 1, 2, 3]})
    given = given.append_column("above", pyarrow.array([False] * 6))
    rows = [row for batch in tasks.postings(given.to_batches(max_chunksize=2)) for row in batch.to_pylist()]
    keys = {1: [7, 9], 2: [7], 4: [1, 2, 3]}
    expected = [{"key": key, "number": number, "keys": keys[number]} for number in keys for key in keys[number]]
    assert rows == expected


def test_a_package_that_is_not_here_is_named_with_the_command():
    need("pyarrow")
    with pytest.raises(ImportError, match=r"no_such_engine.*pip install no_such_engine\[data\]"):
        need("pyarrow", "no_such_engine[data]")
    assert schemas.arrow("a long, b array<long>").field("b").type == pyarrow.list_(pyarrow.int64())


def test_rules_are_a_list_or_a_text():
    rules = ["longest", "shortest-url"]
    for keep in (rules, tuple(rules), "longest,shortest-url"):
        assert Judging().of_members(keep, None)["keep"] == rules
    with pytest.raises(ValueError, match="nonsense"):
        Judging().of_members("nonsense", None)
