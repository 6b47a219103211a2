"""Runs the real executable on bad input: tributary schedule and tributary estimate. Exit code 2 and one clear line.

usage: test_bad_schedules.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import os

from executable import SOURCE, run_tests
from refusals import Refusals


class BadSchedules(Refusals):
    def test_bad_estimates_are_refused(self):
        def refused(arguments, *words):
            self.refused(["estimate", *arguments.split()], *words)

        refused("--machines 0", "--machines", "2 to 4096")
        refused("--machines 1000 --gpus 10", "--machines", "10000 GPUs", "at most 8192")
        refused("--racks 3", "--racks", "cannot be divided equally")
        refused("--size 1KiB/s", "--size")
        refused("--inter-rate 100", "--inter-rate", "Gb/s")
        refused("--inter-rate 1B/s", "--inter-rate", "1MB/s to 10TB/s")
        refused("--payload 8KiB", "--payload", "256B to 4KiB")
        refused("--alpha fast", "--alpha")
        refused("--json /nowhere/x", "/nowhere")
        refused("--windo 3", "did you mean --window?")
        refused("4", "unexpected argument '4'")

    def test_bad_schedules_are_refused(self):
        def refused(arguments, *words):
            self.refused(["schedule", *arguments.split()], *words)

        refused("", "--topology is missing", "torus:AxB")
        refused("--topology torus:1x1", "--topology", "torus:1x1 is one node")
        refused("--topology tours:4x4", "--topology", "did you mean torus")
        refused("--topology fat_tree_2level:32", "fat_tree_2level:64")
        refused("--topology torus:4x4 --algorithm multitre", "--algorithm", "did you mean multitree")
        refused("--topology torus:4x4 --collective barrier", "--collective", "alltoall")
        refused("--topology torus:4x4 --algorithm hdrm", "hdrm", "torus:4x4", "BiGraph")
        refused("--topology fat_tree_2level:16 --algorithm ring_2d", "ring_2d", "torus or mesh")
        refused("--topology mesh:4x4 --ranks 0-3,16", "--ranks", "no node 16", "0 to 15")
        refused("--topology mesh:4x4 --ranks 3", "one node")
        refused("--topology mesh:4x4 --ranks 0,1,10", "no path from nic0 to nic10", "not connected")
        refused("--topology mesh:4x4 --order height", "--order", "remaining")
        refused("--topology bigraph:4x8 --search far", "--search", "no_transit")
        refused("--topology dgx1w", "did you mean", "dgx1v", "torus:AxB")
        refused("--topology dgx1v --ranks 1,4", "NVLinks do not join GPU 4 to GPU 1")
        refused("--topology dgx1v --ranks 0,8", "--ranks", "0 to 7")
        refused("--topology dgx1v --algorithm multitree", "--algorithm", "blink")
        refused("--topology dgx1v --collective alltoall", "--collective", "broadcast")
        refused("--topology dgx1v --collective broadcast --root 8", "--root", "0 to 7")
        refused("--topology dgx1v --root 1", "--root", "broadcast or reduce")
        refused("--topology dgx1v --pcie-ring 0", "--pcie-ring", "0.01 to 10")
        refused("--topology dgx1v --pcie-ring nan", "--pcie-ring", "0.01 to 10")
        refused("--topology dgx1v --order root", "--order", "dgx1v does not have")
        refused("--topology torus:4x4 --root 1", "--root", "torus:4x4 does not have")
        refused("--topology torus:4x4 --dot x.dot", "--dot", "torus:4x4 does not have")
        refused("--topology dgx1v --json - --dot -", "--dot")
        refused("--topology torus:4x4 --search literal", "--search", "fat_tree_2level or bigraph")
        refused("--topology torus:4x4 --algorithm ring --order remaining", "--order", "multitree")
        refused("--topology mesh:4x4 --x-links 0", "--x-links", "1 to 8")
        refused("--topology bigraph:4x8 --x-links 2", "no X and Y links")
        refused("--topology dgx2 --algorithm blink --pcie-ring 0.5", "--pcie-ring", "NVSwitches of dgx2")
        refused("--topology dgx2 --algorithm blink --ranks 3-16", "--ranks", "no node 16", "0 to 15")
        refused("--topology dgx2 --algorithm blink --collective broadcast --root 16", "--root", "0 to 15")
        refused("--topology dgx2 --algorithm blink --root 1", "--root", "roots of their own")
        refused("--topology mesh:4x4 --json /no/such/folder/x.json", "--json", "No such file")
        refused("--topology mesh:4x4 --josn x", "--josn", "did you mean --json")

    def test_bad_topology_files_are_refused(self):
        files = "testbench/workload/data/topologies"

        def refused(form, name, change, *words):
            text = (SOURCE / files / name).read_text(encoding="utf-8")
            changed = change(text)
            self.assertNotEqual(text, changed)
            self.refused(["schedule", "--topology", f"{form}:{self.file('changed', changed)}"], *words)

        refused("nccl_xml", "dgx1v.xml", lambda t: t.replace("0x030200", "-1", 1), "changed:6:", "class '-1'", "0x030200")
        refused("nccl_xml", "dgx1v.xml", lambda t: t.replace("</gpu>", "", 1), "changed:", "no XML")
        refused("topo_m", "dgx1v.txt", lambda t: t.replace("NV2", "NV1", 1), "changed:5: GPU3 to GPU0 differs from GPU0 to GPU3 of line 2")
        refused("topo_m", "dgx1v.txt", lambda t: t.replace("GPU1    NV1", "GPU0    NV1"), "changed:3: a second row of 'GPU0'")
        refused("topo_m", "dgx1v.txt", lambda t: t.replace("PIX", "NEAR", 1), "changed:2: GPU0 to mlx5_0: 'NEAR'", "PIX")
        large = self.file("large", "")
        os.truncate(large, 2**28 + 1)
        self.refused(["schedule", "--topology", f"topo_m:{large}"], "too large", "268435456")
        refused("nccl_xml", "dgx1v.xml", lambda t: "<a>" * 300_000, "no XML")
        refused("nccl_xml", "dgx1v.xml", lambda t: "<a>" * 100_000 + "</a>" * 100_000, "nested too deeply", "32")
        self.refused(["schedule", "--topology", "topo_m:/dev/zero"], "/dev/zero: not a regular file")
        self.refused(["schedule", "--topology", "nccl_xml:"], "nccl_xml:FILE")


if __name__ == "__main__":
    run_tests()
