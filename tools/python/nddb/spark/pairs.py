"""All near-duplicate pairs, with the groups that are collapsed: what `nddb pairs` gives."""

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

    Of each identity set and each hot group, pairs have one document; a group has a row for each member except its
    oldest. `work` is a folder that all machines can access. Other options: as `nddb.spark.Judging`.
    """
    how = Judging(**judging)
    folder = Work(documents.sparkSession, work, {"job": "pairs", **dataclasses.asdict(how)}, documents)
    return steps.pairs(Spark(folder), documents, folder.documents, how)
