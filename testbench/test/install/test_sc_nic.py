"""Parts of NICs and copy engines as modules of `verilator --sc`, which decide in kernel time: the runs of the model, to the picosecond.

usage: test_sc_nic.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json

from from_outside import main
from rtl_example import RtlExample


class ScScheduleTable(RtlExample):
    NAME = "schedule_table"
    RUN = ("--platform", "torus:4x4", "--algorithm", "multitree", "--size", "64KiB")
    BLOCK = "SOURCES schedule_table.sv PARAMETERS ROWS=1024 READ_CYCLES=4"

    def test_the_run_with_pins_is_that_of_the_model_with_the_time_of_a_row(self):
        plugin = self.sc_plugin("sc4", self.BLOCK)
        self.equal(plugin, model=["--set", "schedule_nic.nic.table.read=4ns"])
        told = json.loads((self.folder / "run.json").read_text())["kernel_time"]
        self.assertEqual((len(told), told[0]["parts"]), (16, ["nic.table"]))
        self.equal(plugin, "--no-data", model=["--set", "schedule_nic.nic.table.read=4ns"])
        self.refusals(plugin)

    def refusals(self, plugin):
        self.assertIn("neither recorded nor compared", self.ran("--record-block", "*.nic3.nic.table", "--record", self.folder / "refused", plugin=plugin, code=2))
        self.assertIn("neither recorded nor compared", self.ran("--shadow", plugin, code=2))

    def test_a_wrong_row_is_named(self):
        plugin = self.sc_plugin("row", self.BLOCK, ("row <= memory[s_row[W-1:0]];", "row <= memory[s_row[W-1:0]] ^ {199'd0, s_row == 3};"))
        self.assertIn("table breaks the rule `answer`: row 3 was written as ", self.ran(plugin=plugin, code=3))


if __name__ == "__main__":
    main()
