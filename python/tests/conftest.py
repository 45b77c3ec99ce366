"""Programs that tests start find the package where the tests found it: in this tree, not in the environment."""

import os
import pathlib

import hjall

_source = str(pathlib.Path(hjall.__file__).parents[1])
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_source, os.environ.get("PYTHONPATH")]))
