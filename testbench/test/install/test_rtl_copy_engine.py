"""A copy engine in SystemVerilog as a plug-in: the runs of the model, to the picosecond.

usage: test_rtl_copy_engine.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json

from from_outside import main
from rtl_example import RtlExample, some


class RtlCopyEngine(RtlExample):
    NAME = "copy_engine"
    RUN = ("--platform", "dgx1v", "--algorithm", "blink", "--size", "1MiB", "--dtype", "i32")
    # The model issues a burst at once when the link has room; RTL issues it a clock later. The queue of the link hides this clock, but a packet is born then.
    OTHER_COUNTERS = ("packet_latency_ns.mean", "packet_latency_ns.p99")

    def test_its_run_is_that_of_the_model_with_its_launch(self):
        for cycles in some(1, 400):
            plugin = self.plugin(f"fetch{cycles}", options=[f"-DFETCH_CYCLES={cycles}"])
            # Both runs have the launch: chunks are predicted from it.
            options = ("--set", "blink.copy.clock=1ns", "--set", f"blink.copy.launch={cycles + 89}ns")
            self.equal(plugin, *options)
            self.equal(plugin, *options, "--set", "blink.memory.latency=500ns")
            self.at_nvswitches(plugin, cycles)
        self.assertIn("LANES=1 has a copy on more links (legal: LANES=2 or more)", self.ran(plugin=self.one_lane(), code=3))

    def at_nvswitches(self, plugin, cycles):
        """The library is that of servers. The reads of a GPU at NVSwitches end at edges of the clock if they have no jitter."""
        self.equal(plugin, "--platform", "dgx2", "--size", "256KiB", "--set", "nvswitch.copy.clock=1ns", "--set", f"nvswitch.copy.launch={cycles + 89}ns",
                   "--set", "nvswitch.gpu.memory.latency=200ns", "--set", "nvswitch.gpu.memory.jitter=0ns")
        self.assertEqual(json.loads((self.folder / "run.json").read_text())["replaced_blocks"], ["nvswitch.gpu.copy_engine"])

    def one_lane(self):
        folder = self.source("lane")
        cmake = folder / "CMakeLists.txt"
        cmake.write_text(cmake.read_text().replace("LANES=6", "LANES=1"))
        return self.built(folder, "lane")

    def test_a_lane_without_room_is_named(self):
        plugin = self.plugin("room", (" && held != 2;", ";"))
        self.assertRegex(self.ran(plugin=plugin, code=3), r"gpu\d\.engine\d breaks the rule `answer`: sends a burst on lane \d, which has no room")

    def test_bytes_of_another_lane_are_named(self):
        plugin = self.plugin("range", ("at <= start;", "at <= start ^ 256;"))
        self.assertRegex(self.ran(plugin=plugin, code=3), r"gpu\d\.engine\d breaks the rule `burst` at \d+ ps: copy \d+ has a burst at byte 256 in place of byte 0")

    def test_a_bench_in_icarus_agrees_with_a_record(self):
        self.bench_agrees("iverilog")

    def test_a_bench_in_verilator(self):
        self.bench_agrees("verilator")

    def bench_agrees(self, tool):
        record = self.record(*self.RUN, "--set", "blink.copy.clock=1ns", "--set", "blink.copy.launch=489ns", "--set", "blink.memory.latency=500ns",
                             place="*.gpu1.engine0", name=tool)
        self.agrees(tool, record, COMPARE="exact")
        said = self.bench(tool, record, ("at <= start;", "at <= start ^ 256;")).splitlines()
        self.assertEqual(said[0], "answers_m.txt: beat 0 differs")

    def test_tools_accept_the_source(self):
        self.check_sources()


if __name__ == "__main__":
    main()
