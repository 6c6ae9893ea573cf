"""``nddb.dedup``: from data to the kept data in one call.

``sources`` reads each kind of table and selects its rows, ``tables`` has the steps for tables and texts, ``files``
those for files, ``result`` what is returned, ``options`` the arguments.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

from nddb._dedup.files import dedup_files, paths_of
from nddb._dedup.options import Options
from nddb._dedup.result import Deduplicated, remove
from nddb._dedup.sources import source_of
from nddb._dedup.tables import dedup_table
from nddb._native import Reader

__all__ = ["Deduplicated", "dedup"]

_Database = str | os.PathLike[str] | Reader


def dedup(
    data: Any,
    *,
    text: str | None = None,
    html: str | None = None,
    url: str | None = None,
    id: str | None = None,
    keep: str | Sequence[str] = "stored",
    against: _Database | Iterable[_Database] | None = None,
    min_probability: float | None = None,
    level: str | None = None,
    output: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    tmp_dir: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Deduplicated:
    """Removes near-duplicates from a table, texts or files, as ``nddb dedup`` does.

    ``data`` is a table (a polars, pandas or pyarrow table, a relation of DuckDB, a ``Dataset`` of Hugging Face), a list
    or other iterable of texts, or a path, a list of ``Path`` or a glob of files that ``nddb dedup`` reads. The result
    has ``kept``, the remaining rows, of the same type and in the same order, and ``removed``, the other rows with the
    reasons. The data is not changed. A temporary database in ``tmp_dir`` is deleted with the result.

    ``text``, ``html``, ``url`` and ``id`` name columns or fields; by default those of these names are used, for texts
    also ``raw_content`` and ``content``. ``keep`` is a rule, or a list of rules in order, that selects the
    near-duplicate to keep: stored (the first), longest, shortest-url; for files also newest, oldest and id. Rows near
    to a document of the databases ``against`` are removed, too. ``min_probability``: as ``Reader.query``. ``level``
    limits how much of a removed row may be lost: same, strict or standard (the default).

    For files, ``kept`` are the paths of copies without the removed documents: in ``output``, a file or a folder, or
    else in a temporary folder that is deleted with the result. With ``progress``, tqdm shows bars if it is installed.
    Raises ValueError if a column is missing, TypeError for data of another kind.

    >>> result = nddb.dedup([fox, "a text that has nothing in common with it", fox + " and again"])
    >>> len(result.kept)
    2
    >>> result.removed[0]["row"], result.removed[0]["kept_row"], result.removed[0]["rule"]
    (2, 0, 'model')
    """
    if against is None:
        databases: list[_Database] = []
    elif isinstance(against, str | os.PathLike | Reader):
        databases = [against]
    else:
        databases = list(against)
    paths = paths_of(data)
    source = None if paths is not None else source_of(data)
    if source is not None and output is not None:
        raise ValueError("output is of files: write what is kept of a table by its own means")
    options = Options(
        columns={"text": text, "html": html, "url": url, "id": id},
        keep=[keep] if isinstance(keep, str) else list(keep),
        against=databases,
        min_probability=min_probability,
        level=level,
        threads=threads,
        folder=os.path.abspath(tempfile.mkdtemp(prefix="nddb-dedup-", dir=tmp_dir)),
        progress=progress,
    )
    try:
        return dedup_files(paths or [], options, output) if source is None else dedup_table(source, options)
    except BaseException:
        remove(options.folder, os.getpid())
        raise
