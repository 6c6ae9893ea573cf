"""Blocks for pipelines of datatrove that find and drop near-duplicates.

::

    from datatrove.executor import LocalPipelineExecutor as Run
    from datatrove.pipeline.readers import ParquetReader
    from datatrove.pipeline.writers import JsonlWriter
    from nddb.datatrove import DropNearDuplicates, FindNearDuplicates

    Run([ParquetReader("pages"), FindNearDuplicates("crawl.nddb", "removed.parquet")], tasks=1).run()
    Run([ParquetReader("pages"), DropNearDuplicates("removed.parquet"), JsonlWriter("clean")], tasks=8).run()

The first pipeline has one task, which uses all cores; the second one may have any number.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nddb._packages import need

need("datatrove", "pyarrow")

import pyarrow  # noqa: E402
import pyarrow.compute  # noqa: E402
import pyarrow.parquet  # noqa: E402
from datatrove.pipeline.base import PipelineStep  # noqa: E402
from datatrove.pipeline.filters.base_filter import BaseFilter  # noqa: E402

from nddb._native import Config, Writer, open  # noqa: E402
from nddb._rules import rules_of  # noqa: E402

if TYPE_CHECKING:
    from datatrove.data import Document, DocumentsPipeline
    from datatrove.pipeline.writers.disk_base import DiskWriter

__all__ = ["DropNearDuplicates", "FindNearDuplicates"]

#: Documents loaded at a time.
BATCH = 10_000


class FindNearDuplicates(PipelineStep):
    """Loads all documents into a database, passes them on, and finally writes the list of those to remove.

    `database` is created if it does not exist; documents already in it are compared, too. Ids must be unique; the URL
    is `metadata["url"]`, if present. `removed` is a Parquet file with the columns of `Reader.clusters` and a row for
    each document to remove. Other options: as `Reader.clusters`. Raises ValueError in a pipeline of several tasks.
    """

    type = "🫂 - DEDUP"
    name = "🔍 find near-duplicates"

    def __init__(
        self,
        database: str | os.PathLike[str],
        removed: str | os.PathLike[str],
        *,
        recipe: str = "main",
        keep: str | Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.database, self.removed, self.recipe = os.fspath(database), os.fspath(removed), recipe
        self.options = {"keep": None if keep is None else rules_of(keep), **options}

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        if world_size > 1:
            raise ValueError(f"a database has one writer, and the pipeline {world_size} tasks: give it tasks=1")
        config = None if Path(self.database).exists() else Config(recipe=self.recipe)
        with Writer(self.database, create=config) as writer:
            documents = iter(data)
            while batch := list(islice(documents, BATCH)):
                with self.track_time("batch"):
                    writer.add_batch(_pages(batch))
                yield from batch
        with self.track_time(), open(self.database) as reader:
            members = pyarrow.table(reader.clusters(**self.options))
            removed = members.filter(pyarrow.compute.equal(members["verdict"], "remove"))
            pyarrow.parquet.write_table(removed, self.removed)
            self.stat_update("documents", value=len(reader))
        self.stat_update("to remove", value=removed.num_rows)


def _pages(documents: Iterable[Document]) -> pyarrow.Table:
    rows = [{"id": one.id, "text": one.text, "url": one.metadata.get("url")} for one in documents]
    return pyarrow.Table.from_pylist(rows, pyarrow.schema([("id", "string"), ("text", "string"), ("url", "string")]))


class DropNearDuplicates(BaseFilter):
    """Drops the documents that `FindNearDuplicates` found, and sets their `metadata["near_duplicate_of"]` to the id of
    the kept document."""

    name = "👯 near-duplicates"

    def __init__(self, removed: str | os.PathLike[str], exclusion_writer: DiskWriter | None = None) -> None:
        super().__init__(exclusion_writer)
        self.removed = os.fspath(removed)
        self._kept: dict[str, str] | None = None

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        if self._kept is None:
            # Read by each task, when it begins: the block is sent to it.
            rows = pyarrow.parquet.read_table(self.removed, columns=["id", "kept"])
            self._kept = dict(zip(rows["id"].to_pylist(), rows["kept"].to_pylist()))
        kept = self._kept.get(doc.id)
        if kept is None:
            return True
        doc.metadata["near_duplicate_of"] = kept
        return False, "near-duplicate"
