"""Functions that a task runs on its partition, from record batches to record batches, without Spark.

Each function is pure: a task that is retried, or runs twice at a time, gives the same rows.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.parquet

from nddb import tables
from nddb.spark import archives
from nddb.spark.places import Place
from nddb.steps.batches import Batches, batches_of

#: The bits of a number that hold a document's index in its archive; the archive's number is above them.
INDEX_BITS = 32


def sketch(batches: Batches, **options: Any) -> Iterator[pyarrow.RecordBatch]:
    """Maps archives (archive, path) to their numbered documents, in order."""
    for batch in batches:
        for archive, path in zip(batch["archive"].to_pylist(), batch["path"].to_pylist()):
            index = archive << INDEX_BITS
            for sketches in archives.sketched(path, archive=archive, threads=1, **options):
                count = sketches.num_rows
                numbers = pyarrow.array(range(index, index + count), pyarrow.int64())
                names = pyarrow.repeat(pyarrow.scalar(path, pyarrow.string()), count)
                index += count
                yield pyarrow.RecordBatch.from_arrays(
                    [numbers, *sketches.columns, names], ["number", *sketches.schema.names, "archive"]
                )


def shard_path(folder: str, index: int) -> Path:
    """The path of a shard."""
    return Path(folder) / f"shard-{index:05}.nddb"


def shard(batches: Batches, folder: str, made_of: dict[str, Any]) -> Iterator[pyarrow.RecordBatch]:
    """Makes a shard from its documents (shard, sketch, recipe, archive); yields the number of the shard."""
    given = iter(batches)
    first = next((batch for batch in given if batch.num_rows), None)
    if first is None:
        return
    index = first["shard"][0].as_py()
    make_database(shard_path(folder, index), chain([first], given), made_of)
    yield pyarrow.RecordBatch.from_arrays([pyarrow.array([index], pyarrow.int32())], ["shard"])


def make_database(path: Path, sketches: Batches | None, made_of: dict[str, Any]) -> None:
    """Makes a database from tables of sketches; it has a temporary name until it is complete. Does nothing if the
    database exists."""
    from nddb import Config, Error, Writer

    if path.exists():
        for _ in sketches or ():
            pass  # Spark wants its rows to be read.
        return
    with tempfile.TemporaryDirectory(prefix="nddb-") as aside:
        made, table = Path(aside) / "db", Path(aside) / "sketches.parquet"
        with Writer(made, create=Config(**made_of), threads=1) as writer:
            if sketches is not None:
                _write_table(table, sketches)
                told = writer.load(table)
                if told["skipped"]:
                    raise Error(f"{told['skipped']} sketches of {path.name} cannot be stored: {told}")
        # Other attempts of a task copy under another name.
        new = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        shutil.copytree(made, new, copy_function=_copy_durably)
        try:
            new.rename(path)
        except OSError:
            remove(new)
            if not path.exists():
                raise
            # Another attempt was first: it made the same.


def remove(folder: Path) -> None:
    """Removes a folder."""
    shutil.rmtree(folder, ignore_errors=True)


def _write_table(path: Path, batches: Batches) -> None:
    given = (batch.select(["sketch", "recipe", "archive"]) for batch in batches)
    first = next(given)
    with pyarrow.parquet.ParquetWriter(path, first.schema, compression="lz4") as writer:
        for batch in chain([first], given):
            writer.write_batch(batch)


def _copy_durably(source: str, target: str) -> None:
    shutil.copyfile(source, target)
    with open(target, "rb") as file:
        os.fsync(file.fileno())


def scan(batches: Batches, queries: str, k: int) -> Iterator[pyarrow.RecordBatch]:
    """Maps ranges (part, source, first, blocks) to the matches of a file of queries: part, query, fp, distance."""
    numbers = memoryview(Place(queries).read()).cast("Q")
    for batch in batches:
        for one in batch.to_pylist():
            found = tables.scan(one["source"], numbers, k, first=one["first"], blocks=one["blocks"])
            for rows in batches_of(found):
                part = pyarrow.repeat(pyarrow.scalar(one["part"], pyarrow.int64()), rows.num_rows)
                yield pyarrow.RecordBatch.from_arrays([part, *rows.columns], ["part", *rows.schema.names])


def resolve(batches: Batches, databases: list[str]) -> Iterator[pyarrow.RecordBatch]:
    """Maps matches (part, query, fp, distance) to documents: query, fp, distance, id."""
    for batch in batches:
        for part in pyarrow.compute.unique(batch["part"]).to_pylist():
            rows = batch.filter(pyarrow.compute.equal(batch["part"], part))
            yield from batches_of(tables.resolve(databases[part], rows))
