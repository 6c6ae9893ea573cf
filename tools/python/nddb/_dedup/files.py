"""The one call for files: the command ``nddb dedup``, run by itself."""

from __future__ import annotations

import glob
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from nddb import _errors
from nddb._dedup.options import Options
from nddb._dedup.progress import Tell, shown
from nddb._dedup.result import Deduplicated
from nddb._native import Reader

#: Exceptions by the exit codes of the command.
KINDS: dict[int, type[Exception]] = {
    2: ValueError,
    10: _errors.NotADatabase,
    11: _errors.Locked,
    12: _errors.Mismatch,
    13: _errors.Corrupt,
    14: _errors.OverLimit,
}


def paths_of(data: Any) -> list[str] | None:
    """The files and folders that are meant; None if the data is no path."""
    if isinstance(data, str):
        found = [data] if os.path.exists(data) else sorted(glob.glob(data, recursive=True))
        if not found:
            raise FileNotFoundError(f"{data!r}: no file has this name; give a text as a list of texts")
        return found
    if isinstance(data, os.PathLike):
        return [os.fsdecode(data)]
    if isinstance(data, list | tuple) and data and all(isinstance(path, os.PathLike) for path in data):
        return [os.fsdecode(path) for path in data]
    return None


def dedup_files(paths: list[str], options: Options, output: str | os.PathLike[str] | None) -> Deduplicated:
    """Copies files without the documents to remove, and returns where and which these are."""
    arguments = ["--keep", ",".join(options.keep), "--tmp-dir", options.folder]
    # After = no value is taken for an option.
    arguments += [f"--{name}-field={value}" for name, value in options.columns.items() if value is not None]
    limits = ((name.replace("_", "-"), value) for name, value in options.limits.items())
    arguments += [f"--{name}={value}" for name, value in limits if value is not None]
    for database in options.against:
        path = database.path if isinstance(database, Reader) else database
        arguments.append(f"--against={os.fsdecode(path)}")
    kept = os.path.join(options.folder, "kept", "") if output is None else os.fsdecode(output)
    listed = os.path.join(options.folder, "removed.jsonl")
    with shown(options.progress) as tell:
        said = _run([*arguments, f"--output={kept}", f"--removed={listed}", "--", *paths], tell)
    with open(listed, encoding="utf-8") as lines:
        removed = [json.loads(line) for line in lines]

    def report(page: str) -> None:
        again = os.path.join(options.folder, "again", "")
        with shown(options.progress) as tell:
            _run([*arguments, f"--output={again}", f"--report={page}", "--", *paths], tell)

    return Deduplicated([Path(path) for path in said["outputs"]], removed, removed, said, report, options.folder)


def _run(arguments: list[str], tell: Tell | None) -> dict[str, Any]:
    """Runs ``nddb dedup``; returns its summary. Where some input is unreadable, it warns."""
    command = [sys.executable, "-m", "nddb", "dedup", "--json", "--progress", "json", *arguments]
    messages = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        for line in process.stderr:
            if not line.startswith("{"):
                messages.append(line.rstrip("\n"))
                continue
            said = json.loads(line)
            if tell is not None and "done" in said:
                tell({**said, "total": None})
        answer = process.stdout.read()
    if process.returncode == 130:
        raise KeyboardInterrupt
    if process.returncode not in (0, 3):
        raise KINDS.get(process.returncode, _errors.Error)("\n".join(messages).removeprefix("nddb: "))
    summary = dict(json.loads(answer))
    if process.returncode == 3:
        warnings.warn(f"{summary['skipped']:,} unreadable, and not in the output", stacklevel=4)
    return summary
