"""The program that mypy reads also does what it says."""

from typed.program import main


def test_the_typed_program_runs(tmp_path):
    main(str(tmp_path))
