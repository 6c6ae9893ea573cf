"""``nddb.dedup`` for files: runs the command ``nddb dedup``."""

from __future__ import annotations

import glob
import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nddb import _native, _process
from nddb._dedup.options import Options, config_like
from nddb._dedup.result import Compared, Deduplicated
from nddb._dedup.sources import write
from nddb._process import Option
from nddb._progress import shown

#: Endings of files that the command reads.
_READABLE = re.compile(
    r"\.(jsonl|ndjson|json|parquet|pq|arrows?|feather|ipc|warc|wet|wacz|arc|csv|tsv|html?|xhtml|txt|text)"
    r"(\.(open|gz|zstd?|bz2|xz|lz4))*$",
    re.IGNORECASE,
)
_log = logging.getLogger("nddb")


def paths_of(data: Any) -> list[str] | None:
    """Returns the files and folders that the data names, or None if the data has no paths."""
    if isinstance(data, str):
        found = [data] if os.path.exists(data) else sorted(glob.glob(data, recursive=True))
        if not found:
            raise FileNotFoundError(f"{data!r}: no file has this name; give a text as a list of texts")
        return found
    if isinstance(data, os.PathLike):
        return [os.fsdecode(data)]
    if not isinstance(data, list | tuple):
        return None
    is_path = [isinstance(item, os.PathLike) or _is_readable(item) and os.path.isfile(item) for item in data]
    if not any(is_path):
        if data and all(_is_readable(item) or isinstance(item, str) and os.path.isdir(item) for item in data):
            _log.warning("nddb.dedup: the items look like paths, and are taken for texts: make each a pathlib.Path")
        return None
    if not all(is_path):
        named, other = data[is_path.index(True)], is_path.index(False)
        raise ValueError(
            f"{os.fsdecode(named)!r} is a file, and item {other} ({str(data[other])[:60]!r}) is none that can be read: "
            "to read files, name only files, or make each a pathlib.Path; to compare the items themselves, make each "
            "{'text': item}"
        )
    if any(isinstance(item, str) for item in data):
        _log.warning("nddb.dedup: the items name files, which are read; to compare the names, make each {'text': name}")
    return [os.fsdecode(item) for item in data]


def _is_readable(item: Any) -> bool:
    return isinstance(item, str) and _READABLE.search(item[-40:]) is not None


class Files:
    """The kept and the removed documents of files."""

    def __init__(
        self, paths: list[str], kind: type[str | Path], options: Options, said: dict[str, Any], listed: str
    ) -> None:
        self._paths = paths
        self._kind = kind
        self._options = options
        self._outputs: list[str] = said["outputs"]
        with open(listed, encoding="utf-8") as lines:
            self._removed = [json.loads(line) for line in lines]
        self.losses = [row["loss"] for row in self._removed]
        self._database: str | None = None

    def kept(self) -> list[Any]:
        return [self._kind(path) for path in self._outputs]

    def removed(self) -> list[dict[str, Any]]:
        return self._removed

    def rows(self, numbers: list[int], with_texts: bool = False) -> list[dict[str, Any]]:
        rows = [self._removed[number] for number in numbers]
        if not with_texts:
            return rows
        # Without the temporary folder nothing can be loaded again.
        ids = [[row["id"] for row in rows], [None if row.get("kept_in") else row["kept"] for row in rows]]
        path = self._loaded() if os.path.isdir(self._options.folder) else None
        texts = [_native._texts(path, of) if path else [None] * len(rows) for of in ids]
        return [{**row, "text": text, "kept_text": kept} for row, text, kept in zip(rows, *texts)]

    def report(self, page: str) -> None:
        with shown(self._options.progress) as tell:
            path, name = self._loaded(), ", ".join(self._paths)
            _native._write_report(path, page, name, self._options.keep, progress=tell, **self._options.limits)

    @contextmanager
    def compared(self, numbers: list[int]) -> Iterator[Compared]:
        pairs = [(row["id"], None if row.get("kept_in") else row["kept"]) for row in self.rows(numbers)]
        yield self._loaded(), pairs

    def save(self, folder: str) -> None:
        if not all(map(os.path.exists, self._outputs)):
            self._options.check_open()
        os.makedirs(folder)
        write(self._removed, os.path.join(folder, "removed"))
        outputs = [os.path.abspath(path) for path in self._outputs]
        above = os.path.commonpath([os.path.dirname(path) for path in outputs])
        for path in outputs:
            copy = os.path.join(folder, "kept", os.path.relpath(path, above))
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(path, copy)

    def _loaded(self) -> str:
        """Loads the files into a temporary database, once, and deletes what is near to documents of earlier
        databases."""
        options = self._options
        options.check_open()
        if self._database is None:
            path = os.path.join(tempfile.mkdtemp(dir=options.folder), "documents.nddb")
            fields: dict[str, Any] = {f"{name}_field": value for name, value in options.columns.items()}
            with shown(options.progress) as tell:
                loaded = self._load(path, progress=tell, **fields)
                if loaded["repeated"] + loaded["unchanged"]:
                    # As the command does: all documents of one id are judged.
                    path += ".by-path"
                    self._load(path, progress=tell, id_from="path", **fields)
                if options.databases is not None:
                    against, keep = options.databases, options.keep
                    _native._find_removed(path, keep, against=against, progress=tell, **options.limits)
            self._database = path
        return self._database

    def _load(self, path: str, **given: Any) -> dict[str, Any]:
        with _native.Writer(path, create=config_like(self._options.databases), threads=self._options.threads) as writer:
            return writer.load(self._paths, **given)


def dedup_files(
    paths: list[str], kind: type[str | Path], options: Options, output: str | os.PathLike[str] | None
) -> Deduplicated[Any]:
    """Copies files without the documents to remove; returns the paths of the copies, and the removed documents."""
    listed = os.path.join(options.folder, "removed.jsonl")
    given: dict[str, Option] = {
        **{f"{name}_field": value for name, value in options.columns.items()},
        **options.limits,
        "keep": ",".join(options.keep),
        "tmp_dir": options.folder,
        "progress": options.progress,
        "against": [reader.path for reader in options.databases.readers] if options.databases else None,
        "contained": options.contained,
        "output": os.path.join(options.folder, "kept", "") if output is None else output,
        "removed": listed,
    }
    said = _process.run("dedup", paths, given)[-1]
    return Deduplicated(Files(paths, kind, options, said, listed), said, options.folder)
