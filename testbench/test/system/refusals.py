"""The real executable on bad input: the base class of test_bad_*.py."""
import pathlib
import tempfile
import unittest

from executable import tributary


class Refusals(unittest.TestCase):
    """Checks of a refusal: exit code 2, nothing on standard output, one line on standard error that holds the given words."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def refused(self, arguments, *words, used=None):
        done = tributary(*arguments, used=used)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr[:-1].isprintable(), repr(done.stderr))
        self.assertTrue(done.stderr.startswith("tributary: error: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def run_refused(self, arguments, *words):
        self.refused(["run", "--size", "4KiB", *arguments], *words)
