"""Runs the real executable on bad input: exit code 2 and one clear line.

usage: test_bad_input.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import os
import pathlib
import tempfile
import time
import unittest

from executable import SANITIZED, run_tests, tributary

TIME_LIMIT_S = 1 if not SANITIZED else 20


class BadInput(unittest.TestCase):
    """Each: exit code 2, nothing on standard output, one line on standard error that holds the given words."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def refused(self, arguments, *words, peak=None):
        done = tributary(*arguments, peak=peak)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr[:-1].isprintable(), repr(done.stderr))
        self.assertTrue(done.stderr.startswith("tributary: error: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def run_refused(self, arguments, *words):
        self.refused(["run", "--size", "4KiB", *arguments], *words)

    def test_unknown_key(self):
        self.run_refused(["--set", "link.latancy=1ns"], "--set", "nvswitch.link.latency")
        scenario = self.file("s.yaml", "platform: dgx2\nalgoritm: push\n")
        self.run_refused([scenario], "s.yaml:2", "algoritm", "did you mean algorithm")

    def test_plugins(self):
        self.run_refused(["--plugin", "missing.so"], "--plugin: there is no plugin missing.so")
        self.run_refused(["--plugin", __file__], "--plugin: plugin ", "cannot be loaded")
        self.run_refused([self.file("s.yaml", "plugin: [missing.so]\n")], "s.yaml:1: plugin", "there is no plugin")
        sweep = self.file("sweep.yaml", "size: [1KiB, 2KiB]\nplugin: missing.so\n")
        self.refused(["sweep", sweep, "--list"], "sweep.yaml:2", "there is no plugin")
        self.refused(["netlist", "--plugin", "missing.so"], "there is no plugin")

    def test_what_cannot_be_followed(self):
        self.run_refused(["--platform", "rack:4", "--algorithm", "ring", "--trace-block", "3"], "ring has none", "legal: netreduce")
        self.run_refused(["--platform", "rack:4", "--trace-block", "170"], "no packet 170", "0 to 169, 170 in a message")
        self.run_refused(["--platform", "rack:4", "--trace-block", "3:4"], "--trace-block: '4'", "at most 3")
        self.run_refused(["--platform", "tofino:4", "--trace-block", "3"], "--trace-block", "tofino:4", "rack and spine_leaf")
        two = "platform: rack:4\ntrace-block: 3\njobs: [{size: 4KiB, ranks: [0, 1]}, {size: 4KiB, ranks: [2, 3]}]\n"
        self.refused(["run", self.file("two.yaml", two)], "--trace-block", "legal: one job with one --size")

    def test_unknown_option_and_command(self):
        self.run_refused(["--gpu", "4"], "--gpu", "did you mean --gpus")
        self.refused(["rnu"], "rnu", "did you mean run")
        self.refused([], "legal: run, sweep, schedule, estimate, netlist, list")

    def test_wrong_unit(self):
        self.run_refused(["--set", "nvswitch.link.latency=4KiB"], "nvswitch.link.latency", "KiB", "1ns to 1ms")
        self.run_refused(["--set", "nvswitch.link.latency=20"], "no unit")
        self.refused(["run", "--size", "4KB"], "KB", "KiB")

    def test_zero_rate(self):
        self.run_refused(["--set", "nvswitch.link.rate=0GB/s"], "nvswitch.link.rate", "out of range", "1MB/s to 10TB/s")

    def test_table_smaller_than_an_entry(self):
        self.run_refused(["--set", "nvswitch.switch.reduction_table.bytes=64B"], "nvswitch.switch.reduction_table.bytes", "128B to")
        self.run_refused(["--set", "nvswitch.switch.reduction_table.bytes=8kB"], "multiple of 128B")
        self.run_refused(["--algorithm", "push", "--set", "nvswitch.switch.reduction_table.trunk_bytes=0B"], "home ports on trunks")

    def test_more_gpus_than_the_platform_has(self):
        self.run_refused(["--gpus", "17"], "--gpus", "16 GPUs", "legal: 2 to 16")
        self.run_refused(["--ranks", "0-16"], "--ranks", "no GPU 16", "0 to 15")
        self.run_refused(["--gpus", "1"], "legal: 2 to 16")

    def test_unknown_names_come_with_the_nearest(self):
        self.run_refused(["--algorithm", "psuh"], "psuh", "did you mean push", "push, pull, ring, double_binary_tree, halving_doubling, star, multitree or hdrm")
        self.run_refused(["--platform", "dgx3"], "did you mean dgx2")
        self.run_refused(["--platform", "fat_tree:96"], "fat_tree:128 or fat_tree:64")
        self.run_refused(["--collective", "allredcue"], "did you mean allreduce")
        self.run_refused(["--algorithm", "ring_2d"], "unknown algorithm of allreduce 'ring_2d'", "multitree or hdrm")
        self.run_refused(["--algorithm", "hdrm", "--ranks", "0-4"], "hdrm on 5 of the nodes of dgx2", "all 16")
        self.run_refused(["--platform", "fat_tree", "--algorithm", "hdrm"], "cannot map its ranks on fat_tree", "BiGraph")

    def test_sizes(self):
        self.refused(["run"], "no message size")
        self.refused(["run", "--size", "6B"], "multiples of 4B")
        self.refused(["run", "--size", "2B", "--dtype", "f16"], "at least 4B")
        self.refused(["run", "--sizes", "1KiB:4KiB"], "FROM:TO:xK")

    def test_layer_tables(self):
        self.refused(["run", "--messages", "/nonexistent.csv"], "/nonexistent.csv")
        header = "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\n"
        table = self.file("t.csv", header + "good,8,8,3,3,1,1,1,\nbad,8,8,x,3,1,1,1,\n")
        self.refused(["run", "--messages", table], "t.csv:3")

    def test_scenarios(self):
        self.run_refused(["/nonexistent.yaml"], "/nonexistent.yaml", "cannot be read")
        self.run_refused([self.file("s.yaml", "platform: [dgx2\nseed: 1\n")], "s.yaml:")
        self.run_refused([self.file("s.yaml", "seed: x\n")], "s.yaml:1", "seed", "whole number")
        two = "jobs:\n  - { algorithm: push, ranks: 0-7, size: 8KiB }\n  - { algorithm: pull, ranks: 7-15, size: 8KiB }\n"
        self.refused(["run", self.file("s.yaml", two)], "jobs 0 and 1 both take gpu7")
        self.refused(["run", self.file("s.yaml", two), "--size", "4KiB"], "--size: the scenario has several jobs")
        self.run_refused(["--background", "uniform:2"], "--background", "a load of 2", "at most 1")

    def test_files_that_are_no_scenario(self):
        """Each is refused within a second and 256 MB."""
        pairs = "".join(f"k{i}: &k{i} [*k{i - 1}, *k{i - 1}]\n" for i in range(1, 60))
        texts = {
            ",": "s.yaml:1", ",\n": "s.yaml:1", "parameters: &x\n  a: *x\n": "s.yaml:2", "a: *b\n": "s.yaml:1", "&x [*x]": "s.yaml:1",
            "[" * 100000: "nested too deeply", "{a: " * 100000: "s.yaml:1", "- " * 100000: "nested too deeply", "? " * 100000: "s.yaml:1",
            "size: 4KiB\nk0: &k0 [x]\n" + pairs: "counting each alias as a copy", "a: " + "[" * 31: "s.yaml:", "x" * (1 << 21): "too large",
            "seed: [" + "1," * 200000 + "]": "more than 100000 values", "size: " + "9" * 100000: "a value of 100000 bytes",
            "x" * 900 + ": 1": "unknown key", "size: 4KiB\x01\n": "s.yaml:1", "\ufeff,": "s.yaml:1", '"a\\nb": 1': "a\\nb",
            "a\u0085b: 1": "s.yaml:", '"a\\u2028b": 1': "a\\u2028b", '"\\e[2J": 1': "\\x1b[2J", "%YAML 9.9\n---\na": "s.yaml:1",
            "jobs: [" + "{size: 4KiB}," * 2000 + "]": "up to 1024", "{": "s.yaml:", "'": "s.yaml:", '"': "s.yaml:", "|9": "s.yaml:1", "!<": "s.yaml:",
            "? a\n? b\n": "unknown key 'a'", "\t": "s.yaml:1", "a: b: c": "s.yaml:1", "@": "s.yaml:1", "- [\n- ]": "s.yaml:",
        }
        for text, word in texts.items():
            for command in (["run", "--json", "/nonexistent/x"], ["sweep", "--list"]):
                path = self.file("s.yaml", text)
                with self.subTest(text=text[:50], command=command[0]):
                    begin, peak = time.monotonic(), {}
                    self.refused([*command, path], "", peak=peak)
                    self.assertLess(time.monotonic() - begin, TIME_LIMIT_S)
                    self.assertLess(peak["bytes"], 256e6 if not SANITIZED else 4e9)
                    if command[0] == "run":
                        self.refused([*command, path], word)
        self.refused(["run", "/dev/zero"], "/dev/zero: too large")

    def test_messages_are_one_line_whatever_they_quote(self):
        for nasty in ("a\nb", "a\r\nb", "\x1b[31mred", "a\u2028b", "a\u0085b", "\x7f"):
            for arguments in ([nasty], ["--" + nasty], ["--gpus", nasty], ["--set", nasty], ["--set", f"nvswitch.link.rate={nasty}"], ["--platform", nasty],
                              ["--json", f"/nonexistent/{nasty}"], [f"/nonexistent/{nasty}"], ["--messages", nasty], ["--trace", nasty],
                              ["--fault", nasty], ["--vcd", "/tmp/x.vcd", "--trace", nasty]):
                self.run_refused(arguments)
            for arguments in ([nasty], ["list", nasty], ["list", "probes", "--platform", nasty], ["schedule", "--topology", nasty], ["sweep", nasty]):
                self.refused(arguments)

    def test_an_unknown_platform_deep_in_a_command(self):
        self.run_refused(["--platform", "dgx3", "--fault", "down:x@1us"], "did you mean dgx2")
        self.run_refused(["--platform", "dgx3", "--background", "uniform:0.1"], "did you mean dgx2")
        self.run_refused(["--background", "incast:0.1@3"], "no background traffic", "legal: uniform:LOAD,")
        hosts = ["--platform", "rack:4", "--background"]
        for bad, why in (("incast:0.1", "incast:LOAD@HOST"), ("incast:2@1", "a load of 2"), ("incast:0.1@4", "at most 3"),
                         ("incast:@1", "no load"), ("incast:0.1@", "whole number"), ("uniform:0.1@1", "no load"), ("incast", "legal")):
            self.run_refused([*hosts, bad], "--background", why)
        self.run_refused([*hosts, "uniform:0.1", "--set", "netreduce.background.payload=5KiB"], "18B to 4KiB")
        self.run_refused(["--platform", "dgx3", "--cost"], "did you mean dgx2")
        self.refused(["run", self.file("s.yaml", "platform: dgx3\nsize: 4KiB\nfault: down:a>b@1us\n")], "s.yaml:1: platform", "did you mean dgx2")

    def test_unwritable_outputs(self):
        missing = os.path.join(self.folder.name, "none", "r")
        for option in ("--json", "--csv", "--vcd"):
            self.run_refused([option, missing], option, missing, "No such file or directory")
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_full_multicast_table(self):
        self.run_refused(["--algorithm", "pull", "--set", "nvswitch.switch.mcr_entries=1"], "multicast tables", "nvswitch.switch.mcr_entries = 1")

    def test_multicast_groups(self):
        def refused(targets, *words):
            self.run_refused(["--collective", "multicast", "--gpus", "8", *targets], *words)

        refused([], "needs --targets", "0 to 7")
        refused(["--targets", "0"], "--targets", "one member")
        refused(["--targets", "3", "--root", "3"], "--targets", "one member")
        refused(["--targets", "1,2,1"], "--targets", "rank 1 is listed twice")
        refused(["--targets", "8"], "--targets", "no rank 8", "0 to 7")
        self.run_refused(["--targets", "1"], "allreduce has no targets")

    def test_a_chunk_longer_than_a_message_of_roce(self):
        self.refused(["run", "--platform", "rack:2", "--collective", "allgather", "--algorithm", "ring", "--size", "8589942784B", "--no-data"],
                     "too large", "legal: at most 2GiB")

    def test_more_memory_than_there_is(self):
        # 16 ranks with a message each, a bit for each block of 128 B, and 8 B for each block of a message
        for arguments, need in ((["--size", "1TB"], "needs 16.1 TB"), (["--platform", "torus:4x4", "--size", "60GB"], "needs 964.7 GB"),
                                (["--sizes", "1GB:1000TB:x1000"], "needs 16.1 PB"), (["--size", "100TB", "--no-data"], "needs 7.8 TB")):
            self.refused(["run", *arguments], need, "are free in the", "legal: a smaller message, fewer ranks")
        self.refused(["run", "--size", "20GB", "--json", "-"], "needs 321.6 GB", "or --no-data (1.6 GB)")

    def test_faults_of_links(self):
        link = "gpu0.port0>switch0_0.port0"
        self.run_refused(["--fault", "down:gpu0.port0>switch0_0.prt0@1us"], "--fault", "unknown link", f"did you mean {link}")
        self.run_refused(["--fault", "corrupt:gpu77.port0>switch0_0.port0:1"], "--fault", "unknown link", "did you mean gpu")
        self.run_refused(["--fault", f"drop:{link}:1"], "unknown fault 'drop'", "corrupt:LINK:N, duplicate:LINK:N or down:LINK@TIME")
        self.run_refused(["--fault", f"corrupt:{link}:-1"], "'-1' is no number of a packet")
        self.run_refused(["--fault", f"down:{link}@5"], "no unit")
        self.run_refused(["--fault", f"down:{link}"], "is no fault", "down:LINK@TIME")
        self.run_refused(["--set", "nvswitch.link.bit_error_rate=0.5"], "nvswitch.link.bit_error_rate", "0 to 0.001")
        self.run_refused(["--set", "nvswitch.link.replay_buffer=128B"], "nvswitch.link.replay_buffer", "144B to 16MiB")
        scenario = self.file("f.yaml", f"size: 4KiB\nfaults:\n  - duplicate:{link}:1\n  - down:gpu16.port0>switch0_0.port0@1us\n")
        self.refused(["run", scenario], "f.yaml:4", "unknown link 'gpu16.port0>switch0_0.port0'")

    def test_faults_of_frames(self):
        def refused(platform, algorithm, arguments, *words):
            self.run_refused(["--platform", platform, "--algorithm", algorithm, *arguments], *words)

        refused("rack:4", "netreduce", ["--fault", "drop:host0.port1>switch.port0:1"], "unknown link", "did you mean host0.port0>switch.port0")
        refused("rack:4", "netreduce", ["--fault", "drop:gradient:0:9:1"], "no job has message 9", "0 to 0")
        refused("rack:4", "netreduce", ["--set", "netreduce.accelerator.memory=1MiB"], "the rings of accelerator need 3675485 B", "legal: at least that")
        refused("rack:4", "netreduce", ["--set", "netreduce.nic.first_psn=16777216"], "netreduce.nic.first_psn", "0 to 16777215")
        refused("tofino:4", "switchml", ["--fault", "drop:gradient:0:0:1"], "by their place", "drop, corrupt or duplicate:LINK:N[:TIMES], down:LINK@TIME")
        refused("tofino:4", "switchml", ["--fault", "flip:host0.port0>switch.port0:1"], "have no ICRC")
        refused("tofino:4", "switchml", ["--pcap", "x.pcap"], "--pcap", "no bytes of Ethernet frames", "legal: on rack and spine_leaf")

    def test_algorithms_of_other_collectives(self):
        self.run_refused(["--collective", "reduce_scatter", "--algorithm", "push"], "algorithm of reduce_scatter 'push'",
                         "pull, ring or multitree")
        self.run_refused(["--collective", "alltoall", "--root", "1"], "alltoall has no root", "gather")
        self.run_refused(["--collective", "barrier"], "a barrier sends one packet", "128B")

    def test_estimates(self):
        def refused(arguments, *words):
            self.refused(["estimate", *arguments.split()], *words)

        refused("--machines 0", "--machines", "2 to 4096")
        refused("--machines 1000 --gpus 10", "--machines", "10000 GPUs", "at most 8192")
        refused("--racks 3", "--racks", "do not divide")
        refused("--size 1KiB/s", "--size")
        refused("--inter-rate 100", "--inter-rate", "Gb/s")
        refused("--inter-rate 1B/s", "--inter-rate", "1MB/s to 10TB/s")
        refused("--payload 8KiB", "--payload", "256B to 4KiB")
        refused("--alpha fast", "--alpha")
        refused("--json /nowhere/x", "/nowhere")
        refused("--windo 3", "did you mean --window?")
        refused("4", "unexpected argument '4'")

    def test_schedules(self):
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
        refused("--topology mesh:4x4 --ranks 0,1,10", "no way from nic0 to nic10", "not connected")
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
        refused("--topology mesh:4x4 --json /no/such/folder/x.json", "--json", "No such file")
        refused("--topology mesh:4x4 --josn x", "--josn", "did you mean --json")

    def test_networks(self):
        def refused(platform, arguments, *words):
            self.run_refused(["--platform", platform, *arguments], *words)

        refused("torus:1x1", [], "--platform", "one node", "2 to 1024 nodes")
        refused("torus:4", [], "'4' is given", "AxB")
        refused("tours:4x4", [], "did you mean torus")
        refused("torus:4x4", ["--ranks", "0-16"], "--ranks", "no node 16", "0 to 15")
        refused("torus:4x4", ["--gpus", "17"], "--gpus", "16 nodes", "legal: 2 to 16")
        refused("torus:4x4", ["--ranks", "0,5"], "no way from nic0 to nic5", "not connected")
        refused("torus:4x4", ["--algorithm", "push"], "multitree, ring, ring_2d, double_binary_tree or hdrm")
        refused("torus:4x4", ["--algorithm", "hdrm"], "hdrm", "a BiGraph")
        refused("fat_tree_2level:16", ["--algorithm", "ring_2d"], "second dimension", "a torus or mesh")
        refused("torus:4x4", ["--collective", "broadcast"], "allreduce, reduce_scatter, allgather or alltoall")
        self.refused(["run", "--platform", "mesh:8x8", "--size", "64KiB"],
                     "nic29", "needs 158 table entries", "holds 128", "at least 158, or auto")  # 2N, as in the paper
        refused("bigraph:60x10", ["--no-data"], "upper0 has 65 links", "at most 64")
        refused("torus:4x4", ["--set", "nvswitch.link.rate=3GB/s"], "nvswitch.link.rate", "torus:4x4 does not have", "schedule_nic.*")
        refused("dgx2", ["--set", "schedule_nic.link.rate=3GB/s"], "schedule_nic.link.rate", "dgx2 does not have")
        refused("torus:4x4", ["--cost"], "--cost", "dgx2 and fat_tree")
        refused("torus:8x8", ["--algorithm", "double_binary_tree", "--set", "schedule_nic.tree_chunks=256"],
                "schedule_nic.tree_chunks=256", "at most 156")
        self.refused(["run", "--platform", "torus:1x2", "--algorithm", "ring", "--size", "9GiB", "--no-data"], "a chunk of",
                     "32 bits of size")
        refused("mesh:4x4", [], "37 table entries", "holds 32", "at least 37")
        # Baselines have a row for each chunk that they send: rings 2(N-1), the 2D ring 4 x 2 x 2(d-1) on a torus of d x d.
        refused("torus:4x4", ["--algorithm", "ring", "--set", "schedule_nic.nic.table.entries=29"], "30 table entries")
        refused("torus:4x4", ["--algorithm", "ring_2d"], "48 table entries", "holds 32")
        refused("bigraph:4x8", ["--algorithm", "hdrm", "--set", "schedule_nic.nic.table.entries=61"], "62 table entries")
        refused("torus:17x17", [], "results of 289 ranks", "256 ranks, or --no-data")
        refused("torus:4x4", ["--fault", "down:x@1us"], "--fault", "dgx2")
        refused("torus:4x4", ["--background", "uniform:0.2"], "no background traffic")
        refused("torus:4x4", ["--set", "nvswitch.placement=spread"], "placement", "does not have")
        refused("torus:4x4", ["--set", "schedule_nic.flow_control.payload=2KiB", "--set", "schedule_nic.router.buffer_flits=100"],
                "schedule_nic.router.buffer_flits=100", "at least 129")
        refused("torus:4x4", ["--set", "schedule_nic.flow_control.payload=9KiB"], "buffer_flits=318", "at least 577")
        refused("torus:4x4", ["--set", "schedule_nic.flow_control.payload=10KiB"], "16B to 9KiB")
        refused("torus:4x4", ["--set", "schedule_nic.flow_control.payload=9KiB", "--set", "schedule_nic.router.buffer_flits=577",
                              "--set", "schedule_nic.link.rate=1MB/s"], "9232 B", "more than 4 ms", "at least 2308000 B/s")

    def test_a_glob_that_matches_no_probe(self):
        vcd = os.path.join(self.folder.name, "w.vcd")
        self.run_refused(["--vcd", vcd, "--trace", "dgx2.swtich*"], "dgx2.swtich*")


if __name__ == "__main__":
    run_tests()
