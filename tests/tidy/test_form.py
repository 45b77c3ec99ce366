"""Module comments, and the lengths and names of source files."""
import re
import warnings

from tree import files, text, written

# A file has one subject. Length only suggests that there are two: the first limit gives a warning, the second one
# fails.
LONG, TOO_LONG = 400, 800
# Files without a limit, because they are a list or a script that is not read as a whole.
UNLIMITED = {
    "tests/judge/scenarios/": "a script of calls for each recorded transcript, under the same name",
}
SOURCES = (".rs", ".py", ".js", ".go", ".cpp", ".java")
# Functions that show whole texts, however long, and the files that use them for texts which have been cut, or for
# something else than a message.
WHOLE = re.compile(r"\.escape_(default|ascii|debug)\(|to_string_binary\(|(format|format_args|write|writeln)!\(.*from_utf8_lossy")
WITH_WHOLE = {
    "engine/src/quote.rs", "engine/src/region/mod.rs", "server/src/access/file.rs", "server/src/gateway/rest/mutate.rs",
    "server/src/gateway/rest/status.rs", "server/src/gateway/thrift2/server.rs", "server/src/info/traffic.rs", "server/src/net/connection.rs",
    "server/src/net/sasl.rs", "server/src/net/web_pages.rs", "server/src/observe/log_writer.rs",
}
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
            assert lines <= TOO_LONG, f"{path} has {lines} lines, which is more than {TOO_LONG}: split it by subject"
            warnings.warn(f"{path} has {lines} lines, which is more than {LONG}: does it have more than one subject?", stacklevel=1)


def test_files_are_named_after_their_subject():
    for path in files():
        assert not MEANINGLESS.search(path), f"{path} has a generic name: name the file after its subject"


def test_messages_shorten_what_clients_have_sent():
    for path in written(".rs"):
        if path.startswith(("engine/src/", "server/src/")) and not path.startswith("server/src/cli/") and not path.endswith("_tests.rs") and path not in WITH_WHOLE:
            found = WHOLE.search(text(path))
            assert not found, f"{path} has {found[0]}: show what a client has sent with engine/src/quote.rs, which shortens it"


# The beginning of a macro that writes a line of the log or a span.
LOG = re.compile(r"(?:tracing::(?:error|warn|info|debug|trace)(?:_span)?|client_error)!\(")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# A field in its Display form, which the log does not quote.
DISPLAYED = re.compile(r"(?<![\w)])%\s*([&*\w][\w.:]*(?:\(\)[\w.]*)*)")
# What may be shown in this form: addresses, errors, dialects, names of tables that exist, and paths that the operator
# has given.
HARMLESS = re.compile(r"(?:.*\.)?(?:peer|addr|error|dialect(?:\(\))?|table|table\.name|new\.name\(\)|display\(\))$")


def unquoted_fields(code):
    """The fields in the Display form that may show text of a client."""
    found = [f"display({match[1]}" for match in re.finditer(r"field::display\((\w+)", code)]
    for macro in LOG.finditer(code):
        body, depth, end = STRING.sub('""', code[macro.end():macro.end() + 3000]), 1, 0
        while depth and end < len(body):
            depth += (body[end] == "(") - (body[end] == ")")
            end += 1
        found += [field for field in DISPLAYED.findall(body[:end]) if not HARMLESS.match(field)]
    return found


def test_text_of_clients_is_logged_as_strings():
    """A string is quoted and escaped. In the Display form, a name such as `x user="root"` looks like another field."""
    assert unquoted_fields('tracing::warn!(%peer, method = %Brief(name), "it (is) 5 %x")') == ["Brief"]
    assert unquoted_fields('span.record("table", tracing::field::display(Brief(name)));') == ["display(Brief"]
    for path in written(".rs"):
        if path.startswith(("engine/src/", "server/src/", "bindings/")):
            found = unquoted_fields(text(path))
            assert not found, f"{path} logs {found} in the Display form: record text of clients as a string"
