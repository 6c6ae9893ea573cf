"""Sketches the pages of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import EllipsisType
from typing import Any

import pyarrow
import pyarrow.compute as compute

from nddb.steps import schemas
from nddb.steps.batches import Batches, batch_of, made

#: Pages sketched in one call.
PAGES = 1024


def columns_of(
    there: Sequence[str],
    number: str,
    id: str,
    text: str | EllipsisType | None,
    html: str | EllipsisType | None,
    url: str | EllipsisType | None,
) -> dict[str, str]:
    """The columns to read, by role: number, id, text, html and url. `...` selects the column of the usual name, if any.

    Raises ValueError if a named column is missing, or there is no page column.
    """
    is_named = isinstance(text, str) or isinstance(html, str)

    def usual(name: str) -> str | None:
        return name if name in there and (name == "url" or not is_named) else None

    pages = {"text": text, "html": html, "url": url}
    given = {name: usual(name) if column is ... else column for name, column in pages.items()}
    if given["text"] is None and given["html"] is None:
        raise ValueError(f"there is no column of pages, text or html: the table has {', '.join(there)}")
    named = {name: column for name, column in ({"number": number, "id": id} | given).items() if column is not None}
    missing = [column for column in named.values() if column not in there]
    if missing:
        raise ValueError(f"there is no column {', '.join(missing)}: the table has {', '.join(there)}")
    return named


def check_numbers(schema: pyarrow.Schema, number: str) -> None:
    """Raises ValueError unless a column has whole numbers."""
    kind = schema.field(number).type
    if not pyarrow.types.is_integer(kind):
        raise ValueError(f"the column {number} is {kind}, and no whole number of 64 bits")


def sketched(
    batches: Batches, recipe: str, threads: int | None = 1, keep_words: bool = False
) -> Iterator[pyarrow.RecordBatch]:
    """Maps pages (number, id, and any of text, html and url) to SKETCHED. With `threads=None`, all cores work."""
    from nddb import Recipe

    made_by = Recipe(recipe)
    for batch in batches:
        names: dict[str, Any] = {name: name if name in batch.schema.names else None for name in ("text", "html", "url")}
        # The rows that are no documents are left out: the others keep their numbers.
        there = [compute.is_valid(batch[name]) for name in ("text", "html") if names[name] is not None]
        is_page = there[0] if len(there) == 1 else compute.or_(*there)
        pages = batch.filter(compute.and_(is_page, compute.is_valid(batch["id"])))
        for start in range(0, len(pages), PAGES):
            part = pages.slice(start, PAGES)
            sketches = batch_of(pyarrow.table(made_by.sketch_batch(part, threads=threads, keep_words=keep_words, **names)))
            if len(sketches) != len(part):
                raise ValueError("an id is empty, longer than 4,096 bytes, holds a NUL or begins with U+0001")
            columns = dict(zip(sketches.schema.names, sketches.columns))
            yield made(schemas.SKETCHED, number=part["number"], **columns, deleted=False)
