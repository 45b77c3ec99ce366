"""Form of sources: headers, lengths, names, words."""
import re

from tree import files, text, written

LONGEST = 300
# Longer, each for its reason.
LONGER = {
    "tests/judge/scenarios/": "a script of questions, one file for each transcript of the same name",
    "tests/judge/data_model_kit.py": "the second, independent model that random scenarios are steered by: it reads as one piece",
    "tests/judge/thrift2_data_kit.py": "the vocabulary of one scenario script",
}
NAMELESS = re.compile(r"(^|[/_-])(utils?|helpers?|common|misc|stuff)([._/-]|$)")
# Words that tell of somewhere else: folders and documents that a clone does not have, work left open (spelt so that this line is none).
ELSEWHERE = re.compile(r"/wor[k]/|\.\./share[d]|\b(data-mode[l]|thrift[12]|filters|server|shell|rest)\.md §|\btod[o]!\(|\bunimplemente[d]!\(|\bFIXM[E]\b")
MAY_NAME_SHARED = ("Makefile", ".ci/run")


def test_every_source_says_what_it_is_for():
    for path in written(".rs"):
        assert text(path).startswith("//! "), f"{path} does not begin with a module comment (//!)"
    for path in written(".py"):
        body = re.sub(r"\A#!.*\n", "", text(path))
        assert body.startswith('"""'), f"{path} does not begin with a docstring"


def test_files_are_short_enough_to_be_read():
    long = {p: n for p in written(".rs", ".py", ".js", ".go", ".cpp", ".java") if (n := text(p).count("\n")) > LONGEST}
    unexplained = {p: n for p, n in long.items() if not p.startswith(tuple(LONGER))}
    assert not unexplained, f"longer than {LONGEST} lines: {unexplained}; make it a folder with a file for each part"
    for path in LONGER:
        assert any(p.startswith(path) for p in long), f"{path} is short enough now: take it off the list"


def test_no_file_is_named_after_nothing():
    for path in files():
        assert not NAMELESS.search(path), f"{path}: name it after what is in it"


def test_nothing_points_out_of_the_clone():
    for path in written(""):
        for n, line in enumerate(text(path).splitlines(), 1):
            if (found := ELSEWHERE.search(line)) and not (found[0].endswith("shared") and path in MAY_NAME_SHARED):
                raise AssertionError(f"{path}:{n}: {found[0]!r}")
