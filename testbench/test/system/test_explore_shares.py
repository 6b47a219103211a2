"""Runs `tributary explore` in several processes: shares of a folder, killed tasks, scripts for schedulers (docs/clusters.md).

usage: test_explore_shares.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest

from executable import TRIBUTARY, run_tests, tributary

FILE = """explore: 1
platform: torus:2x2
algorithm: multitree
workloads:
  large: {size: 256KiB}
variables:
  rate: {parameter: schedule_nic.link.rate, from: 2GB/s, to: 16GB/s, step: x2}
  latency: {parameter: schedule_nic.link.latency, values: [50ns, 100ns, 150ns, 300ns, 450ns]}
objectives:
  - {minimize: large.time, name: time}
  - {minimize: rate / latency, name: effort}
method: {kind: evolution, population: 6, generations: 4}
baseline: {rate: 8GB/s, latency: 150ns}
"""
TABLES = ("points.csv", "front.csv", "explore.json")


class Shares(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name) / "it's a folder"
        self.folder.mkdir()
        self.file = self.folder / "e.yaml"
        self.file.write_text(FILE, encoding="utf-8")
        self.out = self.folder / "out"

    def arguments(self, *options, out=None):
        return ["explore", str(self.file), "--out", str(out or self.out), "--quiet", *options]

    def start(self, *options):
        process = subprocess.Popen([str(TRIBUTARY), *self.arguments(*options)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.stdout.close(), process.stderr.close()))
        return process

    def whole(self):
        out = self.folder / "whole"
        done = tributary(*self.arguments(out=out))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.tables(out)

    def tables(self, out=None):
        return [(out or self.out).joinpath(name).read_bytes() for name in TABLES]

    def test_files_are_equal_with_any_number_of_processes(self):
        wanted = self.whole()
        for jobs in (2, 5):
            out = self.folder / f"jobs{jobs}"
            self.assertEqual(tributary(*self.arguments("--jobs", str(jobs), out=out)).returncode, 0)
            self.assertEqual(self.tables(out), wanted)

    def test_three_shares_of_which_one_is_killed_give_the_bytes_of_one_process(self):
        wanted = self.whole()
        tasks = [self.start("--share", f"{i}/3") for i in range(3)]
        time.sleep(0.1)
        tasks[1].send_signal(signal.SIGKILL)
        for task in tasks:
            printed, complaint = task.communicate(timeout=120)
            self.assertEqual((printed, complaint), ("", ""))
        self.assertEqual([task.returncode for task in tasks], [0, -signal.SIGKILL, 0])
        self.assertFalse((self.out / "points.csv").exists())  # tables are those of the last task
        runs = {path.name for path in (self.out / "points").glob("*.json")}
        self.assertEqual(tributary(*self.arguments("--resume-only")).returncode, 0)
        self.assertEqual(self.tables(), wanted)
        self.assertEqual({path.name for path in (self.out / "points").glob("*.json")}, runs)

    def test_a_search_killed_at_random_moments_resumes_to_the_same_bytes(self):
        wanted = self.whole()
        moments = random.Random(42)
        for number in range(10):
            task = self.start(*(["--share", f"{number % 3}/3"] if number % 2 else ["--jobs", "2"]))
            time.sleep(moments.uniform(0.01, 0.25))
            task.send_signal(signal.SIGKILL)
            task.communicate()
        self.assertEqual(tributary(*self.arguments()).returncode, 0)
        self.assertEqual(self.tables(), wanted)

    def test_a_share_waits_for_held_points_and_then_says_how_many_are_missing(self):
        self.assertEqual(tributary(*self.arguments("--list")).returncode, 0)
        listed = tributary(*self.arguments("--list")).stdout.splitlines()
        ident = re.search(r"[0-9a-f]{16}", listed[0]).group()  # the baseline
        (self.out / "points").mkdir(parents=True)
        holder = subprocess.Popen(["flock", str(self.out / "points" / f"{ident}.log"), "sleep", "60"], start_new_session=True)
        try:
            time.sleep(0.2)
            began = time.monotonic()
            done = tributary(*self.arguments("--share", "0/1", "--wait", "1500ms"))
            self.assertEqual((done.returncode, done.stderr), (4, "tributary: generation 0: 1 of 1 points missing\n"))
            self.assertGreater(time.monotonic() - began, 1.4)
        finally:
            os.killpg(holder.pid, signal.SIGKILL)
            holder.wait()
        done = tributary(*self.arguments("--share", "0/1", "--wait", "1h"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_without_runs_the_finished_ones_count(self):
        done = tributary(*self.arguments("--resume-only"))
        self.assertEqual((done.returncode, done.stderr), (4, "tributary: generation 0: 1 of 1 points missing\n"))
        self.assertIn("ended early: missing", done.stdout)
        self.whole()
        listed = tributary(*self.arguments("--list", out=self.folder / "whole")).stdout.splitlines()
        with open(self.folder / "whole" / "points.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(listed), len(rows))
        for line, row in zip(listed, rows):
            self.assertTrue(line.endswith("  finished"), line)
            self.assertIn(f"{row['generation']}  {row['runs']}  rate={row['rate']} latency={row['latency']}", line)

    def test_options_that_exclude_each_other_are_refused(self):
        for options, part in ((["--list", "--share", "0/2"], "exclude each other"), (["--wait", "1s"], "--wait requires --share"),
                              (["--share", "2/2"], "not a shard"), (["--share", "auto"], "auto"), (["--emit", "slum"], "did you mean slurm"),
                              (["--tasks", "3"], "--tasks requires --emit"), (["--share", "0/2", "--wait", "0h"], "too short")):
            with self.subTest(options=options):
                done = tributary(*self.arguments(*options))
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertIn(part, done.stderr)
                self.assertFalse(self.out.exists())

    def test_scripts_share_the_runs_and_write_the_tables_last(self):
        wanted = self.whole()
        script = tributary(*self.arguments("--emit", "parallel", "--tasks", "2")).stdout
        self.assertFalse(self.out.exists())
        stand_in = self.folder / "parallel"
        stand_in.write_text('#!/bin/bash\nwhile read -r task; do run_task "$task"; done\n')
        stand_in.chmod(0o755)
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), script)
        self.assertEqual(self.tables(), wanted)

    def test_scripts_of_all_schedulers_are_legal_and_name_their_tasks(self):
        for scheduler, submit, number in (("slurm", "sbatch", "SLURM_ARRAY_TASK_ID"), ("sge", "qsub", "SGE_TASK_ID - 1"),
                                          ("lsf", "bsub", "LSB_JOBINDEX - 1"), ("parallel", "parallel", "$1")):
            script = tributary(*self.arguments("--emit", scheduler)).stdout
            self.assertEqual(subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode, 0, scheduler)
            self.assertIn(submit, script)
            tasks = 1  # a quarter of the first generation of 6 points and the baseline
            self.assertIn(f'--share "$(({number}))/{tasks}" --quiet', script)


if __name__ == "__main__":
    run_tests()
