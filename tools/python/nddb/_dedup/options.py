"""The arguments of ``nddb.dedup``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from nddb._native import Config, Federation


@dataclass(frozen=True)
class Options:
    """How near-duplicates are found, and where work is done."""

    columns: dict[str, str | None]
    """Names of the columns or fields of text, html, url and id; None for the usual ones."""
    keep: list[str]
    """Rules for the document that is kept."""
    databases: Federation | None
    """Earlier databases."""
    contained: str | None
    """Whether to keep or remove documents whose text is part of another; None does not look for them."""
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

    def __getstate__(self) -> dict[str, Any]:
        # A copy needs neither the earlier databases nor the temporary one.
        return {**vars(self), "databases": None, "folder": ""}

    def check_open(self) -> None:
        """Raises ValueError if the temporary folder does not exist."""
        if not os.path.isdir(self.folder):
            raise ValueError("the temporary database is gone: the result was closed or pickled")


def config_like(databases: Federation | None) -> Config:
    """Settings for a temporary database that match the given databases."""
    if databases is None:
        # Nothing is looked up in it online.
        return Config(recipe="main-offline", keep_words=True)
    return Config(databases.k, recipe=databases.recipe, bits=databases.bits, keep_words=True)
