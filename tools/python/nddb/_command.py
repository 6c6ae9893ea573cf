"""The command ``nddb``, as the entry point of the package."""

import signal
import sys

from nddb import _native


def main() -> int:
    """Runs ``nddb`` with the arguments of this process, and returns its exit code."""
    # The command treats ^C by itself, as the binary does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native._run_command(["nddb", *sys.argv[1:]])
