"""The command energy, and energy in sweeps and trainings (docs/energy.md).

usage: test_energy_command.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as tree

from executable import SOURCE, TRIBUTARY, run_tests, tributary

MIB = 1 << 20


def read_json(file):
    return json.loads(pathlib.Path(file).read_text(encoding="utf-8"))


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.files = {}
        for algorithm in ("push", "ring"):
            self.files[algorithm] = os.path.join(self.folder.name, algorithm + ".json")
            done = tributary("run", "--algorithm", algorithm, "--size", "1MiB", "--no-data", "--json", self.files[algorithm])
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_same_as_the_run(self):
        stored = read_json(self.files["push"])
        text = tributary("energy", self.files["push"]).stdout
        whole = stored["results"][0]["energy"]["per_byte_pJ"]
        self.assertIn(f"{whole:.0f} (", text)
        self.assertIn("not included: optics", text)

    def test_another_price(self):
        def links(*more):
            text = tributary("energy", self.files["push"], *more).stdout
            return float(re.search(r"^links .* ([\d.]+)$", text, re.M)[1])
        self.assertAlmostEqual(links() * 0.12, links("--set", "energy.link.nvlink=1.2"), delta=0.1)

    def test_comparison(self):
        text = tributary("energy", self.files["push"], self.files["ring"]).stdout
        found = re.search(r"push.json / .*ring.json: ([\d.]+) \(([\d.]+) to ([\d.]+)\); marginal ([\d.]+)", text)
        self.assertTrue(found, text)
        self.assertAlmostEqual(float(found[1]), 0.38, delta=0.011)
        self.assertAlmostEqual(float(found[4]), 0.59, delta=0.011)
        self.assertNotIn("undecided", text)
        pull = os.path.join(self.folder.name, "pull.json")
        tributary("run", "--algorithm", "pull", "--size", "1MiB", "--no-data", "--json", pull)
        # with 12.5 W a switch both take the same: cheaper links decide for one, dear ones for the other
        self.assertIn("undecided", tributary("energy", self.files["push"], pull, "--set", "energy.nvswitch.standing=12.5").stdout)

    def older(self, file, counters):
        """Prices the result as a version wrote it that had no prices and lacked these counters. Returns what is printed."""
        document = read_json(file)
        for name in counters:
            document["results"][0]["counters"].pop(name)
        for path in [p for p in document["parameters"] if p.startswith(("energy.", "area.", "technology."))]:
            del document["parameters"][path]
        del document["results"][0]["energy"]
        document.pop("area", None)
        old = os.path.join(self.folder.name, "old.json")
        pathlib.Path(old).write_text(json.dumps(document), encoding="utf-8")
        done = tributary("energy", old)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_older_results(self):
        text = self.older(self.files["push"], ("switch.crossbar_bytes", "gpu.added_elements", "kernel.bytes_read", "kernel.bytes_written"))
        self.assertIn("counter switch.crossbar_bytes", text)
        self.assertIn("links 246  memory 62.7  switches 60.7", text)  # without crossings of copies
        for platform, counters in (("rack:4", ("host.memory_bytes", "accelerator.payload_reads", "accelerator.added_elements")),
                                   ("tofino:4", ("switch.passage_bytes", "worker.memory_bytes")), ("dgx1v", ("kernel.bytes_read",)),
                                   ("torus:4x4", ("router.buffer_bytes", "nic.added_elements"))):
            file = os.path.join(self.folder.name, "new.json")
            self.assertEqual(tributary("run", "--platform", platform, "--size", "64KiB", "--no-data", "--json", file).returncode, 0)
            whole = tributary("energy", file).stdout
            text = self.older(file, counters)
            for name in counters:
                self.assertIn("counter " + name, text, platform)
                self.assertNotIn("counter " + name, whole, platform)

    def test_drawing(self):
        drawing = os.path.join(self.folder.name, "energy.svg")
        done = tributary("energy", self.files["push"], self.files["ring"], "--svg", drawing)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = pathlib.Path(drawing).read_text(encoding="utf-8")
        tree.fromstring(text)
        for word in ("links", "memory", "hatched: standing", "1MiB push", "1MiB ring"):
            self.assertIn(word, text)

    def test_accelergy(self):
        folder = os.path.join(self.folder.name, "counts")
        done = tributary("energy", self.files["push"], "--accelergy", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = pathlib.Path(folder, "action_counts.yaml").read_text(encoding="utf-8")
        self.assertIn("version: 0.3", counts)
        table = counts[counts.index("system.switch.table[0..191]"):]
        writes = int(re.search(r"name: write\n\s+counts: (\d+)", table)[1])
        self.assertEqual(writes * 8, 128 * 16 * MIB // 128)  # an allocation or a merge for each operand
        architecture = pathlib.Path(folder, "architecture.yaml").read_text(encoding="utf-8")
        for name in re.findall(r"- name: system\.(\S+)", counts):
            self.assertIn(f"- name: {name}\n", architecture)
        self.assertIn("technology: 16nm", architecture)

    def test_an_output_is_no_input(self):
        before = pathlib.Path(self.files["push"]).read_bytes()
        done = tributary("energy", self.files["push"], "--svg", self.files["push"])
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("--svg", done.stderr)
        self.assertEqual(pathlib.Path(self.files["push"]).read_bytes(), before)

    def test_impossible_values(self):
        document = read_json(self.files["push"])
        file = os.path.join(self.folder.name, "x.json")
        for change in ({"platform": "tofino:4"}, {"algorithm": "x", "platform": "tofino:4"}, {"endpoints": "0-99999999999"}, {"platform": "nowhere"}, {"results": []}):
            pathlib.Path(file).write_text(json.dumps({**document, **change}), encoding="utf-8")
            done = tributary("energy", file)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), (change, done.stderr))

    def test_names_cannot_control_the_terminal(self):
        document = read_json(self.files["push"])
        document["results"][0]["label"] = "a\x1b[31mb"
        file = os.path.join(self.folder.name, "x.json")
        pathlib.Path(file).write_text(json.dumps(document), encoding="utf-8")
        self.assertNotIn("\x1b", tributary("energy", file).stdout)
        done = tributary("energy", file, "--svg", file + ".svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        tree.parse(file + ".svg")

    def test_bad_input(self):
        for arguments, words in ((["missing.json"], "cannot be read"), ([__file__], "holds no results"), ([self.files["push"], "--set", "nvswitch.link.rate=1GB/s"], "would change the run"),
                                 ([self.files["push"], "--set", "technology.node=5"], "7 to 45"), ([self.files["push"], "--set", "energy.link.nvlnk=5"], "energy.link.nvlink")):
            done = tributary("energy", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def sweep(self, text, *options):
        """Runs the sweep into the same folder as before. Returns the rows of its table, and what it prints."""
        file, out = os.path.join(self.folder.name, "sweep.yaml"), os.path.join(self.folder.name, "out")
        pathlib.Path(file).write_text(text, encoding="utf-8")
        done = tributary("sweep", file, "--out", out, "--quiet", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(out, "results.csv"), encoding="utf-8") as table:
            return list(csv.DictReader(table)), done.stdout

    def test_columns(self):
        text = "algorithm: [push, ring]\nsize: 64KiB\nno-data: true\n"
        rows, _ = self.sweep(text)
        self.assertFalse([name for name in rows[0] if name.startswith(("energy.", "area."))])
        rows, printed = self.sweep(text, "--energy")
        self.assertIn("2 finished before", printed)
        for row in rows:
            direct = json.loads(tributary("run", "--algorithm", row["algorithm"], "--size", "64KiB", "--no-data", "--json", "-").stdout)
            energy = direct["results"][0]["energy"]
            self.assertAlmostEqual(float(row["energy.per_byte_pJ"]) / energy["per_byte_pJ"], 1, places=9)
            self.assertAlmostEqual(float(row["energy.links_pJ"]) / (energy["parts"]["links"] * 1e12), 1, places=9)
            self.assertAlmostEqual(float(row["energy.marginal_pJ"]) + float(row["energy.standing_pJ"]), float(row["energy.total_pJ"]), delta=1)
            self.assertAlmostEqual(float(row["area.reduction_mm2"]), direct["area"]["reduction"], places=9)
            self.assertNotIn("energy.accelerator_pJ", row)
        self.assertEqual((rows[0]["energy.tables_pJ"] != "", rows[1]["energy.tables_pJ"]), (True, ""))

    def test_other_prices_do_not_run_again(self):
        text = "algorithm: push\nsize: 64KiB\nno-data: true\n"
        before, _ = self.sweep(text, "--energy")
        after, printed = self.sweep(text + "parameters:\n  energy.link.nvlink: 5\n", "--energy")
        self.assertIn("1 finished before", printed)
        self.assertAlmostEqual(float(after[0]["energy.links_pJ"]) * 2, float(before[0]["energy.links_pJ"]), delta=1)
        self.assertEqual(after[0]["time_ns"], before[0]["time_ns"])

    def test_an_axis_of_prices(self):
        rows, _ = self.sweep("algorithm: push\nsize: 64KiB\nno-data: true\nparameters:\n  energy.link.nvlink: [5, 10]\n", "--energy", "--jobs", "2")
        self.assertAlmostEqual(float(rows[0]["energy.links_pJ"]) * 2, float(rows[1]["energy.links_pJ"]), delta=1)

    def test_rows_without_energy(self):
        """Rows of several jobs have no energy; a table of a shard does not exist."""
        rows, _ = self.sweep("platform: tofino:4\nsize: [1KiB, 2KiB]\n", "--energy")
        self.assertGreater(float(rows[0]["energy.nics_pJ"]), 0)
        done = tributary("sweep", os.path.join(self.folder.name, "sweep.yaml"), "--out", os.path.join(self.folder.name, "x"), "--energy", "--index", "0")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("--energy requires the table of all points", done.stderr)

    def test_trainings(self):
        rows, _ = self.sweep("command: train\nmodel: scalesim-alphagozero\ngpus: [2, 4]\n", "--energy")
        for row in rows:
            self.assertGreater(float(row["energy.links_pJ"]), 0)
            self.assertAlmostEqual(float(row["energy.marginal_pJ"]) + float(row["energy.standing_pJ"]), float(row["energy.total_pJ"]), delta=1)


class Train(unittest.TestCase):
    STEP = ("--model", "scalesim-alphagozero", "--gpus", "4")

    def train(self, *more):
        done = tributary("train", *self.STEP, *more, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_screen(self):
        done = tributary("train", *self.STEP, "--energy")
        found = re.search(r"# energy of communication: ([\d.]+) \(([\d.]+) to ([\d.]+)\) (mJ|uJ) an iteration: ([\d.]+) marginal, ([\d.]+) standing \(12 switches of 50 W for", done.stdout)
        self.assertTrue(found, done.stdout)
        self.assertAlmostEqual(float(found[1]), float(found[5]) + float(found[6]), delta=1)
        self.assertNotIn("# energy", tributary("train", *self.STEP).stdout)

    def test_sum_of_transfers(self):
        """Each transfer has the energy of a run of its own, and switches draw power during the whole step."""
        document = self.train("--fidelity", "isolated")
        marginal, time = 0, 0
        for transfer in document["transfers"]:
            row = json.loads(tributary("run", "--algorithm", transfer["algorithm"], "--gpus", "4", "--size", f"{transfer['size_bytes']}B", "--no-data", "--json", "-").stdout)["results"][0]
            marginal += row["energy"]["marginal_J"] * transfer["operations"]
        iterations = document["iterations"]
        self.assertAlmostEqual(document["energy"]["marginal_J"] * len(iterations) / marginal, 1, places=2)
        time = iterations[-1]["begin_ns"] + iterations[-1]["time_ns"]
        self.assertAlmostEqual(document["energy"]["standing_J"] * len(iterations), 600 * time * 1e-9, delta=0.01 * 600 * time * 1e-9)
        self.assertIn("computation", document["energy"]["not_included"])

    def test_both_fidelities_move_as_much(self):
        isolated, full = self.train("--fidelity", "isolated")["energy"], self.train("--fidelity", "full")["energy"]
        self.assertAlmostEqual(isolated["parts"]["links"] / full["parts"]["links"], 1, delta=0.02)
        self.assertAlmostEqual(isolated["marginal_J"] / full["marginal_J"], 1, delta=0.05)

    def test_iterations_are_a_mean(self):
        one, three = self.train("--iterations", "1")["energy"], self.train("--iterations", "3")["energy"]
        self.assertAlmostEqual(one["marginal_J"] / three["marginal_J"], 1, delta=0.01)


class Pictures(unittest.TestCase):
    """The bars of docs/energy.md; `scripts/energy_bars TRIBUTARY` draws them again."""

    def test_drawings_are_up_to_date(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-B", str(SOURCE / "scripts/energy_bars"), str(TRIBUTARY), folder], check=True, capture_output=True)
            made = sorted(os.listdir(folder))
            self.assertEqual(made, ["energy_dgx1v.svg", "energy_dgx2.svg", "energy_rack6.svg"])
            for name in made:
                self.assertEqual(pathlib.Path(folder, name).read_bytes(), (SOURCE / "docs/images" / name).read_bytes(), name)


if __name__ == "__main__":
    run_tests()
