"""Runs the program that mypy checks."""

from typed.program import main


def test_the_typed_program_runs(tmp_path):
    main(str(tmp_path))
