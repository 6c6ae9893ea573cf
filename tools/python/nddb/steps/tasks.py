"""What the tasks of the steps do: functions from Arrow batches to Arrow batches.

Each says what it takes and what it gives; where the rows have to be sorted, so is the first thing that it says. The
rules are those of `nddb.tables`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy
import pyarrow
import pyarrow.compute as compute

from nddb import tables
from nddb.steps import schemas
from nddb.steps.batches import Batches, batch_of, begins_of, made, runs, through, whole_runs

Made = Iterator[pyarrow.RecordBatch]


# Classes


def properties(batches: Batches, deleted: bool, **options: Any) -> Made:
    """Documents -> PROPERTIES; without `deleted`, of those that are not deleted."""
    living = (batch if deleted else batch.filter(compute.invert(batch["deleted"])) for batch in batches)
    sketches = (batch.select(["number", "sketch"]) for batch in living)
    for batch in through(tables.properties, **options)(sketches):
        columns = dict(zip(batch.schema.names, batch.columns))
        # An empty text is nobody else's: its own number, which is shorter than a digest.
        columns["text"] = _or_number(batch["text"], batch["number"])
        yield made(schemas.PROPERTIES, **columns)


def _or_number(digests: pyarrow.Array, numbers: pyarrow.Array) -> pyarrow.Array:
    return compute.coalesce(digests, numbers.view(pyarrow.binary(8)).cast(digests.type))


def represented(batches: Batches) -> Made:
    """Sorted by text and number: PROPERTIES -> REPRESENTED, with the class of the representative."""
    for batch, first, begins in runs(batches, "text", first=["number", "class"]):
        columns = {name: batch[name] for name in ("number", "lacks", "empty")}
        yield made(
            schemas.REPRESENTED,
            **columns,
            **_only(batch, begins),
            representative=first["number"],
            **{"class": _or_number(first["class"], first["number"])},
        )


def led(batches: Batches) -> Made:
    """Sorted by class and number: REPRESENTED -> LEADERS."""
    for batch, first, begins in runs(batches, "class", first=["number"]):
        columns = {name: batch[name] for name in ("number", "representative", "lacks", "empty")}
        yield made(schemas.LEADERS, **columns, **_only(batch, begins), leader=first["number"])


def _only(batch: pyarrow.RecordBatch, these: numpy.ndarray) -> dict[str, pyarrow.Array]:
    """What only some rows are joined by any more."""
    rows = pyarrow.array(numpy.where(these, numpy.arange(len(these)), 0), mask=~these)
    return {name: batch[name].take(rows) for name in ("keys", "fp")}


def summary(batches: Batches) -> Made:
    """LEADERS -> SUMMARY."""
    for batch in batches:
        lacks = compute.any(compute.and_(_leads(batch), batch["lacks"])).as_py()
        oldest = compute.min(batch.filter(batch["empty"])["number"]).as_py()
        if lacks or oldest is not None:
            yield pyarrow.RecordBatch.from_pylist([{"lacks": lacks, "empty": oldest}], schemas.arrow(schemas.SUMMARY))


def _leads(batch: pyarrow.RecordBatch) -> pyarrow.Array:
    return compute.equal(batch["number"], batch["leader"])


# Candidates


def leading(batches: Batches) -> Made:
    """LEADERS -> the NUMBERS of those that are leaders."""
    for batch in batches:
        yield made(schemas.NUMBERS, number=batch.filter(_leads(batch))["number"])


def keys(batches: Batches) -> Made:
    """LEADERS -> KEYS, each once."""
    for batch in batches:
        of, rows = _rows_of_keys(batch.filter(_leads(batch)))
        each = pyarrow.table({"key": rows, "number": of["number"]}).group_by(["key", "number"]).aggregate([])
        yield made(schemas.KEYS, **{name: each[name].combine_chunks() for name in ("key", "number")})


def _rows_of_keys(batch: pyarrow.RecordBatch) -> tuple[pyarrow.RecordBatch, pyarrow.Array]:
    """A row for each key of each row, and the keys."""
    return batch.take(compute.list_parent_indices(batch["keys"])), compute.list_flatten(batch["keys"])


def shared(batches: Batches, limit: int) -> Made:
    """Sorted by key and number: KEYS -> SHARED, the keys that others have too; `above` is the row after the first
    `limit` of a key."""
    for batch, place in _of_several(batches, "key"):
        yield made(schemas.SHARED, key=batch["key"], number=batch["number"], above=place == limit)


def _of_several(batches: Batches, by: str) -> Iterator[tuple[pyarrow.RecordBatch, numpy.ndarray]]:
    """The rows of runs of two and more, and the place of each in its run."""
    # The first row of a run waits for the second one.
    waits: pyarrow.RecordBatch | None = None
    count = 0
    for batch, _, begins in runs(batches, by):
        if waits is not None:
            batch = batch_of(pyarrow.Table.from_batches([waits, batch]))
            begins = numpy.concatenate([[True], begins])
        rows = numpy.arange(len(batch))
        start = numpy.maximum.accumulate(numpy.where(begins, rows, -count))
        place = rows - start
        count = int(place[-1]) + 1
        waits = batch.slice(len(batch) - 1) if count == 1 else None
        is_alone = begins & numpy.append(begins[1:], True)
        if waits is not None:
            count = 0
        yield batch.filter(pyarrow.array(~is_alone)), place[~is_alone]


def postings(batches: Batches) -> Made:
    """Sorted by number and key: SHARED -> POSTINGS, each with all keys of the document."""
    for batch in whole_runs(batches, "number"):
        ends = numpy.append(numpy.flatnonzero(begins_of(batch, "number")), len(batch))
        lists = pyarrow.ListArray.from_arrays(pyarrow.array(ends, pyarrow.int32()), batch["key"])
        of = numpy.repeat(numpy.arange(len(lists)), numpy.diff(ends))
        yield made(schemas.POSTINGS, key=batch["key"], number=batch["number"], keys=lists.take(pyarrow.array(of)))


def cut(batches: Batches) -> Made:
    """SHARED -> CUT, each key once."""
    for batch in batches:
        yield made(schemas.CUT, key=batch.filter(batch["above"])["key"])


def sharing(batches: Batches, cut: pyarrow.Array | None, group_limit: int) -> Made:
    """Sorted by key and number: POSTINGS -> CANDIDATES."""
    for batch in through(tables.pairs_by_key, cut=cut, group_limit=group_limit)(batches):
        yield made(
            schemas.CANDIDATES, older=batch["older"], newer=batch["newer"], unlisted=compute.invert(batch["listed"])
        )


def prints(batches: Batches) -> Made:
    """LEADERS with keys of fingerprints -> PRINTS, all of them wanted."""
    for batch in batches:
        yield _prints(batch.filter(_leads(batch)), None)


def prints_of(batches: Batches, **options: Any) -> Made:
    """Leaders (number, sketch) -> PRINTS; those are wanted about which simhash decides."""
    for batch in through(tables.properties, **options)(batches):
        yield _prints(batch, "lacks")


def _prints(batch: pyarrow.RecordBatch, wanted: str | None) -> pyarrow.RecordBatch:
    of, keys = _rows_of_keys(batch.filter(compute.is_valid(batch["fp"])))
    chosen = True if wanted is None else of[wanted]
    return made(schemas.PRINTS, key=keys, number=of["number"], fp=of["fp"], wanted=chosen)


def near_prints(batches: Batches, k: int, groups: int) -> Made:
    """Sorted by key and number: PRINTS -> CANDIDATES."""
    for batch in through(tables.pairs_by_fingerprint, k=k, groups=groups)(batches):
        yield made(schemas.CANDIDATES, older=batch["older"], newer=batch["newer"], unlisted=False)


def once(batches: Batches) -> Made:
    """Sorted by newer, older and unlisted: CANDIDATES -> each pair once, listed if it is in one row."""
    for batch, _, begins in runs(batches, "newer", "older"):
        yield batch.filter(pyarrow.array(begins))


# Pairs


def near(batches: Batches, **options: Any) -> Made:
    """CANDIDATES with both sketches -> NEAR."""
    for batch in batches:
        decided = _decided(batch, **options)
        kept = ("older", "newer", "unlisted")
        rows = made(schemas.NEAR, **{name: batch[name] for name in kept}, **decided)
        yield rows.filter(compute.equal(rows["near"], True))


def _decided(batch: pyarrow.RecordBatch, **options: Any) -> dict[str, pyarrow.Array]:
    """What is decided of pairs of sketches, row by row."""
    older, newer = (pyarrow.table({"sketch": batch[f"sketch_{which}"]}) for which in ("older", "newer"))
    decided = batch_of(pyarrow.table(tables.decide(older, newer, **options)))
    return dict(zip(decided.schema.names, decided.columns))


def collapsed(batches: Batches, oldest_empty: int | None) -> Made:
    """LEADERS -> GROUPS: identity sets, hot groups, and the empty documents."""
    for batch in batches:
        represents = compute.equal(batch["number"], batch["representative"])
        kinds = [("representative", None), ("leader", represents), ("empty", batch["empty"])]
        for kind, (name, these) in enumerate(kinds):
            rows = batch if these is None else batch.filter(these)
            founder = oldest_empty if name == "empty" else rows[name]
            groups = made(schemas.GROUPS, kind=kind, founder=founder, number=rows["number"])
            yield groups.filter(compute.not_equal(groups["number"], groups["founder"]))


def sized(batches: Batches, limit: int) -> Made:
    """Sorted by founder and kind: GROUPS -> SIZED; more than `limit` documents are flagged."""
    for batch in whole_runs(batches, "founder", "kind"):
        begins = begins_of(batch, "founder", "kind")
        sizes = numpy.diff(numpy.append(numpy.flatnonzero(begins), len(batch)))
        columns = dict(zip(batch.schema.names, batch.columns))
        # The founder itself is in none of the rows.
        yield made(schemas.SIZED, **columns, flagged=numpy.repeat(sizes + 1 > limit, sizes))


GROUP_NAMES = pyarrow.array(["identity", "hot", "empty"])


def groups_listed(batches: Batches, method: str) -> Made:
    """SIZED with both ids -> KIND."""
    for batch in batches:
        columns = {name: batch[name] for name in ("kind", "a", "b", "flagged")}
        yield made(schemas.KIND, **columns, group=GROUP_NAMES.take(batch["kind"]), method=method)


def pairs_listed(batches: Batches, method: str) -> Made:
    """NEAR -> KIND; the order of a pair is that of its ids."""
    for batch in batches:
        rows = batch.filter(compute.invert(batch["unlisted"]))
        columns = dict(zip(rows.schema.names, rows.columns))
        swapped = compute.less(rows["b"], rows["a"])
        columns |= {
            "a": compute.if_else(swapped, rows["b"], rows["a"]),
            "b": compute.if_else(swapped, rows["a"], rows["b"]),
            "verdict": rows["rule"],
        }
        yield made(schemas.KIND, **columns, kind=3, method=method)


# Clusters


def joined(batches: Batches) -> Made:
    """Sorted by newer and older: NEAR -> CHOICES, a row for each leader that joined a founder."""
    for batch in through(tables.stars)(batches):
        yield made(schemas.CHOICES, leader=batch["number"], number=batch["number"], joined=batch["founder"], rank=0)


def choices(batches: Batches) -> Made:
    """NEAR -> CHOICES, both ways."""
    for batch in batches:
        for leader, other in (("older", "newer"), ("newer", "older")):
            yield made(
                schemas.CHOICES, leader=batch[leader], number=batch[other], nearness=batch["nearness"], rank=1
            )


def members_waiting(batches: Batches) -> Made:
    """LEADERS -> CHOICES, a row for each member of a class."""
    for batch in batches:
        members = batch.filter(compute.invert(_leads(batch)))
        yield made(schemas.CHOICES, leader=members["leader"], number=members["number"], rank=1)


def founders_only(batches: Batches) -> Made:
    """Sorted by number and rank: CHOICES -> those of documents that joined none."""
    for batch, first, _ in runs(batches, "number", first=["rank"]):
        yield batch.filter(compute.equal(first["rank"], 1))


def choose(batches: Batches) -> Made:
    """Sorted by leader, rank and number: CHOICES -> CHOSEN, a row for each member of a class whose leader joined."""
    leaders: deque[int] = deque()

    def given() -> Made:
        for batch, first, _ in runs(batches, "leader", first=["rank", "joined"]):
            is_member = compute.is_null(batch["nearness"])
            joined = compute.if_else(is_member, first["joined"], pyarrow.scalar(None, pyarrow.int64()))
            rows = made(
                schemas.CHOICES, **{name: batch[name] for name in ("leader", "number", "nearness", "rank")},
                joined=joined,
            )
            rows = rows.filter(compute.and_(compute.equal(first["rank"], 0), compute.equal(batch["rank"], 1)))
            leaders.extend(rows.filter(compute.is_null(rows["nearness"]))["leader"].to_pylist())
            yield rows

    for batch in through(tables.choose)(given()):
        of = numpy.array([leaders.popleft() for _ in range(len(batch))], numpy.int64)
        yield made(schemas.CHOSEN, leader=of, number=batch["number"], founder=batch["founder"])


def apart(batches: Batches, **options: Any) -> Made:
    """CHOSEN with the sketches of founder and member -> those members that are not near the founder."""
    for batch in batches:
        near = _decided(batch, **options)["near"]
        columns = {name: batch[name] for name in schemas.names(schemas.CHOSEN)}
        yield made(schemas.CHOSEN, **columns).filter(compute.equal(near, False))


def parted(batches: Batches) -> Made:
    """Sorted by leader and number: CHOSEN -> FOUNDERS, the oldest member of those that found a cluster together."""
    for batch, first, _ in runs(batches, "leader", first=["number"]):
        yield made(schemas.FOUNDERS, number=batch["number"], founder=first["number"], rank=1)


def chosen(batches: Batches) -> Made:
    """CHOSEN -> FOUNDERS."""
    for batch in batches:
        yield made(schemas.FOUNDERS, number=batch["number"], founder=batch["founder"], rank=2)


def joined_founders(batches: Batches) -> Made:
    """The CHOICES of leaders that joined -> FOUNDERS."""
    for batch in batches:
        yield made(schemas.FOUNDERS, number=batch["number"], founder=batch["joined"], rank=3)


def leaders_found(batches: Batches, oldest_empty: int | None) -> Made:
    """LEADERS -> FOUNDERS: the leader, before all others the oldest empty document for an empty one."""
    for batch in batches:
        empty = batch["empty"]
        yield made(
            schemas.FOUNDERS,
            number=batch["number"],
            founder=compute.if_else(empty, pyarrow.scalar(oldest_empty, pyarrow.int64()), batch["leader"]),
            rank=compute.if_else(empty, 0, 4),
        )


def first_founders(batches: Batches) -> Made:
    """Sorted by number and rank: FOUNDERS -> CLUSTERED, a row for each document."""
    for batch, _, begins in runs(batches, "number"):
        yield batch.filter(pyarrow.array(begins)).select(["number", "founder"])


def clustered(batches: Batches) -> Made:
    """Sorted by founder and number: CLUSTERED -> those of two documents and more."""
    for batch, _ in _of_several(batches, "founder"):
        yield made(schemas.CLUSTERED, number=batch["number"], founder=batch["founder"])


def members(batches: Batches, **options: Any) -> Made:
    """Sorted by founder and number: CLUSTERED with sketch, deleted and archive -> PLACED."""
    for batch in whole_runs(batches, "founder"):
        rows = batch_of(pyarrow.table(tables.members(batch, **options)))
        columns = dict(zip(rows.schema.names, rows.columns))
        yield made(schemas.PLACED, **columns, made=batch["founder"][0].as_py(), place=numpy.arange(len(rows)))
