"""Runs pyright over the package, the typed program, and the examples of README.md but those for pytest, whose functions
have no annotations. `make check-python-types` calls it with the path of pyright.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PYTHON = pathlib.Path(__file__).parents[2]
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def main(pyright: str) -> int:
    """Returns the exit code of pyright."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        readme = (PYTHON / "README.md").read_text(encoding="utf-8")
        for number, source in enumerate(EXAMPLE.findall(readme)):
            if "def test_" not in source:
                (folder / f"example_{number}.py").write_text(source, encoding="utf-8")
        shutil.copy(PYTHON / "tests/typed/program.py", folder)
        shutil.copytree(PYTHON / "src/hjall", folder / "hjall", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
        # The extension module is a stub here.
        (folder / "pyrightconfig.json").write_text('{"reportMissingModuleSource": false}', encoding="utf-8")
        return subprocess.run([pyright, "--project", name, "--pythonpath", sys.executable], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
