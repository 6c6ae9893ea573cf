"""From LEADERS to CANDIDATES."""

from __future__ import annotations

from typing import Any

import numpy
import pyarrow
import pyarrow.compute as compute

from nddb import tables
from nddb.steps import schemas
from nddb.steps.batches import Batches, Made, begins_of, made, runs, several, through, whole_runs
from nddb.steps.tasks.classes import leads


def leading(batches: Batches) -> Made:
    """LEADERS -> NUMBERS of the documents that are leaders."""
    for batch in batches:
        yield made(schemas.NUMBERS, number=batch.filter(leads(batch))["number"])


def keys(batches: Batches) -> Made:
    """LEADERS -> KEYS, each row once."""
    for batch in batches:
        of, rows = _rows_of_keys(batch.filter(leads(batch)))
        each = pyarrow.table({"key": rows, "number": of["number"]}).group_by(["key", "number"]).aggregate([])
        yield made(schemas.KEYS, **{name: each[name].combine_chunks() for name in ("key", "number")})


def _rows_of_keys(batch: pyarrow.RecordBatch) -> tuple[pyarrow.RecordBatch, pyarrow.Array]:
    """A row for each key of each row, and the keys."""
    others = [name for name in batch.schema.names if name != "keys"]
    return batch.select(others).take(compute.list_parent_indices(batch["keys"])), compute.list_flatten(batch["keys"])


def shared(batches: Batches, limit: int) -> Made:
    """KEYS sorted by key and number -> SHARED, the keys of several leaders; `above` marks the row after the first
    `limit` rows of a key."""
    for batch, place in several(batches, "key"):
        yield made(schemas.SHARED, key=batch["key"], number=batch["number"], above=place == limit)


def postings(batches: Batches) -> Made:
    """SHARED sorted by number and key -> POSTINGS, each row with all keys of its document."""
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
    """POSTINGS sorted by key and number -> CANDIDATES."""
    for batch in through(tables.pairs_by_key, cut=cut, group_limit=group_limit)(batches):
        yield made(
            schemas.CANDIDATES, older=batch["older"], newer=batch["newer"], unlisted=compute.invert(batch["listed"])
        )


def prints(batches: Batches) -> Made:
    """LEADERS with keys of fingerprints -> PRINTS; `wanted` is true for all."""
    for batch in batches:
        yield _prints(batch.filter(leads(batch)), None)


def prints_of(batches: Batches, **options: Any) -> Made:
    """Leaders (number, sketch) -> PRINTS; `wanted` is true if hamming decides."""
    for batch in through(tables.properties, **options)(batches):
        yield _prints(batch, "lacks")


def _prints(batch: pyarrow.RecordBatch, wanted: str | None) -> pyarrow.RecordBatch:
    of, keys = _rows_of_keys(batch.filter(compute.is_valid(batch["fp"])))
    chosen = True if wanted is None else of[wanted]
    return made(schemas.PRINTS, key=keys, number=of["number"], fp=of["fp"], wanted=chosen)


def near_prints(batches: Batches, k: int, groups: int) -> Made:
    """PRINTS sorted by key and number -> CANDIDATES."""
    for batch in through(tables.pairs_by_fingerprint, k=k, groups=groups)(batches):
        yield made(schemas.CANDIDATES, older=batch["older"], newer=batch["newer"], unlisted=False)


def once(batches: Batches) -> Made:
    """CANDIDATES sorted by newer, older and unlisted -> each pair once, listed if any of its rows is."""
    for batch, _, begins in runs(batches, "newer", "older"):
        yield batch.filter(pyarrow.array(begins))
