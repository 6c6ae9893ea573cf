"""The one call for tables and texts, whose documents have the numbers of their rows as ids."""

from __future__ import annotations

import os
from typing import Any

from nddb import _native
from nddb._dedup.options import Options
from nddb._dedup.result import SHOWN, Deduplicated
from nddb._dedup.sources import Source
from nddb._progress import Tell, shown

#: Columns that are looked for, in order.
USUAL = {"text": ("text", "raw_content", "content"), "html": ("html",), "url": ("url",), "id": ("id",)}
#: Rules for the kept row that say something of a table: it has no dates, and no batches.
RULES = ("stored", "longest", "shortest-url")


def dedup_table(source: Source, options: Options) -> Deduplicated:
    """Finds the rows to remove, by a temporary database."""
    for rule in options.keep:
        if rule not in RULES:
            raise ValueError(f"keep '{rule}' says nothing of rows of a table (there are {', '.join(RULES)}): sort them")
    # Of rows that the rules do not tell apart the first one.
    rules = [*options.keep, "stored"]
    named = named_columns(source.columns, options.columns)
    id_column = named.pop("id", None)
    databases = _native.Federation(options.against) if options.against else None
    path = os.path.join(options.folder, "documents.nddb")
    with shown(options.progress) as tell:
        store(source, named, path, databases, threads=options.threads, tell=tell)
        found = _native._find_removed(path, rules, against=databases, progress=tell, **options.limits)
    found.sort(key=lambda row: row[0])
    counts = {"documents": len(source), "same_text": 0, "near": 0, "earlier": 0}
    mask = [True] * len(source)
    for row, _, part, is_same, *_ in found:
        mask[row] = False
        counts["earlier" if part is not None else "same_text" if is_same else "near"] += 1
    removed = _removed(source, id_column, found, [reader.path for reader in databases.readers] if databases else None)

    def report(output: str) -> None:
        with shown(options.progress) as tell:
            _native._write_report(path, output, type(source).__name__, rules, progress=tell, **options.limits)

    rows = [dict(zip(removed, row)) for row in zip(*(values[:SHOWN] for values in removed.values()))]
    return Deduplicated(source.kept(mask), source.table(removed), rows, counts, report, options.folder)


def store(
    source: Source,
    named: dict[str, str],
    path: str,
    databases: _native.Federation | None,
    *,
    threads: int | None = None,
    tell: Tell | None = None,
) -> None:
    """Stores the rows in a database that is comparable with the other databases; ids are row numbers."""
    # Nothing is looked up in it online.
    config = _native.Config(recipe="main-offline", keep_words=True)
    if databases is not None:
        config = _native.Config(databases.k, recipe=databases.recipe, bits=databases.bits, keep_words=True)
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
    columns["loss"] = [row[6] for row in found]
    columns["lost"] = [row[7] for row in found]
    if paths is not None:
        columns["kept_in"] = [None if row[2] is None else str(paths[row[2]]) for row in found]
        # The ids of two sources may be of two types, which a column cannot be.
        if len({type(kept) for kept in columns["kept"] if kept is not None}) > 1:
            columns["kept"] = [None if kept is None else str(kept) for kept in columns["kept"]]
    return columns
