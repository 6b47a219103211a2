"""Runs the real executable on bad input: platforms, links, tables and their collectives. Exit code 2 and one clear line.

usage: test_bad_machines.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
from executable import run_tests
from refusals import Refusals


class BadMachines(Refusals):
    def test_a_table_smaller_than_an_entry_is_refused(self):
        self.run_refused(["--set", "nvswitch.switch.reduction_table.bytes=64B"], "nvswitch.switch.reduction_table.bytes", "128B to")
        self.run_refused(["--set", "nvswitch.switch.reduction_table.bytes=8kB"], "multiple of 128B")
        self.run_refused(["--algorithm", "push", "--set", "nvswitch.switch.reduction_table.trunk_bytes=0B"], "home ports on trunks")

    def test_more_gpus_than_the_platform_has_are_refused(self):
        self.run_refused(["--gpus", "17"], "--gpus", "16 GPUs", "legal: 2 to 16")
        self.run_refused(["--ranks", "0-16"], "--ranks", "no GPU 16", "0 to 15")
        self.run_refused(["--gpus", "1"], "legal: 2 to 16")

    def test_every_command_refuses_an_unknown_platform(self):
        self.run_refused(["--platform", "dgx3", "--fault", "down:x@1us"], "did you mean dgx2")
        self.run_refused(["--platform", "dgx3", "--background", "uniform:0.1"], "did you mean dgx2")
        self.run_refused(["--background", "incast:0.1@3"], "is not background traffic", "legal: uniform:LOAD,")
        hosts = ["--platform", "rack:4", "--background"]
        for bad, why in (("incast:0.1", "incast:LOAD@HOST"), ("incast:2@1", "a load of 2"), ("incast:0.1@4", "at most 3"),
                         ("incast:@1", "is not a load"), ("incast:0.1@", "whole number"), ("uniform:0.1@1", "not a load"), ("incast", "legal")):
            self.run_refused([*hosts, bad], "--background", why)
        self.run_refused([*hosts, "uniform:0.1", "--set", "netreduce.background.payload=5KiB"], "18B to 4KiB")
        self.run_refused(["--platform", "dgx3", "--cost"], "did you mean dgx2")
        self.refused(["run", self.file("s.yaml", "platform: dgx3\nsize: 4KiB\nfault: down:a>b@1us\n")], "s.yaml:1: platform", "did you mean dgx2")

    def test_a_full_multicast_table_is_refused(self):
        self.run_refused(["--algorithm", "pull", "--set", "nvswitch.switch.mcr_entries=1"], "multicast tables", "nvswitch.switch.mcr_entries = 1")

    def test_bad_multicast_groups_are_refused(self):
        def refused(targets, *words):
            self.run_refused(["--collective", "multicast", "--gpus", "8", *targets], *words)

        refused([], "requires --targets", "0 to 7")
        refused(["--targets", "0"], "--targets", "the only target is the root")
        refused(["--targets", "3", "--root", "3"], "--targets", "the only target is the root")
        refused(["--targets", "1,2,1"], "--targets", "rank 1 is listed twice")
        refused(["--targets", "8"], "--targets", "no rank 8", "0 to 7")
        self.run_refused(["--targets", "1"], "allreduce has no targets")

    def test_a_chunk_longer_than_a_roce_message_is_refused(self):
        self.refused(["run", "--platform", "rack:2", "--collective", "allgather", "--algorithm", "ring", "--size", "8589942784B", "--no-data"],
                     "too large", "legal: at most 2GiB")

    def test_a_run_that_needs_too_much_memory_is_refused(self):
        # 16 ranks with one message each, a bit for each block of 128 B, and 8 B for each block of a message
        for arguments, need in ((["--size", "1TB"], "needs 16.1 TB"), (["--platform", "torus:4x4", "--size", "60GB"], "needs 964.7 GB"),
                                (["--sizes", "1GB:100TB:x100000"], "needs 1.6 PB"), (["--size", "100TB", "--no-data"], "needs 7.8 TB")):
            self.refused(["run", *arguments], need, "are free in the", "legal: a smaller message, fewer ranks")
        self.refused(["run", "--size", "20GB", "--json", "-"], "needs 321.6 GB", "or --no-data (1.6 GB)")

    def test_bad_settings_of_servers_are_refused(self):
        def refused(arguments, *words):
            self.run_refused(["--platform", "dgx1v", "--algorithm", "blink", *arguments], *words)

        refused(["--set", "blink.chunk=64B"], "blink.chunk", "128B to 1GB, or auto")
        refused(["--set", "blink.copy.engines=0"], "blink.copy.engines", "1 to 16")
        refused(["--set", "blink.pcie.cpu_payload=100B"], "blink.pcie.cpu_payload", "a multiple of 64B")
        refused(["--set", "blink.trees=0>1>3"], "blink.trees", "no path leads from the root to GPU 2")
        refused(["--set", "blink.trees=0>1>3>0"], "blink.trees")
        refused(["--set", "nvswitch.link.latency=30ns"], "which dgx1v does not have", "legal: blink.*, watchdog.* and prices")
        refused(["--set", "blink.pcie.rate=2MB/s", "--set", "blink.pcie.efficiency=0.2"], "blink.pcie.rate=2MB/s", "efficiency=0.2", "less than 1MB/s")
        refused(["--gpus", "9"], "--gpus", "legal: 2 to 8")
        refused(["--ranks", "0,1,8"], "--ranks", "no GPU 8", "0 to 7")
        refused(["--fault", "down:gpu0.port0>gpu1.port0@1us"], "faults of links are not modelled on dgx1v")
        refused(["--background", "uniform:0.1"], "background traffic is not modelled on dgx1v")
        servers = ["--platform", "servers:2xdgx1v", "--collective", "broadcast", "--ranks", "0,8"]
        self.run_refused([*servers, "--algorithm", "blink_hybrid"], "blink_hybrid", "legal: ranks of one server")
        self.run_refused([*servers, "--algorithm", "blink", "--set", "blink.net.nics=5"], "4 NICs, not 5")
        for name in ("servers:1xdgx1v", "servers:2", "servers:99xdgx1v", "servers:x"):
            self.run_refused(["--platform", name], "servers:NxSERVER", "2 to 16")
        self.run_refused(["--platform", "servers:2xdgx3"], "unknown server 'dgx3'")
        self.run_refused(["--platform", "dgx1x"], "unknown platform", "did you mean dgx1p or dgx1v")
        self.run_refused(["--platform", "dgx1v:2"], "dgx1v:2")
        self.run_refused(["--platform", "dgx1v", "--collective", "barrier", "--algorithm", "blink"], "--collective")

    def test_servers_that_need_too_much_memory_are_refused(self):
        # 32 servers, each with 128 buffers of 16 MiB for each of 256 ranks
        servers = ["--platform", "spine_leaf:32x32", "--algorithm", "parameter_server", "--gpus", "256"]
        for field, value in (("parameter_server.servers", 32), ("flow_control.window", 64), ("flow_control.message_packets", 4096),
                             ("nic.mtu", "4KiB")):
            servers += ["--set", f"netreduce.{field}={value}"]
        self.run_refused(servers, "needs 17.6 TB of memory (17.6 TB of it outside its ranks)", "fewer or smaller servers, or --no-data")

    def test_bad_faults_of_links_are_refused(self):
        link = "gpu0.port0>switch0_0.port0"
        self.run_refused(["--fault", "down:gpu0.port0>switch0_0.prt0@1us"], "--fault", "unknown link", f"did you mean {link}")
        self.run_refused(["--fault", "corrupt:gpu77.port0>switch0_0.port0:1"], "--fault", "unknown link", "did you mean gpu")
        self.run_refused(["--fault", f"drop:{link}:1"], "unknown fault 'drop'", "corrupt:LINK:N, duplicate:LINK:N or down:LINK@TIME")
        self.run_refused(["--fault", f"corrupt:{link}:-1"], "'-1' is not a packet number")
        self.run_refused(["--fault", f"down:{link}@5"], "no unit")
        self.run_refused(["--fault", f"down:{link}"], "is not a fault", "down:LINK@TIME")
        self.run_refused(["--fault", "down:gpu0.port0"], "is not a fault", "FROM>TO: quote it in a shell")  # the shell removed the rest
        self.run_refused(["--fault", "down:gpu0.port99@1us"], "unknown link 'gpu0.port99'; did you mean gpu0.port", "the sending port")
        self.run_refused(["--set", "nvswitch.link.bit_error_rate=0.5"], "nvswitch.link.bit_error_rate", "0 to 0.001")
        self.run_refused(["--set", "nvswitch.link.replay_buffer=128B"], "nvswitch.link.replay_buffer", "144B to 16MiB")
        scenario = self.file("f.yaml", f"size: 4KiB\nfaults:\n  - duplicate:{link}:1\n  - down:gpu16.port0>switch0_0.port0@1us\n")
        self.refused(["run", scenario], "f.yaml:4", "unknown link 'gpu16.port0>switch0_0.port0'")

    def test_bad_faults_of_frames_are_refused(self):
        def refused(platform, algorithm, arguments, *words):
            self.run_refused(["--platform", platform, "--algorithm", algorithm, *arguments], *words)

        refused("rack:4", "netreduce", ["--fault", "drop:host0.port1>switch.port0:1"], "unknown link", "did you mean host0.port0>switch.port0")
        refused("rack:4", "netreduce", ["--fault", "drop:gradient:0:9:1"], "no job has message 9", "0 to 0")
        refused("rack:4", "netreduce", ["--set", "netreduce.accelerator.memory=1MiB"], "the rings of accelerator need 3675485 B", "legal: at least that")
        refused("rack:4", "netreduce", ["--set", "netreduce.nic.first_psn=16777216"], "netreduce.nic.first_psn", "0 to 16777215")
        refused("cluster:2xh100", "pull_ring", ["--mode", "windowed", "--fault", "drop:nic0_8.port0:1"], "--fault", "unknown link", "did you mean nic0_")
        refused("cluster:2xh100", "pull_ring", ["--fault", "drop:nic0_0.port0:1"], "flows do not model faults of links", "legal: --mode windowed or event")
        refused("tofino:4", "switchml", ["--fault", "drop:gradient:0:0:1"], "by their place", "drop, corrupt or duplicate:LINK:N[:TIMES], down:LINK@TIME")
        refused("tofino:4", "switchml", ["--fault", "flip:host0.port0>switch.port0:1"], "have no ICRC")
        refused("tofino:4", "switchml", ["--pcap", "x.pcap"], "--pcap", "bytes of packets are not modelled", "legal: on rack, spine_leaf and cluster)")

    def test_algorithms_of_other_collectives_are_refused(self):
        self.run_refused(["--collective", "reduce_scatter", "--algorithm", "push"], "reduce_scatter algorithm 'push'",
                         "pull, nvls, ring, multitree, blink or nccl")
        self.run_refused(["--collective", "alltoall", "--root", "1"], "alltoall has no root", "gather")
        self.run_refused(["--collective", "barrier"], "a barrier sends one packet", "128B")

    def test_bad_networks_are_refused(self):
        def refused(platform, arguments, *words):
            self.run_refused(["--platform", platform, *arguments], *words)

        refused("torus:1x1", [], "--platform", "one node", "2 to 1024 nodes")
        refused("torus:4", [], "'4' is given", "AxB")
        refused("tours:4x4", [], "did you mean torus")
        refused("torus:4x4", ["--ranks", "0-16"], "--ranks", "no node 16", "0 to 15")
        refused("torus:4x4", ["--gpus", "17"], "--gpus", "16 nodes", "legal: 2 to 16")
        refused("torus:4x4", ["--ranks", "0,5"], "no path from nic0 to nic5", "not connected")
        refused("torus:4x4", ["--algorithm", "push"], "multitree, ring, ring_2d, double_binary_tree or hdrm")
        refused("torus:4x4", ["--algorithm", "hdrm"], "hdrm", "a BiGraph")
        refused("fat_tree_2level:16", ["--algorithm", "ring_2d"], "ring_2d needs two dimensions", "a torus or mesh")
        refused("torus:4x4", ["--collective", "gather"], "allreduce, broadcast, reduce, reduce_scatter, allgather or alltoall")
        self.refused(["run", "--platform", "mesh:8x8", "--algorithm", "multitree", "--size", "64KiB"],
                     "nic29", "needs 158 table entries", "holds 128", "at least 158, or auto")  # 2N, as in the paper
        refused("bigraph:60x10", ["--no-data"], "upper0 has 65 links", "at most 64")
        refused("torus:4x4", ["--set", "nvswitch.link.rate=3GB/s"], "nvswitch.link.rate", "torus:4x4 does not have", "schedule_nic.*")
        refused("dgx2", ["--set", "schedule_nic.link.rate=3GB/s"], "schedule_nic.link.rate", "dgx2 does not have")
        refused("torus:4x4", ["--cost"], "--cost", "dgx2, a100, h100, h200, b200, nvl72, fat_tree, file, rack and spine_leaf")
        refused("torus:8x8", ["--algorithm", "double_binary_tree", "--set", "schedule_nic.tree_chunks=256"],
                "schedule_nic.tree_chunks=256", "at most 156")
        self.refused(["run", "--platform", "torus:1x2", "--algorithm", "ring", "--size", "9GiB", "--no-data"], "a chunk of",
                     "32 bits of size")
        refused("mesh:4x4", ["--algorithm", "multitree"], "37 table entries", "holds 32", "at least 37")
        # Baselines have a row for each chunk that they send: rings 2(N-1), the 2D ring 4 x 2 x 2(d-1) on a torus of d x d.
        refused("torus:4x4", ["--algorithm", "ring", "--set", "schedule_nic.nic.table.entries=29"], "30 table entries")
        refused("torus:4x4", ["--algorithm", "ring_2d"], "48 table entries", "holds 32")
        refused("bigraph:4x8", ["--algorithm", "hdrm", "--set", "schedule_nic.nic.table.entries=61"], "62 table entries")
        refused("spine_leaf:32x32x2", ["--algorithm", "ring"], "results of 2048 ranks", "1024 ranks, or --no-data")
        refused("torus:4x4", ["--fault", "down:x@1us"], "--fault", "dgx2")
        refused("torus:4x4", ["--background", "uniform:0.2"], "background traffic is not modelled")
        refused("torus:4x4", ["--set", "nvswitch.placement=spread"], "placement", "does not have")
        refused("torus:4x4", ["--set", "schedule_nic.flow_control.payload=2KiB", "--set", "schedule_nic.router.buffer_flits=100"],
                "schedule_nic.router.buffer_flits=100", "at least 129")
        refused("torus:4x4", ["--set", "schedule_nic.flow_control.payload=9KiB"], "buffer_flits=318", "at least 577")
        refused("torus:4x4", ["--set", "schedule_nic.flow_control.payload=10KiB"], "16B to 9KiB")
        refused("torus:4x4", ["--set", "schedule_nic.flow_control.payload=9KiB", "--set", "schedule_nic.router.buffer_flits=577",
                              "--set", "schedule_nic.link.rate=1MB/s"], "9232 B", "more than 4 ms", "at least 2308000 B/s")


if __name__ == "__main__":
    run_tests()
