"""Clusters, and what to keep and to remove: what `nddb cluster` gives."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nddb import tables
from nddb.spark import partitions, schemas
from nddb.spark.classes import Classes, collapse
from nddb.spark.options import Judging
from nddb.spark.pairs import with_sketches, near
from nddb.spark.places import Place, known
from nddb.spark.work import Work, files_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def clusters(
    documents: DataFrame,
    work: str | os.PathLike[str],
    *,
    keep: Sequence[str] | None = None,
    remove: str | None = None,
    **judging: Any,
) -> DataFrame:
    """The members of all clusters, in the order and with the columns of `Reader.clusters`.

    `keep` and `remove` are the rules of the command. One ordered pass over the pairs is made by this process, with a
    bit for each document that joined another. `work` is a folder that all machines see, this one too; the other options
    are those of `nddb.spark.Judging`.
    """
    how = Judging(**judging)
    steps = Work(documents.sparkSession, work, {"job": "clusters", **dataclasses.asdict(how)}, documents)
    classes = collapse(steps, documents, how)
    pairs = near(steps, classes, how).select("older", "newer", "nearness")
    founder = _founders(steps, classes, pairs, how)
    options = how.of_members() | {"keep": None if keep is None else list(keep), "remove": remove}
    return _members(classes, founder, options)


def lists(documents: DataFrame, members: DataFrame, folder: str | os.PathLike[str]) -> None:
    """Writes `keep.txt` and `remove.txt` into a folder: the ids of all documents that are not deleted, sorted.

    Members are read twice: of a table that was written before. The files are the command's, byte for byte, of documents
    whose ids are all texts or all numbers. Raises ValueError for the ids of a number and of a text with the same digits.
    """
    from pyspark.sql import functions

    target = known(documents.sparkSession, folder)
    removed = members.where("verdict = 'remove'").select("id")
    living = documents.where("not deleted").select("id")
    both = living.groupBy("id").count().where("count > 1").first()
    if both is not None:
        raise ValueError(f"{both.id} is the id of a number and of a text: lists cannot name one of them")
    for name, ids in (("keep", living.join(removed, "id", "left_anti")), ("remove", removed)):
        line = functions.col("id")
        for given, escaped in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
            line = functions.replace(line, functions.lit(given), functions.lit(escaped))
        parts = target / f".{name}.parts"
        ids.orderBy("id").select(line.alias("value")).write.mode("overwrite").text(parts.uri)

        def write(new: Path, parts: Place = parts) -> None:
            with new.open("wb") as file:
                for part in files_of(parts):
                    file.write(part.read())

        (target / f"{name}.txt").put(write)
        parts.remove()


def _founders(work: Work, classes: Classes, pairs: DataFrame, judging: Judging) -> DataFrame:
    """The founder of each document: number, founder."""
    from pyspark.sql import functions

    col = functions.col
    # The pass over all pairs in their order, by this process.
    work.table("ordered", lambda: pairs.select("newer", "older", "nearness").orderBy("newer", "older"))
    joined = work.on_driver("joined", tables.stars, "ordered")
    leaders = classes.leaders
    others = leaders.where("number != leader").select("number", "leader")
    left = joined.select(col("number").alias("leader"), col("founder").alias("joined"))

    def chosen() -> DataFrame:
        waiting = others.join(left, "leader")
        members = waiting.select("leader", "number", functions.lit(None).cast("long").alias("nearness"), "joined")
        both = pairs.select(col("older").alias("leader"), col("newer").alias("number"), "nearness").unionByName(
            pairs.select(col("newer").alias("leader"), col("older").alias("number"), "nearness")
        )
        choices = (
            both.join(waiting.select("leader").distinct(), "leader", "left_semi")
            .join(joined.select("number"), "number", "left_anti")
            .select("leader", "number", "nearness", functions.lit(None).cast("long").alias("joined"))
        )
        return (
            members.unionByName(choices)
            .repartition("leader")
            .sortWithinPartitions("leader", "number")
            .mapInArrow(partitions.through(tables.choose), schemas.FOUNDERS)
        )

    choices = work.table("chosen", chosen)

    def parted() -> DataFrame:
        # Members that are not near the founder of their leader by their own site or content found a cluster together.
        options = judging.of_decisions()
        given = choices.select(col("founder").alias("older"), col("number").alias("newer"))
        decided = with_sketches(given, classes.documents).mapInArrow(
            lambda batches: partitions.decide(batches, False, **options), f"older long, newer long, {schemas.DECIDED}"
        )
        apart = decided.where("near = false").select(col("newer").alias("number")).join(others, "number")
        first = apart.groupBy("leader").agg(functions.min("number").alias("founder"))
        return apart.join(first, "leader").select("number", "founder")

    apart = work.table("parted", parted).withColumnRenamed("founder", "parted")
    first_empty = leaders.where("empty").agg(functions.min("number").alias("first_empty"))
    return work.table(
        "founders",
        lambda: leaders.join(joined, "number", "left")
        .join(choices.withColumnRenamed("founder", "chosen"), "number", "left")
        .join(apart, "number", "left")
        .crossJoin(functions.broadcast(first_empty))
        .select(
            "number",
            functions.when(col("empty"), col("first_empty"))
            .otherwise(functions.coalesce("parted", "chosen", "founder", "leader"))
            .alias("founder"),
        ),
    )


def _members(classes: Classes, founders: DataFrame, options: dict[str, Any]) -> DataFrame:
    """The rows of all clusters of two documents and more."""
    from pyspark.sql import functions

    col = functions.col
    sizes = founders.groupBy("founder").agg(functions.count("*").alias("size")).where("size > 1").select("founder")
    clustered = founders.join(sizes, "founder")
    ids = classes.documents.select(col("number").alias("founder"), col("id").alias("cluster"))
    given = (
        clustered.join(classes.documents.select("number", "sketch", "deleted", "archive"), "number")
        .join(ids, "founder")
        .select("cluster", "number", "founder", "deleted", "archive", "sketch")
    )
    return (
        given.repartitionByRange("cluster")
        .sortWithinPartitions("cluster", "number")
        .mapInArrow(partitions.through(tables.members, **options), schemas.MEMBERS)
    )
