"""Clusters, and which documents to keep and to remove, as `nddb cluster` gives them."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nddb import steps
from nddb.spark.engine import Spark
from nddb.spark.places import Place, known
from nddb.spark.work import Work, files_of, writer_of
from nddb.steps import Judging

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The characters that a terminal obeys, except for line ends; lists have an escape for each.
_CONTROLS = r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"


def clusters(
    documents: DataFrame,
    work: str | os.PathLike[str],
    *,
    keep: str | Sequence[str] | None = None,
    level: str | None = None,
    **judging: Any,
) -> DataFrame:
    """The members of all clusters, in the order and with the columns of `Reader.clusters`.

    `keep` and `level`: as `nddb cluster`. `work` is a folder that all machines, including this one, can access. Other
    options: as `nddb.spark.Judging`.
    """
    how = Judging(**judging)
    folder = Work(documents.sparkSession, work, {"job": "clusters", **dataclasses.asdict(how)}, documents)
    return steps.clusters(Spark(folder), documents, folder.documents, how, keep, level)


def lists(documents: DataFrame, members: DataFrame, folder: str | os.PathLike[str]) -> None:
    """Writes the sorted ids of all documents that are not deleted to `keep.txt` or `remove.txt` in a folder.

    `members` is read twice, so pass a table that is already computed. The files equal the command's byte for byte if
    the ids are all texts or all integers. Raises ValueError if an integer id and a text id have the same digits.
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
        writer_of(ids.orderBy("id").select(line.alias("value"))).text(parts.uri)

        def write(new: Path, parts: Place = parts) -> None:
            with new.open("wb") as file:
                for part in files_of(parts):
                    # In one expression of Spark, so many replacements would be nested too deeply.
                    text = re.sub(_CONTROLS, lambda found: f"\\u{ord(found[0]):04x}", part.read().decode())
                    file.write(text.encode())

        (target / f"{name}.txt").put(write)
        parts.remove()
