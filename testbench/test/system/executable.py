"""The real executable, for the tests that run it from outside: test_*.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]."""
import pathlib
import subprocess
import sys
import unittest

TRIBUTARY, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])


def tributary(*arguments, cwd=None):
    return subprocess.run([TRIBUTARY, *arguments], capture_output=True, text=True, cwd=cwd, check=False)


def run_tests():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
