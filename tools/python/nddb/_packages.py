"""Packages that only some modules need."""

from importlib.util import find_spec


def need(*packages: str) -> None:
    """Raises ImportError with the names of missing packages, and the command that installs them."""
    missing = [name for name in packages if find_spec(name.split("[")[0]) is None]
    if missing:
        raise ImportError(f"{', '.join(missing)} needed and not installed: pip install {' '.join(missing)}")
