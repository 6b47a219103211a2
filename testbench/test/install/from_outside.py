"""Base of the tests of the installed tree: a scratch folder, and projects built in it.

The arguments of each test: BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]. The build must be complete.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
EXAMPLES = SOURCE / "testbench" / "examples"
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
STRICT = "-Wall -Wextra -Werror"  # flags of the user's own project
OURS = re.compile(r"-Wconversion|-Wshadow|-Wpedantic|-flto|-O3|--param|SPDLOG")


def run(*command, code=0, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class FromOutside(unittest.TestCase):
    """A scratch folder with an installed tree, and projects next to it."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.archives = sorted(cls.prefix.rglob("*.a"))

    def configure(self, source, name, *options):
        build = self.folder / name
        run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
        return build

    def example(self, name, *arguments):
        """Builds an example once with each compiler and runs it; the outputs are the same."""
        said = set()
        for compiler in COMPILERS:
            self.build = build = self.folder / f"{name}.{compiler}"
            if (build / name).exists():
                said.add(run(build / name, *arguments, cwd=build))
                continue
            build = self.configure(EXAMPLES / name, f"{name}.{compiler}", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                                   f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={STRICT}")
            run("cmake", "--build", build)
            for command in json.loads((build / "compile_commands.json").read_text()):
                self.assertIsNone(OURS.search(command["command"]), command["command"])
            said.add(run(build / name, *arguments, cwd=build))
        self.assertEqual(len(said), 1, said)
        return said.pop()

    def quoted_output(self, name):
        """The output of an example according to its page."""
        return re.search(r"It prints\n\n```\n(.*?)```", (SOURCE / "docs/examples" / f"{name}.md").read_text(), re.DOTALL)[1]


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
