"""All near-duplicate pairs and groups of equal documents, as `nddb pairs` gives them."""

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
