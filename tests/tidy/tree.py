"""The files of the project, from git."""
import functools
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Files written by programs, or recorded from HBase.
GENERATED = (
    "idl/src/hbase1.rs", "idl/src/hbase2.rs", "idl/src/methods.rs", "node/lib/remote/wire/schema.js", "node/lib/vocabulary.js",
    "Cargo.lock", "tests/requirements.txt", "LICENSE", "tests/judge/golden/",
)


@functools.cache
def files():
    """The paths, relative to the root, of all files that are committed or not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    return sorted({p for p in listed.stdout.splitlines() if (ROOT / p).is_file()})


def written(*endings):
    """The hand-written files with these endings."""
    return [p for p in files() if p.endswith(endings) and not p.startswith(GENERATED)]


def text(path):
    """The text of a file. Bytes that are not valid UTF-8 are replaced."""
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")
