"""Candidate pairs of the leaders of classes: those that share a key, each found once."""

from __future__ import annotations

from functools import partial

from nddb.steps import schemas
from nddb.steps.classes import Classes
from nddb.steps.engine import Engine, Table
from nddb.steps.options import Judging
from nddb.steps.tasks import candidates as tasks


def candidates(engine: Engine[Table], classes: Classes[Table], judging: Judging) -> Table:
    """The CANDIDATES of leaders."""
    if judging.is_by_fingerprint():
        leaders = engine.select(classes.leaders, "number", "leader", "keys", "fp")
        found = [_near(engine, engine.map(leaders, tasks.prints, schemas.PRINTS), judging.k, classes.groups)]
    else:
        found = [_sharing(engine, classes, judging)]
        if judging.method is None and classes.lacks:
            # Hamming decides where only a fingerprint is known: pairs with such documents.
            numbers = engine.map(engine.select(classes.leaders, "number", "leader"), tasks.leading, schemas.NUMBERS)
            leaders = engine.join(numbers, engine.select(classes.documents, "number", "sketch"), "number")
            prints = partial(tasks.prints_of, **judging.of_properties(), groups=classes.groups)
            found.append(_near(engine, engine.map(leaders, prints, schemas.PRINTS), judging.k, classes.groups))
    return engine.arrange(found, "newer", ["older", "unlisted"], tasks.once, schemas.CANDIDATES)


def _sharing(engine: Engine[Table], classes: Classes[Table], judging: Judging) -> Table:
    """The pairs that share a key of their sketches."""
    limit = judging.group_limit

    def shared() -> Table:
        leaders = engine.select(classes.leaders, "number", "leader", "keys")
        keys = engine.map(leaders, tasks.keys, schemas.KEYS)
        return engine.arrange([keys], "key", ["number"], partial(tasks.shared, limit=limit), schemas.SHARED)

    keys = engine.step("keys", shared, schemas.SHARED)
    cut = engine.rows(engine.map(keys, tasks.cut, schemas.CUT), schemas.CUT)["key"].combine_chunks()
    postings = engine.arrange([keys], "number", ["key"], tasks.postings, schemas.POSTINGS)
    sharing = partial(tasks.sharing, cut=cut if len(cut) else None, group_limit=limit)
    return engine.arrange([postings], "key", ["number"], sharing, schemas.CANDIDATES)


def _near(engine: Engine[Table], prints: Table, k: int, groups: int) -> Table:
    """The pairs within k bits that have a document with `wanted`."""
    function = partial(tasks.near_prints, k=k, groups=groups)
    return engine.arrange([prints], "key", ["number"], function, schemas.CANDIDATES)
