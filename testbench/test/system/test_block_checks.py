"""Shadows, records and replays of every block: run --shadow, run --record-block, replay.

usage: test_block_checks.py TRIBUTARY SOURCE_DIRECTORY PLUGIN [unittest arguments]
"""
import hashlib
import json
import math
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from executable import SOURCE, TRIBUTARY, run_tests, tributary

PLUGIN = pathlib.Path(sys.argv.pop(3)).resolve()

PUSH = ["--platform", "dgx2", "--algorithm", "push", "--size", "64KiB"]
RACK = ["--platform", "rack:4", "--algorithm", "netreduce", "--size", "96KiB"]
TREE = ["--platform", "spine_leaf:2x2", "--algorithm", "netreduce", "--size", "96KiB"]
TORUS = ["--platform", "torus:4x4", "--size", "64KiB"]
SERVER = ["--platform", "dgx1v", "--size", "8MiB"]
# Block: a run that uses it, an instance, the time of one clock in ps.
ADDERS = 2 * 11 * 3103  # the model's adders of four hosts: two levels of 11 cycles
BLOCKS = {
    "nvswitch.switch.reduction_table": (PUSH, "*.switch0_2.port5.table", 640),
    "netreduce.switch.access_list": (RACK, "*.access_list", None),
    "netreduce.accelerator.icrc": (RACK, "*.icrc", 3103),
    "netreduce.accelerator.clt": (RACK, "*.clt", 3103),
    "netreduce.accelerator.state": (RACK, "*.state", 3103),
    "netreduce.accelerator.ctt": (TREE, "*.accelerator0.ctt", 3103),
    "netreduce.accelerator.headers": (RACK, "*.headers", 3103),
    "netreduce.accelerator.combinator": (RACK, "*.combinator", 3103),
    "netreduce.accelerator.payloads": (RACK, "*.payloads", 3103),
    "schedule_nic.nic.table": (TORUS, "*.nic3.nic.table", 1000),
    "schedule_nic.nic.reduction": (TORUS, "*.nic3.nic.reduction", 1000),
    "blink.gpu.copy_engine": (SERVER, "*.gpu1.engine0", 1000),
}

# All blocks that can be recorded.
RECORDED = {
    **BLOCKS,
    "nvswitch.switch.arbiter": (PUSH, "*.switch0_2.arbiter", 320),
    "nvswitch.gpu.copy_engine": (["--platform", "dgx2", "--algorithm", "blink", "--size", "1MiB"], "*.gpu1.streams.engine0", 1000),
}


class BlockChecks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_in_folder(self, *arguments, code=0, odd=None):
        """Runs a command in the folder of the test. `odd`: the plugin's fault (block, kind, first transaction)."""
        environment = dict(os.environ)
        if odd:
            environment.update(zip(("ODD_BLOCK", "ODD_FAULT", "ODD_FIRST"), map(str, odd)))
        done = subprocess.run([TRIBUTARY, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=self.folder, env=environment)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}{done.stderr}")
        return done

    def record(self, run, place, name, *options):
        self.run_in_folder("run", *run, "--quiet", "--record-block", place, "--record", name, *options)
        return self.folder / name

    def results(self, *arguments, code=0, odd=None):
        self.run_in_folder("run", *arguments, "--quiet", "--json", "run.json", code=code, odd=odd)
        return json.loads((self.folder / "run.json").read_text())

    def test_a_record_of_each_block_replays_to_itself(self):
        for block, (run, place, _) in RECORDED.items():
            with self.subTest(block):
                record = self.record(run, place, "record")
                header = json.loads((record / "record.json").read_text())
                self.assertEqual(header["block"], block)
                self.assertGreater(header["transactions"], 2)
                said = self.run_in_folder("replay", "record").stdout
                self.assertIn(f"{block} of the model: {header['transactions']} transaction", said)
                self.assertIn(" 0 different", said)

    def test_a_record_has_the_same_bytes_in_both_modes_and_with_observers(self):
        for block, (run, place, _) in RECORDED.items():
            with self.subTest(block):
                texts = []
                for options in ([], ["--mode", "event"], ["--vcd", "wave.vcd"]):
                    record = self.record(run, place, "record", *options)
                    texts.append({path.relative_to(record): path.read_bytes() for path in record.rglob("*.*") if path.is_file()})
                    shutil.rmtree(record)
                self.assertEqual(texts[0], texts[1])
                self.assertEqual(texts[0], texts[2])

    def test_a_shadow_of_each_block_agrees_and_changes_nothing(self):
        for block, (run, place, _) in BLOCKS.items():
            with self.subTest(block):
                alone = self.results(*run)
                compared = self.results(*run, "--shadow", f"{PLUGIN}:{block}@{place}")
                (shadow,) = compared["shadow"]
                self.assertEqual((shadow["block"], shadow["different"]), (block, 0))
                self.assertGreater(shadow["compared"], 2)
                self.assertEqual(compared["results"], alone["results"])

    def test_a_late_block_is_named_with_its_time(self):
        for block, (run, place, clock) in BLOCKS.items():
            if clock is None or block == "schedule_nic.nic.reduction":
                continue
            with self.subTest(block):
                shadow = f"{PLUGIN}:{block}@{place}"
                told = self.results(*run, "--shadow", shadow, code=1, odd=(block, "late", 0))
                self.assertEqual(told["results"][-1]["status"], "shadow_differs")
                (shadow_told,) = told["shadow"]
                first = shadow_told["first"]
                if block != "blink.gpu.copy_engine":
                    model = ADDERS if block == "netreduce.accelerator.combinator" else 0
                    self.assertEqual(first["fields"], [{"field": "latency", "expected": f"{model} ps", "got": f"{model + clock} ps"}])
                    self.assertEqual(first["ticket"], 0)
                for rule, code in (("late:1", 0), ("data", 0)):
                    self.results(*run, "--shadow", shadow, "--shadow-compare", rule, code=code, odd=(block, "late", 0))

    def test_a_wrong_lane_is_named_with_its_value(self):
        """The plugin flips the lowest bit of lane 3 of the sixth sum."""
        block = "netreduce.accelerator.combinator"
        done = self.run_in_folder("run", *RACK, "--dtype", "i32", "--shadow", f"{PLUGIN}:{block}", code=1, odd=(block, "data", 5))
        lane = re.search(r"sum\[(\d+)\] \(byte \d+\) +(-?\d+) +(-?\d+)", done.stdout)
        self.assertEqual(lane[1], "3")
        self.assertEqual(int(lane[2]) ^ int(lane[3]), 1)
        self.assertIn("request 5", done.stdout)
        last = [json.loads(line) for line in (self.folder / "combinator_first.jsonl").read_text().splitlines()]
        self.assertEqual([line["ticket"] for line in last], [0, 1, 2, 3, 4, 5])
        self.assertIn("last requests in combinator_first.jsonl, waveform in combinator_first.vcd\n", done.stdout)
        wave = (self.folder / "combinator_first.vcd").read_text()
        self.assertIn("$scope module rack.accelerator.combinator $end", wave)
        self.assertRegex(wave, r"\$var wire 1 \S+ differs \$end")
        time = int(re.search(r"time (\d+) ps", done.stdout)[1])
        differs = re.search(r"\$var wire 1 (\S+) differs", wave)[1]
        self.assertRegex(wave, rf"\n#{time}\n(?:[^#]*\n)*1{re.escape(differs)}\n")
        tickets = re.search(r"\$var wire 64 (\S+) ticket", wave)[1]
        self.assertEqual(len(re.findall(rf"\nb[01]+ {re.escape(tickets)}\n", wave)), 6 + 64)

    def test_files_of_a_first_difference(self):
        block = "netreduce.accelerator.clt"
        run = ["run", *RACK, "--quiet", "--shadow", f"{PLUGIN}:{block}"]
        (self.folder / "waves").mkdir()
        self.run_in_folder(*run, "--shadow-dir", "waves", code=1, odd=(block, "late", 0))
        self.assertEqual(sorted(path.name for path in (self.folder / "waves").iterdir()), ["clt_first.jsonl", "clt_first.vcd"])
        self.assertFalse((self.folder / "clt_first.vcd").exists())
        (self.folder / "clt_first.vcd").write_text("platform: rack:4\n")
        self.refused(["'clt_first.vcd' is also an input"], *run, "clt_first.vcd")
        self.assertEqual((self.folder / "clt_first.vcd").read_text(), "platform: rack:4\n")
        self.refused(["--shadow-dir: there is no folder 'none'"], *run, "--shadow-dir", "none")
        self.refused(["--shadow-dir requires --shadow FILE"], "run", *RACK, "--shadow-dir", "waves")

    def test_traces_of_blocks_that_are_not_in_rtl_are_refused(self):
        (self.folder / "record").mkdir()
        none = "--trace-rtl: this run has no block in RTL that was built with TRACE"
        self.refused([none], "run", *RACK, "--trace-rtl", "*")
        self.refused([none], "run", *RACK, "--shadow", f"{PLUGIN}:netreduce.accelerator.clt", "--trace-rtl", "*")
        self.refused(["--trace-rtl-dir: there is no folder 'none'"], "run", *RACK, "--trace-rtl", "*", "--trace-rtl-dir", "none")
        self.refused(["--trace-rtl-dir requires --trace-rtl GLOB"], "run", *RACK, "--trace-rtl-dir", "record")
        self.refused(["--trace-rtl requires --block FILE"], "replay", "record", "--trace-rtl", "*")
        fluid = [*RACK[:2], "--algorithm", "ring", *RACK[4:], "--mode", "fluid"]
        self.refused(["--trace-rtl: flows pass no blocks"], "run", *fluid, "--trace-rtl", "*")

    def test_wrong_answers_and_failures_are_differences(self):
        for name in ("icrc", "clt", "state", "ctt", "headers"):
            block = f"netreduce.accelerator.{name}"
            run, place, _ = BLOCKS[block]
            with self.subTest(block):
                told = self.results(*run, "--shadow", f"{PLUGIN}:{block}@{place}", code=1, odd=(block, "answer", 1))
                self.assertEqual(told["results"][-1]["status"], "shadow_differs")
                self.assertEqual(told["results"][-1]["wrong"], 0)
                told = self.results(*run, "--shadow", f"{PLUGIN}:{block}@{place}", code=1, odd=(block, "throw", 1))
                self.assertEqual(told["shadow"][0]["first"]["fields"][0]["got"], "the odd block has failed")

    def test_places(self):
        table = "nvswitch.switch.reduction_table"
        every = self.results(*PUSH, "--shadow", f"{PLUGIN}:{table}@*")["shadow"]
        self.assertEqual(len(every), 192)
        first = self.results(*PUSH, "--shadow", f"{PLUGIN}:{table}")["shadow"]
        self.assertEqual([shadow["place"] for shadow in first], [every[0]["place"]])
        several = self.results(*RACK, "--shadow", PLUGIN)["shadow"]  # all blocks of the plugin that the platform has
        self.assertEqual(len(several), 8)

    def test_stop_ends_the_run(self):
        block = "netreduce.accelerator.clt"
        told = self.results(*RACK, "--shadow", f"{PLUGIN}:{block}", "--shadow-stop", code=1, odd=(block, "late", 0))
        self.assertEqual((told["results"][-1]["status"], told["results"][-1]["time_ns"]), ("shadow_stopped", None))

    def test_monitors_change_nothing(self):
        for block, (run, place, _) in BLOCKS.items():
            with self.subTest(block):
                self.assertEqual(self.results(*run, "--check-blocks", "all")["results"], self.results(*run)["results"])

    def test_monitors_name_the_block_and_the_rule(self):
        def ended(block, kind, rule, *options):
            run, _, _ = BLOCKS[block]
            done = self.run_in_folder("run", *run, "--quiet", "--json", "run.json", "--plugin", f"{PLUGIN}:{block}", *options, code=3, odd=(block, kind, 3))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            place = re.sub(r"\d", r"\\d", BLOCKS[block][1].rsplit(".", 1)[1])
            self.assertRegex(done.stderr, rf"^tributary: wrong block: \S+\.{place} breaks the rule `{rule}` at \d+ ps: .*\(request \d+: .*0 of 1 messages")
            row = json.loads((self.folder / "run.json").read_text())["results"][0]
            self.assertEqual((row["status"], row["time_ns"]), ("block_wrong", None))
            self.assertIn(row["report"].rstrip("\n"), done.stderr)
            return done.stderr

        said = ended("netreduce.accelerator.combinator", "data", "data", "--dtype", "i32")
        self.assertRegex(said, r"sum\[3\] is -?\d+ in place of -?\d+ \(request 3: ")
        ended("netreduce.accelerator.payloads", "data", "data")
        ended("netreduce.accelerator.clt", "late", "latency", "--check-latency", "3102ps")
        ended("nvswitch.switch.reduction_table", "late", "latency", "--check-latency", "639ps")
        ended("blink.gpu.copy_engine", "third", "room")
        ended("blink.gpu.copy_engine", "early", "done")
        run, _, _ = BLOCKS["netreduce.accelerator.clt"]
        self.run_in_folder("run", *run, "--plugin", f"{PLUGIN}:netreduce.accelerator.clt", "--check-blocks", "foreign", "--check-latency", "3103ps",
                           odd=("netreduce.accelerator.clt", "late", 3))
        self.refused(["--check-latency requires monitors"], "run", *RACK, "--check-latency", "1ns")
        self.refused(["--check-blocks: ", "off, foreign"], "run", *RACK, "--check-blocks", "most")

    def test_each_wrong_answer_ends_in_one_line(self):
        table, tree = "nvswitch.switch.reduction_table", "netreduce.accelerator.ctt"
        i32 = ["--dtype", "i32"]
        cases = [(table, "no_sum", "answer", "`completed` without a result for block"), (table, "count", "complete", "is complete with 7 of 16 operands"),
                 (table, "keep", "keep", "keeps the packet of block"), (table, "slow", "latency", "an interval of 10000000000000 ps"),
                 (table, "past", "time", "next_timeout, 5 ps, lies before the request"), (table, "lose", "complete", "has all 16 operands"),
                 ("netreduce.accelerator.clt", "ring", "ring", "finds ring 9; legal: 1"), ("netreduce.accelerator.clt", "answer", "address", "whose psn is"),
                 (tree, "target", "address", "which has not been taught"), ("netreduce.accelerator.headers", "answer", "data", "another header than was stored"),
                 ("netreduce.accelerator.combinator", "length", "length", "a sum of"), ("netreduce.accelerator.payloads", "status", "answer", "no response status is set"),
                 ("schedule_nic.nic.table", "refuse", "row", "refuses row"), ("schedule_nic.nic.table", "data", "data", "which was written"),
                 ("schedule_nic.nic.reduction", "data", "data", "in place of"), ("schedule_nic.nic.reduction", "length", "length", "elements; legal:"),
                 ("nvswitch.switch.arbiter", "answer", "answer", "it chooses request")]
        for block, kind, rule, words in cases:
            run = PUSH if block == "nvswitch.switch.arbiter" else BLOCKS[block][0]
            with self.subTest(block, kind=kind):
                done = self.run_in_folder("run", *run, *i32, "--quiet", "--plugin", f"{PLUGIN}:{block}", code=3, odd=(block, kind, 2))
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertRegex(done.stderr, rf"^tributary: wrong block: \S+ breaks the rule `{rule}` at \d+ ps: ")
                self.assertIn(words, done.stderr)

    def test_faults_of_deciding_blocks_never_end_in_a_signal(self):
        chance = random.Random(2)
        for block, (run, _, _) in BLOCKS.items():
            for kind in ("answer", "data", "late", "throw"):
                for monitors in ("off", "foreign"):
                    odd = (block, kind, chance.randrange(40))
                    with self.subTest(block, odd=odd, monitors=monitors):
                        environment = {**os.environ, **dict(zip(("ODD_BLOCK", "ODD_FAULT", "ODD_FIRST"), map(str, odd)))}
                        done = subprocess.run([TRIBUTARY, "run", *run, "--quiet", "--plugin", f"{PLUGIN}:{block}", "--check-blocks", monitors],
                                              capture_output=True, text=True, check=False, env=environment, timeout=120)
                        self.assertIn(done.returncode, (0, 1, 3), done.stderr)

    def test_replay_compares_a_plugin(self):
        block = "netreduce.accelerator.combinator"
        self.record(RACK, "*.combinator", "record")
        self.assertIn(" 0 different", self.run_in_folder("replay", "record", "--block", PLUGIN).stdout)
        said = self.run_in_folder("replay", "record", "--block", PLUGIN, code=1, odd=(block, "late", 0)).stdout
        self.assertRegex(said, rf"latency +{ADDERS} ps +{ADDERS + 3103} ps")
        self.assertIn(f"latency {ADDERS + 3103} ps (23 clocks)", said)
        self.run_in_folder("replay", "record", "--block", PLUGIN, "--compare", "late:1", "--csv", "times.csv", odd=(block, "late", 0))
        rows = (self.folder / "times.csv").read_text().splitlines()
        self.assertEqual(rows[0], "kind,time_ps,count")
        self.assertRegex(rows[-1], rf"^latency,{ADDERS + 3103},\d+$")
        said = self.run_in_folder("replay", "record", "--block", PLUGIN, code=3, odd=(block, "throw", 4)).stderr
        self.assertRegex(said, r"record/transactions.jsonl:5: the block: the odd block has failed\n$")

    def test_the_limit_of_a_record(self):
        record = self.record(RACK, "*.clt", "record", "--record-limit", "10")
        header = json.loads((record / "record.json").read_text())
        self.assertEqual((header["transactions"], header["complete"]), (10, False))
        self.assertIn("10 transactions, 0 different", self.run_in_folder("replay", "record").stdout)

    def test_several_records(self):
        self.run_in_folder("run", *RACK, "--record-block", "*.clt", "--record-block", "*.combinator", "--record", "all")
        self.assertEqual(sorted(path.name.rsplit(".", 1)[1] for path in (self.folder / "all").iterdir()), ["clt", "combinator"])

    def refused(self, words, *arguments):
        done = self.run_in_folder(*arguments, code=2)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_bad_options(self):
        self.refused(["--shadow-compare requires --shadow FILE"], "run", *RACK, "--shadow-compare", "all")
        self.refused(["--shadow-compare: ", "legal: all, data, late:N"], "run", *RACK, "--shadow", PLUGIN, "--shadow-compare", "most")
        self.refused(["--shadow: there is no plugin"], "run", *RACK, "--shadow", "missing.so")
        self.refused(["--shadow: no block has the name '*.nowhere'", "did you mean"], "run", *RACK, "--shadow", f"{PLUGIN}@*.nowhere")
        self.refused(["no instance of"], "run", *PUSH, "--shadow", f"{PLUGIN}:netreduce.accelerator.clt")
        self.refused(["--record requires --record-block"], "run", *RACK, "--record", "record")
        self.refused(["--record-block requires --record DIR"], "run", *RACK, "--record-block", "*.clt")
        self.refused(["--record-block: no block has the name '*.cltt'"], "run", *RACK, "--record-block", "*.cltt", "--record", "record")
        self.refused(["--mode windowed or event"], "run", *PUSH, "--mode", "fluid", "--record-block", "*.table", "--record", "record")
        self.refused(["DIR is missing"], "replay")
        self.refused(["nowhere/record.json"], "replay", "nowhere")
        self.record(RACK, "*.clt", "record")
        self.refused(["--compare: "], "replay", "record", "--compare", "none")
        self.refused(["the plugin has no block netreduce.accelerator.clt"], "replay", "record", "--block", f"{PLUGIN}:netreduce.accelerator.ctt")

    def test_bad_records_are_refused_with_file_line_and_key(self):
        record = self.record(RACK, "*.clt", "record", "--record-limit", "20")
        lines = (record / "transactions.jsonl").read_text().splitlines()
        cases = [("no JSON", lambda line: line[:-2]), ("key `time` is missing", lambda line: re.sub(r'"time":\d+,', "", line)),
                 ("key `ticket` is 99", lambda line: re.sub(r'"ticket":\d+', '"ticket":99', line)),
                 ("`psn`", lambda line: re.sub(r'"psn":\d+,?', "", line, count=1).replace(",}", "}")),
                 ("key `delay` is unknown", lambda line: line.replace("{", '{"delay":1,', 1)),
                 ("`command`", lambda line: re.sub(r'"command":"\w+"', '"command":"erase"', line))]
        for word, change in cases:
            with self.subTest(word):
                (record / "transactions.jsonl").write_text("\n".join([*lines[:7], change(lines[7]), *lines[8:], ""]))
                self.refused([word, "record/transactions.jsonl:8"], "replay", "record")
        (record / "transactions.jsonl").write_text("\n".join([*lines[:-1], ""]))
        self.refused(["has 19 transactions", "is 20"], "replay", "record")

    def test_mutated_records_never_end_in_a_signal(self):
        """Each block's record with random changes of its text: exit code 0, 1 or 2, and one line for 2."""
        chance = random.Random(1)
        words = ["0", "1", "65535", "4294967295", "18446744073709551615", "null", "true", '"x"', "-1", "1e9", "{}", "[]"]
        for block, (run, place, _) in BLOCKS.items():
            record = self.record(run, place, "record", "--record-limit", "60")
            originals = {name: (record / name).read_text() for name in ("record.json", "transactions.jsonl")}
            for _ in range(12):
                for name, text in originals.items():
                    values = [m.span(1) for m in re.finditer(r':\s*("[^"]*"|\d+|true|false|null)', text)]
                    for _ in range(chance.randrange(0, 3)):
                        begin, end = chance.choice(values)
                        if end < len(text):
                            text = text[:begin] + chance.choice(words) + text[end:]
                        values = [m.span(1) for m in re.finditer(r':\s*("[^"]*"|\d+|true|false|null)', text)]
                    (record / name).write_text(text)
                done = subprocess.run([TRIBUTARY, "replay", record], capture_output=True, text=True, check=False, timeout=60)
                self.assertIn(done.returncode, (0, 1, 2), f"{block}\n{done.stderr}\n{text[:2000]}")
                if done.returncode == 2:
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_the_page_lists_every_field(self):
        page = (SOURCE / "docs/block_records.md").read_text()
        for block, (run, place, _) in BLOCKS.items():
            record = self.record(run, place, "record")
            keys = set()
            for line in (record / "transactions.jsonl").read_text().splitlines():
                access = json.loads(line)
                keys.update(access.get("request", {}), access.get("answer", {}))
            for key in keys:
                shown = re.sub(r"\d+", "N", key)
                with self.subTest(block, key=shown):
                    group, _, name = shown.rpartition(".")
                    self.assertTrue(any(f"`{text}`" in page for text in (shown, name, f"{group}.*")), shown)

    def test_stimulus_replays_to_itself_and_is_the_same_twice(self):
        rows = [line.split()[:2] for line in tributary("list", "stimulus").stdout.splitlines()[1:]]
        self.assertGreater(len(rows), 40)
        for block, case in rows:
            with self.subTest(block, case=case):
                texts = []
                for folder in ("one", "two"):
                    said = self.run_in_folder("stimulus", block, "-o", folder, "--case", case, "--count", 300).stdout
                    texts.append((self.folder / folder / "transactions.jsonl").read_text())
                self.assertEqual(*texts)
                count = len(texts[0].splitlines())
                self.assertIn(f"{count} transaction", said)
                self.assertTrue(count == 300 if case == "random" else 0 < count < 300, count)
                self.assertIn(f"{count} transaction", self.run_in_folder("replay", "one").stdout)
                # The arbiter of the plug-in chooses the first request; with 64 ports each output is requested once.
                differs = block == "nvswitch.switch.arbiter" and case != "64_ports"
                self.run_in_folder("replay", "one", "--block", PLUGIN, code=int(differs))
        # Copies of fewer packets than links occur among many copies alone; each lane has a packet.
        self.run_in_folder("stimulus", "blink.gpu.copy_engine", "-o", "many", "--count", 1000, code=0)
        self.refused(["unknown block with stimulus", "did you mean netreduce.accelerator.clt"], "stimulus", "netreduce.accelerator.cltt", "-o", "x")
        self.refused(["--case: unknown case", "evict_lru"], "stimulus", "nvswitch.switch.reduction_table", "-o", "x", "--case", "evict")
        self.refused(["--set: unknown key", "timeout"], "stimulus", "nvswitch.switch.reduction_table", "-o", "x", "--set", "time=3")
        self.refused(["-o DIR is missing"], "stimulus", "netreduce.accelerator.clt")

    def answers(self, block, case):
        """Returns command and answer of each transaction of a case."""
        self.run_in_folder("stimulus", block, "-o", case, "--case", case)
        lines = [json.loads(line) for line in (self.folder / case / "transactions.jsonl").read_text().splitlines()]
        return [(line["request"], line["answer"]) for line in lines]

    def test_an_arbiter_serves_requests_in_turn(self):
        """Two rounds of 16 inputs, four resources in turn, and a resource that is refused and keeps its turn."""
        arbiter = "nvswitch.switch.arbiter"

        def grants(case):
            return [(r["request0.input"], r["request0.resource"]) for r, _ in self.answers(arbiter, case) if r["command"] == "grant"]

        self.assertEqual([chosen for chosen, _ in grants("all_request_one")], 2 * list(range(16)))
        self.assertEqual([resource for _, resource in grants("resource_turns")], 8 * [0, 1, 2, 3])
        # Resource 0 is refused in two of three offers; the other takes them, and each resource serves its inputs in turn.
        refused = grants("refused_keeps_turn")
        self.assertEqual([resource for _, resource in refused], [1, 1, 0] * 10 + [1, 1])
        for resource in (0, 1):
            inputs = [chosen for chosen, of in refused if of == resource]
            self.assertEqual(inputs, [number % 16 for number in range(len(inputs))])
        self.assertEqual([chosen for chosen, _ in grants("64_ports")], 2 * [0] * 64)
        for case in ("random", "64_ports"):
            self.run_in_folder("stimulus", arbiter, "-o", f"{case}.record", *(() if case == "random" else ("--case", case)))
            self.assertIn(" 0 different", self.run_in_folder("replay", f"{case}.record").stdout)

    def test_a_shadow_of_an_arbiter_changes_nothing(self):
        place = "*.switch0_2.arbiter"
        alone = self.results(*PUSH)
        compared = self.results(*PUSH, "--shadow", f"{PLUGIN}:nvswitch.switch.arbiter@{place}", code=1)
        (shadow,) = compared["shadow"]
        self.assertEqual((shadow["block"], shadow["place"]), ("nvswitch.switch.arbiter", "dgx2.switch0_2.arbiter"))
        self.assertGreater(shadow["compared"], 1000)
        self.assertGreater(shadow["different"], 0)  # the first request has priority
        self.assertEqual([{**row, "status": "done"} for row in compared["results"]], alone["results"])

    def test_beats_of_an_arbiter(self):
        """A grant in the clock of its requests is one of them."""
        self.record(PUSH, "*.switch0_2.arbiter", "arbiter")
        record = self.beats("arbiter")
        clocks = {}
        for asked, got in zip(record.beats("s"), record.beats("grant"), strict=True):
            self.assertEqual(got.edge, asked.edge)
            self.assertEqual(asked.values["req"] >> got.values["requester"] & 1, 1)
            clocks[asked.edge] = got.values["requester"], asked.values["output"]
        for taken in record.beats("take"):
            self.assertEqual(clocks[taken.edge - 1], (taken.values["requester"], taken.values["output"]))

    def test_cases_reach_what_they_name(self):
        table = "nvswitch.switch.reduction_table"
        # Four entries; block 0 is used again, so block 1 is the first that leaves.
        evicted = [answer["evicted.address"] // 128 for _, answer in self.answers(table, "evict_lru") if "evicted.address" in answer]
        self.assertEqual(evicted[:3], [1, 2, 3])
        self.assertEqual([a["answer"] for r, a in self.answers(table, "pull_refused")], ["inserted"] * 4 + ["refused"])
        self.assertEqual([a["answer"] for r, a in self.answers(table, "bypass_all_pull")], ["inserted"] * 4 + ["bypassed"])
        two = [(r["command"], a["answer"]) for r, a in self.answers(table, "two_timeouts_at_once")]
        self.assertEqual(two, [("push", "inserted"), ("push", "inserted"), ("expire", "inserted"), ("expire", "inserted"), ("push", "inserted")])
        verdicts = [a["verdict"] for _, a in self.answers("netreduce.accelerator.clt", "older_message")]
        self.assertEqual(verdicts, ["found", "found", "stale"])  # q = -3 = -(2N - 1) is the oldest that is found
        wrapped = [a["offset"] for _, a in self.answers("netreduce.accelerator.clt", "psn_wrap")]
        self.assertEqual(wrapped, [0, 3, 4, 7])
        for request, answer in self.answers("netreduce.accelerator.combinator", "i32_wrap"):
            lane = int.from_bytes(bytes.fromhex(answer["sum"])[:4], "little", signed=True)
            self.assertEqual(lane, (request["operands"] * (2**31 - 1) + 2**31) % 2**32 - 2**31)
        self.check_corners_of_floats()
        arrivals = [a.get("arrival") for _, a in self.answers("netreduce.accelerator.state", "duplicate")]
        self.assertEqual(arrivals, [None, "stored", "stored", "completed", "duplicate", "duplicate"])
        stale = [a.get("arrival") for _, a in self.answers("netreduce.accelerator.state", "stale")]
        self.assertEqual((stale[-3:], stale.count("stale")), (["completed", "stale", "stale"], 2))
        right = [a["right"] for _, a in self.answers("netreduce.accelerator.icrc", "wrong")]
        self.assertEqual(right, [True, True, True, False, True])  # the second has a wrong FCS alone
        first = [a.get("port") for _, a in self.answers("netreduce.switch.access_list", "first_match")]
        self.assertEqual(first[-1], 1)
        redirected = [a.get("redirected") for _, a in self.answers("netreduce.switch.access_list", "no_match")]
        self.assertEqual(redirected[2:], [True, False, False, False, False])
        rows = [a["response"] for _, a in self.answers("schedule_nic.nic.table", "last_row")]
        self.assertEqual(rows, ["ok", "ok", "address_error", "address_error"])

    def check_corners_of_floats(self):
        """Sums of two operands are those of Python's floats, rounded to binary32. A sum of two binary32 in binary64 may round twice, but to the same number."""
        seen = set()
        for request, answer in self.answers("netreduce.accelerator.combinator", "f32_corners"):
            if request["operands"] != 2:
                continue
            a, b, sums = (struct.unpack("<256f", bytes.fromhex(text)) for text in (request["operand0"], request["operand1"], answer["sum"]))
            for x, y, got in zip(a, b, sums):
                if math.isnan(x + y):
                    seen.add("NaN of infinities" if math.isinf(x) and math.isinf(y) else "NaN")
                    self.assertTrue(math.isnan(got))
                    continue
                try:
                    (rounded,) = struct.unpack("<f", struct.pack("<f", x + y))
                except OverflowError:
                    rounded = math.copysign(math.inf, x + y)
                    seen.add("overflow")
                self.assertEqual(struct.pack("<f", got), struct.pack("<f", rounded), (x, y))
                seen |= {name for name, holds in (("zero", x == -y != 0), ("rounded", rounded not in (x + y, x, y)), ("lost", y != 0 and rounded == x != 0),
                                                  ("subnormal", 0 < abs(rounded) < 2**-126)) if holds}
                (bits,) = struct.unpack("<I", struct.pack("<f", rounded))
                if math.isfinite(rounded) and abs(x + y - rounded) * 2 == math.ulp(1) * 2**29 * 2.0**(max(bits >> 23 & 255, 1) - 127):
                    seen.add("tie")
        self.assertEqual(seen, {"NaN", "NaN of infinities", "overflow", "zero", "rounded", "lost", "subnormal", "tie"})

    def beats(self, name):
        """A record with its beats, whose texts have the form that record.json states."""
        sys.path.insert(0, str(SOURCE / "testbench/examples/records"))
        from tributary_record import Record  # pylint: disable=import-outside-toplevel

        record = Record(self.folder / name)
        widths = {}
        for pin in tributary("list", "pins").stdout.splitlines()[1:]:
            block, pin_name, _, bits, _ = pin.split(None, 4)
            widths[block, pin_name] = bits
        header = json.loads((record.folder / "record.json").read_text())["beats"]
        self.assertNotIn("ended", header)
        for file in record.files:
            text = (record.folder / file["file"]).read_text()
            self.assertEqual(file["sha256"], hashlib.sha256(text.encode()).hexdigest())
            lines = text.splitlines()
            self.assertEqual(len(lines), file["beats"])
            for column in file["columns"]:
                if column["name"] not in ("edge", "mask"):
                    text = re.sub("[A-Z]+", lambda p: str(header["parameters"][p[0]]), widths[header["block"], f"{file['channel']}_{column['name']}"])
                    self.assertEqual(column["bits"], math.prod(map(int, text.split("*"))))
            for line in lines:
                for column, word in zip(file["columns"], line.split(" "), strict=True):
                    decimal = column["name"] == "edge" or (column["bits"] < 64 and column["name"] != "mask")
                    self.assertRegex(word, r"^\d+$" if decimal else rf"^[0-9a-f]{{{(column['bits'] + 3) // 4}}}$")
            edges = [beat.edge for beat in record.beats(file["channel"], file["unit"])]
            self.assertEqual(edges, sorted(set(edges)))
        return record

    def test_beats_of_a_combinator(self):
        """Each sum is that of its operands, a clock and two levels of adders later."""
        self.record(RACK, "*.combinator", "record", "--dtype", "i32")
        record = self.beats("record")
        compared = 0
        for asked, got in zip(record.beats("s"), record.beats("m"), strict=True):
            self.assertEqual(got.edge - asked.edge, 1 + 2 * 11)
            self.assertEqual((got.values["id"], got.values["last"]), (asked.values["id"], asked.values["last"]))
            lanes = [0] * 16
            for rank in range(4):
                for lane in range(16):
                    lanes[lane] += asked.values["data"] >> (512 * rank + 32 * lane)
            data = sum((lane % 2**32) << (32 * i) for i, lane in enumerate(lanes))
            keep = (2**512 - 1) >> (8 * asked.values["skip"]) << (8 * asked.values["skip"])
            self.assertEqual((got.masks["data"], got.values["data"] & keep), (keep, data & keep))
            compared += 1
        self.assertEqual(compared, 16 * record.transactions)  # slots of 1 KiB

    def test_beats_of_memories_read_what_was_written_at_an_earlier_edge(self):
        self.record(RACK, "*.payloads", "record")
        record = self.beats("record")
        rows = 0
        for bank in range(4):
            memory = {}
            writes = {beat.edge: beat.values for beat in record.beats("w", bank)}
            reads = list(record.beats("r", bank))
            for asked, got in zip(reads, record.beats("m", bank), strict=True):
                for edge in [edge for edge in writes if edge < asked.edge]:
                    row = writes.pop(edge)
                    memory[row["row"]] = row["data"]
                self.assertEqual((got.edge, got.values["data"]), (asked.edge + 1, memory[asked.values["row"]]))
                rows += 1
        self.assertGreater(rows, 4 * 16 * 20)
        self.record(TORUS, "*.nic3.nic.table", "table", "--set", "schedule_nic.nic.table.read=4ns")
        record = self.beats("table")
        memory, answers = {}, record.beats("a")
        for beat in record.beats("s"):
            if beat.values["write"]:
                memory[beat.values["row"]] = beat.values["wdata"]
                continue
            answer = next(answers)
            self.assertEqual((answer.edge, answer.values["rdata"]), (beat.edge + 4, memory[beat.values["row"]]))
        self.assertEqual(list(answers), [])

    def test_beats_of_tables_and_of_a_reduction_unit(self):
        for name, (run, place, _) in BLOCKS.items():
            if name.rsplit(".", 1)[1] in ("clt", "ctt"):
                self.record(run, place, "record")
                record = self.beats("record")
                asked, got = list(record.beats("s")), list(record.beats("a" if name.endswith("clt") else "m"))
                self.assertEqual([beat.values["id"] for beat in asked], [(i + 1) % 256 for i in range(record.transactions)])
                self.assertEqual(got[0].edge, asked[0].edge + 2)  # lookup_cycles
                if name.endswith("clt"):
                    self.assertEqual(len(got), len(asked))
                    verdicts = ["found", "unknown", "refused", "stale"]
                    for access, beat in zip(record, got):
                        self.assertEqual(verdicts[beat.values["verdict"]], access.answer["verdict"])
                        found = access.answer["verdict"] == "found"
                        self.assertEqual(beat.masks["offset"], 0xFFFF if found else 0)
                        self.assertEqual(beat.values["offset"], access.answer.get("offset", 0))
                else:
                    targets = sum(max(1, access.answer.get("targets", 1)) for access in record)
                    self.assertEqual(len(got), targets)
                    self.assertEqual(sum(beat.values["last"] for beat in got), len(asked))
        self.record(TORUS, "*.nic3.nic.reduction", "unit", "--dtype", "i32", "--set", "schedule_nic.nic.reduction.units=4", "--set", "schedule_nic.nic.reduction.width=16",
                    "--set", "schedule_nic.nic.reduction.cycles=2")
        record = self.beats("unit")
        passes = 0
        for asked, got in zip(record.beats("s"), record.beats("m"), strict=True):
            for lane in range(64):
                at = 32 * lane
                if asked.values["keep"] >> lane & 1:
                    added = (asked.values["sum"] >> at) + (asked.values["operand"] >> at)
                    self.assertEqual((got.values["data"] >> at) % 2**32, added % 2**32)
                self.assertEqual((got.masks["data"] >> at) % 2**32, 2**32 - 1 if asked.values["keep"] >> lane & 1 else 0)
            self.assertEqual(got.edge, asked.edge + 2)
            passes += 1
        self.assertGreater(passes, 100)

    def test_beats_of_a_reduction_table(self):
        """Each sum is that of its operands, two clocks after the last of them; a header is decided in the next clock."""
        self.record(("--platform", "dgx2", "--algorithm", "push", "--size", "64KiB"), "*.switch0_2.port5.table", "table", "--dtype", "i32",
                    "--set", "nvswitch.switch.reduction_table.bytes=4KiB", "--set", "nvswitch.switch.reduction_table.add_cycles=2")
        record = self.beats("table")
        headers, sums, leaving = {}, {}, []
        for beat in record.beats("s"):
            if beat.values["header"]:
                headers[beat.values["id"]] = (beat.edge, beat.values)
                tag, number = beat.values["tag"], 0
            else:
                sums.setdefault(tag, {}).setdefault(number, []).append((beat.edge, beat.values["data"]))
                number += 1
        for answer in record.beats("a"):
            edge, asked = headers[answer.values["id"]]
            self.assertEqual(answer.edge, edge + 1)
            if answer.values["answer"] == 2 and asked["command"] == 0:
                self.assertEqual(answer.values["operands"], 16)
                leaving += [(asked["tag"], beat, answer.values["id"]) for beat in range(8)]
        self.assertGreater(len(leaving), 0)
        for (tag, number, identity), got in zip(leaving, record.beats("m"), strict=True):
            operands = sums[tag][number]
            self.assertEqual(len(operands), 16)
            lanes = [sum(data >> (32 * lane) for _, data in operands) % 2**32 for lane in range(4)]
            self.assertEqual((got.edge, got.values["data"]), (operands[-1][0] + 2, sum(value << (32 * lane) for lane, value in enumerate(lanes))))
            self.assertEqual((got.values["id"], got.values["last"]), (identity, number == 7))

    def test_beats_of_a_copy_engine(self):
        """The bursts of a copy have its bytes, in order on each lane; a lane holds at most two that have not begun to leave."""
        self.record(("--platform", "dgx1v", "--algorithm", "blink", "--size", "1MiB"), "*.gpu1.engine0", "engine", "--set", "blink.copy.clock=1ns")
        record = self.beats("engine")
        copies, ends = list(record.beats("s")), list(record.beats("done"))
        self.assertEqual([(beat.values["address"], beat.values["bytes"]) for beat in record.beats("rd")],
                         [(beat.values["source"], beat.values["bytes"]) for beat in copies])
        self.assertEqual([beat.values["copy"] for beat in ends], [beat.values["copy"] for beat in copies])
        sent, events = [[] for _ in copies], []
        for beat in record.beats("m"):
            copy = next(number for number, end in enumerate(ends) if end.edge >= beat.edge)
            for lane in range(6):
                if beat.values["lanes"] >> lane & 1:
                    size, offset = beat.values["bytes"] >> (32 * lane) & 0xFFFFFFFF, beat.values["offset"] >> (64 * lane) & (2**64 - 1)
                    sent[copy].append((offset, size))
                    events.append((beat.edge, 1, lane))
        for beat, bursts in zip(copies, sent, strict=True):
            at = 0
            for offset, size in sorted(bursts):
                self.assertEqual(offset, at)
                at += size
            self.assertEqual(at, beat.values["bytes"])
        room = [(beat.edge, -1, beat.values["lanes"].bit_length() - 1) for beat in record.beats("room")]
        for end, bursts in zip(ends, sent):
            held, inside = [0] * 6, [event for event in sorted(events + room) if event[0] <= end.edge]
            for event in inside:
                held[event[2]] += event[1]
                self.assertIn(held[event[2]], (0, 1, 2))
            self.assertEqual(sum(change == 1 for _, change, _ in inside), len(bursts))
            events, room = [e for e in events if e[0] > end.edge], [e for e in room if e[0] > end.edge]

    def test_beats_that_pins_cannot_express_end_with_the_reason(self):
        def ended(run, place, *options):
            record = self.record(run, place, "record", *options)
            header = json.loads((record / "record.json").read_text())
            shutil.rmtree(record)
            return header.get("beats", {}).get("ended"), header["transactions"]

        self.assertEqual(ended(TORUS, "*.nic3.nic.reduction")[0], "request 0: a beat of 1064966 bits (legal: at most 65536)")
        self.assertEqual(ended(TORUS, "*.nic3.nic.reduction", "--dtype", "f16", "--set", "schedule_nic.nic.reduction.width=16")[0],
                         "request 0: elements of 16 bits (legal: 32)")
        reason, transactions = ended([*RACK[:-2], "--sizes", "64KiB:128KiB:x2"], "*.combinator")
        self.assertEqual(reason, "the record has several messages, and beats are those of the first")
        self.assertGreater(transactions, 10)

    def test_the_python_reader(self):
        self.record(RACK, "*.combinator", "record", "--dtype", "i32")
        sys.path.insert(0, str(SOURCE / "testbench/examples/records"))
        from tributary_record import Record  # pylint: disable=import-outside-toplevel

        record = Record(self.folder / "record")
        self.assertEqual(record.block, "netreduce.accelerator.combinator")
        sums = 0
        for access in record:
            if "sum" not in access.answer:
                continue
            skip = access.request["skip"]
            operands = [access.lanes(access.request[f"operand{r}"])[skip // 4:] for r in range(access.request["operands"])]
            wanted = [(sum(lane) + 2**31) % 2**32 - 2**31 for lane in zip(*operands)]
            self.assertEqual(access.lanes(access.answer["sum"]), wanted)
            sums += 1
        self.assertGreater(sums, 10)
        self.assertEqual(len(list(record)), record.transactions)


if __name__ == "__main__":
    run_tests()
