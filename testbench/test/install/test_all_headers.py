"""Every installed header compiles: all in one source, in both orders; and with `each` as the last argument, each alone.

usage: test_all_headers.py BUILD_DIRECTORY SOURCE_DIRECTORY [each] [unittest arguments]
"""
import concurrent.futures
import os
import subprocess
import sys

EACH = "each" in sys.argv[3:]
sys.argv = [word for word in sys.argv if word != "each"]

from from_outside import COMPILERS, FromOutside, main  # noqa: E402  (reads sys.argv)


class AllHeaders(FromOutside):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.include = cls.prefix / "include" / "tributary"
        cls.headers = sorted(str(path.relative_to(cls.include)) for path in cls.include.rglob("*.h"))

    def errors(self, compiler, name, headers):
        """Returns what the compiler says of a source with these headers."""
        source = self.folder / f"{name}.{compiler}.cpp"
        source.write_text("".join(f'#include "{header}"\n' for header in headers) + "int main() {}\n")
        warnings = ["-Wall", "-Wextra", "-Werror", "-I"] if compiler == "g++" else ["-isystem"]  # imported targets are system folders
        done = subprocess.run([compiler, "-std=c++17", "-fsyntax-only", *warnings, self.include, source], capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else f"{compiler} {name}:\n{done.stderr[:2000]}"

    def test_the_manifest_is_complete(self):
        self.assertGreater(len(self.headers), 350)
        for header in ("modules/base/sysc/payload_access.h", "modules/base/sysc/at_target.h", "platforms/nvswitch/blocks.h", "platforms/netreduce/blocks.h",
                       "testbench/observe/waveform.h", "testbench/harness/protocol_monitor.h"):
            self.assertIn(header, self.headers)

    def test_the_headers_compile(self):
        """A test that is skipped would mark the whole program as skipped."""
        if EACH:
            jobs = [(header.replace("/", "_"), [header]) for header in self.headers]
        else:
            jobs = [("ascending", self.headers), ("descending", self.headers[::-1])]
        jobs = [(compiler, *job) for compiler in COMPILERS for job in jobs]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [error for error in pool.map(lambda job: self.errors(*job), jobs) if error]
        self.assertEqual("\n".join(found), "")


if __name__ == "__main__":
    main()
