"""Runs the real executable: results and exit codes, files after Ctrl-C, lists and pages of the manual.

usage: test_command_line.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest

from executable import SOURCE, TRIBUTARY, run_tests, tributary

SHARED_PARAMETERS = ("watchdog.", "energy.", "area.", "technology.")  # parameters of all platforms

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
        for name, parameter in result["parameters"].items():
            if parameter["value"] is None:
                self.assertRegex(parameter["source"], "^auto: ", name)

    def test_everything_but_kernel_is_the_same_in_each_run(self):
        def result():
            done = tributary("run", "--size", "16KiB", "--json", "-")
            json_result = json.loads(done.stdout)
            json_result.pop("kernel")
            return json.dumps(json_result)

        self.assertEqual(result(), result())

    def test_a_run_without_data_checks_no_elements(self):
        def row(*more):
            return json.loads(tributary("run", "--size", "16KiB", "--gpus", "4", "--json", "-", *more).stdout)["results"][0]

        with_data, without = row(), row("--no-data")
        self.assertIsNone(without["wrong"])
        self.assertEqual(with_data["time_ns"], without["time_ns"])

    def test_latency_on_the_wire_is_shorter_and_changes_nothing_else(self):
        def row(*more):
            return json.loads(tributary("run", "--size", "64KiB", "--algorithm", "pull", "--json", "-", *more).stdout)["results"][0]

        plain, wire = row(), row("--wire-latency")
        counters = wire["counters"]
        for statistic in ("mean", "p99"):
            self.assertLess(counters.pop("wire_latency_ns." + statistic), counters["packet_latency_ns." + statistic])
        self.assertEqual(plain, wire)

    def test_cost_is_printed_on_request_and_always_in_the_results(self):
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
            size += ["--gpus", "5"] if algorithm == "parameter_server" else []  # the sixth host is the server
            targets = ["--targets", "1-3,5"] if collective == "multicast" else []
            platforms = {"networks of NICs only": ["torus:4x4", "--set", "schedule_nic.nic.table.entries=auto"],
                         "hosts on Ethernet only": ["rack:6"], "on a programmable switch only": ["tofino:4"],
                         "with copy engines only": ["dgx1v"],
                         "on clusters of servers only": ["cluster:2xh100", "--mode", "fluid", "--no-data"]}
            only = [place for place in platforms if " ".join(about).endswith(place)]
            platform = platforms[only[0]] if only else ["dgx2"]
            sends = (collective, algorithm) in (("alltoall", "nccl"), ("sendrecv", "nccl"))
            platform += ["--set", "nvswitch.nccl.version=2.21"] if sends else []
            done = tributary("run", "--platform", *platform, "--collective", collective, "--algorithm", algorithm, *size,
                             *targets, "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual((result["collective"], result["algorithm"]), (collective, algorithm))
            self.assertEqual(result["results"][0].get("wrong") or 0, 0)  # flows have no data
            self.assertLessEqual(result["results"][0]["algbw_GBps"], result["results"][0]["bound_GBps"])

    def test_an_old_parameter_name_prints_its_new_one_once(self):
        path = os.path.join(self.folder.name, "r.json")
        run = ("run", "--size", "4KiB", "--quiet", "--json", path, "--set")
        old = tributary(*run, "link.latency=30ns", "--set", "acks=none", "--set", "link.latency=40ns")
        self.assertEqual(old.returncode, 0, old.stderr)
        self.assertEqual(old.stderr, "tributary: note: acks was renamed: use nvswitch.acks\n"
                                     "tributary: note: link.latency was renamed: use nvswitch.link.latency\n")
        parameters = json.loads(pathlib.Path(path).read_text())["parameters"]
        self.assertEqual(parameters["nvswitch.link.latency"]["value"], 40000)
        self.assertTrue(all(name.startswith(("nvswitch.", *SHARED_PARAMETERS)) for name in parameters))
        new = tributary(*run, "nvswitch.link.latency=40ns", "--set", "nvswitch.acks=none")
        self.assertEqual((new.stdout, new.stderr), (old.stdout, ""))
        network = tributary("run", "--platform", "torus:2x2", "--size", "4KiB", "--set", "network.link.latency=40ns")
        self.assertEqual(network.stderr, "tributary: note: network.link.latency was renamed: use schedule_nic.link.latency\n")
        scenario = os.path.join(self.folder.name, "s.yaml")
        pathlib.Path(scenario).write_text("size: 4KiB\ngpus: 2\nparameters: { switch: { latency: [100ns, 150ns] } }\n")
        sweep = tributary("sweep", scenario, "--out", os.path.join(self.folder.name, "out"), "--quiet")
        self.assertEqual((sweep.returncode, sweep.stderr), (0, "tributary: note: switch.latency was renamed: use nvswitch.switch.latency\n"))

    def test_the_time_limit_ends_a_run_with_a_report(self):
        path = os.path.join(self.folder.name, "r.json")
        done = tributary("run", "--size", "1MiB", "--gpus", "4", "--time-limit", "2us", "--json", path)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("time limit", done.stderr)
        self.assertEqual(json.loads(pathlib.Path(path).read_text())["results"][0]["status"], "time_limit")

    def test_the_longest_time_limit_ends_no_run(self):
        done = tributary("run", "--size", "4KiB", "--gpus", "4", "--time-limit", "18446744073709551615ps", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_faults_of_links_are_repaired_or_reported(self):
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
        self.assertEqual((row["status"], row["wrong"]), ("dead_link", None))

    def full(self, *arguments):
        """Runs with a standard output that is a full device."""
        with open("/dev/full", "w", encoding="utf-8") as full:
            return subprocess.run([TRIBUTARY, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    def test_lost_output_is_an_error(self):
        run = ["run", "--size", "1KiB", "--gpus", "2"]
        for arguments in ([*run, "--json", "-"], [*run, "--csv", "-"], run, ["list", "platforms"], ["--version"], ["run", "--help"],
                          ["schedule", "--topology", "mesh:2x2"], ["schedule", "--topology", "mesh:2x2", "--json", "-"],
                          ["estimate"], ["estimate", "--json", "-"]):
            done = self.full(*arguments)
            self.assertEqual(done.returncode, 3, arguments)
            self.assertRegex(done.stderr.splitlines()[-1], r"^tributary: error: cannot write ")
        for option in ("--json", "--csv"):
            done = tributary(*run, option, "/dev/full")
            self.assertEqual((done.returncode, done.stderr), (3, "tributary: error: cannot write '/dev/full': No space left on device\n"))

    def limited(self, limit, *arguments):
        """Runs with a limit on file sizes, as on a disk that fills."""
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.run([TRIBUTARY, *arguments], cwd=self.folder.name, capture_output=True, text=True, check=False, preexec_fn=limit_files)

    def test_a_disk_that_fills_during_a_waveform_leaves_the_run_complete(self):
        run = ["run", "--sizes", "1KiB:1MiB:x1024", "--gpus", "4", "--no-data", "--csv", "r.csv", "--json", "r.json"]
        plain = tributary(*run, cwd=self.folder.name)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        expected = [pathlib.Path(self.folder.name, name).read_text() for name in ("r.csv", "r.json")]
        done = self.limited(3_000_000, *run, "--vcd", "w.vcd")
        self.assertEqual((done.returncode, done.stderr), (3, "tributary: warning: the waveform is incomplete: cannot write 'w.vcd': File too large\n"))
        csv, text = (pathlib.Path(self.folder.name, name).read_text() for name in ("r.csv", "r.json"))
        self.assertEqual(csv, expected[0])
        self.assertEqual([row["status"] for row in json.loads(text)["results"]], ["done", "done"])
        self.assertEqual(json.loads(text)["results"], json.loads(expected[1])["results"])

    def test_a_disk_that_fills_during_results_is_an_error(self):
        done = self.limited(1000, "run", "--size", "1KiB", "--gpus", "2", "--json", "r.json")
        self.assertEqual((done.returncode, done.stderr), (3, "tributary: error: cannot write 'r.json': File too large\n"))
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_ctrl_c_keeps_finished_messages(self):
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
        rows = json.loads(pathlib.Path(path).read_text())["results"]
        self.assertEqual([(row["size_bytes"], row["status"]) for row in rows], [(1024, "done"), (1048576, "done"), (1073741824, "interrupted")])
        self.assertIsNone(rows[-1]["time_ns"])
        self.assertEqual(len(pathlib.Path(csv).read_text().splitlines()), 4)


class Information(unittest.TestCase):
    def test_a_schedule_is_printed_on_the_screen(self):
        done = tributary("schedule", "--topology", "torus:8x8", "--algorithm", "multitree")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("17, phases: 2", "1.000 x 14, 0.750 x 2, 0.250", "tree heights      8", "120 per node", "3200 B",
                      "0.5312 D/B", "verified"):
            self.assertIn(words, done.stdout)
        self.assertIn("overflows", tributary("schedule", "--topology", "mesh:8x8").stdout)

    def test_trees_of_a_server_are_printed(self):
        def trees(*arguments):
            done = tributary("schedule", "--topology", "dgx1v", *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout

        for words in ("allreduce by blink", "27/8 links", "24/7 links: 24 links between 8 parts", "1.000 in theory, 0.984 with these trees",
                      "6, in both directions"):
            self.assertIn(words, trees())
        for words in ("broadcast by blink from GPU 4", "2 links: 2 links into", "none: a ring over PCIe, 0.250 of a link", "8.000 in theory", "weight 1"):
            self.assertIn(words, trees("--collective", "broadcast", "--ranks", "1,4,5,6", "--root", "1", "--pcie-ring", "0.25"))
        found = json.loads(trees("--collective", "broadcast", "--ranks", "0,3,4", "--json", "-"))
        self.assertEqual((found["rate_exact"], found["gpus"], found["rings"], found["speed_up"]), ("2", [0, 3, 4], 0, 4.0))
        self.assertEqual(found["trees"], [{"root": 0, "weight": 2.0, "units": 2, "depth": 1,
                                           "edges": [{"parent": 0, "child": 1}, {"parent": 0, "child": 2}]}])
        found = json.loads(trees("--json", "-"))
        self.assertEqual(sum(tree["units"] for tree in found["trees"]), 3.375 * found["units_per_link"])
        self.assertEqual(found["partition"], {"parts": [[rank] for rank in range(8)], "links": 24})
        self.assertEqual(trees("--ranks", "0,3,4", "--dot", "-").count("dir=both"), 2)
        self.assertIn("dgx1v", tributary("list", "platforms").stdout)

    def test_a_server_from_a_file_equals_the_built_in_one(self):
        folder = SOURCE / "testbench/workload/data/topologies"
        def times(platform, *ranks):
            done = tributary("run", "--platform", platform, "--algorithm", "blink", "--collective", "broadcast", "--size", "300kB", *ranks, "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            return [row["time_ns"] for row in json.loads(done.stdout)["results"]]

        for ranks in (["--ranks", "1,4"], ["--ranks", "0,3,4"], []):
            for server in ("dgx1v", "dgx1p"):
                expected = times(server, *ranks)
                if server == "dgx1v":  # such a text does not contain which links are slower
                    self.assertEqual(times(f"topo_m:{folder}/{server}.txt", *ranks), expected)
                self.assertEqual(times(f"nccl_xml:{folder}/{server}.xml", *ranks), expected)

    def test_chunk_sizes_are_tuned_over_iterations(self):
        done = tributary("run", "--platform", "dgx1v", "--ranks", "0-3", "--collective", "broadcast", "--algorithm", "blink", "--size", "50MB",
                         "--no-data", "--iterations", "3")
        for number, chunk in enumerate(("chunk=1MB", "chunk=2MB")):
            self.assertRegex(done.stdout, f"(?m)^{number} .*{chunk}$")
        fixed = tributary("run", "--platform", "dgx1v", "--algorithm", "blink", "--size", "1MB", "--iterations", "2", "--set", "blink.chunk=2MB")
        self.assertNotIn("chunk=", fixed.stdout)

    def test_an_estimate_is_printed(self):
        done = tributary("estimate", "--machines", "4", "--gpus", "8", "--size", "100MB")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("15.5620 ms", "14.3553 ms", "9.1817 ms", "from 2.133 on", "from 1.867 on", "174064 B", "15.043 us"):
            self.assertIn(words, done.stdout)
        estimate = json.loads(tributary("estimate", "--machines", "6", "--gpus", "1", "--size", "64MiB", "--json", "-").stdout)
        rates = {row["algorithm"]: row["Gbps"] for row in estimate["flow_model"]}
        self.assertAlmostEqual(rates["netreduce"], 92.4, delta=0.1)
        self.assertNotIn("halving_doubling", rates)
        self.assertNotIn("rate_ratio", estimate)

    def test_a_schedule_is_written_as_json(self):
        schedule = json.loads(tributary("schedule", "--topology", "mesh:2x2", "--json", "-").stdout)
        self.assertEqual((schedule["steps_per_phase"], schedule["utilisation_per_step"]), (2, [1.0, 0.5]))
        self.assertEqual((schedule["tree_heights"], schedule["table_entries_max"]), ([2] * 4, 5))
        self.assertEqual((schedule["ideal_time_D_over_B"], schedule["verified"], schedule["ranks"]), (1.0, True, 4))
        self.assertEqual(schedule["trees"][3]["edges"][1], {"parent": 3, "child": 2, "step": 1, "links": ["nic3.port2"]})
        self.assertEqual(schedule["tables"][0][2], {"op": "reduce", "flow": 2, "parent": 2, "children": [1], "step": 2})
        sends = [o for o in schedule["operations"] if o["op"] == "send"]
        self.assertEqual(len(sends), 2 * 4 * 3)
        self.assertEqual(sorted((o["rank"], o["chunk"]) for o in sends if o["step"] == 1), [(0, 3), (1, 2), (2, 1), (3, 0)])

    def test_a_netlist_shows_the_bindings(self):
        done = tributary("netlist", "--platform", "dgx2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
        self.assertEqual(lines[0], "dgx2 NvSwitchPlatform")
        self.assertIn("memory_socket > dgx2.gpu0.memory.socket", lines)
        self.assertEqual(sum(line.startswith("table_socket > ") for line in lines), 192)
        for engine in ("dma DmaEngine", "executor CommandExecutor", "home HomeAccumulator"):
            self.assertEqual(lines.count(f"{engine}, called directly"), 16)
        self.assertEqual(lines.count("table AssociativeReductionTable"), 192)

    def test_a_netlist_is_written_as_json_and_as_a_graph(self):
        def sockets(module):
            for socket in module["sockets"]:
                yield module["name"] + "." + socket["name"], socket
            for inner in module["modules"]:
                yield from sockets(inner)

        netlist = json.loads(tributary("netlist", "--platform", "torus:4x4", "--json", "-").stdout)
        self.assertEqual((netlist["platform"], len(netlist["modules"])), ("torus:4x4", 1))
        all_sockets = dict(sockets(netlist["modules"][0]))
        out = {name: s["bound"] for name, s in all_sockets.items() if s["role"] == "initiator" and "Link" in s["protocol"]}
        self.assertEqual(len(out), 4 * 16)
        for name, (far,) in out.items():  # one target each, which names the first in turn
            self.assertEqual(all_sockets[far]["bound"], [name])
        graph = tributary("netlist", "--platform", "torus:4x4", "--dot", "-").stdout
        self.assertTrue(graph.startswith('digraph "torus:4x4" {') and graph.endswith("}\n"))
        self.assertEqual(graph.count("{"), graph.count("}"))
        self.assertIn('"torus.nic0.nic.table" [label="{table|<socket> socket}"];', graph)
        self.assertRegex(graph, r'"torus.nic0.nic" \[label="[^"]*", style=dashed\];')
        self.assertEqual(graph.count(" -> "), sum(len(s["bound"]) for s in all_sockets.values() if s["role"] == "initiator"))

    def test_an_impossible_netlist_is_refused(self):
        for arguments in (["--platform", "dgx9"], ["--json", "-", "--dot", "-"], ["--json", "/nowhere/f"], ["--dot", "a", "--dot", "b"],
                          ["--set", "no.such=1"], ["--platform", "torus:0x4"], ["extra"]):
            done = tributary("netlist", *arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), arguments)

    def test_help_and_version_are_printed(self):
        for arguments in (["--help"], ["run", "--help"], ["schedule", "--help"], ["estimate", "--help"], ["train", "--help"], ["netlist", "--help"], ["plot", "--help"], ["list", "--help"], ["--version"]):
            done = tributary(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("tributary", done.stdout)
        version = tributary("--version").stdout
        self.assertRegex(version, r"^tributary \d+\.\d+\.\d+ \(commit \w+\)\n$")
        for arguments in (["-v"], ["version"], ["run", "--version"], ["run", "--size", "4KiB", "--version"], ["list", "--version"]):
            self.assertEqual(tributary(*arguments).stdout, version)
        self.assertEqual(tributary().stdout, tributary("--help").stdout)

    def complete(self, *words):
        done = tributary("complete", "--", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout.splitlines()

    def test_completion_offers_the_algorithms_that_a_small_platform_runs(self):
        self.assertEqual(self.complete("run", "--platform", "mesh:4x4", "--algorithm", ""), ["ring", "double_binary_tree"])
        self.assertEqual(self.complete("run", "-p", "mesh:4x4", "-c", "alltoall", "-a", ""), ["multitree"])
        self.assertIn("netreduce", self.complete("run", "--algorithm", ""))
        self.assertEqual(self.complete("schedule", "--topology", "dgx2", "--algorithm", "m"), ["multitree"])
        self.assertEqual(self.complete("schedule", "--topology", "dgx1v", "--algorithm", ""), ["blink"])

    def test_frequent_options_have_letters(self):
        short = tributary("run", "-p", "torus:2x2", "-c", "allgather", "-a", "ring", "-s", "4KiB", "-g", "4", "-q")
        long = tributary("run", "--platform", "torus:2x2", "--collective", "allgather", "--algorithm", "ring", "--size", "4KiB", "--gpus", "4", "--quiet")
        self.assertEqual((short.returncode, short.stdout), (0, long.stdout))
        self.assertIn("-p", self.complete("run", "-"))
        self.assertIn("  -p,--platform NAME", tributary("help", "run").stdout)

    def test_a_schedule_of_a_dgx2_by_an_algorithm_of_networks_is_that_of_a_plane(self):
        for algorithm in ("multitree", "ring", "hdrm"):
            done = tributary("schedule", "--topology", "dgx2", "--algorithm", algorithm, "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual((document["topology"], document["algorithm"], document["ranks"], document["links"]), ("dgx2", algorithm, 16, 48 if algorithm == "hdrm" else document["links"]))
            self.assertTrue(document["verified"])
        done = tributary("schedule", "--topology", "dgx2", "--algorithm", "multitre")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean multitree? (legal: blink, multitree, ring, double_binary_tree or hdrm)", done.stderr)
        done = tributary("schedule", "--topology", "dgx2", "--algorithm", "ring", "--x-links", "2")
        self.assertEqual(done.returncode, 2)

    def test_completion_offers_values_that_the_platform_accepts(self):
        platforms = self.complete("run", "--platform", "")
        self.assertIn("torus:", platforms)
        self.assertEqual([word for word in platforms if any(c.isupper() for c in word)], [])
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "net.anynet").write_text("", encoding="utf-8")
            pathlib.Path(folder, "sub").mkdir()
            pathlib.Path(folder, "t.csv").write_text("size_bytes,time_ns\n1,2\n", encoding="utf-8")
            self.assertEqual(self.complete("run", "--platform", f"file:{folder}/"), [f"file:{folder}/net.anynet", f"file:{folder}/sub/", f"file:{folder}/t.csv"])
            self.assertEqual(self.complete("run", "--algorithm", f"msccl:{folder}/n"), [f"msccl:{folder}/net.anynet"])
            self.assertEqual(self.complete("plot", f"{folder}/t.csv", "--x", ""), ["size_bytes", "time_ns"])
        rack = self.complete("run", "--platform", "rack:6", "--set", "")
        self.assertTrue(rack and all(word.startswith(("netreduce.", *SHARED_PARAMETERS)) for word in rack))
        self.assertIn("training.batch=", self.complete("train", "--set", "training."))
        for platform, begun, expected in (("dgx2", "nvswitch.ring.sync=", 2), ("torus:4x4", "schedule_nic.nic.table.inspection=", 2)):
            offered = self.complete("run", "--platform", platform, "--set", begun)
            self.assertGreaterEqual(len(offered), expected)
            for word in offered:
                self.assertEqual(tributary("run", "--platform", platform, "--size", "128B", "--set", word, "--time-limit", "1ps").returncode, 3, word)

    def test_lists_are_printed(self):
        for subject, word in {"platforms": "dgx2", "algorithms": "ring", "collectives": "allreduce", "blocks": "schedule_nic.nic.table", "stimulus": "evict_lru",
                              "parameters": "nvswitch.switch.reduction_table.bytes", "probes": "dgx2.", "models": "resnet50", "presets": "klenk-volta"}.items():
            done = tributary("list", subject)
            self.assertEqual((done.returncode, done.stderr), (0, ""), subject)
            self.assertIn(word, done.stdout)

    def test_the_page_of_parameters_is_up_to_date(self):
        done = tributary("list", "parameters", "--markdown")
        page = pathlib.Path(SOURCE, "docs/parameters.md").read_text(encoding="utf-8")
        self.assertEqual(done.stdout, page, "run: tributary list parameters --markdown > docs/parameters.md")


if __name__ == "__main__":
    run_tests()
