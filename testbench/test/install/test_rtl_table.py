"""A table in SystemVerilog, built and run against the installed tree.

usage: test_rtl_table.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import shutil
import unittest

from from_outside import FromOutside, main, run


@unittest.skipUnless(shutil.which("verilator"), "no verilator here")
class RtlTable(FromOutside):
    def test_the_table_in_systemverilog_agrees_with_the_core(self):
        """A table in SystemVerilog: 10^5 random transactions against the C++ core, then at one port of a DGX-2."""
        said = self.example("rtl_table")
        self.assertEqual(said, self.quoted_output("rtl_table"))
        self.assertRegex(said, r"^scoreboard: 10000\d transactions, .*: RTL and C\+\+ agree\n")
        self.assertTrue(said.endswith(": every packet at the same picosecond\n"))
        waveform = (self.build / "rtl_table.vcd").read_text()
        for signal in ("lane0", "occupancy"):
            self.assertRegex(waveform, rf"\$var \w+ \d+ \S+ {signal}\b")
        self.assertRegex(waveform, r"\$scope module rtl \$end")
        # As a plugin at all ports, with tables as large as the model's: the same run.
        told = []
        for plugin in ([], ["--plugin", self.build / "librtl_table_plugin.so"]):
            told.append(json.loads(run(self.prefix / "bin/tributary", "run", "--algorithm", "push", "--size", "32KiB", "--dtype", "i32", "--json", "-",
                                       "--set", "nvswitch.switch.reduction_table.bytes=4KiB", "--quiet", *plugin)))
        self.assertEqual(told[0]["results"], told[1]["results"])
        self.assertEqual((told[1]["results"][0]["wrong"], told[1]["replaced_blocks"]), (0, ["nvswitch.switch.reduction_table"]))


if __name__ == "__main__":
    main()
