"""All near-duplicate pairs, with the groups that are collapsed: what `nddb pairs` gives."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

from nddb.spark import partitions, schemas
from nddb.spark.candidates import candidates
from nddb.spark.classes import Classes, collapse
from nddb.spark.options import Judging
from nddb.spark.work import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def pairs(documents: DataFrame, work: str | os.PathLike[str], **judging: Any) -> DataFrame:
    """All near-duplicates among documents that are not deleted, in the order and with the columns of `Reader.pairs`.

    Pairs are those of one document of each identity set and of each hot group; a group is a row for each member but its
    oldest. `work` is a folder that all machines see; the other options are those of `nddb.spark.Judging`.
    """
    how = Judging(**judging)
    steps = Work(documents.sparkSession, work, {"job": "pairs", **dataclasses.asdict(how)}, documents)
    living = documents.where("not deleted")
    classes = collapse(steps, living, how)
    return _rows(classes, near(steps, classes, how), how)


def near(work: Work, classes: Classes, judging: Judging) -> DataFrame:
    """The near-duplicates among the leaders of classes: older, newer, listed, and what was decided."""
    found = work.table("candidates", lambda: candidates(work, classes, judging))
    options = judging.of_decisions()
    return work.table(
        "near",
        lambda: with_sketches(found, classes.documents).mapInArrow(
            lambda batches: partitions.decide(batches, True, **options),
            f"older long, newer long, listed boolean, {schemas.DECIDED}",
        ),
    )


def with_sketches(found: DataFrame, documents: DataFrame) -> DataFrame:
    """Pairs with the sketches of both documents."""
    from pyspark.sql import functions

    col = functions.col
    older, newer = (
        documents.select(col("number").alias(name), col("sketch").alias(f"sketch_{name}"))
        for name in ("older", "newer")
    )
    return found.join(newer, "newer").join(older, "older").select(*found.columns, "sketch_older", "sketch_newer")


def _rows(classes: Classes, near_pairs: DataFrame, judging: Judging) -> DataFrame:
    """Groups by kind, then pairs; each in the order of ids."""
    from pyspark.sql import functions

    col, lit = functions.col, functions.lit
    leaders = classes.leaders
    ids = classes.documents.select("number", "id")

    def group(kind: int, name: str, rows: DataFrame) -> DataFrame:
        members = rows.where("number != founder")
        sizes = members.groupBy("founder").agg((functions.count("*") + 1).alias("size"))
        named = (
            members.join(sizes, "founder")
            .join(ids.withColumnRenamed("id", "b"), "number")
            .join(ids.select(col("number").alias("founder"), col("id").alias("a")), "founder")
        )
        flagged = (col("size") > judging.group_limit).alias("flagged")
        return named.select(lit(kind).alias("kind"), "a", "b", lit(name).alias("group"), flagged)

    empty = leaders.where("empty")
    first = empty.agg(functions.min("number").alias("founder"))
    groups = [
        group(0, "identity", leaders.select("number", col("representative").alias("founder"))),
        group(1, "hot", leaders.where("number = representative").select("number", col("leader").alias("founder"))),
        group(2, "empty", empty.select("number").crossJoin(functions.broadcast(first))),
    ]
    listed = near_pairs.where("listed").withColumn("kind", lit(3)).withColumnRenamed("rule", "verdict")
    # The order of a pair is that of its ids.
    swapped = col("b") < col("a")
    listed = listed.withColumns({
        "a": functions.when(swapped, col("b")).otherwise(col("a")),
        "b": functions.when(swapped, col("a")).otherwise(col("b")),
    })
    all_of = listed.drop("older", "newer", "listed", "near", "nearness")
    for one in groups:
        all_of = all_of.unionByName(one, allowMissingColumns=True)
    wanted = [col(name) if name in all_of.columns else lit(None).cast(kind).alias(name)
              for name, kind in (column.split() for column in schemas.PAIRS.split(", ")) if name != "method"]
    names = schemas.names(schemas.PAIRS)
    made = all_of.select("kind", *wanted).withColumn("method", lit(judging.name()))
    return made.orderBy("kind", "a", "b").select(*names)
