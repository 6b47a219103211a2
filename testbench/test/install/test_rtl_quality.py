"""Blocks in SystemVerilog of the examples: every line is executed by stimulus, and mutants are named.

usage: test_rtl_quality.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import re
import shutil
import subprocess
import unittest

from from_outside import COMPILERS, SOURCE, main, run
from rtl_example import RtlExample

RACK = ("--platform", "rack:6", "--algorithm", "netreduce", "--size", "96KiB", "--dtype", "i32")
TREE = ("--platform", "spine_leaf:2x3", "--algorithm", "netreduce", "--size", "96KiB", "--dtype", "i32")
TORUS = ("--platform", "torus:4x4", "--algorithm", "multitree", "--size", "64KiB", "--dtype", "i32")


class Quality:
    """Tests of one block. BLOCK: its name in `list blocks`. SHADOW, STIMULUS: options with which the model has the times of the RTL, in a run and in generated requests.
    BUILDS: variants that execute all lines together. UNEXECUTED: beginnings of lines that no stimulus reaches. MUTANTS: parts of the source, and what replaces them.
    SYNTHESIS: parameters of the cells on the page. PART: module whose source is tested, if it is another one of the example.
    """
    SHADOW, STIMULUS, UNEXECUTED, REPLACED, ALSO, BUILDS, PART = (), (), (), (), (), ((),), None

    def part(self):
        return self.PART or self.NAME

    def tributary(self, *words, folder=None):
        return subprocess.run([str(word) for word in (self.prefix / "bin/tributary", *words)], capture_output=True, text=True, check=False, cwd=folder or self.folder)

    def stimulus(self):
        """Records of all cases of the block."""
        listed = [line.split()[1] for line in self.tributary("list", "stimulus").stdout.splitlines() if line.startswith(f"{self.BLOCK} ")]
        self.assertTrue(listed)
        cases = [self.folder / f"{self.NAME}.stimulus" / case for case in listed]
        for case in cases:
            if not case.exists():
                done = self.tributary("stimulus", self.BLOCK, "--case", case.name, "-o", case, *self.STIMULUS)
                self.assertEqual(done.returncode, 0, done.stderr)
        return cases

    def test_stimulus_executes_every_line(self):
        source = self.source("covered", *self.REPLACED)
        cmake = source / "CMakeLists.txt"
        cmake.write_text(re.sub(r"(tributary_rtl_block\(.*)\)", r"\1 COVERAGE)", cmake.read_text(), flags=re.DOTALL))
        folder = self.folder / f"{self.NAME}.runs"
        folder.mkdir()
        for number, build in enumerate(self.BUILDS):
            plugin = self.built(source, f"covered{number}", *build)
            for options in ((), *self.ALSO):
                done = self.tributary("run", *self.RUN, *options, "--plugin", plugin, folder=folder)
                self.assertIn(done.returncode, (0, 1), done.stderr)
            for case in self.stimulus():
                for stall in ((), ("--stall", 50)):
                    self.tributary("replay", case, "--block", plugin, *stall, folder=folder)  # equal or not: it executes lines
        written = sorted((folder / "coverage").glob("*.dat"))
        self.assertTrue(written)
        run("verilator_coverage", "--annotate", folder / "annotated", "--annotate-min", "1", *written)
        # A source without a line that was missed may be left out.
        annotated = [line for file in (folder / "annotated").glob(f"{self.part()}.sv") for line in file.read_text().splitlines()]
        missed, line = [], ""
        for counted in annotated:
            # Further points of a line, such as its `else`, have lines of their own.
            if counted.strip() and "next point on previous line" not in counted:
                line = counted[8:].strip()
            if counted.startswith("%000000") and not line.startswith(self.UNEXECUTED or ("\0",)):
                missed.append(line)
        self.assertEqual(missed, [])

    def test_each_compiler_builds_it(self):
        source, said = self.source("compilers"), []
        for compiler in COMPILERS:
            plugin = self.built(source, compiler, f"-DCMAKE_CXX_COMPILER={compiler}", *self.BUILDS[0])
            done = self.tributary("run", *self.RUN, "--quiet", "--plugin", plugin, "--json", self.folder / "compiler.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            said.append(json.loads((self.folder / "compiler.json").read_text())["results"])
        self.assertTrue(all(results == said[0] for results in said))

    def test_mutants_are_named(self):
        source = self.source("mutant", *self.REPLACED)
        text = (source / f"{self.part()}.sv").read_text()
        cmake = source / "CMakeLists.txt"
        cmake.write_text(cmake.read_text() + f"target_compile_options(rtl_{self.EXAMPLE or self.NAME}_model PRIVATE -O1)\n")  # less time to compile
        # A mutant changes no header of the model, so its adapter is compiled once.
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        plugin = self.built(source, "mutant", "-DCMAKE_BUILD_TYPE=Plain", *launcher, *self.BUILDS[0])
        self.assertEqual(self.named(plugin), "", "the block without a fault")
        self.equal_replays = [words for case in self.stimulus() for rule in (("--compare", "all"), ("--compare", "data"), ("--stall", 50))
                              if self.tributary(*(words := ("replay", case, *rule, "--block", plugin))).returncode == 0]
        self.assertTrue(self.equal_replays)
        for old, new in self.MUTANTS:
            with self.subTest(mutant=new):
                self.assertEqual(text.count(old), 1, old)
                (source / f"{self.part()}.sv").write_text(text.replace(old, new))
                run("cmake", "--build", plugin.parent)
                self.assertTrue(self.named(plugin) or self.replay_differs())

    def replay_differs(self):
        """Whether a mutant answers generated requests otherwise than the model, where the block without a fault agrees with it."""
        return any(self.tributary(*words).returncode in (1, 3) for words in self.equal_replays)

    def named(self, plugin):
        """The first difference that the shadow names; empty if there is none."""
        done = self.tributary("run", *self.RUN, *self.SHADOW, "--quiet", "--shadow", plugin, "--shadow-stop", "--json", self.folder / "shadow.json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        places = json.loads((self.folder / "shadow.json").read_text())["shadow"]
        self.assertTrue(all(place["compared"] > 0 for place in places))
        return "".join(json.dumps(place["first"]) for place in places if place["different"] > 0)

    @unittest.skipUnless(shutil.which("yosys"), "no yosys here")
    def test_the_page_has_its_cells(self):
        if "Yosys 0.23" not in run("yosys", "-V"):
            self.skipTest("cells of another version of Yosys")
        source, include = SOURCE / "testbench" / "examples" / f"rtl_{self.EXAMPLE or self.NAME}" / f"{self.part()}.sv", f"-I{self.prefix}/share/tributary/rtl"
        parameters = " ".join(f"-set {name} {value}" for name, value in self.SYNTHESIS.items())
        chosen = f"chparam {parameters} {self.part()};" if parameters else ""
        report = self.folder / f"{self.part()}.cells"
        run("yosys", "-q", "-p", f"read_verilog -sv {include} {source}; {chosen} synth -top {self.part()}; flatten; opt_clean; tee -o {report} stat")
        counted = re.findall(r"(\d+)$", re.findall(r"Number of cells: .*", report.read_text())[-1])[0]
        flip_flops = sum(int(n) for n in re.findall(r"DFF\w+\s+(\d+)", report.read_text()))
        page = (SOURCE / "docs" / "examples" / f"rtl_{self.EXAMPLE or self.NAME}.md").read_text()
        named = ", ".join(f"{name}={value}" for name, value in self.SYNTHESIS.items())
        self.assertIn(f"{counted} cells, {flip_flops} of them flip-flops", page, named)


class Clt(Quality, RtlExample):
    NAME, BLOCK, RUN = "clt", "netreduce.accelerator.clt", RACK
    SHADOW = ("--set", "netreduce.accelerator.lookups=1", "--shadow-compare", "late:8")
    SYNTHESIS = {"ENTRIES": 4}
    BUILDS = ((), ("-DLOOKUP_CYCLES=3",))  # one register and more after the second clock
    MUTANTS = [
        ("keys[i] == key)", "keys[i][55:24] == key[55:24])"),
        ("hit = W'(i);", "hit = W'(i) ^ W'(1);"),
        ("wire         is_older = is_hit && ahead[31];", "wire         is_older = is_hit;"),
        ("ring1 <= s_update ? s_ring", "ring1 <= s_update ? 16'd0"),
        ("rank1 <= s_update ? s_rank", "rank1 <= s_update ? s_ring"),
        ("distance1 <= s_psn - firsts[hit];", "distance1 <= s_psn - firsts[hit] + 1;"),
        ("messages[target] <= s_message;", "messages[target] <= s_message + 1;"),
        ("firsts[target] <= s_psn;", "firsts[target] <= s_psn ^ 24'd16;"),
        ("if (!is_hit) filled <= filled + 1;", "if (!is_hit) filled <= filled;"),
        ("end else if (!hit1) verdict = UNKNOWN;", "end else if (!hit1) verdict = STALE;"),
    ]


class Ctt(Quality, RtlExample):
    NAME, BLOCK, RUN = "ctt", "netreduce.accelerator.ctt", TREE
    SHADOW = ("--set", "netreduce.accelerator.ctt.targets=1")
    SYNTHESIS = {"ENTRIES": 2, "TARGETS": 2}
    MUTANTS = [
        ("keys[i] == s_from)", "keys[i][55:40] == s_from[55:40])"),
        ("hit = W'(i);", "hit = W'(0);"),
        ("place = V'(i);", "place = V'(0);"),
        ("wire          is_last = left <= 1;", "wire          is_last = left <= 2;"),
        ("targets[{row, beat}],", "targets[{row, beat}] ^ 56'd1,"),
        ("found <= s_command == TRANSLATE ? is_hit", "found <= s_command == TRANSLATE ? s_valid"),
        ("row <= hit;", "row <= 0;"),
        ("beat <= beat + 1;", "beat <= beat;"),
        ("counts[hit] <= count + 1;", "counts[hit] <= 1;"),
        ("presets[hit] <= s_command == PRESET;", "presets[hit] <= s_command != PRESET;"),
    ]


class PayloadBuffer(Quality, RtlExample):
    NAME, BLOCK, RUN = "payload_buffer", "netreduce.accelerator.payloads", RACK
    BUILDS = ((), ("-DREAD_CYCLES=2",))  # one register and more
    SYNTHESIS = {"ROWS": 4}
    MUTANTS = [
        ("if (w_valid) memory[w_row[W-1:0]] <= w_data;", "if (w_valid && w_row[0]) memory[w_row[W-1:0]] <= w_data;"),
        ("memory[w_row[W-1:0]] <= w_data;", "memory[w_row[W-1:0] ^ W'(1)] <= w_data;"),
        ("memory[w_row[W-1:0]] <= w_data;", "memory[{w_row[W-1:5], 5'd0}] <= w_data;"),
        ("memory[w_row[W-1:0]] <= w_data;", "memory[w_row[W-1:0]] <= {w_data[511:256], 256'd0};"),
        ("memory[w_row[W-1:0]] <= w_data;", "memory[w_row[W-1:0]] <= w_data ^ 512'd1;"),
        ("memory[w_row[W-1:0]] <= w_data;", "memory[w_row[W-1:0]] <= {w_data[31:0], w_data[511:32]};"),
        (": memory[r_row[W-1:0]];", ": memory[r_row[W-1:0] + W'(1)];"),
        (": memory[r_row[W-1:0]];", ": memory[{r_row[W-1:4], 4'd3}];"),
        (": memory[r_row[W-1:0]];", ": memory[r_row[W-1:0]] << 32;"),
        ("assign m_data = rows[READ_CYCLES-1];", "assign m_data = rows[READ_CYCLES-1] | {1'b1, 511'd0};"),
    ]


class ScheduleTable(Quality, RtlExample):
    NAME, BLOCK, RUN = "schedule_table", "schedule_nic.nic.table", TORUS
    # A NIC first reads all rows in no time, to check them. Generated requests have the times of its schedule.
    SHADOW = ("--set", "schedule_nic.nic.table.read=4ns", "--shadow-compare", "data")
    STIMULUS = ("--set", "table.read=4ns")
    SYNTHESIS = {"ROWS": 16}
    MUTANTS = [
        ("8'(READ_CYCLES - 1)", "8'(READ_CYCLES)"),
        ("assign s_ready = busy == 0;", "assign s_ready = busy <= 1;"),
        ("assign a_valid = reads && busy == 0;", "assign a_valid = reads && busy == 1;"),
        ("assign a_rdata = row;", "assign a_rdata = row ^ 200'd1;"),
        ("busy <= busy - 1;", "busy <= busy - 1 - 8'(busy == 3);"),
        ("if (s_write) memory[s_row[W-1:0]] <= s_wdata;", "if (s_write) memory[s_row[W-1:0]] <= {s_wdata[198:0], 1'b0};"),
        ("if (s_write) memory[s_row[W-1:0]] <= s_wdata;", "if (s_write) memory[s_row[W-1:0] & ~W'(1)] <= s_wdata;"),
        ("if (s_write) memory[s_row[W-1:0]] <= s_wdata;", "if (s_write && s_row != 2) memory[s_row[W-1:0]] <= s_wdata;"),
        ("else row <= memory[s_row[W-1:0]];", "else row <= memory[s_row[W-1:0] + W'(1)];"),
        ("else row <= memory[s_row[W-1:0]];", "else row <= memory[{s_row[W-1:2], 2'd0}];"),
    ]


class ReductionUnit(Quality, RtlExample):
    NAME, BLOCK = "reduction_unit", "schedule_nic.nic.reduction"
    RUN = (*TORUS, "--set", "schedule_nic.nic.reduction.units=4", "--set", "schedule_nic.nic.reduction.width=16")
    SHADOW = ("--set", "schedule_nic.nic.reduction.cycles=2")
    STIMULUS = ("--set", "reduction.units=4", "--set", "reduction.width=16", "--set", "reduction.cycles=2", "--dtype", "i32", "--op", "sum")
    SYNTHESIS = {"UNITS": 1, "WIDTH": 4}
    MUTANTS = [
        ("8'(CYCLES - 1)", "8'(CYCLES)"),
        ("assign m_valid = passes && busy == 0;", "assign m_valid = passes && busy == 1;"),
        ("assign m_last = last;", "assign m_last = 1;"),
        ("assign m_data = sums;", "assign m_data = {sums[31:0], sums[ELEMENTS*32-1:32]};"),
        ("assign s_ready = busy == 0 && (!passes || m_ready);", "assign s_ready = busy == 0 && !passes;"),
        ("busy <= busy - 1;", "busy <= busy;"),
        ("last <= s_last;", "last <= 0;"),
        ("s_sum[32*i+:32] + (", "s_sum[32*i+:32] - ("),
        ("s_sum[32*i+:32] + (", "s_sum[32*i+:32] ^ ("),
        ("s_operand[32*i+:32] : 32'd0);", "s_operand[32*i+:32] : 32'd0) + (i == 63 ? 32'd1 : 32'd0);"),
    ]


class Combinator(Quality, RtlExample):
    NAME, BLOCK, RUN = "combinator", "netreduce.accelerator.combinator", RACK
    SYNTHESIS = {"RANKS": 2, "ADD_CYCLES": 1}
    MUTANTS = [
        ("add[32*lane+:32] = a[32*lane+:32] + b[32*lane+:32];", "add[32*lane+:32] = a[32*lane+:32] + b[32*lane+:32] + (lane == 9 ? 32'd1 : 32'd0);"),
        ("a[32*lane+:32] + b[32*lane+:32];", "a[32*lane+:32] - b[32*lane+:32];"),
        ("a[32*lane+:32] + b[32*lane+:32];", "a[32*lane+:32] | b[32*lane+:32];"),
        ("assign node[0][n] = operands[512*n+:512];", "assign node[0][n] = operands[512*((n + 1) % 5)+:512];"),
        ("if (2 * n + 1 < BELOW) begin : pair", "if (2 * n + 2 < BELOW) begin : pair"),
        ("stages[i] <= stages[i-1];", "stages[i] <= i == 3 ? stages[i-1] >> 1 : stages[i-1];"),
        ("assign m_data = node[LEVELS][0];", "assign m_data = node[LEVELS][0] & ~512'd1;"),
        ("localparam int DEPTH = 1 + LEVELS * ADD_CYCLES;", "localparam int DEPTH = 2 + LEVELS * ADD_CYCLES;"),
        ("last <= {last[DEPTH-2:0], s_last};", "last <= {last[DEPTH-2:0], 1'b1};"),
        ("ids[0] <= s_id;", "ids[0] <= s_id + 1;"),
    ]


class FloatAdder(Quality, RtlExample):
    """The adder of f32 in the combinator."""
    NAME, BLOCK, PART = "combinator", "netreduce.accelerator.combinator", "f32_add"
    BUILDS, STIMULUS = (("-DFLOAT=1",),), ("--operands", "6")
    RUN = (*RACK[:-1], "f32", "--data", "random")
    SYNTHESIS = {}
    MUTANTS = [
        ("swap1 <= b[30:0] > a[30:0];", "swap1 <= b[30:23] > a[30:23];"),
        ("large2[30:23] == 0 ? 8'd1 : large2[30:23];", "large2[30:23];"),
        ("large3 <= {large2[30:23] != 0, large2[22:0]};", "large3 <= {1'b1, large2[22:0]};"),
        ("(small2[30:23] == SPECIAL && differ)", "small2[30:23] == SPECIAL"),
        ("if (distance3[7:5] != 0) begin", "if (distance3[7:6] != 0) begin"),
        ("sticky5 <= sticky4 || fine[6:0] != 0;", "sticky5 <= sticky4;"),
        ("{14'd0, subtract[5]};", "{14'd0, 1'b0};"),
        ("{3'd0, zeros8} <= exponent8;", "exponent8 != 0;"),
        ("total10[3] && (total10[4] || total10[2:0] != 0);", "total10[3] && (total10[4] || total10[1:0] != 0);"),
        ("total10[3] && (total10[4] || total10[2:0] != 0);", "total10[3];"),
        ("infinity[10] || exponent10 == SPECIAL", "infinity[10]"),
        ("sign[10] && !(is_zero && subtract[10])", "sign[10]"),
    ]


class CopyEngine(Quality, RtlExample):
    NAME, BLOCK = "copy_engine", "blink.gpu.copy_engine"
    RUN = ("--platform", "dgx1v", "--algorithm", "blink", "--size", "1MiB", "--dtype", "i32")
    SHADOW = ("--set", "blink.copy.clock=1ns", "--set", "blink.copy.launch=489ns", "--shadow-compare", "data")  # the RTL asks the memory after the fetch
    ALSO = (("--set", "blink.memory.latency=100ns"),)  # the engine waits for its data
    SYNTHESIS = {"LANES": 2}
    UNEXECUTED = ("if (rd_ready) state <= WAIT;",)  # the memory accepts at once
    MUTANTS = [
        ("state == PACKETS ? payload : 16'(lanes)", "state == PACKETS ? payload : 16'(lanes) + 1"),
        ("wire             fits = shifted >= 17'(divisor);", "wire             fits = shifted > 17'(divisor);"),
        ("lane >= lanes ? '0", "lane > lanes ? '0"),
        ("32'(17'(lane) < rest)", "32'(17'(lane) <= rest)"),
        ("assign rd_bytes = 64'(bytes);", "assign rd_bytes = 64'(burst_bytes);"),
        ("wire             is_last = packets <= 32'(burst);", "wire             is_last = packets < 32'(burst);"),
        ("packets != 0 && held != 2;", "packets != 0 && held != 1;"),
        ("+ 32'd15 - 32'(slack);", "+ 32'd15;"),
        ("at <= at + BITS'(length);", "at <= at + BITS'(length) + 1;"),
        ("quotient <= bytes + BITS'(payload) - 1;", "quotient <= bytes;"),
    ]


class ReductionTable(Quality, RtlExample):
    NAME, EXAMPLE, BLOCK = "reduction_table", "table", "nvswitch.switch.reduction_table"
    RUN = ("--platform", "dgx2", "--algorithm", "push", "--size", "64KiB", "--dtype", "i32", "--set", "nvswitch.switch.reduction_table.bytes=4KiB")
    SHADOW = ("--set", "nvswitch.switch.reduction_table.add_cycles=2")
    STIMULUS = ("--set", "add_cycles=2", "--set", "bytes=4096")
    BUILDS = ((), ("-DADD_CYCLES=16",))  # one register and more
    UNEXECUTED = ("if (overdue) begin",)  # otherwise: a port asks when an entry is due
    SYNTHESIS = {"ENTRIES": 4, "ADD_CYCLES": 1}
    MUTANTS = [
        ("adds ? partial[32*lane+:32]", "adds && lane != 3 ? partial[32*lane+:32]"),
        ("wire [15:0]  count = counts[hit] + s_operands;", "wire [15:0]  count = (counts[hit] + s_operands) & ~16'd8;"),
        ("stamps[i] < stamps[oldest])", "stamps[i] > stamps[oldest])"),
        ("due <= s_now;", "due < s_now;"),
        ("assign m_last = sent + 1 == order", "assign m_last = sent + 2 == order"),
        ("wire [W+2:0] into_at = {into, beat};", "wire [W+2:0] into_at = {into, beat ^ 3'd1 & {3{adds}}};"),
        ("state[i] == PULLED && requesters[i] == s_requester", "state[i] == PULLED"),
        ("adds <= is_hit && !fresh[hit];", "adds <= is_hit;"),
        ("a_operands <= evicts ? counts[oldest]", "a_operands <= evicts ? counts[hit]"),
        ("if (sum_leaves && sum_waits) sum_out <= sum_out + 1;", "if (sum_leaves && sum_waits) sum_out <= sum_out + 2;"),
    ]


class Arbiter(Quality, RtlExample):
    """A mutant changes the timeline, or breaks a rule."""
    NAME, BLOCK = "arbiter", "nvswitch.switch.arbiter"
    RUN = ("--platform", "dgx2", "--algorithm", "push", "--size", "32KiB", "--dtype", "i32")
    ALSO = (("--set", "nvswitch.switch.output_queue=288B"),)
    SYNTHESIS = {"INPUTS": 4, "REQUESTERS": 12}
    MUTANTS = [
        ("wire [R-1:0] turn = turns[output_number];", "wire [R-1:0] turn = 0;"),
        ("{1'b1, s_room};", "{1'b0, s_room};"),
        ("if (s_req[i]) requested", "if (s_req[i] && i != 5) requested"),
        ("if (grantable[turn+R'(k)])", "if (grantable[turn+R'(k)+1])"),
        ("lowest = 8'(i);", "lowest = 8'(i) + 1;"),
        ("if (8'(i) >= first) begin", "if (8'(i) > first) begin"),
        ("next = 8'(i);", "next = lowest + 1;"),
        ("assign grant_requester = is_next ? next : lowest;", "assign grant_requester = lowest;"),
        ("turns[o] <= take_resource + 1;", "turns[o] <= take_resource;"),
        ("<= take_requester + 1;", "<= take_requester;"),
    ]

    def named(self, plugin):
        ours, theirs = self.folder / "ours.json", self.folder / "theirs.json"
        if not ours.exists():
            self.tributary("run", *self.RUN, "--quiet", "--perfetto-json", ours)
        done = self.tributary("run", *self.RUN, "--quiet", "--perfetto-json", theirs, "--plugin", plugin)
        if done.returncode == 3:
            return done.stderr
        self.assertEqual(done.returncode, 0, done.stderr)
        return "" if ours.read_bytes() == theirs.read_bytes() else "another timeline"


if __name__ == "__main__":
    main()
