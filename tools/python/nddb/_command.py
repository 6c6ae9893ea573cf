"""The command ``nddb``, as the package's entry point."""

import signal
import sys

from nddb import _native


def main() -> int:
    """Runs the command with the arguments of this process, and returns its exit code."""
    # The command treats ^C by itself, as the binary does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native._run_command(["nddb", *sys.argv[1:]])
