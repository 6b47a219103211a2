"""Runs that are slow, but not stuck: the default watchdog waits until they end.

usage: test_patience.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import unittest

from executable import SANITIZED, run_tests, tributary


def settings(parameters):
    return [word for parameter in parameters for word in ("--set", parameter)]


@unittest.skipIf(SANITIZED, "too slow")
class Patience(unittest.TestCase):
    """Slow runs end with the right sums under the default watchdog."""

    def check(self, *arguments):
        done = tributary("run", *arguments, "--json", "-", "--quiet")
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stderr}")
        row = json.loads(done.stdout)["results"][0]
        self.assertEqual((row["status"], row["wrong"]), ("done", 0))

    def test_losses_with_retries_without_limit(self):
        for platform in ("rack:2", "spine_leaf:2x2", "spine_leaf:4x4"):
            for loss in ("0.05", "0.2"):
                for rto in ("100us", "67ms"):
                    for seed in ("3", "7"):
                        self.check("--platform", platform, "--algorithm", "netreduce", "--size", "20KiB", "--seed", seed, *settings(
                            ["netreduce.flow_control.message_packets=4", "netreduce.nic.retry_count=0", f"netreduce.nic.rto={rto}",
                             f"netreduce.link.loss_rate={loss}"]))

    def test_acknowledgements_of_a_millisecond(self):
        for retries in ("0", "7"):
            for rto in ("100us", "10ms"):
                if (retries, rto) != ("7", "100us"):  # gives up rightly: the round trip is longer than eight timeouts
                    self.check("--platform", "spine_leaf:2x2", "--collective", "alltoall", "--algorithm", "direct", "--size", "36B", *settings(
                        ["netreduce.nic.ack_latency=1ms", f"netreduce.nic.retry_count={retries}", f"netreduce.nic.rto={rto}"]))

    def test_pause_frames_with_incast(self):
        for seed in ("1", "2"):
            self.check("--platform", "spine_leaf:2x4", "--algorithm", "netreduce", "--size", "64KiB", "--seed", seed, "--background", "incast:0.9@1",
                       *settings(["netreduce.switch.pfc.on=true", "netreduce.nic.retry_count=0", "netreduce.link.bit_error_rate=1e-7"]))

    def test_bit_errors_of_atp(self):
        self.check("--platform", "tofino:4", "--algorithm", "atp", "--size", "1KiB", "--set", "tofino.link.bit_error_rate=0.001")


if __name__ == "__main__":
    run_tests()
