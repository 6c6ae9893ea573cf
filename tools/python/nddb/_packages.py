"""Packages that only parts of this one need."""

from importlib.util import find_spec


def need(*packages: str) -> None:
    """Raises ImportError that names the packages that are not here, and how they are installed."""
    missing = [name for name in packages if find_spec(name.split("[")[0]) is None]
    if missing:
        raise ImportError(f"{', '.join(missing)} needed and not installed: pip install {' '.join(missing)}")
