#!/usr/bin/env python3
"""Writes the licence texts of all crates that a crate of this workspace links, for its package.

    bindings/licences.py hjall-python > python/THIRD-PARTY-LICENSES

Texts are read from the sources of the crates, and identical ones are written once. A crate without a text is listed
with the licence that its manifest names.
"""

import collections
import json
import pathlib
import subprocess
import sys

NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def metadata() -> dict:
    """Cargo's description of the workspace and its dependencies, for the platform of this machine."""
    host = next(
        line.split(": ")[1]
        for line in subprocess.run(
            ["rustc", "-vV"], check=True, capture_output=True, text=True
        ).stdout.splitlines()
        if line.startswith("host: ")
    )
    command = [
        "cargo",
        "metadata",
        "--locked",
        # The features of the workspace's own crates, of which the packages use none.
        "--no-default-features",
        "--format-version",
        "1",
        "--filter-platform",
        host,
    ]
    return json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
    )


def linked(described: dict, crate: str) -> list[dict]:
    """The packages that a crate links, without those that only build scripts and tests use, and without the
    workspace."""
    packages = {package["id"]: package for package in described["packages"]}
    nodes = {node["id"]: node for node in described["resolve"]["nodes"]}
    root = next(
        identifier
        for identifier in described["workspace_members"]
        if packages[identifier]["name"] == crate
    )
    seen, waiting = {root}, [root]
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_linked and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    own = set(described["workspace_members"])
    return sorted(
        (packages[each] for each in seen - own),
        key=lambda package: (package["name"], package["version"]),
    )


def texts(package: dict) -> list[str]:
    """The licence texts in the sources of a package."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.name.upper().startswith(NAMES)
    )
    return [path.read_text(errors="replace").strip() for path in files]


def main(crate: str) -> None:
    """Writes the texts to the standard output."""
    users = collections.defaultdict(list)
    print(f"This package links the following crates.\n\n{'-' * 100}")
    for package in linked(metadata(), crate):
        name = f"{package['name']} {package['version']}"
        print(
            f"{name}: {package['license'] or 'see its text'} ({package['repository'] or 'no repository'})"
        )
        for text in texts(package):
            users[text].append(name)
    for text, names in sorted(users.items(), key=lambda item: item[1]):
        print(f"\n{'-' * 100}\n{', '.join(names)}\n{'-' * 100}\n\n{text}")


if __name__ == "__main__":
    main(*sys.argv[1:])
