"""Spark as the engine of the steps: its tables are DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow

from nddb.spark.work import Work
from nddb.steps import schemas
from nddb.steps.batches import Function

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Spark:
    """The steps of a job in its work folder."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def step(self, name: str, make: Callable[[], DataFrame], schema: str) -> DataFrame:
        return self._work.table(name, make, schema)

    def select(self, table: DataFrame, *columns: str, **renamed: str) -> DataFrame:
        from pyspark.sql import functions

        return table.select(*columns, *(functions.col(old).alias(new) for new, old in renamed.items()))

    def map(self, table: DataFrame, function: Function, schema: str) -> DataFrame:
        return table.mapInArrow(function, schema)

    def arrange(
        self, tables: Sequence[DataFrame], by: str, order: Sequence[str], function: Function, schema: str
    ) -> DataFrame:
        return _union(tables).repartition(by).sortWithinPartitions(by, *order).mapInArrow(function, schema)

    def join(self, left: DataFrame, right: DataFrame, on: str) -> DataFrame:
        return left.join(right, on)

    def sort(self, tables: Sequence[DataFrame], by: Sequence[str], columns: Sequence[str]) -> DataFrame:
        return _union(tables).orderBy(*by).select(*columns)

    def alone(self, name: str, table: DataFrame, by: Sequence[str], function: Function, schema: str) -> DataFrame:
        def run(rows: pyarrow.RecordBatchReader) -> pyarrow.RecordBatchReader:
            return pyarrow.RecordBatchReader.from_batches(schemas.arrow(schema), function(rows))

        self._work.table("ordered", lambda: table.orderBy(*by))
        return self._work.on_driver(name, run, "ordered")

    def rows(self, table: DataFrame, schema: str) -> pyarrow.Table:
        return pyarrow.Table.from_pylist([row.asDict() for row in table.collect()], schemas.arrow(schema))


def _union(tables: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.unionByName(other), tables)
