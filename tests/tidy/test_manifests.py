"""Every manifest has the fields that package registries show: description, licence, repository, readme, keywords."""
import json
import tomllib

from tree import ROOT, text, written

REPOSITORY = tomllib.loads(text("Cargo.toml"))["workspace"]["package"]["repository"]


def published_crates():
    """The manifests of the workspace's members, with inherited fields filled in."""
    root = tomllib.loads(text("Cargo.toml"))["workspace"]
    for member in root["members"]:
        package = tomllib.loads(text(f"{member}/Cargo.toml"))["package"]
        inherited = {name: root["package"][name] for name, value in package.items() if value == {"workspace": True}}
        yield member, package | inherited


def test_crates():
    for member, package in published_crates():
        for field in ("description", "license", "repository", "readme", "keywords", "categories"):
            assert package.get(field), f"{member}/Cargo.toml has no {field}"
        assert package["repository"] == REPOSITORY, f"{member}/Cargo.toml names another repository than the workspace"
        # A readme inherited from the workspace is relative to the workspace's root.
        base = ROOT if package["readme"] == "README.md" else ROOT / member
        assert (base / package["readme"]).is_file(), f"{member}/Cargo.toml names a readme that does not exist"
        assert len(package["keywords"]) <= 5, f"{member}/Cargo.toml: crates.io accepts five keywords"


def test_python_package():
    project = tomllib.loads(text("python/pyproject.toml"))["project"]
    assert project["description"] and project["license"] and project["keywords"]
    assert project["urls"]["Repository"] == REPOSITORY
    assert (ROOT / "python" / project["readme"]).is_file()


def test_node_packages():
    for manifest in written("package.json"):
        package = json.loads(text(manifest))
        assert package.get("description") and package.get("license"), f"{manifest} has no description or no licence"
        folder = manifest.rpartition("/")[0]
        assert package["repository"] == {"type": "git", "url": f"git+{REPOSITORY}.git", "directory": folder}, (
            f"{manifest} does not name the repository and its folder in it")
