"""Documents name what is there."""
import json
import re

from tree import ROOT, files, text, written

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
# A path in backticks: folders with a slash, made of plain names; braces list several.
PATH = re.compile(r"^\.?[\w.-]+(?:/[\w.{},*-]+)*/?$")
TOP = {p.split("/")[0] for p in files()}


def spelled_out(path):
    """`a/{b,c}.rs` is two paths."""
    if found := re.search(r"\{([^}]*)\}", path):
        for part in found[1].split(","):
            yield from spelled_out(path[:found.start()] + part.strip() + path[found.end():])
    else:
        yield path


def exists(path):
    """Whether there is such a file or folder, `*` standing for anything."""
    return any(ROOT.glob(path.rstrip("/"))) if "*" in path else (ROOT / path).exists()


def test_links_lead_somewhere():
    for document in written(".md"):
        for target in LINK.findall(text(document)):
            if "://" not in target:
                there = (ROOT / document).parent / target
                assert there.exists(), f"{document} links to {target}, which is not there"


def test_paths_in_documents_exist():
    for document in written(".md"):
        for quoted in CODE.findall(text(document)):
            if "/" in quoted and PATH.match(quoted) and quoted.split("/")[0] in TOP:
                for path in spelled_out(quoted):
                    assert exists(path), f"{document} names {path}, which is not there"


def test_every_document_is_found_from_the_readme():
    readme = text("README.md")
    for document in files():
        if document.startswith("docs/") and document.endswith(".md"):
            assert f"({document})" in readme, f"README.md does not link to {document}"


def test_recipes_in_documents_exist():
    recipes = set(re.findall(r"^([a-z][a-z-]*):", text("Makefile"), re.M))
    for document in written(".md"):
        for recipe in re.findall(r"`make ([a-z-]+)", text(document)):
            assert recipe in recipes, f"{document} names `make {recipe}`"


def test_meant_differences_stand_in_the_document_and_only_they():
    """tests/judge/known.json and the list in docs/compatibility.md are one list."""
    listed = set(json.loads(text("tests/judge/known.json")))
    part = text("docs/compatibility.md").split("## Intended differences", 1)[1].split("\n## ", 1)[0]
    told = set(re.findall(r"`?([\w.]+\.json/[\w-]+)`?", part)) - {"tests/judge/known.json"}
    assert listed == told, f"only in known.json: {sorted(listed - told)}; only in docs/compatibility.md: {sorted(told - listed)}"
