"""A reduction table in SystemVerilog as a plug-in: the runs of the model with its adders, to the picosecond.

usage: test_rtl_table.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json

from from_outside import main, run
from rtl_example import RtlExample, some

TABLE = "nvswitch.switch.reduction_table"
CASES = ("random", "full", "evict_lru", "same_entry_back_to_back", "finish_and_insert_same_entry", "partial_operands", "hit_at_timeout",
         "two_timeouts_at_once", "pull_refused", "bypass_all_pull", "pull", "pulls_of_two")


class RtlTable(RtlExample):
    NAME, EXAMPLE = "reduction_table", "table"
    RUN = ("--platform", "dgx2", "--algorithm", "push", "--size", "64KiB", "--dtype", "i32", "--set", f"{TABLE}.bytes=4KiB")

    def test_the_run_with_rtl_is_that_of_the_model(self):
        plugin = self.plugin("all")
        model = ("--set", f"{TABLE}.add_cycles=2")
        nvls = ("--platform", "h100", "--gpus", "4", "--algorithm", "nvls", "--size", "128KiB")
        for options in some(("--size", "1MiB"), ("--algorithm", "pull", "--size", "50004B"), ("--set", f"{TABLE}.timeout=2us", "--no-data"), nvls, ()):
            # The timeline shows the entry of each block. A table chooses among its free entries, and may choose another one than the model's.
            self.equal(plugin, *options, model=model, captured=not options)
        self.agrees_with_stimulus(plugin, 2, 32)
        refused = self.ran("--dtype", "f32", plugin=plugin, code=2)
        self.assertIn(".port0.table: the block in RTL has no type f32 (legal: i32)", refused)
        refused = self.ran("--set", f"{TABLE}.order=rank", plugin=plugin, code=2)
        self.assertIn("a table in RTL adds in the order of arrival", refused)

    def test_variants_have_the_times_of_the_model(self):
        for cycles in (0, 1, 9):
            plugin = self.plugin(f"cycles{cycles}", options=[f"-DADD_CYCLES={cycles}", "-DENTRIES=2"])
            options = ("--set", f"{TABLE}.bytes=256B", "--size", "32KiB")
            self.equal(plugin, *options, model=("--set", f"{TABLE}.add_cycles={cycles}"))
            self.agrees_with_stimulus(plugin, cycles, 2)
        # Stalls of one operand after another are those of the model.
        plugin = self.plugin("stalls", options=["-DADD_CYCLES=16", "-DENTRIES=4"])
        self.agrees_with_stimulus(plugin, 16, 4)

    def agrees_with_stimulus(self, plugin, cycles, entries, cases=CASES):
        """Each case replays to the RTL without a difference, in times as well, and with answers that are not accepted at once."""
        for case in cases:
            folder = self.folder / f"{plugin.parent.name}.{case}"
            chosen = ("--count", 2000) if case == "random" else ("--case", case)
            run(self.prefix / "bin/tributary", "stimulus", TABLE, "-o", folder, *chosen, "--set", f"add_cycles={cycles}", "--set", f"bytes={128 * entries}")
            for stall in ((), ("--stall", 40)):
                self.assertIn(" 0 different", run(self.prefix / "bin/tributary", "replay", folder, "--block", plugin, *stall).splitlines()[0], case)

    def test_a_bench_in_icarus_agrees_with_records(self):
        self.bench_agrees("iverilog")

    def test_a_bench_in_verilator(self):
        self.bench_agrees("verilator")

    def bench_agrees(self, tool):
        record = self.record(*self.RUN, "--set", f"{TABLE}.add_cycles=1", place="*.switch0_2.port5", name=tool)
        self.agrees(tool, record, COMPARE="exact")
        folder = self.folder / f"{tool}.stimulus"
        run(self.prefix / "bin/tributary", "stimulus", TABLE, "-o", folder, "--count", "2000", "--set", "add_cycles=1")
        self.agrees(tool, folder, MODE="fast", STALL=30)
        said = self.bench(tool, record, ("adds ? partial[32*lane+:32]", "adds && lane != 3 ? partial[32*lane+:32]")).splitlines()
        self.assertEqual(said[0], "answers_m.txt: beat 0 differs")

    def test_one_port_has_rtl(self):
        place = "*.switch0_2.port5"
        plugin = self.plugin("one", options=[f"-DPLACES={place}", "-DADD_CYCLES=0"])
        self.equal(plugin)
        done = run(self.prefix / "bin/tributary", "list", "probes", "--platform", "dgx2", "--plugin", plugin)
        ports = {line.split(".rtl.")[0] for line in done.splitlines() if ".rtl.a_answer" in line}
        self.assertEqual([port.split()[-1] for port in ports], ["dgx2.switch0_2.port5.table"])

    def test_a_broken_lane_is_found_at_its_first_transaction(self):
        plugin = self.plugin("lane", ("adds ? partial[32*lane+:32]", "adds && lane != 3 ? partial[32*lane+:32]"))
        options = ("--set", f"{TABLE}.add_cycles=2")
        results, _ = self.ran(*options, "--shadow", f"{plugin}@*.switch0_2.port5", "--shadow-dir", self.folder, code=1)
        first = json.loads((self.folder / "run.json").read_text())["shadow"][0]["first"]
        self.assertEqual(results[0]["status"], "shadow_differs")
        # The first block that completes: all 16 operands but one pass in order.
        self.assertLess(first["ticket"], 64)
        self.assertIn("[3]", json.dumps(first))

    def test_a_sum_in_the_name_of_another_command_is_named(self):
        plugin = self.plugin("id", ("assign m_id = order[order_out][7:0];", "assign m_id = order[order_out][7:0] ^ 8'd1;"))
        self.assertRegex(self.ran(plugin=plugin, code=3), r"port\d+\.table breaks the rule `answer`: sends data of command \d+ in place of \d+, the push of block")

    def test_tools_accept_the_source(self):
        self.check_sources()


if __name__ == "__main__":
    main()
