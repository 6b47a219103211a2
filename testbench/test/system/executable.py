"""The real executable, for the tests that run it from outside: test_*.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]."""
import os
import pathlib
import subprocess
import sys
import unittest

TRIBUTARY, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SANITIZED = b"__asan_init" in TRIBUTARY.read_bytes()  # slower and larger


def tributary(*arguments, cwd=None, peak=None):
    """Runs the executable to its end. Stores the peak memory as `bytes` in the dictionary `peak`."""
    with subprocess.Popen([TRIBUTARY, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="surrogateescape", cwd=cwd) as process:
        if peak is None:
            stdout, stderr = process.communicate()
        else:  # an error is shorter than the buffer of a pipe
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            stdout, stderr = process.stdout.read(), process.stderr.read()
            peak["bytes"] = used.ru_maxrss * 1024
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def run_tests():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
