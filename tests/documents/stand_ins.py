"""What the test of the documents replaces, because it takes minutes, changes the machine or needs another one.

Everything else in the documents runs as it is printed, with other ports.
"""
import re

# Commands that another test runs, by the way they begin. A pattern matches a whole command.
NOT_RUN = {
    r"make (test|check|judge|bench|clients|fuzz|crash|hostile|faults|linear|soak|wheel|site)\b.*": "a make target of its own",
    r"make (test|check|judge)-[a-z-]+\b.*": "a make target of its own",
    r"(DIFFERENTIAL|CRASH|PROPTEST)\w+=.* (make|cargo) .*": "a make target of its own, with a seed",
    r"bench/run\b.*": "a benchmark",
    r"\.venv/bin/python -m pytest tests/documents.*": "this test",
    r"cargo (test|run)\b.*": "part of make test-rust",
    r"cargo build": "part of make test-rust",
}

# Commands that do the same with what is already built. The stand-in is a shell command.
REPLACED = [
    (re.compile(r"(\S*)pip install (\S*)\./python(?=['\s]|$).*"), r"test -e python/pyproject.toml"),
    (re.compile(r"(\S*)pip install '\./python\[\w+\]'"), r"test -e python/pyproject.toml"),
]

# Stands for cargo. Builds are replaced by what `make build` has built, installations by links to it.
CARGO = """#!/bin/bash
set -eu
put() { mkdir -p "$(dirname "$2")"; ln -sf "$1" "$2"; }
case "$*" in
  "build --locked --release --bin hjall"|"build --release --bin hjall")
    put "$BUILT/hjall" "$CARGO_TARGET_DIR/release/hjall" ;;
  "install --locked --path server")
    put "$BUILT/hjall" "$HOME/.cargo/bin/hjall" ;;
  "build --locked --workspace --bins --lib --tests"|"build --locked --release -p hjall-node"|"build --locked --release -p hjall-python")
    for profile in debug release; do
      for file in hjall libhjall_node.so lib_native.so; do put "$BUILT/$file" "$CARGO_TARGET_DIR/$profile/$file"; done
    done ;;
  *) echo "tests/documents/stand_ins.py has no stand-in for: cargo $*" >&2; exit 1 ;;
esac
"""

# Ports that documents name. Each page gets other ones.
PORTS = ("9090", "9091", "9095")

# Tools of languages, and how Debian installs them. A block or command that needs a missing one is skipped.
TOOLS = {
    "mvn": "apt install maven",
    "javac": "apt install openjdk-17-jdk-headless",
    "go": "apt install golang",
    "g++": "apt install g++ libthrift-dev libboost-dev",
    "thrift": "apt install thrift-compiler",
    "php": "apt install php-cli php-thrift",
    "ruby": "apt install ruby ruby-thrift",
    "dotnet": "https://dotnet.microsoft.com",
    "npm": "apt install npm",
    "node": "apt install nodejs",
    "openssl": "apt install openssl",
    "curl": "apt install curl",
    "docker": "apt install docker.io",
    "composer": "apt install composer",
    "gem": "apt install ruby",
}
# Libraries that a tool needs in addition: the command succeeds if the library is installed.
LIBRARIES = {
    "g++": "pkg-config --exists thrift",
    "php": "test -e /usr/lib/php/Transport/TSocket.php",
    "ruby": "ruby -e 'require \"thrift\"'",
}
