"""Sets PYTHONPATH, so that programs started by tests import the package from this tree."""

import os
import pathlib

import hjall

_source = str(pathlib.Path(hjall.__file__).parents[1])
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_source, os.environ.get("PYTHONPATH")]))
