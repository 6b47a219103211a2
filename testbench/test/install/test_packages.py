"""Debian packages: contents, dependences, links of the manual, licences; they install into an empty root, run there and are removed completely.

usage: test_packages.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]

The build must be complete (cmake --build BUILD_DIRECTORY). lintian and mandoc check the packages where they are installed.
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
# Folders of the source that the packages contain completely.
MANUAL = "./usr/share/doc/tributary/docs/"
EXAMPLES = "./usr/share/doc/libtributary-dev/testbench/examples/"
NOT_LISTED = (HEADERS, MANUAL, EXAMPLES)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("cpack"), "no Debian packages here")
class Packages(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        # Builds twice with equal bytes, runs lintian, installs into an empty root, runs, and removes.
        cls.said = run(SOURCE / "scripts" / "package", "--test", BUILD, cls.folder)
        cls.packages = {path.name.split("_")[0]: path for path in cls.folder.glob("*.deb")}

    def files(self, package):
        rows = run("dpkg-deb", "-c", self.packages[package]).splitlines()
        return [row.split()[5] for row in rows if not row.endswith("/")]

    def test_packages_install_run_and_are_removed(self):
        self.assertIn("installed, run and removed without a trace", self.said)
        if shutil.which("lintian"):
            self.assertNotIn("lintian is not installed", self.said)
        else:
            print("lintian is not installed: the packages were not checked")

    def test_packages_contain_the_listed_files(self):
        """All files but headers, manual and examples are listed; these are the files of the source."""
        listed = {}
        for line in LISTED.read_text().splitlines():
            if line.endswith(":"):
                listed[line[:-1]] = []
            elif line and not line.startswith("#"):
                listed[list(listed)[-1]].append(line)
        self.assertEqual(sorted(listed), sorted(self.packages))
        for package, expected in listed.items():
            files = [re.sub(r"^\./usr/lib/[^/]*-linux-gnu[^/]*/", "./usr/lib/", file) for file in self.files(package)]
            self.assertEqual(expected, sorted(file for file in files if not file.startswith(NOT_LISTED)), package)
        headers = [file[len(HEADERS):] for file in self.files("libtributary-dev") if file.startswith(HEADERS)]
        self.assertGreater(len(headers), 100)
        self.assertEqual([], [name for name in headers if not (SOURCE / name).is_file() or not name.endswith(".h")])

    def unpacked(self, package):
        root = self.folder / f"{package}.root"
        if not root.is_dir():
            run("dpkg-deb", "-x", self.packages[package], root)
        return root

    def test_manual_and_examples_are_complete(self):
        """The manual and the C++ examples are complete, and equal to the source."""
        for package, folder, source, left_out in (("tributary", MANUAL, "docs", ()), ("libtributary-dev", EXAMPLES, "testbench/examples", ("scenarios", "sweeps", "README.md"))):
            there = sorted(path.relative_to(SOURCE / source) for path in (SOURCE / source).rglob("*") if path.is_file())
            expected = [path for path in there if path.parts[0] not in left_out]
            root = self.unpacked(package) / folder
            self.assertEqual(expected, sorted(path.relative_to(root) for path in root.rglob("*") if path.is_file()))
            for path in expected:
                self.assertEqual((SOURCE / source / path).read_bytes(), (root / path).read_bytes(), path)

    def test_links_lead_to_files_of_the_package(self):
        """Each link of README, manual and examples leads to a file of the package."""
        root = (self.unpacked("tributary") / "usr/share/doc/tributary").resolve()
        followed = 0
        for page in sorted(root.rglob("*.md")):
            for target in LINK.findall(FENCE.sub("", page.read_text())):
                path = target.partition("#")[0]
                if path and not re.match(r"[a-z]+:", target):
                    self.assertTrue((page.parent / path).exists(), f"{page.relative_to(root)} links to {target}")
                    self.assertTrue((page.parent / path).resolve().is_relative_to(root), f"{page.relative_to(root)} links to {target}")
                    followed += 1
        self.assertGreater(followed, 200)

    def test_each_linked_library_has_a_licence(self):
        """Each library linked with the executable has a licence, and each licence has a text."""
        text = (self.unpacked("tributary") / "usr/share/doc/tributary/copyright").read_text()
        rows = dict(re.findall(r"(?m)^  (\S+).*?  (\S+)$", text))
        libraries = {"CBC": "EPL-2.0", "Cgl": "EPL-2.0", "Clp": "EPL-2.0", "Osi": "EPL-2.0", "CoinUtils": "EPL-2.0", "Boost": "BSL-1.0",
                     "CLI11": "BSD-3-clause", "nlohmann-json": "Expat", "protozero": "BSD-2-clause", "pugixml": "Expat", "spdlog": "Expat",
                     "fmt": "Expat", "libyaml": "Expat", "zlib": "Zlib", "OpenSSL": "Apache-2.0", "SystemC": "Apache-2.0"}
        for library, licence in libraries.items():
            self.assertEqual(rows.get(library), licence, library)
            self.assertRegex(text, rf"(?m)^License: {re.escape(licence)}\n ")
        self.assertIn("uPlot 1.6.32 (MIT)", text)

    @unittest.skipUnless(shutil.which("verilator"), "no verilator here")
    def test_a_block_in_rtl_builds_against_the_packages(self):
        both = self.folder / "both"
        for package in ("tributary", "libtributary-dev"):
            run("dpkg-deb", "-x", self.packages[package], both)
        example = self.folder / "rtl_combinator"
        shutil.copytree(both / EXAMPLES / "rtl_combinator", example)
        build = example / "build"
        run("cmake", "-S", example, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={both}/usr")
        run("cmake", "--build", build)
        command = both / "usr/bin/tributary", "run", "--platform", "rack:6", "--algorithm", "netreduce", "--size", "64KiB", "--dtype", "i32"
        done = run(*command, "--plugin", build / "librtl_combinator.so")
        self.assertIn("# with blocks of ", done)
        self.assertEqual([line for line in done.splitlines() if "65536" in line], [line for line in run(*command).splitlines() if "65536" in line])

    def test_the_dependences_are_declared(self):
        self.assertIn("libsystemc", run("dpkg-deb", "-f", self.packages["tributary"], "Depends"))
        self.assertIn("libsystemc-dev", run("dpkg-deb", "-f", self.packages["libtributary-dev"], "Depends"))
        self.assertNotIn("not stripped", run("file", self.unpacked("tributary") / "usr/bin/tributary"))

    def test_a_missing_build_is_an_error(self):
        done = subprocess.run([SOURCE / "scripts" / "package", self.folder / "none"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("package: no build in ", done.stderr)


if __name__ == "__main__":
    main()
