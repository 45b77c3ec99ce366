"""The imports between the top-level modules of a crate, from `use` declarations and paths in its sources. Tests are
ignored."""
import re

# Comments, literals and lifetimes contain no paths. A raw string ends with as many hashes as it begins with.
IGNORED = re.compile(r"""
    //[^\n]*
  | /\*.*?\*/
  | \b[bc]?r(?P<hashes>\#*)".*?"(?P=hashes)
  | (?:\b[bc])?"(?:\\.|[^"\\])*"
  | (?:\bb)?'(?:\\[^\n]+?|[^\\'\n])'
  | '[A-Za-z_]\w*
""", re.X | re.S)
TOKEN = re.compile(r"[A-Za-z_]\w*|::|[^\s\w]")
TEST_ONLY = re.compile(r"#\[cfg\((?:test|all\(test\b[^\]]*)\)\]|#\[test\]")


def module_of(path):
    """The path of the module in a file below `src/`: `read/scan.rs` and `read/scan/mod.rs` are both ["read",
    "scan"]."""
    parts = path.removesuffix(".rs").split("/")
    return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts


def tokens_of(source, itself="crate"):
    """The tokens outside of comments and literals. The crate's own name is replaced by `crate`."""
    return ["crate" if token == itself else token for token in TOKEN.findall(IGNORED.sub(" ", source))]


def without_tests(source):
    """The source without items marked `#[cfg(test)]`, and the names of the modules marked so that have their own
    files."""
    source = IGNORED.sub(lambda found: " " if found[0][:2] in ("//", "/*") else '""' if '"' in found[0] else " ", source)
    files, kept, at = [], [], 0
    while found := TEST_ONLY.search(source, at):
        kept.append(source[at:found.start()])
        end = end_of_item(source, found.end())
        if named := re.search(r"\bmod\s+(\w+)\s*;", source[found.end():end]):
            files.append(named[1])
        at = end
    return "".join([*kept, source[at:]]), files


def end_of_item(source, start):
    """The end of the item that begins at `start`: its closing brace or its semicolon."""
    depth = 0
    for found in re.finditer(r"[\[({})\];]", source[start:]):
        character = found[0]
        if character in "[({":
            depth += 1
        elif character in "])}":
            depth -= 1
        if depth == 0 and character in "};":
            return start + found.end()
    return len(source)


def group(tokens, at):
    """The first name of each element of `{a::b, c}`, and the position after the group."""
    names, depth, first = [], 0, True
    while at < len(tokens):
        token = tokens[at]
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                return names, at + 1
        elif depth == 1 and token == ",":
            first = True
        elif depth == 1 and first:
            names.append(token)
            first = False
        at += 1
    return names, at


def names_after(tokens, at):
    """The names that follow a path prefix: one, or those of a group. `at` is the position after the prefix's `::`."""
    if at < len(tokens) and tokens[at] == "{":
        return group(tokens, at)[0]
    return tokens[at:at + 1]


def named_at_root(source, module, itself="crate"):
    """The names below the crate's root that a source in `module` uses: of `crate::a::b` and of `super::…::a` it is `a`.

    `itself` is the name by which the crate may refer to itself (`extern crate self as …`).
    """
    tokens, names = tokens_of(source, itself), []
    # The inline modules that contain the current token, each with the depth of its braces.
    inline, depth, at = [], 0, 0
    while at < len(tokens):
        token = tokens[at]
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if inline and inline[-1][1] > depth:
                inline.pop()
        elif token == "mod" and tokens[at + 2:at + 3] == ["{"]:
            inline.append((tokens[at + 1], depth + 1))
        # `pub(in crate::a)` is a visibility, not a use.
        elif token == "crate" and tokens[at + 1:at + 2] == ["::"] and tokens[at - 1] != "in":
            names += names_after(tokens, at + 2)
        elif (token == "super" and tokens[at + 1:at + 2] == ["::"]
              and tokens[at - 2:at] != ["super", "::"] and tokens[at - 1] != "in"):
            levels = 1
            while tokens[at + 2 * levels:at + 2 * levels + 2] == ["super", "::"]:
                levels += 1
            if levels == len(module) + len(inline):
                names += names_after(tokens, at + 2 * levels)
        at += 1
    return set(names)


def reexports(root):
    """Maps each name that the crate's root re-exports to its module: `pub use module::{A, b::B as C};` maps A and C to
    module."""
    found = {}
    tokens, at = tokens_of(root), 0
    while at < len(tokens):
        if tokens[at] != "use":
            at += 1
            continue
        end = tokens.index(";", at)
        path = [token for token in tokens[at + 1:end] if token not in ("crate", "self")]
        path = path[1:] if path[:1] == ["::"] else path
        for n, token in enumerate(path):
            if token.isidentifier() and token != "as" and (n + 1 == len(path) or path[n + 1] in (",", "}")):
                found[token] = path[0]
        at = end
    return found


def imports(sources, itself="crate"):
    """Maps each module of a crate to the set of modules that it imports. `sources` maps paths below `src/` to the text
    of the files.

    The root (lib.rs, main.rs) is not a module. Raises ValueError for a name at the root that is neither a module nor
    re-exported from one.
    """
    cleaned, tests = {}, []
    for path, source in sources.items():
        cleaned[path], files = without_tests(source)
        tests += [[*module_of(path), name] for name in files]
    modules = {module_of(path)[0] for path in sources if module_of(path)}
    known = reexports(cleaned.get("lib.rs", "")) | {module: module for module in modules}
    arrows = {module: set() for module in modules if [module] not in tests}
    for path, source in sorted(cleaned.items()):
        module = module_of(path)
        if not module or any(module[:len(test)] == test for test in tests):
            continue
        for name in named_at_root(source, module, itself):
            if name not in known:
                raise ValueError(f"{path} uses crate::{name}, which is neither a module nor re-exported from one")
            if known[name] != module[0]:
                arrows[module[0]].add(known[name])
    return arrows
