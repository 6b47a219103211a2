"""Runs the real executable: exit codes, one clear line for each bad input, what Ctrl-C leaves, pages of the manual.

usage: test_command_line.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

TRIBUTARY = SOURCE = None


def tributary(*arguments, cwd=None):
    return subprocess.run([TRIBUTARY, *arguments], capture_output=True, text=True, cwd=cwd, check=False)


class BadInput(unittest.TestCase):
    """Each: exit code 2, nothing on standard output, one line on standard error that holds the given words."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def refused(self, arguments, *words):
        done = tributary(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("tributary: error: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def run_refused(self, arguments, *words):
        self.refused(["run", "--size", "4KiB", *arguments], *words)

    def test_unknown_key(self):
        self.run_refused(["--set", "link.latancy=1ns"], "--set", "link.latency")
        scenario = self.file("s.yaml", "platform: dgx2\nalgoritm: push\n")
        self.run_refused([scenario], "s.yaml:2", "algoritm", "did you mean algorithm")

    def test_unknown_option_and_command(self):
        self.run_refused(["--gpu", "4"], "--gpu", "did you mean --gpus")
        self.refused(["rnu"], "rnu", "did you mean run")
        self.refused([], "run, sweep, schedule or list")

    def test_wrong_unit(self):
        self.run_refused(["--set", "link.latency=4KiB"], "link.latency", "KiB", "1ns to 1ms")
        self.run_refused(["--set", "link.latency=20"], "no unit")
        self.refused(["run", "--size", "4KB"], "KB", "KiB")

    def test_zero_rate(self):
        self.run_refused(["--set", "link.rate=0GB/s"], "link.rate", "out of range", "1MB/s to 10TB/s")

    def test_table_smaller_than_an_entry(self):
        self.run_refused(["--set", "switch.reduction_table.bytes=64B"], "switch.reduction_table.bytes", "128B to")
        self.run_refused(["--set", "switch.reduction_table.bytes=8kB"], "multiple of 128B")
        self.run_refused(["--algorithm", "push", "--set", "switch.reduction_table.trunk_bytes=0B"], "home ports on trunks")

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

    def test_unwritable_outputs(self):
        missing = os.path.join(self.folder.name, "none", "r")
        for option in ("--json", "--csv", "--vcd"):
            self.run_refused([option, missing], option, missing, "No such file or directory")
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_full_multicast_table(self):
        self.run_refused(["--algorithm", "pull", "--set", "switch.mcr_entries=1"], "multicast tables", "switch.mcr_entries = 1")

    def test_multicast_groups(self):
        def refused(targets, *words):
            self.run_refused(["--collective", "multicast", "--gpus", "8", *targets], *words)

        refused([], "needs --targets", "0 to 7")
        refused(["--targets", "0"], "--targets", "one member")
        refused(["--targets", "3", "--root", "3"], "--targets", "one member")
        refused(["--targets", "1,2,1"], "--targets", "rank 1 is listed twice")
        refused(["--targets", "8"], "--targets", "no rank 8", "0 to 7")
        self.run_refused(["--targets", "1"], "allreduce has no targets")

    def test_faults_of_links(self):
        link = "gpu0.port0>switch0_0.port0"
        self.run_refused(["--fault", "down:gpu0.port0>switch0_0.prt0@1us"], "--fault", "unknown link", f"did you mean {link}")
        self.run_refused(["--fault", "corrupt:gpu77.port0>switch0_0.port0:1"], "--fault", "unknown link", "did you mean gpu")
        self.run_refused(["--fault", f"drop:{link}:1"], "unknown fault 'drop'", "corrupt:LINK:N, duplicate:LINK:N or down:LINK@TIME")
        self.run_refused(["--fault", f"corrupt:{link}:-1"], "'-1' is no number of a packet")
        self.run_refused(["--fault", f"down:{link}@5"], "no unit")
        self.run_refused(["--fault", f"down:{link}"], "is no fault", "down:LINK@TIME")
        self.run_refused(["--set", "link.bit_error_rate=0.5"], "link.bit_error_rate", "0 to 0.001")
        self.run_refused(["--set", "link.replay_buffer=128B"], "link.replay_buffer", "144B to 16MiB")
        scenario = self.file("f.yaml", f"size: 4KiB\nfaults:\n  - duplicate:{link}:1\n  - down:gpu16.port0>switch0_0.port0@1us\n")
        self.refused(["run", scenario], "f.yaml:4", "unknown link 'gpu16.port0>switch0_0.port0'")

    def test_algorithms_of_other_collectives(self):
        self.run_refused(["--collective", "reduce_scatter", "--algorithm", "push"], "algorithm of reduce_scatter 'push'",
                         "pull, ring or multitree")
        self.run_refused(["--collective", "alltoall", "--root", "1"], "alltoall has no root", "gather")
        self.run_refused(["--collective", "barrier"], "a barrier sends one packet", "128B")

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
        self.refused(["run", "--platform", "mesh:8x8", "--size", "64KiB", "--set", "network.nic.table.entries=128"],
                     "nic9", "needs 142 table entries", "holds 128")
        refused("bigraph:12x10", [], "upper0 has 17 links", "at most 16")
        refused("torus:4x4", ["--set", "link.rate=3GB/s"], "link.rate", "torus:4x4 does not have", "network.*")
        refused("dgx2", ["--set", "network.link.rate=3GB/s"], "network.link.rate", "dgx2 does not have")
        refused("torus:4x4", ["--cost"], "--cost", "no reduction tables")
        refused("torus:8x8", ["--algorithm", "double_binary_tree", "--set", "network.tree_chunks=256"],
                "network.tree_chunks=256", "at most 156")
        self.refused(["run", "--platform", "torus:1x2", "--algorithm", "ring", "--size", "9GiB", "--no-data"], "a chunk of",
                     "32 bits of size")
        refused("mesh:4x4", ["--set", "network.nic.table.entries=32"], "33 table entries", "at least 33")
        refused("torus:4x4", ["--fault", "down:x@1us"], "--fault", "dgx2")
        refused("torus:4x4", ["--background", "uniform:0.2"], "no background traffic")
        refused("torus:4x4", ["--set", "placement=spread"], "contiguous")
        refused("torus:4x4", ["--set", "network.flow_control.payload=2KiB", "--set", "network.router.buffer_flits=100"],
                "network.router.buffer_flits=100", "at least 129")

    def test_a_glob_that_matches_no_probe(self):
        vcd = os.path.join(self.folder.name, "w.vcd")
        self.run_refused(["--vcd", vcd, "--trace", "dgx2.swtich*"], "dgx2.swtich*")


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_json_on_standard_output_stands_alone(self):
        done = tributary("run", "--sizes", "1KiB:4KiB:x2", "--gpus", "4", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual([row["size_bytes"] for row in result["results"]], [1024, 2048, 4096])
        self.assertEqual([row["wrong"] for row in result["results"]], [0, 0, 0])
        self.assertEqual(result["ranks"], 4)
        self.assertEqual(list(result["kernel"])[1:], ["packet_hops", "events", "cpu_s", "packet_hops_per_cpu_s", "peak_rss_bytes"])
        self.assertNotIn(None, [p["value"] for p in result["parameters"].values()])

    def test_all_but_kernel_is_the_same_from_run_to_run(self):
        def result():
            done = tributary("run", "--size", "16KiB", "--json", "-")
            json_result = json.loads(done.stdout)
            json_result.pop("kernel")
            return json.dumps(json_result)

        self.assertEqual(result(), result())

    def test_no_data_has_nothing_to_check(self):
        def row(*more):
            return json.loads(tributary("run", "--size", "16KiB", "--gpus", "4", "--json", "-", *more).stdout)["results"][0]

        with_data, without = row(), row("--no-data")
        self.assertIsNone(without["wrong"])
        self.assertEqual(with_data["time_ns"], without["time_ns"])

    def test_latency_on_the_wire_is_the_shorter_one_and_changes_nothing(self):
        def row(*more):
            return json.loads(tributary("run", "--size", "64KiB", "--algorithm", "pull", "--json", "-", *more).stdout)["results"][0]

        plain, wire = row(), row("--wire-latency")
        counters = wire["counters"]
        for statistic in ("mean", "p99"):
            self.assertLess(counters.pop("wire_latency_ns." + statistic), counters["packet_latency_ns." + statistic])
        self.assertEqual(plain, wire)

    def test_cost_is_printed_on_demand_and_always_in_the_results(self):
        path = os.path.join(self.folder.name, "r.json")
        done = tributary("run", "--size", "4KiB", "--cost", "--json", path)
        self.assertIn("49152 B in 192 ports of 12 switches", done.stdout)
        self.assertIn("0.96 x the 265.6 B of Eq. (2)", done.stdout)
        self.assertNotIn("Eq.", tributary("run", "--size", "4KiB").stdout)
        self.assertEqual(json.loads(pathlib.Path(path).read_text())["cost"]["table_bytes_per_switch"], 4096)

    def test_a_size_gives_the_same_row_alone_and_in_a_sweep(self):
        alone = json.loads(tributary("run", "--size", "16KiB", "--json", "-").stdout)["results"][0]
        sweep = json.loads(tributary("run", "--sizes", "4KiB:16KiB:x4", "--json", "-").stdout)["results"][1]
        self.assertEqual(alone, sweep)

    def test_every_algorithm_of_the_list_runs(self):
        rows = tributary("list", "algorithms").stdout.splitlines()[1:]
        self.assertGreaterEqual(len(rows), 25)
        for collective, algorithm, *about in (row.split() for row in rows):
            size = [] if collective == "barrier" else ["--size", "3000B"]
            targets = ["--targets", "1-3,5"] if collective == "multicast" else []
            platform = "torus:4x4" if about[-4:] == "networks of NICs only".split() else "dgx2"
            done = tributary("run", "--platform", platform, "--collective", collective, "--algorithm", algorithm, *size,
                             *targets, "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual((result["collective"], result["algorithm"]), (collective, algorithm))
            self.assertEqual(result["results"][0]["wrong"], 0)
            self.assertLessEqual(result["results"][0]["algbw_GBps"], result["results"][0]["bound_GBps"])

    def test_the_time_limit_ends_a_run_with_a_report(self):
        path = os.path.join(self.folder.name, "r.json")
        done = tributary("run", "--size", "1MiB", "--gpus", "4", "--time-limit", "2us", "--json", path)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("time limit", done.stderr)
        self.assertEqual(json.loads(pathlib.Path(path).read_text())["results"][0]["status"], "time_limit")

    def test_faults_of_links_are_mended_or_reported(self):
        link = "gpu0.port0>switch0_0.port0"
        arguments = ["run", "--size", "64KiB", "--algorithm", "push", "--json", "-", "--quiet"]
        mended = tributary(*arguments, "--fault", f"corrupt:{link}:3", "--fault", f"duplicate:{link}:50")
        self.assertEqual(mended.returncode, 0, mended.stderr)
        results = json.loads(mended.stdout)
        self.assertEqual(results["faults"], [f"corrupt:{link}:3", f"duplicate:{link}:50"])
        counters = results["results"][0]["counters"]
        self.assertEqual((counters["link.crc_errors"], counters["link.duplicates_dropped"]), (1, 1))
        dead = tributary(*arguments, "--fault", f"down:{link}@1us")
        self.assertEqual(dead.returncode, 3)
        self.assertIn(f"link {link} is dead since 1us", dead.stderr)
        row = json.loads(dead.stdout)["results"][0]
        self.assertEqual((row["status"], row["wrong"]), ("deadlock", None))

    def test_ctrl_c_keeps_what_is_finished(self):
        path = os.path.join(self.folder.name, "r.json")
        csv = os.path.join(self.folder.name, "r.csv")
        command = [TRIBUTARY, "run", "--sizes", "1KiB:1GiB:x1024", "--no-data", "--json", path, "--csv", csv]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            for line in process.stdout:  # the third message takes minutes
                if line.split()[:1] == ["1048576"]:
                    break
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
        self.assertEqual(process.returncode, 3, errors)
        self.assertIn("interrupted: 2 of 3 messages done and kept", errors)
        self.assertEqual([row["size_bytes"] for row in json.loads(pathlib.Path(path).read_text())["results"]], [1024, 1048576])
        self.assertEqual(len(pathlib.Path(csv).read_text().splitlines()), 3)


class Information(unittest.TestCase):
    def test_a_schedule_on_the_screen(self):
        done = tributary("schedule", "--topology", "torus:8x8", "--algorithm", "multitree")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("17, phases: 2", "1.000 x 14, 0.750 x 2, 0.250", "tree heights      8", "120 per node", "3200 B",
                      "0.5312 D/B", "verified"):
            self.assertIn(words, done.stdout)
        self.assertIn("overflows", tributary("schedule", "--topology", "mesh:8x8").stdout)

    def test_a_schedule_as_json(self):
        schedule = json.loads(tributary("schedule", "--topology", "mesh:2x2", "--json", "-").stdout)
        self.assertEqual((schedule["steps_per_phase"], schedule["utilisation_per_step"]), (2, [1.0, 0.5]))
        self.assertEqual((schedule["tree_heights"], schedule["table_entries_max"]), ([2] * 4, 5))
        self.assertEqual((schedule["ideal_time_D_over_B"], schedule["verified"], schedule["ranks"]), (1.0, True, 4))
        self.assertEqual(schedule["trees"][3]["edges"][1], {"parent": 3, "child": 2, "step": 1, "links": ["nic3.port2"]})
        self.assertEqual(schedule["tables"][0][2], {"op": "reduce", "flow": 2, "parent": 2, "children": [1], "step": 2})
        sends = [o for o in schedule["operations"] if o["op"] == "send"]
        self.assertEqual(len(sends), 2 * 4 * 3)
        self.assertEqual(sorted((o["rank"], o["chunk"]) for o in sends if o["step"] == 1), [(0, 3), (1, 2), (2, 1), (3, 0)])

    def test_help_and_version(self):
        for arguments in (["--help"], ["run", "--help"], ["schedule", "--help"], ["list", "--help"], ["--version"]):
            done = tributary(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("tributary", done.stdout)

    def test_lists(self):
        for subject, word in {"platforms": "dgx2", "algorithms": "ring", "collectives": "allreduce",
                              "parameters": "switch.reduction_table.bytes", "probes": "dgx2."}.items():
            done = tributary("list", subject)
            self.assertEqual((done.returncode, done.stderr), (0, ""), subject)
            self.assertIn(word, done.stdout)

    def test_the_page_of_parameters_is_up_to_date(self):
        done = tributary("list", "parameters", "--markdown")
        page = pathlib.Path(SOURCE, "docs", "parameters.md").read_text(encoding="utf-8")
        self.assertEqual(done.stdout, page, "run: tributary list parameters --markdown > docs/parameters.md")


if __name__ == "__main__":
    TRIBUTARY, SOURCE = (os.path.abspath(argument) for argument in sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
