"""Rules that select the kept document."""

from collections.abc import Sequence


def rules_of(keep: str | Sequence[str]) -> list[str]:
    """Returns a list of rules, from a comma-separated text or a sequence."""
    return keep.split(",") if isinstance(keep, str) else list(keep)
