"""What is drawn of results: plots (tributary plot).

usage: test_drawings.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from executable import run_tests, tributary

SVG = "{http://www.w3.org/2000/svg}"


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_in(self, *arguments, code=0):
        done = tributary(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done


class Plots(InFolder):
    def test_results_of_a_run(self):
        self.run_in("run", "--sizes", "1KiB:64KiB:x4", "--quiet", "--csv", "r.csv")
        options = ["plot", "r.csv", "--x", "size_bytes", "--y", "algbw_GBps", "--by", "algorithm", "--log", "x,y", "--bound"]
        done = self.run_in(*options, "-o", "r.svg")
        self.assertEqual(done.stdout, "algbw_GBps over size_bytes: 4 rows, 1 panel, 1 line; drawn in r.svg\n")
        text = (self.folder / "r.svg").read_text(encoding="utf-8")
        drawing = ElementTree.fromstring(text)
        labels = [element.text for element in drawing.iter(SVG + "text")]
        for label in ["1KiB", "4KiB", "16KiB", "64KiB", "push", "push, bound"]:
            self.assertIn(label, labels)
        self.assertEqual(len(list(drawing.iter(SVG + "polyline"))), 2)
        self.assertEqual(self.run_in(*options, "-o", "-").stdout, text)

    def test_what_cannot_be_drawn(self):
        (self.folder / "r.csv").write_text("size_bytes,algbw_GBps\n1024,1\n")
        for arguments, part in [
                ([], "a file of results is missing"),
                (["r.csv", "--x", "size_bytes", "-o", "r.svg"], "--y COLUMN is missing"),
                (["r.csv", "--x", "size_bytes", "--y", "algbw_GBps"], "-o FIGURE.svg is missing"),
                (["r.csv", "--x", "sizebytes", "--y", "algbw_GBps", "-o", "r.svg"], "did you mean size_bytes? (legal: size_bytes"),
                (["r.csv", "--x", "size_bytes", "--y", "algbw_GBps", "--log", "z", "-o", "r.svg"], "legal: x, y or x,y"),
                (["none.csv", "--x", "x", "--y", "y", "-o", "r.svg"], "cannot read 'none.csv': No such file"),
                (["r.csv", "--x", "size_bytes", "--y", "algbw_GBps", "-o", "none/r.svg"], "cannot write 'none/r.svg'")]:
            done = self.run_in("plot", *arguments, code=2)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse((self.folder / "r.svg").exists())


if __name__ == "__main__":
    run_tests()
