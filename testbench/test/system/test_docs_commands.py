"""Runs the commands of the docs.

usage: test_docs_commands.py TRIBUTARY SOURCE_DIRECTORY [--write] [unittest arguments]

Commands of a block ```console begin with `$ `; a backslash at the end of a line continues them. Their output follows, and is compared
line by line, without the lines `# took ...`. The commands of one page share a folder. --write replaces the output in the pages
instead. Other commands `tributary run` of the pages are stopped after 1 ps of simulated time, and have no data: their options must be legal, and their
platforms are built. `train`, `list`, `schedule`, `estimate` and `netlist` run to their end.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

from executable import SOURCE, TRIBUTARY, run_tests, tributary

CONSOLE = re.compile(r"^```console\n((?:.*\n)*?)```", re.MULTILINE)
COMMAND = re.compile(r"^\$ (?:.*\\\n)*.*", re.MULTILINE)
PLAIN = re.compile(r"(?:^ *|`)tributary ((?:run|train|list|schedule|verify|estimate|netlist) [^`\n]*)", re.MULTILINE)
STOPPED = ["--time-limit", "1ps", "--no-data", "--quiet"]
PLACEHOLDER = re.compile(r"\.\.\.|\||\b(?:[A-Z]{1,}|FILE\w*)(?:\b|\[)(?!=)")


def working_folder(name):
    """Makes a folder with the data files that ship, below the path that pages use."""
    if not os.path.lexists(os.path.join(name, "testbench")):
        os.symlink(SOURCE / "testbench", os.path.join(name, "testbench"))
    return name


def pages():
    return [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]


def shell(command, folder):
    path = os.pathsep.join([str(TRIBUTARY.parent), os.environ["PATH"]])
    done = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return "".join(line for line in done.stdout.splitlines(keepends=True) if not line.startswith("# took "))  # differs from run to run


def with_output(block, folder):
    """The block's commands, each with its current output."""
    text = ""
    for command in COMMAND.findall(block):
        output = shell(command[2:], folder)
        text += command + "\n" + "".join(line.rstrip() + "\n" for line in output.rstrip("\n").split("\n") if output)
    return text


def plain_commands(text):
    """`tributary ...` on a line of its own or between backticks, continued lines joined, comments off, none with placeholders."""
    for command in PLAIN.findall(CONSOLE.sub("", text).replace("\\\n", " ")):
        words = shlex.split(command.split(" >")[0], comments=True)
        if words[0] in ("run", "train") and len(words) < 4:
            continue  # an option alone
        if not any(PLACEHOLDER.search(word) for word in words):
            yield words


class Docs(unittest.TestCase):
    maxDiff = None

    def test_console_blocks_show_the_output(self):
        found = 0
        for page in pages():
            with tempfile.TemporaryDirectory() as folder:
                working_folder(folder)
                for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
                    found += 1
                    with self.subTest(page=page.name):
                        self.assertEqual([line.rstrip() for line in block.rstrip().split("\n")],
                                         with_output(block, folder).rstrip().split("\n"))
        self.assertGreaterEqual(found, 4)

    def test_other_commands_are_legal(self):
        found = 0
        for page in pages():
            for words in plain_commands(page.read_text(encoding="utf-8")):
                if any(word.endswith((".yaml", ".csv", ".log")) or ".so" in word for word in words):
                    continue  # files of the reader
                found += 1
                with tempfile.TemporaryDirectory() as folder, self.subTest(page=page.name, command=words):
                    flows = "fluid" in words or any(word.startswith("cluster:") for word in words)
                    limited = [*words, *STOPPED] if words[0] == "run" and not flows else words
                    done = tributary(*limited, cwd=working_folder(folder))
                    self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertGreater(found, 8)


def write():
    for page in pages():
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            new = CONSOLE.sub(lambda m: "```console\n" + with_output(m[1], working_folder(folder)) + "```", text)
        if new != text:
            page.write_text(new, encoding="utf-8")


if "--write" in sys.argv:
    write()
else:
    run_tests()
