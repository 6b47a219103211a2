"""A combinator as an sc_module with pins, in kernel time: the runs of the model, to the picosecond.

usage: test_sc_combinator.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import subprocess

from from_outside import main, run
from rtl_example import BlockExample, ScExample, vcd_changes

class Pinned(BlockExample):
    NAME = "combinator"
    RUN = ("--platform", "rack:6", "--algorithm", "netreduce", "--size", "1MiB", "--dtype", "i32")

    def shadow(self, plugin, *options, code=0):
        """The JSON of a run in which the model decides, and the shadow's entry. Files of a first difference are in `waves`."""
        (self.folder / "waves").mkdir(exist_ok=True)
        run(self.prefix / "bin/tributary", "run", *self.RUN, "--quiet", "--json", self.folder / "run.json", "--shadow", plugin, "--shadow-dir", self.folder / "waves", *options, code=code)
        told = json.loads((self.folder / "run.json").read_text())
        return told, told["shadow"][0]

    def agrees_as_shadow(self, plugin):
        """The shadow lies in kernel time, one clock later; the run is that of the model alone. 1190 slots have 19 040 beats of 64 B."""
        for mode in ("windowed", "event"):
            alone = self.ran("--mode", mode, captured=False)[0]
            told, shadow = self.shadow(plugin, "--mode", mode)
            self.assertEqual((shadow["compared"], shadow["different"]), (1190, 0))
            self.assertNotIn("kernel_time", told)
            for row in told["results"]:
                row.pop("bottleneck", None)
            self.assertEqual(told["results"], alone)


class ScCombinator(Pinned):
    FORM, SUFFIX = "sc", ".h"

    def deeper(self, depth):
        """The example with another number of registers."""
        return self.plugin(f"depth{depth}", ("#define DEPTH 34", f"#define DEPTH {depth}"))

    def test_the_run_with_pins_is_that_of_the_model(self):
        """34 clocks are 1 + 3 x 11, the model's adders for six ranks. Frames, their payloads and times are equal."""
        plugin = self.plugin("as_it_is")
        self.equal(plugin)
        self.equal(plugin, "--no-data")
        self.assertEqual(json.loads((self.folder / "run.json").read_text())["kernel_time"], [{"device": "accelerator", "parts": ["combinator"]}])
        done = subprocess.run([self.prefix / "bin/tributary", "run", *self.RUN, "--plugin", plugin], capture_output=True, text=True, check=True)
        self.assertIn("\n# kernel time: accelerator (combinator)\n", done.stdout)
        for other, says in ((("--dtype", "f32"), "the block in RTL has no type f32 (legal: i32)"),
                            (("--platform", "rack:8"), "the combinator in RTL has RANKS=6, and a slot has 8 operands")):
            self.assertIn(says, self.ran(*other, plugin=plugin, code=2))
        self.assertIn("neither recorded nor compared", self.ran("--record-block", "*.combinator", "--record", self.folder / "refused", plugin=plugin, code=2))

    def test_the_run_with_pins_as_shadow_is_that_of_the_model(self):
        plugin = self.plugin("shadow")
        self.agrees_as_shadow(plugin)
        told, shadow = self.shadow(plugin, "--set", "netreduce.accelerator.add_cycles=2", code=1)
        self.assertEqual(shadow["first"]["fields"], [{"field": "latency", "expected": "18618 ps", "got": "102399 ps"}])
        self.assertEqual((shadow["first"]["ticket"], told["results"][0]["status"]), (0, "shadow_differs"))
        wave = self.folder / "waves" / "combinator_first.vcd"
        self.assertIn("$comment rtl: pins are 3103 ps later than the requests $end\n", wave.read_text())
        changes = vcd_changes(wave)
        begin = shadow["first"]["time_ps"] + 3103
        for pin, clock in (("s_valid", 0), ("s_last", 15), ("m_valid", 34), ("m_last", 34 + 15)):
            self.assertEqual(next(time for time, value in changes[f"rtl.{pin}"] if value == "1"), begin + clock * 3103, pin)
        self.assertEqual([json.loads(line)["ticket"] for line in (self.folder / "waves" / "combinator_first.jsonl").read_text().splitlines()], [0])

    def test_faults_of_a_shadow_are_differences(self):
        _, late = self.shadow(self.deeper(36), code=1)
        self.assertRegex(late["first"]["fields"][0]["got"], "breaks the rule `late`: beat 0 of slot 1 of ring 0")
        _, lane = self.shadow(self.plugin("lane5", ("in.sum.set_word(lane, sum);", "in.sum.set_word(lane, lane == 3 ? sum ^ 1u : sum);")), code=1)
        # Beat 0 begins with 16 bytes that are no elements, so lane 3 of beat 1 is the first that counts.
        self.assertEqual((lane["first"]["ticket"], lane["first"]["fields"][0]["field"], lane["different"]), (0, "sum[15] (byte 76)", 1190))

    def test_an_answer_may_be_early_but_not_late(self):
        self.assertEqual(self.ran(plugin=self.deeper(20)), self.ran())
        self.assertIn("rack.accelerator.combinator.unit0 breaks the rule `late`: beat 0 of slot 1 of ring 0", self.ran(plugin=self.deeper(35), code=3))

    def test_a_broken_lane_gives_wrong_sums(self):
        plugin = self.plugin("lane", ("in.sum.set_word(lane, sum);", "in.sum.set_word(lane, lane == 3 ? sum ^ 1u : sum);"))
        self.assertEqual(self.ran(plugin=plugin, code=1)[0][0]["status"], "wrong")


class VerilatedCombinator(Pinned, ScExample):
    """`verilator --sc` of the example in RTL."""

    def test_systemverilog_in_the_form_sc(self):
        plugin = self.plugin_sc("verilated", RANKS=6, ADD_CYCLES=11, LATENCY=34, MORE="TYPES i32 OPS sum")
        self.equal(plugin)
        self.agrees_as_shadow(plugin)


if __name__ == "__main__":
    main()
