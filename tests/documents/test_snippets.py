"""Every snippet of README.md, docs/ and the package pages runs, in order, in a fresh clone, as a reader would paste it.

A page is pasted by one reader: its console blocks into one shell, its Python blocks into one interpreter. Blocks whose
tools are missing are skipped; blocks that are not run have a note in the page, or a reason in `stand_ins.py`.
`-k README` selects pages by name.
"""
import pathlib

import pytest

from blocks import blocks, read
from reader import Failed, Reader, Skipped, commands
from serving import ROOT

PAGES = ["README.md", "CONTRIBUTING.md", "examples/README.md", "python/README.md", "node/README.md",
         *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))]
# Text that is not meant to be run.
DISPLAYED = ("text", "")
# Pages whose programs are run by the tests of their package.
OWN_TESTS = {
    ("python/README.md", "python"): "python/tests/test_readme.py",
    ("node/README.md", "js"): "node/test/readme.test.js",
    ("node/README.md", "ts"): "node/test/readme.test.js",
}
BLOCKS = [block for page in PAGES for block in read(ROOT, page) if block.language not in DISPLAYED]


@pytest.fixture(scope="module")
def readers():
    """The reader of the current page."""
    current = {}
    yield current
    for reader in current.values():
        reader.close()


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_runs_as_pasted(readers, block):
    if block.not_run:
        pytest.skip(f"not run: {block.not_run}")
    other = block.tested_by or OWN_TESTS.get((block.page, block.language))
    if other and not block.file_name:
        assert (ROOT / other).exists(), f"{block} names {other}, which does not exist"
        return
    if block.page not in readers:
        for page in list(readers):
            readers.pop(page).close()
        readers[block.page] = Reader(block.page)
    try:
        readers[block.page].paste(block)
    except Skipped as reason:
        pytest.skip(f"NOT TESTED: {reason}")
    except Failed as failure:
        pytest.fail(f"{block}\n{failure}", pytrace=False)


def test_blocks_are_found_with_their_notes():
    text = "\n".join(["<!-- not run: it takes hours -->", "```console", "$ a \\", "  b   # comment", "said", "$ c", "```",
                      "- item", "  ```python", "  # test_it.py", "  if x:", "      y()", "  ```", ""])
    console, python = blocks("page.md", text)
    assert (console.line, console.language, console.not_run) == (3, "console", "it takes hours")
    assert commands(console.text) == [("a \\\n  b   # comment", ["said"]), ("c", [])]
    assert (python.text, python.file_name, python.not_run) == ("# test_it.py\nif x:\n    y()\n", "test_it.py", None)
    with pytest.raises(ValueError, match="not closed"):
        blocks("page.md", "```sh\nx\n")


def test_output_is_compared_without_its_numbers():
    block = blocks("page.md", "```console\n$ x\n```\n")[0]
    Reader.compare(block, ["users: 7 bytes before", "done in … s"], "users: 512 bytes before\nmore\ndone in 0.2 s\n")
    with pytest.raises(Failed):
        Reader.compare(block, ["second", "first"], "first\nsecond\n")


def test_every_document_is_read():
    written = {str(path.relative_to(ROOT)) for path in pathlib.Path(ROOT).glob("docs/**/*.md")}
    assert written <= set(PAGES), written - set(PAGES)
