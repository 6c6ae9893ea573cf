"""The documents of a job: checked before its first step, and compared when the job is resumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nddb.spark import schemas
from nddb.steps.inputs import check_numbered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_COLUMNS = [*schemas.names(schemas.SKETCHES), "deleted"]


@dataclass(frozen=True)
class Inputs:
    """The number of documents, and a digest of the columns that a job reads, independent of the order of rows."""

    documents: int
    digest: str


def inputs_of(documents: DataFrame) -> Inputs:
    """Reads all documents once. Raises ValueError if a column is missing or the numbers are not unique."""
    from pyspark.sql import functions

    missing = [name for name in _COLUMNS if name not in documents.columns]
    if missing:
        raise ValueError(
            f"the table has no column {', '.join(missing)}: make it by nddb.spark.documents or nddb.spark.sketch"
        )
    hashes = functions.xxhash64(*_COLUMNS).cast("decimal(20)")
    count, numbers, different, total = documents.agg(
        functions.count("*"), functions.count("number"), functions.count_distinct("number"), functions.sum(hashes)
    ).first()
    check_numbered(count, count - numbers, numbers - different)
    return Inputs(count, f"{int(total or 0) % 2**64:016x}")
