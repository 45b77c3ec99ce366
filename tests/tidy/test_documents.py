"""Documents refer only to files, links and make targets that exist."""
import json
import os
import re

from tree import ROOT, files, text, written

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
# A path in backticks: plain names separated by slashes. Braces enclose alternatives.
PATH = re.compile(r"^\.?[\w.-]+(?:/[\w.{},*-]+)*/?$")
TOP = {p.split("/")[0] for p in files()}


def spelled_out(path):
    """Expands alternatives: `a/{b,c}.rs` is two paths."""
    if found := re.search(r"\{([^}]*)\}", path):
        for part in found[1].split(","):
            yield from spelled_out(path[:found.start()] + part.strip() + path[found.end():])
    else:
        yield path


def exists(path):
    """Whether the file or folder exists. `*` matches any name."""
    return any(ROOT.glob(path.rstrip("/"))) if "*" in path else (ROOT / path).exists()


def test_links_lead_somewhere():
    for document in written(".md"):
        for target in LINK.findall(text(document)):
            if "://" not in target:
                there = (ROOT / document).parent / target
                assert there.exists(), f"{document} links to {target}, which does not exist"


def headings(document):
    """The anchors of a document, as GitHub and mdBook make them from its headings."""
    body = re.sub(r"^ *```.*?^ *```$", "", text(document), flags=re.M | re.S)
    titles = (re.sub(r"[`*\\]|\]\([^)]*\)|\[", "", title) for title in re.findall(r"^#+ (.+?) *$", body, re.M))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_anchors_in_links_are_headings():
    for document in written(".md"):
        for path, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", text(document)):
            target = os.path.normpath(os.path.join(os.path.dirname(document), path)) if path else document
            if "://" not in path and target.endswith(".md"):
                assert anchor in headings(target), f"{document} links to {path}#{anchor}: {target} has no such heading"


def test_the_site_contains_every_document():
    listed = {os.path.normpath(os.path.join("docs", path)) for path in LINK.findall(text("docs/SUMMARY.md"))}
    for document in files():
        if document.startswith("docs/") and document.endswith(".md") and document != "docs/SUMMARY.md":
            assert document in listed, f"docs/SUMMARY.md does not list {document}"


def test_paths_in_documents_exist():
    for document in written(".md"):
        for quoted in CODE.findall(text(document)):
            if "/" in quoted and PATH.match(quoted) and quoted.split("/")[0] in TOP:
                for path in spelled_out(quoted):
                    assert exists(path), f"{document} names {path}, which does not exist"


def test_the_readme_links_to_every_document():
    readme = text("README.md")
    for document in files():
        if document.startswith("docs/") and document.endswith(".md") and document != "docs/SUMMARY.md":
            assert f"({document})" in readme, f"README.md does not link to {document}"


def test_make_targets_in_documents_exist():
    targets = set(re.findall(r"^([a-z][a-z-]*):", text("Makefile"), re.M))
    for document in written(".md"):
        for target in re.findall(r"`make ([a-z-]+)", text(document)):
            assert target in targets, f"{document} names `make {target}`, which is not a target of the Makefile"


def test_documented_differences_are_the_known_ones():
    """tests/judge/known.json and docs/compatibility.md list the same differences from HBase."""
    listed = set(json.loads(text("tests/judge/known.json")))
    part = text("docs/compatibility.md").split("## Intended differences", 1)[1].split("\n## ", 1)[0]
    documented = set(re.findall(r"`?([\w.]+\.json/[\w-]+)`?", part)) - {"tests/judge/known.json"}
    assert listed == documented, (
        f"only in known.json: {sorted(listed - documented)}; only in docs/compatibility.md: {sorted(documented - listed)}")
