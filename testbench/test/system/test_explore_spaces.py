"""Compares the grids on which searches are tested with runs of today: a push and NetReduce, 1052 points.

usage: test_explore_spaces.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import os
import pathlib
import tempfile
import unittest

from executable import SOURCE, run_tests, tributary

STORED = SOURCE / "testbench/test/explore"
VARIABLES = {"push": 4, "netreduce": 3}
TOLERANCE = 0.02  # for times; costs follow from variables alone


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Spaces(unittest.TestCase):
    def test_stored_grids_are_those_of_the_simulator(self):
        for name, count in VARIABLES.items():
            with self.subTest(space=name), tempfile.TemporaryDirectory() as folder:
                file = SOURCE / f"scripts/reproduction/explore/spaces/{name}.yaml"
                done = tributary("explore", str(file), "--out", folder, "--jobs", str(os.cpu_count()), "--quiet")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                stored = table(STORED / f"{name}_grid.csv")
                variables = list(stored[0])[:count]
                costs = list(stored[0])[count + 1:]
                rows = {tuple(row[v] for v in variables): row for row in table(pathlib.Path(folder, "points.csv"))}
                self.assertEqual(len(rows), len(stored))
                for wanted in stored:
                    row = rows[tuple(wanted[v] for v in variables)]
                    where = [wanted[v] for v in variables]
                    self.assertAlmostEqual(float(row["time_ns"]) / float(wanted["time_ns"]), 1, delta=TOLERANCE, msg=where)
                    self.assertEqual([row[cost] for cost in costs], [wanted[cost] for cost in costs], where)


if __name__ == "__main__":
    run_tests()
