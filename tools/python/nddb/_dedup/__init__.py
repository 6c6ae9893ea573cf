"""``nddb.dedup``: removes near-duplicates in one call.

``tables`` deduplicates tables and texts, ``files`` deduplicates files. ``sources`` reads each kind of table, ``result``
has the class of the result, ``options`` the arguments.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, overload

from nddb._dedup.files import dedup_files, paths_of
from nddb._dedup.options import Options
from nddb._dedup.result import Deduplicated, remove
from nddb._dedup.sources import source_of
from nddb._dedup.tables import dedup_table
from nddb._native import Federation, Reader
from nddb._rules import rules_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Deduplicated", "dedup"]

_Database = str | os.PathLike[str] | Reader

_Row = TypeVar("_Row", bound=Mapping[str, Any])
_Table = TypeVar("_Table")


class _Given(TypedDict, total=False):
    """The keyword arguments of `dedup`."""

    text: str | None
    html: str | None
    url: str | None
    id: str | None
    keep: str | Sequence[str]
    against: _Database | Iterable[_Database] | None
    contained: str | None
    min_probability: float | None
    level: str | None
    output: str | os.PathLike[str] | None
    threads: int | None
    tmp_dir: str | os.PathLike[str] | None
    progress: bool


@overload
def dedup(  # type: ignore[overload-overlap]
    data: str | os.PathLike[str] | Iterable[os.PathLike[str]], **given: Unpack[_Given]
) -> Deduplicated[list[Path]]: ...
@overload
def dedup(data: Iterable[str], **given: Unpack[_Given]) -> Deduplicated[list[str]]: ...
@overload
def dedup(data: Iterable[str | None], **given: Unpack[_Given]) -> Deduplicated[list[str | None]]: ...
@overload
def dedup(data: Iterable[_Row], **given: Unpack[_Given]) -> Deduplicated[list[_Row]]: ...
@overload
def dedup(data: _Table, **given: Unpack[_Given]) -> Deduplicated[_Table]: ...
def dedup(
    data: Any,
    *,
    text: str | None = None,
    html: str | None = None,
    url: str | None = None,
    id: str | None = None,
    keep: str | Sequence[str] = "stored",
    against: _Database | Iterable[_Database] | None = None,
    contained: str | None = None,
    min_probability: float | None = None,
    level: str | None = None,
    output: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    tmp_dir: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Deduplicated[Any]:
    """Removes near-duplicates from a table, texts or files, as ``nddb dedup`` does.

    ``data`` is a table (of polars, pandas, pyarrow, DuckDB or Hugging Face), an iterable of texts or of dictionaries,
    or files: a path, a glob, or an iterable of paths. A list of str is read as paths if every item is a file with an
    ending such as .jsonl or .warc.gz. The result has ``kept`` (the remaining rows, in the same type and order) and
    ``removed`` (the other rows, with reasons). The temporary database in ``tmp_dir`` is deleted with the result.

    ``text``, ``html``, ``url`` and ``id`` name columns. The defaults are the columns of these names; ``raw_content``
    and ``content`` also serve as ``text``. ``keep`` is a rule, or several in order, for the near-duplicate to keep:
    stored (the first), longest, shortest-url; for files also newest, oldest and id. Rows near to a document in the
    databases ``against`` are removed, too. ``contained`` applies to rows whose text is part of a longer one: "keep"
    lists them in ``removed`` but keeps them, "remove" removes them if ``level`` allows the loss. ``level`` limits how
    much of a removed row may be lost: same, strict or standard (the default). ``min_probability``: as ``Reader.query``.

    For files, ``kept`` lists copies without the removed documents, in ``output`` or else in a temporary folder that is
    deleted with the result. Raises ValueError if a column is missing or only some items are files.

    >>> result = nddb.dedup([fox, "a text that has nothing in common with it", fox + " and again"])
    >>> len(result.kept)
    2
    >>> result.removed[0]["row"], result.removed[0]["kept_row"], result.removed[0]["rule"]
    (2, 0, 'model')
    """
    earlier = [against] if isinstance(against, str | os.PathLike | Reader) else list(against or [])
    if isinstance(data, Iterator):
        data = list(data)
    paths = paths_of(data)
    source = None if paths is not None else source_of(data)
    if source is not None and output is not None:
        raise ValueError("output is of files: write what is kept of a table by its own means")
    options = Options(
        columns={"text": text, "html": html, "url": url, "id": id},
        keep=rules_of(keep),
        databases=Federation(earlier) if earlier else None,
        contained=contained,
        min_probability=min_probability,
        level=level,
        threads=threads,
        folder=os.path.abspath(tempfile.mkdtemp(prefix="nddb-dedup-", dir=tmp_dir)),
        progress=progress,
    )
    try:
        if source is not None:
            return dedup_table(source, options)
        # Names that are given as texts are returned as texts.
        kind = str if isinstance(data, list | tuple) and all(isinstance(path, str) for path in data) else Path
        return dedup_files(paths or [], kind, options, output)
    except BaseException:
        remove(options.folder, os.getpid())
        raise
