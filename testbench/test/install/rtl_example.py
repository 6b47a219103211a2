"""Base of the tests of blocks in RTL: plug-ins that are built from an example in SystemVerilog, and runs with them."""
import json
import os
import re
import shutil
import subprocess
import unittest

from from_outside import EXAMPLES, STRICT, FromOutside, run


def some(*variants):
    """The last variant, or all in the nightly tests."""
    return variants if "TRIBUTARY_ALL_VARIANTS" in os.environ else variants[-1:]


def vcd_changes(file):
    """The changes of each signal of a waveform by name: times and binary values."""
    names, changes, now = {}, {}, 0
    for line in file.read_text().splitlines():
        if declared := re.fullmatch(r"\$var wire \d+ (\S+) (\S+) \$end", line):
            names[declared[1]] = declared[2]
        elif line.startswith("#"):
            now = int(line[1:])
        elif changed := re.fullmatch(r"b([01]+) (\S+)|([01])(\S+)", line):
            changes.setdefault(names[changed[2] or changed[4]], []).append((now, changed[1] or changed[3]))
    return changes


class BlockExample(FromOutside):
    NAME = ""  # name of the block
    EXAMPLE = None  # name of the example, if it differs
    FORM, SUFFIX = "rtl", ".sv"  # prefix of the example and of the library, suffix of the source
    OTHER_COUNTERS = ()  # those that differ from the model's

    def source(self, name, *changes):
        """A copy of the example with parts of its source replaced."""
        folder = self.folder / f"{self.NAME}.{name}"
        shutil.copytree(EXAMPLES / f"{self.FORM}_{self.EXAMPLE or self.NAME}", folder)
        source = folder / f"{self.NAME}{self.SUFFIX}"
        text = source.read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        source.write_text(text)
        return folder

    def plugin(self, name, *changes, options=()):
        """Builds the example, with parts of its source replaced; returns the library."""
        return self.built(self.source(name, *changes), name, *options)

    def sc_plugin(self, name, arguments, *changes):
        """Builds the example in RTL as a module of `verilator --sc`, with parts of its source replaced. `arguments`: those of tributary_rtl_block()."""
        folder = self.source(name, *changes)
        (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.23)\nproject({self.NAME} LANGUAGES CXX)\n"
                                               f"find_package(Tributary REQUIRED COMPONENTS rtl)\ntributary_rtl_block(NAME {self.NAME} SC {arguments})\n")
        return self.built(folder, name)

    def built(self, folder, name, *options):
        build = self.configure(folder, f"{self.NAME}.{name}.build", f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_FLAGS={STRICT}", *options)
        run("cmake", "--build", build)
        return build / f"lib{self.FORM}_{self.EXAMPLE or self.NAME}.so"

    def ran(self, *options, plugin=None, code=0, captured=True):
        """A run with the block, or with the model's: the results, and the capture of all frames, or the timeline of all packets where there are none."""
        base = list(self.RUN)
        for option in {"--dtype", "--platform", "--algorithm", "--size", "--data"} & set(options):
            place = base.index(option)
            del base[place:place + 2]
        capture = self.folder / "run.capture"
        has_frames, has_packets = (self.RUN[1].startswith(platforms) for platforms in (("rack", "spine_leaf"), ("dgx",)))
        frames = ["--pcap" if has_frames else "--perfetto-json", capture] if captured and (has_frames or has_packets) else []
        done = subprocess.run([str(word) for word in (self.prefix / "bin/tributary", "run", *base, "--quiet", "--json", self.folder / "run.json", *frames,
                                                      *(["--plugin", plugin] if plugin else []), *options)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        if code in (2, 3):
            return done.stderr
        results = json.loads((self.folder / "run.json").read_text())["results"]
        for row in results:
            row.pop("bottleneck", None)  # an estimate from parameters
            for counter in self.OTHER_COUNTERS:
                row["counters"].pop(counter)
        return results, capture.read_bytes() if frames else b""

    def equal(self, plugin, *options, model=(), rtl=(), captured=True):
        """In both modes the run with the block is that of the model, with right sums. `model` and `rtl`: options of one of them."""
        runs = [self.ran("--mode", mode, *options, *more, plugin=p, captured=captured) for mode in ("windowed", "event") for p, more in ((None, model), (plugin, rtl))]
        for results, capture in runs[1:]:
            self.assertEqual(results, runs[0][0])
            self.assertTrue(capture == runs[0][1], "the captures differ")  # a list of the differences would take minutes
        wrong = None if "--no-data" in options else 0
        self.assertEqual((runs[0][0][0]["status"], runs[0][0][0]["wrong"]), ("done", wrong))
        return runs[0][0][0]

    def record(self, *run_options, place, name="record"):
        """Records a block of the model in a run; returns the folder."""
        folder = self.folder / f"{self.NAME}.{name}"
        run(self.prefix / "bin/tributary", "run", *run_options, "--quiet", "--record-block", place, "--record", folder)
        return folder


@unittest.skipUnless(shutil.which("verilator"), "no verilator here")
class RtlExample(BlockExample):
    def bench(self, tool, record, *changes, **parameters):
        """The output of a generated test bench for a record, with parts of the source replaced; parameters are those of the bench."""
        if not shutil.which(tool):
            self.skipTest(f"no {tool} here")
        folder = self.source(f"bench{len(list(self.folder.iterdir()))}", *changes)
        top, readers = f"{self.NAME}_bench", self.prefix / "share/tributary/rtl"
        bench = folder / f"{top}.sv"
        run(self.prefix / "bin/tributary", "export", "pins", self.NAME, "--format", "bench", "--out", bench)
        beats = json.loads((record / "record.json").read_text())["beats"]
        values = {**beats["parameters"], **{key: f'"{value}"' if isinstance(value, str) else value for key, value in parameters.items()}}
        sources = [bench, *self.sources(folder), readers / "tributary_source.sv", readers / "tributary_sink.sv"]
        if tool == "iverilog":
            run(tool, "-g2012", f"-I{readers}", "-s", top, *(f"-P{top}.{key}={value}" for key, value in values.items()), "-o", folder / "bench", *sources)
        else:
            run(tool, "--binary", f"-I{readers}", "--top-module", top, *(f"-G{key}={value}" for key, value in values.items()), "--Mdir", folder / "made",
                "-o", folder / "bench", *sources)
        return run(folder / "bench", cwd=record)

    def sources(self, folder):
        """The sources of the block in an example, without those of benches; the block first."""
        block = folder / f"{self.NAME}.sv"
        return [block, *sorted(path for path in folder.glob("*.sv") if path != block and not path.stem.endswith("_bench"))]

    def agrees(self, tool, record, *changes, **parameters):
        """A bench finds no wrong beat in a record. `changes`: parts of the source that are replaced."""
        files = json.loads((record / "record.json").read_text())["beats"]["files"]
        beats = sum(file["beats"] for file in files if not file["to_block"] and file["unit"] == 0)
        self.assertGreater(beats, 0)
        self.assertEqual(self.bench(tool, record, *changes, **parameters).splitlines()[0], f"{beats} beats, 0 wrong")

    def ignores_initial_registers(self, plugin, record):
        """The answers to a record do not depend on values with which registers begin."""
        said = run(self.prefix / "bin/tributary", "replay", record, "--block", plugin, "--compare", "data", "--x-seeds", "2")
        self.assertEqual(said.splitlines()[-1], "registers: random values of 2 seeds, 0 different")

    def check_sources(self, **parameters):
        """Verilator and Icarus accept the source without a warning, and Yosys reads it. `parameters`: those of the block."""
        sources, include = self.sources(EXAMPLES / f"rtl_{self.EXAMPLE or self.NAME}"), f"-I{self.prefix}/share/tributary/rtl"
        read = f"read_verilog -defer -sv {include} {' '.join(map(str, sources))}; hierarchy -top {self.NAME}"
        for tool in (["verilator", "--lint-only", "-Wall", include, "--top-module", self.NAME, *(f"-G{key}={value}" for key, value in parameters.items()), *sources],
                     ["iverilog", "-g2012", "-Wall", include, "-s", self.NAME, *(f"-P{self.NAME}.{key}={value}" for key, value in parameters.items()), "-o", "/dev/null", *sources],
                     ["yosys", "-q", "-p", f"{read} {' '.join(f'-chparam {key} {value}' for key, value in parameters.items())}; proc"]):
            if shutil.which(tool[0]):
                done = subprocess.run([str(word) for word in tool], capture_output=True, text=True, check=False)
                said = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("Warning: Replacing memory")]
                self.assertEqual((done.returncode, said), (0, []), tool[0])


SC_PROJECT = """cmake_minimum_required(VERSION 3.23)
project(rtl_{name} LANGUAGES CXX)
find_package(Tributary REQUIRED COMPONENTS rtl)
tributary_rtl_block(NAME {name} SC {latency} SOURCES {sources} PARAMETERS {parameters} {more})
"""


class ScExample(RtlExample):
    """The examples in SystemVerilog as output of `verilator --sc`."""

    def plugin_sc(self, name, *changes, LATENCY=0, MORE="", **parameters):
        """Builds an example with pins in kernel time. `LATENCY`: as stated, in clocks; `MORE`: further arguments of the function."""
        folder = self.source(f"sc.{name}", *changes)
        sources = " ".join(path.name for path in self.sources(folder))
        (folder / "CMakeLists.txt").write_text(SC_PROJECT.format(
            name=self.NAME, latency=f"LATENCY {LATENCY}" if LATENCY else "", sources=sources, more=MORE,
            parameters=" ".join(f"{key}={value}" for key, value in parameters.items())))
        return self.built(folder, f"sc.{name}")
