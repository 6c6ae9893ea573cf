"""The one call for files: the command ``nddb dedup``, run by itself."""

from __future__ import annotations

import glob
import json
import os
from pathlib import Path
from typing import Any

from nddb import _process
from nddb._dedup.options import Options
from nddb._dedup.result import Deduplicated
from nddb._native import Reader
from nddb._process import Option


def paths_of(data: Any) -> list[str] | None:
    """Returns the files and folders that the data names, or None if it is no path."""
    if isinstance(data, str):
        found = [data] if os.path.exists(data) else sorted(glob.glob(data, recursive=True))
        if not found:
            raise FileNotFoundError(f"{data!r}: no file has this name; give a text as a list of texts")
        return found
    if isinstance(data, os.PathLike):
        return [os.fsdecode(data)]
    if isinstance(data, list | tuple) and data and all(isinstance(path, os.PathLike) for path in data):
        return [os.fsdecode(path) for path in data]
    return None


def dedup_files(paths: list[str], options: Options, output: str | os.PathLike[str] | None) -> Deduplicated:
    """Copies files without the documents to remove; returns the copies and the removed documents."""
    given: dict[str, Option] = {
        **{f"{name}_field": value for name, value in options.columns.items()},
        **options.limits,
        "keep": ",".join(options.keep),
        "tmp_dir": options.folder,
        "progress": options.progress,
        "against": [database.path if isinstance(database, Reader) else database for database in options.against],
    }
    kept = os.path.join(options.folder, "kept", "") if output is None else output
    listed = os.path.join(options.folder, "removed.jsonl")
    said = _process.run("dedup", paths, {**given, "output": kept, "removed": listed})[-1]
    with open(listed, encoding="utf-8") as lines:
        removed = [json.loads(line) for line in lines]

    def report(page: str) -> None:
        again = os.path.join(options.folder, "again", "")
        _process.run("dedup", paths, {**given, "output": again, "report": page})

    return Deduplicated([Path(path) for path in said["outputs"]], removed, removed, said, report, options.folder)
