"""Runs `tributary explore`: methods, files that are equal from run to run, resuming, and bad files (docs/explore.md).

usage: test_explore.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import json
import math
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from executable import SOURCE, TRIBUTARY, run_tests, tributary

FILE = """explore: 1
platform: torus:2x2
algorithm: multitree
workloads:
  small: {size: 4KiB}
  large: {size: 16KiB}
variables:
  rate: {parameter: schedule_nic.link.rate, from: 4GB/s, to: 16GB/s, step: x2}
  latency: {parameter: schedule_nic.link.latency, values: [50ns, 150ns, 450ns]}
let:
  cost: rate / 1GB/s * 100ns / latency
constraints:
  - cost <= 30
  - large.wrong == 0
objectives:
  - {minimize: "geomean(small.time, large.time)", name: time}
  - {minimize: cost}
method: {kind: grid}
baseline: {rate: 8GB/s, latency: 150ns}
"""
METHODS = {
    "sample": "{kind: sample, points: 8}",
    "latin": "{kind: sample, points: 4, sequence: latin}",
    "evolution": "{kind: evolution, population: 4, generations: 3, stop: {hypervolume: 0.5, over: 2}}",
    "halving": "{kind: halving, start: 12, rungs: [{size: 1KiB}, {}]}",
    "bisect": "{kind: bisect, variable: rate, of: large.algbw, keep: 0.6}",
    "morris": "{kind: sensitivity, of: large.time, points: 3}",
    "oat": "{kind: sensitivity, design: oat, of: large.time}",
    "knee": "{kind: sensitivity, design: oat, of: large.time, at: knee, population: 4, generations: 2}",
    "sobol": "{kind: sensitivity, design: sobol, of: large.time, points: 8}"}


class Exploration(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def command(self, text, *options, out=None):
        file = self.folder / "e.yaml"
        file.write_text(text, encoding="utf-8")
        return [str(TRIBUTARY), "explore", str(file), "--out", str(out or self.out), *options]

    def explore(self, text, *options, out=None):
        return tributary(*self.command(text, *options, out=out)[1:])

    def done(self, text, *options, out=None):
        ended = self.explore(text, *options, out=out)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return ended.stdout

    def rows(self, name="points.csv"):
        with open(self.out / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def found(self):
        return json.loads((self.out / "explore.json").read_text(encoding="utf-8"))

    def files(self, out=None):
        return [(out or self.out).joinpath(name).read_bytes() for name in ("points.csv", "front.csv", "explore.json")]

    def test_a_grid_has_the_front_of_its_points(self):
        screen = self.done(FILE)
        rows = self.rows()
        self.assertEqual(len(rows), 9)
        self.assertEqual((rows[0]["rate"], rows[0]["latency"]), ("8GB/s", "150ns"))  # the baseline runs first
        against = [row for row in rows if row["reason"] == "cost <= 30"]
        self.assertEqual([(row["rate"], row["latency"], row["runs"]) for row in against], [("16GB/s", "50ns", "")])  # cost 32
        feasible = [(float(row["time_ns"]), float(row["cost"])) for row in rows if row["violation"] == "0"]
        front = [p for p in feasible if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in feasible)]
        self.assertEqual(sorted((float(row["time_ns"]), float(row["cost"])) for row in self.rows("front.csv")), sorted(front))
        self.assertIn("9 points, 1 infeasible (1 against constraints)", screen)

    def test_a_time_is_that_of_the_runs(self):
        self.done(FILE)
        row = self.rows()[0]
        times = []
        for name in row["runs"].split("+"):
            times.append(json.loads((self.out / "points" / f"{name}.json").read_text(encoding="utf-8"))["results"][0]["time_ns"])
        self.assertEqual(len(times), 2)
        self.assertAlmostEqual(float(row["time_ns"]), (times[0] * times[1]) ** 0.5, places=6)
        self.assertAlmostEqual(float(row["cost"]), 8 * 100 / 150, places=12)

    def test_all_methods_give_equal_files_with_any_number_of_processes(self):
        for name, method in METHODS.items():
            with self.subTest(method=name):
                text = FILE.replace("{kind: grid}", method)
                outs = [self.folder / f"{name}{jobs}" for jobs in (1, 3)]
                screens = [self.done(text, "--jobs", str(jobs), "--quiet", out=out) for jobs, out in zip((1, 3), outs)]
                self.assertEqual(screens[0], screens[1])
                self.assertEqual(self.files(outs[0]), self.files(outs[1]))

    def test_a_changed_method_reuses_all_runs(self):
        self.done(FILE)
        times = {path: path.stat().st_mtime_ns for path in (self.out / "points").iterdir()}
        self.done(FILE.replace("{kind: grid}", METHODS["evolution"]).replace("name: time", "name: t"))
        self.assertEqual({path: path.stat().st_mtime_ns for path in (self.out / "points").iterdir()}, times)

    def test_a_point_of_a_sweep_counts(self):
        sweep = self.folder / "s.yaml"
        sweep.write_text("platform: torus:2x2\nalgorithm: multitree\nsize: [4KiB, 16KiB]\nparameters:\n"
                         "  schedule_nic.link.rate: 8GB/s\n  schedule_nic.link.latency: 150ns\n", encoding="utf-8")
        self.assertEqual(tributary("sweep", str(sweep), "--out", str(self.out)).returncode, 0)
        before = {path.name for path in (self.out / "points").iterdir()}
        self.assertEqual(len(before), 2)
        self.done(FILE)
        self.assertEqual({f"{name}.json" for name in self.rows()[0]["runs"].split("+")}, before)

    def test_a_killed_exploration_resumes_to_the_same_bytes(self):
        text = FILE.replace("{kind: grid}", METHODS["evolution"]).replace("16KiB", "256KiB")
        whole = self.folder / "whole"
        self.done(text, out=whole)
        for delay in (0.05, 0.15, 0.3):
            process = subprocess.Popen(self.command(text), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.done(text)
        self.assertEqual(self.files(), self.files(whole))

    def test_a_budget_ends_early_and_says_so(self):
        ended = self.explore(FILE.replace("16KiB", "4MiB").replace("torus:2x2", "torus:8x8"), "--budget", "300ms")
        self.assertEqual((ended.returncode, ended.stderr), (3, ""), ended.stdout)  # no point was complete
        self.assertIn("ended early: budget", ended.stdout)

    def test_a_bisection_answers(self):
        self.done(FILE.replace("{kind: grid}", METHODS["bisect"]))
        found = self.found()["bisection"]
        bandwidth = {row["rate"]: float(row["of"]) for row in self.rows()}
        best = bandwidth["16GB/s"]
        self.assertEqual(found["answer"], next(rate for rate in ("4GB/s", "8GB/s", "16GB/s") if bandwidth[rate] >= 0.6 * best))

    def test_one_at_a_time_has_the_gains_of_the_neighbours(self):
        self.done(FILE.replace("{kind: grid}", METHODS["oat"]))
        found = self.found()["tornado"]
        self.assertEqual((found["at"], found["of"]), ({"rate": "8GB/s", "latency": "150ns"}, "large.time"))
        times = {}
        for row in self.rows():
            large = json.loads((self.out / "points" / f"{row['runs'].split('+')[1]}.json").read_text(encoding="utf-8"))
            times[row["rate"], row["latency"]] = large["results"][0]["time_ns"]
        base = times["8GB/s", "150ns"]
        steps = {(step["variable"], step["to"]): step for step in found["steps"]}
        self.assertEqual(set(steps), {("rate", "4GB/s"), ("rate", "16GB/s"), ("latency", "50ns"), ("latency", "450ns")})
        slow, near = times["4GB/s", "150ns"], times["8GB/s", "50ns"]
        self.assertAlmostEqual(steps["rate", "4GB/s"]["gain"], 1 - slow / base, places=9)
        self.assertAlmostEqual(steps["rate", "4GB/s"]["elasticity"], math.log(slow / base) / math.log(4 / 8), places=9)
        self.assertAlmostEqual(steps["latency", "50ns"]["elasticity"], math.log(near / base) / math.log(50 / 150), places=9)

    def test_assumptions_move_the_knee_and_its_neighbours(self):
        screen = self.done(FILE + "assumptions: true\n")
        found = self.found()["assumptions"]
        self.assertEqual(found["members"][0], self.found()["knee"])
        self.assertIn("move the knee", screen)
        listed = tributary("list", "parameters", "--platform", "torus:2x2", "--markdown").stdout
        first = {step["parameter"]: step["ratios"][0] for step in found["live"]}
        for path in first:
            self.assertIn(path, listed)
        self.assertNotIn("schedule_nic.link.latency", first)  # a variable is no assumption
        text = FILE.replace("values: [50ns, 150ns, 450ns]", "values: [150ns]")
        self.done(text + "assumptions: true\n", "--jobs", "2", out=self.folder / "two")
        self.done(text + "assumptions: true\n", out=self.folder / "one")
        self.assertEqual(self.files(self.folder / "one"), self.files(self.folder / "two"))

    def test_fronts_of_two_explorations_are_compared(self):
        slow = self.folder / "slow"
        self.done(FILE.replace("multitree", "ring"), out=slow)
        screen = self.done(FILE, "--compare", str(slow))
        found = self.found()["comparison"]
        fronts = [[[float(row["time_ns"]), float(row["cost"])] for row in csv.DictReader((out / "front.csv").read_text(encoding="utf-8").splitlines())]
                  for out in (self.out, slow)]

        def share(better, worse):
            return sum(any(b != w and b[0] <= w[0] and b[1] <= w[1] for b in better) for w in worse) / len(worse)
        self.assertEqual((found["dominated"], found["dominates"]), (share(fronts[1], fronts[0]), share(fronts[0], fronts[1])))
        self.assertEqual(found["members"], len(fronts[1]))
        self.assertIn("# compared with", screen)
        for folder, part in ((self.folder / "none", "no result of an exploration"), (slow, "has no objective")):
            ended = self.explore(FILE.replace("name: time", "name: duration"), "--compare", str(folder), out=self.folder / "new")
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (2, "", 1))
            self.assertIn(part, ended.stderr)

    def test_a_derived_parameter_follows_from_variables(self):
        text = FILE.replace("values: [50ns, 150ns, 450ns]}", "values: [50ns, 150ns]}\n  windows: {values: [1, 2]}")
        text = text.replace("let:", "derived:\n  schedule_nic.router.buffer_flits: 400 * windows\nlet:").replace("150ns}", "150ns, windows: 2}")
        self.done(text)
        for row in self.rows():
            for name in row["runs"].split("+") if row["runs"] else []:
                found = json.loads((self.out / "points" / f"{name}.json").read_text(encoding="utf-8"))
                self.assertEqual(found["parameters"]["schedule_nic.router.buffer_flits"]["value"], 400 * int(row["windows"]))
        for old, new, part in (("400 * windows", "400ns * windows", "buffer_flits"), ("400 * windows", "windows * large.time / 1ns", "only after a run"),
                               ("schedule_nic.router.buffer_flits:", "schedule_nic.link.rate:", "the variable rate sets this parameter")):
            ended = self.explore(text.replace(old, new), out=self.folder / "none")
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (2, "", 1), ended.stderr)
            self.assertIn(part, ended.stderr)

    def test_refused_points_are_kept_with_their_reason(self):
        text = FILE.replace("values: [50ns, 150ns, 450ns]}", "values: [50ns, 150ns]}\n"
                            "  how: {option: algorithm, values: [multitree, ring_2d, push]}").replace("latency: 150ns}", "latency: 150ns, how: multitree}")
        screen = self.done(text)
        self.assertIn("refused", screen)
        reasons = {row["how"]: row["reason"] for row in self.rows()}
        self.assertIn("push", reasons["push"])

    def test_points_that_the_platform_refuses_are_counted(self):
        text = ("explore: 1\nplatform: dgx2\nalgorithm: push\nworkloads: {large: {size: 64KiB, mode: fluid, no-data: true}}\n"
                "variables:\n  table: {parameter: nvswitch.switch.reduction_table.bytes, values: [128B, 256B]}\n"
                "objectives: [{minimize: large.time}]\nmethod: {kind: grid}\n")
        self.assertIn("# 2 points, 1 infeasible (1 refused)\n", self.done(text, "--quiet"))
        self.assertEqual([row["reason"][:9] for row in self.rows()], ["refused: ", ""])

    def test_bad_files_are_refused_in_one_line(self):
        for old, new, line, part in (
                ("explore: 1", "explore: 2", 1, "legal: 1"), ("platform: torus:2x2", "platfrm: torus:2x2", 2, "did you mean platform"),
                ("size: 4KiB", "size: 4", 5, "size"), ("schedule_nic.link.rate", "schedule_nic.link.rat", 8, "schedule_nic.link.rate"),
                ("from: 4GB/s", "from: 4GB", 8, "rate"), ("step: x2", "step: x1", 8, "step"), ("[50ns, ", "[50, ", 9, "unit"),
                ("rate / 1GB/s", "rate + 1ns", 11, "units"), ("cost <= 30", "cost <= 30ns", 13, "different units"),
                ("large.wrong", "large.wrng", 14, "did you mean large.wrong"), ("small.time,", "small.tme,", 16, "did you mean small.time"),
                ("{kind: grid}", "{kind: gird}", 18, "grid"), ("{kind: grid}", "{kind: grid, points: 5}", 18, "grid has 9 points"),
                ("{kind: grid}", "{kind: grid, population: 5}", 18, "unknown key"),
                ("{kind: grid}", "{kind: halving, rungs: [{size: 6}, {}]}", 18, "size"), ("{kind: grid}", "{kind: halving, rungs: [{sise: 4KiB}, {}]}", 18, "sise"),
                ("{kind: grid}", "{kind: halving, rungs: [{size: 4KiB}]}", 18, "last rung"),
                ("{kind: grid}", "{kind: sensitivity, of: large.time, at: knee}", 18, "no such key"), ("rate: 8GB/s, ", "rate: 9GB/s, ", 19, "unknown value"),
                ("rate: 8GB/s, ", "", 19, "`rate` is missing"), ("{size: 4KiB}", "{sizes: '1KiB:4KiB:x2'}", 5, "sizes")):
            with self.subTest(new=new):
                self.assertIn(old, FILE)
                ended = self.explore(FILE.replace(old, new))
                self.assertEqual((ended.returncode, ended.stdout), (2, ""), ended.stderr)
                self.assertEqual(ended.stderr.count("\n"), 1)
                self.assertIn(f"e.yaml:{line}", ended.stderr)
                self.assertIn(part, ended.stderr)
                self.assertFalse(self.out.exists())

    def test_a_file_without_keys_names_all_that_are_missing(self):
        ended = self.explore("seed: 1\n")
        self.assertEqual((ended.returncode, ended.stderr), (2, "tributary: error: " + str(self.folder / "e.yaml") +
                         ":1: the keys `explore`, `variables`, `workloads` and `method` are missing\n"))
        for text, part in (("derive: 1\n", "did you mean derived? (legal: explore, workloads,"), (FILE.replace("explore: 1", "explore: {}"), "(legal: 1)"),
                           (FILE.replace("let:", "  idle: {values: [1, 2]}\nlet:").replace("150ns}", "150ns, idle: 1}"), "variables.idle: the variable changes nothing")):
            ended = self.explore(text)
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (2, "", 1), ended.stderr)
            self.assertIn(part, ended.stderr)

    def test_the_printed_example_runs(self):
        ended = tributary("explore", "--example")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        screen = self.done(ended.stdout, "--quiet")
        self.assertIn("# 8 points\n", screen)
        ended = tributary("explore", "--example", "--list")
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))

    def test_the_examples_are_legal(self):
        for file in sorted((SOURCE / "testbench/examples/explore").iterdir()):
            ended = tributary("explore", str(file), "--out", str(self.out), "--budget", "1ms")
            self.assertEqual((ended.returncode, ended.stderr), (3, ""))


if __name__ == "__main__":
    run_tests()
