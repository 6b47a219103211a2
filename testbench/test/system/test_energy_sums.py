"""All sums of an all-reduce over n ranks are (n - 1) x count, wherever they happen (docs/energy.md#actions).

usage: test_energy_sums.py TRIBUTARY SOURCE_DIRECTORY [RUNS] [unittest arguments]    RUNS: number of random runs [100]
"""
import json
import random
import sys
import unittest

from executable import run_tests, tributary

RUNS = int(sys.argv.pop(3)) if len(sys.argv) > 3 and sys.argv[3].isdigit() else 100
MESSAGE = 170 * 1024  # bytes of a message of NetReduce on a rack, with its header
HEADER = 16


def bytes_of(element_type):
    return {"f32": 4, "f16": 2, "bf16": 2, "i32": 4, "f64": 8}[element_type]


def run(*arguments):
    done = tributary("run", *arguments, "--no-data", "--json", "-")
    assert done.returncode == 0, (arguments, done.stderr)
    return json.loads(done.stdout)


def added(document):
    """Elements that all components added. A merge in a table adds a block of 128 B; in rank order, a table adds when its entry is complete."""
    row = document["results"][0]
    counters = row["counters"]
    ordered = document["parameters"].get("nvswitch.switch.reduction_table.order", {}).get("value") == "rank"
    merges = counters.get("switch.completions", 0) * (document["ranks"] - 1) if ordered else counters.get("switch.merges", 0)
    return sum(value for name, value in counters.items() if name.endswith(".added_elements")) + merges * 128 // bytes_of(row["type"])


def random_run(draw):
    """Arguments of a run of any family. Sizes are whole blocks and whole parts of each rank."""
    table = draw.choice([[], ["--set", "nvswitch.switch.reduction_table.bytes=128B"], ["--set", "nvswitch.switch.reduction_table.timeout=20ns"],
                         ["--set", "nvswitch.switch.reduction_table.order=rank"],
                         ["--set", "nvswitch.switch.reduction_table.order=rank", "--set", "nvswitch.switch.reduction_table.bytes=16KiB"], ["--set", "nvswitch.link.bit_error_rate=1e-7"]])
    gpus = draw.choice([2, 3, 5, 8, 16])
    switched = ["--gpus", str(gpus), "--size", f"{gpus * draw.randint(1, 24) * 128}B", "--dtype", draw.choice(["f32", "f16", "i32"])]
    hosts = draw.choice([2, 4, 6])
    lost = draw.choice([[], ["--set", "netreduce.link.loss_rate=0.003"]])
    dropped = draw.choice([[], ["--set", "tofino.link.loss_rate=0.02"]])
    return draw.choice([
        ["--algorithm", "push", *switched, *table],
        ["--algorithm", draw.choice(["ring", "double_binary_tree", "halving_doubling", "star", "nccl"]), *switched],
        ["--platform", draw.choice(["torus:2x2", "torus:4x4", "mesh:3x3", "bigraph:2x4"]), "--algorithm", draw.choice(["multitree", "ring"]),
         "--set", "schedule_nic.nic.table.entries=auto", "--size", f"{144 * draw.randint(1, 16) * 16}B"],
        ["--platform", f"rack:{hosts}", "--algorithm", draw.choice(["netreduce", "ring", "halving_doubling", "double_binary_tree", "parameter_server"]),
         "--size", f"{hosts * draw.randint(1, 30) * 1024}B", *lost],
        ["--platform", f"tofino:{hosts}", "--algorithm", draw.choice(["switchml", "switchml_rdma", "atp"]), "--size", f"{draw.randint(1, 32)}KiB", *dropped],
        ["--platform", "dgx1v", "--algorithm", draw.choice(["blink", "nccl"]), "--ranks", draw.choice(["0-7", "0-3", "0,1,4"]),
         "--size", f"{96 * draw.randint(1, 64)}KiB"]])


class Sums(unittest.TestCase):
    def check(self, arguments):
        document = run(*arguments)
        row = document["results"][0]
        elements = row["count"]
        if "netreduce" in arguments:  # accelerators add padding, too
            elements = -(-row["size_bytes"] // (MESSAGE - HEADER)) * (MESSAGE - HEADER) // bytes_of(row["type"])
        expected = (document["ranks"] - 1) * elements
        if "atp" in arguments and "tofino.link.loss_rate=0.02" in arguments:  # the server drops partial sums that it has in part
            self.assertGreaterEqual(added(document), expected, arguments)
        else:
            self.assertEqual(added(document), expected, arguments)

    def test_random_runs(self):
        draw = random.Random(1)
        for number in range(RUNS):
            arguments = [*random_run(draw), "--seed", str(number)]
            with self.subTest(arguments=" ".join(arguments)):
                self.check(arguments)

    def test_evictions_and_timeouts(self):
        table = "nvswitch.switch.reduction_table.bytes=128B"
        for arguments in (["--set", table], ["--gpus", "7"], ["--set", "nvswitch.switch.reduction_table.timeout=20ns"], ["--dtype", "f16", "--set", table],
                          ["--set", "nvswitch.link.bit_error_rate=1e-7"]):
            with self.subTest(arguments=arguments):
                self.check(["--algorithm", "push", "--size", "70KiB", *arguments])

    def test_members_add_what_is_evicted_to_all(self):
        document = run("--algorithm", "push", "--size", "70KiB", "--set", "nvswitch.switch.reduction_table.eviction=multicast",
                       "--set", "nvswitch.switch.reduction_table.bytes=128B")
        row = document["results"][0]
        self.assertGreater(row["counters"]["switch.evictions"], 0)
        self.assertGreaterEqual(added(document), (document["ranks"] - 1) * row["count"])

    def test_memory_is_read_at_least_once(self):
        """Each rank reads its operand and writes its result."""
        for arguments, counters in ((["--platform", "rack:4", "--algorithm", "netreduce"], ["host.memory_bytes"]), (["--platform", "rack:4", "--algorithm", "ring"], ["host.memory_bytes"]),
                                    (["--platform", "tofino:4", "--algorithm", "switchml"], ["worker.memory_bytes"]),
                                    (["--platform", "dgx1v", "--algorithm", "nccl"], ["kernel.bytes_read", "kernel.bytes_written"])):
            document = run(*arguments, "--size", "96KiB")
            row = document["results"][0]
            self.assertGreaterEqual(sum(row["counters"][c] for c in counters), 2 * document["ranks"] * row["size_bytes"], arguments)


if __name__ == "__main__":
    run_tests()
