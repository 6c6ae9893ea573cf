"""The arguments of ``nddb.dedup``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nddb._native import Reader


@dataclass(frozen=True)
class Options:
    """How near-duplicates are found, and where work is done."""

    columns: dict[str, str | None]
    """Names of the columns or fields of text, html, url and id; None for the usual ones."""
    keep: list[str]
    """Rules for the document that is kept."""
    against: Sequence[str | os.PathLike[str] | Reader]
    """Earlier databases."""
    min_probability: float | None
    level: str | None
    threads: int | None
    folder: str
    """The temporary folder."""
    progress: bool

    @property
    def limits(self) -> dict[str, Any]:
        """The options that all steps take."""
        return {
            "min_probability": self.min_probability,
            "level": self.level,
            "threads": self.threads,
        }
