"""Compares the results of `tributary train` with arithmetic and with runs of single collectives.

usage: test_training.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import pathlib
import tempfile
import unittest

from executable import run_tests, tributary

# Three layers of 64 Ki, 16 Ki and 128 Ki weights.
MODEL = """name: three
layers:
  - {name: first, matrix: [256, 256]}
  - {name: second, matrix: [256, 64]}
  - {name: third, matrix: [64, 2048]}
"""
WEIGHTS = [65536, 16384, 131072]
TIMES = "Layer name, Forward, Input gradient, Weight gradient\n" + "".join(f"{n}, 1, 1, 1\n" for n in ("first", "second", "third"))


class Training(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.file("three.yaml", MODEL)
        self.table = self.file("times.csv", TIMES)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def train(self, *arguments):
        done = tributary("train", "--model", self.model, "--compute", "table", "--set", f"compute.table={self.table}",
                         "--json", "-", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def row(self, size, *arguments):
        done = tributary("run", "--size", f"{size}B", "--no-data", "--json", "-", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["results"][0]["time_ns"]

    def check_iteration(self, result):
        for i in result["iterations"]:
            self.assertAlmostEqual(i["compute_ns"] + i["optimizer_ns"] + i["exposed_ns"] + i["idle_ns"], i["time_ns"], places=2)
            self.assertLessEqual(i["overlap_ns"], i["active_ns"])
            self.assertGreaterEqual(i["time_ns"], i["compute_ns"])
        path = result["critical_path"]
        self.assertEqual(path[0]["begin_ns"], result["iterations"][-1]["begin_ns"])
        for a, b in zip(path, path[1:]):
            self.assertEqual(a["end_ns"], b["begin_ns"])

    def test_operations_a_millisecond_apart_take_as_long_as_alone(self):
        for algorithm in ("push", "ring"):
            result = self.train("--algorithm", algorithm)
            self.assertEqual(result["fidelity"], {"mode": "isolated", "exact": True, "estimate_because": ""})
            self.check_iteration(result)
            operations = result["operations"]
            self.assertEqual([o["size_bytes"] for o in operations], [4 * w for w in reversed(WEIGHTS)])
            for operation in operations:
                alone = self.row(operation["size_bytes"], "--algorithm", algorithm)
                self.assertAlmostEqual(operation["end_ns"] - operation["start_ns"], alone, places=3)
            # Only the last operation is exposed, the others run during 2 ms of backward each.
            self.assertAlmostEqual(result["period_ns"], 9e6 + self.row(4 * WEIGHTS[0], "--algorithm", algorithm), places=2)

    def test_one_shot_is_its_compute_and_one_operation(self):
        result = self.train("--grouping", "one_shot")
        self.assertAlmostEqual(result["period_ns"], 9e6 + self.row(4 * sum(WEIGHTS)), places=2)
        self.assertEqual([p["kind"] for p in result["critical_path"]][-1], "transfer")
        self.assertEqual(result["iterations"][0]["overlap_ns"], 0)

    def test_ring_costs_launch_steps_and_sms(self):
        plain = self.train("--grouping", "one_shot", "--algorithm", "ring")
        costly = self.train("--grouping", "one_shot", "--algorithm", "ring", "--preset", "nccl")
        self.assertAlmostEqual(costly["period_ns"] - plain["period_ns"], 8400 + 30 * 3400, places=2)  # 2 (16 - 1) steps
        switches = self.train("--grouping", "one_shot", "--algorithm", "push", "--preset", "nccl")
        self.assertEqual(switches["transfers"][0]["software_ns"], 0)

    def test_groupings_orders_and_shards_run_on_other_machines(self):
        for platform, algorithm in (("torus:2x2", "multitree"), ("rack:4", "netreduce"), ("tofino:4", None), ("dgx1v", None)):
            for more in (["--grouping", "bucket", "--set", "comm.first_bucket=100KiB"], ["--grouping", "partition", "--order", "priority",
                         "--set", "comm.partition=100KiB"], ["--grouping", "fusion"], ["--dtype", "f16", "--queues", "2"]):
                if platform == "tofino:4" and "f16" in more:
                    continue  # its switches add only f32
                with self.subTest(platform=platform, more=more):
                    result = self.train("--platform", platform, *(["--algorithm", algorithm] if algorithm else []), *more)
                    self.check_iteration(result)
                    bytes_moved = sum(o["size_bytes"] for o in result["operations"])
                    self.assertEqual(bytes_moved, (2 if "f16" in more else 4) * sum(WEIGHTS) * len(result["iterations"]))

    def test_sharding_moves_the_bytes_of_zero(self):
        for sharding, passes in (("optimizer", 2), ("gradients", 2), ("all", 3)):
            result = self.train("--sharding", sharding)
            self.check_iteration(result)
            self.assertEqual(sum(o["size_bytes"] for o in result["operations"]), passes * 4 * sum(WEIGHTS))
            self.assertEqual({t["collective"] for t in result["transfers"]}, {"allgather", "reduce_scatter"})

    def test_a_slow_rank_delays_all(self):
        even, uneven = self.train(), self.train("--set", "compute.factors=3:2")
        self.assertGreater(uneven["period_ns"], 1.9 * even["period_ns"])
        self.assertFalse(uneven["fidelity"]["exact"])
        jitter = [self.train("--set", "compute.jitter=0.2")["period_ns"] for _ in range(2)]
        self.assertEqual(jitter[0], jitter[1])
        self.assertTrue(even["period_ns"] < jitter[0] < 1.2 * even["period_ns"])

    def full(self, *arguments):
        result = self.train("--fidelity", "full", *arguments)
        self.assertEqual(result["fidelity"], {"mode": "full", "exact": True, "estimate_because": ""})
        self.check_iteration(result)
        return result

    def test_devices_take_the_isolated_times_where_these_are_exact(self):
        for algorithm in ("push", "pull", "ring", "double_binary_tree"):
            isolated, full = (f("--grouping", "one_shot", "--algorithm", algorithm) for f in (self.train, self.full))
            for result in (isolated, full):
                for interval in result["critical_path"]:
                    interval.pop("rank")  # one of several equal ranks
                for iteration in result["iterations"]:
                    iteration.pop("bottleneck")  # isolated: of one message; full: of all operations
            for same in ("period_ns", "alone_ns", "critical_path", "operations", "iterations", "layers"):
                self.assertEqual(isolated[same], full[same], same)
            self.assertEqual(full["transfers"], [])

    def test_devices_and_isolated_times_have_one_activity_of_an_operation(self):
        """Ranks end an operation at different times; it is active until the last one has its result."""
        for platform, ranks, algorithm, size in (("torus:2x2", 4, "ring", 128), ("torus:2x2", 4, "multitree", 128), ("dgx2", 16, "pull", 4096),
                                                 ("dgx2", 16, "ring", 128)):
            graph = self.file("g.yaml", f"training_graph: 1\nranks: {ranks}\nlayers: [a]\ntasks:\n"
                                        "  - {id: x, kind: compute, time: 1us, layer: 0, pass: forward}\n"
                                        f"  - {{kind: collective, collective: allreduce, bytes: {size}B, type: f32, after: [x]}}\n"
                                        "  - {kind: compute, time: 50us, layer: 0, pass: weight_gradient, after: [x]}\n")
            iterations = {}
            for fidelity in ("isolated", "full"):
                done = tributary("train", "--platform", platform, "--algorithm", algorithm, "--graph", graph, "--fidelity", fidelity, "--json", "-")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                iterations[fidelity] = json.loads(done.stdout)["iterations"]
                iterations[fidelity][0].pop("bottleneck")
            self.assertEqual(iterations["isolated"], iterations["full"], (platform, algorithm))
            self.assertGreater(iterations["full"][0]["active_ns"], 0)

    def test_devices_and_isolated_times_agree_layer_by_layer(self):
        """A message at another address has its home ports in another order; nothing else differs."""
        for algorithm in ("push", "pull", "ring"):
            isolated, full = self.train("--algorithm", algorithm), self.full("--algorithm", algorithm)
            self.assertAlmostEqual(full["period_ns"] / isolated["period_ns"], 1, delta=0.001)
            for a, b in zip(isolated["operations"], full["operations"]):
                self.assertEqual((a["name"], a["size_bytes"], a["ready_ns"], a["begin_ns"]),
                                 (b["name"], b["size_bytes"], b["ready_ns"], b["begin_ns"]))
                self.assertAlmostEqual((b["all_ended_ns"] - b["start_ns"]) / (a["end_ns"] - a["start_ns"]), 1, delta=0.05)

    def test_nodes_of_networks_take_the_isolated_times(self):
        for platform, algorithm in (("torus:2x2", "multitree"), ("mesh:2x3", "ring")):
            options = ("--platform", platform, "--algorithm", algorithm)
            isolated, full = (f("--grouping", "one_shot", *options) for f in (self.train, self.full))
            self.assertEqual(isolated["period_ns"], full["period_ns"])
            isolated, full = self.train(*options), self.full(*options)
            self.assertAlmostEqual(full["period_ns"] / isolated["period_ns"], 1, delta=0.001)

    def test_rings_launch_and_occupy_sms_on_devices(self):
        options = ("--grouping", "one_shot", "--algorithm", "ring", "--set", "ring.launch=8.4us", "--set", "ring.sms=16")
        isolated, full = self.train(*options), self.full(*options)
        self.assertEqual(isolated["period_ns"], full["period_ns"])
        self.assertAlmostEqual(full["period_ns"] - self.full("--grouping", "one_shot", "--algorithm", "ring")["period_ns"], 8400, places=2)

    def test_one_slow_device_delays_all(self):
        even, uneven = self.full(), self.full("--set", "compute.factors=3:2")
        self.assertGreater(uneven["period_ns"], 1.9 * even["period_ns"])
        waits = [p for p in uneven["critical_path"] if p["kind"] == "compute"]
        self.assertEqual({p["rank"] for p in waits}, {3})

    def test_both_modes_agree_on_devices(self):
        one, other = (self.full("--mode", engine, "--iterations", "3", "--set", "comm.issue=pipelined") for engine in ("windowed", "event"))
        one.pop("kernel"), other.pop("kernel")
        self.assertEqual(one, other)
        self.assertEqual(len(one["operations"]), 9)
        self.assertGreaterEqual(one["steady_ns"], 9e6)

    def test_both_modes_agree(self):
        def all_but_kernel(engine):
            result = self.train("--mode", engine)
            result.pop("kernel")
            return result

        self.assertEqual(all_but_kernel("windowed"), all_but_kernel("event"))

    def graph(self, text, *arguments):
        done = tributary("train", "--graph", self.file("graph.yaml", text), "--json", "-", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_a_written_graph_runs_like_its_step(self):
        options = ("--grouping", "bucket", "--iterations", "3", "--set", "comm.first_bucket=100KiB")
        path = str(self.folder / "step.yaml")
        written = tributary("train", "--model", self.model, "--compute", "table", "--set", f"compute.table={self.table}", *options,
                            "--write-graph", path)
        self.assertEqual((written.returncode, written.stdout, written.stderr), (0, "", ""))
        read = json.loads(tributary("train", "--graph", path, "--json", "-").stdout)
        direct = self.train(*options)
        for same in ("period_ns", "alone_ns", "fidelity", "critical_path", "layers", "operations", "samples_per_s"):
            self.assertEqual(read[same], direct[same], same)

    def test_a_graph_has_groups_sends_and_work(self):
        result = self.graph("""training_graph: 1
ranks: 4
groups: [{name: left, ranks: [0, 1]}, {name: right, ranks: [2, 3]}]
tasks:
  - {id: f, kind: compute, flop: 120000000000, bytes: 128B}
  - {kind: collective, collective: allreduce, bytes: 64KiB, group: left, after: [f]}
  - {kind: collective, collective: allreduce, bytes: 64KiB, group: right, after: [f]}
  - {id: s, kind: send, rank: 0, peer: 3, bytes: 4KiB, after: [f]}
  - {id: r, kind: receive, rank: 3, peer: 0, bytes: 4KiB, after: [f]}
  - {kind: compute, rank: 3, time: 1ms, after: [r]}
""", "--gpus", "4", "--compute", "roofline")
        self.check_iteration(result)
        self.assertEqual(result["alone_ns"], 1e6 + 6e3 + 1e6)  # 120 GFLOP at 120 TFLOP/s, a launch, 1 ms
        self.assertFalse(result["fidelity"]["exact"])
        self.assertEqual([(t["collective"], t["ranks"]) for t in result["transfers"]],
                         [("allreduce", 2), ("allreduce", 2), ("broadcast", 2)])
        self.assertIn("steps_per_s", result)

    def test_a_group_that_an_algorithm_refuses_runs_by_another(self):
        """The all-reduce of spine_leaf:2x2x4 needs accelerators between hosts, and a group of 4 GPUs is one host."""
        groups = "groups: [" + ", ".join(f"{{name: g{g}, ranks: [{4 * g}, {4 * g + 1}, {4 * g + 2}, {4 * g + 3}]}}" for g in range(4)) + "]"
        tasks = "".join(f"  - {{kind: collective, collective: allreduce, bytes: 64KiB, group: g{g}}}\n" for g in range(4))
        text = f"training_graph: 1\nranks: 16\n{groups}\ntasks:\n{tasks}  - {{kind: collective, collective: allreduce, bytes: 64KiB}}\n"
        path = self.file("groups.yaml", text)
        done = tributary("train", "--graph", path, "--platform", "spine_leaf:2x2x4", "--fidelity", "isolated", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("does not run between the 4 ranks of some groups, which run by ring", done.stderr)
        self.assertEqual([(t["algorithm"], t["ranks"]) for t in json.loads(done.stdout)["transfers"]], [("ring", 4)] * 4 + [("parallel_netreduce", 16)])

    def test_a_collective_with_a_task_on_each_rank_is_one_operation(self):
        def graph(ranks):
            tasks = "".join(f"  - {{kind: collective, collective: allreduce, bytes: 64KiB{rank}}}\n" for _ in range(2) for rank in ranks)
            return self.graph(f"training_graph: 1\nranks: 4\ntasks:\n{tasks}", "--platform", "torus:2x2", "--algorithm", "ring")

        own, together = graph([f", rank: {rank}" for rank in range(4)]), graph([""])
        self.assertEqual(own["period_ns"], together["period_ns"])
        self.assertEqual(own["transfers"], together["transfers"])
        self.assertEqual([t["operations"] for t in own["transfers"]], [2])
        self.assertEqual(own["links"], together["links"])
        self.assertLessEqual(max(link["utilisation"] for link in own["links"]), 1)

    def test_a_text_workload_of_astra_sim_runs(self):
        text = "DATA\n2\n" + "".join(f"{n} -1 1000000 NONE 0 1000000 NONE 0 1000000 ALLREDUCE {4 * w} 0\n"
                                     for n, w in (("first", 65536), ("second", 131072)))
        done = tributary("train", "--graph", self.file("w.txt", text), "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads(done.stdout)
        self.check_iteration(result)
        self.assertEqual(sorted(o["size_bytes"] for o in result["operations"]), [4 * 65536, 4 * 131072])
        self.assertGreaterEqual(result["period_ns"], 5e6)  # five passes of a million cycles

    def test_four_pairs_that_share_a_link_take_four_times_one(self):
        """Isolated and fluid times; also as jobs, which run concurrently by packets."""
        def graph(pairs, name="sum", apart=True):
            groups = "".join(f"  - {{name: p{i}, ranks: [{i}, {i + 4}]}}\n" for i in pairs)
            tasks = "".join(f"  - {{name: {name}{i if apart else ''}, kind: collective, collective: allreduce, bytes: 16MiB, group: p{i}}}\n" for i in pairs)
            return f"training_graph: 1\nranks: 8\ngroups:\n{groups}tasks:\n{tasks}"

        jobs = "platform: spine_leaf:2x4\njobs:\n" + "".join(
            f"  - {{algorithm: ring, ranks: [{i}, {i + 4}], size: 16MiB}}\n" for i in range(4))
        for engine in ("windowed", "fluid"):
            options = ("--platform", "spine_leaf:2x4", "--algorithm", "ring", "--mode", engine, "--fidelity", "isolated")
            one, four = (self.graph(graph(range(n)), *options) for n in (1, 4))
            self.assertAlmostEqual(four["period_ns"] / one["period_ns"], 4, delta=0.05)
            self.assertIn("share links", four["fidelity"]["estimate_because"])
            self.assertNotIn("share links", one["fidelity"]["estimate_because"])
            done = tributary("run", self.file("jobs.yaml", jobs), "--no-data", "--mode", engine, "--json", "-")
            together = max(row["time_ns"] for row in json.loads(done.stdout)["results"])
            self.assertAlmostEqual(four["period_ns"] / together, 1, delta=0.02)
            # Tasks in the same position of the graph are measured together.
            at_once = self.graph(graph(range(4), apart=False), *options)
            self.assertEqual(at_once["period_ns"], together)
            self.assertEqual({t["groups_at_once"] for t in at_once["transfers"]}, {4})
            moved = [sum(t["wire_bytes"] for t in result["transfers"]) for result in (at_once, four)]
            self.assertAlmostEqual(moved[0] / moved[1], 1, delta=0.01)

    def test_a_model_over_several_ranks_has_its_bytes_and_counts(self):
        """Bytes and counts follow the formulas of docs/training_parallel.md."""
        def moved(result, collective):
            rows = [t for t in result["transfers"] if t["collective"] == collective]
            return sum(t["operations"] for t in rows), sum(t["operations"] * t["size_bytes"] for t in rows)

        def step(model, *arguments):
            done = tributary("train", "--platform", "dgx2", "--model", model, "--dtype", "f16", "--compute", "roofline", "--fidelity", "isolated",
                             "--json", "-", "--quiet", *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            result = json.loads(done.stdout)
            self.check_iteration(result)
            return result

        tokens, hidden, half = 256, 768, 2
        result = step("gpt2", "--gpus", "4", "--batch", str(tokens), "--parallel", "tensor=4")
        count, size = moved(result, "allreduce")
        self.assertEqual(count, 4 * 12 + 2)  # 12 blocks, and both ends of the vocabulary
        self.assertEqual(size, count * tokens * hidden * half)
        self.assertAlmostEqual(result["tokens_per_s"], tokens * 1e9 / result["period_ns"], delta=1)

        result = step("gpt2", "--gpus", "8", "--batch", str(tokens), "--parallel", "tensor=2,pipeline=2", "--set", "training.accumulate=3")
        count, size = moved(result, "broadcast")
        self.assertEqual(count, 2 * 3 * 4)  # both directions, micro-batches, ranks of a stage
        self.assertEqual(size, count * tokens * hidden * half)
        self.assertGreater(sum(i["idle_ns"] for i in result["iterations"]), 0)

        result = step("gpt2-experts", "--gpus", "4", "--batch", str(tokens), "--parallel", "expert=4", "--set", "training.capacity=1.25")
        count, size = moved(result, "alltoall")
        self.assertEqual(count, 4 * 6)  # six blocks with experts
        self.assertEqual(size, count * tokens * 2 * hidden * half * 5 // 4)

    def test_forms_of_parallel_training_combine(self):
        """ZeRO-1, tensor and sequence parallel ranks, an interleaved pipeline and recomputation in one step."""
        layers = "".join(f"  - {{name: h.{b}.{n}, matrix: [256, 256], tensors: [65536, 256], split: {s}}}\n"
                         for b in range(4) for n, s in (("up", "outputs"), ("down", "inputs")))
        model = self.file("model.yaml", f"name: blocks\nunit: token\nlayers:\n{layers}")
        base = ["--platform", "dgx2", "--gpus", "8", "--algorithm", "ring", "--fidelity", "isolated", "--model", model, "--batch", "64",
                "--dtype", "f16", "--compute", "roofline", "--set", "optimizer.kind=adam", "--parallel", "tensor=2,pipeline=2",
                "--set", "training.accumulate=4"]

        def step(*more):
            done = tributary("train", *base, *more, "--json", "-", "--quiet")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            result = json.loads(done.stdout)
            self.check_iteration(result)
            rows = {}
            for t in result["transfers"]:
                count, size = rows.get(t["collective"], (0, 0))
                rows[t["collective"]] = (count + t["operations"], size + t["operations"] * t["size_bytes"])
            return result, rows

        tokens = 64 * 256 * 2  # bytes of the activations of a pass
        whole = 4 * 256  # down's bias is whole on both ranks of tensor
        weights = 2 * (8 * 65536 + 4 * 256 + 2 * whole)  # bytes of both ranks of a replica's layers
        plain, rows = step()
        replicas, passes, blocks = 2, 4, 4
        sums = replicas * passes * (2 * blocks - 1)  # nothing needs the gradient of the first inputs
        self.assertEqual(rows["allreduce"], (sums + 2 * 8, sums * tokens + weights))
        self.assertEqual(rows["broadcast"][0], 2 * passes * 4)

        zero, rows = step("--sharding", "optimizer")
        self.assertEqual(rows["allreduce"], (sums, sums * tokens))
        self.assertEqual((rows["reduce_scatter"], rows["allgather"]), ((2 * 8, 2 * weights), (2 * 8, weights)))  # gradients in f32
        self.assertAlmostEqual(zero["iterations"][0]["optimizer_ns"] - 6000, (plain["iterations"][0]["optimizer_ns"] - 6000) / 2, delta=1)

        _, rows = step("--sharding", "optimizer", "--set", "training.sequence_parallel=true")
        self.assertEqual(rows["broadcast"], (2 * passes * 4, 2 * passes * 4 * tokens // 2))
        gathers, scatters = replicas * passes * 3 * blocks, replicas * passes * (2 * blocks - 1)
        self.assertEqual(rows["allgather"], (gathers + 2 * 8, gathers * tokens + weights))
        self.assertEqual(rows["reduce_scatter"], (scatters + 2 * 8, scatters * tokens + 2 * weights))
        self.assertEqual(rows["allreduce"], (2 * replicas, replicas * 2 * 2 * whole))

        interleaved, rows = step("--set", "training.virtual_stages=2")
        self.assertEqual(rows["broadcast"][0], 2 * passes * 4 * 3)  # four stages have three boundaries
        self.assertLess(interleaved["alone_ns"], plain["alone_ns"])

        repeated, rows = step("--set", "training.recompute=full")
        self.assertEqual(rows["allreduce"][0], sums + replicas * passes * blocks + 2 * 8)
        self.assertGreater(repeated["alone_ns"], 1.2 * plain["alone_ns"])

        _, rows = step("--sharding", "all")
        self.assertEqual((rows["reduce_scatter"], rows["allgather"]),
                         ((2 * 8 * passes, passes * weights), (2 * 8 * 2 * passes, 2 * passes * weights)))

        for more in (["--order", "priority"], ["--queues", "3"], ["--grouping", "partition", "--set", "comm.credit=128KiB"]):
            self.assertEqual(step(*more)[1]["allreduce"][1], sums * tokens * (3 if "priority" in more else 1) + weights * (3 if "priority" in more else 1))

    def test_memory_and_kernels_of_a_step(self):
        arguments = ["--platform", "dgx2", "--gpus", "4", "--algorithm", "ring", "--mode", "fluid", "--model", "gpt2", "--batch", "1024",
                     "--set", "optimizer.kind=adam", "--set", "optimizer.when=one"]
        weights, s, h, a, vocabulary = 124439808, 1024, 768, 12, 50257
        block, head = s * h * 34 + 5 * a * s * s, 4 * s * h + 6 * s * vocabulary  # Korthikanti et al., MLSys 2023, Table 2

        def step(*more):
            done = tributary("train", *arguments, *more, "--json", "-", "--quiet")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return json.loads(done.stdout)

        h100 = step("--preset", "h100", "--set", "compute.attention=scores")
        self.assertEqual(h100["memory"], {"weights_bytes": 2 * weights, "gradients_bytes": 2 * weights, "optimizer_bytes": 12 * weights,
                                          "activations_bytes": 12 * block + head, "total_bytes": 16 * weights + 12 * block + head,
                                          "capacity_bytes": 81559 * 2**20})
        selective = step("--preset", "h100", "--set", "compute.attention=scores", "--set", "training.recompute=selective")
        self.assertEqual(selective["memory"]["activations_bytes"], 12 * 34 * s * h + 5 * a * s * s + head)
        self.assertGreater(selective["alone_ns"], h100["alone_ns"])
        products = step("--preset", "h100", "--set", "compute.kernels=products")
        self.assertGreater(h100["alone_ns"], 1.5 * products["alone_ns"])
        # Without activations of scores the step fits; the refusal names each part.
        done = tributary("train", *arguments, "--preset", "h100", "--set", "compute.attention=scores", "--memory", "2GB")
        self.assertEqual(done.returncode, 2)
        for word in ("a GPU needs 3.", "optimizer 1.493 GB", "compute.memory is 2.000 GB", "the largest part is optimizer", "--sharding optimizer"):
            self.assertIn(word, done.stderr)
        graph = self.file("g.yaml", "training_graph: 1\nranks: 4\ntasks:\n  - {kind: collective, collective: allreduce, bytes: 64KiB}\n")
        done = tributary("train", "--graph", graph, "--gpus", "4", "--json", "-")
        self.assertIsNone(json.loads(done.stdout)["memory"])

    def test_times_at_the_peak_are_said_to_be_limits(self):
        arguments = ["train", "--platform", "dgx2", "--gpus", "2", "--model", "resnet18", "--batch", "8", "-q"]
        for more, text in (["--compute", "roofline"], "of products alone"), (["--preset", "v100"], "(compute.efficiency=1): real kernels are slower"):
            self.assertIn(text, tributary(*arguments, *more).stdout)
        for more in (["--compute", "systolic"], ["--compute", "roofline", "--set", "compute.efficiency=0.6"]):
            self.assertNotIn("upper limits", tributary(*arguments, *more).stdout)

    def test_a_step_whose_operations_slow_each_other_is_executed_by_devices(self):
        layers = "".join(f"  - {{name: l{k}, matrix: [256, 256], split: {'outputs' if k % 2 == 0 else 'inputs'}}}\n" for k in range(6))
        model = self.file("split.yaml", f"name: split\nunit: token\nlayers:\n{layers}")

        def step(*arguments):
            done = tributary("train", "--model", model, "--gpus", "4", "--batch", "64", "--compute", "roofline", "--set", "compute.launch=0ps",
                             "--parallel", "tensor=2", "--json", "-", *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return json.loads(done.stdout)

        for algorithm in ("push", "ring"):
            auto, full, isolated = (step("--algorithm", algorithm, *more) for more in ((), ("--fidelity", "full"), ("--fidelity", "isolated")))
            self.assertEqual(auto["fidelity"], {"mode": "full", "exact": True, "estimate_because": ""})
            for same in ("fidelity", "iterations", "operations", "links", "critical_path"):
                self.assertEqual(auto[same], full[same])
            self.assertEqual(isolated["fidelity"]["mode"], "isolated")
            self.assertIn("share links", isolated["fidelity"]["estimate_because"])
            self.assertEqual(isolated["fidelity"]["no_full"], "--fidelity isolated was given")
            shortest, longest = isolated["fidelity"]["spread_ns"]
            self.assertTrue(shortest <= isolated["period_ns"] <= longest)
        # Hosts on Ethernet have one queue of operations, and flows execute steps on no platform.
        for more, reason in ((("--platform", "rack:4"), "one operation at a time"), (("--mode", "fluid", "--algorithm", "ring"), "by flows")):
            other = step(*more)["fidelity"]
            self.assertIn(reason, other["no_full"])
            self.assertLess(*other["spread_ns"])

    def test_operations_one_after_another_need_no_devices(self):
        result = self.train("--queues", "2")  # a millisecond apart
        self.assertEqual(result["fidelity"], {"mode": "isolated", "exact": True, "estimate_because": ""})

    def test_an_algorithm_of_any_collective_of_a_graph_is_legal(self):
        graph = self.file("g.yaml", "training_graph: 1\nranks: 4\ntasks:\n  - {kind: collective, collective: alltoall, bytes: 64KiB}\n")
        done = tributary("train", "--graph", graph, "--gpus", "4", "--algorithm", "direct", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["transfers"][0]["algorithm"], "direct")
        graph = self.file("g.yaml", "training_graph: 1\nranks: 4\ntasks:\n  - {kind: collective, collective: allreduce, bytes: 64KiB}\n")
        done = tributary("train", "--graph", graph, "--gpus", "4", "--algorithm", "direct")
        self.assertEqual(done.returncode, 2)
        self.assertIn("g.yaml has an algorithm 'direct' (legal: ", done.stderr)

    def test_a_step_has_its_packet_hops_for_each_byte(self):
        """Packet hops per byte: 65/128 for a push, 127.5/128 of a ring on 16 GPUs, 126/256 of trees on 64 nodes."""
        for platform, algorithm, size, hops in (("dgx2", "push", 8 << 20, 0.508), ("dgx2", "ring", 8 << 20, 0.996), ("torus:8x8", "multitree", 4 << 20, 0.492)):
            done = tributary("run", "--platform", platform, "--algorithm", algorithm, "--size", f"{size}B", "--no-data", "--json", "-")
            found = json.loads(done.stdout)["kernel"]["packet_hops"] / size
            self.assertAlmostEqual(found / hops, 1, delta=0.01, msg=algorithm)

    def test_the_table_ends_with_a_summary(self):
        done = tributary("train", "--model", self.model, "--compute", "table", "--set", f"compute.table={self.table}", "--quiet")
        lines = done.stdout.splitlines()
        self.assertIn("fidelity isolated: 3 distinct transfers of packets, exact", lines[1])
        self.assertRegex(lines[-1], r"# An iteration takes [0-9.]+ us, 9000\.000 us without communication: .* hidden behind computation\.")


if __name__ == "__main__":
    run_tests()
