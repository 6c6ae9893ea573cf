"""A pipeline of datatrove that drops near-duplicates by a database that was built before."""

import gzip
import json

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.readers import ParquetReader
from datatrove.pipeline.writers import JsonlWriter

import nddb


class NearDuplicates(BaseFilter):
    """Drops what the database would remove; the reason names the document that is kept instead."""

    name = "near-duplicates"

    def __init__(self, path, exclusion_writer=None, batch_size=100):
        super().__init__(exclusion_writer, batch_size)
        self.path, self.kept = str(path), None

    def filter(self, document):
        return self.filter_batch([document])[0]

    def filter_batch(self, batch):
        if self.kept is None:
            members = nddb.open(self.path).clusters()
            self.kept = {row["id"]: row["kept"] for row in members if row["verdict"] == "remove"}
        return [(False, f"dup:{self.kept[one.id]}") if one.id in self.kept else True for one in batch]


def pipeline(path, folder, tasks, workers):
    """Runs it over the pages of a folder; returns the ids that are kept, and those that are dropped with the reason."""
    out = folder / f"out-{tasks}"
    # Parts of the pages, so that each task has some.
    parts = folder / "parts"
    if not parts.exists():
        import pyarrow.parquet as parquet

        parts.mkdir()
        table = parquet.read_table(folder / "pages.parquet")
        for part in range(4):
            parquet.write_table(table[part * 375 : (part + 1) * 375], parts / f"{part}.parquet")
    LocalPipelineExecutor(
        pipeline=[
            ParquetReader(str(parts)),
            NearDuplicates(path, JsonlWriter(str(out / "dropped"))),
            JsonlWriter(str(out / "kept")),
        ],
        tasks=tasks,
        workers=workers,
        logging_dir=str(out / "logs"),
    ).run()

    def read(kind):
        for file in sorted((out / kind).glob("*.jsonl.gz")):
            with gzip.open(file, "rt") as lines:
                yield from map(json.loads, lines)

    dropped = sorted((line["id"], line["metadata"]["filter_reason"]) for line in read("dropped"))
    return sorted(line["id"] for line in read("kept")), dropped
