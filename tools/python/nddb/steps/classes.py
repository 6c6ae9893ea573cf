"""Documents that are collapsed before the search for pairs: equal texts, then equal sketches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Generic

from nddb.steps import schemas
from nddb.steps.engine import Engine, Table
from nddb.steps.options import Judging
from nddb.steps.tasks import classes as tasks


@dataclass(frozen=True)
class Classes(Generic[Table]):
    """The documents of a job, and the document that each is collapsed into."""

    #: DOCUMENTS
    documents: Table
    #: LEADERS: number, representative (the oldest document with the text), leader (the oldest one of the class), keys
    #: and fp (of leaders only), lacks, empty.
    leaders: Table
    #: The number of bit groups that fingerprints are divided into.
    groups: int
    #: Whether hamming decides about any leader, because only its fingerprint is known.
    lacks: bool
    #: The oldest document without a text.
    oldest_empty: int | None


def collapse(
    engine: Engine[Table], documents: Table, count: int, judging: Judging, *, deleted: bool
) -> Classes[Table]:
    """Finds the classes of `count` documents, with or without the deleted ones."""
    documents = engine.step(
        "documents", lambda: engine.select(documents, *schemas.names(schemas.DOCUMENTS)), schemas.DOCUMENTS
    )
    groups = judging.groups_for(count)
    options = judging.of_properties() | {"groups": groups if judging.is_by_fingerprint() else None}

    def leaders() -> Table:
        sketches = engine.select(documents, "number", "sketch", "deleted")
        known = engine.map(sketches, partial(tasks.properties, deleted=deleted, **options), schemas.PROPERTIES)
        texts = engine.arrange([known], "text", ["number"], tasks.represented, schemas.REPRESENTED)
        return engine.arrange([texts], "class", ["number"], tasks.led, schemas.LEADERS)

    found = engine.step("leaders", leaders, schemas.LEADERS)
    narrow = engine.select(found, "number", "leader", "lacks", "empty")
    parts = engine.rows(engine.map(narrow, tasks.summary, schemas.SUMMARY), schemas.SUMMARY).to_pylist()
    empty = [part["empty"] for part in parts if part["empty"] is not None]
    return Classes(documents, found, groups, any(part["lacks"] for part in parts), min(empty, default=None))
