"""The scripts of tests/scripts, run through this package. Their README describes their form."""
