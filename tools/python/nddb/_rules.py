"""Rules for the document that is kept."""

from collections.abc import Sequence


def rules_of(keep: str | Sequence[str]) -> list[str]:
    """A rule, rules between commas, or several rules: as a list, in their order."""
    return keep.split(",") if isinstance(keep, str) else list(keep)
