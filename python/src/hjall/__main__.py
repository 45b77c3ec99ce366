"""The command line: ``python -m hjall serve`` serves a database to HBase's Thrift clients, with the options of the program ``hjall``."""

import signal
import sys

from hjall import _native

if __name__ == "__main__":
    # Ctrl-C is the server's to answer; Python would raise KeyboardInterrupt at the end as well.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.command(["python -m hjall", *sys.argv[1:]]))
