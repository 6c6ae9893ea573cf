"""Passages that documents have in common: what `nddb pairs --parts` gives."""

from __future__ import annotations

from functools import partial
from typing import Any

import pyarrow.compute as compute

from nddb import tables
from nddb.steps import schemas
from nddb.steps.batches import Batches, Function, Made, made, through
from nddb.steps.engine import Engine, Table
from nddb.steps.pairs import with_sketches


def parts(
    engine: Engine[Table], documents: Table, *, k: int = 3, min_words: int = 20, min_containment: float = 0.0
) -> Table:
    """The first ten columns of `Reader.passage_pairs`, in the same order, of documents that are not deleted.

    As in a database of `k`, a part in many texts, of which those within `k` bits count once, begins no passage, and of
    other parts the oldest documents are looked at. So no part pairs all documents that have it.
    """
    # What makes no sense is refused here, and not by each task.
    tables.passages_of_pairs(schemas.arrow(schemas.NUMBERS).empty_table(), min_containment=min_containment)
    documents = engine.step(
        "documents", lambda: engine.select(documents, *schemas.names(schemas.DOCUMENTS)), schemas.DOCUMENTS
    )
    postings = engine.map(engine.select(documents, "number", "sketch", "deleted"), _postings, schemas.PART_KEYS)
    paired = _by(tables.pairs_by_part, schemas.COMMON, k=k)
    common = engine.step(
        "common", lambda: engine.arrange([postings], "key", ["number"], paired, schemas.COMMON), schemas.COMMON
    )
    compared = _by(tables.candidates_by_part, schemas.COMPARED, min_words=min_words)
    pairs = engine.arrange([common], "newer", ["older", "key"], compared, schemas.COMPARED)
    both = with_sketches(engine, pairs, documents, "older", "newer")
    found = _by(tables.passages_of_pairs, schemas.OF_NUMBERS, min_words=min_words, min_containment=min_containment)
    rows = engine.map(both, found, schemas.OF_NUMBERS)
    return engine.sort([rows], ["newer", "older", "b_start"], schemas.names(schemas.PASSAGES))


def _by(function: Any, schema: str, **options: Any) -> Function:
    return partial(_made, function=function, schema=schema, options=options)


def _made(batches: Batches, function: Any, schema: str, options: dict[str, Any]) -> Made:
    """The rows of a function of `nddb.tables`, with the columns that engines expect."""
    for batch in through(function, **options)(batches):
        yield made(schema, **dict(zip(batch.schema.names, batch.columns)))


def _postings(batches: Batches) -> Made:
    """Documents -> PART_KEYS of those that are not deleted."""
    living = (batch.filter(compute.invert(batch["deleted"])) for batch in batches)
    yield from _made(living, tables.part_keys, schemas.PART_KEYS, {})
