"""``nddb.dedup`` for tables and texts; the id of a document is its row number."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from nddb import _native
from nddb._dedup.options import Options, config_like
from nddb._dedup.result import Compared, Deduplicated
from nddb._dedup.sources import Source, write
from nddb._progress import Tell, shown

#: Default columns, in order of preference.
USUAL = {"text": ("text", "raw_content", "content"), "html": ("html",), "url": ("url",), "id": ("id",)}
#: Rules that apply to tables, which have neither dates nor batches.
RULES = ("stored", "longest", "shortest-url")


class Table:
    """The kept and the removed rows of a table, with reasons."""

    def __init__(self, source: Source, named: dict[str, str], path: str, options: Options) -> None:
        self._source = source
        self._path = path
        # Of rows that the rules do not tell apart the first one.
        self._options = replace(options, keep=[*options.keep, "stored"])
        id_column = named.pop("id", None)
        self._named = named or {"text": "text"}
        databases = options.databases
        with shown(options.progress) as tell:
            store(source, named, path, config_like(databases), threads=options.threads, tell=tell)
            found = _native._find_removed(
                path,
                self._options.keep,
                against=databases,
                contained=options.contained,
                progress=tell,
                **options.limits,
            )
        found.sort(key=lambda row: row[0])
        kinds = ("same_text", "near", "earlier", "contained", "contained_kept")
        self.counts = {"documents": len(source), **dict.fromkeys(kinds, 0)}
        self._mask = [True] * len(source)
        for row, _, part, is_same, rule, *_, stays in found:
            self._mask[row] = stays
            kind = "contained_kept" if stays else "contained" if rule == "contained" else None
            self.counts[kind or ("earlier" if part is not None else "same_text" if is_same else "near")] += 1
        paths = [reader.path for reader in databases.readers] if databases else None
        self._columns = _removed(source, id_column, found, paths)
        if options.contained is not None:
            self._columns["stays"] = [row[-1] for row in found]
        self.losses = self._columns["loss"]

    def kept(self) -> Any:
        return self._source.kept(self._mask)

    def removed(self) -> Any:
        return self._source.table(self._columns)

    def rows(self, numbers: list[int], with_texts: bool = False) -> list[dict[str, Any]]:
        rows = [{name: values[number] for name, values in self._columns.items()} for number in numbers]
        if with_texts:
            for name, other in [("row", "text"), ("kept_row", "kept_text")]:
                here = [row[name] for row in rows if row[name] is not None]
                column = self._named.get("text") or self._named["html"]
                texts = iter(self._source.values(column, here))
                for row in rows:
                    row[other] = None if row[name] is None else next(texts)
        return rows

    def report(self, page: str) -> None:
        self._options.check_open()
        with shown(self._options.progress) as tell:
            name, keep = type(self._source).__name__, self._options.keep
            _native._write_report(self._path, page, name, keep, progress=tell, **self._options.limits)

    @contextmanager
    def compared(self, numbers: list[int]) -> Iterator[Compared]:
        rows = self.rows(numbers)
        there = sorted({row[name] for row in rows for name in ("row", "kept_row")} - {None})
        read = {role: self._source.values(name, there) for role, name in self._named.items()}
        with tempfile.TemporaryDirectory(prefix="nddb-show-") as folder:
            pages = os.path.join(folder, "pages.jsonl")
            with open(pages, "w", encoding="utf-8") as file:
                for row, *values in zip(there, *read.values()):
                    file.write(json.dumps({"id": f"row {row}", **dict(zip(read, values))}) + "\n")
            path = os.path.join(folder, "pages.nddb")
            with _native.Writer(path, create=_native.Config()) as writer:
                writer.load(pages)
            kept = [None if row["kept_row"] is None else f"row {row['kept_row']}" for row in rows]
            yield path, [(f"row {row['row']}", other) for row, other in zip(rows, kept)]

    def save(self, folder: str) -> None:
        os.makedirs(folder)
        write(self.kept(), os.path.join(folder, "kept"))
        write(self.removed(), os.path.join(folder, "removed"))


def dedup_table(source: Source, options: Options) -> Deduplicated[Any]:
    """Finds the rows to remove, with a temporary database."""
    for rule in options.keep:
        if rule not in RULES:
            raise ValueError(f"keep '{rule}' says nothing of rows of a table (there are {', '.join(RULES)}): sort them")
    named = named_columns(source.columns, options.columns)
    made = Table(source, named, os.path.join(options.folder, "documents.nddb"), options)
    return Deduplicated(made, made.counts, options.folder)


def store(
    source: Source,
    named: dict[str, str],
    path: str,
    config: _native.Config,
    *,
    threads: int | None = None,
    tell: Tell | None = None,
) -> None:
    """Stores the rows in a new database; ids are row numbers."""
    with _native.Writer(path, create=config, threads=threads) as writer:
        read = [role for role in ("text", "html", "url") if role in named or source.columns is None]
        roles = {role: role if role in read else None for role in ("text", "html", "url")}
        writer.add_batch(source.pages(named), id="id", progress=tell, **roles)


def named_columns(there: list[str] | None, wanted: dict[str, str | None]) -> dict[str, str]:
    """Returns the columns to read: the named ones, or else the usual ones. A named page column is the only page
    column."""
    given = {role: name for role, name in wanted.items() if name is not None}
    if there is None:
        if given:
            raise ValueError(f"texts have no columns, and {', '.join(given)} names one")
        return {}
    for role, name in given.items():
        if name not in there:
            raise ValueError(f"{role}='{name}': there is no such column; the table has: {', '.join(map(str, there))}")
    has_page = "text" in given or "html" in given
    for role, names in USUAL.items():
        if role in given or has_page and role in ("text", "html"):
            continue
        given.update((role, name) for name in names[::-1] if name in there)
    if "text" not in given and "html" not in given:
        all_names = ", ".join(map(str, there))
        raise ValueError(f"no column is named text or html: name it by text= (the table has: {all_names})")
    return given


def _removed(
    source: Source, id_column: str | None, found: list[tuple[Any, ...]], paths: list[Any] | None
) -> dict[str, list[Any]]:
    """The columns of the table of removed rows."""
    rows = [row for row, *_ in found]
    is_here = [part is None for _, _, part, *_ in found]
    partners = [kept for _, kept, *_ in found]
    columns: dict[str, list[Any]] = {"row": rows}
    columns["kept_row"] = [kept if here else None for kept, here in zip(partners, is_here)]
    if id_column is not None:
        columns["id"] = source.values(id_column, rows)
        here = iter(source.values(id_column, [kept for kept, here in zip(partners, is_here) if here]))
        columns["kept"] = [next(here) if is_one else kept for kept, is_one in zip(partners, is_here)]
    elif paths is not None:
        columns["kept"] = [None if is_one else kept for kept, is_one in zip(partners, is_here)]
    columns["rule"] = [row[4] for row in found]
    columns["probability"] = [row[5] for row in found]
    for index, name in enumerate(("loss", "lost", "lost_words", "lost_passage", "level")):
        columns[name] = [row[6][index] for row in found]
    if paths is not None:
        columns["kept_in"] = [None if row[2] is None else str(paths[row[2]]) for row in found]
        # The ids of two sources may be of two types, which a column cannot be.
        if len({type(kept) for kept in columns["kept"] if kept is not None}) > 1:
            columns["kept"] = [None if kept is None else str(kept) for kept in columns["kept"]]
    return columns
