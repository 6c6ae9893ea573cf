"""From NEAR to the founders of documents, then to the rows of clusters."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy
import pyarrow
import pyarrow.compute as compute

from nddb import tables
from nddb.steps import schemas
from nddb.steps.batches import Batches, Made, batch_of, made, runs, several, through, whole_runs
from nddb.steps.tasks.classes import leads
from nddb.steps.tasks.pairs import decided


def joined(batches: Batches) -> Made:
    """NEAR sorted by newer and older -> CHOICES, a row for each leader that joined a founder."""
    for batch in through(tables.stars)(batches):
        yield made(schemas.CHOICES, leader=batch["number"], number=batch["number"], joined=batch["founder"], rank=0)


def choices(batches: Batches) -> Made:
    """NEAR -> CHOICES, a row for each direction."""
    for batch in batches:
        for leader, other in (("older", "newer"), ("newer", "older")):
            yield made(
                schemas.CHOICES, leader=batch[leader], number=batch[other], nearness=batch["nearness"], rank=1
            )


def members_waiting(batches: Batches) -> Made:
    """LEADERS -> CHOICES, a row for each member of a class."""
    for batch in batches:
        members = batch.filter(compute.invert(leads(batch)))
        yield made(schemas.CHOICES, leader=members["leader"], number=members["number"], rank=1)


def founders_only(batches: Batches) -> Made:
    """CHOICES sorted by number and rank -> CHOICES of documents that joined no founder."""
    for batch, first, _ in runs(batches, "number", first=["rank"]):
        yield batch.filter(compute.equal(first["rank"], 1))


def choose(batches: Batches) -> Made:
    """CHOICES sorted by leader, rank and number -> CHOSEN, a row for each member of a class whose leader joined."""
    leaders: deque[int] = deque()

    def given() -> Made:
        for batch, first, _ in runs(batches, "leader", first=["rank", "joined"]):
            is_member = compute.is_null(batch["nearness"])
            joined = compute.if_else(is_member, first["joined"], pyarrow.scalar(None, pyarrow.int64()))
            rows = made(
                schemas.CHOICES, **{name: batch[name] for name in ("leader", "number", "nearness", "rank")},
                joined=joined,
            )
            rows = rows.filter(compute.and_(compute.equal(first["rank"], 0), compute.equal(batch["rank"], 1)))
            leaders.extend(rows.filter(compute.is_null(rows["nearness"]))["leader"].to_pylist())
            yield rows

    for batch in through(tables.choose)(given()):
        of = numpy.array([leaders.popleft() for _ in range(len(batch))], numpy.int64)
        yield made(schemas.CHOSEN, leader=of, number=batch["number"], founder=batch["founder"])


def apart(batches: Batches, **options: Any) -> Made:
    """CHOSEN with the sketches of founder and member -> CHOSEN of members that are not near to the founder."""
    for batch in batches:
        near = decided(batch, **options)["near"]
        columns = {name: batch[name] for name in schemas.names(schemas.CHOSEN)}
        yield made(schemas.CHOSEN, **columns).filter(compute.equal(near, False))


def parted(batches: Batches) -> Made:
    """CHOSEN sorted by leader and number -> FOUNDERS; the oldest member of each class founds a cluster."""
    for batch, first, _ in runs(batches, "leader", first=["number"]):
        yield made(schemas.FOUNDERS, number=batch["number"], founder=first["number"], rank=1)


def chosen(batches: Batches) -> Made:
    """CHOSEN -> FOUNDERS."""
    for batch in batches:
        yield made(schemas.FOUNDERS, number=batch["number"], founder=batch["founder"], rank=2)


def joined_founders(batches: Batches) -> Made:
    """CHOICES of leaders that joined -> FOUNDERS."""
    for batch in batches:
        yield made(schemas.FOUNDERS, number=batch["number"], founder=batch["joined"], rank=3)


def leaders_found(batches: Batches, oldest_empty: int | None) -> Made:
    """LEADERS -> FOUNDERS; the founder is the leader, or the oldest empty document for empty ones (rank 0)."""
    for batch in batches:
        empty = batch["empty"]
        yield made(
            schemas.FOUNDERS,
            number=batch["number"],
            founder=compute.if_else(empty, pyarrow.scalar(oldest_empty, pyarrow.int64()), batch["leader"]),
            rank=compute.if_else(empty, 0, 4),
        )


def first_founders(batches: Batches) -> Made:
    """FOUNDERS sorted by number and rank -> CLUSTERED, a row for each document."""
    for batch, _, begins in runs(batches, "number"):
        yield batch.filter(pyarrow.array(begins)).select(["number", "founder"])


def clustered(batches: Batches) -> Made:
    """CLUSTERED sorted by founder and number -> CLUSTERED of clusters with two or more documents."""
    for batch, _ in several(batches, "founder"):
        yield made(schemas.CLUSTERED, number=batch["number"], founder=batch["founder"])


def members(batches: Batches, **options: Any) -> Made:
    """CLUSTERED with sketch, deleted and archive, sorted by founder and number -> PLACED."""
    for batch in whole_runs(batches, "founder"):
        rows = batch_of(pyarrow.table(tables.members(batch, **options)))
        columns = dict(zip(rows.schema.names, rows.columns))
        yield made(schemas.PLACED, **columns, made=batch["founder"][0].as_py(), place=numpy.arange(len(rows)))
