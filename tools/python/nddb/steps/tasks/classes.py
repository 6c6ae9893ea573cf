"""From documents to LEADERS."""

from __future__ import annotations

from typing import Any

import numpy
import pyarrow
import pyarrow.compute as compute

from nddb import tables
from nddb.steps import schemas
from nddb.steps.batches import Batches, Made, made, runs, through


def properties(batches: Batches, deleted: bool, **options: Any) -> Made:
    """Documents -> PROPERTIES; deleted documents are included only with `deleted`."""
    living = (batch if deleted else batch.filter(compute.invert(batch["deleted"])) for batch in batches)
    sketches = (batch.select(["number", "sketch"]) for batch in living)
    for batch in through(tables.properties, **options)(sketches):
        columns = dict(zip(batch.schema.names, batch.columns))
        # An empty text is nobody else's: its own number, which is shorter than a digest.
        columns["text"] = _or_number(batch["text"], batch["number"])
        # Of those with one text only the oldest goes on, and rows are in the order of age: of a hot text few are wide.
        texts = columns["text"].dictionary_encode().indices.to_numpy()
        is_first = numpy.zeros(len(batch), bool)
        is_first[numpy.unique(texts, return_index=True)[1]] = True
        yield made(schemas.PROPERTIES, **columns | _only(batch, is_first))


def _or_number(digests: pyarrow.Array, numbers: pyarrow.Array) -> pyarrow.Array:
    return compute.coalesce(digests, numbers.view(pyarrow.binary(8)).cast(digests.type))


def represented(batches: Batches) -> Made:
    """PROPERTIES sorted by text and number -> REPRESENTED, with the class of the representative."""
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
    """REPRESENTED sorted by class and number -> LEADERS."""
    for batch, first, begins in runs(batches, "class", first=["number"]):
        columns = {name: batch[name] for name in ("number", "representative", "lacks", "empty")}
        yield made(schemas.LEADERS, **columns, **_only(batch, begins), leader=first["number"])


def _only(batch: pyarrow.RecordBatch, these: numpy.ndarray) -> dict[str, pyarrow.Array]:
    """The columns keys and fp, null except in these rows."""
    rows = pyarrow.array(numpy.where(these, numpy.arange(len(these)), 0), mask=~these)
    return {name: batch[name].take(rows) for name in ("keys", "fp")}


def summary(batches: Batches) -> Made:
    """LEADERS -> SUMMARY."""
    for batch in batches:
        lacks = compute.any(compute.and_(leads(batch), batch["lacks"])).as_py()
        oldest = compute.min(batch.filter(batch["empty"])["number"]).as_py()
        if lacks or oldest is not None:
            yield pyarrow.RecordBatch.from_pylist([{"lacks": lacks, "empty": oldest}], schemas.arrow(schemas.SUMMARY))


def leads(batch: pyarrow.RecordBatch) -> pyarrow.Array:
    """Which documents are leaders."""
    return compute.equal(batch["number"], batch["leader"])
