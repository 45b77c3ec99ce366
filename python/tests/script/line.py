"""Parses a step of a script: a verb, words, and options (`--name=value`)."""

import hjall
from script.text import unescape, value


def timed(word):
    """Splits `rest@timestamp`. The timestamp is `None` if it is missing."""
    rest, at, time = word.rpartition("@")
    return (rest, int(time)) if at else (word, None)


def family(word):
    """Parses `f{VERSIONS=3,TTL=10}` into a name and a `hjall.Family`."""
    name, _, attributes = word.rstrip("}").partition("{")
    pairs = (pair.partition("=") for pair in attributes.split(",") if pair)
    return unescape(name), hjall.Family({key: unescape(text) for key, _, text in pairs})


class Line:
    """A parsed step."""

    def __init__(self, line):
        self.verb, *rest = line.split()
        self.words = [word for word in rest if not word.startswith("--")]
        self.options = dict(word[2:].partition("=")[::2] for word in rest if word.startswith("--"))

    def number(self, name, default=None):
        """An option that is a number."""
        return int(self.options[name]) if name in self.options else default

    @property
    def row(self):
        """The second word."""
        return value(self.words[1])

    @property
    def families(self):
        """The families that follow the table's name."""
        return dict(family(word) for word in self.words[1:])

    @property
    def time_range(self):
        """`--range=5..10`."""
        return tuple(map(int, self.options["range"].split(".."))) if "range" in self.options else None

    @property
    def filter(self):
        """`--filter=…` in the filter language."""
        return unescape(self.options["filter"]) if "filter" in self.options else None

    @property
    def mutation_options(self):
        """The options that all mutations have."""
        return {"ttl_ms": self.number("ttl"), "durability": self.options.get("durability", "USE_DEFAULT")}

    def columns(self, first):
        """Columns and families, from the word with index `first` on."""
        return [unescape(word) for word in self.words[first:]]

    def cells(self, words):
        """Cells `f:q@time=value`."""
        for word in words:
            place, _, text = word.partition("=")
            name, time = timed(place)
            yield (unescape(name), value(text)) if time is None else (unescape(name), value(text), time)

    def markers(self, words):
        """Markers, from pairs of words: the kind, and the column or family."""
        for kind, word in zip(words[::2], words[1::2], strict=True):
            name, time = timed(word)
            yield hjall.Marker(kind, unescape(name), time)

    def mutations(self, first):
        """`put cell… ; delete marker… ; …`"""
        for words in " ".join(self.words[first:]).split(";"):
            kind, *rest = words.split() or [""]
            if kind == "put":
                yield hjall.Put(list(self.cells(rest)), **self.mutation_options)
            elif kind == "delete":
                yield hjall.Delete(list(self.markers(rest)), self.number("at"), **self.mutation_options)

    def amounts(self):
        """`f:q=text …`"""
        for word in self.words[2:]:
            name, _, text = word.partition("=")
            yield unescape(name), text
