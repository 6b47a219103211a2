"""Every number of threads gives the same results, byte for byte: random machines, algorithms, sizes and conditions.

usage: test_threads.py TRIBUTARY SOURCE_DIRECTORY PLUGIN [RUNS [SEED]]
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest

from executable import SOURCE, TRIBUTARY, run_tests, tributary

PROCESSORS = len(os.sched_getaffinity(0))
PLUGIN = sys.argv.pop(3)
RUNS = int(sys.argv.pop(3)) if len(sys.argv) > 3 and sys.argv[3].isdigit() else 6
SEED = int(sys.argv.pop(3)) if len(sys.argv) > 3 and sys.argv[3].isdigit() else 1

# Forms of platforms with algorithms that they have, and conditions that only they have. Each range is drawn: `{2-5}` is 2 to 5.
MACHINES = [
    (["dgx2", "h100", "a100", "fat_tree:64"], ["push", "pull", "ring", "nccl"],
     [["--background", "uniform:0.3"], ["--set", "nvswitch.switch.reduction_table.bytes=256B"], ["--gpus", "{2-8}"]]),
    (["torus:{2-5}x{2-5}", "mesh:{2-5}x{2-5}", "bigraph:{2-5}x4", "bigraph:{2-5}x8", "fat_tree_2level:16"], ["multitree", "ring"], []),
    (["rack:{2-8}", "spine_leaf:{2-4}x{2-4}"], ["netreduce", "ring"],
     [["--background", "uniform:0.2"], ["--set", "netreduce.link.loss_rate=0.0005"]]),
    (["rack:{2-4}x{2-3}", "spine_leaf:{2-3}x{2-3}x2"], ["parallel_netreduce", "parallel_ring", "ring"],
     [["--set", "netreduce.link.loss_rate=0.0005"]]),
    (["dgx1v", "dgx1p", "servers:{2-4}xdgx1v", "servers:{2-3}xdgx1p"], ["blink", "nccl"], []),
    (["tofino:{2-12}"], ["switchml", "switchml_rdma", "atp"], [["--set", "tofino.link.loss_rate=0.0005"]]),
    (["cluster:{1-4}xh100", "cluster:{1-3}xb200", "cluster:{1-3}xa100", "cluster:2xdgx2"],
     ["pull_netreduce", "pull_ring", "pull_tree", "ring_netreduce", "ring_ring", "ring_tree", "ring"],
     [["--set", "cluster.fabric=rail_leaf_spine", "--set", "cluster.pxn=false"], ["--set", "netreduce.link.loss_rate=0.002"],
      ["--set", "nvswitch.link.bit_error_rate=0.0000001"]]),
]
# Collectives of clusters with algorithms that they have.
EXCHANGES = [("allgather", ["pull_ring", "ring_ring", "ring"]), ("reduce_scatter", ["pull_ring", "ring_ring", "ring"]),
             ("broadcast", ["pull_ring", "ring_ring"]), ("alltoall", ["direct"]), ("sendrecv", ["direct"])]


def drawn(dice, form):
    """Replaces each range of a form by a number in it."""
    return re.sub(r"\{(\d+)-(\d+)\}", lambda ends: str(dice.randint(int(ends[1]), int(ends[2]))), form)


def random_run(dice):
    platforms, algorithms, conditions = dice.choice(MACHINES)
    platform, collective = drawn(dice, dice.choice(platforms)), "allreduce"
    if platform.startswith("cluster:") and dice.random() < 0.5:
        collective, algorithms = dice.choice(EXCHANGES)
    run = ["--platform", platform, "--collective", collective, "--algorithm", dice.choice(algorithms), "--mode", "windowed",
           "--size", f"{4 * dice.choice([1, 3, 16])}KiB", "--seed", str(dice.randrange(1, 1000))]
    for condition in conditions:
        if dice.random() < 0.3:
            run += [drawn(dice, word) for word in condition]
    return run + dice.choice([[], ["--no-data"], ["--data", "random"], ["--iterations", "2"]])


def results(run, threads):
    """The exit code, the error, and the JSON without the resources of the simulator."""
    done = tributary("run", *run, "--threads", str(threads), "--json", "-", "--quiet", cwd=SOURCE)
    if not done.stdout.startswith("{"):
        return done.returncode, done.stderr
    table = json.loads(done.stdout)
    del table["kernel"]
    return done.returncode, json.dumps(table)


def most_threads_of_points(scenario, folder, jobs):
    """Runs a sweep, and returns the largest number of threads that a process of a point has had."""
    most = 0
    command = [TRIBUTARY, "sweep", scenario, "--out", os.path.join(folder, "out"), "--jobs", str(jobs), "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as sweep:
        while sweep.poll() is None:
            for point in pathlib.Path(f"/proc/{sweep.pid}/task").glob("*/children"):
                try:
                    most = max([most] + [len(os.listdir(f"/proc/{child}/task")) for child in point.read_text().split()])
                except OSError:
                    pass  # it has ended
            time.sleep(0.02)
    if sweep.returncode != 0:
        raise AssertionError(f"the sweep ended with exit code {sweep.returncode}")
    return most


class Threads(unittest.TestCase):
    def test_random_runs_are_equal_on_every_number_of_threads(self):
        dice = random.Random(SEED)
        finished = 0  # runs that are not refused
        for _ in range(RUNS):
            run = random_run(dice)
            code, expected = results(run, 1)
            finished += code == 0
            threads = dice.randrange(2, 7)
            with self.subTest(run=" ".join(run), threads=threads):
                self.assertEqual(results(run, threads), (code, expected))
        self.assertGreater(finished, RUNS // 2)

    def test_a_run_of_several_jobs_of_a_cluster_is_equal_on_every_number_of_threads(self):
        jobs = os.path.join(SOURCE, "testbench", "test", "fingerprint", "several_jobs_cluster.yaml")
        code, expected = results([jobs], 1)
        self.assertEqual(code, 0)
        for threads in (2, 5):
            self.assertEqual(results([jobs], threads), (code, expected))

    def test_training_steps_are_equal_on_every_number_of_threads(self):
        full, step = ["--fidelity", "full"], ["train", "--model", "scalesim-alphagozero", "--quiet", "--json", "-"]
        steps = [["--platform", "torus:4x4", *full], ["--platform", "spine_leaf:2x2", *full],
                 ["--platform", "h100", "--algorithm", "pull", "--sharding", "gradients", *full],
                 ["--platform", "cluster:2xh100", "--mode", "windowed"]]
        for of_platform in steps:
            tables = []
            for threads in ("1", "2", "3"):
                done = tributary(*step, *of_platform, "--threads", threads, cwd=SOURCE)
                self.assertEqual(done.returncode, 0, done.stderr)
                tables.append(json.loads(done.stdout))
                tables[-1].pop("kernel", None)
            with self.subTest(step=" ".join(of_platform)):
                self.assertEqual(tables[0], tables[1])
                self.assertEqual(tables[0], tables[2])

    def test_a_number_that_is_not_legal_is_refused(self):
        for number in ("x", "-1", "257", "1.5"):
            done = tributary("run", "--platform", "dgx2", "--size", "128B", "--threads", number)
            self.assertEqual(done.returncode, 2, number)
            self.assertIn("legal: 0 to 256", done.stderr)

    def plugged(self, threads, **state):
        """A push with the tables of the plug-in on that number of threads; None: the default."""
        asked = [] if threads is None else ["--threads", str(threads)]
        done = tributary("run", "--platform", "dgx2", "--algorithm", "push", "--size", "256KiB", "--json", "-", *asked,
                         "--plugin", PLUGIN + ":nvswitch.switch.reduction_table", env={**os.environ, **state})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["results"], done.stderr

    def test_blocks_of_a_plugin_run_on_the_threads_of_their_lanes(self):
        one, two = self.plugged(1), self.plugged(2)
        self.assertEqual(one[0], two[0])
        self.assertEqual(two[0][0]["wrong"], 0)
        self.assertNotIn("one thread", two[1])

    def test_blocks_that_share_state_or_use_the_kernel_run_on_one_thread(self):
        expected = self.plugged(1)[0]
        for state, reason in (("shared", ".table shares state with modules of other devices"), ("kernel_time", " keeps to kernel time"),
                              ("process", " has a process")):
            results, said = self.plugged(2, ODD_STATE=state)
            self.assertEqual(results, expected)
            self.assertRegex(said, f"--threads 2: the run uses one thread, because [.\\w]*{reason}")
            self.assertEqual(said.count("one thread"), 1, said)
            self.assertNotIn("one thread", self.plugged(None, ODD_STATE=state)[1])

    def test_without_the_option_a_run_that_needs_one_thread_says_nothing(self):
        done = tributary("run", "--platform", "dgx2", "--size", "128B", "--wire-latency")
        self.assertNotIn("thread", done.stderr)

    @staticmethod
    def by_default(size, *options):
        """The results of a push without data, and the number of lanes, which --lane-times prints."""
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "run.json")
            done = tributary("run", "--platform", "dgx2", "--algorithm", "push", "--size", size, "--no-data", "--lane-times", "--json", table, *options)
            with open(table, encoding="utf-8") as text:
                kept = json.load(text)
        del kept["kernel"]
        return kept, done.stdout.count("# lane "), done.stderr

    # A push moves four packets of 128 B for each block of a GPU: 10.5 million for 20 MiB, which is 2.6 s of work, and 2.1 million for 4 MiB.
    def test_without_the_option_the_work_decides(self):
        self.assertEqual(self.by_default("4MiB")[1], 0)
        kept, lanes, said = self.by_default("20MiB")
        self.assertEqual(lanes, min(PROCESSORS, 16) if PROCESSORS > 1 else 0)
        self.assertNotIn("thread", said)
        self.assertEqual(self.by_default("20MiB", "--threads", "1")[:2], (kept, 0))

    @unittest.skipUnless(2 <= PROCESSORS <= 8, "as many long runs as processors")
    def test_points_of_a_sweep_divide_the_processors(self):
        """A point has as many threads as processors are its share."""
        for jobs, threads in ((PROCESSORS, 1), (1, PROCESSORS)):
            with tempfile.TemporaryDirectory() as folder:
                scenario = os.path.join(folder, "sweep.yaml")
                with open(scenario, "w", encoding="utf-8") as text:
                    text.write(f"platform: dgx2\nalgorithm: push\nno-data: true\nsize: 20MiB\nseed: {list(range(1, jobs + 1))}\n")
                self.assertEqual(most_threads_of_points(scenario, folder, jobs), threads)

    def test_a_run_that_needs_one_thread_says_why(self):
        for options, reason in ((["--mode", "event"], "--mode event"), (["--wire-latency"], "--wire-latency")):
            done = tributary("run", "--platform", "dgx2", "--size", "128B", "--threads", "2", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("the run uses one thread, because " + reason, done.stderr)


if __name__ == "__main__":
    run_tests()
