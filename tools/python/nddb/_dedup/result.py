"""What ``nddb.dedup`` returns."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from html import escape
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from nddb import _process

if TYPE_CHECKING:
    from typing_extensions import Self

Kept = TypeVar("Kept")

#: Number of rows that a notebook shows.
SHOWN = 10
#: A database with texts, and pairs of ids: a removed document, and the kept one or None if it is elsewhere.
Compared = tuple[str, list[tuple[str | int, str | int | None]]]


class Made(Protocol):
    """The data of a result: `Table` for tables and texts, `Files` for files. Removed documents are numbered from 0."""

    losses: list[float | None]

    def kept(self) -> Any: ...
    def removed(self) -> Any: ...
    def rows(self, numbers: list[int], with_texts: bool = False) -> list[dict[str, Any]]: ...
    def compared(self, numbers: list[int]) -> AbstractContextManager[Compared]: ...
    def report(self, page: str) -> None: ...
    def save(self, folder: str) -> None: ...


def remove(folder: str, process: int) -> None:
    """Removes a temporary folder, only in the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


class Deduplicated(Generic[Kept]):
    """What ``nddb.dedup`` kept and removed.

    ``kept`` has the remaining rows, in the type and order of the data; for files, the paths of the copies. ``removed``
    has a row for each removed document. It is a table of the same type; for texts and files, a list of dictionaries:

    - ``row`` and ``kept_row`` (tables and texts): numbers, from 0, of the removed row and of the row kept instead;
    - ``id`` and ``kept``: the ids of these two, if there are ids;
    - ``rule``: what decided; ``probability``: how likely the two are near-duplicates;
    - ``loss``: the share of the removed document's words that the kept one lacks; ``lost_words``: their number;
      ``lost_passage``: the number in the longest passage; ``lost``: counts by kind of word, or "estimated";
    - ``level``: the lowest level that removes the row;
    - ``kept_in`` (with ``against``): the earlier database that has the kept document, if any;
    - ``stays`` (with ``contained``): whether the row is kept although its text is part of another;
    - ``file`` and ``offset`` (files): the position of the document.

    ``documents`` counts all rows. Removed rows are counted by reason: ``same_text`` (a kept row has the same text),
    ``near`` (near to a kept row), ``earlier`` (near to a document of another database), ``contained`` (part of a kept
    text). ``contained_kept`` counts the kept rows whose text is part of a kept text.

    >>> with nddb.dedup([fox, fox]) as result:
    ...     result.report("report.html")
    >>> result
    <nddb.Deduplicated: 1 of 2 documents kept; removed: 1 with the text of a kept one>
    """

    def __init__(self, made: Made, counts: Mapping[str, int], folder: str) -> None:
        self.kept: Kept = made.kept()
        self.removed: Any = made.removed()
        self.documents: int = counts["documents"]
        self.same_text: int = counts["same_text"]
        self.near: int = counts["near"]
        self.earlier: int = counts["earlier"]
        self.contained: int = counts["contained"]
        self.contained_kept: int = counts["contained_kept"]
        self._made = made
        self._remove = weakref.finalize(self, remove, folder, os.getpid())

    def pairs(self) -> Iterator[dict[str, Any]]:
        """Yields a dictionary for each removed document, with the columns of ``removed``, the greatest loss first.

        ``text`` and ``kept_text`` are added. ``kept_text`` is None for a document in another database. For files, both
        are None once the result is closed.

        >>> for pair in nddb.dedup([fox, fox + " and again"]).pairs():
        ...     print(pair["row"], pair["kept_row"], pair["text"][-9:], pair["kept_text"] == fox)
        1 0 and again True
        """
        order = self._order()
        for first in range(0, len(order), 1000):
            yield from self._made.rows(order[first : first + 1000], with_texts=True)

    def show(self, n: int = 5) -> None:
        """Prints the n removed documents that lose most, each beside the kept one, and marks the words that differ.

        Files are loaded again. For a kept document in another database only the id is printed.

        >>> nddb.dedup([fox, fox + " and again"]).show()
        row 1 is removed, row 0 is kept: model, probability 0.971; 0.7% of its words lost (2 words: 2 names)
        row 1                                                      │ row 0
        ...
        """
        order = self._order()
        with self._made.compared(order[:n]) as (database, pairs):
            for row, (id, kept) in zip(self._made.rows(order[:n]), pairs):
                place = f"{row['kept']} in {row['kept_in']}" if kept is None else kept
                named = f" ({row['id']})" if "row" in row and "id" in row else ""
                sure = "" if row["probability"] is None else f", probability {row['probability']:.3f}"
                lost = "loss not known" if row["loss"] is None else f"{row['loss']:.1%} of its words lost"
                words = f" ({row['lost']})" if row["loss"] else ""
                print(f"{id}{named} is removed, {place} is kept: {row['rule']}{sure}; {lost}{words}")
                if kept is not None:
                    arguments = [database, _process.id_argument(id), _process.id_argument(kept)]
                    print("".join(_process.Process("show", arguments, {}).lines()))
        if len(order) > n:
            print(f"... and {len(order) - n:,} more")
        if not order:
            print("nothing is removed")

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Makes a folder with the files ``kept`` and ``removed``.

        Tables become Parquet files, texts and dictionaries JSON lines; copies of files go into a folder ``kept``.
        Raises FileExistsError if the folder exists.

        >>> nddb.dedup([fox, fox]).save("deduplicated")
        >>> open("deduplicated/removed.jsonl").read()
        '{"row": 1, "kept_row": 0, "rule": "identical", "probability": 1.0, "loss": 0.0, "lost": "none", ...}\\n'
        """
        self._made.save(os.fspath(folder))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of ``nddb report``: the removals and their confidence.

        It shows texts as they were compared. Files are loaded again.

        >>> nddb.dedup([fox, fox]).report("report.html")
        """
        self._made.report(os.path.abspath(path))

    def close(self) -> None:
        """Removes the temporary database, and copies of files in the temporary folder.

        >>> nddb.dedup([fox, fox]).close()
        """
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, value: object, traceback: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """Pickles all but the temporary database; relations of DuckDB are made anew."""
        return {name: value for name, value in vars(self).items() if name not in ("kept", "removed", "_remove")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, kept=state["_made"].kept(), removed=state["_made"].removed())
        self._remove = weakref.finalize(self, remove, "", 0)
        self._remove.detach()

    def _order(self) -> list[int]:
        """The numbers of the removed documents, the greatest loss first."""
        losses = self._made.losses
        return sorted(range(len(losses)), key=lambda number: 1.0 if (loss := losses[number]) is None else -loss)

    def _told(self) -> str:
        removed = self.same_text + self.near + self.earlier + self.contained
        kinds = [
            (self.same_text, "with the text of a kept one"),
            (self.near, "near to a kept one"),
            (self.earlier, "near to a document of an earlier database"),
            (self.contained, "within a kept one"),
        ]
        told = ", ".join(f"{count:,} {what}" for count, what in kinds if count)
        return f"{self.documents - removed:,} of {self.documents:,} documents kept; removed: {told or 'none'}"

    def __repr__(self) -> str:
        return f"<nddb.Deduplicated: {self._told()}>"

    def _repr_html_(self) -> str:
        def cell(value: object) -> str:
            text = "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
            return f"<td>{escape(text)}</td>"

        shown = self._made.rows(list(range(len(self._made.losses)))[:SHOWN])
        head = "".join(f"<th>{escape(name)}</th>" for name in (shown[0] if shown else ()))
        rows = "".join("<tr>" + "".join(map(cell, row.values())) + "</tr>" for row in shown)
        listed = len(self._made.losses)
        more = f"<p>... and {listed - len(shown):,} more</p>" if listed > len(shown) else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}" if rows else ""
        return f"<p>{escape(self._told())}</p>{table}"
