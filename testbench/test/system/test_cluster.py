"""Clusters of servers by flows (docs/systems/cluster.md): rows, links, refusals, time and memory.

usage: test_cluster.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import re
import unittest

from executable import SANITIZED, SOURCE, run_tests, tributary
from refusals import Refusals

MIB = 1 << 20


ALGORITHMS = {"allreduce": ["pull_ring", "pull_tree", "pull_netreduce", "ring_ring", "ring_tree", "ring_netreduce", "ring"],
              "reduce_scatter": ["pull_ring", "ring_ring", "ring"], "allgather": ["pull_ring", "ring_ring", "ring"],
              "broadcast": ["pull_ring", "ring_ring"], "alltoall": ["direct"], "sendrecv": ["direct"]}


def options(platform, algorithm, size):
    return ["run", "--platform", platform, "--algorithm", algorithm, "--size", size, "--mode", "fluid", "--no-data", "--quiet"]


def row(platform, algorithm, size, *more, used=None):
    done = tributary(*options(platform, algorithm, size), *more, "--json", "-", used=used)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["results"][0]


class Flows(unittest.TestCase):
    def test_algorithms_have_the_order_of_their_bounds(self):
        times = [row("cluster:8xh100", algorithm, "64MiB")["time_ns"] for algorithm in ("pull_netreduce", "pull_ring", "ring_ring")]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[0], 200_400)

    def test_links_are_classes_with_their_number(self):
        found = row("cluster:8xh100", "pull_netreduce", "64MiB")
        links = {link["name"]: link["bytes"] for link in found["links"]}
        counts = {link["name"]: link["count"] for link in found["links"]}
        self.assertEqual(counts["gpu*.port*>switch*.port*"], 8 * 8 * 18)
        self.assertEqual(counts["nic*.port0>leaf*.port*"], 64)
        # 64 parts of 128 KiB with a header of 16 B, in 33 frames with 82 B each and an immediate
        self.assertAlmostEqual(links["nic*.port0>leaf*.port*"], 64 * (MIB // 8 + 16 + 33 * 82), delta=64 * 64)
        self.assertAlmostEqual(found["wire_bytes"], sum(links[name] * counts[name] for name in links), delta=1e4)

    def test_a_file_has_servers_with_nics(self):
        # Two NICs of 200 Gb/s at the switch of each of 4 GPUs are one of 400 Gb/s; the NIC of 100 Gb/s serves storage.
        found = row("cluster:2xfile:" + str(SOURCE / "testbench/test/system/topologies/rail_nics.xml"), "pull_netreduce", "1GiB")
        counts = {link["name"]: link["count"] for link in found["links"]}
        self.assertEqual(counts["nic*.port0>leaf*.port*"], 8)
        self.assertEqual(counts["gpu*.port*>switch*.port*"], 2 * 4 * 18)
        # Four NICs of 50 GB/s carry 4096 of 4178 B of payload.
        self.assertAlmostEqual(found["bound_GBps"], 200 * 4096 / 4178, delta=0.2)

    def notes(self, platform, *more):
        arguments = ["run", "--platform", platform, "--size", "1MiB", "--mode", "fluid", "--no-data", *more]
        done = tributary(*arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        notes = json.loads(done.stdout).get("notes", [])
        for note in notes:
            self.assertIn(f"tributary: note: {note}\n", done.stderr)
        return [note.rsplit(": ", 1)[-1] for note in notes]

    def test_assumptions_are_notes(self):
        self.assertEqual(self.notes("cluster:2xh100"), [])
        self.assertEqual(self.notes("cluster:2xh100", "--set", "cluster.nics=32"), ["4 NICs of a GPU are one NIC of their rates together"])
        h100 = "cluster:2xfile:" + str(SOURCE / "testbench/workload/data/topologies/h100.xml")
        self.assertEqual(self.notes(h100, "--set", "cluster.nics=8"), ["100 Gb/s"])
        self.assertEqual(self.notes(h100, "--set", "cluster.nics=8", "--set", "cluster.nic_rate=100Gb/s"), [])

    def test_notes_of_flows_are_those_of_flows(self):
        self.assertEqual(len(self.notes("cluster:1xh100")), 1)
        done = tributary("run", "--platform", "cluster:1xh100", "--size", "256KiB", "--mode", "windowed")
        self.assertEqual((done.returncode, done.stderr.count("note")), (0, 0), done.stderr)

    def test_ports_that_no_switch_has_are_a_note(self):
        self.assertEqual(self.notes("cluster:64xh100"), ["the stages of 512 ranks are proved for four servers"])
        self.assertIn("a switch of the network has 65 ports; by packets at most 64 are legal", self.notes("cluster:65xh100"))

    def test_a_file_may_be_named_by_its_format(self):
        file = str(SOURCE / "testbench/test/system/topologies/rail_nics.xml")
        time_ns = row("cluster:2xfile:" + file, "pull_ring", "1MiB")["time_ns"]
        self.assertEqual(row("cluster:2xnccl_xml:" + file, "pull_ring", "1MiB")["time_ns"], time_ns)

    def test_the_rate_of_nvlinks_is_a_parameter(self):
        # b200 has as many NVLinks as h100, of 50 GB/s.
        fast = row("cluster:1xh100", "ring_ring", "64MiB", "--set", "nvswitch.link.rate=50GB/s")
        other = row("cluster:1xb200", "ring_ring", "64MiB")
        self.assertEqual((fast["time_ns"], fast["bound_GBps"]), (other["time_ns"], other["bound_GBps"]))
        self.assertAlmostEqual(fast["bound_GBps"], 2 * row("cluster:1xh100", "ring_ring", "64MiB")["bound_GBps"], places=6)

    def test_a_faster_nic_is_not_slower(self):
        # PCIe carries 0.9 x 63.0 x 256 / 280 = 51.9 GB/s, so the NIC bounds a server up to 423 Gb/s.
        times = [row("cluster:8xh100", "pull_ring", "64MiB", "--set", f"cluster.nic_rate={rate}Gb/s")["time_ns"] for rate in (200, 400, 600, 1600)]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertEqual(times[2], times[3])

    def test_a_smaller_proof_is_a_note(self):
        self.assertEqual(self.notes("cluster:16xh100"), [])  # 128 ranks
        self.assertEqual(self.notes("cluster:17xh100"), ["the stages of 136 ranks are proved for four servers"])

    def test_times_follow_parameters_of_servers_and_networks(self):
        base = row("cluster:2xh100", "ring_ring", "1MiB")["time_ns"]
        for parameter in ("nvswitch.link.latency=1us", "nvswitch.gpu.memory.latency=1us", "netreduce.nic.rx_latency=5us",
                          "netreduce.switch.latency=5us"):
            done = tributary(*options("cluster:2xh100", "ring_ring", "1MiB"), "--set", parameter, "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(json.loads(done.stdout)["results"][0]["time_ns"], base, parameter)

    def test_algorithms_are_listed_as_they_run(self):
        done = tributary("list", "algorithms", "--platform", "cluster:2xa100")
        self.assertEqual(done.returncode, 0, done.stderr)
        runs, refused = done.stdout.split("refused")
        self.assertIn("ring_netreduce", runs)
        self.assertNotIn("pull_netreduce", runs)
        self.assertIn("the switches of a100 do not add", refused)

    @unittest.skipIf(SANITIZED, "limits of a release")
    def test_large_clusters_are_quick(self):
        for collective, algorithms in ALGORITHMS.items():
            for algorithm in algorithms:
                for servers, size, cpu_s, most in ((128, "256MiB", 1, 200e6), (2048, "1GiB", 10, 2e9)):
                    used = {}
                    row(f"cluster:{servers}xh100", algorithm, size, "--collective", collective, used=used)
                    self.assertLess(used["cpu_s"], cpu_s, (collective, algorithm, servers))
                    self.assertLess(used["bytes"], most, (collective, algorithm, servers))

    def test_the_algorithms_are_those_of_the_list(self):
        done = tributary("list", "algorithms", "--platform", "cluster:2xh100")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = [line.split()[:2] for line in done.stdout.splitlines()[1:] if line.strip()]
        found = {collective: sorted(a for c, a in listed if c == collective) for collective in ALGORITHMS}
        for collective, names in ALGORITHMS.items():  # and those of a server
            self.assertLessEqual(set(names), set(found[collective]))

    def test_bounds_are_those_of_the_page(self):
        text = (SOURCE / "docs/systems/cluster.md").read_text(encoding="utf-8")
        table = text.split("## Bounds", 1)[1].split("\n\n")[2].splitlines()
        cells = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table]
        platforms = ["cluster:" + cell.replace("`", "").replace(" ", "") for cell in cells[0][1:]]
        self.assertEqual(len(platforms), 6)
        for algorithm, *bounds in cells[2:]:
            for platform, bound in zip(platforms, bounds):
                if bound == "-":
                    continue
                # A row of the table has three digits.
                self.assertAlmostEqual(row(platform, algorithm, "1GiB")["bound_GBps"], float(bound), delta=0.003 * float(bound), msg=(platform, algorithm))

    def test_the_default_follows_the_switches(self):
        for platform, algorithm in (("cluster:2xa100", "ring_ring"), ("cluster:2xh100", "pull_ring")):
            done = tributary("run", "--platform", platform, "--size", "1MiB", "--mode", "fluid")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(algorithm, done.stdout)


class Against(Refusals):
    """--against of `run`."""

    def test_each_message_has_a_row_of_each_algorithm(self):
        done = tributary("run", "--platform", "cluster:8xh100", "--algorithm", "pull_netreduce", "--sizes", "1MiB:64MiB:x64",
                         "--against", "pull_ring,ring_ring", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["kernel"]["mode"], "fluid")  # clusters have no packets
        own = {row["size_bytes"]: row["time_ns"] for row in document["results"]}
        self.assertEqual([(row["algorithm"], row["size_bytes"]) for row in document["against"]],
                         [(method, size) for method in ("pull_ring", "ring_ring") for size in (MIB, 64 * MIB)])
        for found in document["against"]:
            self.assertEqual(found["time_ns"], row("cluster:8xh100", found["algorithm"], f'{found["size_bytes"]}B')["time_ns"])
            self.assertAlmostEqual(found["difference_ns"], found["time_ns"] - own[found["size_bytes"]], places=3)

    def test_packets_have_the_same_rows_as_runs_of_their_own(self):
        done = tributary("run", "--platform", "dgx2", "--algorithm", "pull", "--size", "256KiB", "--against", "push,ring", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        for found in json.loads(done.stdout)["against"]:
            alone = tributary("run", "--platform", "dgx2", "--algorithm", found["algorithm"], "--size", "256KiB", "--json", "-")
            self.assertEqual(found["time_ns"], json.loads(alone.stdout)["results"][0]["time_ns"], found["algorithm"])
            self.assertEqual(found["wrong"], 0)

    def test_names_are_checked(self):
        base = ["run", "--platform", "cluster:2xh100", "--algorithm", "pull_ring", "--size", "1MiB", "--against"]
        self.refused([*base, "pull_rings"], "--against", "pull_ring")
        self.refused([*base, "pull_ring"], "error: --against: pull_ring is given twice")
        self.refused([*base, "ring_ring,ring_ring"], "--against", "given twice")
        self.refused(["run", self.file("jobs.yaml", "platform: cluster:2xh100\nagainst: ring\njobs:\n" + "  - { size: 1MiB, ranks: 0-3 }\n  - { size: 1MiB, ranks: 4-7 }\n")], "against")


class Modules(unittest.TestCase):
    """Names of modules and probes are those by packets, although a cluster runs by flows."""

    def test_a_cluster_has_a_netlist(self):
        for servers, nics in ((1, 0), (2, 16)):
            done = tributary("netlist", "--platform", f"cluster:{servers}xh100", "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            names = re.findall(r'"name": *"cluster[.](gpu[0-9]+|nic[0-9]+_[0-9]+)"', done.stdout)
            self.assertEqual(sum(name.startswith("gpu") for name in names), 8 * servers, names)
            self.assertEqual(sum(name.startswith("nic") for name in names), nics, names)

    def test_a_cluster_has_probes(self):
        done = tributary("list", "probes", "--platform", "cluster:2xh100")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("gpu15.", "server1_switch0.", "nic1_7."):
            self.assertIn(name, done.stdout)

    def test_no_blocks_are_said(self):
        done = tributary("list", "blocks", "--platform", "cluster:2xh100")
        self.assertEqual((done.returncode, done.stdout), (0, "no block can be replaced by a plug-in on clusters of servers\n"))


class Alone(unittest.TestCase):
    """A part of a cluster is a machine of another family."""

    def time_ns(self, *arguments):
        done = tributary("run", *arguments, "--mode", "fluid", "--no-data", "--quiet", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["results"][0]["time_ns"]

    def test_a_rail_is_a_rack_of_hosts(self):
        rail = ["--platform", "cluster:8xh100", "--ranks", "0,8,16,24,32,40,48,56", "--set", "cluster.nic_rate=100Gb/s", "--set", "cluster.mtu=1024B",
                "--set", "nvswitch.gpu.executor.local_rate=150GB/s"]  # that of hosts
        for own, collective, algorithm, size in (("ring_netreduce", "allreduce", "netreduce", "64MiB"),
                                                    ("ring_ring", "allreduce", "ring", "64MiB"), ("ring_ring", "allgather", "ring", "64MiB"),
                                                    ("ring_ring", "reduce_scatter", "ring", "64MiB")):
            between = self.time_ns(*rail, "--collective", collective, "--algorithm", own, "--size", size)
            rack = self.time_ns("--platform", "rack:8", "--collective", collective, "--algorithm", algorithm, "--size", size)
            self.assertLess(abs(between / rack - 1), 0.02, (collective, own, between, rack))

    def test_a_chain_on_a_rail_is_a_chain_of_hosts(self):
        rail = ["--platform", "cluster:8xh100", "--ranks", "0,8,16,24,32,40,48,56", "--set", "cluster.nic_rate=100Gb/s", "--set", "cluster.mtu=1024B"]
        for size in ("4MiB", "16MiB", "64MiB"):
            between = self.time_ns(*rail, "--collective", "broadcast", "--algorithm", "ring_ring", "--size", size)
            rack = self.time_ns("--platform", "rack:8", "--collective", "broadcast", "--algorithm", "ring", "--size", size)
            self.assertLess(abs(between / rack - 1), 0.02, (size, between, rack))

    def test_a_server_is_a_machine_around_nvswitches(self):
        for collective in ("allreduce", "allgather"):
            inside = self.time_ns("--platform", "cluster:1xdgx2", "--collective", collective, "--algorithm", "ring_ring", "--size", "8MiB")
            alone = self.time_ns("--platform", "dgx2", "--collective", collective, "--algorithm", "ring", "--size", "8MiB")
            self.assertLess(abs(inside / alone - 1), 0.02, (collective, inside, alone))


class Networks(Refusals):
    def bound(self, *settings):
        arguments = options("cluster:8xh100", "pull_ring", "64MiB") + [word for s in settings for word in ("--set", s)]
        done = tributary(*arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["results"][0]["bound_GBps"]

    def test_spines_bound_a_ring(self):
        racks = ("cluster.fabric=leaf_spine", "cluster.racks=2")
        self.assertAlmostEqual(self.bound(*racks), self.bound(), places=6)  # 8 rails over 32 spines
        narrow = self.bound(*racks, "cluster.oversubscription=32")  # over one
        self.assertAlmostEqual(narrow, self.bound() / 8, delta=0.01 * narrow)

    def test_fabrics_are_checked(self):
        base = options("cluster:6xh100", "direct", "1MiB") + ["--collective", "alltoall"]
        self.refused([*base, "--set", "cluster.racks=2"], "legal: cluster.fabric=leaf_spine")
        self.refused([*base, "--set", "cluster.racks=4", "--set", "cluster.fabric=leaf_spine"], "cannot hold 6 servers")
        self.refused([*base, "--set", "cluster.pxn=false"], "nothing joins the rails", "cluster.pxn=true")
        self.refused(options("cluster:4096xh100", "ring", "64MiB") + ["--set", "watchdog.patience=1s"], "take about", "watchdog.patience")

    def test_other_collectives_run(self):
        # In a broadcast the root scatters and gathers by the same links, so the two stages wait for each other.
        for collective, algorithm, least in (("broadcast", "pull_ring", 0.6), ("broadcast", "ring_ring", 0.6), ("alltoall", "direct", 0.95),
                                          ("sendrecv", "direct", 0.95)):
            done = tributary(*options("cluster:4xh100", algorithm, "64MiB"), "--collective", collective, "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)["results"][0]
            self.assertLess(found["algbw_GBps"], found["bound_GBps"] * 1.0001, collective)
            self.assertGreater(found["algbw_GBps"], found["bound_GBps"] * least, collective)


class Jobs(Refusals):
    def scenario(self, platform, *ranks):
        entries = "".join(f"  - {{ collective: allreduce, algorithm: ring_ring, ranks: '{r}', size: 16MiB }}\n" for r in ranks)
        text = f"platform: {platform}\nmode: fluid\njobs:\n{entries}"
        return ["run", self.file("jobs.yaml", text), "--quiet"]

    def test_jobs_on_two_rails_take_as_long_as_one_alone(self):
        rails = ["0,8,16,24", "1,9,17,25"]
        done = tributary(*self.scenario("cluster:4xh100", *rails), "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        alone = tributary(*options("cluster:4xh100", "ring_ring", "16MiB"), "--ranks", rails[1], "--json", "-")
        time_ns = json.loads(alone.stdout)["results"][0]["time_ns"]
        for found in json.loads(done.stdout)["results"]:
            self.assertEqual(found["time_ns"], time_ns)

    def test_equal_groups_are_one_class(self):
        ranks = [",".join(str(8 * server + gpu) for server in range(4)) for gpu in range(8)]
        done = tributary(*self.scenario("cluster:4xh100", *ranks), "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["results"]
        self.assertEqual(len({row["time_ns"] for row in rows}), 1)
        counts = {link["name"]: link["count"] for link in rows[0]["links"]}
        self.assertEqual(counts["nic*.port0>leaf*.port*"], 32)

    def test_equal_groups_that_share_a_nic_take_twice_the_time(self):
        done = tributary(*self.scenario("cluster:2xdgx2", "0,16", "1,17"), "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        alone = tributary(*options("cluster:2xdgx2", "ring_ring", "16MiB"), "--ranks", "0,16", "--json", "-")
        ratio = json.loads(done.stdout)["results"][0]["time_ns"] / json.loads(alone.stdout)["results"][0]["time_ns"]
        self.assertAlmostEqual(ratio, 2, delta=0.02)

    def test_unlike_jobs_share_the_links_of_both(self):
        done = tributary(*self.scenario("cluster:3xdgx2", "0,16", "1,17,33"), "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["results"]  # in the order of the jobs
        links = {link["name"]: (link["bytes"], link["count"]) for link in rows[0]["links"]}
        # NIC 0 of servers 0 and 1 sends 2 x 1/2 and 2 x 2/3 of 16 MiB, that of server 2 the latter alone.
        self.assertEqual(links["nic0-1_0.port0>leaf*.port*"][1], 2)
        self.assertAlmostEqual(links["nic0-1_0.port0>leaf*.port*"][0] / (16 * MIB * 7 / 3), 4178 / 4096, delta=0.002)
        self.assertAlmostEqual(links["nic2_0.port0>leaf*.port*"][0] / (16 * MIB * 4 / 3), 4178 / 4096, delta=0.002)
        self.assertEqual(rows[0]["wire_bytes"], rows[1]["wire_bytes"])
        alone = row("cluster:3xdgx2", "ring_ring", "16MiB", "--ranks", "1,17,33")
        self.assertEqual(rows[1]["bound_GBps"], alone["bound_GBps"])  # as for the job alone
        self.assertGreater(rows[1]["time_ns"], 1.5 * alone["time_ns"])

    def test_jobs_on_other_servers_have_links_of_their_own(self):
        done = tributary(*self.scenario("cluster:5xh100", "0,8", "16,24,32"), "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        for found, ranks in zip(json.loads(done.stdout)["results"], ("0,8", "16,24,32")):
            alone = tributary(*options("cluster:5xh100", "ring_ring", "16MiB"), "--ranks", ranks, "--json", "-")
            one = json.loads(alone.stdout)["results"][0]
            self.assertEqual(found["time_ns"], one["time_ns"])
            links = {link["name"]: link["bytes"] for link in found["links"]}
            self.assertEqual({name: links[name] for name in (link["name"] for link in one["links"])},
                             {link["name"]: link["bytes"] for link in one["links"]})

    def test_groups_of_unlike_racks_are_no_class(self):
        racks = ["--set", "cluster.fabric=leaf_spine", "--set", "cluster.racks=2"]
        # Servers 0 and 1 are in rack 0, servers 1 and 2 in both racks.
        done = tributary(*self.scenario("cluster:4xh100", "0,8", "9,17"), *racks, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        for found, ranks in zip(json.loads(done.stdout)["results"], ("0,8", "9,17")):
            alone = tributary(*options("cluster:4xh100", "ring_ring", "16MiB"), "--ranks", ranks, *racks, "--json", "-")
            self.assertEqual(found["time_ns"], json.loads(alone.stdout)["results"][0]["time_ns"])
        self.assertEqual({link["name"] for link in found["links"] if "spine" in link["name"]},
                         {"leaf*.port*>spine*.port*", "spine*.port*>leaf*.port*"})

    def test_a_root_begins_a_broadcast(self):
        run = [*options("cluster:4xh100", "ring_ring", "16MiB"), "--collective", "broadcast"]
        for root, first, last in ((0, 0, 3), (19, 2, 1)):
            done = tributary(*run, "--root", str(root), "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            links = {link["name"]: link["bytes"] for link in json.loads(done.stdout)["results"][0]["links"]}
            self.assertEqual(links[f"leaf*.port*>nic{first}_*.port0"], 0)
            self.assertEqual(links[f"nic{last}_*.port0>leaf*.port*"], 0)


class Refused(Refusals):
    def test_algorithms_and_ranks(self):
        self.refused(options("cluster:2xa100", "pull_ring", "1MiB"), "the switches of a100 do not add", "cluster.adds=yes")
        self.refused([*options("cluster:2xh100", "pull_ring", "1MiB"), "--ranks", "0,1,8,10"], "equal GPUs of servers")

    def test_names(self):
        self.refused(options("cluster:0xh100", "pull_ring", "1MiB"), "cluster:NxSERVER")
        self.refused(options("cluster:2xdgx1v", "ring_ring", "1MiB"), "no server 'dgx1v' in clusters")

    def test_packets(self):
        packets = ["run", "--size", "1MiB", "--mode", "windowed", "--platform"]
        self.refused([*packets, "cluster:2xh100", "--collective", "alltoall", "--set", "cluster.pxn=false"],
                     "nothing joins the rails", "cluster.pxn=true")
        self.refused([*packets, "cluster:33xh100", "--collective", "allgather"], "packets of more than 32 servers", "or --mode fluid)")
        self.refused(["run", "--size", "1MiB", "--mode", "windowed", "--platform", "cluster:9xdgx2", "--set", "cluster.fabric=switch"], "needs 72 ports")

    def test_parameters_without_effect(self):
        base = options("cluster:2xh100", "pull_ring", "1MiB")
        self.refused([*base, "--set", "nvswitch.link.replay_buffer=1MiB"],
                     "nvswitch.link.replay_buffer is set, on which flows of cluster:2xh100 do not depend", "nvswitch.link.latency")
        wide = ["--set", "cluster.oversubscription=2"]
        self.refused([*base, *wide], "cluster.oversubscription is for spines", "cluster.fabric=leaf_spine")
        self.refused([*base, *wide, "--set", "cluster.fabric=rail_leaf_spine"], "no frame crosses spines of rails", "cluster.pxn=false")
        packets = ["run", "--platform", "cluster:2xh100", "--size", "1MiB", "--mode", "windowed", "--set"]
        for parameter, legal in (("netreduce.link.rate=10Gb/s", "legal: cluster.nic_rate"), ("netreduce.nic.mtu=2KiB", "legal: cluster.mtu")):
            self.refused([*packets, parameter], "on which packets of cluster:2xh100 do not depend", legal)
        self.refused([*packets, "cluster.oversubscription=2"], "cluster.oversubscription is for spines")

    def test_files_with_unlike_devices(self):
        xml = (SOURCE / "testbench/workload/data/topologies/h100.xml").read_text(encoding="utf-8")
        link = re.search(r" *<nvlink [^>]*>\n", xml).group(0)
        self.refused(options("cluster:2xfile:" + self.file("unlike.xml", xml.replace(link, "", 1)), "pull_ring", "1MiB"),
                     "NVLinks to NVSwitches", "equally many for all GPUs")

    def test_uneven_nics_name_their_cause_and_remedy(self):
        xml = (SOURCE / "testbench/test/system/topologies/rail_nics.xml").read_text(encoding="utf-8")
        for name, rate in (("mlx5_1", 10000), ("mlx5_2", 25000), ("mlx5_4", 40000), ("mlx5_6", 50000), ("mlx5_8", 56000)):
            xml = re.sub(rf'(name="{name}" dev="[0-9]+" speed=)"200000"', rf'\1"{rate}"', xml)
        platform = "cluster:2xfile:" + self.file("slow.xml", xml)  # three NICs of 200 Gb/s remain for four GPUs
        self.refused(options(platform, "ring_ring", "1MiB"), "of a server, but nic", "unused NICs of other rates: 6", "cluster.nics=4")
        self.assertEqual(tributary(*options(platform, "ring_ring", "1MiB"), "--set", "cluster.nics=4").returncode, 0)

    def test_algorithms_of_one_server_need_packets(self):
        self.refused(options("cluster:2xh100", "push", "1MiB"), "no algorithm 'push' of allreduce", "legal: pull_ring, pull_tree")

    def test_remedies_work(self):
        h100 = "cluster:2xfile:" + str(SOURCE / "testbench/workload/data/topologies/h100.xml")
        self.refused(options(h100, "pull_ring", "1MiB"), "the server has no NIC", "legal: --set cluster.nics=8")
        found = row(h100, "pull_ring", "1MiB", "--set", "cluster.nics=8", "--set", "cluster.nic_rate=400Gb/s")
        self.assertEqual(found["time_ns"], row("cluster:2xh100", "pull_ring", "1MiB")["time_ns"])
        default = ["run", "--size", "1MiB", "--mode", "fluid", "--platform"]
        for platform, adds, algorithm in (("cluster:2xa100", "yes", "pull_ring"), ("cluster:2xh100", "no", "ring_ring")):
            done = tributary(*default, platform, "--set", f"cluster.adds={adds}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"allreduce {algorithm}", done.stdout)

    def test_merged_acks(self):
        base = options("cluster:2xh100", "pull_ring", "1MiB")
        self.refused([*base, "--set", "nvswitch.acks=merged"], "legal: nvswitch.acks=separate or none")
        self.assertEqual(tributary(*base, "--set", "nvswitch.acks=none").returncode, 0)

    def test_memory(self):
        little = ["--set", "cluster.flows_memory=1MiB"]
        self.refused([*options("cluster:64xh100", "pull_ring", "1GiB"), *little], "(legal: a larger cluster.chunk, or a larger cluster.flows_memory)")
        # A flat ring moves its message as a whole, so chunks do not matter.
        self.refused([*options("cluster:64xh100", "ring", "1MiB"), *little], "(legal: a larger cluster.flows_memory)")


class Packets(unittest.TestCase):
    def bottleneck(self, *settings):
        done = tributary("run", "--platform", "cluster:2xh100", "--algorithm", "pull_ring", "--size", "1MiB", "--mode", "windowed",
                         "--no-data", "--quiet", *settings, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["results"][0]["bottleneck"]

    def test_a_saturated_nic_is_named(self):
        found = self.bottleneck("--set", "cluster.nic_rate=10Gb/s")
        self.assertEqual(found["parameters"], ["cluster.nic_rate"])

    def test_the_busiest_link_of_each_kind_is_seen(self):
        modules = [seen["module"] for seen in self.bottleneck()["seen"]]
        self.assertTrue(any(m.startswith("server") and ">gpu" in m for m in modules), modules)
        self.assertTrue(any(m.startswith("nic") and ">rail" in m for m in modules), modules)
        self.assertTrue(any(m.startswith("nic") and ">gpu" in m for m in modules), modules)


if __name__ == "__main__":
    run_tests()
