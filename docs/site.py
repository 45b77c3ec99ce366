#!/usr/bin/env python3
"""Writes the source of the documentation site, which mdBook builds: `site.py FOLDER`; called by `make site`.

The pages are those that docs/SUMMARY.md lists, at the same paths as in the repository, except that each README.md
becomes the index of its folder. Links to other files of the repository become links to its web page.
"""
import pathlib
import posixpath
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FILES = "https://github.com/hjall/hjall/blob/main/"
LINK = re.compile(r"(\[[^\]]*\])\(([^)#\s]+)(#[^)\s]*)?\)")
FENCED = re.compile(r"(^ *```.*?^ *```$)", re.M | re.S)


def target(page, link):
    """The path in the repository that a link in a page leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def pages():
    """The paths of the pages of the site, from docs/SUMMARY.md."""
    summary = (ROOT / "docs" / "SUMMARY.md").read_text(encoding="utf-8")
    return [target("docs/SUMMARY.md", link) for _, link, _ in LINK.findall(summary)]


def placed(path):
    """The path of a page in the site's source."""
    return re.sub(r"(^|/)README\.md$", r"\1index.md", path)


def relinked(page, text, known):
    """The text of a page with its links for the site. Code is not changed."""
    def link(found):
        label, path, anchor = found[1], found[2], found[3] or ""
        if "://" in path:
            return found[0]
        if target(page, path) in known:
            return f"{label}({placed(path)}{anchor})"
        return f"{label}({FILES}{target(page, path)}{anchor})"

    return "".join(part if part.lstrip().startswith("```") else LINK.sub(link, part) for part in FENCED.split(text))


def write(folder):
    """Writes the source of the site."""
    shutil.rmtree(folder, ignore_errors=True)
    known = set(pages())
    for page in known:
        path = folder / "src" / placed(page)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(relinked(page, (ROOT / page).read_text(encoding="utf-8"), known), encoding="utf-8")
    summary = (ROOT / "docs" / "SUMMARY.md").read_text(encoding="utf-8")
    rooted = LINK.sub(lambda found: f"{found[1]}({placed(target('docs/SUMMARY.md', found[2]))})", summary)
    (folder / "src" / "SUMMARY.md").write_text(rooted, encoding="utf-8")
    shutil.copy(ROOT / "docs" / "book.toml", folder / "book.toml")


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
