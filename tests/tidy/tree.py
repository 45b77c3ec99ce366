"""The files of the project, as git lists them."""
import functools
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Written by programs, or recorded from HBase.
MADE = ("idl/src/hbase1.rs", "idl/src/hbase2.rs", "idl/src/methods.rs", "node/lib/remote/wire/schema.js", "node/lib/vocabulary.js", "Cargo.lock", "tests/requirements.txt", "LICENSE", "tests/judge/golden/")


@functools.cache
def files():
    """Every file that is or will be committed, by its path from the root."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    return sorted({p for p in listed.stdout.splitlines() if (ROOT / p).is_file()})


def written(*endings):
    """The hand-written files with these endings."""
    return [p for p in files() if p.endswith(endings) and not p.startswith(MADE)]


def text(path):
    """A file's text; what is not UTF-8 is replaced."""
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")
