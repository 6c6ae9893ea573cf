"""Runs the command ``nddb`` in a process of its own, and turns its errors into exceptions."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from nddb import _errors
from nddb._progress import Tell, shown

Path = str | os.PathLike[str]
Argument = Path | int | float
#: True is a flag without a value, a list repeats the option, None and False leave it out.
Option = Argument | Sequence[Argument] | None

#: Exceptions by exit code and a part of the message. The last one of a code is for all other messages.
KINDS: dict[int, list[tuple[str, type[Exception]]]] = {
    1: [
        (": exists already", _errors.AlreadyExists),
        (": is inside of ", _errors.AlreadyExists),
        (": in the way of ", _errors.AlreadyExists),
        ("batch '", _errors.WrongBatch),
        ("", _errors.Error),
    ],
    2: [(": this is the database itself", _errors.SameDatabase), ("", ValueError)],
    10: [(": not a backup", _errors.NotABackup), ("", _errors.NotADatabase)],
    11: [("", _errors.Locked)],
    12: [
        (": made by a newer nddb", _errors.Newer),
        (" cannot be used here: ", _errors.UnusableMethod),
        ("", _errors.Mismatch),
    ],
    13: [(": missing from the database", _errors.Missing), ("", _errors.Corrupt)],
    14: [("", _errors.OverLimit)],
}
#: Done, but some input was skipped or not stored.
SOME_SKIPPED = 3
INTERRUPTED = 130


class Process:
    """A run of the command. It starts when the first of its ``lines`` is read, and ends with the last one.

    ^C, or closing ``lines`` early, stops the command at a point from which it can be resumed. A failure raises the
    exception of its kind. Exit codes in ``findings`` are not failures if there is output.
    """

    def __init__(
        self,
        command: str,
        arguments: Iterable[Argument],
        options: Mapping[str, Option],
        findings: Sequence[int] = (),
        tell: Tell | None = None,
    ) -> None:
        given = [*command.split(), "--json", "--progress=json", *_options(options), "--", *map(_text, arguments)]
        self.code: int | None = None
        self._name = f"nddb {command}"
        self._command = [sys.executable, "-m", "nddb", *given]
        self._findings = findings
        self._tell = tell
        self._messages: deque[str] = deque(maxlen=100)

    def lines(self) -> Generator[str, None, None]:
        """Runs the command, and yields its lines of output."""
        # Every function names its database; this variable would change what the arguments mean.
        environment = {name: value for name, value in os.environ.items() if name != "NDDB_DB"}
        process = subprocess.Popen(
            self._command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="surrogateescape",
            # ^C on a terminal reaches this process alone, which passes it on once: a second one would stop at once.
            start_new_session=True,
        )
        assert process.stdout is not None and process.stderr is not None
        listener = threading.Thread(target=self._listen, args=(process.stderr,), daemon=True)
        listener.start()
        has_output = False
        try:
            with process.stdout:
                for line in process.stdout:
                    has_output = True
                    yield line
            self.code = process.wait()
        except BaseException:
            _stop(process)
            raise
        finally:
            listener.join()
            process.stderr.close()
        if self.code == INTERRUPTED:
            raise KeyboardInterrupt
        if self.code not in (0, SOME_SKIPPED) and not (has_output and self.code in self._findings):
            raise self._failure(self.code)

    def _listen(self, stderr: IO[str]) -> None:
        log = logging.getLogger("nddb")
        for line in stderr:
            if line.startswith("{"):
                said = json.loads(line)
                if self._tell is not None and "done" in said:
                    self._tell({**said, "total": None})
            else:
                self._messages.append(line)
                log.info("%s", line.rstrip("\n").removeprefix("nddb: "))

    def _failure(self, code: int) -> Exception:
        said = "".join(self._messages)
        # The error is the last message, with a hint; of a wrong command line, all is one message with a tip.
        is_usage = said.startswith("error: ")
        said = said.partition("\n\nUsage:")[0].partition("\n\nFor more information")[0]
        if not is_usage:
            said = said.rpartition("\nnddb: ")[2]
        message, _, hint = said.partition("\n\n  tip: " if is_usage else "\nhint: ")
        message = message.removeprefix("error: ").removeprefix("nddb: ").strip()
        kind = next(kind for part, kind in KINDS.get(code, [("", _errors.Error)]) if part in message)
        failure = kind(message or f"{self._name}: it ended with the code {code}")
        if hint:
            # The second is what add_note does, which Python has from 3.11 on.
            vars(failure).update(hint=hint.strip(), __notes__=[f"hint: {hint.strip()}"])
        return failure


def run(
    command: str,
    arguments: Iterable[Argument],
    options: Mapping[str, Option],
    findings: Sequence[int] = (),
) -> list[Any]:
    """Runs a command to its end, and returns its lines of JSON; warns if it skipped some input.

    The option ``progress`` (whether to show bars) is not passed to the command.
    """
    with shown(bool(options.get("progress", True))) as tell:
        process = Process(command, arguments, options, findings, tell)
        rows = [json.loads(line) for line in process.lines()]
    if process.code == SOME_SKIPPED:
        skipped = rows[-1].get("skipped")
        what = f"{skipped:,} unreadable" if skipped else "some input"
        warnings.warn(f"nddb {command}: {what} left out; the answer has the counts", stacklevel=4)
    return rows


def _stop(process: subprocess.Popen[str]) -> None:
    """Asks a process to end, and waits; a second ^C ends it at once."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        raise


def _options(options: Mapping[str, Option]) -> Iterator[str]:
    for name, value in options.items():
        if name == "progress":
            continue
        # A name that Python reserves has an underscore at its end.
        flag = "--" + name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, Sequence) and not isinstance(value, str) else [value]:
            if one is True:
                yield flag
            elif one is not None and one is not False:
                # After = no value is taken for an option.
                yield f"{flag}={_text(one)}"


def _text(value: Argument) -> str:
    return str(value) if isinstance(value, int | float) else os.fsdecode(value)


def id_argument(id: str | int) -> str:
    """An id as an argument of the command; a backslash marks the type of the id."""
    if isinstance(id, int):
        return f"\\#{id}"
    return f'\\"{id}' if id.startswith("\\") else id
