"""The form of sources: module comments, and the lengths and names of files."""
import re
import warnings

from tree import files, text, written

# One subject per file. Length is only a hint that a file holds two: a warning first, then a failure.
LONG, TOO_LONG = 400, 800
# Files that are one list or one script from beginning to end, and are not read as a whole.
UNLIMITED = {
    "tests/judge/scenarios/": "a script of calls, one file for each recorded transcript of the same name",
}
SOURCES = (".rs", ".py", ".js", ".go", ".cpp", ".java")
MEANINGLESS = re.compile(r"(^|[/_-])(utils?|helpers?|common|misc|stuff)([._/-]|$)")


def test_sources_begin_with_a_module_comment():
    for path in written(".rs"):
        assert text(path).startswith("//! "), f"{path} does not begin with a module comment (//!)"
    for path in written(".py"):
        body = re.sub(r"\A#!.*\n", "", text(path))
        assert body.startswith('"""'), f"{path} does not begin with a docstring"


def test_lengths_of_files():
    for path in written(*SOURCES):
        lines = text(path).count("\n")
        if lines > LONG and not path.startswith(tuple(UNLIMITED)):
            assert lines <= TOO_LONG, f"{path} has {lines} lines, more than {TOO_LONG}: split it by subject"
            warnings.warn(f"{path} has {lines} lines, more than {LONG}: does it hold more than one subject?", stacklevel=1)


def test_files_are_named_after_their_subject():
    for path in files():
        assert not MEANINGLESS.search(path), f"{path}: name the file after its subject"
