"""An arbiter in SystemVerilog as a plug-in: the runs of the model, to the picosecond.

usage: test_rtl_arbiter.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
from from_outside import main
from rtl_example import RtlExample, some


class RtlArbiter(RtlExample):
    NAME = "arbiter"
    RUN = ("--platform", "dgx2", "--algorithm", "push", "--size", "64KiB", "--dtype", "i32")

    def test_the_run_with_rtl_is_that_of_the_model(self):
        plugin = self.plugin("all")
        without_room = ("--set", "nvswitch.switch.output_queue=288B")
        for options in some(("--algorithm", "pull", "--set", "nvswitch.switch.replication=crossbar"), without_room, ()):
            self.equal(plugin, *options)

    def test_one_switch_has_rtl(self):
        plugin = self.plugin("one", options=["-DPLACES=*.switch0_2.*", "-DFIXED=1"])
        everywhere = self.plugin("fixed", options=["-DFIXED=1"])
        runs = [self.ran(plugin=p)[1] for p in (None, plugin, everywhere)]
        self.assertEqual(len(set(runs)), 3)
        # The other switches carry other addresses: their packets keep their times.
        planes = [[line for line in run.splitlines() if b"switch0_3" in line] for run in runs]
        self.assertEqual(planes[0], planes[1])

    def test_fixed_priority_starves_high_requesters(self):
        plugin = self.plugin("unfair", options=["-DFIXED=1"])
        options = ("--algorithm", "pull", "--size", "1MiB")
        fair, unfair = (self.ran(*options, plugin=p, captured=False)[0][0] for p in (None, plugin))
        self.assertEqual(unfair["wrong"], 0)
        self.assertGreater(unfair["time_ns"], 1.05 * fair["time_ns"])
        self.assertGreater(unfair["counters"]["packet_latency_ns.p99"], 1.1 * fair["counters"]["packet_latency_ns.p99"])
        self.assertLess(unfair["counters"]["packet_latency_ns.mean"], fair["counters"]["packet_latency_ns.mean"])

    def test_a_grant_without_a_request_is_named(self):
        plugin = self.plugin("grant", ("is_next ? next : lowest;", "(is_next ? next : lowest) ^ 8'd1;"))
        self.assertRegex(self.ran(plugin=plugin, code=3), r"switch\d_\d+\.arbiter breaks the rule `answer`: grants output \d+ to requester \d+, which does not")

    def test_tools_accept_the_source(self):
        self.check_sources()


if __name__ == "__main__":
    main()
