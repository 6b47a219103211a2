"""Runs that end amid traffic: both modes report the same state, with every observer (docs/timing.md#wake-order).

usage: test_cut_off_runs.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import collections
import json
import re
import tempfile
import unittest

from executable import run_tests, tributary

# A packet in flight into a device: in the inbox, or in the input, pipeline or NIC that it enters.
COMING = re.compile(r"  (\w+\.\w+)\.(?:inbox|(?:router\.)?port\d+(?:\.input)?(?:\.vc\d+)?|pipelines?|nic\.\d+ frames|worker|server)\b")
COUNT = re.compile(r"(\d+) (?:packets|frames|results)\b(?! unacknowledged| queued)")
HELD = re.compile(r"(?:, )?vc\d+: 0 packets queued, \d+ of \d+ credits held|, \d+ of \d+ credits held")


def told(report):
    """Packets in flight into each device, and the lines that name none; without held credits."""
    coming, rest = collections.Counter(), []
    for line in report.splitlines()[1:]:
        if (device := COMING.match(line)) and (count := COUNT.search(line)):
            coming[device[1]] += int(count[1])
        elif (line := HELD.sub("", line).rstrip(" :")) and not line.endswith((".output", ".link")):
            rest.append(line)
    return coming, rest


class CutOffRuns(unittest.TestCase):
    def run_until(self, limit, engine, arguments):
        done = tributary("run", *arguments, "--mode", engine, "--time-limit", limit, "--json", "-", "--quiet")
        self.assertEqual(done.returncode, 3, done.stderr)
        row = json.loads(done.stdout)["results"][0]
        self.assertEqual(row["status"], "time_limit")
        report = row.pop("report")
        self.assertIn("simulated for ", report)
        return row, report

    def check(self, platform, algorithm, endpoints, *settings):
        arguments = ["--platform", platform, "--algorithm", algorithm, "--gpus", str(endpoints), "--size", "4MiB", "--no-data", *settings]
        amid = 0
        for limit in ("3us", "9.876543us", "30.000001us"):  # the last two are on no grid
            with self.subTest(platform=platform, algorithm=algorithm, limit=limit):
                (windowed, windowed_report), (event, event_report) = (self.run_until(limit, e, arguments) for e in ("windowed", "event"))
                self.assertEqual(windowed, event)
                (coming, rest), (coming_by_event, rest_by_event) = told(windowed_report), told(event_report)
                self.assertEqual(coming, coming_by_event)
                self.assertEqual(rest, rest_by_event)
                amid += sum(coming.values())
        self.assertGreater(amid, 0)

    def test_both_modes_agree_on_hosts_on_ethernet(self):
        for algorithm, hosts in (("netreduce", 4), ("ring", 4), ("parameter_server", 3)):
            self.check("rack:4", algorithm, hosts)
        self.check("rack:4", "netreduce", 4, "--set", "netreduce.link.loss_rate=0.01")
        self.check("spine_leaf:2x2", "netreduce", 4, "--set", "netreduce.switch.pfc.on=true", "--background", "incast:0.3@1")
        self.check("spine_leaf:2x2x2", "parallel_netreduce", 8)

    def test_both_modes_agree_on_programmable_switches(self):
        for algorithm in ("switchml", "switchml_rdma", "atp"):
            self.check("tofino:4", algorithm, 4)

    def test_both_modes_agree_on_gpus_and_networks_of_nics(self):
        for algorithm in ("push", "pull"):
            self.check("dgx2", algorithm, 16)
        for algorithm in ("multitree", "ring"):
            self.check("torus:4x4", algorithm, 16)

    def check_observers(self, status, *arguments, observers=("--vcd", "--html")):
        rows = {}
        for mode in ("windowed", "event"):
            for observer in (None, *observers):
                with tempfile.TemporaryDirectory() as folder:
                    watched = [observer, "file"] if observer else []
                    done = tributary("run", *arguments, "--no-data", "--mode", mode, *watched, "--json", "-", "--quiet", cwd=folder)
                self.assertEqual(done.returncode, 3, done.stderr)
                row = json.loads(done.stdout)["results"][0]
                self.assertEqual(row["status"], status)
                row["report"] = row["report"].split(":\n")[0]  # the cause
                rows[mode, observer] = row
        for run, row in rows.items():
            with self.subTest(arguments=arguments, run=run):
                self.assertEqual(row, rows["windowed", None])

    def test_observers_do_not_move_the_end_of_a_run_that_gives_up(self):
        rack = ("--platform", "rack:4", "--set", "netreduce.nic.retry_count=1")
        self.check_observers("gave_up", *rack, "--algorithm", "netreduce", "--size", "256KiB", "--set", "netreduce.link.loss_rate=0.1",
                             "--set", "netreduce.nic.rto=10us", "--background", "incast:0.2@1", observers=("--pcap", "--html"))
        self.check_observers("gave_up", *rack, "--algorithm", "ring", "--size", "64KiB", "--set", "netreduce.link.loss_rate=0.3",
                             "--set", "netreduce.nic.rto=5us", observers=("--vcd", "--pcap"))

    def test_observers_do_not_move_the_end_of_a_run_without_progress(self):
        self.check_observers("dead_link", "--size", "64KiB", "--fault", "down:gpu0.port0>switch0_0.port0@100ns", "--background", "uniform:0.2",
                             "--set", "watchdog.window=30us", observers=("--vcd",))

    def test_observers_do_not_move_a_time_limit(self):
        for limit in ("9.876543us", "30us"):
            self.check_observers("time_limit", "--platform", "rack:4", "--algorithm", "netreduce", "--size", "256KiB", "--time-limit", limit,
                                 observers=("--pcap",))


if __name__ == "__main__":
    run_tests()
