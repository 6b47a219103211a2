"""The real executable, for the tests that run it from outside: test_*.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]."""
import os
import pathlib
import subprocess
import sys
import unittest

TRIBUTARY, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SANITIZED = b"__asan_init" in TRIBUTARY.read_bytes()  # slower and larger


def tributary(*arguments, cwd=None, used=None, env=None):
    """Runs the executable to its end. Stores its peak memory as `bytes` and its processor time as `cpu_s` in the dictionary `used`."""
    with subprocess.Popen([TRIBUTARY, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="surrogateescape", cwd=cwd, env=env) as process:
        if used is None:
            stdout, stderr = process.communicate()
        else:  # an error is shorter than the buffer of a pipe
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            stdout, stderr = process.stdout.read(), process.stderr.read()
            used.update(bytes=usage.ru_maxrss * 1024, cpu_s=usage.ru_utime + usage.ru_stime)
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def run_tests():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
