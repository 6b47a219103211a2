"""Parts of accelerators from `verilator --sc`, with pins in kernel time: the runs of the model, to the picosecond.

usage: test_sc_accelerator.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
from from_outside import main
from rtl_example import ScExample, some


class ScClt(ScExample):
    NAME = "clt"
    RUN = ("--platform", "rack:6", "--algorithm", "netreduce", "--size", "1MiB", "--dtype", "i32", "--set", "netreduce.accelerator.lookups=1")

    def test_the_run_with_pins_is_that_of_the_model_with_one_lookup_in_a_clock(self):
        for cycles, stated in some((3, 0), (2, 2)):
            plugin = self.plugin_sc(f"cycles{cycles}", ENTRIES=16, LOOKUP_CYCLES=cycles, LATENCY=stated)
            options = ("--set", f"netreduce.accelerator.lookup_cycles={cycles}")
            self.equal(plugin, *options)
            # Go-back-N restarts in older messages.
            lossy = (*options, "--set", "netreduce.link.loss_rate=0.0003")
            self.assertGreater(self.equal(plugin, *lossy)["counters"]["nic.retries"], 0)


class ScCtt(ScExample):
    NAME = "ctt"
    RUN = ("--platform", "spine_leaf:2x3", "--algorithm", "netreduce", "--size", "64KiB", "--dtype", "i32")

    def test_the_run_with_pins_is_that_of_the_model_with_a_target_in_a_clock(self):
        self.equal(self.plugin_sc("cycles2", ENTRIES=16, TARGETS=8, LOOKUP_CYCLES=2), model=("--set", "netreduce.accelerator.ctt.targets=1"))

    def test_results_from_above_wait_for_sums(self):
        """Requests wait for each other in the order of the pins, which is not that of the model with longer look-ups. Both modes have it."""
        plugin = self.plugin_sc("cycles4", ENTRIES=16, TARGETS=8, LOOKUP_CYCLES=4)
        for size in ("64KiB", "256KiB"):
            runs = [self.ran("--mode", mode, "--size", size, "--set", "netreduce.accelerator.lookup_cycles=4", plugin=plugin) for mode in ("windowed", "event")]
            self.assertTrue(runs[0] == runs[1])
            self.assertEqual(runs[0][0][0]["wrong"], 0)


class ScPayloadBuffer(ScExample):
    NAME = "payload_buffer"
    RUN = ("--platform", "rack:6", "--algorithm", "netreduce", "--size", "1MiB", "--dtype", "i32")

    def test_the_run_with_pins_is_that_of_the_model(self):
        plugin = self.plugin_sc("cycles1", RANKS=6, BEATS=16, ROWS=16384, READ_CYCLES=1)
        end = self.equal(plugin)["time_ns"]
        slow = self.plugin_sc("cycles2", RANKS=6, BEATS=16, ROWS=16384, READ_CYCLES=2)
        for mode in ("windowed", "event"):
            results, _ = self.ran("--mode", mode, plugin=slow)
            self.assertEqual(results[0]["wrong"], 0)
            self.assertAlmostEqual(results[0]["time_ns"] - end, 3.103, places=6)


if __name__ == "__main__":
    main()
