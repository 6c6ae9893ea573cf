"""From CANDIDATES to NEAR, then to the rows of pairs."""

from __future__ import annotations

from typing import Any

import numpy
import pyarrow
import pyarrow.compute as compute

from nddb import tables
from nddb.steps import schemas
from nddb.steps.batches import Batches, Made, batch_of, begins_of, made, whole_runs


def near(batches: Batches, **options: Any) -> Made:
    """CANDIDATES with both sketches -> NEAR."""
    for batch in batches:
        found = decided(batch, **options)
        kept = ("older", "newer", "unlisted")
        rows = made(schemas.NEAR, **{name: batch[name] for name in kept}, **found)
        yield rows.filter(compute.equal(rows["near"], True))


def decided(batch: pyarrow.RecordBatch, **options: Any) -> dict[str, pyarrow.Array]:
    """Decides pairs of sketches, row by row."""
    return _decided(batch["sketch_older"], batch["sketch_newer"], **options)


def _decided(a: pyarrow.Array, b: pyarrow.Array, **options: Any) -> dict[str, pyarrow.Array]:
    both = (pyarrow.table({"sketch": sketches}) for sketches in (a, b))
    found = batch_of(pyarrow.table(tables.decide(*both, **options)))
    return dict(zip(found.schema.names, found.columns))


def collapsed(batches: Batches, oldest_empty: int | None) -> Made:
    """LEADERS -> GROUPS: identity sets, hot groups, and the empty documents."""
    for batch in batches:
        represents = compute.equal(batch["number"], batch["representative"])
        kinds = [("representative", None), ("leader", represents), ("empty", batch["empty"])]
        for kind, (name, these) in enumerate(kinds):
            rows = batch if these is None else batch.filter(these)
            founder = oldest_empty if name == "empty" else rows[name]
            groups = made(schemas.GROUPS, kind=kind, founder=founder, number=rows["number"])
            yield groups.filter(compute.not_equal(groups["number"], groups["founder"]))


def sized(batches: Batches, limit: int) -> Made:
    """GROUPS sorted by founder and kind -> SIZED; groups of more than `limit` documents are flagged."""
    for batch in whole_runs(batches, "founder", "kind"):
        begins = begins_of(batch, "founder", "kind")
        sizes = numpy.diff(numpy.append(numpy.flatnonzero(begins), len(batch)))
        columns = dict(zip(batch.schema.names, batch.columns))
        # The founder itself is in none of the rows.
        yield made(schemas.SIZED, **columns, flagged=numpy.repeat(sizes + 1 > limit, sizes))


GROUP_NAMES = pyarrow.array(["identity", "hot", "empty"])


def groups_listed(batches: Batches, method: str) -> Made:
    """SIZED with both ids -> KIND."""
    for batch in batches:
        columns = {name: batch[name] for name in ("kind", "a", "b", "flagged")}
        yield made(schemas.KIND, **columns, group=GROUP_NAMES.take(batch["kind"]), method=method)


def pairs_listed(batches: Batches, method: str, **options: Any) -> Made:
    """NEAR with both sketches -> KIND; each pair is ordered by its ids."""
    for batch in batches:
        rows = batch.filter(compute.invert(batch["unlisted"]))
        swapped = compute.less(rows["b"], rows["a"])
        older, newer = rows["sketch_older"], rows["sketch_newer"]
        a, b = compute.if_else(swapped, newer, older), compute.if_else(swapped, older, newer)
        columns = _decided(a, b, method=method, losses=True, **options)
        yield made(schemas.KIND, **columns, verdict=columns["rule"], kind=3, method=method)
