"""Sketches of crawls: a folder with one subfolder of Parquet files for each crawl."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from types import EllipsisType
from typing import TYPE_CHECKING, Any, cast

from nddb import Error, Recipe, tables
from nddb.spark import archives, partitions, schemas
from nddb.spark.places import known
from nddb.steps.batches import through
from nddb.steps.pages import columns_of, sketched
from nddb.steps.schemas import SKETCHED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_Path = str | os.PathLike[str]

#: Maximum number of archives that one task reads.
ARCHIVES_A_TASK = 1


def ingest(
    spark: SparkSession,
    paths: Iterable[_Path],
    store: _Path,
    *,
    crawl: str,
    recipe: str = "main",
    format: str = "auto",
    **reading: Any,
) -> int:
    """Sketches the pages of archives into a store, as the crawl named `crawl`; returns the number of documents.

    `paths` are archives and folders of archives. The number of a document combines the position of its archive, counted
    over all crawls of the store, with its index in the archive. Other options: as `nddb.tables.sketch_archive`; with
    `keep_words`, `clusters` computes the loss of each removal. Raises FileExistsError if the crawl exists, `nddb.Error`
    if the store has another recipe, and the error of a task if an archive cannot be read.
    """
    folder = known(spark, store)
    label = Recipe(recipe).label
    named = archives.listed(paths, format)
    if not crawl or "/" in crawl or crawl.startswith((".", "_")):
        raise ValueError(f"{crawl!r} cannot be the name of a folder")
    sketches, lists = folder / "sketches", folder / "archives"
    of_crawl = f"crawl={crawl}"
    if (sketches / of_crawl / "_SUCCESS").exists():
        raise FileExistsError(f"{store} has the crawl {crawl}")
    first = 0
    if any(one.name.startswith("crawl=") for one in lists.children()):
        before = spark.read.parquet(lists.pattern)
        others = before.select("recipe").distinct().collect()
        if any(row.recipe != label for row in others):
            raise Error(f"the sketches of {store} are of the recipe {others[0].recipe}, and not of {label}")
        first = before.agg({"archive": "max"}).first()[0] + 1
    given = spark.createDataFrame(
        [(archive, path, label) for archive, path in enumerate(named, first)],
        "archive long, path string, recipe string",
    )
    # A crawl that was not finished left its list: its numbers are given anew.
    given.coalesce(1).write.mode("overwrite").parquet((lists / of_crawl).uri)
    tasks = max(1, len(named) // ARCHIVES_A_TASK)
    options = {"recipe": recipe, "format": format, **reading}
    made = (
        given.select("archive", "path")
        .repartitionByRange(tasks, "archive")
        .mapInArrow(lambda batches: partitions.sketch(batches, **options), schemas.SKETCHES)
    )
    made.write.mode("overwrite").parquet((sketches / of_crawl).uri)
    return int(spark.read.parquet((sketches / of_crawl).pattern).count())


def sketch(
    pages: DataFrame,
    *,
    number: str,
    recipe: str = "main",
    id: str = "id",
    text: str | EllipsisType | None = ...,
    html: str | EllipsisType | None = ...,
    url: str | EllipsisType | None = ...,
    keep_words: bool = False,
) -> DataFrame:
    """Sketches the pages of a table; returns a table like that of `documents`.

    `number` names the column of ages: unique integers, lower for older documents. Ids are unique texts. By default
    reads the columns `text`, `html` and `url` if present. If you name a page column, only that one is read; None
    disables a column. `keep_words` stores the words of each page, from which `clusters` computes the loss of each
    removal.
    """
    from pyspark.sql import functions

    kind = dict(pages.dtypes).get(number)
    if kind not in ("tinyint", "smallint", "int", "bigint"):
        told = "is not there" if kind is None else f"is {kind}, and no whole number of 64 bits"
        raise ValueError(f"the column {number} {told}: the table has {', '.join(pages.columns)}")
    named = columns_of(pages.columns, number, id, text, html, url)
    given = [functions.col(column).alias(role) for role, column in named.items() if role != "number"]
    given.append(functions.col(number).cast("long").alias("number"))
    return pages.select(*given).mapInArrow(partial(sketched, recipe=recipe, keep_words=keep_words), SKETCHED)


def documents(spark: SparkSession, store: _Path, *, deleted: Iterable[str] | DataFrame = ()) -> DataFrame:
    """The documents of all crawls of a store, one for each id.

    For each id, it is the last document that was new or changed. `deleted` is a list of text ids, or a table with a
    column id. `pairs` omits deleted documents; in clusters they may be founders, as in a database until `nddb compact`.
    """
    from pyspark.sql import Window, functions

    col = functions.col
    folder = known(spark, store)
    # Names of crawls are text, also those that look like numbers or dates.
    schema = f"{schemas.SKETCHES}, crawl string"
    all_of = spark.read.schema(schema).parquet((folder / "sketches").pattern)
    by_id = Window.partitionBy("id", "is_number")
    repeated = (
        all_of.select("id", "is_number", "crawl", "number")
        .withColumn("times", functions.count("*").over(by_id))
        .where("times > 1")
        .drop("times")
    )
    last = Window.partitionBy("id", "is_number", "crawl").orderBy(col("number").desc())
    last_of_crawl = repeated.withColumn("place", functions.row_number().over(last)).where("place = 1")
    contents = (
        last_of_crawl.join(all_of.select("number", "sketch"), "number")
        .select("number", "sketch")
        .mapInArrow(through(tables.contents), schemas.CONTENTS)
    )
    in_time = by_id.orderBy("number")
    told = last_of_crawl.join(contents, "number").withColumn("before", functions.lag("content").over(in_time))
    # What a crawl found changed begins a new document; the last of these lives.
    changed = told.where("before is null or before != content")
    began = changed.groupBy("id", "is_number").agg(functions.max("number").alias("number"))
    dead = repeated.join(began.select("number"), "number", "left_anti").select("number")
    living = all_of.join(dead, "number", "left_anti")
    if hasattr(deleted, "select"):
        table = cast("DataFrame", deleted)
        if "id" not in table.columns:
            raise ValueError(f"the table of deleted documents has no column id: it has {', '.join(table.columns)}")
    else:
        table = spark.createDataFrame([(id,) for id in deleted], "id string")
    gone = table.select("id").distinct().withColumn("deleted", functions.lit(True))
    return living.join(gone, "id", "left").withColumn("deleted", functions.coalesce("deleted", functions.lit(False)))
