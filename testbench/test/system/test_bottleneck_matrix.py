"""The claims about bottlenecks of every algorithm of an all-reduce on every kind of platform, at defaults (docs/bottleneck.md).

usage: test_bottleneck_matrix.py TRIBUTARY SOURCE_DIRECTORY test|score [PLATFORM...]
test: no claim is wrong, and no more runs are unnamed than when the number was last measured; score: prints the claims of the platforms.
"""
import concurrent.futures
import os
import pathlib
import sys
import unittest

from bottleneck_judge import Refused, judge, run
from executable import run_tests, tributary

KIND, PLATFORMS = sys.argv[3], sys.argv[4:]
del sys.argv[3:]
MATRIX = pathlib.Path(__file__).with_name("bottleneck_matrix.txt")
MOST_UNNAMED = 21  # never raised


def algorithms(platform):
    """Returns the algorithms that the platform runs; those that it refuses follow an empty line."""
    runs = tributary("list", "algorithms", "--platform", platform).stdout.split("\n\n")[0]
    return [line.split()[1] for line in runs.splitlines() if line.split()[0] == "allreduce"]


def set_ups(platforms=()):
    for line in MATRIX.read_text().splitlines():
        if line.startswith("#") or platforms and line.split()[0] not in platforms:
            continue
        platform, *sizes = line.split()
        for algorithm in algorithms(platform):
            for size in sizes:
                yield f"--platform {platform} --algorithm {algorithm} --size {size.rstrip('*')}", not size.endswith("*")


def claim(set_up):
    """Returns the arguments, the claim (`refused` for a run that does not start or end), the bottleneck and reasons why it is wrong."""
    arguments, judged = set_up
    try:
        bottleneck, wrong = judge(arguments) if judged else (run(arguments)[0]["bottleneck"], [])
    except Refused as refused:
        return arguments, "refused", None, [str(refused).splitlines()[-1]]
    return arguments, "false" if wrong else bottleneck["claim"], bottleneck, wrong


def claims(platforms=()):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(claim, list(set_ups(platforms)))


class Matrix(unittest.TestCase):
    def test_no_claim_is_wrong_and_few_runs_are_unnamed(self):
        unnamed = 0
        for arguments, kind, _, wrong in claims():
            with self.subTest(arguments):
                self.assertNotEqual(kind, "false", wrong)
            unnamed += kind == "unnamed"
        self.assertLessEqual(unnamed, MOST_UNNAMED)


def score():
    numbers = {}
    for arguments, kind, bottleneck, wrong in claims(PLATFORMS):
        numbers[kind] = numbers.get(kind, 0) + 1
        seen = [] if bottleneck is None else [
            f"{bottleneck['cause']} {bottleneck['share']:.3f} path {bottleneck['path_share']:.3f} {' + '.join(bottleneck['parameters'])} "
            f"{[(s['cause'], round(s['share'], 3)) for s in bottleneck['seen']]}"]
        print(f"{kind:9} {arguments}", *seen, *wrong, sep="\n          ", flush=True)
    print(", ".join(f"{kind} {number}" for kind, number in sorted(numbers.items())), f"of {sum(numbers.values())}")
    return numbers.get("false", 0)


if __name__ == "__main__":
    sys.exit(score()) if KIND == "score" else run_tests()
