"""Runs the real executable with results in the forms of nccl-tests.

usage: test_nccl_tests.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]

Where NCCL_TESTS names a clone of NVIDIA/nccl-tests, its own script reads the JSON.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

from executable import run_tests, tributary
from refusals import Refusals

SMALL = ["--platform", "torus:2x2", "--quiet"]


class NcclTests(Refusals):
    def files(self, *arguments, small=tuple(SMALL)):
        folder = Path(self.folder.name)
        done = tributary("run", *small, *arguments, "--nccl-text", str(folder / "t"), "--nccl-json", str(folder / "j"), "--json",
                         str(folder / "own"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return ((folder / "t").read_text(encoding="utf-8"), json.loads((folder / "j").read_text(encoding="utf-8")),
                json.loads((folder / "own").read_text(encoding="utf-8")))

    def test_table_and_json_agree_with_our_own_output(self):
        text, document, own = self.files("--sizes", "128B:2KiB:x4", "--dtype", "bf16", "--op", "max")
        rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
        self.assertEqual([row[:5] for row in rows],
                         [[str(size), str(size // 2), "bfloat16", "max", "-1"] for size in (128, 512, 2048)])
        self.assertIn("# nThread 1 nGpus 4 minBytes 128 maxBytes 2048 step: 4(factor)", text)
        self.assertEqual(document["config"]["step_factor"], 4)
        for row, record, ours in zip(rows, document["results"], own["results"]):
            self.assertEqual(len(row), 9)  # out of place is blank
            self.assertEqual(row[8], "0")
            self.assertAlmostEqual(float(row[5]), ours["time_ns"] / 1e3, delta=0.00501)
            self.assertAlmostEqual(float(row[7]), ours["busbw_GBps"], delta=0.00501)
            self.assertAlmostEqual(record["in_place"]["bus_bw"], ours["busbw_GBps"], delta=1e-6)
        mean = sum(r["busbw_GBps"] for r in own["results"]) / 3
        self.assertAlmostEqual(document["average_bus_bandwidth"]["bandwidth"], mean, delta=1e-6)
        self.assertIn(f"# Avg bus bandwidth    : {mean:g} \n", text)

    def test_a_run_without_data_is_not_validated(self):
        text, document, _ = self.files("--collective", "allgather", "--size", "4KiB", "--no-data")
        self.assertIn("# Collective test starting: all_gather_perf\n", text)
        self.assertIn("validation: 0", text)
        row = next(line for line in text.splitlines() if not line.startswith("#"))
        self.assertRegex(row, r"[0-9]    N/A$")  # 4 blanks: nccl-tests prints it one narrower than numbers
        self.assertEqual(row.split()[3], "none")
        self.assertIsNone(document["results"][0]["in_place"]["nwrong"])

    def test_elements_are_counted_per_part_if_each_rank_has_one(self):
        """paramcount of nccl-tests: for all-gather, reduce-scatter, all-to-all and gather the message divided by the ranks."""
        for collective, elements, factor in (("allgather", 256, 3 / 4), ("reduce_scatter", 256, 3 / 4), ("alltoall", 256, 3 / 4),
                                             ("gather", 256, 3 / 4), ("allreduce", 1024, 6 / 4), ("broadcast", 1024, 1), ("reduce", 1024, 1)):
            with self.subTest(collective=collective):
                text, document, own = self.files("--platform", "dgx2", "--gpus", "4", "--collective", collective, "--size", "4KiB", "--no-data",
                                                 small=["--quiet"])
                row = next(line for line in text.splitlines() if not line.startswith("#")).split()
                self.assertEqual(row[:2], ["4096", str(elements)])
                self.assertEqual((document["results"][0]["size"], document["results"][0]["count"]), (4096, elements))
                self.assertEqual(own["results"][0]["count"], 1024)
                measured = document["results"][0]["in_place"]
                self.assertAlmostEqual(measured["bus_bw"], measured["alg_bw"] * factor, delta=2e-6)

    def test_output_is_reproducible(self):
        first = self.files("--size", "1KiB")
        self.assertEqual(first[:2], self.files("--size", "1KiB")[:2])

    def test_the_table_can_replace_standard_output(self):
        done = tributary("run", *SMALL, "--size", "1KiB", "--nccl-text", "-")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith("# nccl-tests version"))
        self.assertIn("# tributary", done.stderr)

    def test_bad_options_are_refused(self):
        self.refused(["run", "--collective", "barrier", "--nccl-text", "-"], "--nccl-text", "does not measure a barrier")
        self.refused(["run", "--size", "1KiB", "--nccl-json", "/nowhere/x"], "--nccl-json", "/nowhere/x")
        self.refused(["run", "--size", "1KiB", "--nccl-json", "-", "--json", "-"], "--nccl-json", "is also the file of")

    def test_the_script_of_nccl_tests_reads_the_json(self):
        script = Path(os.environ.get("NCCL_TESTS", "/nonexistent"), "tools/analyze_perf_json.py")
        if not script.exists():
            self.skipTest("NCCL_TESTS names no clone of nccl-tests")
        self.files("--sizes", "128B:2KiB:x4")
        done = subprocess.run([sys.executable, str(script), str(Path(self.folder.name, "j")), "--in-place", "--all"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    run_tests()
