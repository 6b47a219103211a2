"""Every number of processes gives the same results, byte for byte: tributary-mpi under mpirun, against tributary.

usage: test_mpi.py TRIBUTARY SOURCE_DIRECTORY [RUNS [SEED]]
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from executable import SOURCE, TRIBUTARY, run_tests, tributary

RUNS = int(sys.argv.pop(3)) if len(sys.argv) > 3 and sys.argv[3].isdigit() else 2
SEED = int(sys.argv.pop(3)) if len(sys.argv) > 3 and sys.argv[3].isdigit() else 1
PROGRAM = TRIBUTARY.with_name("tributary-mpi")
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "btl", "self,vader,tcp", "-n"]

# Platforms with algorithms that they have, and conditions that only they have.
MACHINES = [
    (["dgx2", "fat_tree:64"], ["push", "pull", "ring", "nccl"],
     [["--background", "uniform:0.3"], ["--set", "nvswitch.switch.reduction_table.bytes=256B"]]),
    (["torus:4x4", "mesh:3x5", "bigraph:4x8", "fat_tree_2level:16"], ["multitree", "ring"], []),
    (["rack:6", "rack:4", "spine_leaf:2x4"], ["netreduce", "ring"],
     [["--background", "uniform:0.2"], ["--set", "netreduce.link.loss_rate=0.0005"]]),
    (["dgx1v", "dgx1p", "servers:2xdgx1v"], ["blink", "nccl"], [["--set", "blink.memory.rate=400GB/s"]]),
    (["cluster:2xh100", "cluster:2xdgx2"], ["pull_netreduce", "pull_ring", "ring_tree"],
     [["--set", "cluster.fabric=rail_leaf_spine", "--set", "cluster.pxn=false"], ["--set", "netreduce.link.loss_rate=0.002"]]),
]


def processes(count, *arguments):
    return subprocess.run([*MPIRUN, str(count), PROGRAM, *arguments], capture_output=True, text=True, cwd=SOURCE, timeout=280)


def table(done):
    """The JSON without what depends on the processes: resources of the simulator, and the bottleneck, which needs one process."""
    results = json.loads(done.stdout)
    del results["kernel"]
    for row in results["results"]:
        row.pop("bottleneck", None)
    return results


def random_run(dice, machine):
    platforms, algorithms, conditions = machine
    run = ["--platform", dice.choice(platforms), "--algorithm", dice.choice(algorithms), "--mode", "windowed",
           "--size", f"{4 * dice.choice([1, 3, 16])}KiB", "--seed", str(dice.randrange(1, 1000))]
    for condition in conditions:
        if dice.random() < 0.3:
            run += condition
    return run + dice.choice([[], ["--no-data"], ["--data", "random"], ["--iterations", "2"], ["--threads", "2"]])


@unittest.skipUnless(PROGRAM.exists() and shutil.which("mpirun"), "tributary-mpi is not built (docs/processes.md)")
class Processes(unittest.TestCase):
    maxDiff = 2000

    def check(self, run, counts=(2, 4), code=0):
        one = tributary("run", *run, "--json", "-", "--quiet", cwd=SOURCE)
        self.assertEqual(one.returncode, code, one.stderr)
        for count in counts:
            with self.subTest(run=" ".join(run), processes=count):
                done = processes(count, "run", *run, "--json", "-", "--quiet")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(table(done), table(one))
        return one

    def test_each_family_is_equal_with_one_two_and_four_processes(self):
        for platform, algorithm in (("dgx2", "push"), ("torus:4x4", "multitree"), ("spine_leaf:2x4", "netreduce"), ("dgx1v", "blink"),
                                    ("cluster:2xh100", "pull_ring")):
            self.check(["--platform", platform, "--algorithm", algorithm, "--mode", "windowed", "--sizes", "4KiB:64KiB:x16", "--data", "random"],
                       counts=(2, 4))

    def test_random_runs_are_equal_on_every_number_of_processes(self):
        dice = random.Random(SEED)
        for _ in range(RUNS):
            for machine in MACHINES:
                run = random_run(dice, machine)
                one = tributary("run", *run, "--json", "-", "--quiet", cwd=SOURCE)
                count = dice.randrange(2, 6)
                with self.subTest(run=" ".join(run), processes=count):
                    done = processes(count, "run", *run, "--json", "-", "--quiet")
                    self.assertEqual(done.returncode, one.returncode, done.stderr)
                    if one.stdout.startswith("{"):
                        self.assertEqual(table(done), table(one))

    def test_several_jobs_are_equal(self):
        scenario = "platform: dgx2\njobs:\n  - {ranks: 0-7, algorithm: push, size: 16KiB}\n  - {ranks: 8-15, algorithm: ring, size: 16KiB, start: 1us}\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "jobs.yaml")
            path.write_text(scenario)
            one = tributary("run", str(path), "--json", "-", "--quiet")
            if one.returncode == 2:
                self.fail(one.stderr)
            done = processes(2, "run", str(path), "--json", "-", "--quiet")
            self.assertEqual(table(done), table(one))

    def test_a_stuck_run_names_the_waiters_of_all_processes(self):
        run = ["--platform", "dgx2", "--algorithm", "push", "--size", "64KiB", "--fault", "down:gpu0.port0>switch0_0.port0@100ns", "--set", "watchdog.window=1ms", "--json", "-"]
        one = tributary("run", *run, cwd=SOURCE)
        self.assertEqual(one.returncode, 3, one.stderr)
        done = processes(2, "run", *run)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(table(done), table(one))
        for line in one.stderr.splitlines():
            if "gpu" in line:
                self.assertIn(line, done.stderr.splitlines())

    def test_the_first_process_alone_prints_and_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            csv = pathlib.Path(folder, "rows.csv")
            done = processes(4, "run", "--platform", "dgx2", "--size", "4KiB", "--csv", str(csv))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("dgx2"), tributary("run", "--platform", "dgx2", "--size", "4KiB").stdout.count("dgx2"))
            self.assertEqual(len(csv.read_text().splitlines()), 2)

    def test_bad_input_is_one_line_and_exit_code_2(self):
        for arguments, text in ((["run", "--platform", "dgx2", "--size", "1"], "size"), (["run", "--nonsense"], "--nonsense"),
                                (["sweep", "none.yaml"], "error"), (["list", "platforms", "x"], "error")):
            done = processes(2, *arguments)
            lines = [line for line in done.stderr.splitlines() if line.startswith("tributary: error:")]
            self.assertEqual((done.returncode, len(lines)), (2, 1), done.stderr)
            self.assertIn(text, lines[0])

    def test_a_failure_of_one_process_ends_all(self):
        begin = time.monotonic()
        done = processes(2, "run", "--platform", "dgx2", "--size", "4KiB", "--json", "/dev/full", "--quiet")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/dev/full", done.stderr)
        self.assertLess(time.monotonic() - begin, 60)

    def test_an_interrupt_of_one_process_ends_all(self):
        command = [*MPIRUN, "2", PROGRAM, "run", "--platform", "dgx2", "--size", "1GiB", "--no-data", "--quiet"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            children = []
            while len(children) < 2 and run.poll() is None:
                time.sleep(0.1)
                children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
            time.sleep(3)
            os.kill(int(children[-1]), signal.SIGINT)
            run.communicate(timeout=200)
            self.assertEqual(run.returncode, 3)

    def test_what_needs_one_process_is_refused(self):
        for options, reason in ((["--mode", "event"], "--mode event"), (["--wire-latency"], "--wire-latency"),
                                (["--mode", "fluid"], "--mode fluid"), (["--lane-times"], "--lane-times")):
            done = processes(2, "run", "--platform", "dgx2", "--size", "4KiB", *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn("2 processes cannot execute this command: " + reason, done.stderr)
        done = processes(2, "run", "--platform", "tofino:6", "--size", "4KiB")
        self.assertEqual(done.returncode, 2)
        self.assertIn("tofino:6 has no transport between processes yet", done.stderr)
        done = processes(2, "list", "platforms")
        self.assertEqual(done.returncode, 2)
        self.assertIn("only `run` divides its work", done.stderr)

    def test_one_process_executes_all_commands(self):
        done = processes(1, "list", "platforms")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, tributary("list", "platforms").stdout)


if __name__ == "__main__":
    run_tests()
