"""Distributes documents over databases, and runs batch queries against databases."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from nddb import Config, Federation, OutOfRange, Reader, tables
from nddb.spark import partitions, schemas
from nddb.spark.places import Place
from nddb.spark.work import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_Path = str | os.PathLike[str]


def shards(
    documents: DataFrame, folder: _Path, *, shards: int, k: int = 3, bits: int = 64, recipe: str = "main"
) -> list[Path]:
    """Distributes the documents that are not deleted over databases (shards); returns the paths of the shards.

    All machines must be able to access `folder`. A task makes a database on its local disk, copies it into the folder,
    and renames the copy when it is complete. The hash of its id assigns a document to one of `shards` databases. A job
    that is started again makes only missing databases. Query them together with `nddb.Federation`.
    """
    from pyspark.sql import functions

    config = Config(k, recipe=recipe, bits=bits)
    made_of = {"k": config.k, "recipe": config.recipe, "bits": config.bits}
    target = str(_on_disks(folder))
    Work(documents.sparkSession, target, {"job": "shards", "shards": shards, **made_of}, documents)
    given = documents.where("not deleted").select("number", "id", "sketch", "recipe", "archive")
    made = (
        given.repartition(shards, "id")
        .withColumn("shard", functions.spark_partition_id())
        .sortWithinPartitions("number")
        .mapInArrow(lambda batches: partitions.shard(batches, target, made_of), "shard int")
    )
    made.count()
    paths = [partitions.shard_path(target, index) for index in range(shards)]
    for path in paths:
        # What no document is in is a database, too.
        partitions.make_database(path, None, made_of)
    for left in Path(target).glob(".shard-*"):
        partitions.remove(left)
    return paths


def batch_query(
    spark: SparkSession,
    databases: _Path | Iterable[_Path],
    queries: object,
    work: _Path,
    *,
    k: int | None = None,
) -> DataFrame:
    """Finds, for each fingerprint, all documents within `k` bits: the rows of `nddb query --format tsv`, in order.

    `databases` is one path or several that all machines can access; nothing may write to the databases meanwhile.
    `queries` is a `.u64le` file or an array of 64-bit integers. Each task scans 64 MB of stored fingerprints. Raises
    OutOfRange if `k` exceeds that of the databases, Mismatch if the databases have different settings.
    """
    paths = [databases] if isinstance(databases, (str, os.PathLike)) else list(databases)
    names = [str(_on_disks(path)) for path in paths]
    federation = Federation(names)
    states = {name: _state(reader) for name, reader in zip(names, federation.readers)}
    within = federation.k if k is None else k
    if not 0 <= within <= federation.k:
        raise OutOfRange(f"k is {within}, the limit is {federation.k}")
    content = _bytes_of(queries)
    digest = hashlib.sha256(content).hexdigest()
    steps = Work(spark, work, {"job": "batch_query", "databases": states, "k": within, "queries": digest})
    ranges = [
        (part, row["source"], row["first"], row["blocks"])
        for part, path in enumerate(names)
        for row in tables.scan_ranges(path)
    ]

    def scanned() -> DataFrame:
        file = steps.folder / "queries.u64le"
        file.put(lambda new: new.write_bytes(content))
        path = str(file)
        rows = spark.createDataFrame([(index, *row) for index, row in enumerate(ranges)], f"at long, {schemas.RANGES}")
        return (
            rows.repartitionByRange(len(ranges), "at")
            .drop("at")
            .mapInArrow(lambda batches: partitions.scan(batches, path, within), schemas.FOUND)
        )

    # A fingerprint may be in several runs.
    found = steps.table("scanned", scanned).distinct()
    return (
        found.repartitionByRange("part", "query")
        .sortWithinPartitions("part", "query")
        .mapInArrow(lambda batches: partitions.resolve(batches, names), schemas.MATCHES)
        .orderBy("query", "distance", "id")
    )


def _on_disks(path: _Path) -> Path:
    """The local path of a database, or of a folder of databases."""
    place = Place(path)
    if place.here is None:
        raise ValueError(
            f"{place}: databases are read through memory maps; name a folder on disks that all machines see, and copy "
            "the databases of a store there"
        )
    return place.here


def _state(reader: Reader) -> dict[str, int]:
    """Counters of a database; every write changes one of them."""
    stats = reader.stats()
    return {name: stats[name] for name in ("generation", "commits", "documents")}


def _bytes_of(queries: object) -> bytes:
    """Fingerprints as the bytes of a `.u64le` file."""
    if isinstance(queries, (str, os.PathLike)):
        content = Place(queries).read()
        if len(content) % 8:
            raise ValueError(f"{queries} is no file of numbers of 8 bytes")
        return content
    import numpy

    numbers = numpy.asarray(queries)
    if numbers.dtype not in (numpy.uint64, numpy.int64) or numbers.ndim != 1:
        raise ValueError("an array of 64-bit integers of one dimension is wanted")
    return numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()
