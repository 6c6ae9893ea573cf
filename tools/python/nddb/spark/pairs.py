"""All near-duplicate pairs and groups of equal documents, and all passages in common, as `nddb pairs` gives them."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

from nddb import steps
from nddb.spark.engine import Spark
from nddb.spark.work import Work
from nddb.steps import Judging

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def pairs(documents: DataFrame, work: str | os.PathLike[str], **judging: Any) -> DataFrame:
    """All near-duplicates among documents that are not deleted, in the order and with the columns of `Reader.pairs`.

    In pairs, the oldest member stands for its identity set or hot group; the group has a row for each other member.
    `work` is a folder that all machines can access. Other options: as `nddb.spark.Judging`.
    """
    how = Judging(**judging)
    folder = Work(documents.sparkSession, work, {"job": "pairs", **dataclasses.asdict(how)}, documents)
    return steps.pairs(Spark(folder), documents, folder.documents, how)


def parts(
    documents: DataFrame,
    work: str | os.PathLike[str],
    *,
    k: int = 3,
    min_words: int = 20,
    min_containment: float = 0.0,
) -> DataFrame:
    """The passages in common of documents that are not deleted, made by the recipe `main-parts`: in the order and with
    the first ten columns of `Reader.passage_pairs`.

    Parts that are in too many texts to begin a passage are dropped before documents are joined; texts within `k` bits
    count once. `work` is a folder that all machines can access. Other options: as `nddb pairs --parts`.
    """
    how: dict[str, Any] = {"k": k, "min_words": min_words, "min_containment": min_containment}
    folder = Work(documents.sparkSession, work, {"job": "parts", **how}, documents)
    return steps.parts(Spark(folder), documents, **how)
