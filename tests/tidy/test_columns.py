"""Comments and prose wrap at 120 columns.

The formatters determine the width of code: rustfmt, ruff and ESLint. Tables, aligned columns, and lines with a URL or
without a space to wrap at are exempt.
"""
import ast
import re

from tree import text, written

COLUMNS = 120
SLASHES, HASHES = re.compile(r"\s*(//|/\*|\*/?( |$))"), re.compile(r"\s*#")
COMMENTS = {
    ".rs": SLASHES, ".js": SLASHES, ".mjs": SLASHES, ".ts": SLASHES, ".go": SLASHES, ".cpp": SLASHES, ".java": SLASHES,
    ".thrift": SLASHES, ".py": HASHES, ".pyi": HASHES, ".toml": HASHES, ".yml": HASHES, "methods.txt": HASHES, "Makefile": HASHES,
}
# A line that cannot or need not be wrapped, without its comment sign: a row of a table, aligned columns, or one word.
EXEMPT = re.compile(r"\s*(//[/!]?|\*|#+)?\s*(\||[^\s]*$)|.*(://|\S {2,}\S)")


def prose_of(document):
    """The lines of a document outside code blocks, with their numbers."""
    fence = None
    for number, line in enumerate(document.splitlines(), 1):
        mark = re.match(r"\s*(```+)", line)
        if mark and fence in (None, mark[1]):
            fence = None if fence else mark[1]
        elif not fence:
            yield number, line


def docstrings_of(source):
    """The lines of docstrings, with their numbers."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node, clean=False) is not None:
            for number in range(node.body[0].lineno, node.body[0].end_lineno + 1):
                yield number, lines[number - 1]


def comments_of(source, sign):
    """The lines that are a comment, with their numbers."""
    return [(number, line) for number, line in enumerate(source.splitlines(), 1) if sign.match(line)]


def too_wide(path):
    """The numbers of the lines of a file that should be wrapped."""
    source = text(path)
    lines = list(prose_of(source)) if path.endswith(".md") else []
    for ending, sign in COMMENTS.items():
        if path.endswith(ending):
            lines += comments_of(source, sign)
    if path.endswith((".py", ".pyi")):
        lines += docstrings_of(source)
    return sorted(number for number, line in lines if len(line) > COLUMNS and not EXEMPT.match(line))


def test_comments_and_prose_are_wrapped():
    wide = [f"{path}:{number}" for path in written(".md", *COMMENTS) for number in too_wide(path)]
    assert not wide, f"wrap these lines at {COLUMNS} columns: {', '.join(wide)}"


def test_long_lines_are_found():
    long = "word " * 30
    document = f"{long}\n```console\n{long}\n```\n| {long} |\n<https://example.com/{'x' * 120}> {long}\n- {long}\n"
    assert [number for number, line in prose_of(document) if len(line) > COLUMNS and not EXEMPT.match(line)] == [1, 7]
    assert comments_of(f"    /// {long}\nlet a = 1; // {long}\n    * {long}\n", SLASHES)[0][0] == 1
    assert list(docstrings_of(f'"""One.\n{long}\n"""\nx = """{long}"""\n'))[1] == (2, long)
