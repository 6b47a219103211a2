"""Runs whose memory runs out: one status and exit code, wherever the allocation fails, and finished rows are kept.

usage: test_out_of_memory.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import json
import pathlib
import resource
import subprocess
import tempfile
import unittest

from executable import SANITIZED, SOURCE, TRIBUTARY, run_tests, tributary


@unittest.skipIf(SANITIZED, "sanitizers reserve the address space")
class Memory(unittest.TestCase):
    """A limit of the address space makes allocations fail, as ulimit -v does."""

    def limited(self, megabytes, *arguments):
        return subprocess.run([TRIBUTARY, *arguments, "--quiet"], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20)))

    def check(self, megabytes, *arguments, finished=0, messages=1):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "out.json")
            done = self.limited(megabytes, "run", *arguments, "--json", str(path), "--csv", folder + "/out.csv")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(f"tributary: out of memory: {finished} of {messages} messages done and kept\n", done.stderr)
            for line in ("terminate called", "uncaught exception"):
                self.assertNotIn(line, done.stderr)
            rows = json.loads(path.read_text())["results"]
            self.assertEqual([row["status"] for row in rows], ["done"] * finished + ["out_of_memory"])
            self.assertIsNone(rows[-1]["time_ns"])
            self.assertIsNone(rows[-1]["wire_bytes"])
            cells = list(csv.DictReader(pathlib.Path(folder, "out.csv").read_text().splitlines()))
            self.assertEqual([row["status"] for row in cells], ["done"] * finished + ["out_of_memory"])

    def test_while_the_machine_is_made(self):
        self.check(200, "--platform", "rack:8", "--algorithm", "ring", "--size", "16MiB")

    def test_inside_a_process(self):
        # Workers send packets again faster than packets leave, so queues grow without limit.
        self.check(700, "--platform", "tofino:4", "--algorithm", "atp", "--sizes", "4B:8KiB:x2048", "--set", "tofino.atp.packet_time=1ms",
                   "--set", "watchdog.window=1000s", finished=1, messages=2)

    def train(self, megabytes, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = self.limited(megabytes, "train", "--platform", "dgx2", "--model", "resnet18", "--gpus", "16", "--algorithm", "ring", *arguments,
                                "--json", folder + "/t.json", "--csv", folder + "/t.csv")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, r"(^|\n)tributary: out of memory: ")
            self.assertNotIn("uncaught exception", done.stderr)
            document = json.loads(pathlib.Path(folder, "t.json").read_text())
            self.assertEqual((document["status"], document["iterations"], document["period_ns"]), ("out_of_memory", [], None))
            self.assertIn("no more memory", document["report"])
            schema = json.loads((SOURCE / "docs/schema/train.schema.json").read_text())
            self.assertEqual(set(schema["required"]) - set(document), set())
            (row,) = csv.DictReader(pathlib.Path(folder, "t.csv").read_text().splitlines())
            self.assertEqual((row["status"], row["time_ns"]), ("out_of_memory", ""))
            return document["transfers"]

    def test_a_step_of_training_keeps_the_transfers_that_have_ended(self):
        self.assertTrue(all(transfer["time_ns"] > 0 for transfer in self.train(90)))
        self.assertEqual(self.train(90, "--fidelity", "full"), [])

    def test_flows_that_need_too_much_are_refused_beforehand(self):
        used = {}
        done = tributary("run", "--platform", "spine_leaf:32x32", "--mode", "fluid", "--algorithm", "ring", "--size", "1TiB", "--no-data", used=used)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"^tributary: error: the run needs [\d.]+ [GTP]B of memory[^,]*, and [\d.]+ [kMGT]B are free in the (machine|cgroup)")
        self.assertLess(used["bytes"], 1e9)


if __name__ == "__main__":
    run_tests()
