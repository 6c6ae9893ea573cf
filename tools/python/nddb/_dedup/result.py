"""What ``nddb.dedup`` returns."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

#: Rows of the table that a notebook shows.
SHOWN = 10


def remove(folder: str, process: int) -> None:
    """Removes a temporary folder, in the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


class Deduplicated:
    """What ``nddb.dedup`` kept and removed.

    ``kept`` has the remaining rows, of the type and in the order of the data; for files, the paths of the copies.
    ``removed`` has a row for each other row, as a table of the same type, or for texts and files as a list of
    dictionaries:

    - ``row`` and ``kept_row``, the numbers from 0 of the row and of the one that is kept instead (tables and texts);
    - ``id`` and ``kept``, the ids of both, where there are ids;
    - ``rule``, what decided; ``probability`` that they are near-duplicates; ``loss``, the share of its words that
      the kept one lacks, and ``lost``, how many words of which kinds, or "estimated";
    - ``kept_in``, with ``against``: the database of the document that is kept, if it is an earlier one;
    - of files ``file`` and ``offset``, where the document stands.

    ``documents`` counts all rows, ``same_text`` the removed rows with the text of a kept one, ``near`` the other
    removed near-duplicates, ``earlier`` the removed rows near to a document of another database.

    The temporary database is removed by ``close``, at the end of a ``with`` block, or with the object.

    >>> with nddb.dedup([fox, fox]) as result:
    ...     result.report("report.html")
    >>> result
    <nddb.Deduplicated: 1 of 2 documents kept; removed: 1 with the text of a kept one>
    """

    def __init__(
        self,
        kept: Any,
        removed: Any,
        rows: list[dict[str, Any]],
        counts: dict[str, int],
        report: Callable[[str], None],
        folder: str,
    ) -> None:
        self.kept = kept
        self.removed = removed
        self.documents: int = counts["documents"]
        self.same_text: int = counts["same_text"]
        self.near: int = counts["near"]
        self.earlier: int = counts["earlier"]
        self._rows = rows[:SHOWN]
        self._report = report
        self._remove = weakref.finalize(self, remove, folder, os.getpid())

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of ``nddb report``: what is removed, and with which confidence.

        Documents of tables are shown without their texts, because the temporary database has only their sketches.

        >>> nddb.dedup([fox, fox]).report("report.html")
        """
        if not self._remove.alive:
            raise ValueError("the temporary database is closed: make the report before")
        self._report(os.path.abspath(path))

    def close(self) -> None:
        """Removes the temporary database, and files that are kept in a temporary folder.

        >>> nddb.dedup([fox, fox]).close()
        """
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, value: object, traceback: object) -> None:
        self.close()

    def _told(self) -> str:
        removed = self.same_text + self.near + self.earlier
        kinds = [
            (self.same_text, "with the text of a kept one"),
            (self.near, "near to a kept one"),
            (self.earlier, "near to a document of an earlier database"),
        ]
        told = ", ".join(f"{count:,} {what}" for count, what in kinds if count)
        return f"{self.documents - removed:,} of {self.documents:,} documents kept; removed: {told or 'none'}"

    def __repr__(self) -> str:
        return f"<nddb.Deduplicated: {self._told()}>"

    def _repr_html_(self) -> str:
        def cell(value: object) -> str:
            shown = "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
            return f"<td>{escape(shown)}</td>"

        head = "".join(f"<th>{escape(name)}</th>" for name in (self._rows[0] if self._rows else ()))
        rows = "".join("<tr>" + "".join(map(cell, row.values())) + "</tr>" for row in self._rows)
        removed = self.same_text + self.near + self.earlier
        more = f"<p>... and {removed - len(self._rows):,} more</p>" if removed > len(self._rows) else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}" if rows else ""
        return f"<p>{escape(self._told())}</p>{table}"
