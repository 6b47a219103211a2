"""Installs a build and uses it as an external project does: find_package, pkg-config, add_subdirectory.

usage: test_installed.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]

The build must be complete (cmake --build BUILD_DIRECTORY).
"""
import json
import os
import re
import shutil
import subprocess
import unittest

from from_outside import BUILD, EXAMPLES, OURS, SOURCE, STRICT, FromOutside, main, run

# Platform, algorithm and message of each system, as on the page of the library.
SYSTEMS = (("dgx2", "push", "1MiB"), ("torus:4x4", "multitree", "1MiB"), ("rack:6", "netreduce", "1MiB"), ("dgx1v", "blink", "64MiB"))


class Installed(FromOutside):

    def test_the_command_runs_and_has_its_manual_pages(self):
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
        """The completions of bash at the end of a line."""
        script = self.prefix / "share/bash-completion/completions/tributary"
        code = f'source {script}; PATH={self.prefix}/bin:$PATH; COMP_LINE="$1" COMP_POINT=${{#1}}; compopt() {{ :; }}; _tributary; printf "%s\\n" "${{COMPREPLY[@]}}"'
        return run("bash", "--norc", "-c", code, "bash", line).split()

    def test_bash_completes_commands_options_and_probes(self):
        self.assertEqual(self.complete("tributary sch"), ["schedule"])
        self.assertEqual(self.complete("tributary run --alg"), ["--algorithm"])
        self.assertEqual(self.complete("tributary run --platform dg"), ["dgx2", "dgx1p", "dgx1v"])
        self.assertEqual(self.complete("tributary run --collective allreduce --algorithm pu"),
                         ["push", "pull", "pull_ring", "pull_tree", "pull_netreduce"])
        self.assertEqual(self.complete("tributary run --collective gather --algorithm "), ["direct", "blink"])
        self.assertEqual(self.complete("tributary run --set nvswitch.link.lat"), ["nvswitch.link.latency="])
        self.assertEqual(self.complete("tributary list par"), ["parameters"])
        self.assertEqual(self.complete("tributary run --mode e"), ["event"])
        self.assertEqual(self.complete("tributary run x"), [])  # a file
        # Probes are completed level by level; an incomplete name ends in a dot.
        self.assertEqual(self.complete("tributary run --trace dg"), ["dgx2."])
        self.assertEqual(self.complete("tributary run --trace dgx2.switch0_2.port5.table.all"), ["dgx2.switch0_2.port5.table.allocations"])
        self.assertIn("dgx2.switch0_2.port5.table.", self.complete("tributary run --trace dgx2.switch0_2.port5."))
        self.assertIn("torus.nic0.nic.", self.complete("tributary run --platform torus:4x4 --trace torus.nic0."))
        self.assertEqual(self.complete("tributary run --trace dgx3."), [])
        tributary = self.prefix / "bin" / "tributary"
        for command in ("run", "sweep", "train", "schedule", "estimate", "list"):
            shown = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", run(tributary, "help", command), re.MULTILINE))
            self.assertEqual(shown - set(self.complete(f"tributary {command} --")), set())
        for shell, name in (("zsh", "zsh/vendor-completions/_tributary"), ("fish", "fish/vendor_completions.d/tributary.fish"), ("bash", "bash-completion/completions/tributary")):
            script = self.prefix / "share" / name
            self.assertEqual(script.read_text(), run(tributary, "completion", shell))
            if shutil.which(shell):
                run(shell, "-n", script)
        for option, word in (("--dtype", "bf16"), ("--op", "max"), ("--mode", "event"), ("--data", "random"), ("--log-level", "off")):
            self.assertIn(word, self.complete(f"tributary run {option} "))

    def test_archives_hold_machine_code(self):
        self.assertGreater(len(self.archives), 10)
        for archive in self.archives:
            symbols = run("nm", "-C", archive)
            self.assertNotIn("__gnu_lto_slim", symbols, archive.name)
        nvswitch = next(a for a in self.archives if a.name == "libtributary_nvswitch.a")
        self.assertIn(" T tributary::NvSwitch::NvSwitch(", run("nm", "-C", nvswitch))

    def test_the_manual_lists_all_targets(self):
        exported = re.findall(r"^add_library\(Tributary::(\w+)", next(self.prefix.rglob("TributaryTargets.cmake")).read_text(), re.MULTILINE)
        page = (SOURCE / "docs/library.md").read_text()
        cells = " ".join(re.findall(r"^\| (`Tributary::.*?) \|", page, re.MULTILINE))
        self.assertEqual(sorted(re.findall(r"`(?:Tributary::)?(\w+)`", cells)), sorted(exported + ["by_name"]))

    def test_headers_are_self_contained(self):
        """Headers for architects need no headers of the command line, and no folder but the installed one."""
        include = self.prefix / "include" / "tributary"
        self.assertEqual([], [str(p) for p in include.rglob("*") if p.is_file() and p.suffix != ".h"])
        for header in include.rglob("*.h"):
            for target in re.findall(r'^#include "([^"]+)"', header.read_text(), re.MULTILINE):
                self.assertTrue((include / target).is_file(), f"{header} includes {target}")
            for library in ("CLI/", "yaml", "nlohmann", "boost", "catch2"):
                self.assertNotRegex(header.read_text(), rf"#include <{library}", header)

    def test_the_example_one_switch_runs(self):
        said = self.example("one_switch")
        self.assertRegex(said, r"^16000 packets by \d+ ps, 0 violations, \d+ signals\n$")
        self.assertIn("$enddefinitions", (self.build / "one_switch.vcd").read_text())
        self.assertGreater((self.build / "one_switch.vcd").stat().st_size, 100_000)
        self.assertTrue((self.build / "one_switch.vcd.gtkw").exists())

    def test_the_example_own_table_runs(self):
        said = self.example("own_table")
        self.assertEqual(said, self.quoted_output("own_table"))
        counts = [[int(n) for n in re.findall(r" (\d+) (?:all|mer|com|evi|tim)", line)] for line in said.splitlines()[:4]]
        # Eight operands for each block: the first is inserted, the others are added. Four blocks in a set of two always
        # miss.
        self.assertEqual(counts[:3], [[8, 56, 8, 0, 0], [8, 56, 8, 0, 0], [4, 28, 4, 0, 0]])
        self.assertEqual(counts[3], [32, 0, 0, 30, 2])
        self.assertIn("own.switch.port0.table: an operand of block 0", said.splitlines()[4])
        waveform = (self.build / "own_table.vcd").read_text()
        for scope in ("ours", "own"):
            self.assertRegex(waveform, rf"\$scope module {scope} \$end")

    def test_the_example_own_testbench_runs(self):
        said = self.example("own_testbench")
        self.assertEqual(said, self.quoted_output("own_testbench"))
        self.assertIn(" 0 wrong\n", said)
        # 2048 blocks of 16 operands each: one is inserted and 15 are added, unless the table has evicted the block.
        self.assertRegex(said, r"(?m)^ +30720 merges\n +2048 completions\n +0 evictions$")
        # Each GPU reads each of its blocks once.
        reads = re.search(r"(?m)^ +(\d+) reads in an open row, (\d+) elsewhere$", said)
        self.assertEqual(int(reads[1]) + int(reads[2]), 16 * 2048)

    def test_the_example_own_accelerator_runs(self):
        said = self.example("own_accelerator")
        self.assertEqual(said, self.quoted_output("own_accelerator"))
        self.assertIn(" 0 wrong\n", said)
        # Seven messages of 170 packets; each slot has an operand of each of four hosts, each message four headers.
        self.assertRegex(said, r"(?m)^ +1190 slots completed$")
        reads = re.search(r"(?m)^ +(\d+) reads in an open row, (\d+) elsewhere$", said)
        self.assertEqual(int(reads[1]) + int(reads[2]), 4 * 1190 + 4 * 7)

    def test_the_example_own_copy_engine_runs(self):
        said = self.example("own_copy_engine")
        self.assertEqual(said, self.quoted_output("own_copy_engine"))
        self.assertEqual(said.count(" 0 wrong\n"), 2)

    def test_the_example_schedule_nic_runs(self):
        said = self.example("schedule_nic")
        self.assertEqual(said, self.quoted_output("schedule_nic"))
        self.assertIn("0 wrong", said)
        self.assertIn(" step ", (self.build / "schedule_nic.vcd").read_text())

    def test_the_example_collective_by_name_runs(self):
        """On each of the four systems it ends at the picosecond of the command line."""
        page = (SOURCE / "docs/library.md").read_text()
        expected = re.findall(r"^from \d+ ps.*$", page, re.MULTILINE)
        self.assertEqual(len(expected), 2 * len(SYSTEMS))
        for place, (platform, algorithm, size) in enumerate(SYSTEMS):
            said = self.example("collective_by_name", platform, algorithm, size)
            self.assertEqual(said.splitlines(), expected[2 * place:2 * place + 2])
            times = re.findall(r": (\d+) ps, .* 0 wrong$", said, re.MULTILINE)
            run_file = self.folder / "run.json"
            run(self.prefix / "bin" / "tributary", "run", "--platform", platform, "--algorithm", algorithm, "--size", size, "--json", run_file)
            time = json.loads(run_file.read_text())["results"][0]["time_ns"]
            self.assertEqual(times, [str(round(1000 * time))] * 2)
        wrong = subprocess.run([self.build / "collective_by_name", "dgx2", "pish"], capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("unknown allreduce algorithm 'pish'", wrong.stderr.splitlines()[-1])

    def test_pkg_config_gives_the_flags_of_collectives_by_name(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(next(self.prefix.rglob("pkgconfig"))))
        flags = run("pkg-config", "--cflags", "--libs", "tributary-by-name", env=environment).split()
        self.assertIsNone(OURS.search(" ".join(flags)))
        program = self.folder / "named_by_pkg_config"
        run("g++", *STRICT.split(), EXAMPLES / "collective_by_name" / "main.cpp", "-o", program, *flags)
        self.assertIn(" 0 wrong", run(program, "torus:2x2", "multitree", "64KiB"))

    def test_pkg_config_gives_the_flags(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(next(self.prefix.rglob("pkgconfig"))))
        flags = run("pkg-config", "--cflags", "--libs", "tributary", env=environment).split()
        self.assertIsNone(OURS.search(" ".join(flags)))
        program = self.folder / "by_pkg_config"
        run("g++", *STRICT.split(), EXAMPLES / "one_switch" / "main.cpp", "-o", program, *flags)
        self.assertIn("0 violations", run(program, self.folder / "p.vcd"))

    def test_a_missing_component_is_an_error(self):
        source = self.folder / "wrong"
        source.mkdir()
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.23)\nproject(p LANGUAGES CXX)\nfind_package(Tributary REQUIRED COMPONENTS crossbar)\n")
        done = subprocess.run(["cmake", "-S", source, "-B", source / "b", f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("crossbar", done.stderr)

    def test_another_standard_is_refused(self):
        """Debian's SystemC does not link with C++20: one line at configuration instead of an error of the linker."""
        source = self.folder / "standard"
        source.mkdir()
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.23)\nproject(p LANGUAGES CXX)\nfind_package(Tributary REQUIRED)\n")
        for standard, code in ((17, 0), (20, 1)):
            done = subprocess.run(["cmake", "-S", source, "-B", source / f"b{standard}", f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_STANDARD={standard}"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^ *SystemC is built as C\+\+17: set CMAKE_CXX_STANDARD to 17, not 20$")

    def test_it_works_as_a_subproject(self):
        """Our tests, build type and flags do not affect the enclosing project; its targets use ours by the installed names."""
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
            if "/modules/base/sysc/" in command["file"]:
                continue  # the only library built with spdlog's definitions
            self.assertIsNone(OURS.search(command["command"]), command["command"])


if __name__ == "__main__":
    main()
