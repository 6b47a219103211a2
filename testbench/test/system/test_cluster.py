"""Clusters of servers by flows (docs/systems/cluster.md): rows, links, refusals, time and memory.

usage: test_cluster.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import unittest

from executable import SANITIZED, run_tests, tributary
from refusals import Refusals

MIB = 1 << 20


def options(platform, algorithm, size):
    return ["run", "--platform", platform, "--algorithm", algorithm, "--size", size, "--mode", "fluid", "--no-data", "--quiet"]


def row(*arguments, used=None):
    done = tributary(*options(*arguments), "--json", "-", used=used)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["results"][0]


class Flows(unittest.TestCase):
    def test_methods_have_the_order_of_their_bounds(self):
        times = [row("cluster:8xh100", method, "64MiB")["time_ns"] for method in ("pull_netreduce", "pull_ring", "ring_ring")]
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
        for method in ("pull_netreduce", "pull_ring", "pull_tree", "ring_ring", "ring"):
            for servers, size, cpu_s, most in ((128, "256MiB", 1, 200e6), (2048, "1GiB", 10, 2e9)):
                used = {}
                row(f"cluster:{servers}xh100", method, size, used=used)
                self.assertLess(used["cpu_s"], cpu_s, method)
                self.assertLess(used["bytes"], most, method)

    def test_the_default_follows_the_switches(self):
        for platform, method in (("cluster:2xa100", "ring_ring"), ("cluster:2xh100", "pull_ring")):
            done = tributary("run", "--platform", platform, "--size", "1MiB", "--mode", "fluid")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(method, done.stdout)


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

    def test_jobs_that_share_a_nic_are_refused(self):
        self.refused(self.scenario("cluster:2xdgx2", "0,16", "1,17"), "jobs 0 and 1 share links of server 0")


class Refused(Refusals):
    def test_methods_and_ranks(self):
        self.refused(options("cluster:2xa100", "pull_ring", "1MiB"), "the switches of a100 do not add", "cluster.adds=yes")
        self.refused([*options("cluster:2xh100", "pull_ring", "1MiB"), "--ranks", "0,1,8,10"], "equal GPUs of servers")

    def test_names(self):
        self.refused(options("cluster:0xh100", "pull_ring", "1MiB"), "cluster:NxSERVER")
        self.refused(options("cluster:2xdgx1v", "ring_ring", "1MiB"), "no server 'dgx1v' in clusters")

    def test_packets(self):
        self.refused(["run", "--platform", "cluster:2xh100", "--size", "1MiB"], "has flows, and no packets", "--mode fluid")

    def test_parameters_of_other_families(self):
        self.refused([*options("cluster:2xh100", "pull_ring", "1MiB"), "--set", "nvswitch.link.rate=30GB/s"],
                     "nvswitch.link.rate is set, which cluster:2xh100 does not have", "nvswitch.link.latency", "cluster.*")

    def test_memory(self):
        self.refused([*options("cluster:64xh100", "ring", "1MiB"), "--set", "cluster.flows_memory=1MiB"], "cluster.flows_memory")


if __name__ == "__main__":
    run_tests()
