"""How near-duplicates are judged: the options of the jobs, named as in the command."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow

from nddb import tables
from nddb._rules import rules_of

#: Maximum number of documents of one key that are all compared with each other, as on one machine.
GROUP_LIMIT = 1000

_NONE = pyarrow.table({"number": pyarrow.array([], "int64"), "sketch": pyarrow.array([], "binary")})


@dataclass(frozen=True)
class Judging:
    """A method and its thresholds.

    The default method is that of the recipe, with hamming for documents that have only a fingerprint. `groups` is the
    number of bit groups into which a fingerprint is divided for joins; the default depends on the number of documents.
    """

    method: str | None = None
    k: int = 3
    recipe: str = "main"
    group_limit: int = GROUP_LIMIT
    complete: bool = False
    min_probability: float | None = None
    groups: int | None = None

    def __post_init__(self) -> None:
        # What makes no sense is refused here, and not by each task.
        tables.properties(_NONE, **self.of_properties())
        self.of_members(None, None)

    def name(self) -> str:
        """The name of the method."""
        return self.method or tables.default_method(self.recipe)

    def is_by_fingerprint(self) -> bool:
        """Whether candidate pairs are those within k bits."""
        return self.name() == "hamming"

    def of_properties(self) -> dict[str, Any]:
        return {"method": self.method, "k": self.k, "recipe": self.recipe, "complete": self.complete}

    def of_decisions(self) -> dict[str, Any]:
        return {
            "method": self.name(),
            "k": self.k,
            "min_probability": self.min_probability,
            "or_hamming": self.method is None,
        }

    def of_members(self, keep: str | Sequence[str] | None, level: str | None) -> dict[str, Any]:
        options: dict[str, Any] = {
            "keep": None if keep is None else rules_of(keep),
            "level": level,
            "method": self.method,
            "k": self.k,
            "recipe": self.recipe,
            "group_limit": self.group_limit,
            "min_probability": self.min_probability,
        }
        tables.members(_NONE, **options)
        return options

    def groups_for(self, documents: int) -> int:
        """The number of bit groups for which sorting and comparing cost least."""
        return self.groups or min(range(self.k + 1, self.k + 6), key=lambda groups: self._work(documents, groups))

    def _work(self, documents: int, groups: int) -> float:
        tables = math.comb(groups, self.k)
        bits = 64 * (groups - self.k) / groups
        # A row that is sorted costs as much as some hundred that are compared with it.
        return tables * documents * (1 + documents / 2**bits / 2 / 100)
