"""The claims of runs about their bottlenecks (docs/bottleneck.md): each set-up of bottleneck_cases.txt runs again with other parameters.

usage: test_bottleneck_claims.py TRIBUTARY SOURCE_DIRECTORY quick|long|score
quick, long: tests the set-ups of that kind; score: prints the table of all set-ups.
"""
import pathlib
import sys
import unittest

from bottleneck_judge import improved, judge, others, roles, scaled
from executable import run_tests

KIND = sys.argv.pop(3)
CASES = pathlib.Path(__file__).with_name("bottleneck_cases.txt")


def cases(kind):
    lines = [line.split(maxsplit=1) for line in CASES.read_text().splitlines() if line and not line.startswith("#")]
    return [arguments for of, arguments in lines if kind in (of, "score")]


class Claims(unittest.TestCase):
    def test_no_claim_is_wrong(self):
        for arguments in cases(KIND):
            with self.subTest(arguments):
                bottleneck, wrong = judge(arguments)
                self.assertEqual(wrong, [], bottleneck["parameters"])

    def test_the_finding_has_sixty_four_set_ups(self):
        self.assertEqual((len(cases("quick") + cases("long")), len(set(cases("score")))), (64, 64))


class Steps(unittest.TestCase):
    def test_roles_decide_which_parameters_are_tried_and_what_is_better(self):
        self.assertEqual([roles()[name] for name in ("blink.chunk", "blink.nvlink.rate", "netreduce.spines", "compute.clock")],
                         ["shape", "rate", "structure", "cycle"])
        parameters = {name: {"value": value, "unit": unit} for name, value, unit in (
            ("blink.chunk", 1024, "B"), ("blink.nvlink.rate", 8, "B/s"), ("netreduce.spines", 2, ""), ("blink.copy.launch", 10, "ps"))}
        self.assertEqual(sorted(s for group in others(parameters, ["blink.copy.launch"]).values() for s in group),
                         ["blink.nvlink.rate=16B/s", "blink.nvlink.rate=4B/s"])
        self.assertEqual([improved(name, parameters[name], 2) for name in parameters],
                         ["blink.chunk=512B", "blink.nvlink.rate=16B/s", "netreduce.spines=4", "blink.copy.launch=5ps"])

    def test_integers_move_away_from_the_present_value(self):
        self.assertEqual(scaled("a", {"value": 1, "unit": ""}, 1.2), "a=2")
        self.assertEqual(scaled("a", {"value": 3, "unit": ""}, 0.5), "a=1")
        self.assertEqual(scaled("a", {"value": 256, "unit": "B"}, 1.2), "a=384B")
        self.assertIsNone(scaled("a", {"value": 1, "unit": ""}, 0.5))
        self.assertIsNone(scaled("a", {"value": 0, "unit": "ps"}, 2))
        self.assertIsNone(scaled("a", {"value": "ring", "unit": ""}, 2))


def score():
    claims, false = {}, []
    for arguments in cases("score"):
        bottleneck, wrong = judge(arguments)
        claim = "false" if wrong else bottleneck["claim"]
        claims[claim] = claims.get(claim, 0) + 1
        print(f"{claim:9} {arguments}\n          {bottleneck['cause']} {bottleneck['share']:.3f} path {bottleneck['path_share']:.3f} "
              f"{' + '.join(bottleneck['parameters'])} {[(s['cause'], round(s['share'], 3)) for s in bottleneck['seen']]}", *wrong, sep="\n          ", flush=True)
        false += [arguments] if wrong else []
    print(", ".join(f"{name} {number}" for name, number in sorted(claims.items())))
    return len(false)


if __name__ == "__main__":
    sys.exit(score()) if KIND == "score" else run_tests()
