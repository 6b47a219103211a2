"""Compares every JSON that the executable writes with the schemas that ship, and every counter with its documentation.

usage: test_schemas.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]

Without Debian's python3-jsonschema the validation is skipped with a line; the documentation is still compared.
"""
import csv
import importlib.util
import io
import json
import pathlib
import re
import tempfile
import unittest

from executable import SOURCE, run_tests, tributary

if importlib.util.find_spec("jsonschema"):
    import jsonschema
else:
    jsonschema = None
    print("test_schemas: no validation, python3-jsonschema is not installed")

RUNS = {
    "small tables and latency": ["--size", "16KiB", "--wire-latency", "--set", "nvswitch.switch.reduction_table.bytes=128B"],
    "pull beside background": ["--algorithm", "pull", "--size", "4KiB", "--background", "uniform:0.1"],
    "iterations": ["--platform", "dgx1v", "--ranks", "0-3", "--size", "64KiB", "--iterations", "2"],
    "jobs": ["testbench/examples/scenarios/two_jobs.yaml"],
    "layers": ["testbench/examples/scenarios/layers.yaml", "--no-data"],
    "a dead link": ["testbench/examples/scenarios/dead_link.yaml"],
    "time limit": ["--size", "64KiB", "--time-limit", "1us"],
    "multicast": ["--collective", "multicast", "--root", "2", "--targets", "1,3-5", "--size", "4KiB"],
    "copy engines": ["--algorithm", "blink", "--size", "64KiB"],
    "schedules": ["--platform", "torus:4x4", "--size", "4KiB"],
    "a rack beside background": ["--platform", "rack:6", "--size", "64KiB", "--background", "incast:0.2@3"],
    "DCQCN": ["--platform", "spine_leaf:2x4", "--size", "64KiB", "--set", "netreduce.nic.dcqcn.on=true", "--set", "netreduce.switch.ecn.on=true"],
    "a programmable switch": ["--platform", "tofino:4", "--size", "64KiB"],
    "servers": ["--platform", "servers:2xdgx1v", "--size", "1MiB"],
    "flows": ["--mode", "fluid", "--no-data", "--algorithm", "ring", "--size", "1MiB"],
}
OTHERS = {
    "train": [["--model", "scalesim-alphagozero", "--gpus", "4"], ["--model", "resnet18", "--gpus", "2", "--iterations", "2", "--mode", "fluid"]],
    "schedule": [["--topology", "mesh:2x2"], ["--topology", "bigraph:4x4"], ["--topology", "torus:4x4", "--algorithm", "ring"],
                 ["--topology", "torus:4x4", "--collective", "alltoall"], ["--topology", "dgx1v"],
                 ["--topology", "dgx1v", "--collective", "broadcast", "--ranks", "0,3,4"], ["--topology", "dgx2", "--algorithm", "blink"]],
    "estimate": [[], ["--machines", "6", "--gpus", "1"], ["--mode", "fluid", "--machines", "6"]],
    "netlist": [["--platform", "torus:2x2"], ["--platform", "dgx2"]],
}


EXPLORATION = """explore: 1
platform: torus:2x2
algorithm: multitree
workloads: {{large: {{size: 16KiB}}}}
variables:
  rate: {{parameter: schedule_nic.link.rate, from: 4GB/s, to: 16GB/s, step: x2}}
  latency: {{parameter: schedule_nic.link.latency, values: [50ns, 150ns, 450ns]}}
constraints: [rate / latency <= 1GB/s / 3ns]
objectives:
  - {{minimize: large.time, name: time}}
  - {{minimize: rate}}
method: {0}
assumptions: true
baseline: {{rate: 8GB/s, latency: 150ns}}
"""
METHODS = ("{kind: grid}", "{kind: sample, points: 4}", "{kind: evolution, population: 4, generations: 2}",
           "{kind: halving, start: 8, rungs: [{size: 1KiB}, {}]}", "{kind: bisect, variable: rate, of: large.algbw, keep: 0.6}",
           "{kind: sensitivity, of: large.time, points: 2}", "{kind: sensitivity, design: sobol, of: large.time, points: 4}",
           "{kind: sensitivity, design: oat, of: large.time, at: knee, population: 4, generations: 2}")


def document(*arguments):
    return json.loads(tributary(*arguments, "--json", "-", cwd=SOURCE).stdout)


def schema(name):
    return json.loads((SOURCE / f"docs/schema/{name}.schema.json").read_text(encoding="utf-8"))


class Schemas(unittest.TestCase):
    def valid(self, name, instance, what):
        if jsonschema is None:
            return
        errors = [f"{list(e.absolute_path)}: {e.message[:300]}" for e in jsonschema.Draft202012Validator(schema(name)).iter_errors(instance)]
        self.assertEqual(errors[:3], [], f"{name}: {what}")

    def test_runs_sweeps_and_their_counters_match(self):
        for what, options in RUNS.items():
            run = document("run", *options, "--quiet")
            self.assertTrue(run["results"], what)
            self.valid("run", run, what)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(tributary("sweep", str(SOURCE / "testbench/examples/sweeps/tables.yaml"), "--out", folder).returncode, 0)
            for point in pathlib.Path(folder, "points").glob("*.json"):
                self.valid("run", json.loads(point.read_text(encoding="utf-8")), point)

    def test_ends_without_a_result_match(self):
        run = document("run", "--size", "64KiB", "--time-limit", "500ns", "--quiet")
        self.assertEqual(run["results"][0]["status"], "time_limit")
        self.valid("run", run, "time limit")
        step = document("train", "--model", "scalesim-alphagozero", "--gpus", "2", "--fidelity", "full", "--time-limit", "1us")
        self.assertEqual((step["status"], step["iterations"], step["period_ns"]), ("time_limit", [], None))
        self.valid("train", step, "time limit")

    def test_other_commands_match(self):
        for command, all_options in OTHERS.items():
            for options in all_options:
                self.valid(command, document(command, *options), options)

    def test_explorations_of_all_methods_match(self):
        text = EXPLORATION.format
        with tempfile.TemporaryDirectory() as folder:
            for number, method in enumerate(METHODS):
                file = pathlib.Path(folder, "e.yaml")
                file.write_text(text(method), encoding="utf-8")
                others = ["--compare", folder] if number else []
                self.assertEqual(tributary("explore", str(file), "--out", folder, *others).returncode, 0, method)
                found = json.loads(pathlib.Path(folder, "explore.json").read_text(encoding="utf-8"))
                self.valid("explore", found, method)
                if jsonschema is not None:
                    validator = jsonschema.Draft202012Validator(schema("explore"))
                    self.assertFalse(validator.is_valid({**found, "unknown": 1}))
                    for key in list(found)[:6]:
                        self.assertFalse(validator.is_valid({k: v for k, v in found.items() if k != key}), key)

    def test_graphs_of_topology_files_match(self):
        for file in sorted(pathlib.Path(SOURCE, "testbench/workload/data/topologies").iterdir()):
            done = tributary("import", "topology", str(file), "--graph", "-")
            if done.returncode != 0:
                continue
            graph = json.loads(done.stdout)
            self.valid("topology", graph, file.name)
            names = {node["name"] for node in graph["nodes"]}
            self.assertTrue(all({link["from"], link["to"]} <= names for link in graph["links"]), file.name)
            if jsonschema is not None:
                bad = {**graph, "links": [{**graph["links"][0], "rate": 1}]}
                self.assertFalse(jsonschema.Draft202012Validator(schema("topology")).is_valid(bad))

    def test_schemas_refuse_other_documents(self):
        if jsonschema is None:
            self.skipTest("python3-jsonschema is not installed")
        for command, options in {"run": ["--size", "4KiB"], **{name: all_options[0] for name, all_options in OTHERS.items()}}.items():
            good = document(command, *options)
            validator = jsonschema.Draft202012Validator(schema(command))
            jsonschema.Draft202012Validator.check_schema(schema(command))
            self.assertTrue(validator.is_valid(good))
            self.assertFalse(validator.is_valid({**good, "unknown": 1}))
            for key in list(good)[:6]:
                self.assertFalse(validator.is_valid({k: v for k, v in good.items() if k != key}), (command, key))
        bad = document("run", "--size", "4KiB")
        bad["results"][0]["counters"]["no.such_counter"] = 1
        self.assertFalse(jsonschema.Draft202012Validator(schema("run")).is_valid(bad))

    def test_the_page_and_the_schema_match_the_table(self):
        for option, path in (("--markdown", "docs/result_files.md"), ("--schema", "docs/schema/run.schema.json")):
            printed = tributary("list", "results", option).stdout
            self.assertEqual(printed, (SOURCE / path).read_text(encoding="utf-8"), f"run: tributary list results {option} > {path}")

    def test_columns_of_the_csv_are_documented(self):
        page = (SOURCE / "docs/result_files.md").read_text(encoding="utf-8")
        for options in (["--size", "4KiB"], ["testbench/examples/scenarios/two_jobs.yaml"], ["--platform", "dgx1v", "--ranks", "0-3", "--size", "64KiB", "--iterations", "2"]):
            text = tributary("run", *options, "--csv", "-", cwd=SOURCE).stdout
            (columns, *rows) = list(csv.reader(io.StringIO(text)))
            self.assertTrue(rows and all(len(row) == len(columns) for row in rows))
            for column in columns:
                self.assertRegex(page, rf"(?m)^\| `{re.escape(column)}` \| [^|]*(\\\|[^|]*)*\| (yes|with several jobs|with --iterations) \|")


if __name__ == "__main__":
    run_tests()
