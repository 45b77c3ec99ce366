"""Programs in processes of their own, for what can only be seen from outside: how they end."""

import subprocess
import sys
import textwrap


def run(text, *arguments):
    """Runs a program to its end; returns what it printed. Fails if it fails, or does not end."""
    program = textwrap.dedent(text)
    done = subprocess.run([sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr
