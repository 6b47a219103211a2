"""Parts of NICs and copy engines as modules of `verilator --sc`, which decide in kernel time: the runs of the model, to the picosecond.

usage: test_sc_nic.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json

from from_outside import main
from rtl_example import RtlExample


class ScNicPart(RtlExample):
    def refusals(self, plugin, place):
        self.assertIn("neither recorded nor compared", self.ran("--record-block", place, "--record", self.folder / "refused", plugin=plugin, code=2))
        self.assertIn("neither recorded nor compared", self.ran("--shadow", plugin, code=2))


class ScScheduleTable(ScNicPart):
    NAME = "schedule_table"
    RUN = ("--platform", "torus:4x4", "--algorithm", "multitree", "--size", "64KiB")
    BLOCK = "SOURCES schedule_table.sv PARAMETERS ROWS=1024 READ_CYCLES=4"

    def test_the_run_with_pins_is_that_of_the_model_with_the_time_of_a_row(self):
        plugin = self.sc_plugin("sc4", self.BLOCK)
        self.equal(plugin, model=["--set", "schedule_nic.nic.table.read=4ns"])
        told = json.loads((self.folder / "run.json").read_text())["kernel_time"]
        self.assertEqual((len(told), told[0]["parts"]), (16, ["nic.table"]))
        self.equal(plugin, "--no-data", model=["--set", "schedule_nic.nic.table.read=4ns"])
        self.refusals(plugin, "*.nic3.nic.table")

    def test_a_wrong_row_is_named(self):
        plugin = self.sc_plugin("row", self.BLOCK, ("row <= memory[s_row[W-1:0]];", "row <= memory[s_row[W-1:0]] ^ {199'd0, s_row == 3};"))
        self.assertIn("table breaks the rule `answer`: row 3 was written as ", self.ran(plugin=plugin, code=3))


class ScReductionUnit(ScNicPart):
    NAME = "reduction_unit"
    RUN = ("--platform", "torus:4x4", "--algorithm", "multitree", "--size", "64KiB", "--dtype", "i32", "--set", "schedule_nic.nic.reduction.units=4",
           "--set", "schedule_nic.nic.reduction.width=16")
    BLOCK = "SOURCES reduction_unit.sv PARAMETERS UNITS=4 WIDTH=16 CYCLES=5 TYPES i32 OPS sum"

    def test_the_run_with_pins_is_that_of_the_model_with_the_cycles_of_a_pass(self):
        plugin = self.sc_plugin("sc5", self.BLOCK)
        cycles = ["--set", "schedule_nic.nic.reduction.cycles=5"]
        self.equal(plugin, model=cycles, rtl=["--set", "schedule_nic.nic.reduction.cycles=2"])
        self.equal(plugin, *cycles, "--no-data")
        self.refusals(plugin, "*.nic3.nic.reduction")
        self.assertIn("the block in RTL has no type f32 (legal: i32)", self.ran("--dtype", "f32", plugin=plugin, code=2))

    def test_a_broken_adder_gives_wrong_sums(self):
        plugin = self.sc_plugin("adder", self.BLOCK, ("s_operand[32*i+:32] : 32'd0);", "s_operand[32*i+:32] : 32'd0) + (i == 5 ? 32'd1 : 32'd0);"))
        self.assertEqual(self.ran(plugin=plugin, code=1)[0][0]["status"], "wrong")


class ScCopyEngine(ScNicPart):
    NAME = "copy_engine"
    RUN = ("--platform", "dgx1v", "--algorithm", "blink", "--size", "1MiB", "--dtype", "i32")
    # A packet is born a clock later than in the model, as in the form that is called.
    OTHER_COUNTERS = ("packet_latency_ns.mean", "packet_latency_ns.p99")
    BLOCK = "SOURCES copy_engine.sv PARAMETERS LANES=6 FETCH_CYCLES=100"

    def test_the_run_with_pins_is_that_of_the_model_with_its_launch(self):
        plugin = self.sc_plugin("sc100", self.BLOCK)
        launch = ("--set", "blink.copy.clock=1ns", "--set", "blink.copy.launch=189ns")
        self.equal(plugin, *launch)
        self.equal(plugin, *launch, "--no-data", "--set", "blink.memory.latency=500ns")
        self.equal(plugin, "--platform", "dgx2", "--size", "64KiB", "--set", "nvswitch.copy.clock=1ns", "--set", "nvswitch.copy.launch=189ns",
                   "--set", "nvswitch.gpu.memory.latency=200ns", "--set", "nvswitch.gpu.memory.jitter=0ns")
        self.refusals(plugin, "*.gpu1.engine0")

    def test_a_lane_without_room_is_named(self):
        plugin = self.sc_plugin("room", self.BLOCK, (" && held != 2;", ";"))
        self.assertRegex(self.ran(plugin=plugin, code=3), r"gpu\d\.engine\d breaks the rule `answer`: sends a burst on lane \d, which has no room")


if __name__ == "__main__":
    main()
