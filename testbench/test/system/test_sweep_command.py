"""Runs `tributary sweep`: resuming, files of a killed or interrupted sweep, job arrays, failing points.

usage: test_sweep_command.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import json
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from executable import TRIBUTARY, run_tests, tributary

FOUR_POINTS = "algorithm: [push, ring]\ngpus: [2, 4]\nsizes: 1KiB:4KiB:x4\n"
SLOW_POINT = "algorithm: push\nsize: [1KiB, 1GiB]\nno-data: true\n"  # the second point takes minutes


def is_locked(path):
    """True if a process has a lock on the file. The kernel's list of locks shows it, so the test needs no lock that a point could find."""
    try:
        inode = str(path.stat().st_ino)
    except FileNotFoundError:  # the point has ended
        return False
    locks = pathlib.Path("/proc/locks").read_text(encoding="ascii")
    return any(line.split()[-3].split(":")[-1] == inode for line in locks.splitlines())


class Sweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def command(self, text, *options):
        scenario = self.folder / "s.yaml"
        scenario.write_text(text, encoding="utf-8")
        return [TRIBUTARY, "sweep", str(scenario), "--out", str(self.out), *options]

    def sweep(self, text, *options):
        return tributary(*self.command(text, *options)[1:])

    def done(self, text, *options):
        ended = self.sweep(text, *options)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return ended.stdout

    def rows(self):
        with open(self.out / "results.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def points(self):
        return {path.name: path.stat().st_mtime_ns for path in (self.out / "points").iterdir()}

    def test_every_combination_runs_once_and_is_joined(self):
        self.assertIn("4 points: 4 run", self.done(FOUR_POINTS, "--jobs", "2"))
        rows = self.rows()
        self.assertEqual([(r["algorithm"], r["gpus"], r["size_bytes"]) for r in rows],
                         [(a, g, s) for a in ("push", "ring") for g in ("2", "4") for s in ("1024", "4096")])
        self.assertEqual({r["wrong"] for r in rows}, {"0"})
        self.assertEqual(sorted(self.points()), sorted(p + ".json" for p in {r["point"] for r in rows}))

    def test_a_training_point_has_a_row_for_each_iteration(self):
        text = ("command: train\nplatform: torus:4x4\nmode: fluid\nalgorithm: [multitree, ring]\nmodel: resnet18\ngrouping: bucket\niterations: 2\n"
                "parameters: { compute.model: roofline }\n")
        self.assertIn("2 points: 2 run", self.done(text, "--jobs", "2"))
        train = tributary("train", "--platform", "torus:4x4", "--mode", "fluid", "--algorithm", "ring", "--model", "resnet18", "--grouping", "bucket", "--iterations", "2",
                          "--compute", "roofline", "--quiet", "--json", "-")
        iterations = json.loads(train.stdout)["iterations"]
        rows = [r for r in self.rows() if r["algorithm"] == "ring"]
        self.assertEqual([float(r["time_ns"]) for r in rows], [i["time_ns"] for i in iterations])
        self.assertEqual([(r["iteration"], r["status"], r["fidelity"]) for r in rows], [("0", "done", "fluid"), ("1", "done", "fluid")])
        self.assertIn("2 points: 0 run, 2 finished before", self.done(text))

    def test_points_that_share_a_search_have_the_results_of_runs_that_search(self):
        text = "platform: dgx1v\ncollective: allreduce\nalgorithm: [blink, blink_hybrid]\ngpus: 4\nsize: [64KiB, 1MiB]\n"
        self.done(text)
        alone = self.rows()
        self.out = self.folder / "parallel"
        self.done(text, "--jobs", "3")
        self.assertEqual([r["time_ns"] for r in self.rows()], [r["time_ns"] for r in alone])
        for row in alone:
            run = tributary("run", "--platform", "dgx1v", "--collective", "allreduce", "--algorithm", row["algorithm"], "--gpus", "4", "--size", row["size_bytes"] + "B", "--json", "-", "--quiet")
            result = json.loads(run.stdout)["results"][0]
            self.assertEqual((float(row["time_ns"]), row["wrong"]), (result["time_ns"], "0"))

    def test_a_training_that_the_platform_refuses_fails_alone(self):
        ended = self.sweep("command: train\nplatform: torus:4x4\nmode: fluid\nalgorithm: [double_binary_tree, ring]\nmodel: resnet18\ngrouping: one_shot\n")
        self.assertEqual(ended.returncode, 3)
        self.assertIn("flows share a link", ended.stderr)
        self.assertEqual([r["status"] for r in self.rows()], ["failed", "done"])

    def test_a_point_gives_the_results_of_a_run(self):
        self.done("algorithm: [push]\ngpus: 4\nsize: 16KiB\n")
        run = tributary("run", "--algorithm", "push", "--gpus", "4", "--size", "16KiB", "--json", "-")
        result = json.loads(next((self.out / "points").iterdir()).read_text())
        self.assertEqual(result["results"], json.loads(run.stdout)["results"])
        self.assertEqual(result["point"]["settings"], {"algorithm": "push", "gpus": "4", "size": "16KiB"})

    def test_finished_points_are_kept_and_changed_ones_run(self):
        self.done(FOUR_POINTS)
        table, before = (self.out / "results.csv").read_text(), self.points()
        self.assertIn("4 points: 0 run, 4 finished before", self.done(FOUR_POINTS))
        self.assertEqual((self.out / "results.csv").read_text(), table)
        self.assertEqual(self.points(), before)
        self.assertIn("6 points: 2 run, 4 finished before", self.done(FOUR_POINTS.replace("[2,", "[3, 2,")))
        self.assertIn("4 points: 4 run", self.done(FOUR_POINTS + "seed: 2\n"))

    def test_job_arrays_run_a_point_each_and_join_at_the_end(self):
        self.done(FOUR_POINTS, "--index", "3")
        self.assertFalse((self.out / "results.csv").exists())
        self.assertEqual(len(self.points()), 1)
        ended = self.sweep(FOUR_POINTS, "--join")
        self.assertEqual(ended.returncode, 3)  # some points are missing
        self.assertIn("1 finished before, 3 to do", ended.stdout)
        self.assertEqual({(r["algorithm"], r["gpus"]) for r in self.rows()}, {("ring", "4")})
        for index in range(3):
            self.done(FOUR_POINTS, "--index", str(index))
        self.assertIn("4 finished before", self.done(FOUR_POINTS, "--join"))
        self.assertEqual(len(self.rows()), 8)

    def test_list_shows_the_points_and_runs_none(self):
        lines = self.done(FOUR_POINTS, "--list").splitlines()
        self.assertEqual(len(lines), 4)
        self.assertTrue(lines[1].startswith("1  ") and "algorithm=push gpus=4" in lines[1] and lines[1].endswith("to do"))
        self.assertFalse(self.out.exists())

    def test_a_stuck_point_is_recorded_and_the_sweep_goes_on(self):
        ended = self.sweep("algorithm: push\ngpus: 4\nsize: [1KiB, 1MiB]\ntime-limit: 2us\n")
        self.assertEqual(ended.returncode, 3)
        self.assertIn("2 points: 2 run, 1 stuck or at the time limit", ended.stdout)
        self.assertEqual([r["status"] for r in self.rows()], ["done", "time_limit"])

    def test_a_point_that_the_platform_refuses_fails_alone(self):
        text = "algorithm: pull\nsize: 1KiB\nparameters: { nvswitch.switch.mcr_entries: [1, 64] }\n"
        for _ in range(2):  # the point is retried
            ended = self.sweep(text)
            self.assertEqual(ended.returncode, 3)
            self.assertIn("1 failed", ended.stdout)
            self.assertIn("multicast tables", ended.stderr)
            self.assertEqual(ended.stderr.count("\n"), 1)
            self.assertEqual([r["status"] for r in self.rows()], ["failed", "done"])

    def test_a_damaged_file_is_named_and_its_point_run_again(self):
        self.done(FOUR_POINTS)
        table, whole = (self.out / "results.csv").read_text(), (self.out / "points")
        path = sorted(whole.iterdir())[0]
        good = path.read_text()
        other = sorted(whole.iterdir())[1].read_text()
        row = '{"status": "done", "counters": {}, "peak_link": '
        for text in ("", good[:200], "[]", '"x"', "{}", '{"results": []}', '{"results": 5}', '{"results": [5]}',
                     '{"results": [{"status": 3}]}', '{"results": [%s{"name": 5}}]}' % row,
                     '{"results": [%snull, "bottleneck": {"cause": 5}}]}' % row,
                     '{"results": [%snull, "bottleneck": {"cause": "link"}}]}' % row, "[" * 10000, "\xff", other):
            path.write_text(text, encoding="latin-1")
            ended = self.sweep(FOUR_POINTS, "--join")
            self.assertEqual((ended.returncode, ended.stderr.count("\n")), (3, 1), text)
            self.assertIn(path.stem, ended.stderr)
            self.assertIn("3 finished before, 1 to do", ended.stdout)
            ended = self.sweep(FOUR_POINTS)
            self.assertEqual(ended.returncode, 0, text)
            self.assertIn("4 points: 1 run, 3 finished before", ended.stdout)
            self.assertEqual((self.out / "results.csv").read_text(), table)

    def test_bad_input_runs_nothing(self):
        for text, word in (("size: 1KiB\nalgorthm: [push, pull]\n", "s.yaml:2: unknown key 'algorthm'"),
                           ("size: 1KiB\nparameters:\n  nvswitch.link.latency: [20ns, 20]\n", "s.yaml:3"),
                           ("size: [1KiB, 6B]\n", "s.yaml:1"),
                           ("size: 1KiB\nvcd: run.vcd\n", "s.yaml:2: vcd: a sweep names the files"),
                           ("size: 1KiB\ntrace-rtl: '*'\n", "s.yaml:2: trace-rtl: a sweep names the files"),
                           ("size: 1KiB\nrecord-block: '*'\nrecord: folder\n", "s.yaml:2: record-block: a sweep names the files")):
            ended = self.sweep(text)
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (2, "", 1))
            self.assertIn(word, ended.stderr)
            self.assertFalse(self.out.exists())

    def test_a_folder_that_cannot_be_created_is_an_error(self):
        self.out.write_text("a file")
        ended = self.sweep(FOUR_POINTS)
        self.assertEqual((ended.returncode, ended.stderr.count("\n")), (2, 1))
        self.assertIn("--out", ended.stderr)

    def wait_for_the_second_point(self, process):
        def stems(pattern):
            return {path.stem for path in (self.out / "points").glob(pattern)}

        def second_is_locked():
            unfinished = stems("*.log") - stems("*.json")
            return bool(stems("*.json")) and any(is_locked(self.out / "points" / f"{stem}.log") for stem in unfinished)

        while process.poll() is None and not second_is_locked():
            time.sleep(0.01)

    def start_and_stop(self, number):
        """Starts the slow sweep and sends the signal when the first point has finished and the second runs."""
        with subprocess.Popen(self.command(SLOW_POINT), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.wait_for_the_second_point(process)
            process.send_signal(number)
            output, errors = process.communicate()
        return process.returncode, output, errors

    def check_nothing_half(self):
        finished = [path for path in (self.out / "points").glob("*.json")]
        self.assertEqual(len(finished), 1)
        self.assertEqual(json.loads(finished[0].read_text())["results"][0]["size_bytes"], 1024)

    def test_ctrl_c_keeps_finished_points(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, output, errors = self.start_and_stop(number)
            self.assertEqual(code, 3, errors)
            self.assertIn("interrupted", errors)
            self.assertIn("1 to do", output)
            self.check_nothing_half()
            self.assertEqual([r["size_bytes"] for r in self.rows()], ["1024"])

    def test_two_sweeps_do_not_run_the_same_point(self):
        with subprocess.Popen(self.command(SLOW_POINT), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
            self.wait_for_the_second_point(first)
            second = self.sweep(SLOW_POINT, "--index", "1")
            first.send_signal(signal.SIGINT)
            first.communicate()
        self.assertEqual(second.returncode, 3)
        self.assertIn("another process is running it", second.stderr)
        self.check_nothing_half()

    def test_a_killed_sweep_leaves_no_partial_file_and_resumes(self):
        code, _, _ = self.start_and_stop(signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        self.check_nothing_half()
        self.assertIn("2 points: 1 run, 1 finished before", self.done(SLOW_POINT.replace("1GiB", "2KiB")))


if __name__ == "__main__":
    run_tests()
