"""The command line: ``python -m hjall``, and the script ``hjall``, take the same arguments as the server's program."""

from __future__ import annotations

import signal
import sys

from hjall import _native


def main(program: str = "hjall") -> int:
    """Runs the command line and returns the exit status."""
    # The server handles Ctrl-C itself. Python's handler would raise KeyboardInterrupt in addition.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.command([program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main("python -m hjall"))
