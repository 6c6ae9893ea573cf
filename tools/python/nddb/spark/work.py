"""The steps of a job: each is a table that is written as a whole before the next one begins.

A job that is started again with the same folder goes on after its last whole step. Spark commits the files of a task by
renaming them, and marks a table as whole at its end, so that tasks that are tried again or run twice change nothing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet

from nddb import Error

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Work:
    """A folder that all machines see, with the steps of one job."""

    def __init__(self, spark: SparkSession, folder: str | os.PathLike[str], job: dict[str, Any]) -> None:
        self.spark, self.folder = spark, Path(folder).absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        said, file = json.dumps(job, sort_keys=True, indent=1) + "\n", self.folder / "job.json"
        if file.exists() and file.read_text() != said:
            raise Error(f"{self.folder} holds the steps of another job: {file.read_text()}")
        whole(file, lambda new: new.write_text(said))

    def table(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """The table of a step, which is made unless it is there."""
        path = self.folder / name
        if not (path / "_SUCCESS").exists():
            make().write.mode("overwrite").parquet(str(path))
        return self.spark.read.parquet(literal(path))

    def on_driver(self, name: str, function: Callable[[pyarrow.RecordBatchReader], object], of: str) -> DataFrame:
        """The table of a step that this machine makes alone, of the rows of another step in their order."""
        path = self.folder / f"{name}.parquet"
        if not path.exists():

            def write(new: Path) -> None:
                made = pyarrow.RecordBatchReader.from_stream(function(in_order(self.folder / of)))
                with pyarrow.parquet.ParquetWriter(new, made.schema) as writer:
                    for batch in made:
                        writer.write_batch(batch)

            whole(path, write)
        return self.spark.read.parquet(literal(path))

    def remove(self) -> None:
        """Removes the folder, when its job is done."""
        shutil.rmtree(self.folder)


def literal(path: Path) -> str:
    """A path as Spark reads it: what it would take for a pattern stands for itself."""
    return re.sub(r"([\\{}\[\]*?^])", r"\\\1", str(path))


def files_of(folder: Path) -> list[Path]:
    """The files of a table in the order of its partitions."""
    return sorted(path for path in folder.iterdir() if path.name.startswith("part-"))


def in_order(folder: Path) -> pyarrow.RecordBatchReader:
    """The rows of a table of Parquet files, in the order of its partitions, read as they are wanted."""
    files = files_of(folder)
    if not files:
        raise Error(f"{folder} holds no table")

    def batches() -> Iterator[pyarrow.RecordBatch]:
        for file in files:
            yield from pyarrow.parquet.ParquetFile(file).iter_batches()

    return pyarrow.RecordBatchReader.from_batches(pyarrow.parquet.read_schema(files[0]), batches())


def whole(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a file under another name, and renames it when it is durable."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    write(new)
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.replace(path)
