"""The fluid mode (docs/fluid.md): its times compared with packet simulation, its results, and its refusals.

usage: test_fluid.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import os
import tempfile
import unittest

from executable import SANITIZED, run_tests, tributary
from refusals import Refusals


def document(*arguments):
    done = tributary("run", *arguments, "--no-data", "--quiet", "--json", "-")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Flows(unittest.TestCase):
    def close(self, percent, *arguments):
        packets, flows = (document(*arguments, "--mode", engine)["results"][0] for engine in ("windowed", "fluid"))
        self.assertLess(abs(flows["time_ns"] / packets["time_ns"] - 1), percent / 100, arguments)
        return packets, flows

    def test_networks_of_nics_agree_within_a_percent(self):
        for platform, algorithm in (("torus:4x4", "multitree"), ("torus:4x4", "ring"), ("mesh:4x4", "ring"), ("bigraph:4x8", "multitree"),
                                    ("fat_tree_2level:16", "multitree")):
            packets, flows = self.close(1, "--platform", platform, "--algorithm", algorithm, "--size", "1MiB")
            self.assertAlmostEqual(flows["wire_bytes"] / packets["wire_bytes"], 1, 6)

    def test_machines_of_gpus_agree_within_five_percent(self):
        for collective, algorithm in (("allreduce", "push"), ("allreduce", "ring"), ("allgather", "multicast"), ("reduce_scatter", "pull")):
            packets, flows = self.close(5, "--collective", collective, "--algorithm", algorithm, "--size", "1MiB")
            self.assertAlmostEqual(flows["wire_bytes"] / packets["wire_bytes"], 1, 2)

    def test_hosts_on_ethernet_agree_with_packets(self):
        for platform, algorithm in (("rack:6", "netreduce"), ("spine_leaf:2x3", "netreduce"), ("rack:4", "ring"), ("spine_leaf:2x4", "ring")):
            self.close(2, "--platform", platform, "--algorithm", algorithm, "--size", "4MiB")

    def test_trees_of_blink_agree_within_half_a_percent(self):
        for ranks, collective, size in (("0-7", "allreduce", "4MiB"), ("0,3,4", "broadcast", "16MiB"), ("2,3,6,7", "reduce_scatter", "4MiB")):
            packets, flows = self.close(0.5, "--platform", "dgx1v", "--algorithm", "blink", "--collective", collective, "--ranks", ranks, "--size", size)
            self.assertAlmostEqual(flows["wire_bytes"] / packets["wire_bytes"], 1, 3)

    def test_windows_of_netreduce_agree_with_packets(self):
        for window, turnaround in ((1, "0us"), (2, "20us")):
            self.close(2, "--platform", "rack:4", "--algorithm", "netreduce", "--size", "4MiB", "--set", f"netreduce.flow_control.window={window}",
                       "--set", f"netreduce.flow_control.turnaround={turnaround}")

    def test_jobs_share_links(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "jobs.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write("platform: dgx2\nalgorithm: ring\nsize: 4MiB\njobs:\n  - ranks: 0-3,8-11\n  - ranks: 4-7,12-15\n    start: 5us\n")
            packets, flows = (document(path, "--mode", engine)["results"] for engine in ("windowed", "fluid"))
        self.assertEqual(len(flows), 2)
        for by_packets, by_flows in zip(packets, flows):
            self.assertLess(abs(by_flows["time_ns"] / by_packets["time_ns"] - 1), 0.05)

    def test_results_name_the_mode_and_are_reproducible(self):
        arguments = ("--platform", "torus:8x8", "--algorithm", "multitree", "--size", "64MiB", "--mode", "fluid")
        first, second = document(*arguments), document(*arguments)
        self.assertEqual(first["results"], second["results"])
        self.assertEqual((first["fidelity"], first["kernel"]["mode"]), ("fluid", "fluid"))
        self.assertNotIn("fidelity", document("--platform", "torus:4x4", "--size", "64KiB"))
        self.assertIn(", simulated as flows", tributary("run", *arguments, "--quiet").stdout.splitlines()[0])

    def test_classes_of_a_long_ring_take_the_time_of_single_hosts(self):
        single = ",".join(str((rank + 1) % 160) for rank in range(160))  # a rack is cut: no classes
        arguments = ("--platform", "spine_leaf:10x16", "--algorithm", "ring", "--size", "20MiB", "--mode", "fluid", "--no-data")
        classes, hosts = document(*arguments)["results"][0], document(*arguments, "--ranks", single)["results"][0]
        self.assertEqual(classes["time_ns"], hosts["time_ns"])
        self.assertAlmostEqual(sum(link["bytes"] * link["count"] for link in classes["links"]), hosts["wire_bytes"], delta=340)
        self.assertEqual([link["count"] for link in classes["links"][:4]], [160, 160, 10, 10])
        self.assertEqual(sum(link["count"] for link in classes["links"]), len(hosts["links"]))
        self.assertAlmostEqual(classes["bound_GBps"], hosts["bound_GBps"], places=6)

    @unittest.skipIf(SANITIZED, "limits of a release")
    def test_a_ring_of_1024_hosts_is_quick(self):
        used = {}
        done = tributary("run", "--platform", "spine_leaf:32x32", "--algorithm", "ring", "--size", "64MiB", "--mode", "fluid", "--no-data", used=used)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(used["cpu_s"], 2)
        self.assertLess(used["bytes"], 200e6)

    def test_training_agrees_with_packets(self):
        done = tributary("train", "--platform", "torus:4x4", "--model", "resnet50", "--grouping", "bucket", "--mode", "fluid", "--quiet", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        step = json.loads(done.stdout)
        self.assertEqual((step["fidelity"]["mode"], step["fidelity"]["exact"]), ("fluid", False))
        self.assertGreater(step["period_ns"], step["alone_ns"])
        self.assertEqual(step["kernel"]["packet_hops"], 0)


class Refused(Refusals):
    def refused_flows(self, arguments, *words):
        self.run_refused(["--mode", "fluid", *arguments], "--mode fluid", *words)

    def test_unsupported_options_are_refused(self):
        self.refused_flows(["--fault", "down:gpu0.port0>switch0_0.port0@1us"], "faults")
        self.refused_flows(["--background", "uniform:0.1"], "background")
        self.refused_flows(["--iterations", "2"], "iterations")
        self.refused_flows(["--time-limit", "1us"], "time limit")
        self.refused_flows(["--set", "nvswitch.fabric.hash=random"], "interleave")

    def test_unsupported_commands_are_refused(self):
        self.refused_flows(["--platform", "tofino:4"], "tofino", "windowed or event")
        self.refused_flows(["--platform", "dgx1v", "--algorithm", "nccl"], "NCCL", "legal: algorithm blink")
        self.refused_flows(["--platform", "dgx1v", "--ranks", "1,4,6"], "cross PCIe")
        self.refused_flows(["--platform", "dgx1v", "--set", "blink.copy.arbitration=in_turn"], "arbitration=first")
        self.refused_flows(["--platform", "dgx1v", "--set", "blink.copy.clock=1ns"], "legal: blink.copy.clock=0ns")
        topologies = os.path.join(os.path.dirname(os.path.abspath(__file__)), "topologies")
        self.refused_flows(["--platform", f"file:{topologies}/ring5.anynet"], "latencies of their own", "windowed or event")
        self.refused_flows(["--platform", "rack:4x8", "--algorithm", "ring"], "several GPUs", "tributary estimate")
        self.refused_flows(["--platform", "rack:4", "--algorithm", "halving_doubling"], "further than 5 %")
        self.refused_flows(["--platform", "spine_leaf:2x2", "--collective", "alltoall"], "further than 5 %")
        self.refused_flows(["--platform", "rack:4", "--set", "netreduce.link.loss_rate=0.001"], "lose nothing")
        self.refused_flows(["--platform", "spine_leaf:2x2", "--set", "netreduce.spines=2"], "netreduce.spines=1")
        self.refused(["run", "--size", "64MiB", "--mode", "fluid"], "--mode fluid", "may lie further than 5 %", "up to 32MiB")
        self.refused_flows(["--algorithm", "halving_doubling"], "further than 5 %", "docs/results/fluid.md")
        self.refused_flows(["--platform", "torus:4x4", "--algorithm", "double_binary_tree"], "4 flows share a link")
        self.refused_flows(["--platform", "torus:4x4", "--set", "schedule_nic.nic.memory.rate=100GB/s"], "schedule_nic.nic.memory.rate=auto")


if __name__ == "__main__":
    run_tests()
