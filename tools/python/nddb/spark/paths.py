"""Paths of folders that all machines see, and what Spark is given for them.

Spark takes a path without a scheme for one of its default file system, which may be another one than this process reads
and writes. So it is given ``file://`` with each path.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")


def local(path: str | os.PathLike[str]) -> Path:
    """A path as an absolute one; raises ValueError for a URI of anything but a file."""
    text = os.fspath(path)
    if match := _SCHEME.match(text):
        if match[1].lower() != "file":
            raise ValueError(
                f"{text}: the jobs read and write folders that all machines see, and no {match[1]}:; "
                "mount it, and name the folder it is mounted at"
            )
        text = "/" + text[match.end() :].lstrip("/")
    return Path(text).absolute()


def uri(path: Path) -> str:
    """A path as Spark writes it."""
    return f"file://{path}"


def pattern(path: Path) -> str:
    """A path as Spark reads it: what it would take for a pattern stands for itself."""
    return re.sub(r"([\\{}\[\]*?^])", r"\\\1", uri(path))
