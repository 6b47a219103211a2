"""An arbiter in SystemVerilog as a plug-in: the runs of the model, to the picosecond.

usage: test_rtl_arbiter.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json

from from_outside import main, run
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

    def test_a_bench_in_icarus_agrees_with_records(self):
        self.bench_agrees("iverilog")

    def test_a_bench_in_verilator(self):
        self.bench_agrees("verilator")

    def bench_agrees(self, tool):
        record = self.record(*self.RUN, place="*.switch0_2.arbiter", name=tool)
        self.agrees(tool, record, COMPARE="exact")
        for case in ("refused_keeps_turn", "64_ports"):
            folder = self.folder / f"{tool}.{case}"
            run(self.prefix / "bin/tributary", "stimulus", "nvswitch.switch.arbiter", "-o", folder, "--case", case)
            self.agrees(tool, folder)
        said = self.bench(tool, record, ("assign grant_requester = is_next ? next : lowest;", "assign grant_requester = lowest;")).splitlines()
        self.assertRegex(said[0], r"^answers.txt: beat \d+ differs")

    def test_a_shadow_agrees_and_finds_fixed_priority(self):
        for name, options, code in (("same", (), 0), ("unequal", ("-DFIXED=1",), 1)):
            plugin = self.plugin(f"shadow_{name}", options=options)
            self.ran("--shadow", f"{plugin}@*.switch0_2.arbiter", "--shadow-dir", self.folder, code=code)
            (shadow,) = json.loads((self.folder / "run.json").read_text())["shadow"]
            self.assertGreater(shadow["compared"], 1000)
            self.assertEqual(shadow["different"] > 0, code == 1)

    def test_tools_accept_the_source(self):
        self.check_sources()


if __name__ == "__main__":
    main()
