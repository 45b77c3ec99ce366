"""Runs the examples in docstrings."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import hjall

MODULES = [
    hjall,
    *(
        importlib.import_module(f"hjall.{found.name}")
        for found in pkgutil.iter_modules(hjall.__path__)
        if not found.name.startswith("__")
    ),
]


def is_own(thing):
    """Whether `thing` is a class or function of this package."""
    return (inspect.isclass(thing) or inspect.isroutine(thing)) and (
        getattr(thing, "__module__", None) or ""
    ).startswith("hjall")


def examples():
    """Name, docstring and module of each object whose docstring has an example."""
    found = {}
    for module in MODULES:
        things = {module.__name__: module}
        for name, thing in vars(module).items():
            if is_own(thing):
                things[f"{module.__name__}.{name}"] = thing
                if inspect.isclass(thing):
                    things.update(
                        (f"{module.__name__}.{name}.{part}", value)
                        for part, value in vars(thing).items()
                        if not part.startswith("__")
                    )
        for name, thing in things.items():
            text = inspect.getdoc(thing) or ""
            if ">>>" in text:
                found.setdefault(text, (name, text, module))
    return list(found.values())


@pytest.mark.parametrize(
    "name, text, module", examples(), ids=lambda value: value if isinstance(value, str) and ">>>" not in value else ""
)
def test_the_example_runs(name, text, module):
    report = []
    example = doctest.DocTestParser().get_doctest(text, dict(vars(module)), name, None, 0)
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=report.append)
    assert not report, "".join(report)


def test_verbs_have_examples():
    """All methods have examples, except those whose only argument is a name."""
    trivial = {
        "enable_table",
        "disable_table",
        "is_table_enabled",
        "truncate_table",
        "compact_table",
        "flush_table",
        "open",
        "add_family",
        "modify_family",
        "delete_family",
        "create_namespace",
        "alter_namespace",
        "describe_namespace",
        "delete_namespace",
    }
    for cls in (hjall.Database, hjall.Table):
        for name, value in inspect.getmembers(cls, inspect.isroutine):
            if not name.startswith("_") and name not in trivial:
                assert ">>>" in (inspect.getdoc(value) or ""), f"{cls.__name__}.{name}"
