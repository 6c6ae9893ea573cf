"""What a task does with its partition: functions from record batches to record batches, without Spark.

Each is pure: a task that is tried again, or twice at a time, gives the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import pyarrow
import pyarrow.compute

from nddb import tables

Batches = Iterable[pyarrow.RecordBatch]

#: A document is the page of this index in the archive of the number above these bits.
INDEX_BITS = 32


def batches_of(stream: object) -> pyarrow.RecordBatchReader:
    """The batches of a Stream."""
    return pyarrow.RecordBatchReader.from_stream(stream)


def through(function: Callable[..., object], *arguments: Any, **options: Any) -> Callable[[Batches], Iterator]:
    """Makes a function of a table one of the batches of a partition."""

    def run(batches: Batches) -> Iterator[pyarrow.RecordBatch]:
        given = iter(batches)
        first = next(given, None)
        if first is not None:
            reader = pyarrow.RecordBatchReader.from_batches(first.schema, chain([first], given))
            yield from batches_of(function(reader, *arguments, **options))

    return run


def sketch(batches: Batches, **options: Any) -> Iterator[pyarrow.RecordBatch]:
    """Archives (archive, path) -> the documents of each, in their order, with their numbers."""
    for batch in batches:
        for archive, path in zip(batch["archive"].to_pylist(), batch["path"].to_pylist()):
            index = archive << INDEX_BITS
            for sketches in batches_of(tables.sketch_archive(path, archive=archive, threads=1, **options)):
                count = sketches.num_rows
                numbers = pyarrow.array(range(index, index + count), pyarrow.int64())
                names = pyarrow.repeat(pyarrow.scalar(path, pyarrow.string()), count)
                index += count
                yield pyarrow.RecordBatch.from_arrays(
                    [numbers, *sketches.columns, names], ["number", *sketches.schema.names, "archive"]
                )


def sketch_pages(batches: Batches, recipe: str, names: dict[str, Any]) -> Iterator[pyarrow.RecordBatch]:
    """Pages (number, id, text or html, url) -> their sketches, with their numbers."""
    from nddb import Recipe

    made = Recipe(recipe)
    for batch in batches:
        # The rows that are no documents are left out: the others keep their numbers.
        page = [batch[name] for name in (names["text"], names["html"]) if name in batch.schema.names]
        said = pyarrow.compute.is_valid(batch[names["id"]])
        if page:
            said = pyarrow.compute.and_(said, pyarrow.compute.is_valid(pyarrow.compute.coalesce(*page)))
        for row in _pieces(batch.filter(said)):
            sketches = pyarrow.table(made.sketch_batch(row, threads=1, **names)).combine_chunks().to_batches()
            for part in sketches:
                if part.num_rows != row.num_rows:
                    raise ValueError("an id is empty, longer than 4,096 bytes, or holds a NUL")
                none = pyarrow.nulls(part.num_rows, pyarrow.string())
                yield pyarrow.RecordBatch.from_arrays(
                    [row["number"], *part.columns, none], ["number", *part.schema.names, "archive"]
                )


def _pieces(batch: pyarrow.RecordBatch, rows: int = 1024) -> Iterator[pyarrow.RecordBatch]:
    return (batch.slice(start, rows) for start in range(0, batch.num_rows, rows))


def decide(batches: Batches, near_only: bool, **options: Any) -> Iterator[pyarrow.RecordBatch]:
    """Pairs (older, newer, ..., sketch_older, sketch_newer) -> the pairs with evidence and decision."""
    for batch in batches:
        if batch.num_rows == 0:
            continue
        older, newer = (
            pyarrow.table({"sketch": batch[f"sketch_{which}"]}) for which in ("older", "newer")
        )
        decided = pyarrow.table(tables.decide(older, newer, **options)).combine_chunks()
        others = [name for name in batch.schema.names if not name.startswith("sketch_")]
        for name in reversed(others):
            decided = decided.add_column(0, name, pyarrow.chunked_array([batch[name]]))
        if near_only:
            decided = decided.filter(pyarrow.compute.equal(decided["near"], True))
        yield from decided.to_batches()
