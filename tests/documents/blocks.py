"""Fenced blocks of Markdown documents, with the notes that say how each is tested.

A note is an HTML comment on the line before a block, which readers do not see:

    <!-- not run: REASON -->     the block is not run
    <!-- tested by: FILE -->     another test runs or checks it
"""
import dataclasses
import pathlib
import re

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w+#-]*) *$")
NOTE = re.compile(r"^ *<!-- (not run|tested by): (.+?) -->$")
# A program whose first line is a comment with the name of a file: the reader saves it under this name.
FILE_NAME = re.compile(r"^(?:#|//|--|<!--|<\?php //) *((?:[\w./-]+\.\w+|Dockerfile))(?: *-->)?$")


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block. `line` is that of its first line of text, counted from 1."""

    page: str
    line: int
    language: str
    text: str
    not_run: str | None = None
    tested_by: str | None = None

    @property
    def file_name(self):
        """The name of the file that the block is the content of, or `None`."""
        found = FILE_NAME.match(self.text.split("\n", 1)[0])
        return found[1] if found and self.language != "console" else None

    def __str__(self):
        return f"{self.page}:{self.line} {self.language or 'without a language'}"


def blocks(page, text):
    """The blocks of a document, in order. Raises `ValueError` if a fence is not closed."""
    found, lines, at = [], text.splitlines(), 0
    while at < len(lines):
        opened = FENCE.match(lines[at])
        if not opened:
            at += 1
            continue
        fence = f"{opened['indent']}```"
        try:
            end = lines.index(fence, at + 1)
        except ValueError:
            raise ValueError(f"{page}:{at + 1}: the block is not closed") from None
        indent = len(opened["indent"])
        body = "".join(line[indent:] + "\n" for line in lines[at + 1:end])
        note = NOTE.match(lines[at - 1]) if at else None
        notes = {note[1].replace(" ", "_"): note[2]} if note else {}
        found.append(Block(page, at + 2, opened["language"], body, **notes))
        at = end + 1
    return found


def read(root, page):
    """The blocks of a file in the repository."""
    return blocks(page, (pathlib.Path(root) / page).read_text(encoding="utf-8"))
