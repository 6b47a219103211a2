"""Training steps on clusters of servers: ranks in classes, algorithms against each other, parts of an iteration.

usage: test_cluster_training.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import pathlib
import tempfile
import unittest

from executable import SANITIZED, run_tests, tributary
from refusals import Refusals

SMALL = ["train", "--platform", "cluster:4xh100", "--preset", "h100", "--model", "gpt2", "--sequences", "32"]
LARGE = ["train", "--platform", "cluster:128xh100", "--preset", "h100", "--model", "llama3-70b", "--parallel", "tensor=8,pipeline=4",
         "--sequences", "512", "--set", "training.stages=blocks"]
PARTS = ("compute", "optimizer", "tensor", "expert", "pipeline", "data", "other", "bubble")


def step(*arguments, used=None):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "step.json"
        done = tributary(*arguments, "--quiet", "--json", str(path), used=used)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return json.loads(path.read_text(encoding="utf-8"))


def settings(*assignments):
    return [word for assignment in assignments for word in ("--set", assignment)]


class Classes(unittest.TestCase):
    """A factor of 1 for a rank changes no time, and makes the graph of all ranks."""

    def equal(self, *arguments):
        few, all_ranks = step(*arguments), step(*arguments, "--set", "compute.factors=0:1")
        times = [[{key: value for key, value in iteration.items() if key != "bottleneck"} for iteration in run["iterations"]] for run in (few, all_ranks)]
        self.assertEqual(times[0], times[1], arguments)
        # Shares of links that groups divide do not add up to a whole link in the spread of the graph of all ranks.
        self.assertEqual(few["fidelity"].get("spread_ns", [0])[0], all_ranks["fidelity"].get("spread_ns", [0])[0])
        self.assertEqual(few["operations"], all_ranks["operations"])
        kinds = [{(t["collective"], t["algorithm"], t["ranks"], t["size_bytes"]): t["time_ns"] for t in run["transfers"]} for run in (few, all_ranks)]
        self.assertEqual(kinds[0], kinds[1])
        operations = [sum(t["operations"] for t in run["transfers"]) for run in (few, all_ranks)]
        self.assertEqual(operations[0], operations[1])
        return len(few["transfers"]), len(all_ranks["transfers"])

    def test_one_rank_of_a_stage_has_the_times_of_all(self):
        for more in ((), settings("training.sequence_parallel=true"), settings("training.virtual_stages=2"), settings("training.recompute=full"),
                     ("--sharding", "optimizer", *settings("optimizer.kind=adam")), ("--algorithm", "ring_netreduce", "--iterations", "2")):
            self.assertLess(*self.equal(*SMALL, "--parallel", "tensor=4,pipeline=2", *more))

    def test_groups_that_begin_at_once_are_served_alike(self):
        arguments = ("train", "--platform", "cluster:2xh100", "--preset", "h100", "--model", "llama3-8b", "--parallel", "tensor=8", "--sequences", "2")
        few, all_ranks = step(*arguments), step(*arguments, *settings("compute.factors=0:1"))
        self.assertLess(*few["fidelity"]["spread_ns"])
        self.assertEqual(few["fidelity"]["spread_ns"], all_ranks["fidelity"]["spread_ns"])

    def test_forms_alone(self):
        for degrees in ("tensor=4", "pipeline=4", "tensor=4,pipeline=4"):
            self.equal(*SMALL, "--parallel", degrees)

    def test_groups_on_both_boards_run_at_once(self):
        self.assertLess(*self.equal("train", "--platform", "cluster:2xdgx2", "--preset", "v100", "--model", "gpt2", "--sequences", "16", "--parallel", "tensor=4,pipeline=2"))

    def test_racks(self):
        self.equal(*SMALL, "--parallel", "tensor=4,pipeline=2", *settings("cluster.fabric=leaf_spine", "cluster.racks=2"))

    def test_one_replica(self):
        self.equal("train", "--platform", "cluster:1xh100", "--preset", "h100", "--model", "gpt2", "--sequences", "4", "--parallel", "tensor=4,pipeline=2")


class TheOneCommand(unittest.TestCase):
    """Llama 3 with 70 billion parameters on 1024 H100, by three algorithms."""

    @classmethod
    def setUpClass(cls):
        cls.used = {}
        cls.run_ = step(*LARGE, "--algorithm", "pull_netreduce", "--against", "pull_ring,ring_ring", used=cls.used)
        cls.against = {row["algorithm"]: row for row in cls.run_["against"]}

    def parts(self, algorithm):
        return {part: self.against[algorithm]["parts"][part + "_ns"] * 1e-9 for part in PARTS}

    @unittest.skipIf(SANITIZED, "limits of a release")
    def test_seconds_and_memory(self):
        self.assertLess(self.used["cpu_s"], 10)
        self.assertLess(self.used["bytes"], 2e9)

    def test_networks_that_add_are_faster(self):
        times = [self.run_["period_ns"], self.against["pull_ring"]["period_ns"], self.against["ring_ring"]["period_ns"]]
        self.assertEqual(times, sorted(times))
        for row in self.run_["against"]:
            self.assertAlmostEqual(row["difference_ns"], row["period_ns"] - self.run_["period_ns"], places=3)
            self.assertAlmostEqual(sum(row["part_differences"].values()), row["difference_ns"], places=3)

    def test_parts_sum_to_the_time(self):
        last = self.run_["iterations"][-1]
        self.assertAlmostEqual(sum(last["exposed_of_ns"].values()), last["exposed_ns"], places=3)
        for algorithm, row in self.against.items():
            self.assertAlmostEqual(sum(self.parts(algorithm).values()), row["period_ns"] * 1e-9, places=6)

    def test_computation_is_that_of_the_peak(self):
        # 3.944e15 operations a sequence; 512 sequences on 1024 GPUs of 989.5 TFLOP/s take 1.993 s without bubble.
        period = self.run_["period_ns"] * 1e-9
        self.assertAlmostEqual(self.run_["mfu"] * period, 3.944e15 * 512 / 1024 / 989.5e12, delta=0.002)
        self.assertGreater(self.parts("ring_ring")["compute"], 0.9 * 1.993)
        self.assertEqual(self.parts("ring_ring")["compute"], self.parts("pull_ring")["compute"])

    def test_ranks_that_divide_sequences_need_the_same_operations(self):
        counted = []
        for degrees in ("tensor=4", "tensor=4,context=2"):
            found = step(*SMALL, "--parallel", degrees)
            counted.append(found["mfu"] * found["period_ns"])
        self.assertAlmostEqual(counted[1] / counted[0], 1, places=9)

    def test_sums_of_activations_take_the_time_of_their_bound(self):
        # 20 blocks with 4 sums of 134.2 MB each in 16 passes, by rings at 205.7 GB/s, by switches at 334.9 GB/s.
        bytes_ = 20 * 4 * 16 * 8192 * 8192 * 2
        for algorithm, rate in (("ring_ring", 205.7e9), ("pull_ring", 334.9e9)):
            ratio = self.parts(algorithm)["tensor"] / (bytes_ / rate)
            self.assertGreater(ratio, 0.99, algorithm)
            self.assertLess(ratio, 1.15, algorithm)

    def test_sums_of_gradients_take_no_longer_than_their_bound(self):
        # Gradients of 70.55e9 / 32 weights of 2 B cross a NIC of 49.02 GB/s 2 x 31 / 32 times, or once with accelerators.
        once = 70.55e9 / 32 * 2 / 49.02e9
        saved = self.run_["against"][0]["part_differences"]["data_ns"] * 1e-9
        self.assertGreater(saved, 0)
        self.assertLess(saved, (2 * 31 / 32 - 1) * once * 1.15)
        self.assertLess(self.parts("pull_ring")["data"], 2 * 31 / 32 * once * 1.15)

    def test_links_belong_to_the_gpus_of_a_stage(self):
        nics = [link for link in self.run_["links"] if link["name"].startswith("nic") and ".port0>leaf" in link["name"]]
        self.assertEqual(sorted({link["count"] for link in nics}), [256])
        self.assertIn("nic0-31_*.port0>leaf*.port* of endpoints 0-511", [link["name"] for link in nics])
        for link in self.run_["links"]:
            self.assertLess(link["utilisation"], 1.0001, link["name"])


class Limits(Refusals):
    @unittest.skipIf(SANITIZED, "limits of a release")
    def test_16384_gpus(self):
        used = {}
        found = step("train", "--platform", "cluster:2048xh100", "--preset", "h100", "--model", "llama3-405b", "--parallel", "tensor=8,pipeline=16",
                     "--sequences", "2048", *settings("compute.memory=auto"), used=used)
        self.assertEqual(found["ranks"], 16384)
        self.assertLess(used["cpu_s"], 60)
        self.assertLess(used["bytes"], 2e9)

    def test_a_graph_of_all_ranks_beyond_the_memory_is_refused(self):
        self.refused(["train", "--platform", "cluster:2048xh100", "--preset", "h100", "--model", "llama3-405b", "--parallel", "tensor=8,pipeline=16",
                      "--sequences", "8192", *settings("compute.jitter=0.1", "compute.memory=auto")],
                     "the graph of 16384 ranks needs", "no compute.jitter")

    def test_gpus_of_clusters_execute_no_graphs(self):
        for mode in ("fluid", "windowed"):
            self.refused([*SMALL, "--parallel", "tensor=4", "--fidelity", "full", "--mode", mode], "--fidelity: GPUs of cluster:4xh100", "auto or isolated")

    def test_algorithms_are_checked(self):
        self.refused([*SMALL, "--algorithm", "pull_ring", "--against", "pull_rings"], "--against", "pull_ring")
        self.refused([*SMALL, "--algorithm", "pull_ring", "--against", "pull_ring"], "--against", "given twice")


class Packets(unittest.TestCase):
    """A model of two blocks of 256 elements, whose tensor parallel groups run at once with sums of gradients."""

    def test_several_groups(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tiny.yaml"
            path.write_text("name: tiny\nsequence: 128\ntransformer: {layers: 2, hidden: 256, ffn: 512, heads: 8, vocab: 512, gated: true}\n", encoding="utf-8")
            for platform, tensor, sequences in (("cluster:2xh100", 8, 2), ("cluster:1xh100", 2, 4)):
                found = step("train", "--platform", platform, "--preset", "h100", "--model", str(path), "--mode", "windowed", "--algorithm", "pull_ring",
                             "--parallel", f"tensor={tensor}", "--sequences", str(sequences))
                self.assertEqual(found["status"], "done")
                # Two groups are measured at once, and each sum takes longer than its bytes on a link of 450 GB/s.
                sums = [t for t in found["transfers"] if t["ranks"] == tensor]
                self.assertEqual({t["groups_at_once"] for t in sums}, {sequences})
                for transfer in sums:
                    self.assertGreater(transfer["time_ns"], transfer["size_bytes"] / 450)


class Memory(unittest.TestCase):
    def test_the_table_is_printed_for_steps_that_do_not_fit(self):
        done = tributary(*LARGE, "--set", "optimizer.kind=adam", "--print-memory")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# largest part: activations", done.stdout)
        self.assertIn("warning: model llama3-70b: a GPU needs", done.stderr)
        # 27.2 GB of the state of Adam become 0.9 GB, and 4.5 GB of gradients become f32.
        self.assertIn("(legal: --sharding optimizer, ", done.stderr)
        self.assertIn(" GB of ", tributary(*LARGE, "--set", "optimizer.kind=adam", "--sharding", "optimizer").stdout)


class Screen(unittest.TestCase):
    def test_twelve_of_many_equal_stretches_are_printed(self):
        done = tributary("train", "--platform", "cluster:2xh100", "--preset", "h100", "--model", "llama3-8b", "--parallel", "tensor=8", "--sequences", "2", "--quiet")
        lines = done.stdout.splitlines()
        head = next(number for number, line in enumerate(lines) if line.startswith("# critical path"))
        self.assertIn("; the 12 longest of ", lines[head])
        rows = lines[head + 2:head + 14]
        begins = [float(row.split()[0]) for row in rows]
        self.assertEqual(begins, sorted(begins))
        self.assertTrue(lines[head + 14].startswith("#"), lines[head + 14])
        self.assertIn("2 sequences, 1 in a pass", lines[0])


class Layouts(Refusals):
    def test_a_refusal_names_the_group_and_legal_degrees(self):
        self.refused(["train", "--platform", "cluster:8xh100", "--preset", "h100", "--model", "llama3-8b", "--sequences", "64", "--parallel", "tensor=4,pipeline=16"],
                     "between endpoints", "tensor=N that divides the 8 GPUs of a server", "pipeline=N whose stages are whole servers")


class Algorithms(Refusals):
    def test_an_algorithm_that_no_group_runs_by_is_refused(self):
        a100 = ["train", "--platform", "cluster:8xa100", "--preset", "a100", "--model", "gpt2", "--sequences", "64", "--parallel", "tensor=4"]
        self.refused([*a100, "--algorithm", "pull_ring"], "no group of the step runs by pull_ring", "the switches of a100 do not add")
        self.refused([*a100, "--against", "pull_ring"], "no group of the step runs by pull_ring", "the switches of a100 do not add")
        self.assertEqual({t["algorithm"] for t in step(*a100)["transfers"]}, {"ring_ring"})

    def test_rings_replace_accelerators_where_these_have_no_collective(self):
        done = tributary(*SMALL, "--parallel", "tensor=4,pipeline=2", "--sharding", "optimizer", "--algorithm", "ring_netreduce", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("reduce_scatter has no ring_netreduce on cluster:4xh100, and runs by ring_ring", done.stderr)
        used = {(t["collective"], t["algorithm"]) for t in json.loads(done.stdout)["transfers"]}
        self.assertLess({("allreduce", "ring_netreduce"), ("reduce_scatter", "ring_ring"), ("allgather", "ring_ring")}, used)

    def test_packets_against_each_other(self):
        base = ["train", "--platform", "dgx2", "--model", "resnet18", "--compute", "roofline"]
        found = step(*base, "--algorithm", "push", "--against", "ring")
        self.assertEqual(found["against"][0]["period_ns"], step(*base, "--algorithm", "ring")["period_ns"])


if __name__ == "__main__":
    run_tests()
