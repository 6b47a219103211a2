"""A combinator in SystemVerilog as a plug-in: the runs of the model, to the picosecond.

usage: test_rtl_combinator.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import re
import subprocess

from from_outside import main, run
from rtl_example import RtlExample, some, vcd_changes

ADDER = "add[32*lane+:32] = a[32*lane+:32] + b[32*lane+:32];"


class CombinatorExample(RtlExample):
    NAME = "combinator"
    FLOATS = ("parameter int FLOAT = 0 ", "parameter int FLOAT = 1 ")

    def corners(self, case):
        """Stimulus of f32 for six ranks, with the answers of the model's own block."""
        folder = self.folder / case
        if not folder.exists():
            run(self.prefix / "bin/tributary", "stimulus", "netreduce.accelerator.combinator", "--case", case, "--operands", "6", "-o", folder)
        return folder


class RtlCombinator(CombinatorExample):
    RUN = ("--platform", "rack:6", "--algorithm", "netreduce", "--size", "1MiB", "--dtype", "i32")

    def test_the_run_with_rtl_is_that_of_the_model(self):
        """1 + 3 x ADD_CYCLES registers, and `add_cycles` of the model."""
        ends = [self.equal(self.plugin(f"adders{cycles}", options=[f"-DADD_CYCLES={cycles}"]), "--set", f"netreduce.accelerator.add_cycles={cycles}")["time_ns"]
                for cycles in some(2, 11)]
        # 27 clocks of 3103 ps more, once: later slots are in the pipeline meanwhile.
        self.assertAlmostEqual(ends[-1] - ends[0], (len(ends) - 1) * 27 * 3.103, delta=3.103)
        plugin = self.folder / "combinator.adders11.build" / "librtl_combinator.so"
        self.assertNotEqual(self.ran("--set", "netreduce.accelerator.add_cycles=2"), self.ran("--set", "netreduce.accelerator.add_cycles=2", plugin=plugin))
        self.refused("rack.accelerator.combinator: the block in RTL has no type f32 (legal: i32)", "--dtype", "f32", plugin=plugin)
        self.refused("has RANKS=6, and a slot has 8 operands", "--platform", "rack:8", plugin=plugin)
        self.assertEqual(self.bottleneck(plugin), self.bottleneck(plugin, "--set", "netreduce.accelerator.add_cycles=2"))
        self.equal(plugin, "--no-data")
        self.check_replay(plugin)
        self.check_first_waveform(plugin)

    SMALL = ("--platform", "rack:6", "--algorithm", "netreduce", "--size", "64KiB", "--dtype", "i32")

    def check_replay(self, plugin):
        """The record of another combinator: the parameter of the model is that of the RTL. Stalls change no contents."""
        record = self.record(*self.SMALL, "--set", "netreduce.accelerator.add_cycles=2", place="*.combinator", name="replay")
        replay = (self.prefix / "bin/tributary", "replay", record, "--block", plugin)
        said = run(*replay, "--compare", "data").splitlines()
        self.assertRegex(said[0], r" [0-9]+ transactions, 0 different; beyond the nominal times: interval 0 ps \(0 clocks\); latency 102399 ps \(33 clocks\)$")
        self.assertEqual(said[1:], ["model: --set netreduce.accelerator.add_cycles=11"])
        for seed in (1, 2):
            self.assertRegex(run(*replay, "--stall", "40", "--seed", seed), " 0 different; ")
        self.assertIn("\nregisters: random values of 2 seeds, 0 different\n", run(*replay, "--compare", "data", "--x-seeds", "2"))

    def check_first_waveform(self, plugin):
        """Adders of 2 clocks next to RTL with 11: the pins from the first request on, 34 clocks after which its sum leaves."""
        said = self.shadow(plugin, "--set", "netreduce.accelerator.add_cycles=2")
        begin = int(re.search(r"time (\d+) ps  request 0:", said)[1])
        changes = vcd_changes(self.folder / "waves" / "combinator_first.vcd")
        edges = [time for time, value in changes["rtl.clk"] if value == "1"]
        # A slot has 16 beats; the first leaves after 34 clocks.
        clocks = 34 + 16
        self.assertEqual((edges[0], edges[clocks - 1], len(edges)), (begin, begin + (clocks - 1) * 3103, clocks + 64))
        for pin, clock in (("s_valid", 0), ("s_last", 15), ("m_valid", 34), ("m_last", 34 + 15)):
            self.assertEqual(next(time for time, value in changes[f"rtl.{pin}"] if value == "1"), begin + clock * 3103, pin)
        self.assertTrue(any(len(value) == 512 and "1" in value for _, value in changes["rtl.m_data"]))

    def shadow(self, plugin, *options):
        """The screen of a run in which the block differs from the model; files of the first difference are in `waves`."""
        (self.folder / "waves").mkdir(exist_ok=True)
        return run(self.prefix / "bin/tributary", "run", *self.SMALL, "--shadow", plugin, "--shadow-dir", self.folder / "waves", *options, code=1)

    def test_a_bench_in_icarus_agrees_with_a_record_and_finds_a_broken_lane(self):
        record = self.record(*self.SMALL, place="*.combinator")
        self.agrees("iverilog", record, COMPARE="exact")
        self.agrees("iverilog", record, MODE="fast", STALL=30)
        said = self.bench("iverilog", record, (ADDER, ADDER.replace("a[", "(lane == 9 ? 32'd4 : 32'd0) + a["))).splitlines()
        self.assertEqual(said[0], "answers.txt: beat 0 differs")
        beats = said[-1].split(" ")[0]
        self.assertEqual(said[-1], f"{beats} beats, {beats} wrong")

    def test_adders_of_floats_in_icarus_agree_with_special_numbers(self):
        self.agrees("iverilog", self.corners("f32_corners"), self.FLOATS, COMPARE="exact")

    def test_a_bench_in_verilator(self):
        record = self.record(*self.SMALL, place="*.combinator")
        self.agrees("verilator", record, COMPARE="exact")
        self.agrees("verilator", record, MODE="fast", STALL=30)
        said = self.bench("verilator", record, (ADDER, ADDER.replace("a[", "(lane == 9 ? 32'd4 : 32'd0) + a["))).splitlines()
        self.assertEqual(said[0], "answers.txt: beat 0 differs")

    def refused(self, line, *options, plugin):
        """Nothing runs, and the reason is one line."""
        said = self.ran(*options, plugin=plugin, code=2)
        self.assertIn(line, said)
        self.assertEqual(len(said.splitlines()), 1, said)

    def bottleneck(self, plugin, *options):
        """The bottleneck of a run with RTL, to which parameters of the model's adders add nothing."""
        run(self.prefix / "bin/tributary", "run", *self.RUN, "--quiet", "--json", self.folder / "run.json", "--plugin", plugin, *options)
        return json.loads((self.folder / "run.json").read_text())["results"][0]["bottleneck"]

    def test_a_broken_lane_gives_wrong_sums(self):
        plugin = self.plugin("lane", (ADDER, ADDER.replace(";", " ^ (lane == 3 ? 32'd1 : 32'd0);")))
        results, _ = self.ran("--check-blocks", "off", plugin=plugin, code=1)
        self.assertEqual(results[0]["status"], "wrong")
        # Each sum passes five adders; the root alone flips bit 0 of a lane in 16, in the elements of all six hosts.
        self.assertGreater(results[0]["wrong"], 6 * 262144 / 32)
        self.assertIn("rack.accelerator.combinator breaks the rule `data` at ", self.ran(plugin=plugin, code=3))

    def test_a_slot_that_disturbs_an_earlier_one_is_named(self):
        """The last stage loses a bit while a beat enters: right alone, wrong with the next slot in the pipeline."""
        plugin = self.plugin("hazard", ("assign m_data = node[LEVELS][0];", "assign m_data = node[LEVELS][0] ^ {511'd0, s_valid};"))
        self.assertIn("rack.accelerator.combinator breaks the rule `overlap`: beat ", self.ran(plugin=plugin, code=3))

    def test_a_register_without_a_reset_is_found_by_random_values(self):
        """Zeros give right sums. A register that nothing sets is added to element 0 of each beat, whose first is byte 16 of the slot's data."""
        record = self.record(*self.SMALL, place="*.combinator", name="x")
        replay = (self.prefix / "bin/tributary", "replay", record, "--compare", "data", "--block")
        plugin = self.plugin("register", ("assign m_data = node[LEVELS][0];",
                                          "logic [31:0] unset;\n  always_ff @(posedge clk) if (!s_valid && m_valid && !s_ready) unset <= s_data[31:0];\n"
                                          "  assign m_data = {node[LEVELS][0][511:32], node[LEVELS][0][31:0] + unset};"))
        self.assertRegex(run(*replay, plugin), " 0 different; ")
        said = run(*replay, plugin, "--x-seeds", "2", code=1).splitlines()[-1]
        # Beat 0 begins with 16 bytes that are no elements, so element 0 of beat 1 is the first: byte 64, sum[12].
        self.assertRegex(said, r"^registers: random values of seed 1 differ first in request 0: sum\[12\] \(byte 64\) is -?\d+ in place of -?\d+ \(\d+ differences\)$")
        plugin = self.plugin("valid", ("if (!rst_n) valid <= 0;\n    else if (move)", "if (move)"))
        self.assertRegex(run(*replay, plugin), " 0 different; ")
        done = subprocess.run([str(word) for word in (*replay, plugin, "--x-seeds", "2")], capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (1, 3), done.stdout)
        self.assertRegex((done.stdout + done.stderr).splitlines()[-1], "seed[ 12:].*: replay_seed[12].block breaks the rule `(reset|order)`: ")

    def test_signals_within_the_rtl_are_traced(self):
        """Slots overlap in the adders, and the trace shows them together. The run is that of the model. Without the option nothing is written."""
        folder = self.source("trace")
        cmake = folder / "CMakeLists.txt"
        cmake.write_text(cmake.read_text().replace("OPS sum)", "OPS sum TRACE)"))
        plugin = self.built(folder, "trace")
        waves = self.folder / "traced"
        waves.mkdir()
        command = (self.prefix / "bin/tributary", "run", *self.SMALL, "--quiet", "--json", self.folder / "run.json")
        rows = []
        for options in ((), ("--trace-rtl", "*.combinator")):
            self.assertEqual(list(waves.iterdir()), [])
            run(*command, "--plugin", plugin, *options, cwd=waves)
            rows.append(json.loads((self.folder / "run.json").read_text())["results"])
        self.assertEqual(rows[0][0]["status"], "done")
        self.assertEqual(rows[1], rows[0])
        trace = waves / "rack.accelerator.combinator.vcd"
        self.assertEqual(list(waves.iterdir()), [trace])
        text = trace.read_text()
        self.check_chosen_traces(plugin, command, waves)
        self.assertIn("$timescale", text)
        self.assertRegex(text, r"\$var wire +34 \S+ valid \[33:0\] \$end")
        codes = {name: code for code, name in re.findall(r"\$var wire +1 (\S+) (s_valid|m_valid) \$end", text)}
        times, now, changes = [], 0, {"s_valid": [], "m_valid": []}
        for line in text[text.index("$enddefinitions"):].splitlines():
            if line.startswith("#"):
                now = int(line[1:])
                times.append(now)
            for name, code in codes.items():
                if line in (f"1{code}", f"0{code}"):
                    changes[name].append((now, line[0] == "1"))
        self.assertEqual(times, sorted(set(times)))
        rises = {name: [time for time, high in all if high] for name, all in changes.items()}
        # 170 slots. Inputs change half a clock before their edge, outputs at the edge before the one that samples them.
        self.assertEqual(len(rises["s_valid"]), len(rises["m_valid"]))
        for begin, end in zip(rises["s_valid"], rises["m_valid"]):
            self.assertIn(end - begin - 33 * 3103, (1551, 1552))

    def check_chosen_traces(self, plugin, command, waves):
        """A shadow and a replay write theirs into a folder; a glob without a block is refused."""
        folder = waves / "folder"
        folder.mkdir()
        run(*command, "--shadow", plugin, "--trace-rtl", "*_shadow", "--trace-rtl-dir", folder, cwd=waves)
        self.assertEqual([path.name for path in folder.iterdir()], ["rack.accelerator.combinator_shadow.block.vcd"])
        record = self.record(*self.SMALL, place="*.combinator", name="traced")
        run(self.prefix / "bin/tributary", "replay", record, "--block", plugin, "--trace-rtl", "replay", "--trace-rtl-dir", folder)
        self.assertTrue((folder / "replay.block.vcd").exists())
        done = subprocess.run([str(word) for word in (*command, "--plugin", plugin, "--trace-rtl", "*.combinatr")], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "tributary: error: --trace-rtl: no block in RTL with TRACE has the name '*.combinatr'; did you mean "
                                                             "rack.accelerator.combinator? (there are 1)\n"))

    def test_a_missing_pin_is_named(self):
        folder = self.source("pins")
        (folder / "combinator.sv").write_text("module combinator (input logic clk, input logic rst_n, output logic s_ready);\n  assign s_ready = clk && rst_n;\nendmodule\n")
        cmake = folder / "CMakeLists.txt"
        cmake.write_text(cmake.read_text().replace("PARAMETERS RANKS=6 ADD_CYCLES=${ADD_CYCLES} FLOAT=${FLOAT} ", ""))
        build = self.configure(folder, "combinator.pins.build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        done = subprocess.run([self.prefix / "bin/tributary", "run", *self.RUN, "--plugin", build / "librtl_combinator.so"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn("has no pin `s_valid` of 1 bit, has no pin `s_last` of 1 bit", done.stderr)

    def test_tools_accept_the_source(self):
        self.check_sources(FLOAT=0)
        self.check_sources(FLOAT=1)


class FloatCombinator(CombinatorExample):
    """The combinator with adders of f32."""
    RUN = ("--platform", "rack:6", "--algorithm", "netreduce", "--size", "256KiB", "--dtype", "f32", "--data", "random")
    MODEL = ("--set", "netreduce.accelerator.add_cycles=11")

    def test_floats_are_those_of_the_model(self):
        """Random numbers show the order of the adders: equal bits, in a run and as a shadow, need the tree of the model."""
        plugin = self.plugin("adders", options=["-DFLOAT=1"])
        self.equal(plugin, *self.MODEL)
        shadow = (self.prefix / "bin/tributary", "run", *self.RUN, *self.MODEL, "--shadow", plugin, "--shadow-dir", self.folder)
        for mode in ("windowed", "event"):
            run(*shadow, "--mode", mode, "--json", self.folder / "shadow.json")
            (place,) = json.loads((self.folder / "shadow.json").read_text())["shadow"]
            self.assertEqual((place["compared"], place["different"]), (340, 0))
        # The order of a chain differs in the last bits of some sums.
        said = run(*shadow, "--set", "netreduce.accelerator.order=chain", "--shadow-compare", "data", code=1)
        self.assertIn("\n  sum[", said)
        self.check_replays(plugin)
        self.assertIn("rack.accelerator.combinator: the block in RTL has no type i32 (legal: f32)",
                      self.ran("--dtype", "i32", "--data", "exact", plugin=plugin, code=2))

    def check_replays(self, plugin):
        """A record of random numbers, and stimulus with subnormal numbers, infinities and NaNs."""
        replay = (self.prefix / "bin/tributary", "replay")
        said = run(*replay, self.record(*self.RUN, *self.MODEL, place="*.combinator"), "--block", plugin)
        self.assertIn(" transactions, 0 different; ", said)
        for case in ("special_floats", "f32_corners", "gaps"):
            said = run(*replay, self.corners(case), "--block", plugin)
            self.assertIn(" transactions, 0 different; ", said)
            self.assertIn("latency 102399 ps (33 clocks)", said)
        self.assertIn(" 0 different; ", run(*replay, self.folder / "f32_corners", "--block", plugin, "--stall", "40"))
        self.ignores_initial_registers(plugin, self.folder / "f32_corners")

    def test_a_bench_in_verilator(self):
        self.agrees("verilator", self.corners("f32_corners"), self.FLOATS, COMPARE="exact")
        self.agrees("verilator", self.corners("special_floats"), self.FLOATS, MODE="fast", STALL=30)

    def test_the_adder_is_that_of_the_host(self):
        """The bench of the adder alone; a wrong tie, a lost sticky bit, flushed subnormal numbers and a NaN of a sign are found."""
        self.assertRegex(self.adder("right"), r"^\d{7} pairs, 0 wrong\n$")
        for name, *change in (("ties", "total10[3] && (total10[4] || total10[2:0] != 0)", "total10[3]"), ("sticky", "sticky4 || fine[6:0] != 0", "sticky4"),
                              ("subnormal", "total10[27] ? exponent10 : 8'd0, total10[26:4]", "total10[27] ? exponent10 : 8'd0, total10[27] ? total10[26:4] : 23'd0"),
                              ("infinity", "|| (small2[30:23] == SPECIAL && differ)", "")):
            self.assertRegex(self.adder(name, change, code=1), r"\n\d{7} pairs, [1-9]\d* wrong\n$")

    def adder(self, name, change=None, code=0):
        folder = self.source(f"adder.{name}")
        source = folder / "f32_add.sv"
        if change:
            self.assertIn(change[0], source.read_text())
            source.write_text(source.read_text().replace(*change))
        run("verilator", "--cc", "--exe", "--build", "-O3", "-o", "f32_add_bench", "f32_add.sv", "f32_add_bench.cpp", cwd=folder)
        return run(folder / "obj_dir/f32_add_bench", cwd=folder, code=code)


if __name__ == "__main__":
    main()
