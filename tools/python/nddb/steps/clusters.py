"""Clusters, and which documents to keep and to remove, as `nddb cluster` gives them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nddb.steps import schemas
from nddb.steps.classes import Classes, collapse
from nddb.steps.engine import Engine, Table
from nddb.steps.options import Judging
from nddb.steps.pairs import near, with_sketches
from nddb.steps.tasks import clusters as tasks


def clusters(
    engine: Engine[Table],
    documents: Table,
    count: int,
    judging: Judging,
    keep: str | Sequence[str] | None = None,
    level: str | None = None,
) -> Table:
    """The rows of `Reader.clusters`, in their order; `count` is the number of documents."""
    options = judging.of_members(keep, level)
    classes = collapse(engine, documents, count, judging, deleted=True)
    founders = _founders(engine, classes, near(engine, classes, judging), judging)
    several = engine.arrange([founders], "founder", ["number"], tasks.clustered, schemas.CLUSTERED)
    stored = engine.select(classes.documents, "number", "sketch", "deleted", "archive")
    whole = engine.join(several, stored, "number")
    members = engine.arrange([whole], "founder", ["number"], partial(tasks.members, **options), schemas.PLACED)
    return engine.sort([members], ["cluster", "made", "place"], schemas.names(schemas.MEMBERS))


def _founders(engine: Engine[Table], classes: Classes[Table], near: Table, judging: Judging) -> Table:
    """The founder of each document: CLUSTERED."""
    pairs = engine.select(near, "newer", "older", "nearness")
    joined = engine.alone("joined", pairs, ["newer", "older"], tasks.joined, schemas.CHOICES)
    leaders = engine.select(classes.leaders, "number", "leader", "empty")

    def chosen() -> Table:
        # Members of a class choose among the founders that their leader is near.
        choices = engine.map(pairs, tasks.choices, schemas.CHOICES)
        free = engine.arrange([choices, joined], "number", ["rank"], tasks.founders_only, schemas.CHOICES)
        waiting = engine.map(leaders, tasks.members_waiting, schemas.CHOICES)
        given = [free, waiting, joined]
        return engine.arrange(given, "leader", ["rank", "number"], tasks.choose, schemas.CHOSEN)

    chose = engine.step("chosen", chosen, schemas.CHOSEN)

    def founders() -> Table:
        # Members that are not near the founder of their leader by their own site or content found a cluster together.
        both = with_sketches(engine, chose, classes.documents, "founder", "number")
        apart = engine.map(both, partial(tasks.apart, **judging.of_decisions()), schemas.CHOSEN)
        empty = partial(tasks.leaders_found, oldest_empty=classes.oldest_empty)
        given = [
            engine.arrange([apart], "leader", ["number"], tasks.parted, schemas.FOUNDERS),
            engine.map(chose, tasks.chosen, schemas.FOUNDERS),
            engine.map(joined, tasks.joined_founders, schemas.FOUNDERS),
            engine.map(leaders, empty, schemas.FOUNDERS),
        ]
        return engine.arrange(given, "number", ["rank"], tasks.first_founders, schemas.CLUSTERED)

    return engine.step("founders", founders, schemas.CLUSTERED)
