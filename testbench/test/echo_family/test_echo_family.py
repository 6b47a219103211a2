"""A separate family, added with new files alone: two devices that echo packets. It is listed, runs, traces, reports and sweeps.

usage: test_echo_family.py TRIBUTARY_ECHO SOURCE_DIRECTORY TRIBUTARY
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ECHO, SOURCE, PRODUCT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
RUN = ("run", "--platform", "echo_pair")


def call(*arguments, program=ECHO):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)


class EchoFamily(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def done(self, *arguments):
        ended = call(*arguments)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return ended.stdout

    def result(self, *arguments):
        return json.loads(call(*RUN, "--json", "-", *arguments).stdout)

    def test_it_is_listed_with_the_others(self):
        self.assertRegex(self.done("list", "platforms"), r"(?m)^echo_pair +2 +")
        self.assertRegex(self.done("list", "platforms"), r"(?m)^dgx2 ")
        self.assertRegex(self.done("list", "algorithms"), r"(?m)^barrier +echo +.*platforms of two that echo only$")
        self.assertIn("echo_pair.echo1.delivered", self.done("list", "probes", "--platform", "echo_pair"))
        self.assertRegex(self.done("list", "parameters"), r"(?m)^echo\.device\.turnaround +5ns ")

    def test_a_run_takes_the_time_of_its_arithmetic(self):
        # Two flits of 16 B at 25 GB/s, 20 ns of wire, 5 ns in the peer, and the same path back; both packets run
        # concurrently.
        row = self.result()["results"][0]
        self.assertEqual((row["status"], row["wrong"], row["wire_bytes"]), ("done", 0, 4 * 32))
        self.assertAlmostEqual(row["time_ns"], 2 * (2 * 16 / 25 + 20) + 5, delta=0.002)
        self.assertEqual(row["counters"]["echo.echoes"], 2)
        self.assertGreaterEqual(row["bound_GBps"], row["algbw_GBps"])

    def test_a_driver_may_learn_from_one_iteration_to_the_next(self):
        # A header flit and one for each 16 B. Below 16 B there is no gain: the driver goes back to 16 B and keeps it.
        payloads, flits = (128, 64, 32, 16, 8, 16, 16), {128: 9, 64: 5, 32: 3, 16: 2, 8: 2}
        adaptive = (*RUN, "--algorithm", "adaptive", "--size", "128B")
        document = json.loads(call(*adaptive, "--iterations", "7", "--json", "-").stdout)
        rows = document["results"]
        self.assertEqual(document["iterations"], 7)
        self.assertEqual([row["iteration"] for row in rows], list(range(7)))
        self.assertEqual([row["tuned"] for row in rows], [{"payload": payload} for payload in payloads])
        self.assertEqual({row["size_bytes"] for row in rows}, {128})
        for row, payload in zip(rows, payloads):
            self.assertAlmostEqual(row["time_ns"], 2 * (flits[payload] * 16 / 25 + 20) + 5, delta=0.002)
            self.assertEqual((row["wrong"], row["wire_bytes"]), (0, 4 * 16 * flits[payload]))
        table = self.done(*adaptive, "--iterations", "3", "--csv", str(self.folder / "r.csv")).splitlines()
        self.assertEqual([line.split()[0] for line in table[3:] if not line.startswith("#")], ["0", "1", "2"])
        self.assertTrue(table[1].startswith("iter ") and table[5].endswith(" payload=32B"), table)
        with open(self.folder / "r.csv", encoding="utf-8") as file:
            cells = [(row["iteration"], row["tuned"]) for row in csv.DictReader(file)]
        self.assertEqual(cells, [("0", "payload=128B"), ("1", "payload=64B"), ("2", "payload=32B")])

    def test_without_iterations_messages_do_not_depend_on_each_other(self):
        sweep = self.result("--algorithm", "adaptive", "--sizes", "64B:128B:x2")["results"]
        alone = self.result("--algorithm", "adaptive", "--size", "128B")["results"]
        self.assertEqual(sweep[1], alone[0])
        self.assertEqual(alone[0]["tuned"], {"payload": 128})
        self.assertNotIn("iteration", alone[0])

    def test_each_size_has_separate_iterations(self):
        rows = self.result("--algorithm", "adaptive", "--sizes", "64B:128B:x2", "--iterations", "2")["results"]
        self.assertEqual([(row["size_bytes"], row["iteration"], row["tuned"]["payload"]) for row in rows],
                         [(64, 0, 64), (64, 1, 32), (128, 0, 128), (128, 1, 64)])

    def test_a_sweep_can_have_iterations(self):
        scenario = self.folder / "s.yaml"
        scenario.write_text("platform: echo_pair\nalgorithm: [echo, adaptive]\nsize: 64B\niterations: 2\n")
        self.done("sweep", str(scenario), "--out", str(self.folder / "out"), "--quiet")
        with open(self.folder / "out" / "results.csv", encoding="utf-8") as file:
            rows = [(r["algorithm"], r["iteration"], r["tuned.payload"]) for r in csv.DictReader(file)]
        self.assertEqual(rows, [("echo", "0", ""), ("echo", "1", ""), ("adaptive", "0", "64"), ("adaptive", "1", "32")])

    def test_both_modes_agree(self):
        windowed, event = (self.result("--mode", engine)["results"] for engine in ("windowed", "event"))
        self.assertEqual(windowed, event)

    def test_the_later_device_determines_the_time(self):
        slow = self.result("--set", "echo.device.turnaround=1us")["results"][0]
        self.assertAlmostEqual(slow["time_ns"], 2 * (2 * 16 / 25 + 20) + 1000, delta=0.002)

    def test_results_name_its_endpoints_and_its_parameters(self):
        document = self.result()
        self.assertEqual((document["platform"], document["ranks"]), ("echo_pair", 2))
        self.assertIn("echo.device.turnaround", document["parameters"])
        self.assertFalse([path for path in document["parameters"] if path.startswith(("nvswitch.", "schedule_nic."))])
        self.assertIn("2 echoes, barrier echo", self.done(*RUN))
        self.assertNotIn("cost", document)

    def test_it_has_a_waveform(self):
        file = self.folder / "w.vcd"
        self.done(*RUN, "--vcd", str(file), "--trace", "*.echoes", "--quiet")
        self.assertIn("echoes", file.read_text())
        self.assertTrue((self.folder / "w.vcd.gtkw").exists())

    def test_a_sweep_can_run_over_families(self):
        scenario = self.folder / "s.yaml"
        scenario.write_text("platform: [echo_pair, dgx2]\ncollective: barrier\ngpus: 2\nsize: [4B, 128B]\n")
        self.done("sweep", str(scenario), "--out", str(self.folder / "out"), "--quiet")
        with open(self.folder / "out" / "results.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({(r["platform"], r["algorithm"]) for r in rows}, {("echo_pair", "echo"), ("dgx2", "push")})
        self.assertEqual({r["wrong"] for r in rows}, {"0"})

    def test_unsupported_runs_are_refused_with_its_own_errors(self):
        for arguments, words in (
            (["--gpus", "3"], "2 echoes"), (["--ranks", "0-2"], "no echo 2"), (["--algorithm", "push"], "barrier algorithm"),
            (["--fault", "down:x@1us"], "faults of links"), (["--background", "uniform:0.5"], "background"), (["--cost"], "cost"),
            (["--collective", "allreduce"], "unknown collective"), (["--set", "nvswitch.link.rate=1GB/s"], "does not have"),
        ):
            ended = call(*RUN, *arguments)
            with self.subTest(arguments=arguments):
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertEqual(ended.stderr.count("\n"), 1)
                self.assertIn(words, ended.stderr)

    def test_the_product_does_not_contain_it(self):
        refused = call(*RUN, program=PRODUCT)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("unknown platform 'echo_pair'", refused.stderr)

    def test_outside_of_its_folder_only_one_line_of_cmake_names_it(self):
        folder = "testbench/test/" + "echo_" + "family"
        listed = subprocess.run(["git", "-C", SOURCE, "grep", "-I", "-l", "-i", "-E", "echo_?(family|pair|device|platform)"],
                                capture_output=True, text=True, check=False)
        if listed.returncode > 1:
            self.skipTest("no git repository")
        outside = [path for path in listed.stdout.splitlines() if not path.startswith(folder)]
        self.assertEqual(outside, ["testbench/test/CMakeLists.txt"])
        lines = [line for line in (SOURCE / "testbench/test/CMakeLists.txt").read_text().splitlines() if "echo_" in line]
        self.assertEqual(len(lines), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
