"""Runs `tributary train` on bad input. Exit code 2 and one clear line.

usage: test_bad_training.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import pathlib

from executable import run_tests, tributary
from refusals import Refusals


class Training(Refusals):
    def train_refused(self, arguments, *words):
        self.refused(["train", *arguments], *words)

    def test_unknown_names_are_refused(self):
        self.train_refused(["--model", "resnet51"], "--model", "unknown model 'resnet51'", "did you mean resnet50")
        self.train_refused(["--grouping", "buckets"], "--grouping", "comm.grouping", "one_shot", "layer_wise")
        self.train_refused(["--order", "first"], "--order", "comm.order", "fifo", "priority")
        self.train_refused(["--compute", "rofline"], "--compute", "compute.model", "roofline")
        self.train_refused(["--preset", "klenk"], "--preset", "unknown preset 'klenk'", "klenk-volta")
        self.train_refused(["--platform", "dgx3"], "did you mean dgx2")
        self.train_refused(["--algorithm", "psuh"], "did you mean push")
        self.train_refused(["--set", "comm.quues=2"], "comm.quues", "did you mean comm.queues?")
        self.train_refused(["--modell", "alexnet"], "--modell", "did you mean --model")
        self.train_refused(["--size", "4KiB"], "--size")

    def test_bad_numbers_are_refused(self):
        self.train_refused(["--batch", "0"], "training.batch", "legal: 1 to")
        self.train_refused(["--batch", "many"], "training.batch", "many")
        self.train_refused(["--iterations", "1001"], "training.iterations", "legal: 1 to 1000")
        self.train_refused(["--queues", "9"], "comm.queues", "legal: 1 to 8")
        self.train_refused(["--set", "comm.bucket=25"], "comm.bucket", "no unit")
        self.train_refused(["--set", "ring.sms=80"], "ring.sms", "0 to 79")
        self.train_refused(["--set", "compute.jitter=-1"], "compute.jitter")
        self.train_refused(["--batch", "1", "--batch", "2"], "--batch", "twice")
        self.train_refused(["--set", "compute.factors=3"], "compute.factors", "RANK:FACTOR")
        self.train_refused(["--set", "compute.factors=16:2"], "compute.factors: unknown rank 16", "legal: 0 to 15")
        self.train_refused(["--compute", "systolic", "--batch", "1000000000", "--set", "compute.clock=1us"], "1000 s")

    def test_contradictory_options_are_refused(self):
        self.train_refused(["--sharding", "all", "--grouping", "bucket"], "comm.grouping=layer_wise")
        self.train_refused(["--sharding", "all", "--order", "priority"], "comm.order=fifo")
        parallel = ["--model", "gpt2", "--batch", "64", "--compute", "roofline", "--parallel"]
        self.train_refused([*parallel, "pipeline=4", "--set", "training.virtual_stages=2", "--set", "training.accumulate=6"], "6 passes",
                           "multiple of pipeline=4")
        self.train_refused([*parallel, "tensor=4", "--set", "training.virtual_stages=2"], "training.virtual_stages=2", "pipeline=N")
        self.train_refused([*parallel, "pipeline=2", "--set", "training.sequence_parallel=true"], "training.sequence_parallel", "tensor=N")
        self.train_refused([*parallel, "tensor=2", "--sharding", "all"], "shared weights")
        self.train_refused([*parallel, "tensor=2", "--grouping", "fusion"], "comm.grouping=fusion", "one_shot, layer_wise, bucket, partition")
        self.train_refused(["--model", "resnet50", "--parallel", "tensor=2", "--set", "training.sequence_parallel=true"], "tokens", "unit: token")
        self.train_refused(["--compute", "systolic", "--set", "compute.kernels=all"], "compute.kernels=all", "compute.kernels=products")
        self.train_refused(["--memory", "80"], "compute.memory", "no unit")
        self.train_refused(["--compute", "table"], "compute.time or compute.table")
        self.train_refused(["--compute", "trace"], "compute.model=trace without a trace")
        self.train_refused(["--platform", "rack:6", "--sharding", "gradients", "--algorithm", "netreduce", "--gpus", "1"], "")

    def test_steps_that_devices_do_not_support_are_refused(self):
        full = ["--model", "alexnet", "--batch", "1", "--fidelity", "full"]
        self.train_refused(["--fidelity", "part"], "--fidelity", "'part'", "auto, isolated, pairs or full")
        self.train_refused([*full, "--mode", "fluid"], "--fidelity full", "flows cannot execute a graph")
        self.train_refused([*full, "--order", "priority"], "--fidelity full", "coordinator", "comm.order=fifo")
        graph = "training_graph: 1\nranks: 4\n{}: ready\ntasks:\n  - {{kind: collective, collective: allreduce, bytes: 1KiB}}\n"
        for order in ("comm_order", "compute_order"):
            file = self.file("graph.yaml", graph.format(order))
            self.train_refused(["--graph", file, "--gpus", "4", "--fidelity", "full"], "--fidelity full", f"{order}: listed")
        self.train_refused([*full, "--set", "compute.memory_share=26"], "--fidelity", "compute.memory_share")
        self.train_refused([*full, "--queues", "2", "--platform", "torus:2x2"], "--fidelity full", "comm.queues=1")
        self.train_refused([*full, "--queues", "2", "--set", "nvswitch.gpu.dma.counter_lookup=id"], "--fidelity full", "counter_lookup=address")
        self.train_refused([*full, "--queues", "8", "--set", "nvswitch.gpu.dma.waves=4"], "--fidelity full", "at least 8")
        model = ["--model", "bert-large", "--batch", "64", "--compute", "roofline", "--fidelity", "full"]
        self.train_refused([*model, "--parallel", "tensor=4,pipeline=2"], "--fidelity full", "commands of software", "--algorithm ring")
        self.train_refused([*model, "--parallel", "tensor=2"], "--fidelity full", "groups of one size")
        self.train_refused([*model, "--platform", "torus:4x4", "--algorithm", "ring", "--parallel", "pipeline=2"], "--fidelity full",
                           "one operation at a time", "--fidelity isolated")
        self.train_refused([*full, "--algorithm", "ring", "--preset", "nccl"], "--fidelity full", "ring.step=0ps")
        self.train_refused([*full, "--algorithm", "blink"], "--fidelity full", "push, pull or a schedule of software")
        self.train_refused([*full, "--platform", "rack:4x2"], "--fidelity full", "hosts of several GPUs execute no tasks")
        self.train_refused([*full, "--platform", "torus:2x2", "--set", "comm.issue=pipelined"], "--fidelity full", "comm.issue=serial")

    def graph_refused(self, tasks, *words):
        text = "training_graph: 1\nranks: 2\ntasks:\n" + "".join(f"  - {{{task}}}\n" for task in tasks)
        self.train_refused(["--graph", self.file("g.yaml", text), "--gpus", "2"], "g.yaml", *words)

    def test_bad_graphs_are_refused(self):
        self.graph_refused(["id: a, kind: compute, time: 1ms, after: [b]", "id: b, kind: compute, time: 1ms, after: [a]"],
                           "cycle", "'a'", "'b'")
        self.graph_refused(["id: out, kind: send, rank: 0, peer: 1, bytes: 4KiB"], "'out'", "has no receive")
        reduce = "kind: collective, collective: allreduce, bytes: "
        self.graph_refused([f"id: x0, rank: 0, {reduce}4KiB", f"id: y0, rank: 0, {reduce}8KiB", f"id: y1, rank: 1, {reduce}8KiB",
                            f"id: x1, rank: 1, {reduce}4KiB"], "different order of collectives", "'x0'", "'y1'")
        self.graph_refused(["kind: collective, collective: alreduce, bytes: 4KiB"], "alreduce", "allreduce")
        self.graph_refused(["kind: comptue, time: 1ms"], "g.yaml:4", "comptue", "compute")
        one = self.file("one.yaml", "training_graph: 1\nranks: 2\ntasks:\n  - {kind: compute, time: 1ms}\n")
        self.train_refused(["--graph", one], "2 ranks", "16")
        self.train_refused(["--graph", one, "--gpus", "2", "--grouping", "bucket"], "comm.grouping is ignored with --graph")
        self.train_refused(["--graph", one, "--model", "alexnet"], "--model and --graph")
        self.train_refused(["--graph", "none"], "none")
        self.train_refused(["--model", "alexnet", "--compute", "roofline", "--write-graph", "/nowhere/g.yaml"], "/nowhere/g.yaml")

    def test_bad_traces_are_refused(self):
        self.refused(["import", "trace", "/nowhere"], "/nowhere", "cannot be read")
        self.refused(["import", "trace", self.file("g.txt", "hello\n")], "g.txt: neither a training graph", "nor a Chakra trace")
        self.refused(["import", "trace", self.file("g.json", "{}")], "g.json: no trace of PyTorch")
        table = self.file("g.csv", "Layer,M,N,K,\nL0,196,192,768,\n")
        self.train_refused(["--graph", table], f"{table}: a layer table of SCALE-Sim is a model, not a graph (legal: --model {table})")
        self.assertIn("layers         1\nweights        147456\n", tributary("import", "trace", table).stdout)
        self.refused(["import", "trace", table, "--groups", table], "--groups", "is not a Chakra trace")
        self.train_refused(["--graph", "/nowhere/rank%d.json"], "/nowhere/rank0.json: cannot be read", "legal: %d for the ranks")
        empty = pathlib.Path(self.folder.name, "empty")
        empty.mkdir()
        self.train_refused(["--graph", str(empty)], "empty: is a directory without traces of PyTorch (legal: a file, PREFIX of", "%d")
        self.train_refused(["--graph", self.file("y.yaml", "training_graph: 1\nranks: 2\ntasks: [{kind: mark}]\n"), "--gpus", "2",
                            "--compute-gap", "1us"], "y.yaml: graph.compute_gap has no effect on this format")
        self.refused(["import", "trace", self.file("0.et", "x"), "--graph", "-"], "import trace", "legal")
        self.refused(["import", "tarce", "x"], "'tarce'", "legal: topology, trace")
        prefix = self.file("t.0.et", "\x05")[:-len(".0.et")]
        self.refused(["import", "trace", prefix], "t.0.et")
        self.file("t.2.et", "")
        self.refused(["import", "trace", prefix], "t.1.et", "missing")

    def test_traces_with_bad_process_groups_are_counted_and_refused(self):
        trace = pathlib.Path(self.folder.name, "n.0.et")
        message = lambda content: bytes([len(content)]) + content
        attribute = lambda name, value: b"\x52" + message(b"\x0a" + message(name) + value)
        reduce = b"\x08\x05\x18\x07" + attribute(b"comm_size", b"\x48\x08") + attribute(b"comm_type", b"\x48\x00")
        trace.write_bytes(message(b"\x0a" + message(b"0.0.4")) + message(reduce + attribute(b"pg_name", b"\xea\x01" + message(b"7"))))
        done = tributary("import", "trace", str(trace))
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown groups 1 (7)\n", done.stdout)
        self.assertEqual(done.stderr, f"tributary: error: {trace}: unknown process groups: 1 (7): neither the nodes nor a file next to the trace "
                         "list them (legal: --groups FILE, PREFIX.json or comm_group.json)\n")
        twice = self.file("twice", '{"7": [0, 1, 0]}')
        self.refused(["import", "trace", str(trace), "--groups", twice], "process group '7' has rank 0 twice")
        self.assertEqual(tributary("import", "trace", str(trace), "--groups", self.file("pair", '{"7": [0, 1]}')).returncode, 0)
        self.refused(["import", "topology", str(trace), "--groups", twice], "--groups", "legal with trace")

    def test_bad_files_are_refused(self):
        self.train_refused(["--model", "none.yaml"], "none.yaml")
        self.train_refused(["--model", self.file("m.yaml", "name: x\nlayers: []\n")], "m.yaml")
        self.train_refused(["--model", self.file("m.yaml", "name: x\nlayers: [{name: pool}]\n")], "m.yaml")
        self.train_refused(["--model", self.file("m.yaml", "name: x\nlayers:\n  - {name: a, matrix: [10, 0]}\n")], "m.yaml:3")
        preset = self.file("p.yaml", "name: p\nparameters:\n  comm.grouping: bucket\n  comm.quues: 2\n")
        self.train_refused(["--preset", preset], "p.yaml:4", "comm.quues")
        self.train_refused(["--json", "/nowhere/r.json"], "/nowhere/r.json")

    def test_errors_of_old_names_give_the_new_ones(self):
        model = ["--model", "alexnet"]
        self.train_refused(["--engine", "fluid", *model], "error: --engine was renamed: use --mode\n")
        self.train_refused([*model, "--mode", "layer_wise"], "error: --mode was renamed: use --grouping\n")
        self.train_refused([*model, "--streams=2"], "error: --streams was renamed: use --queues\n")
        self.train_refused([*model, "--fidelity", "memo"], "error: --fidelity: memo was renamed: use isolated\n")
        self.train_refused([*model, "--set", "comm.mode=bucket"], "error: --set: comm.mode was renamed: use comm.grouping\n")
        self.train_refused([*model, "--set", "comm.streams=2"], "error: --set: comm.streams was renamed: use comm.queues\n")
        preset = self.file("p.yaml", "name: p\nparameters:\n  comm.mode: bucket\n")
        self.train_refused(["--preset", preset], "p.yaml:3: ", "comm.mode was renamed: use comm.grouping\n")
        self.graph_refused(["kind: compute, time: 1ms, stream: 1"], "g.yaml:4: ", "key 'stream' was renamed: use queue\n")
        for key, value, now in (("mode", "[bucket, one_shot]", "grouping"), ("streams", "2", "queues"), ("engine", "fluid", "mode")):
            sweep = self.file("s.yaml", f"command: train\nmodel: alexnet\n{key}: {value}\n")
            self.refused(["sweep", sweep, "--list"], f"s.yaml:3: {key} was renamed: use {now}\n")
        sweep = self.file("s.yaml", "command: train\nmodel: alexnet\nparameters: {comm: {mode: bucket}}\n")
        self.refused(["sweep", sweep, "--list"], "s.yaml:3: ", "comm.mode was renamed: use comm.grouping\n")


if __name__ == "__main__":
    run_tests()
