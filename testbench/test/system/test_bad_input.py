"""Runs the real executable on bad input: command lines, names, units, outputs. Exit code 2 and one clear line.

usage: test_bad_input.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import os

from executable import run_tests, tributary
from refusals import Refusals


class BadInput(Refusals):
    def test_an_unknown_key_is_refused(self):
        self.run_refused(["--set", "link.latancy=1ns"], "--set", "nvswitch.link.latency")
        scenario = self.file("s.yaml", "platform: dgx2\nalgoritm: push\n")
        self.run_refused([scenario], "s.yaml:2", "algoritm", "did you mean algorithm")

    def test_messages_that_no_address_reaches_are_refused(self):
        for platform in ("dgx2", "rack:4", "dgx1v", "torus:4x4"):
            for size in ("281474976710660B", "18446744073709551612B"):
                self.refused(["run", "--platform", platform, "--no-data", "--size", size], f"--size: a message of {size} is too large", "legal: up to 256TiB")

    def test_kernels_that_do_not_follow_one_another_are_refused(self):
        self.run_refused(["--platform", "h100", "--algorithm", "nccl", "--back-to-back", "0"], "--back-to-back", "1 to 1000")
        legal = "legal: --algorithm nccl or nvls, on dgx2"
        self.run_refused(["--platform", "h100", "--algorithm", "push", "--back-to-back", "2"], "--back-to-back: push has no kernels", legal)
        self.run_refused(["--platform", "dgx1v", "--algorithm", "nccl", "--back-to-back", "2"], "nccl has no kernels", legal)
        self.run_refused(["--platform", "dgx2", "--algorithm", "nccl", "--back-to-back", "2"], "NCCL 2.4 run one kernel", "nvswitch.nccl.version=2.21")
        self.run_refused(["--platform", "h100", "--algorithm", "nvls", "--back-to-back", "2", "--mode", "fluid"], "--mode fluid")

    def test_bad_plugins_are_refused(self):
        self.run_refused(["--plugin", "missing.so"], "--plugin: there is no plugin missing.so")
        self.run_refused(["--plugin", __file__], "--plugin: plugin ", "cannot be loaded")
        self.run_refused([self.file("s.yaml", "plugin: [missing.so]\n")], "s.yaml:1: plugin", "there is no plugin")
        sweep = self.file("sweep.yaml", "size: [1KiB, 2KiB]\nplugin: missing.so\n")
        self.refused(["sweep", sweep, "--list"], "sweep.yaml:2", "there is no plugin")
        self.refused(["netlist", "--plugin", "missing.so"], "there is no plugin")

    def test_traces_of_unknown_blocks_are_refused(self):
        self.run_refused(["--platform", "rack:4", "--algorithm", "ring", "--trace-block", "3"], "ring has none", "legal: netreduce")
        self.run_refused(["--platform", "rack:4", "--trace-block", "170"], "no packet 170", "0 to 169, 170 in a message")
        self.run_refused(["--platform", "rack:4", "--trace-block", "3:4"], "--trace-block: '4'", "at most 3")
        self.run_refused(["--platform", "tofino:4", "--trace-block", "3"], "--trace-block", "tofino:4", "rack, spine_leaf", "dgx1v")
        two = "platform: rack:4\ntrace-block: 3\njobs: [{size: 4KiB, ranks: [0, 1]}, {size: 4KiB, ranks: [2, 3]}]\n"
        self.refused(["run", self.file("two.yaml", two)], "--trace-block", "legal: one job with one --size")

    def test_a_block_that_no_message_has_is_refused(self):
        # 8 KiB are 64 blocks; the trees of a torus of 16 nodes have a chunk each, and a message of NetReduce has 170 packets.
        for options, count, item in (
                (["--platform", "dgx2", "--gpus", "4"], 64, "the run has no block"),
                (["--platform", "dgx2", "--gpus", "4", "--collective", "broadcast"], 64, "the run has no block"),
                (["--platform", "torus:4x4"], 16, "the schedule has no chunk"),
                (["--platform", "fat_tree_2level:16"], 16, "the schedule has no chunk"),
                (["--platform", "bigraph:4x8"], 32, "the schedule has no chunk"),
                (["--platform", "rack:4"], 170, "the tensor has no packet"),
                (["--platform", "spine_leaf:2x2"], 170, "the tensor has no packet"),
                (["--platform", "dgx1v", "--gpus", "4", "--set", "blink.trees=0>1>2>3", "--set", "blink.chunk=4KiB"], 2, "the message has no chunk"),
                (["--platform", "dgx1p", "--gpus", "4", "--set", "blink.trees=0>1>2>3", "--set", "blink.chunk=4KiB"], 2, "the message has no chunk")):
            with self.subTest(options=options):
                run = ["run", *options, "--size", "8KiB", "--quiet", "--trace-block"]
                self.refused([*run, str(count)], f"--trace-block: {item} {count}; legal: 0 to {count - 1}")
                self.refused([*run, "18446744073709551615"], f"{item} 18446744073709551615; legal: 0 to {count - 1}")
                last = tributary(*run, str(count - 1))
                self.assertEqual((last.returncode, last.stderr), (0, ""))
                self.assertRegex(last.stdout, rf"(?m)^# life of .* {count - 1}\b")

    def test_blocks_of_several_jobs_follow_each_other(self):
        two = self.file("two.yaml", "platform: dgx2\njobs: [{size: 8KiB, ranks: [0, 1]}, {size: 8KiB, ranks: [2, 3]}]\n")
        self.refused(["run", two, "--trace-block", "128"], "the run has no block 128; legal: 0 to 127")
        self.assertIn("gpu3", tributary("run", two, "--trace-block", "127").stdout)

    def test_a_block_at_an_endpoint_without_a_rank_is_refused(self):
        self.refused(["run", "--gpus", "4", "--size", "8KiB", "--trace-block", "3:9"], "--trace-block: gpu9 takes no part in the run", "GPUs of the job")
        self.refused(["run", "--platform", "torus:4x4", "--ranks", "0-3", "--algorithm", "ring", "--size", "8KiB", "--trace-block", "3:9"], "nic9 takes no part in the run")

    def test_an_operation_of_a_collective_without_sums_is_refused(self):
        self.run_refused(["--collective", "allgather", "--op", "sum"], "--op: allgather reduces nothing", "legal with allreduce, reduce or reduce_scatter")
        self.refused(["run", self.file("op.yaml", "size: 4KiB\ncollective: broadcast\nop: max\n")], "op.yaml:3: op: broadcast reduces nothing")

    def test_jobs_that_overlap_are_refused_at_their_place(self):
        two = "jobs:\n  - {ranks: [0, 1], size: 1KiB}\n  - {ranks: [1, 2], size: 1KiB}\n"
        self.refused(["run", self.file("two.yaml", two)], "two.yaml:3: ranks: jobs 0 and 1 both use gpu1", "disjoint GPUs")
        self.refused(["run", self.file("two.yaml", two.replace("ranks: [1, 2]", "gpus: 2"))], "two.yaml:3: gpus: jobs 0 and 1 both use gpu0")

    def test_a_file_that_cannot_be_read_is_refused_with_the_reason(self):
        pointer = self.file("pointer.yaml", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
        for reason, path in (("No such file or directory", "/nowhere/file.yaml"), ("Is a directory", self.folder.name), ("a pointer of Git LFS", pointer)):
            readers = [["run", path], ["run", "--size", "1KiB", "--algorithm", "msccl:" + path], ["run", "--messages", path], ["verify", path],
                       ["run", "--size", "1KiB", "--platform", "file:" + path], ["import", "topology", path], ["train", "--graph", path],
                       ["train", "--model", path], ["plot", path, "--x", "a", "--y", "b", "-o", os.path.join(self.folder.name, "p.svg")]]
            for reader in readers:
                with self.subTest(reader=reader):
                    self.refused(reader, path, *([] if os.path.isdir(path) else [reason]))

    def test_an_unknown_option_or_command_is_refused(self):
        self.run_refused(["--gpu", "4"], "--gpu", "did you mean --gpus")
        self.refused(["rnu"], "rnu", "did you mean run")
        self.refused(["--gpus", "4"], "--gpus")

    def test_a_wrong_unit_is_refused(self):
        self.run_refused(["--set", "nvswitch.link.latency=4KiB"], "nvswitch.link.latency", "KiB", "1ns to 1ms")
        self.run_refused(["--set", "nvswitch.link.latency=20"], "no unit")
        self.refused(["run", "--size", "4KB"], "KB", "KiB")

    def test_bad_iterations_are_refused(self):
        for count in ("0", "1001", "-3", "many"):
            self.run_refused(["--iterations", count], "--iterations", "legal: 1 to 1000")
        self.refused(["run", self.file("i.yaml", "size: 4KiB\niterations: 0\n")], "i.yaml:2: iterations", "legal: 1 to 1000")

    def test_a_rate_of_zero_is_refused(self):
        self.run_refused(["--set", "nvswitch.link.rate=0GB/s"], "nvswitch.link.rate", "out of range", "1MB/s to 10TB/s")

    def test_errors_of_unknown_names_suggest_the_nearest_one(self):
        self.run_refused(["--algorithm", "psuh"], "psuh", "did you mean push", "push, pull, nvls, ring, double_binary_tree, halving_doubling, star, multitree, hdrm, blink or nccl")
        self.run_refused(["--platform", "dgx3"], "did you mean dgx2")
        self.run_refused(["--platform", "fat_tree:96"], "fat_tree:128 or fat_tree:64")
        self.run_refused(["--collective", "allredcue"], "did you mean allreduce")
        self.run_refused(["--algorithm", "ring_2d"], "unknown allreduce algorithm 'ring_2d'", "hdrm, blink or nccl")
        self.run_refused(["--algorithm", "hdrm", "--ranks", "0-4"], "hdrm on 5 of the nodes of dgx2", "all 16")
        self.run_refused(["--platform", "fat_tree", "--algorithm", "hdrm"], "hdrm needs a BiGraph, which fat_tree is not", "bigraph:MxN")

    def test_bad_sizes_are_refused(self):
        self.refused(["run"], "a message size is missing")
        self.refused(["run", "--size", "6B"], "multiples of 4B")
        self.refused(["run", "--size", "0B", "--dtype", "f16"], "at least 2B")
        self.refused(["run", "--size", "3B", "--dtype", "f16"], "multiples of 2B")
        self.refused(["run", "--skew", "0us,5us", "--gpus", "3", "--size", "4B"], "--skew", "2 times for 3 ranks", "a time for each rank")
        self.refused(["run", "--sizes", "1KiB:4KiB"], "FROM:TO:xK")

    def test_an_error_is_one_line_whatever_it_quotes(self):
        for nasty in ("a\nb", "a\r\nb", "\x1b[31mred", "a\u2028b", "a\u0085b", "\x7f"):
            for arguments in ([nasty], ["--" + nasty], ["--gpus", nasty], ["--set", nasty], ["--set", f"nvswitch.link.rate={nasty}"], ["--platform", nasty],
                              ["--json", f"/nonexistent/{nasty}"], [f"/nonexistent/{nasty}"], ["--messages", nasty], ["--trace", nasty],
                              ["--fault", nasty], ["--vcd", "/tmp/x.vcd", "--trace", nasty]):
                self.run_refused(arguments)
            for arguments in ([nasty], ["list", nasty], ["list", "probes", "--platform", nasty], ["schedule", "--topology", nasty], ["sweep", nasty]):
                self.refused(arguments)

    def test_unwritable_outputs_are_refused(self):
        missing = os.path.join(self.folder.name, "none", "r")
        for option in ("--json", "--csv", "--vcd"):
            self.run_refused([option, missing], option, missing, "No such file or directory")
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_glob_that_matches_no_probe_is_refused(self):
        vcd = os.path.join(self.folder.name, "w.vcd")
        self.run_refused(["--vcd", vcd, "--trace", "dgx2.swtich*"], "dgx2.swtich*")

    def test_errors_of_old_names_give_the_new_ones(self):
        self.run_refused(["--engine", "event"], "error: --engine was renamed: use --mode\n")
        self.run_refused(["--engine=fluid"], "error: --engine was renamed: use --mode\n")
        self.refused(["estimate", "--engine", "fluid"], "error: --engine was renamed: use --mode\n")
        scenario = self.file("s.yaml", "size: 4KiB\nengine: event\n")
        self.refused(["run", scenario], "s.yaml:2: engine was renamed: use mode\n")
        self.refused(["sweep", scenario, "--list"], "s.yaml:2: engine was renamed: use mode\n")
        self.refused(["sweep", self.file("t.yaml", "size: 4KiB\n"), "--share", "0/2"], "error: --share was renamed: use --shard\n")


if __name__ == "__main__":
    run_tests()
