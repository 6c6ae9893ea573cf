"""The interface of the engines that run the steps.

A table has the engine's own type. Its rows have no order unless stated. It may be computed each time it is read, but
the table of a *step* is computed once. Schemas are those of `nddb.steps.schemas`. Functions take the Arrow batches of a
task and yield batches of the given schema.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import pyarrow

from nddb.steps.batches import Function

Table = TypeVar("Table")


class Engine(Protocol[Table]):
    """An engine that sorts, joins and maps tables."""

    def step(self, name: str, make: Callable[[], Table], schema: str) -> Table:
        """The table of a step: it is made once, and may be read several times."""

    def select(self, table: Table, *columns: str, **renamed: str) -> Table:
        """These columns of a table; a keyword argument `new="old"` renames a column."""

    def map(self, table: Table, function: Function, schema: str) -> Table:
        """The rows that a function makes from batches of a table; a batch has any number of rows."""

    def arrange(
        self, tables: Sequence[Table], by: str, order: Sequence[str], function: Function, schema: str
    ) -> Table:
        """The rows that a function makes from tables of one schema. All rows with the same value of the column `by`
        (a number or bytes) go to one call of the function, sorted by `by` and then by `order`. These columns have no
        nulls."""

    def join(self, left: Table, right: Table, on: str) -> Table:
        """The pairs of rows of two tables that are equal in the column `on`, the only common column."""

    def sort(self, tables: Sequence[Table], by: Sequence[str], columns: Sequence[str]) -> Table:
        """These columns of tables of one schema, with the rows sorted by `by`; texts are compared by their bytes."""

    def alone(
        self, name: str, table: Table, by: Sequence[str], function: Function, schema: str
    ) -> Table:
        """The table of a step that only this process makes, from all rows of a table, sorted by `by`."""

    def rows(self, table: Table, schema: str) -> pyarrow.Table:
        """The rows of a small table, in this process."""
