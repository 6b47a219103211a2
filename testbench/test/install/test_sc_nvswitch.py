"""Reduction tables and arbiters as sc_modules with pins: the runs of the model, to the picosecond.

usage: test_sc_nvswitch.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import shutil
import subprocess
import unittest

from from_outside import EXAMPLES, SOURCE, STRICT, main, run
from rtl_example import BlockExample

TABLE = "nvswitch.switch.reduction_table"
ONE_PORT, ONE_ARBITER = "*.switch0_2.port5", "*.switch0_2.arbiter"
PROJECT = """cmake_minimum_required(VERSION 3.23)
project(sc_nvswitch LANGUAGES CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
find_package(Tributary REQUIRED COMPONENTS rtl)
tributary_rtl_block(TARGET sc_block SC {})
"""
HARNESS = SOURCE / "testbench/test/harness"


class ScBlock(BlockExample):
    def block(self, name, arguments, *sources):
        """Builds a plug-in from copies of `sources`, which are found in its folder; returns the library."""
        folder = self.folder / name
        folder.mkdir()
        for source in sources:
            shutil.copy(source, folder)
        (folder / "CMakeLists.txt").write_text(PROJECT.format(arguments))
        build = self.configure(folder, f"{name}.build", f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_FLAGS={STRICT}")
        run("cmake", "--build", build)
        return build / "libsc_block.so"


class ScArbiter(ScBlock):
    RUN = ("--platform", "dgx2", "--algorithm", "push", "--size", "16KiB", "--dtype", "i32")

    def test_the_run_with_an_arbiter_is_that_of_the_model(self):
        """A module that is written by hand, at one switch."""
        plugin = self.block("arbiter", f"NAME arbiter HEADER pinned_arbiter.h MODULE tributary::PinnedArbiter PARAMETERS REQUESTERS=48 PLACES {ONE_ARBITER}",
                            HARNESS / "pinned_arbiter.h")
        self.equal(plugin)
        self.assertEqual(json.loads((self.folder / "run.json").read_text())["kernel_time"], [{"device": "switch0_2", "parts": ["arbiter"]}])
        records = [self.folder / f"record{k}" for k in range(2)]
        for record, more in zip(records, ((), ("--plugin", plugin))):
            run(self.prefix / "bin/tributary", "run", *self.RUN, "--quiet", "--record-block", ONE_ARBITER, "--record", record, *more)
        self.assertEqual(*((record / "transactions.jsonl").read_text() for record in records))
        for command in (("run", *self.RUN, "--shadow", f"{plugin}@{ONE_ARBITER}"), ("replay", records[0], "--block", plugin)):
            done = subprocess.run([str(word) for word in (self.prefix / "bin/tributary", *command)], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn("can be neither a shadow nor replayed", done.stderr)

    @unittest.skipUnless(shutil.which("verilator"), "no verilator here")
    def test_systemverilog_in_the_form_sc(self):
        """`verilator --sc` of the example in RTL, at all switches."""
        plugin = self.block("verilated_arbiter", "NAME arbiter SOURCES arbiter.sv PARAMETERS INPUTS=16 REQUESTERS=48", EXAMPLES / "rtl_arbiter/arbiter.sv")
        without_room = ("--set", "nvswitch.switch.output_queue=288B")
        for options in (("--algorithm", "pull", "--set", "nvswitch.switch.replication=crossbar"), without_room, ()):
            self.equal(plugin, *options)


class ScTable(ScBlock):
    RUN = ("--platform", "dgx2", "--algorithm", "push", "--size", "16KiB", "--dtype", "i32", "--set", f"{TABLE}.bytes=4KiB")

    def test_a_table_by_hand_gives_the_run_of_the_model(self):
        plugin = self.block("table", f"NAME reduction_table HEADER pinned_table.h MODULE tributary::PinnedTable PARAMETERS ENTRIES=32 TYPES i32 PLACES {ONE_PORT}",
                            HARNESS / "pinned_table.h")
        self.equal(plugin, "--set", f"{TABLE}.add_cycles=1", captured=False)  # of the other ports as well
        refused = self.ran("--dtype", "f32", plugin=plugin, code=2)
        self.assertIn(".port5.table: the block in RTL has no type f32 (legal: i32)", refused)

    @unittest.skipUnless(shutil.which("verilator"), "no verilator here")
    def test_systemverilog_in_the_form_sc(self):
        """`verilator --sc` of the example in RTL with two registers, at all ports: push, pull, evictions and timeouts."""
        for entries, variants in ((32, (("--size", "64KiB"), ("--algorithm", "pull", "--size", "50004B"))),
                                  (2, (("--set", f"{TABLE}.bytes=256B"), ("--set", f"{TABLE}.bytes=256B", "--algorithm", "pull", "--size", "8KiB")))):
            plugin = self.block(f"verilated_table{entries}", f"NAME reduction_table SOURCES reduction_table.sv PARAMETERS ENTRIES={entries} ADD_CYCLES=2 TYPES i32 OPS sum",
                                EXAMPLES / "rtl_table/reduction_table.sv")
            for options in variants:
                self.equal(plugin, *options, model=("--set", f"{TABLE}.add_cycles=2"), captured=False)

    @unittest.skipUnless(shutil.which("verilator"), "no verilator here")
    def test_one_port_has_pins_of_systemverilog(self):
        plugin = self.block("one_port", f"NAME reduction_table SOURCES reduction_table.sv PARAMETERS ENTRIES=32 ADD_CYCLES=0 PLACES {ONE_PORT}", EXAMPLES / "rtl_table/reduction_table.sv")
        self.equal(plugin, "--size", "256KiB", captured=False)
        records = [self.folder / f"record_of_table{k}" for k in range(2)]
        for record, more in zip(records, ((), ("--plugin", plugin))):
            run(self.prefix / "bin/tributary", "run", *self.RUN, "--quiet", "--record-block", f"{ONE_PORT}.table", "--record", record, *more)
        self.assertEqual(*((record / "transactions.jsonl").read_text() for record in records))


if __name__ == "__main__":
    main()
