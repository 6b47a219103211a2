"""Tests what scripts/reproduce is made of, all but the drawing: its sweeps are legal, and their results are read rightly.

usage: test_reproduction.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import contextlib
import importlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

TRIBUTARY = SOURCE = None
TWO_POINTS = "algorithm: pull\ngpus: [2, 16]\nsizes: 1KiB:4KiB:x4\n"


class Reproduction(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tools = importlib.import_module("reproduction.tools")

    def results(self):
        scenario = self.folder / "two.yaml"
        scenario.write_text(TWO_POINTS, encoding="utf-8")
        simulator = self.tools.Simulator(TRIBUTARY, self.folder / "out", 2)
        with contextlib.redirect_stdout(io.StringIO()):
            return simulator.sweep(scenario)

    def test_the_sweeps_of_both_forms_are_legal_and_the_same_figures(self):
        forms = [sorted((SOURCE / "scripts" / "reproduction" / "klenk" / form).glob("*.yaml")) for form in ("full", "quick")]
        self.assertEqual([s.name for s in forms[0]], [s.name for s in forms[1]])
        for scenario in forms[0] + forms[1]:
            listed = subprocess.run([TRIBUTARY, "sweep", scenario, "--list"], capture_output=True, text=True, check=False)
            self.assertEqual((listed.returncode, listed.stderr), (0, ""))

    def test_rows_are_selected_by_column(self):
        results = self.results()
        row = results.one(gpus="16", size_bytes=4096)
        self.assertEqual((row["algorithm"], row.number("wrong"), row.number("nowhere")), ("pull", 0, 0))
        self.assertEqual(len(results.select(size_bytes=["1024", "4096"])), 4)
        self.assertEqual(results.select(gpus="4"), [])
        with self.assertRaisesRegex(self.tools.Failure, "no column gpu.waves"):
            results.select(gpu__waves="1")
        with self.assertRaisesRegex(self.tools.Failure, "2 rows, where one is expected"):
            results.one(gpus="16")

    def test_links_and_cost_belong_to_the_run_of_the_row(self):
        results = self.results()
        row = results.one(gpus="16", size_bytes="4096")
        self.assertEqual(sum(b for _, b, _ in results.links(row)), row.number("wire_bytes"))
        self.assertAlmostEqual(results.cost(row)["eq1_pull_bytes_per_port"], 1421.3, delta=0.1)

    def test_another_simulator_starts_over(self):
        out = self.folder / "out"
        self.results()
        for mark, kept in ((None, True), ("another", False)):
            if mark:
                (out / "simulator.sha256").write_text(mark)
            self.tools.Simulator(TRIBUTARY, out, 1)
            self.assertEqual((out / "sweeps" / "two" / "results.csv").exists(), kept)

    def test_a_sweep_that_fails_is_told(self):
        scenario = self.folder / "bad.yaml"
        scenario.write_text("size: 2B\n", encoding="utf-8")
        simulator = self.tools.Simulator(TRIBUTARY, self.folder / "out", 1)
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaisesRegex(self.tools.Failure, "exit code 2"):
            simulator.sweep(scenario)

    def test_sizes(self):
        self.assertEqual([self.tools.parse_size(t) for t in ("128B", "8KiB", "4MiB")], [128, 8192, 4 << 20])
        self.assertEqual([self.tools.show_size(n) for n in (128, "8192", 1000, 4 << 20)], ["128 B", "8 KiB", "1000 B", "4 MiB"])


if __name__ == "__main__":
    TRIBUTARY, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    sys.path.insert(0, str(SOURCE / "scripts"))
    sys.dont_write_bytecode = True
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
