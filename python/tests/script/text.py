"""Scripts as text: scenes, steps, expected answers; bytes and times in them."""

import re
import struct
from dataclasses import dataclass, field


@dataclass
class Step:
    """A step and the answer that is expected."""

    place: int
    line: str
    answer: list = field(default_factory=list)


@dataclass
class Scene:
    """A part of a script that begins with an empty database."""

    title: str
    steps: list = field(default_factory=list)


def scenes(text):
    """The scenes of a script."""
    found = []
    for at, line in enumerate(text.splitlines(), 1):
        code = line.rstrip()
        if not code.strip() or code.startswith("#"):
            continue
        if code.startswith("== "):
            found.append(Scene(code[3:]))
        elif code.startswith("  "):
            found[-1].steps[-1].answer.append(code.strip())
        else:
            found[-1].steps.append(Step(at, code))
    return found


def with_times(line, now):
    """Times in scripts are relative: `@now`, `=now+5`, `..now`."""
    return re.sub(r"(@|=|\.\.)now([+-]\d+)?", lambda m: m[1] + str(now + int(m[2] or 0)), line)


def unescape(word):
    """A word as bytes: `\\xHH` is a byte."""
    return re.sub(rb"\\x([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), word.encode())


def escape(data):
    """Bytes as a word."""
    return "".join(chr(b) if 0x21 <= b <= 0x7E and chr(b) not in "\\@=#" else f"\\x{b:02X}" for b in data)


def value(word):
    """A value: `#5` is a number of eight bytes, `word*100` a hundred times the same."""
    if word.startswith("#"):
        return struct.pack(">q", int(word[1:]))
    part, star, times = word.rpartition("*")
    return unescape(part) * int(times) if star and times.isdigit() else unescape(word)


def show_value(data):
    """A value as it is shown."""
    if len(data) == 8 and not all(0x21 <= b <= 0x7E for b in data):
        return f"#{struct.unpack('>q', data)[0]}"
    return f"({len(data)}\\x20bytes)" if len(data) > 100 else escape(data)


def show_cell(cell):
    """A `hjall.Cell` as it is shown."""
    column = f"{escape(cell.family)}:{escape(cell.qualifier)}@{cell.timestamp}"
    return f"{column}={show_value(cell.value)}" if cell.kind == "Put" else f"{column}!{cell.kind}"


def agrees(expected, got):
    """An expected error may leave the message out, or be a part of it."""
    if expected.startswith("! ") and got.startswith("! "):
        kind, _, words = expected[2:].partition(": ")
        got_kind, _, message = got[2:].partition(": ")
        return kind == got_kind and words in message
    return expected == got
