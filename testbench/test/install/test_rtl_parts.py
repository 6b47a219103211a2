"""Parts of accelerators and NICs in SystemVerilog as plug-ins: the runs of the model, to the picosecond.

usage: test_rtl_parts.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
from from_outside import main
from rtl_example import RtlExample, some


class RtlClt(RtlExample):
    NAME = "clt"
    RUN = ("--platform", "rack:6", "--algorithm", "netreduce", "--size", "1MiB", "--dtype", "i32")

    def test_the_run_with_rtl_is_that_of_the_model_with_one_lookup_in_a_clock(self):
        for cycles in some(2, 3):
            plugin = self.plugin(f"cycles{cycles}", options=[f"-DLOOKUP_CYCLES={cycles}"])
            options = ("--set", "netreduce.accelerator.lookups=1", "--set", f"netreduce.accelerator.lookup_cycles={cycles}")
            self.equal(plugin, *options)
            # Go-back-N restarts in older messages.
            lossy = (*options, "--set", "netreduce.link.loss_rate=0.0003")
            self.assertGreater(self.equal(plugin, *lossy)["counters"]["nic.retries"], 0)
        self.ignores_initial_registers(plugin, self.record(*self.RUN[:4], "--size", "64KiB", "--dtype", "i32", place="*.clt", name="registers"))

    def test_a_wrong_answer_is_named(self):
        plugin = self.plugin("offset", ("assign {a_offset, a_message, a_rank, a_ring, a_verdict} = answers[STAGES-1][105:24];",
                                        "assign {a_offset, a_message, a_rank, a_ring, a_verdict} = answers[STAGES-1][105:24] | {1'b1, 81'd0};"))
        self.assertIn("clt breaks the rule `address` at ", self.ran(plugin=plugin, code=3))

    def test_benches_agree_with_a_record(self):
        record = self.record(*self.RUN[:4], "--size", "64KiB", "--dtype", "i32", place="*.clt")
        for tool in ("iverilog", "verilator"):
            self.agrees(tool, record)

    def test_tools_accept_the_source(self):
        self.check_sources()


class RtlCtt(RtlExample):
    NAME = "ctt"
    RUN = ("--platform", "spine_leaf:2x3", "--algorithm", "netreduce", "--size", "256KiB", "--dtype", "i32")

    def test_the_run_with_rtl_is_that_of_the_model_with_a_target_in_a_clock(self):
        for cycles in some(4, 2):
            plugin = self.plugin(f"cycles{cycles}", options=[f"-DLOOKUP_CYCLES={cycles}"])
            options = ("--set", f"netreduce.accelerator.lookup_cycles={cycles}")
            model = ("--set", "netreduce.accelerator.ctt.targets=1")
            one_by_one = self.equal(plugin, *options, model=model)["time_ns"]
            # Without the parameter the model translates all connections of a sum in one clock.
            self.assertGreater(one_by_one, self.ran(*options)[0][0]["time_ns"])
            self.equal(plugin, *options, "--set", "netreduce.link.loss_rate=0.0003", model=model)
        self.ignores_initial_registers(plugin, self.record(*self.RUN[:4], "--size", "64KiB", "--dtype", "i32", place="*.accelerator0.ctt", name="registers"))
        if len(some(1, 2)) == 2:
            self.equal(plugin, *options, "--platform", "spine_leaf:3x2", model=model)

    def test_a_wrong_target_is_named(self):
        plugin = self.plugin("target", ("presets[row], targets[{row, beat}],", "presets[row], targets[{row, beat}] ^ {16'd0, 16'd9, 24'd0},"))
        self.assertIn("ctt breaks the rule `address` at ", self.ran(plugin=plugin, code=3))

    def test_benches_agree_with_a_record(self):
        record = self.record(*self.RUN[:4], "--size", "64KiB", "--dtype", "i32", place="*.accelerator0.ctt")
        for tool in ("iverilog", "verilator"):
            self.agrees(tool, record)

    def test_tools_accept_the_source(self):
        self.check_sources()


class RtlPayloadBuffer(RtlExample):
    NAME = "payload_buffer"
    RUN = ("--platform", "rack:6", "--algorithm", "netreduce", "--size", "1MiB", "--dtype", "i32")

    def test_the_run_with_rtl_is_that_of_the_model(self):
        plugin = self.plugin("cycles1")
        end = self.equal(plugin)["time_ns"]
        self.ignores_initial_registers(plugin, self.record(*self.RUN[:4], "--size", "64KiB", "--dtype", "i32", place="*.payloads", name="registers"))
        # A clock more for each read: reads are pipelined, so the run ends a clock later.
        slow = self.plugin("cycles2", options=["-DREAD_CYCLES=2"])
        for mode in ("windowed", "event"):
            results, _ = self.ran("--mode", mode, plugin=slow)
            self.assertEqual(results[0]["wrong"], 0)
            self.assertAlmostEqual(results[0]["time_ns"] - end, 3.103, places=6)

    def test_a_bit_that_flips_gives_wrong_sums(self):
        plugin = self.plugin("bit", ("memory[w_row[W-1:0]] <= w_data;", "memory[w_row[W-1:0]] <= w_data ^ {511'd0, w_row[3:0] == 5};"))
        self.assertEqual(self.ran("--check-blocks", "off", plugin=plugin, code=1)[0][0]["status"], "wrong")
        self.assertIn("payloads breaks the rule `data` at ", self.ran(plugin=plugin, code=3))

    def test_a_ring_of_other_ranks_is_refused(self):
        plugin = self.plugin("rows", options=["-DREAD_CYCLES=1"])
        self.assertIn("has no payload of ", self.ran("--set", "netreduce.nic.mtu=2KiB", plugin=plugin, code=3))

    def test_benches_agree_with_a_record(self):
        record = self.record(*self.RUN[:4], "--size", "64KiB", "--dtype", "i32", place="*.payloads")
        for tool in ("iverilog", "verilator"):
            self.agrees(tool, record)

    def test_tools_accept_the_source(self):
        self.check_sources()


class RtlScheduleTable(RtlExample):
    NAME = "schedule_table"
    RUN = ("--platform", "torus:4x4", "--algorithm", "multitree", "--size", "64KiB")

    def test_the_run_with_rtl_is_that_of_the_model_with_the_time_of_a_row(self):
        for cycles in some(1, 4):
            plugin = self.plugin(f"cycles{cycles}", options=[f"-DREAD_CYCLES={cycles}"])
            self.equal(plugin, model=["--set", f"schedule_nic.nic.table.read={cycles}ns"])
        self.ignores_initial_registers(plugin, self.record(*self.RUN, place="*.nic3.nic.table", name="registers"))

    def test_a_wrong_row_is_named(self):
        plugin = self.plugin("row", ("row <= memory[s_row[W-1:0]];", "row <= memory[s_row[W-1:0]] ^ {199'd0, s_row == 3};"))
        self.assertRegex(self.ran(plugin=plugin, code=3), "table breaks the rule `data` at .*command read, row 3, ")
        self.assertIn("table breaks the rule `answer`: row 3 was written as ", self.ran("--check-blocks", "off", plugin=plugin, code=3))

    def test_benches_agree_with_a_record(self):
        record = self.record(*self.RUN, "--set", "schedule_nic.nic.table.read=4ns", place="*.nic3.nic.table")
        for tool in ("iverilog", "verilator"):
            self.agrees(tool, record, COMPARE="exact")

    def test_tools_accept_the_source(self):
        self.check_sources()


class RtlReductionUnit(RtlExample):
    NAME = "reduction_unit"
    RUN = ("--platform", "torus:4x4", "--algorithm", "multitree", "--size", "64KiB", "--dtype", "i32", "--set", "schedule_nic.nic.reduction.units=4",
           "--set", "schedule_nic.nic.reduction.width=16")

    def test_the_run_with_rtl_is_that_of_the_model_with_the_cycles_of_a_pass(self):
        for cycles in some(5, 2):
            plugin = self.plugin(f"cycles{cycles}", options=[f"-DCYCLES={cycles}"])
            self.equal(plugin, model=["--set", f"schedule_nic.nic.reduction.cycles={cycles}"], rtl=["--set", "schedule_nic.nic.reduction.cycles=2"])
        self.ignores_initial_registers(plugin, self.record(*self.RUN, place="*.nic3.nic.reduction", name="registers"))

    def test_a_broken_adder_gives_wrong_sums(self):
        plugin = self.plugin("adder", ("s_operand[32*i+:32] : 32'd0);", "s_operand[32*i+:32] : 32'd0) + (i == 5 ? 32'd1 : 32'd0);"))
        results, _ = self.ran("--set", "schedule_nic.nic.reduction.cycles=2", "--check-blocks", "off", plugin=plugin, code=1)
        self.assertEqual(results[0]["status"], "wrong")
        # One element in 64, at all 16 nodes.
        self.assertEqual(results[0]["wrong"] % (16384 // 64), 0)
        self.assertRegex(self.ran("--set", "schedule_nic.nic.reduction.cycles=2", plugin=plugin, code=3), r"reduction breaks the rule `data` at \d+ ps: sum\[5\] is ")

    def test_benches_agree_with_a_record(self):
        record = self.record(*self.RUN, "--set", "schedule_nic.nic.reduction.cycles=2", place="*.nic3.nic.reduction")
        for tool in ("iverilog", "verilator"):
            self.agrees(tool, record, COMPARE="exact")
            self.agrees(tool, record, MODE="fast", STALL=30)

    def test_tools_accept_the_source(self):
        self.check_sources()


if __name__ == "__main__":
    main()
