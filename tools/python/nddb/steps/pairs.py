"""All near-duplicate pairs and groups of equal documents, as `nddb pairs` gives them."""

from __future__ import annotations

from functools import partial

from nddb.steps import schemas
from nddb.steps.candidates import candidates
from nddb.steps.classes import Classes, collapse
from nddb.steps.engine import Engine, Table
from nddb.steps.options import Judging
from nddb.steps.tasks import pairs as tasks


def pairs(engine: Engine[Table], documents: Table, count: int, judging: Judging) -> Table:
    """The rows of `Reader.pairs`, in their order; `count` is the number of documents."""
    classes = collapse(engine, documents, count, judging, deleted=False)
    found = near(engine, classes, judging)
    name = judging.name()
    both = with_sketches(engine, found, classes.documents, "older", "newer")
    listed = engine.map(both, partial(tasks.pairs_listed, **judging.of_decisions()), schemas.KIND)
    leaders = engine.select(classes.leaders, "number", "representative", "leader", "empty")
    groups = engine.map(leaders, partial(tasks.collapsed, oldest_empty=classes.oldest_empty), schemas.GROUPS)
    sized = partial(tasks.sized, limit=judging.group_limit)
    rows = engine.arrange([groups], "founder", ["kind", "number"], sized, schemas.SIZED)
    for role, id in (("founder", "a"), ("number", "b")):
        rows = engine.join(rows, engine.select(classes.documents, **{role: "number", id: "id"}), role)
    grouped = engine.map(rows, partial(tasks.groups_listed, method=name), schemas.KIND)
    # Groups by kind, then pairs; each in the order of ids.
    return engine.sort([grouped, listed], ["kind", "a", "b"], schemas.names(schemas.PAIRS))


def near(engine: Engine[Table], classes: Classes[Table], judging: Judging) -> Table:
    """The near-duplicates among the leaders of classes: NEAR."""

    def decided() -> Table:
        both = with_sketches(engine, candidates(engine, classes, judging), classes.documents, "older", "newer")
        return engine.map(both, partial(tasks.near, **judging.of_decisions()), schemas.NEAR)

    return engine.step("near", decided, schemas.NEAR)


def with_sketches(engine: Engine[Table], found: Table, documents: Table, older: str, newer: str) -> Table:
    """Adds the sketches of both documents to pairs, as sketch_older and sketch_newer; `older` and `newer` name the
    columns of numbers."""
    for column, role in ((newer, "newer"), (older, "older")):
        sketches = engine.select(documents, **{column: "number", f"sketch_{role}": "sketch"})
        found = engine.join(found, sketches, column)
    return found
