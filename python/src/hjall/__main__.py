"""The command line: ``python -m hjall`` takes the same arguments as the program ``hjall``."""

import signal
import sys

from hjall import _native

if __name__ == "__main__":
    # The server handles Ctrl-C itself. Python's handler would raise KeyboardInterrupt in addition.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.command(["python -m hjall", *sys.argv[1:]]))
