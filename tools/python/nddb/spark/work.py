"""The steps of a job: each is a table that is written as a whole before the next one begins.

A job that is started again with the same folder and the same documents goes on after its last whole step. Spark commits the files of a task by
renaming them, and marks a table as whole at its end, so that tasks that are tried again or run twice change nothing.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet

from nddb import Error
from nddb.spark.inputs import inputs_of
from nddb.spark.paths import local, pattern, uri

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Work:
    """A folder that all machines see, with the steps of one job."""

    def __init__(
        self,
        spark: SparkSession,
        folder: str | os.PathLike[str],
        job: dict[str, Any],
        documents: DataFrame | None = None,
    ) -> None:
        """Begins a job of these options and documents, or goes on with it; another one in the folder is refused."""
        self.spark, self.folder = spark, local(folder)
        if documents is not None:
            given = inputs_of(documents)
            self.documents = given.documents
            job = job | dataclasses.asdict(given)
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "job.json"
        if file.exists():
            _compare(self.folder, json.loads(file.read_text()), json.loads(json.dumps(job)))
        else:
            said = json.dumps(job, sort_keys=True, indent=1) + "\n"
            whole(file, lambda new: new.write_text(said))

    def table(self, name: str, make: Callable[[], DataFrame], schema: str | None = None) -> DataFrame:
        """The table of a step, which is made unless it is there. Without its schema it takes a job to read that."""
        path = self.folder / name
        if not (path / "_SUCCESS").exists():
            make().write.mode("overwrite").parquet(uri(path))
        reading = self.spark.read if schema is None else self.spark.read.schema(schema)
        return reading.parquet(pattern(path))

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
        return self.spark.read.parquet(pattern(path))

    def remove(self) -> None:
        """Removes the folder, when its job is done."""
        shutil.rmtree(self.folder)


def _compare(folder: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuses another job than the one whose steps are in a folder."""
    changed = [name for name in sorted(before.keys() | now.keys()) if before.get(name) != now.get(name)]
    if changed:
        told = ", ".join(f"{name} {before.get(name)} there, {now.get(name)} now" for name in changed)
        raise Error(
            f"{folder} holds the steps of another job ({told}): name another folder, or remove this one to begin again"
        )


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
