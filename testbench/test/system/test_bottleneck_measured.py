"""The bottleneck by reruns (docs/measured_bottleneck.md): `run --bottleneck measured` and `bottleneck`.

usage: test_bottleneck_measured.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

from executable import TRIBUTARY, run_tests, tributary

SMALL = ["--platform", "torus:2x2", "--size", "16KiB"]


def measured(*arguments):
    done = tributary("run", *arguments, "--bottleneck", "measured", "--quiet", "--json", "-", "--budget", "300s")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["bottleneck"]["measured"]


def names(moves):
    return {move["parameter"] for move in moves}


class Verdicts(unittest.TestCase):
    """Set-ups whose bottleneck is known by construction or by hand."""

    def test_links_of_a_torus_bind_with_their_buffers(self):
        found = measured("--platform", "torus:4x4", "--size", "1MiB")
        self.assertEqual(found["verdict"], "together")
        self.assertEqual(names(found["parameters"]), {"schedule_nic.link.rate", "schedule_nic.router.buffer_flits"})
        self.assertAlmostEqual(found["gain"], 0.488, delta=0.02)

    def test_links_of_switchml_over_rdma_bind_with_its_window(self):
        found = measured("--platform", "tofino:4", "--algorithm", "switchml_rdma", "--size", "4MiB")
        self.assertEqual(found["verdict"], "together")
        self.assertLessEqual({"tofino.link.rate", "tofino.switchml_rdma.window"}, names(found["parameters"]))
        self.assertAlmostEqual(found["gain"], 0.487, delta=0.03)

    def test_slow_adders_are_found_with_the_clock_as_the_same_resource(self):
        found = measured("--platform", "torus:2x2", "--size", "256KiB", "--set", "schedule_nic.nic.reduction.cycles=200000")
        self.assertIn(found["verdict"], ("single", "together"))
        resource = {"schedule_nic.nic.reduction.cycles", "schedule_nic.nic.clock", "schedule_nic.nic.reduction.units",
                    "schedule_nic.nic.reduction.width"}
        self.assertTrue(names(found["parameters"]) & resource)

    def test_a_faster_link_of_a_push_needs_tables_and_waves(self):
        found = measured("--platform", "dgx2", "--algorithm", "push", "--size", "256KiB")
        self.assertEqual(found["verdict"], "together")
        self.assertEqual(names(found["parameters"]), {"nvswitch.link.rate", "nvswitch.switch.reduction_table.bytes",
                                                      "nvswitch.gpu.dma.waves"})
        self.assertAlmostEqual(found["gain"], 0.383, delta=0.02)

    def test_a_value_of_the_user_is_compared_with_the_default(self):
        found = measured(*SMALL, "--set", "schedule_nic.link.latency=100us")
        self.assertEqual(names(found["parameters"]), {"schedule_nic.link.latency"})
        self.assertEqual(found["parameters"][0]["to"], "150ns")
        self.assertGreater(found["gain"], 0.9)


class Run(unittest.TestCase):
    def test_rows_and_times_are_those_of_a_plain_run(self):
        plain = tributary("run", *SMALL, "--quiet", "--json", "-")
        with_search = tributary("run", *SMALL, "--quiet", "--json", "-", "--bottleneck", "measured")
        self.assertEqual(json.loads(plain.stdout)["results"], json.loads(with_search.stdout)["results"])

    def test_gains_are_those_of_runs(self):
        found = measured(*SMALL)
        step = max(found["steps"], key=lambda step: step["gain"])
        done = tributary("run", *SMALL, "--no-data", "--quiet", "--json", "-", "--set", f"{step['parameter']}={step['to']}")
        self.assertEqual(json.loads(done.stdout)["results"][0]["time_ns"], step["time_ns"])
        self.assertAlmostEqual(step["gain"], 1 - step["time_ns"] / found["time_ns"])

    def test_the_estimate_precedes_the_search(self):
        done = tributary("run", *SMALL, "--bottleneck", "measured")
        self.assertRegex(done.stderr, r"measuring the bottleneck: about \d+ reruns, .* s with \d+ process")
        self.assertRegex(done.stdout, r"(?m)^# bottleneck, measured: ")

    def test_a_budget_ends_the_search_with_what_is_known(self):
        done = tributary("run", *SMALL, "--bottleneck", "measured", "--budget", "1ms", "--quiet", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)["bottleneck"]["measured"]
        self.assertGreater(found["missing"], 0)
        self.assertEqual(found["ended"], "the budget of 1ms ended")

    def test_ctrl_c_prints_what_is_known(self):
        process = subprocess.Popen([str(TRIBUTARY), "run", "--platform", "dgx2", "--algorithm", "push", "--size", "1MiB",
                                    "--bottleneck", "measured", "--jobs", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        lines = ""
        while "measuring the bottleneck" not in lines:
            line = process.stderr.readline()
            self.assertTrue(line, lines)
            lines += line
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3)
        self.assertRegex(out, r"(?m)^# bottleneck, measured: ")
        self.assertRegex(out, r"(?m)^#   not run: \d+ reruns, as Ctrl-C ended the search")

    def test_drawing_and_page_are_well_formed(self):
        with tempfile.TemporaryDirectory() as folder:
            svg, page = os.path.join(folder, "t.svg"), os.path.join(folder, "t.html")
            done = tributary("run", *SMALL, "--bottleneck", "measured", "--quiet", "--bottleneck-svg", svg, "--html", page)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("svg", xml.etree.ElementTree.parse(svg).getroot().tag)
            text = pathlib.Path(page).read_text(encoding="utf-8")
            xml.etree.ElementTree.fromstring(text)
            self.assertIn("Measured bottleneck", text)

    def test_reruns_write_no_output_of_the_run(self):
        run = ["run", "--platform", "rack:6", "--algorithm", "netreduce", "--size", "4KiB", "--quiet", "--record-block", "*.clt"]
        with tempfile.TemporaryDirectory() as folder:
            plain, searched = (pathlib.Path(folder, name) for name in ("plain", "searched"))
            for record, search in ((plain, ()), (searched, ("--bottleneck", "measured"))):
                done = tributary(*run, "--record", str(record), *search)
                self.assertEqual(done.returncode, 0, done.stderr)
            for file in ("requests.txt", "answers.txt", "transactions.jsonl"):
                self.assertEqual((searched / file).read_bytes(), (plain / file).read_bytes())

    def test_no_folder_of_reruns_remains(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([str(TRIBUTARY), "run", *SMALL, "--bottleneck", "measured", "--quiet"],
                                  env={**os.environ, "TMPDIR": folder}, capture_output=True, text=True)
            self.assertEqual((done.returncode, os.listdir(folder)), (0, []))

    def test_wrong_options_are_refused(self):
        for arguments, message in (
                (["--jobs", "2"], "--jobs requires --bottleneck measured"), (["--budget", "1s"], "--budget requires"),
                (["--bottleneck", "guess"], "legal: line or measured"),
                (["--bottleneck", "measured", "--budget", "1"], "--budget"),
                (["--bottleneck", "measured", "--jobs", "0"], "--jobs")):
            done = tributary("run", *SMALL, *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)

    def test_a_sweep_refuses_the_search(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "s.yaml")
            with open(file, "w", encoding="utf-8") as scenario:
                scenario.write("platform: torus:2x2\nsize: [16KiB, 32KiB]\nbottleneck: measured\n")
            done = tributary("sweep", file, "--list")
            self.assertEqual(done.returncode, 2)
            self.assertIn("tributary bottleneck FILE", done.stderr)


class SetUps(unittest.TestCase):
    def test_every_combination_has_a_finding_and_results_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            page = os.path.join(folder, "p.html")
            arguments = ["bottleneck", "--platform", "torus:2x2,mesh:2x2", "--algorithm", "ring", "--sizes", "4KiB,16KiB", "--out",
                         out, "--json", "-", "--html", page, "--quiet"]
            first = tributary(*arguments)
            self.assertEqual(first.returncode, 0, first.stderr)
            found = json.loads(first.stdout)["set_ups"]
            self.assertEqual([one["name"] for one in found],
                             [f"{p} ring {s}" for p in ("torus:2x2", "mesh:2x2") for s in ("4KiB", "16KiB")])
            xml.etree.ElementTree.fromstring(pathlib.Path(page).read_text(encoding="utf-8"))
            points = {name: os.stat(os.path.join(out, "points", name)).st_mtime_ns for name in os.listdir(os.path.join(out, "points"))}
            second = tributary(*arguments)
            self.assertEqual(second.stdout, first.stdout)
            self.assertEqual(points, {name: os.stat(os.path.join(out, "points", name)).st_mtime_ns
                                      for name in os.listdir(os.path.join(out, "points"))})

    def test_a_scenario_file_has_a_set_up_for_each_point(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "s.yaml")
            with open(file, "w", encoding="utf-8") as scenario:
                scenario.write("platform: torus:2x2\nalgorithm: ring\nsize: [4KiB, 16KiB]\n")
            done = tributary("bottleneck", file, "--json", "-", "--quiet")
            self.assertEqual([one["name"] for one in json.loads(done.stdout)["set_ups"]], ["size=4KiB", "size=16KiB"])

    def test_a_refused_set_up_has_its_reason(self):
        done = tributary("bottleneck", "--platform", "torus:2x2,dgx2", "--algorithm", "push", "--sizes", "4KiB", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^# bottleneck, measured: unknown: .*push")


if __name__ == "__main__":
    run_tests()
