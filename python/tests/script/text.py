"""The text format of scripts: scenes, steps, expected answers, bytes and timestamps."""

import re
import struct
from dataclasses import dataclass, field


@dataclass
class Step:
    """A step and its expected answer."""

    place: int
    line: str
    answer: list = field(default_factory=list)


@dataclass
class Scene:
    """A part of a script that starts with an empty database."""

    title: str
    steps: list = field(default_factory=list)


def scenes(text):
    """Parses a script."""
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
    """Replaces relative timestamps such as `@now`, `=now+5` and `..now`."""
    return re.sub(r"(@|=|\.\.)now([+-]\d+)?", lambda m: m[1] + str(now + int(m[2] or 0)), line)


def unescape(word):
    """Converts a word to bytes; `\\xHH` stands for a byte."""
    return re.sub(rb"\\x([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), word.encode())


def escape(data):
    """Converts bytes to a word."""
    return "".join(chr(b) if 0x21 <= b <= 0x7E and chr(b) not in "\\@=#" else f"\\x{b:02X}" for b in data)


def value(word):
    """Parses a value: `#5` is an integer of 8 bytes, `word*100` repeats the word 100 times."""
    if word.startswith("#"):
        return struct.pack(">q", int(word[1:]))
    part, star, times = word.rpartition("*")
    return unescape(part) * int(times) if star and times.isdigit() else unescape(word)


def show_value(data):
    """Formats a value."""
    if len(data) == 8 and not all(0x21 <= b <= 0x7E for b in data):
        return f"#{struct.unpack('>q', data)[0]}"
    return f"({len(data)}\\x20bytes)" if len(data) > 100 else escape(data)


def show_cell(cell):
    """Formats a `hjall.Cell`."""
    column = f"{escape(cell.family)}:{escape(cell.qualifier)}@{cell.timestamp}"
    return f"{column}={show_value(cell.value)}" if cell.kind == "Put" else f"{column}!{cell.kind}"


def agrees(expected, got):
    """Whether an answer is as expected. An expected error may have a part of the message or none."""
    if expected.startswith("! ") and got.startswith("! "):
        kind, _, words = expected[2:].partition(": ")
        got_kind, _, message = got[2:].partition(": ")
        return kind == got_kind and words in message
    return expected == got
