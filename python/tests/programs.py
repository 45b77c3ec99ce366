"""Runs programs in separate processes, for tests of exits, forks and signals."""

import subprocess
import sys
import textwrap


def run(text, *arguments):
    """Runs a program and returns its output and its error output. Fails unless it exits with 0."""
    program = textwrap.dedent(text)
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr
