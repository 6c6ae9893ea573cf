"""The steps of a job: each is a table that is written as a whole before the next one begins.

A job that is started again with the same folder and the same documents resumes after its last complete step. Spark
commits a task's files when the task ends, and marks complete tables, so retried or repeated tasks change nothing.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet

from nddb import Error
from nddb.spark.inputs import inputs_of
from nddb.spark.places import Place, known

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession


class Work:
    """A folder that all machines can access, on disks or in a store, with the steps of one job."""

    def __init__(
        self,
        spark: SparkSession,
        folder: str | os.PathLike[str],
        job: dict[str, Any],
        documents: DataFrame | None = None,
    ) -> None:
        """Begins or resumes a job with these options and documents; raises an error if the folder has another job."""
        self.spark, self.folder = spark, known(spark, folder)
        if documents is not None:
            given = inputs_of(documents)
            self.documents = given.documents
            job = job | dataclasses.asdict(given)
        file = self.folder / "job.json"
        if file.was_put():
            _compare(self.folder, json.loads(file.read()), json.loads(json.dumps(job)))
        else:
            said = json.dumps(job, sort_keys=True, indent=1) + "\n"
            file.put(lambda new: new.write_text(said))

    def table(self, name: str, make: Callable[[], DataFrame], schema: str | None = None) -> DataFrame:
        """The table of a step; makes it if it does not exist. Without `schema`, Spark runs a job to read the schema."""
        path = self.folder / name
        if not (path / "_SUCCESS").exists():
            writer_of(make()).parquet(path.uri)
        reading = self.spark.read if schema is None else self.spark.read.schema(schema)
        return reading.parquet(path.pattern)

    def on_driver(self, name: str, function: Callable[[pyarrow.RecordBatchReader], object], of: str) -> DataFrame:
        """The table of a step that only this machine makes, from the rows of another step in order."""
        path = self.folder / f"{name}.parquet"
        if not path.was_put():

            def write(new: Path) -> None:
                made = pyarrow.RecordBatchReader.from_stream(function(in_order(self.folder / of)))
                with pyarrow.parquet.ParquetWriter(new, made.schema) as writer:
                    for batch in made:
                        writer.write_batch(batch)

            path.put(write)
        return self.spark.read.parquet(path.pattern)

    def remove(self) -> None:
        """Removes the folder when the job is done."""
        self.folder.remove()


def _compare(folder: Place, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Raises an error unless the steps in a folder are those of this job."""
    changed = [name for name in sorted(before.keys() | now.keys()) if before.get(name) != now.get(name)]
    if changed:
        told = ", ".join(f"{name} {before.get(name)} there, {now.get(name)} now" for name in changed)
        raise Error(
            f"{folder} holds the steps of another job ({told}): name another folder, or remove this one to begin again"
        )


def writer_of(table: DataFrame) -> DataFrameWriter:
    """Returns a writer that replaces the content of a folder with a table.

    A task moves its files to their final place when it ends. They are not moved again when all tasks have ended,
    because each move in a store is a copy. So the table is incomplete until the folder has `_SUCCESS`.
    """
    return table.write.mode("overwrite").option("mapreduce.fileoutputcommitter.algorithm.version", 2)


def files_of(folder: Place) -> list[Place]:
    """The files of a table in the order of its partitions."""
    return [file for file in folder.children() if file.name.startswith("part-")]


def in_order(folder: Place) -> pyarrow.RecordBatchReader:
    """Yields the rows of a table of Parquet files, in the order of its partitions."""
    files = files_of(folder)
    if not files:
        raise Error(f"{folder} holds no table")

    def batches() -> Iterator[pyarrow.RecordBatch]:
        for file in files:
            with file.open() as opened:
                yield from pyarrow.parquet.ParquetFile(opened).iter_batches()

    with files[0].open() as first:
        schema = pyarrow.parquet.read_schema(first)
    return pyarrow.RecordBatchReader.from_batches(schema, batches())
