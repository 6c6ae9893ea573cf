"""Near-duplicates of a Dataset of Ray Data, on the machines of a cluster.

::

    import ray
    import nddb.ray

    pages = ray.data.read_parquet("documents.parquet")
    documents = nddb.ray.sketch(pages, number="number").materialize()
    members = nddb.ray.clusters(documents)
    remove = members.filter(lambda row: row["verdict"] == "remove").select_columns(["id"])
    clean = pages.join(remove, "left_anti", 8, on=("id",))

The steps are materialized Datasets in the object store, which spills to disks. All machines need this package. On a
machine of few cores, set `RAY_num_workers_soft_limit=8` and `RAY_idle_worker_killing_time_threshold_ms=600000` before
Ray starts. Otherwise Ray restarts its processes for each shuffle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import EllipsisType
from typing import Any

from nddb._packages import need

need("ray[data]", "numpy", "polars", "pyarrow")

import pyarrow  # noqa: E402
import ray.data  # noqa: E402

from nddb import steps  # noqa: E402
from nddb.steps import inputs, schemas  # noqa: E402
from nddb.steps.batches import Function  # noqa: E402
from nddb.steps.pages import check_numbers, columns_of, sketched  # noqa: E402

__all__ = ["clusters", "pairs", "parts", "sketch"]

#: Approximate number of documents in a block, whose rows are sorted together.
DOCUMENTS = 100_000


def sketch(
    pages: ray.data.Dataset,
    *,
    number: str,
    recipe: str = "main",
    id: str = "id",
    text: str | EllipsisType | None = ...,
    html: str | EllipsisType | None = ...,
    url: str | EllipsisType | None = ...,
    keep_words: bool = False,
) -> ray.data.Dataset:
    """Sketches the pages of a Dataset. The result is computed lazily.

    `number` names the column of ages: unique integers, lower for older documents. Ids are unique texts. By default
    reads the columns `text`, `html` and `url` if present. If you name a page column, only that one is read; None
    disables a column. `keep_words` stores the words of each page, from which `clusters` computes the loss of each
    removal.
    """
    schema = pages.schema()
    named = columns_of(schema.names, number, id, text, html, url)
    check_numbers(pyarrow.schema(list(zip(schema.names, schema.types))), number)
    engine = _Ray()
    task = partial(sketched, recipe=recipe, keep_words=keep_words)
    return engine.map(engine.select(pages, **named), task, schemas.SKETCHED)


def pairs(documents: ray.data.Dataset, **judging: Any) -> ray.data.Dataset:
    """All near-duplicates among documents that are not deleted, in the order and with the columns of `Reader.pairs`.

    `documents` is a table returned by `sketch`, with the columns number, id, sketch, deleted and archive. Other
    options: as `nddb.steps.Judging`. Raises ValueError if a column is missing or the numbers are not unique.
    """
    how, engine = steps.Judging(**judging), _Ray()
    return _with_columns(steps.pairs(engine, *engine.documents(documents), how), schemas.PAIRS)


def clusters(
    documents: ray.data.Dataset, *, keep: str | Sequence[str] | None = None, level: str | None = None, **judging: Any
) -> ray.data.Dataset:
    """The members of all clusters, in the order and with the columns of `Reader.clusters`.

    `keep` and `level`: as `nddb cluster`. Other arguments: as `pairs`.
    """
    how, engine = steps.Judging(**judging), _Ray()
    rows = steps.clusters(engine, *engine.documents(documents), how, keep, level)
    return _with_columns(rows, schemas.MEMBERS)


def parts(documents: ray.data.Dataset, **options: Any) -> ray.data.Dataset:
    """The passages that documents which are not deleted have in common: in the order and with the first ten columns of
    `Reader.passage_pairs`.

    `documents` is a table returned by `sketch` with `recipe="main-parts"`. Options: as `nddb.steps.parts`.
    """
    engine = _Ray()
    rows = steps.parts(engine, *engine.documents(documents)[:1], **options)
    return _with_columns(rows, schemas.PASSAGES)


class _Ray:
    """Ray Data as the engine of the steps: its tables are Datasets."""

    def __init__(self) -> None:
        self._blocks = 1

    def documents(self, given: ray.data.Dataset) -> tuple[ray.data.Dataset, int]:
        """Returns the computed documents and their number."""
        there = given.columns() or []
        wanted = [name for name in schemas.names(schemas.DOCUMENTS) if name in there]
        table = given.select_columns(wanted).materialize()
        cores = int(ray.cluster_resources().get("CPU", 1))
        self._blocks = max(cores, table.count() // DOCUMENTS)
        return table, inputs.count_of(self, table, there, "nddb.ray.sketch")

    def step(self, name: str, make: Callable[[], ray.data.Dataset], schema: str) -> ray.data.Dataset:
        return make().materialize()

    def select(self, table: ray.data.Dataset, *columns: str, **renamed: str) -> ray.data.Dataset:
        return _by_blocks(table, partial(_selected, named=dict(zip(columns, columns)) | renamed))

    def map(self, table: ray.data.Dataset, function: Function, schema: str) -> ray.data.Dataset:
        return _by_blocks(table, partial(_made, function=function, schema=schema, order=[]))

    def arrange(
        self, tables: Sequence[ray.data.Dataset], by: str, order: Sequence[str], function: Function, schema: str
    ) -> ray.data.Dataset:
        # All rows of a key come into one block.
        rows = _union(tables).repartition(self._blocks, keys=[by])
        return _by_blocks(rows, partial(_made, function=function, schema=schema, order=[by, *order]))

    def join(self, left: ray.data.Dataset, right: ray.data.Dataset, on: str) -> ray.data.Dataset:
        left = left.materialize()
        # A Dataset without rows has no columns to join by.
        return left.join(right, "inner", self._blocks, on=(on,)) if left.count() else left

    def sort(self, tables: Sequence[ray.data.Dataset], by: Sequence[str], columns: Sequence[str]) -> ray.data.Dataset:
        return self.select(_union(tables).materialize().sort(list(by)), *columns)

    def alone(
        self, name: str, table: ray.data.Dataset, by: Sequence[str], function: Function, schema: str
    ) -> ray.data.Dataset:
        rows = table.sort(list(by)).iter_batches(batch_size=None, batch_format="pyarrow")
        batches = list(function(batch for rows_of in rows for batch in rows_of.to_batches()))
        return ray.data.from_arrow(pyarrow.Table.from_batches(batches, schemas.arrow(schema)))

    def rows(self, table: ray.data.Dataset, schema: str) -> pyarrow.Table:
        batches = table.iter_batches(batch_size=None, batch_format="pyarrow")
        return pyarrow.concat_tables([schemas.arrow(schema).empty_table(), *batches])


def _with_columns(table: ray.data.Dataset, schema: str) -> ray.data.Dataset:
    """Computes a table; an empty table keeps its columns."""
    table = table.materialize()
    return table if table.count() else ray.data.from_arrow(schemas.arrow(schema).empty_table())


def _union(tables: Sequence[ray.data.Dataset]) -> ray.data.Dataset:
    first, *others = tables
    return first.union(*others) if others else first


def _by_blocks(table: ray.data.Dataset, function: Callable[[pyarrow.Table], pyarrow.Table]) -> ray.data.Dataset:
    return table.map_batches(function, batch_size=None, batch_format="pyarrow", zero_copy_batch=True)


def _selected(table: pyarrow.Table, named: dict[str, str]) -> pyarrow.Table:
    return table.select(list(named.values())).rename_columns(list(named))


def _made(table: pyarrow.Table, function: Function, schema: str, order: Sequence[str]) -> pyarrow.Table:
    """Sorts a block by columns, and applies a function to it."""
    if order:
        table = table.sort_by([(name, "ascending") for name in order])
    return pyarrow.Table.from_batches(function(table.to_batches()), schemas.arrow(schema))
