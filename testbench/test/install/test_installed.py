"""Installs a build and uses it as a project outside would: find_package, pkg-config, add_subdirectory, Debian packages.

usage: test_installed.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]

The build must be complete (cmake --build BUILD_DIRECTORY).
"""
import json
import os
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
    """A scratch folder with an installed tree, and projects beside it."""

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
        """Builds an example with each compiler, once, and runs it: what it prints is the same."""
        said = set()
        for compiler in COMPILERS:
            build = self.configure(EXAMPLES / name, f"{name}.{compiler}", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                                   f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={STRICT}")
            run("cmake", "--build", build)
            for command in json.loads((build / "compile_commands.json").read_text()):
                self.assertIsNone(OURS.search(command["command"]), command["command"])
            said.add(run(build / name, *arguments, cwd=build))
            self.build = build
        self.assertEqual(len(said), 1, said)
        return said.pop()

    def quoted_output(self, name):
        """What the page of an example says that it prints."""
        return re.search(r"It prints\n\n```\n(.*?)```", (SOURCE / "docs/examples" / f"{name}.md").read_text(), re.DOTALL)[1]


class Installed(FromOutside):

    def test_the_command_runs_and_has_its_pages(self):
        tributary = self.prefix / "bin" / "tributary"
        self.assertIn("tributary", run(tributary, "--version"))
        self.assertIn("0 ", run(tributary, "run", "--size", "1KiB", "--gpus", "2"))
        pages = sorted(path.name for path in (self.prefix / "share/man/man1").iterdir())
        self.assertIn("tributary.1", pages)
        told = re.findall(r"^\.BR (tributary\S*) \(1\)", (self.prefix / "share/man/man1/tributary.1").read_text(), re.MULTILINE)
        self.assertEqual(sorted(["tributary.1"] + [name.replace("\\", "") + ".1" for name in told]), pages)
        self.assertIn("tributary-run.1", pages)
        for page in pages:
            text = (self.prefix / "share/man/man1" / page).read_text()
            command = page[:-2].partition("-")[2]
            for option in re.findall(r"--[a-z][a-z-]*", run(tributary, "help", *([command] if command else []))):
                self.assertIn(option.replace("-", r"\-"), text)
            if shutil.which("groff"):
                done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", self.prefix / "share/man/man1" / page], capture_output=True, check=False)
                self.assertEqual(done.stderr, b"")

    def complete(self, line):
        """What bash offers at the end of a line."""
        script = self.prefix / "share/bash-completion/completions/tributary"
        code = f'source {script}; PATH={self.prefix}/bin:$PATH; COMP_LINE="$1" COMP_POINT=${{#1}}; compopt() {{ :; }}; _tributary; printf "%s\\n" "${{COMPREPLY[@]}}"'
        return run("bash", "--norc", "-c", code, "bash", line).split()

    def test_completion(self):
        self.assertEqual(self.complete("tributary sch"), ["schedule"])
        self.assertEqual(self.complete("tributary run --alg"), ["--algorithm"])
        self.assertEqual(self.complete("tributary run --platform dg"), ["dgx2"])
        self.assertEqual(self.complete("tributary run --collective allreduce --algorithm pu"), ["push", "pull"])
        self.assertEqual(self.complete("tributary run --collective gather --algorithm "), ["direct"])
        self.assertEqual(self.complete("tributary run --set nvswitch.link.lat"), ["nvswitch.link.latency="])
        self.assertEqual(self.complete("tributary list par"), ["parameters"])
        self.assertEqual(self.complete("tributary run --engine e"), ["event"])
        self.assertEqual(self.complete("tributary run x"), [])  # a file
        # Probes level by level; what goes on ends in a dot.
        self.assertEqual(self.complete("tributary run --trace dg"), ["dgx2."])
        self.assertEqual(self.complete("tributary run --trace dgx2.switch0_2.port5.table.all"), ["dgx2.switch0_2.port5.table.allocations"])
        self.assertIn("dgx2.switch0_2.port5.table.", self.complete("tributary run --trace dgx2.switch0_2.port5."))
        self.assertIn("torus.nic0.nic.", self.complete("tributary run --platform torus:4x4 --trace torus.nic0."))
        self.assertEqual(self.complete("tributary run --trace dgx3."), [])
        tributary = self.prefix / "bin" / "tributary"
        for command in ("run", "sweep", "schedule", "list"):
            shown = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", run(tributary, "help", command), re.MULTILINE))
            self.assertEqual(shown - set(self.complete(f"tributary {command} --")), set())
        for shell, name in (("zsh", "zsh/vendor-completions/_tributary"), ("fish", "fish/vendor_completions.d/tributary.fish"), ("bash", "bash-completion/completions/tributary")):
            script = self.prefix / "share" / name
            self.assertEqual(script.read_text(), run(tributary, "completion", shell))
            if shutil.which(shell):
                run(shell, "-n", script)
        for option, word in (("--dtype", "bf16"), ("--op", "max"), ("--engine", "event"), ("--data", "random"), ("--log-level", "off")):
            self.assertIn(word, self.complete(f"tributary run {option} "))

    def test_archives_hold_machine_code(self):
        self.assertGreater(len(self.archives), 10)
        for archive in self.archives:
            symbols = run("nm", "-C", archive)
            self.assertNotIn("__gnu_lto_slim", symbols, archive.name)
        nvswitch = next(a for a in self.archives if a.name == "libtributary_nvswitch.a")
        self.assertIn(" T tributary::NvSwitch::NvSwitch(", run("nm", "-C", nvswitch))

    def test_headers_stand_alone(self):
        """What an architect includes needs nothing of the command line, and no folder but the installed one."""
        include = self.prefix / "include" / "tributary"
        self.assertEqual([], [str(p) for p in include.rglob("*") if p.is_file() and p.suffix != ".h"])
        for header in include.rglob("*.h"):
            for target in re.findall(r'^#include "([^"]+)"', header.read_text(), re.MULTILINE):
                self.assertTrue((include / target).is_file(), f"{header} includes {target}")
            for library in ("CLI/", "yaml", "nlohmann", "boost", "catch2"):
                self.assertNotRegex(header.read_text(), rf"#include <{library}", header)

    def test_one_switch(self):
        said = self.example("one_switch")
        self.assertRegex(said, r"^16000 packets by \d+ ps, 0 violations, \d+ signals\n$")
        self.assertIn("$enddefinitions", (self.build / "one_switch.vcd").read_text())
        self.assertGreater((self.build / "one_switch.vcd").stat().st_size, 100_000)
        self.assertTrue((self.build / "one_switch.vcd.gtkw").exists())

    def test_own_table(self):
        said = self.example("own_table")
        self.assertEqual(said, self.quoted_output("own_table"))
        counts = [[int(n) for n in re.findall(r" (\d+) (?:all|mer|com|evi|tim)", line)] for line in said.splitlines()[:4]]
        # Eight operands for each block: the first is inserted, the others are added. Four blocks in a set of two always miss.
        self.assertEqual(counts[:3], [[8, 56, 8, 0, 0], [8, 56, 8, 0, 0], [4, 28, 4, 0, 0]])
        self.assertEqual(counts[3], [32, 0, 0, 30, 2])
        self.assertIn("own.switch.port0.table: an operand of block 0", said.splitlines()[4])
        waveform = (self.build / "own_table.vcd").read_text()
        for scope in ("ours", "own"):
            self.assertRegex(waveform, rf"\$scope module {scope} \$end")

    def plugin(self, name, source):
        """A shared library of blocks, built from this text with the installed headers."""
        (self.folder / f"{name}.cpp").write_text(source)
        library = self.folder / f"{name}.so"
        run("g++", "-std=c++17", "-shared", "-fPIC", f"-I{self.prefix}/include/tributary", self.folder / f"{name}.cpp", "-o", library)
        return library

    def refused(self, plugin, *words):
        done = subprocess.run([self.prefix / "bin/tributary", "run", "--size", "1KiB", "--plugin", plugin], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
        for word in ("tributary: error: ", *words):
            self.assertIn(word, done.stderr)

    def test_what_is_no_plugin_is_refused_in_one_line(self):
        slot = "tributary::BlockSlot<std::function<std::unique_ptr<int>(int)>>"
        named = '#include "platforms/plugin.h"\nTRIBUTARY_PLUGIN(blocks) { blocks.add(%s{"%s"}, nullptr); }\n'
        table = "nvswitch.switch.reduction_table"
        self.refused("missing.so", "there is no plugin missing.so")
        self.refused(SOURCE / "README.md", "--plugin: plugin ", "cannot be loaded")
        self.refused(self.plugin("bare", "int nothing;\n"), "has no entry")
        self.refused(self.plugin("old", 'struct { const char* tag; void* add; } old{"tributary 0.0.9, plugin 1", nullptr};\n'
                                        'extern "C" void* tributary_plugin() { return &old; }\n'), "'tributary 0.0.9, plugin 1'", "legal: 'tributary ")
        self.refused(self.plugin("empty", '#include "platforms/plugin.h"\nTRIBUTARY_PLUGIN(blocks) {}\n'), "has no blocks")
        self.refused(self.plugin("unknown", named % (slot, "nvswitch.switch.reduction_tabel")), "unknown block", f"did you mean {table}")
        self.refused(self.plugin("elsewhere", named % (slot, "schedule_nic.nic.table")), "dgx2 has no block schedule_nic.nic.table", table)
        other = self.plugin("other", named % (slot, table))
        self.refused(other, table, "legal: built against this version")
        self.refused(f"{other}:nvswitch.gpu.dma", "unknown block 'nvswitch.gpu.dma'", "other.so")

    def plugged(self, library, *arguments, code=0, **options):
        """A push of 1 MiB on a DGX-2 with two entries a port, and what --json says of it."""
        run(self.prefix / "bin/tributary", "run", "--platform", "dgx2", "--collective", "allreduce", "--algorithm", "push", "--size", "1MiB",
            "--json", self.folder / "plugged.json", *(["--plugin", library] if library else []), *arguments, code=code, **options)
        return json.loads((self.folder / "plugged.json").read_text())

    def test_own_table_as_a_plugin(self):
        """At all 192 ports: the sums stay right, what a direct-mapped table evicts shows, and so do its own probes."""
        self.example("own_table")
        model = self.plugged(None)["results"][0]
        for compiler in COMPILERS:
            library = self.folder / f"own_table.{compiler}" / "libown_table_plugin.so"
            waveform = self.folder / "plugged.vcd"
            told = self.plugged(library, "--vcd", waveform, "--trace", "*.table.conflicts")
            self.assertEqual((told["plugins"], told["replaced_blocks"]), ([str(library)], ["nvswitch.switch.reduction_table"]))
            row = told["results"][0]
            self.assertEqual((row["status"], row["wrong"]), ("done", 0))
            self.assertGreater(row["counters"]["switch.evictions"], model["counters"]["switch.evictions"])
            # Every operand is inserted or added, whatever is evicted.
            self.assertEqual(row["counters"]["switch.merges"] + row["counters"]["switch.allocations"], 16 * 8192)
            self.assertGreater(waveform.read_text().count("\n1"), 1)
            self.assertEqual(self.plugged(f"{library}:nvswitch.switch.reduction_table")["results"], told["results"])
        scenario = self.folder / "plugged.yaml"
        scenario.write_text(f"plugin: {library}\n")
        self.assertEqual(self.plugged(None, scenario)["results"], told["results"])

    def test_a_plugin_in_sweeps_and_netlists(self):
        self.example("own_table")
        library = self.build / "libown_table_plugin.so"
        tributary = self.prefix / "bin" / "tributary"
        scenario, out = self.folder / "swept.yaml", self.folder / "swept"
        scenario.write_text(f"plugin: {library}\nsize: 64KiB\nparameters: {{ nvswitch.switch.reduction_table.bytes: [256B, 512B] }}\n")
        run(tributary, "sweep", scenario, "--out", out, "--quiet")
        points = [json.loads(point.read_text()) for point in (out / "points").glob("*.json")]
        self.assertEqual([(p["plugins"], p["results"][0]["wrong"]) for p in points], [([str(library)], 0)] * 2)
        before = run(tributary, "sweep", scenario, "--list")
        copy = self.folder / "copy.so"
        copy.write_bytes(library.read_bytes() + b"\0")  # another build of it
        scenario.write_text(scenario.read_text().replace(str(library), str(copy)))
        self.assertNotEqual(before.split()[1], run(tributary, "sweep", scenario, "--list").split()[1])
        self.assertIn("SetAssociativeTable", run(tributary, "netlist", "--plugin", library))
        self.assertIn("nvswitch.switch.reduction_table", run(tributary, "list", "blocks"))

    def test_a_plugin_that_leaks_is_named(self):
        self.example("own_table")
        done = subprocess.run([self.prefix / "bin/tributary", "run", "--algorithm", "push", "--size", "64KiB", "--quiet",
                               "--plugin", self.build / "libown_table_plugin.so"], capture_output=True, text=True, check=False,
                              env={**os.environ, "OWN_TABLE_LEAK": "dgx2.switch0_2.port5"})
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"dgx2\.switch0_2\.port5\.table: an operand of block \d+ has not come back")

    def test_own_testbench(self):
        said = self.example("own_testbench")
        self.assertEqual(said, self.quoted_output("own_testbench"))
        self.assertIn(" 0 wrong\n", said)
        # 2048 blocks of 16 operands each: one is inserted and 15 are added, unless the table has evicted the block.
        self.assertRegex(said, r"(?m)^ +30720 merges\n +2048 completions\n +0 evictions$")
        # Each GPU reads each of its blocks once.
        reads = re.search(r"(?m)^ +(\d+) reads in an open row, (\d+) elsewhere$", said)
        self.assertEqual(int(reads[1]) + int(reads[2]), 16 * 2048)

    def test_schedule_nic(self):
        said = self.example("schedule_nic")
        self.assertEqual(said, self.quoted_output("schedule_nic"))
        self.assertIn("0 wrong", said)
        self.assertIn(" step ", (self.build / "schedule_nic.vcd").read_text())

    def test_pkg_config(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(next(self.prefix.rglob("pkgconfig"))))
        flags = run("pkg-config", "--cflags", "--libs", "tributary", env=environment).split()
        self.assertIsNone(OURS.search(" ".join(flags)))
        program = self.folder / "by_pkg_config"
        run("g++", *STRICT.split(), EXAMPLES / "one_switch" / "main.cpp", "-o", program, *flags)
        self.assertIn("0 violations", run(program, self.folder / "p.vcd"))

    def test_a_component_that_is_not_there(self):
        source = self.folder / "wrong"
        source.mkdir()
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.23)\nproject(p LANGUAGES CXX)\nfind_package(Tributary REQUIRED COMPONENTS crossbar)\n")
        done = subprocess.run(["cmake", "-S", source, "-B", source / "b", f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("crossbar", done.stderr)

    def test_as_a_subproject(self):
        """Neither tests nor a build type nor flags of ours reach the project around; its targets see ours by the installed names."""
        source = self.folder / "around"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.24)\nproject(around LANGUAGES CXX)\nenable_testing()\n"
            f"add_subdirectory({SOURCE} tributary EXCLUDE_FROM_ALL)\n"
            "foreach(name base packet link switching nvswitch gpu nic platforms observe harness)\n"
            "  if(NOT TARGET Tributary::${name})\n    message(FATAL_ERROR ${name})\n  endif()\nendforeach()\n"
            "if(TARGET tributary OR CMAKE_BUILD_TYPE)\n  message(FATAL_ERROR \"more than the libraries: ${CMAKE_BUILD_TYPE}\")\nendif()\n"
            "add_executable(around main.cpp)\ntarget_link_libraries(around PRIVATE Tributary::base_sysc)\n")
        (source / "main.cpp").write_text('#include <iostream>\n#include <systemc>\n#include "modules/base/units.h"\n'
                                         'int sc_main(int, char**) { std::cout << tributary::parse_bytes("4KiB").value; return 0; }\n')
        build = self.configure(source, "around.build", f"-DCMAKE_CXX_FLAGS={STRICT}")
        run("cmake", "--build", build)
        self.assertEqual(run(build / "around").split()[-1], "4096")
        self.assertIn("Total Tests: 0", run("ctest", "--test-dir", build, "-N"))
        for command in json.loads((build / "compile_commands.json").read_text()):
            if command["file"].endswith("/modules/base/sysc/logging.cpp"):
                continue  # the one that is built with spdlog's definitions
            self.assertIsNone(OURS.search(command["command"]), command["command"])

    @unittest.skipUnless(shutil.which("dpkg-deb"), "no Debian packages here")
    def test_debian_packages(self):
        packages, root = self.folder / "packages", self.folder / "root"
        run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", packages)
        names = sorted(path.name.split("_")[0] for path in packages.glob("*.deb"))
        self.assertEqual(names, ["libtributary-dev", "tributary"])
        for package in packages.glob("*.deb"):
            run("dpkg-deb", "-x", package, root)
        self.assertIn("1024", run(root / "usr/bin/tributary", "run", "--size", "1KiB", "--gpus", "2"))
        for path in ("usr/share/man/man1/tributary.1", "usr/share/bash-completion/completions/tributary", "usr/share/doc/tributary/copyright",
                     "usr/share/doc/libtributary-dev/copyright", "usr/include/tributary/modules/nvswitch/nvswitch.h"):
            self.assertTrue((root / path).exists(), path)
        tool = next(packages.glob("tributary_*.deb"))
        self.assertIn("libsystemc", run("dpkg-deb", "-f", tool, "Depends"))
        self.assertIn("libsystemc-dev", run("dpkg-deb", "-f", next(packages.glob("lib*.deb")), "Depends"))
        self.assertNotIn("not stripped", run("file", root / "usr/bin/tributary"))


@unittest.skipUnless(shutil.which("verilator"), "no verilator here")
class RtlTable(FromOutside):
    def test_rtl_table(self):
        """A table in SystemVerilog: 10^5 random transactions against the C++ core, then at one port of a DGX-2."""
        said = self.example("rtl_table")
        self.assertEqual(said, self.quoted_output("rtl_table"))
        self.assertRegex(said, r"^scoreboard: 10000\d transactions, .*: RTL and C\+\+ agree\n")
        self.assertTrue(said.endswith(": every packet at the same picosecond\n"))
        waveform = (self.build / "rtl_table.vcd").read_text()
        for signal in ("lane0", "occupancy"):
            self.assertRegex(waveform, rf"\$var \w+ \d+ \S+ {signal}\b")
        self.assertRegex(waveform, r"\$scope module rtl \$end")
        # As a plugin at all ports, with tables as large as those of the model: the same run.
        told = []
        for plugin in ([], ["--plugin", self.build / "librtl_table_plugin.so"]):
            told.append(json.loads(run(self.prefix / "bin/tributary", "run", "--algorithm", "push", "--size", "32KiB", "--dtype", "i32", "--json", "-",
                                       "--set", "nvswitch.switch.reduction_table.bytes=4KiB", "--quiet", *plugin)))
        self.assertEqual(told[0]["results"], told[1]["results"])
        self.assertEqual((told[1]["results"][0]["wrong"], told[1]["replaced_blocks"]), (0, ["nvswitch.switch.reduction_table"]))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
