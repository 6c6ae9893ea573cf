"""Functions on the Arrow batches of a task, and runs of equal values in sorted batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy
import pyarrow
import pyarrow.compute

from nddb.steps import schemas

Batches = Iterable[pyarrow.RecordBatch]
Made = Iterator[pyarrow.RecordBatch]
#: A function that an engine runs on the rows of a task. It is pure: a retried task gives the same rows.
Function = Callable[[Batches], Made]


def batches_of(stream: object) -> pyarrow.RecordBatchReader:
    """The batches of a Stream."""
    return pyarrow.RecordBatchReader.from_stream(stream)


def through(function: Callable[..., object], *arguments: Any, **options: Any) -> Function:
    """Turns a function on a table into one on batches."""

    def run(batches: Batches) -> Iterator[pyarrow.RecordBatch]:
        given = iter(batches)
        first = next(given, None)
        if first is not None:
            reader = pyarrow.RecordBatchReader.from_batches(first.schema, chain([first], given))
            yield from batches_of(function(reader, *arguments, **options))

    return run


def made(schema: str, **columns: Any) -> pyarrow.RecordBatch:
    """A batch of these columns; a scalar fills its column, and columns that are not given are null."""
    count = next(len(column) for column in columns.values() if isinstance(column, (pyarrow.Array, numpy.ndarray)))
    fields = schemas.arrow(schema)

    def column(field: pyarrow.Field) -> pyarrow.Array:
        value = columns.get(field.name)
        if isinstance(value, pyarrow.Array):
            return value.cast(field.type)
        if isinstance(value, numpy.ndarray):
            return pyarrow.array(value, field.type)
        return pyarrow.repeat(pyarrow.scalar(value, field.type), count)

    return pyarrow.RecordBatch.from_arrays([column(field) for field in fields], schema=fields)


def batch_of(table: pyarrow.Table) -> pyarrow.RecordBatch:
    """A table as one batch."""
    if not table.num_rows:
        return pyarrow.RecordBatch.from_pylist([], table.schema)
    return table.combine_chunks().to_batches()[0]


def begins_of(rows: pyarrow.RecordBatch, *by: str) -> numpy.ndarray:
    """Marks the rows that begin a run, that is, differ in a column from the row before."""
    begins = numpy.ones(rows.num_rows, bool)
    if rows.num_rows > 1:
        changes = [pyarrow.compute.not_equal(rows[name].slice(1), rows[name].slice(0, len(rows) - 1)) for name in by]
        begins[1:] = numpy.logical_or.reduce([change.to_numpy(zero_copy_only=False) for change in changes])
    return begins


def runs(
    batches: Batches, *by: str, first: Sequence[str] = ()
) -> Iterator[tuple[pyarrow.RecordBatch, pyarrow.RecordBatch, numpy.ndarray]]:
    """Yields each batch, the columns `first` of the first row of each row's run, and a mask of first rows. The rows are
    sorted by the columns `by`; a run is a sequence of rows that are equal in these columns."""
    last = None
    for batch in batches:
        if not batch.num_rows:
            continue
        known = batch.select(list(dict.fromkeys([*by, *first])))
        if last is not None:
            known = _joined([last, known])
        begins = begins_of(known, *by)
        start = numpy.maximum.accumulate(numpy.where(begins, numpy.arange(len(begins)), 0))
        known = known.take(pyarrow.array(start))
        last, before = known.slice(len(known) - 1), len(known) - len(batch)
        yield batch, known.select(list(first)).slice(before), begins[before:]


def whole_runs(batches: Batches, *by: str, rows: int = 10_000) -> Iterator[pyarrow.RecordBatch]:
    """Yields the same rows in batches of about `rows` rows, without splitting a run."""
    waiting: list[pyarrow.RecordBatch] = []
    for batch, _, begins in runs(batches, *by):
        if waiting and sum(map(len, waiting)) + len(batch) >= rows and begins.any():
            end = len(begins) - 1 - int(begins[::-1].argmax())
            yield _joined([*waiting, batch.slice(0, end)])
            waiting, batch = [], batch.slice(end)
        waiting.append(batch)
    if waiting:
        yield _joined(waiting)


def several(batches: Batches, by: str) -> Iterator[tuple[pyarrow.RecordBatch, numpy.ndarray]]:
    """Yields the rows of runs of two or more, and the place of each row in its run. The rows are sorted by `by`."""
    # The first row of a run waits for the second one.
    waits: pyarrow.RecordBatch | None = None
    count = 0
    for batch, _, begins in runs(batches, by):
        if waits is not None:
            batch = _joined([waits, batch])
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


def _joined(batches: list[pyarrow.RecordBatch]) -> pyarrow.RecordBatch:
    return batch_of(pyarrow.Table.from_batches(batches))
