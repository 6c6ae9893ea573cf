"""What is collapsed before pairs are looked for: equal texts, then equal sketches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nddb import tables
from nddb.spark import partitions, schemas
from nddb.spark.options import Judging
from nddb.spark.work import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Classes:
    """The documents of a job, with what they are joined by and what each is collapsed into."""

    #: As `documents` returns them.
    documents: DataFrame
    #: number, text, class, keys, fp, lacks, empty
    properties: DataFrame
    #: number, representative (the oldest document with the text), leader (the oldest one of the class), lacks, empty
    leaders: DataFrame
    #: The number of documents, by which fingerprints are cut into groups of bits.
    count: int
    #: The number of groups of bits.
    groups: int


def collapse(work: Work, documents: DataFrame, judging: Judging) -> Classes:
    """Finds the classes of documents."""
    from pyspark.sql import functions

    col, least = functions.col, functions.min("number")
    count = work.documents
    groups = judging.groups_for(count)
    options = judging.of_properties()
    if judging.is_by_fingerprint():
        options["groups"] = groups
    properties = work.table(
        "properties",
        lambda: documents.select("number", "sketch").mapInArrow(
            partitions.through(tables.properties, **options), schemas.PROPERTIES
        ),
    )

    def shared(rows: DataFrame, key: str, oldest: str) -> DataFrame:
        # Only what occurs more than once is joined; a count of a hot key is made where its rows are.
        counted = rows.groupBy(key).agg(least.alias(oldest), functions.count("*").alias("times"))
        return counted.where("times > 1").drop("times")

    def leaders() -> DataFrame:
        texts = shared(properties.where("text is not null"), "text", "representative")
        represented = properties.drop("keys", "fp").join(texts, "text", "left")
        represented = represented.withColumn("representative", functions.coalesce("representative", "number"))
        classes = shared(represented.where("number = representative and class is not null"), "class", "leader")
        led = (
            represented.where("number = representative")
            .join(classes, "class")
            .select(col("number").alias("representative"), "leader")
        )
        return represented.join(led, "representative", "left").select(
            "number", "representative", functions.coalesce("leader", "representative").alias("leader"), "lacks", "empty"
        )

    return Classes(documents, properties, work.table("leaders", leaders), count, groups)
