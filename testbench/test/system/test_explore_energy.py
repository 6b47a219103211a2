"""Energy and area as names in expressions of explorations: they are those of results, at the prices of each point (docs/explore.md#expressions).

usage: test_explore_energy.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import json
import pathlib
import tempfile
import unittest

from executable import run_tests, tributary

FILE = """explore: 1
platform: dgx2
workloads:
  push: {algorithm: push, size: 16KiB}
variables:
  table: {parameter: nvswitch.switch.reduction_table.bytes, values: [128B, 256B]}
  price: {parameter: energy.link.nvlink, values: [1.2, 10]}
constraints:
  - push.energy.per_byte > 1pJ / 1B
objectives:
  - {minimize: push.energy.total, name: whole}
  - {minimize: push.energy.links, name: links}
  - {minimize: area.reduction, name: area}
  - {maximize: price, name: price}
method: {kind: grid}
"""


TRAINING = """explore: 1
platform: dgx2
workloads:
  step: {command: train, model: resnet18, gpus: 4}
  large: {algorithm: push, size: 16KiB, gpus: 4}
variables:
  table: {parameter: nvswitch.switch.reduction_table.bytes, values: [128B, 256B]}
  price: {parameter: energy.link.nvlink, values: [5, 10]}
constraints:
  - step.exposed_ns <= step.iteration_ns
  - step.energy.total > step.energy.marginal
objectives:
  - {minimize: step.time, name: time}
  - {minimize: step.energy.links, name: links}
  - {minimize: step.energy.standing, name: standing}
  - {minimize: area.tables, name: area}
method: {kind: grid}
"""


class Energy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        file = cls.folder / "e.yaml"
        file.write_text(FILE, encoding="utf-8")
        cls.done = tributary("explore", str(file), "--out", str(cls.folder / "out"), "--quiet")
        with open(cls.folder / "out" / "points.csv", encoding="utf-8", newline="") as table:
            cls.rows = {(row["table"], row["price"]): row for row in csv.DictReader(table)}

    def priced(self, row, price):
        """The energy and the parts, in pJ, that the command `energy` gives the stored run."""
        run = f"--algorithm push --size 16KiB --platform dgx2 --set nvswitch.switch.reduction_table.bytes={row} --set energy.link.nvlink={price}"
        return json.loads(tributary("run", *run.split(), "--quiet", "--json", "-").stdout)

    def test_all_points_are_feasible(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        self.assertEqual({row["violation"] for row in self.rows.values()}, {"0"})
        self.assertEqual(len(self.rows), 4)

    def test_values_are_those_of_a_run_at_the_same_prices(self):
        for (table, price), row in self.rows.items():
            document = self.priced(table, price)
            energy = document["results"][0]["energy"]
            self.assertAlmostEqual(float(row["whole_pJ"]) / 1e12 / (energy["marginal_J"] + energy["standing_J"]), 1, places=6)
            self.assertAlmostEqual(float(row["links_pJ"]) / 1e12 / energy["parts"]["links"], 1, places=6)
            self.assertAlmostEqual(float(row["area_mm2"]), document["area"]["reduction"], places=9)

    def test_points_of_other_prices_share_their_runs(self):
        runs = {row["runs"] for row in self.rows.values()}
        self.assertEqual(len(runs), 2)
        self.assertEqual(len(list((self.folder / "out" / "points").glob("*.json"))), 2)

    def test_trainings_have_energies_area_and_times(self):
        file = self.folder / "t.yaml"
        file.write_text(TRAINING, encoding="utf-8")
        done = tributary("explore", str(file), "--out", str(self.folder / "trained"), "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.folder / "trained" / "points.csv", encoding="utf-8", newline="") as table:
            rows = {(row["table"], row["price"]): row for row in csv.DictReader(table)}
        self.assertEqual({row["reason"] for row in rows.values()}, {""})
        for (size, price), row in rows.items():
            with self.subTest(table=size, price=price):
                train = f"train --platform dgx2 --model resnet18 --gpus 4 --set nvswitch.switch.reduction_table.bytes={size} --set energy.link.nvlink={price}"
                document = json.loads(tributary(*train.split(), "--json", "-").stdout)
                self.assertAlmostEqual(float(row["time_ns"]) / document["iterations"][-1]["time_ns"], 1, places=9)
                self.assertAlmostEqual(float(row["links_pJ"]) / 1e12 / document["energy"]["parts"]["links"], 1, places=6)
                self.assertAlmostEqual(float(row["standing_pJ"]) / 1e12 / document["energy"]["standing_J"], 1, places=6)
                self.assertAlmostEqual(float(row["area_mm2"]) / document["area"]["tables"], 1, places=6)
        self.assertAlmostEqual(float(rows["128B", "10"]["links_pJ"]) / float(rows["128B", "5"]["links_pJ"]), 2, places=6)
        self.assertAlmostEqual(float(rows["256B", "10"]["area_mm2"]) / float(rows["128B", "10"]["area_mm2"]), 2, places=6)
        file.write_text(TRAINING.replace("step.energy.links", "step.energy.per_byte"), encoding="utf-8")
        self.assertIn("step.energy.per_byte", tributary("explore", str(file), "--out", str(self.folder / "refused")).stderr)

    def test_assumed_prices_are_examined_where_energy_is_an_objective(self):
        text = FILE.replace("  price: {parameter: energy.link.nvlink, values: [1.2, 10]}\n", "").replace("  - {maximize: price, name: price}\n", "")
        for name, objectives, examined in (("priced", text, True), ("unpriced", text.split("objectives:")[0].replace("constraints:\n  - push.energy.per_byte > 1pJ / 1B\n", "") +
                                                                    "objectives: [{minimize: push.time}, {minimize: table}]\nmethod: {kind: grid}\n", False)):
            file = self.folder / f"{name}.yaml"
            file.write_text(objectives + "assumptions: true\n", encoding="utf-8")
            done = tributary("explore", str(file), "--out", str(self.folder / name), "--quiet")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            live = json.loads((self.folder / name / "explore.json").read_text(encoding="utf-8"))["assumptions"]["live"]
            moved = {change["parameter"] for change in live}
            self.assertEqual("energy.nvswitch.standing" in moved, examined)
            self.assertEqual(any(parameter.startswith("energy.") for parameter in moved), examined)

    def test_an_unmodelled_area_is_named(self):
        text = FILE.replace("area.reduction", "area.bram36").replace("platform: dgx2", "platform: dgx2")
        file = self.folder / "other.yaml"
        file.write_text(text, encoding="utf-8")
        done = tributary("explore", str(file), "--out", str(self.folder / "other"), "--quiet")
        self.assertEqual(done.returncode, 3)
        with open(self.folder / "other" / "points.csv", encoding="utf-8", newline="") as table:
            self.assertEqual({row["reason"] for row in csv.DictReader(table)}, {"area.bram36 has no value in this run"})


if __name__ == "__main__":
    run_tests()
