"""Runs the commands of README.md that stand with their output (```console), and compares it line by line.

usage: test_readme.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import re
import shlex
import unittest

from executable import SOURCE, run_tests, tributary


def lines(text):
    return [line.rstrip() for line in text.rstrip().split("\n")]


class Readme(unittest.TestCase):
    def test_every_command_prints_what_stands_there(self):
        page = (SOURCE / "README.md").read_text(encoding="utf-8")
        found = re.findall(r"^```console\n\$ tributary (.*)\n((?:.*\n)*?)```", page, re.MULTILINE)
        self.assertEqual(len(found), 3)
        for command, output in found:
            with self.subTest(command):
                done = tributary(*shlex.split(command))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(lines(done.stdout), lines(output))


run_tests()
