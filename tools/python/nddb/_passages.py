"""The documents that have passages in common with a text."""

from __future__ import annotations

from typing import Any


class Passages(list[dict[str, Any]]):
    """The documents that have passages in common with a text, as dictionaries with the fields of `nddb query --parts`:
    those with the most words first.

    `words` is the number of words of the text, `total` that of the documents, also beyond `limit`. `complete` is False
    if too many documents share parts with the text, so that some were not compared. `frequent` is the number of parts
    of the text that begin no passage, because too many texts have them.
    """

    def __init__(self, line: dict[str, Any]) -> None:
        super().__init__(line["matches"])
        self.words: int | None = line["words"]
        self.total: int = line["count"]
        self.complete: bool = line["complete"]
        self.frequent: int = line["frequent"]
