"""Runs `tributary sweep --shard I/N`: the union of the shards, a killed shard that is run again, tasks of a cluster, bad input.

usage: test_sweep_shares.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import fcntl
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from executable import TRIBUTARY, run_tests

SCENARIO = "algorithm: [push, pull, ring]\ngpus: [2, 4, 16]\nsizes: 1KiB:4KiB:x4\nparameters: { nvswitch.link.latency: [20ns, 30ns] }\n"
POINTS = 18


class Shares(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.scenario = cls.folder / "s.yaml"
        cls.scenario.write_text(SCENARIO, encoding="utf-8")
        subprocess.run([TRIBUTARY, "sweep", cls.scenario, "--out", cls.folder / "local", "--jobs", "2", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "out"

    def command(self, *options):
        return [TRIBUTARY, "sweep", self.scenario, "--out", self.out, *options]

    def sweep(self, *options, **variables):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "OMPI_"))}
        return subprocess.run(self.command(*options), env={**clean, **variables}, capture_output=True, text=True, check=False)

    def done(self, *options, **variables):
        ended = self.sweep(*options, **variables)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return ended.stdout

    def finished(self):
        return {path.name: path.stat().st_mtime_ns for path in (self.out / "points").glob("*.json")}

    def check_joined(self):
        self.assertFalse((self.out / "results.csv").exists())
        self.assertIn(f"{POINTS} points: 0 run, {POINTS} finished before", self.done("--join"))
        local = self.folder / "local"
        self.assertEqual((self.out / "results.csv").read_bytes(), (local / "results.csv").read_bytes())
        self.assertEqual(set(self.finished()), {path.name for path in (local / "points").iterdir()})

    def test_the_shards_join_to_the_bytes_of_the_local_sweep(self):
        ids = [line.split()[1] for line in self.done("--list").splitlines()]
        for number in (3, 0, 2, 1):
            before = set(self.finished())
            points = len(ids[number::4])
            self.assertIn(f"{points} points: {points} run; results in {self.out}/points\n", self.done("--shard", f"{number}/4"))
            self.assertEqual(set(self.finished()) - before, {f"{i}.json" for i in ids[number::4]})
        self.check_joined()

    def test_concurrent_tasks_join_to_the_bytes_of_the_local_sweep(self):
        tasks = [subprocess.Popen(self.command("--shard", "auto", "--quiet"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env={**os.environ, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "3"})
                 for rank in range(3)]
        for task in tasks:
            self.assertEqual((task.communicate()[1], task.returncode), (b"", 0))
        self.check_joined()

    def test_a_shard_beyond_the_points_is_empty(self):
        self.assertIn("0 points: 0 run", self.done("--shard", "20/30"))
        self.assertEqual(self.finished(), {})

    def wait_for_locks(self):
        """Waits until the points of a killed task have ended."""
        for log in (self.out / "points").glob("*.log"):
            with open(log, encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX)

    def test_a_killed_shard_is_run_again_and_nothing_is_lost(self):
        # The last point waits for a reader of its log, so that the shard cannot end before it is killed.
        last = self.out / "points" / f"{self.done('--list').splitlines()[0::2][-1].split()[1]}.log"
        last.parent.mkdir(parents=True)
        os.mkfifo(last)
        with subprocess.Popen(self.command("--shard", "0/2", "--quiet"), stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and not self.finished():
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        last.unlink()
        self.wait_for_locks()
        kept = self.finished()
        self.assertIn(len(kept), range(1, POINTS // 2))
        self.assertIn(f"{POINTS // 2} points: {POINTS // 2 - len(kept)} run, {len(kept)} finished before", self.done("--shard", "0/2"))
        self.assertEqual({name: time for name, time in self.finished().items() if name in kept}, kept)
        self.done("--shard", "1/2")
        self.assertIn("4 finished before", self.done("--shard", "1/4", "--quiet") + self.done("--shard", "3/4", "--quiet"))
        self.check_joined()

    def test_a_plain_sweep_in_a_task_runs_all_points(self):
        self.assertIn(f"{POINTS} points: {POINTS} run", self.done("--jobs", "2", SLURM_PROCID="1", SLURM_STEP_NUM_TASKS="4", SLURM_NTASKS="4",
                                                               OMPI_COMM_WORLD_RANK="1", OMPI_COMM_WORLD_SIZE="4"))

    def test_a_bad_shard_is_refused_in_one_line_and_runs_nothing(self):
        for text in ("4/4", "5/4", "x", "0/0", "-1/4", "", "1/", "/4"):
            ended = self.sweep("--shard=" + text)
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (2, "", 1), text)
            self.assertIn("--shard", ended.stderr)
        for options in (("--shard", "auto"), ("--shard",), ("--shard", "0/2", "--join"), ("--shard", "0/2", "--index", "0")):
            ended = self.sweep(*options)
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (2, "", 1), options)
        ended = self.sweep("--shard", "auto", SLURM_PROCID="0", SLURM_NTASKS="8")  # a script of sbatch -n 8
        self.assertEqual(ended.returncode, 2)
        self.assertIn("not a task of srun", ended.stderr)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    run_tests()
