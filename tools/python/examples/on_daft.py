"""Near-duplicates of a DataFrame of Daft.

::

    import daft
    import on_daft

    pages = daft.read_parquet("documents.parquet")
    documents = on_daft.sketch(pages, number="number")
    members = on_daft.clusters(documents)
    clean = pages.join(members.where(daft.col("verdict") == "remove"), on="id", how="anti")

All steps are held in memory as collected DataFrames; a sketch takes some 900 bytes per page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from types import EllipsisType
from typing import Any

import daft
import pyarrow

from nddb import steps
from nddb.steps import inputs, schemas
from nddb.steps.batches import Function, batch_of
from nddb.steps.pages import check_numbers, columns_of, sketched

__all__ = ["clusters", "pairs", "parts", "sketch"]

#: Documents of a group of rows that are sorted together, about, and the least number of groups.
DOCUMENTS, GROUPS = 100_000, 8


def sketch(
    pages: daft.DataFrame,
    *,
    number: str,
    recipe: str = "main",
    id: str = "id",
    text: str | EllipsisType | None = ...,
    html: str | EllipsisType | None = ...,
    url: str | EllipsisType | None = ...,
    keep_words: bool = False,
) -> daft.DataFrame:
    """Sketches the pages of a DataFrame. The result is computed lazily.

    `number` names the column of ages: unique integers, lower for older documents. Ids are unique texts. Rows without an
    id or a page are left out. By default reads the columns `text`, `html` and `url` if present. If you name a page
    column, only that one is read; None disables a column. `keep_words` stores the words of each page in its sketch,
    from which `clusters` computes the loss of each removal; otherwise the loss is estimated. Raises ValueError if a
    named column is missing.
    """
    named = columns_of(pages.column_names, number, id, text, html, url)
    check_numbers(pages.schema().to_pyarrow_schema(), number)
    engine = _Daft()
    task = partial(sketched, recipe=recipe, keep_words=keep_words)
    return engine.map(engine.select(pages, **named), task, schemas.SKETCHED)


def pairs(documents: daft.DataFrame, **judging: Any) -> daft.DataFrame:
    """All near-duplicates among documents that are not deleted, in the order and with the columns of `Reader.pairs`.

    `documents` is a table returned by `sketch`, with the columns number, id, sketch, deleted and archive. Other
    options: as `nddb.steps.Judging`. Raises ValueError if a column is missing or the numbers are not unique.
    """
    how, engine = steps.Judging(**judging), _Daft()
    return steps.pairs(engine, *engine.documents(documents), how)


def clusters(
    documents: daft.DataFrame, *, keep: str | Sequence[str] | None = None, level: str | None = None, **judging: Any
) -> daft.DataFrame:
    """The members of all clusters, in the order and with the columns of `Reader.clusters`.

    `keep` and `level`: as `nddb cluster`. Other arguments: as `pairs`.
    """
    how, engine = steps.Judging(**judging), _Daft()
    return steps.clusters(engine, *engine.documents(documents), how, keep, level)


def parts(documents: daft.DataFrame, **options: Any) -> daft.DataFrame:
    """The passages that documents which are not deleted have in common: in the order and with the first ten columns of
    `Reader.passage_pairs`.

    `documents` is a table returned by `sketch` with `recipe="main-parts"`. Options: as `nddb.steps.parts`.
    """
    engine = _Daft()
    return steps.parts(engine, *engine.documents(documents)[:1], **options)


class _Daft:
    """A table is a DataFrame."""

    def __init__(self) -> None:
        self._groups = GROUPS

    def documents(self, given: daft.DataFrame) -> tuple[daft.DataFrame, int]:
        """Returns the computed documents and their number."""
        there = given.column_names
        wanted = [name for name in schemas.names(schemas.DOCUMENTS) if name in there]
        table = given.select(*wanted).collect()
        count = inputs.count_of(self, table, there, "on_daft.sketch")
        self._groups = max(GROUPS, count // DOCUMENTS)
        return table, count

    def step(self, name: str, make: Callable[[], daft.DataFrame], schema: str) -> daft.DataFrame:
        return make().collect()

    def select(self, table: daft.DataFrame, *columns: str, **renamed: str) -> daft.DataFrame:
        return table.select(*columns, *(daft.col(old).alias(new) for new, old in renamed.items()))

    def map(self, table: daft.DataFrame, function: Function, schema: str) -> daft.DataFrame:
        # A function of Daft gives a value a row: the first row gets a list of all that comes out, the others get none.
        kind, names = daft.DataType.list(_kind(schema)), table.column_names

        def run(*columns: daft.Series) -> pyarrow.Array:
            rows = _rows(function, _table(names, columns), schema)
            ends = [0, *[len(rows)] * len(columns[0])]
            return pyarrow.ListArray.from_arrays(pyarrow.array(ends, pyarrow.int32()), rows)

        made = daft.func.batch(return_dtype=kind, use_process=False)(run)(*map(daft.col, names))
        listed = table.select(made.alias("rows")).explode("rows", ignore_empty_and_null=True)
        return listed.select(daft.col("rows").unnest())

    def arrange(
        self, tables: Sequence[daft.DataFrame], by: str, order: Sequence[str], function: Function, schema: str
    ) -> daft.DataFrame:
        ascending = [(name, "ascending") for name in (by, *order)]

        def run(*columns: daft.Series) -> pyarrow.Array:
            return _rows(function, _table(names, columns).sort_by(ascending), schema)

        rows = _union(tables)
        names = rows.column_names
        made = daft.func.batch(return_dtype=_kind(schema), use_process=False)(run)(*map(daft.col, names))
        group = (daft.col(by).hash() % self._groups).alias("group")
        return rows.groupby(group).map_groups(made.alias("rows")).select(daft.col("rows").unnest())

    def join(self, left: daft.DataFrame, right: daft.DataFrame, on: str) -> daft.DataFrame:
        return left.join(right, on=on)

    def sort(
        self, tables: Sequence[daft.DataFrame], by: Sequence[str], columns: Sequence[str]
    ) -> daft.DataFrame:
        return _union(tables).sort(list(by)).select(*columns)

    def alone(
        self, name: str, table: daft.DataFrame, by: Sequence[str], function: Function, schema: str
    ) -> daft.DataFrame:
        batches = list(function(table.sort(list(by)).to_arrow_iter()))
        return daft.from_arrow(pyarrow.Table.from_batches(batches, schemas.arrow(schema)))

    def rows(self, table: daft.DataFrame, schema: str) -> pyarrow.Table:
        return table.to_arrow().cast(schemas.arrow(schema))


def _union(tables: Sequence[daft.DataFrame]) -> daft.DataFrame:
    return reduce(lambda one, other: one.union_all_by_name(other), tables)


def _kind(schema: str) -> daft.DataType:
    return daft.DataType.from_arrow_type(pyarrow.struct(list(schemas.arrow(schema))))


def _table(names: Sequence[str], columns: Sequence[daft.Series]) -> pyarrow.Table:
    return pyarrow.table([column.to_arrow() for column in columns], names=list(names))


def _rows(function: Function, table: pyarrow.Table, schema: str) -> pyarrow.Array:
    """Returns the result of a function of a table, as an array of rows."""
    made = pyarrow.Table.from_batches(function(table.to_batches()), schemas.arrow(schema))
    return batch_of(made).to_struct_array()
