"""The commands ``nddb`` and ``nddb-lab``, as entry points of the package."""

import signal
import sys

from nddb import _native


def main() -> int:
    """Runs ``nddb`` with the arguments of this process, and returns its exit code."""
    return _run("nddb")


def lab() -> int:
    """Runs ``nddb-lab`` with the arguments of this process, and returns its exit code."""
    return _run("nddb-lab")


def _run(program: str) -> int:
    # The command treats ^C by itself, as the binary does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native._run_command([program, *sys.argv[1:]])
