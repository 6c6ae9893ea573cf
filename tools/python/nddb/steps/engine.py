"""What the steps ask of an engine.

A table is what the engine calls one. Its rows have no order, but where it says so, and it may be computed whenever it
is read, but where it is that of a *step*. Schemas are those of `nddb.steps.schemas`, and functions take the Arrow
batches of a task and yield batches of the schema that is said beside them.
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
        """The table of a step: it is made once, and read as often as wanted."""

    def select(self, table: Table, *columns: str, **renamed: str) -> Table:
        """These columns of a table, and some under other names: new name = old name."""

    def map(self, table: Table, function: Function, schema: str) -> Table:
        """The rows that a function makes of batches of a table, of any number of rows."""

    def arrange(
        self, tables: Sequence[Table], by: str, order: Sequence[str], function: Function, schema: str
    ) -> Table:
        """The rows that a function makes of tables of one schema. All rows with a value of the column `by`, a number or
        bytes, go to one call of the function, sorted by it and then by `order`. No value of these is null."""

    def join(self, left: Table, right: Table, on: str) -> Table:
        """The pairs of rows of two tables that agree in the column `on`, which is the only one that both have."""

    def sort(self, tables: Sequence[Table], by: Sequence[str], columns: Sequence[str]) -> Table:
        """These columns of tables of one schema, the rows sorted; texts as their bytes."""

    def alone(
        self, name: str, table: Table, by: Sequence[str], function: Function, schema: str
    ) -> Table:
        """The table of a step that this process makes alone, of all rows of a table in order."""

    def rows(self, table: Table, schema: str) -> pyarrow.Table:
        """The rows of a small table, in this process."""
