"""Debian packages: what is in them, what they depend on, and that they install into an empty root, run there and leave nothing.

usage: test_packages.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]

The build must be complete (cmake --build BUILD_DIRECTORY). lintian and mandoc look at the packages where they are installed.
"""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from from_outside import BUILD, SOURCE, main, run

LISTED = pathlib.Path(__file__).with_name("packages.txt")
HEADERS = "./usr/include/tributary/"


@unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("cpack"), "no Debian packages here")
class Packages(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        # Twice with equal bytes, past lintian, installed into an empty root, run and removed.
        cls.said = run(SOURCE / "scripts" / "package", "--test", BUILD, cls.folder)
        cls.packages = {path.name.split("_")[0]: path for path in cls.folder.glob("*.deb")}

    def files(self, package):
        rows = run("dpkg-deb", "-c", self.packages[package]).splitlines()
        return [row.split()[5] for row in rows if not row.endswith("/")]

    def test_installed_run_and_removed(self):
        self.assertIn("installed, run and removed without a trace", self.said)
        if shutil.which("lintian"):
            self.assertNotIn("lintian is not installed", self.said)
        else:
            print("lintian is not installed: the packages were not looked at")

    def test_contents(self):
        """All files but headers are listed; the headers are those of the modules, the platforms and the harness."""
        listed = {}
        for line in LISTED.read_text().splitlines():
            if line.endswith(":"):
                listed[line[:-1]] = []
            elif line and not line.startswith("#"):
                listed[list(listed)[-1]].append(line)
        self.assertEqual(sorted(listed), sorted(self.packages))
        for package, expected in listed.items():
            files = [re.sub(r"^\./usr/lib/[^/]*-linux-gnu[^/]*/", "./usr/lib/", file) for file in self.files(package)]
            self.assertEqual(expected, sorted(file for file in files if not file.startswith(HEADERS)), package)
        headers = [file[len(HEADERS):] for file in self.files("libtributary-dev") if file.startswith(HEADERS)]
        self.assertGreater(len(headers), 100)
        self.assertEqual([], [name for name in headers if not (SOURCE / name).is_file() or not name.endswith(".h")])

    def test_what_they_need(self):
        self.assertIn("libsystemc", run("dpkg-deb", "-f", self.packages["tributary"], "Depends"))
        self.assertIn("libsystemc-dev", run("dpkg-deb", "-f", self.packages["libtributary-dev"], "Depends"))
        root = self.folder / "root"
        run("dpkg-deb", "-x", self.packages["tributary"], root)
        self.assertNotIn("not stripped", run("file", root / "usr/bin/tributary"))

    def test_a_build_that_is_not_there(self):
        done = subprocess.run([SOURCE / "scripts" / "package", self.folder / "none"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("package: no build in ", done.stderr)


if __name__ == "__main__":
    main()
