"""Licences of everything that is linked in: cargo's own word for it, against a list of those that fit Apache-2.0."""
import json
import re
import subprocess

from tree import ROOT

FITTING = {"Apache-2.0", "MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BSL-1.0", "Zlib", "Unlicense", "CC0-1.0", "Unicode-3.0",
           "Unicode-DFS-2016", "Apache-2.0 WITH LLVM-exception"}


def fits(expression):
    """Whether an SPDX expression can be met by fitting licences (`/` is an old way to write OR)."""
    text = expression.replace("Apache-2.0 WITH LLVM-exception", "Apache-2.0").replace("/", " OR ")
    tokens = re.findall(r"[()]|[\w.+-]+", text)

    def either():
        good = both()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            good = both() or good
        return good

    def both():
        good = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            good = one() and good
        return good

    def one():
        token = tokens.pop(0)
        if token == "(":
            good = either()
            tokens.pop(0)
            return good
        return token in FITTING

    return either()


def test_expressions_are_read_as_they_are_meant():
    assert fits("MIT OR Apache-2.0") and fits("MIT/Apache-2.0") and fits("GPL-2.0-only OR MIT")
    assert fits("(MIT OR GPL-3.0) AND Unicode-3.0")
    assert not fits("GPL-3.0") and not fits("MIT AND GPL-3.0") and not fits("(MIT AND AGPL-3.0) OR LGPL-3.0")


def test_every_dependency_has_a_fitting_licence():
    host = re.search(r"host: (\S+)", subprocess.run(["rustc", "-vV"], cwd=ROOT, check=True, capture_output=True, text=True).stdout)[1]
    metadata = subprocess.run(["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host], cwd=ROOT, check=True,
                              capture_output=True, text=True).stdout
    packages = json.loads(metadata)["packages"]
    bad = {f"{p['name']} {p['version']}": p["license"] for p in packages if not p["license"] or not fits(p["license"])}
    assert len(packages) > 50 and not bad, f"licences that do not fit, or are not named: {bad}"
