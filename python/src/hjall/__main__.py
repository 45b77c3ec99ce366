"""The command line: ``python -m hjall serve`` serves a database to HBase's Thrift clients, with the options of the program ``hjall``."""

import sys

from hjall import _native

if __name__ == "__main__":
    sys.exit(_native.command(["python -m hjall", *sys.argv[1:]]))
