"""Runs the real executable with names that hold control characters, wrong UTF-8, formulas and markup.

usage: test_escapes.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from executable import TRIBUTARY, run_tests

HEADER = b"Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\n"
NAMES = (b"\x1b[2J\x1b]0;pwn\x07", b"=cmd|calc!A1", b"@SUM(1)", b"-x", b"\xff\xc3(", b"<b>&\"", b"\xc2\x9b2J", "caf\u00e9".encode())


class Escapes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_bytes(self, *arguments):
        done = subprocess.run([TRIBUTARY, *arguments], capture_output=True, check=False, cwd=self.folder.name)
        for text in (done.stdout, done.stderr):
            shown = text.decode("utf-8")  # an error if it is not UTF-8
            self.assertTrue(shown.replace("\n", "").isprintable(), text)
        return done

    def layers(self):
        with open(self.path("l.csv"), "wb") as file:
            file.write(HEADER + b"".join(name + b",8,8,3,3,2,4,1,\n" for name in NAMES))
        return self.path("l.csv")

    def test_no_name_of_a_layer_controls_the_terminal(self):
        run = ["run", "--gpus", "2", "--quiet", "--messages", self.layers()]
        done = self.run_bytes(*run, "--csv", self.path("r.csv"), "--html", self.path("r.html"), "--json", self.path("r.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(rb"\x1b[2J\x1b]0;pwn\x07", done.stdout)
        self.assertIn("caf\u00e9".encode(), done.stdout)
        with open(self.path("r.csv"), "rb") as file:
            self.assertEqual(self.run_bytes(*run, "--csv", "-").stdout, file.read())
        xml.etree.ElementTree.parse(self.path("r.html"))
        with open(self.path("r.csv"), encoding="utf-8", newline="") as file:
            labels = [row["label"] for row in csv.DictReader(file)]
        self.assertIn("'=cmd|calc!A1", labels)
        self.assertEqual([label for label in labels if label[0] in "=@+-\t\r"], [])

    def test_drawings_are_well_formed_whatever_a_table_holds(self):
        with open(self.path("p.csv"), "wb") as file:
            file.write(b"size_bytes,time_ns,who\n" + b"".join(b"%d,2,\"%s\"\n" % (i + 1, name.replace(b"\"", b"\"\"")) for i, name in enumerate(NAMES)))
        done = self.run_bytes("plot", self.path("p.csv"), "--x", "size_bytes", "--y", "time_ns", "--by", "who", "-o", self.path("p.svg"), "--html", self.path("p.html"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("p.svg", "p.html"):
            xml.etree.ElementTree.parse(self.path(name))

    def test_errors_about_any_file_are_one_line_of_text(self):
        for name in NAMES:
            done = self.run_bytes("run", b"x" + name.replace(b"/", b"") + b".yaml")
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))


run_tests()
