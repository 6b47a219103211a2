"""Operations that meet, measured in pairs (--fidelity pairs), against the whole step by packets (--fidelity full).

usage: test_fidelity_pairs.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import pathlib
import tempfile
import unittest

from executable import run_tests, tributary

STEP = ["train", "--quiet", "--dtype", "f16", "--compute", "roofline", "--model", "gpt2", "--batch", "128", "--parallel", "tensor=4"]
ALGORITHMS = ["pull", "push", "ring"]


class Pairs(unittest.TestCase):
    def step(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            result = pathlib.Path(folder) / "step.json"
            done = tributary(*STEP, *options, "--json", str(result))
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(result.read_text(encoding="utf-8"))

    def compare(self, algorithms, *machine):
        """Pairs are within 5 % of the whole step, and rank two algorithms as it does, or not at all."""
        by_pairs, full = ({algorithm: self.step(*machine, "--algorithm", algorithm, "--fidelity", fidelity) for algorithm in algorithms}
                          for fidelity in ("pairs", "full"))
        for algorithm in algorithms:
            with self.subTest(algorithm=algorithm):
                self.assertAlmostEqual(by_pairs[algorithm]["period_ns"] / full[algorithm]["period_ns"], 1, delta=0.05)
        for a in algorithms:
            for b in algorithms:
                low, high = by_pairs[a]["fidelity"].get("spread_ns", [by_pairs[a]["period_ns"]] * 2), by_pairs[b]["fidelity"].get("spread_ns", [by_pairs[b]["period_ns"]] * 2)
                if low[1] < high[0]:
                    self.assertLess(full[a]["period_ns"], full[b]["period_ns"], (a, b))
        return by_pairs

    def test_operations_of_one_queue_do_not_meet(self):
        for platform in ("dgx2", "h100"):
            for result in self.compare(ALGORITHMS, "--platform", platform, "--gpus", "4").values():
                self.assertNotIn("pairs", result["fidelity"])

    def test_two_queues_of_a_dgx2(self):
        for result in self.compare(ALGORITHMS, "--platform", "dgx2").values():
            pairs = result["fidelity"]["pairs"]
            self.assertEqual(pairs["measured"], pairs["met"])
            low, high = result["fidelity"]["spread_ns"]
            self.assertLessEqual(low, result["period_ns"] * 0.9501)
            self.assertGreaterEqual(high, result["period_ns"] * 1.0499)

    def test_two_queues_of_an_h100(self):
        # Switches of an h100 do not execute groups of four and of two ranks in one step, so full has no pull and no push.
        self.compare(["ring"], "--platform", "h100")


if __name__ == "__main__":
    run_tests()
