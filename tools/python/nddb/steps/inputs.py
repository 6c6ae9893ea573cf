"""The documents of a job, checked before its first step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy
import pyarrow
import pyarrow.compute

from nddb.steps import schemas
from nddb.steps.batches import Batches, made, runs
from nddb.steps.engine import Engine, Table


def count_of(engine: Engine[Table], documents: Table, columns: Sequence[str], made_by: str) -> int:
    """The number of documents. Raises ValueError if a column is missing (the message names the function `made_by`), or
    if numbers are missing or not unique."""
    missing = [name for name in schemas.names(schemas.DOCUMENTS) if name not in columns]
    if missing:
        raise ValueError(f"the table has no column {', '.join(missing)}: make it by {made_by}")
    numbers = engine.map(engine.select(documents, "number"), _numbers, schemas.NUMBERED)
    counts = engine.arrange([numbers], "number", [], _counted, schemas.COUNTS)
    rows = engine.rows(counts, schemas.COUNTS)
    count, unnumbered, repeated = (pyarrow.compute.sum(rows[name]).as_py() or 0 for name in rows.column_names)
    check_numbered(count, unnumbered, repeated)
    return int(count)


def check_numbered(count: int, unnumbered: int, repeated: int) -> None:
    """Raises ValueError if a document has no number, or the number of another document."""
    if unnumbered:
        raise ValueError(f"{unnumbered} of {count} documents have no number")
    if repeated:
        raise ValueError(f"{repeated} of {count} documents have the number of another one")


def _numbers(batches: Batches) -> Iterator[pyarrow.RecordBatch]:
    for batch in batches:
        number = batch["number"]
        yield made(schemas.NUMBERED, number=number.fill_null(0), is_missing=number.is_null())


def _counted(batches: Batches) -> Iterator[pyarrow.RecordBatch]:
    for batch, _, begins in runs(batches, "number"):
        missing = batch["is_missing"].to_numpy(zero_copy_only=False)
        counts = {"documents": len(batch), "unnumbered": missing.sum(), "repeated": (~begins & ~missing).sum()}
        yield made(schemas.COUNTS, **{name: numpy.array([count]) for name, count in counts.items()})
