"""Tests the criteria of scripts/reproduce scale (iterations by algorithm, ranges in which an algorithm pays, the equations) and its runs.

usage: test_scale_claims.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import importlib
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

from executable import SOURCE, TRIBUTARY, run_tests

sys.path.insert(0, str(SOURCE / "scripts"))

RING, TREE = "ring, each at its pace", "parallel_tree"


def module(name):
    return importlib.import_module("reproduction.scale." + name)


def iterations(times):
    """8 us of compute, 2 us of an optimizer, one message. times: algorithm -> us on 8, 16, 32 ... GPUs."""
    step = importlib.import_module("reproduction.training.steps").Step({
        "iterations": [{"time_ns": 0, "compute_ns": 8e3, "optimizer_ns": 2e3}], "transfers": [],
        "operations": [{"ready_ns": 8e3, "size_bytes": 100}]})
    count = len(next(iter(times.values())))
    return module("iterations").Iterations(step, {(8 << k, 100): {method: row[k] for method, row in times.items()} for k in range(count)})


class Iterations(unittest.TestCase):
    def test_time_and_share_are_computed(self):
        found = iterations({RING: [10, 30]})
        self.assertEqual((found.time(RING, 8), found.time(RING, 16)), (20, 40))
        self.assertEqual((found.share(RING, 8), found.share(RING, 16)), (0.5, 0.75))

    def test_an_algorithm_pays_in_ranges(self):
        found = iterations({RING: [10, 30, 30, 50, 99], TREE: [10, 20, 29, 51, 60]})
        self.assertEqual(found.pays(TREE), [[16, 32], [128, 128]])
        self.assertEqual(found.pays(RING), [])

    def test_doublings_end_where_an_iteration_is_longer(self):
        self.assertEqual(iterations({RING: [0, 10, 11, 12, 25, 60]}).doublings(RING), 64)
        self.assertEqual(iterations({RING: [0, 10, 30, 30, 31, 31]}).doublings(RING), 256)  # with a step up in between
        self.assertEqual(iterations({RING: [0, 10, 30, 90]}).doublings(RING), 16)

    def test_equations_hold_at_the_points_of_the_text(self):
        ms = {name: 1e3 * seconds for name, seconds in module("figure_7").equations(32, 100, 150).items()}
        for name, paper in (("ring, steps together", 15.562), ("tencent", 14.355), ("parallel_netreduce", 9.182)):
            self.assertAlmostEqual(ms[name], paper, 3)

    def test_tables_name_every_algorithm(self):
        figures = module("figures")
        names = module("iterations").METHODS
        found = iterations({method: [20_000] * 15 for method in names})
        lines = figures.table(found).splitlines()
        self.assertEqual(len(lines), 2 + len(names))
        self.assertIn("| 20.0, 100 % |", lines[2])


class Runs(unittest.TestCase):
    def test_131072_gpus_need_at_most_a_minute_and_8_gb_and_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            simulator = importlib.import_module("reproduction.tools").Simulator(TRIBUTARY, pathlib.Path(folder), 2)
            estimates = module("estimates").Estimates(simulator)
            [claim] = module("claims").reach({"estimates": estimates})
            self.assertEqual(claim.verdict, "consistent", claim.measured)
            with unittest.mock.patch.object(estimates, "run", side_effect=AssertionError("runs again")):
                self.assertEqual(list(module("claims").reach({"estimates": estimates})), [claim])
            self.assertGreater(estimates.cpu_seconds(), 0)

    def test_a_point_of_figure_7_needs_at_most_a_second(self):
        with tempfile.TemporaryDirectory() as folder:
            simulator = importlib.import_module("reproduction.tools").Simulator(TRIBUTARY, pathlib.Path(folder), 2)
            figure, estimates = module("figure_7"), module("estimates").Estimates(simulator)
            points = estimates.all({(2048, 100, 150): (256, 10**8, {"intra_rate": "150GB/s"})})
            self.assertLess(points[2048, 100, 150].cpu_s, 1)
            for name, seconds in figure.equations(2048, 100, 150).items():
                self.assertAlmostEqual(points[2048, 100, 150].seconds[name] / seconds, 1, 9)


run_tests()
