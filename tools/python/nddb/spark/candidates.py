"""Candidate pairs of the leaders of classes: those that share a key, each found once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow

from nddb import tables
from nddb.spark import partitions, schemas
from nddb.spark.classes import Classes
from nddb.spark.options import Judging
from nddb.spark.work import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def candidates(work: Work, classes: Classes, judging: Judging) -> DataFrame:
    """The candidate pairs of leaders: older, newer, listed."""
    from pyspark.sql import functions

    leaders = (
        classes.leaders.where("number = leader").select("number").join(classes.properties, "number")
    )
    if judging.is_by_fingerprint():
        found = _near(leaders.withColumn("wanted", functions.lit(True)), judging.k, classes.groups)
    else:
        found = _sharing(work, leaders, judging)
        if judging.method is None and not leaders.where("lacks").isEmpty():
            # Simhash decides where only a fingerprint is known: pairs with such documents.
            options = judging.of_properties() | {"groups": classes.groups}
            keyed = classes.documents.select("number", "sketch").mapInArrow(
                partitions.through(tables.properties, **options), schemas.PROPERTIES
            )
            of_leaders = leaders.select("number").join(keyed, "number").withColumn("wanted", functions.col("lacks"))
            found = found.unionByName(_near(of_leaders, judging.k, classes.groups))
    return found.groupBy("older", "newer").agg(functions.max("listed").alias("listed"))


def _sharing(work: Work, leaders: DataFrame, judging: Judging) -> DataFrame:
    """The pairs that share a key of their sketches."""
    from pyspark.sql import Window, functions

    def shared() -> DataFrame:
        rows = leaders.select("number", functions.explode("keys").alias("key")).distinct()
        times = functions.count("*").over(Window.partitionBy("key"))
        return rows.withColumn("times", times).where("times > 1")

    keys = work.table("keys", shared)
    cut = [row.key for row in keys.where(keys.times > judging.group_limit).select("key").distinct().collect()]
    options = {"cut": pyarrow.array(cut, pyarrow.int64()) if cut else None, "group_limit": judging.group_limit}
    own = keys.groupBy("number").agg(functions.collect_list("key").alias("keys"))
    postings = own.select("number", "keys", functions.explode("keys").alias("key"))
    return (
        postings.repartition("key")
        .sortWithinPartitions("key", "number")
        .mapInArrow(partitions.through(tables.pairs_by_key, **options), schemas.BY_KEY)
    )


def _near(leaders: DataFrame, k: int, groups: int) -> DataFrame:
    """The pairs within k bits of which one document is wanted."""
    from pyspark.sql import functions

    rows = leaders.where("fp is not null").select("number", "fp", "wanted", functions.explode("keys").alias("key"))
    found = (
        rows.repartition("key")
        .sortWithinPartitions("key", "number")
        .mapInArrow(partitions.through(tables.pairs_by_fingerprint, k=k, groups=groups), schemas.BY_FINGERPRINT)
    )
    return found.withColumn("listed", functions.lit(True))
