"""Runs the scripts of tests/scripts through this package. Their README describes the format."""
