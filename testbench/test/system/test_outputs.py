"""Runs the real executable with outputs that are inputs or other outputs, with links, and with files of the user in the folder.

usage: test_outputs.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import os
import stat

from executable import run_tests, tributary
from refusals import Refusals

LAYERS = "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\na,8,8,3,3,2,4,1,\n"
RUN = ["run", "--platform", "dgx2", "--gpus", "2", "--quiet"]


class Outputs(Refusals):
    def here(self, name):
        return os.path.join(self.folder.name, name)

    def text(self, name):
        with open(self.here(name), encoding="utf-8") as file:
            return file.read()

    def kept(self, name, text, arguments, *parts):
        """Refuses the command line, and leaves the file `name` with its text."""
        self.file(name, text)
        self.refused(arguments, *parts)
        self.assertEqual(self.text(name), text)

    def test_no_output_is_an_input(self):
        scenario, layers = self.here("s.yaml"), self.here("l.csv")
        self.kept("s.yaml", "size: 4KiB\n", ["run", scenario, "--csv", scenario], "--csv", "is also an input, the file of SCENARIO")
        self.kept("s.yaml", "size: 4KiB\njson: s.yaml\n", ["run", scenario], "s.yaml:2: json", "SCENARIO")
        for option in ("--csv", "--json", "--nccl-text", "--html", "--vcd", "--perfetto", "--report"):
            self.kept("l.csv", LAYERS, RUN + ["--messages", layers, option, layers], option, "the file of --messages")
        os.link(layers, self.here("hard.csv"))
        os.symlink("l.csv", self.here("soft.csv"))
        for name in ("hard.csv", "soft.csv", "./l.csv", "../" + os.path.basename(self.folder.name) + "/l.csv"):
            self.kept("l.csv", LAYERS, RUN + ["--messages", layers, "--csv", self.here(name)], "the file of --messages")
        self.kept("v.csv.gtkw", LAYERS, RUN + ["--messages", self.here("v.csv.gtkw"), "--vcd", self.here("v.csv")], "with its file", "--messages")
        net = "router 0 node 0 router 1\nrouter 1 node 1\n"
        topology = self.here("net.anynet")
        self.kept("net.anynet", net, ["run", "--size", "4KiB", "--platform", "file:" + topology, "--csv", topology], "the file of --platform")
        self.kept("net.anynet", net, ["import", "topology", topology, "--graph", topology], "--graph", "the file of FILE")
        self.kept("net.anynet", net, ["export", "topology", topology, "--out", topology], "--out", "the file of MACHINE")
        job = f"jobs: [{{size: 4KiB, ranks: [0, 1]}}, {{size: 4KiB, ranks: [2, 3], algorithm: 'msccl:{self.here('a.xml')}'}}]\n"
        self.file("j.yaml", job)
        self.file("a.xml", "<algo/>")
        self.refused(["run", self.here("j.yaml"), "--csv", self.here("a.xml")])
        self.assertEqual(self.text("a.xml"), "<algo/>")

    def test_no_output_of_training_is_an_input(self):
        model = "name: own\nlayers: [{name: a, matrix: [3, 4]}]\n"
        train = ["train", "--platform", "dgx2", "--gpus", "2"]
        path, table, preset = self.here("m.yaml"), self.here("t.csv"), self.here("p.yaml")
        self.kept("m.yaml", model, train + ["--model", path, "--json", path], "--json", "the file of --model")
        self.kept("m.yaml", model, train + ["--model", path, "--write-graph", path], "--write-graph", "the file of --model")
        self.kept("t.csv", "x\n", train + ["--set", f"compute.table={table}", "--csv", table], "--csv", "the file of --set")
        self.file("p.yaml", f"name: p\nparameters: {{compute.table: {table}}}\n")
        self.kept("t.csv", "x\n", train + ["--preset", preset, "--csv", table], "--csv", "the file of --preset")
        self.kept("g.0.et", "x", train + ["--graph", self.here("g"), "--csv", self.here("g.0.et")], "--csv", "the file of --graph")

    def test_no_output_of_a_plot_or_sweep_is_an_input(self):
        table = "size_bytes,time_ns\n1,2\n2,3\n"
        plot = ["plot", self.here("p.csv"), "--x", "size_bytes", "--y", "time_ns"]
        self.kept("p.csv", table, plot + ["-o", self.here("./p.csv")], "-o", "the file of RESULTS")
        self.kept("p.csv", table, plot + ["--html", self.here("p.csv")], "--html", "the file of RESULTS")
        self.kept("m.csv", table, plot + ["--measured", self.here("m.csv"), "-o", self.here("m.csv")], "the file of --measured")
        self.kept("f.json", "{}", ["plot", self.here("f.json"), "-o", self.here("f.json")], "the file of RESULTS")
        sweep = ["sweep", self.here("s.yaml"), "--out", self.here("out")]
        self.kept("s.yaml", "size: [4KiB]\n", sweep + ["--html", self.here("s.yaml")], "--html", "the file of SCENARIO")

    def test_outputs_have_a_file_each(self):
        run = RUN + ["--size", "4KiB"]
        a = self.here("a.out")
        for other in (a, self.here("./a.out"), self.here("b/../a.out")):
            os.makedirs(self.here("b"), exist_ok=True)
            self.refused(run + ["--json", a, "--csv", other], "--csv", "is also the file of --json")
        self.refused(run + ["--vcd", self.here("b.vcd"), "--json", self.here("b.vcd.gtkw")], "--vcd", "with its file", "is also the file of --json")
        rack = ["run", "--size", "4KiB", "--platform", "rack:4"]
        self.refused(rack + ["--vcd", self.here("b.vcd"), "--pcap", self.here("b.vcd.gtkw.names")], "is also a file of --vcd")
        os.symlink("a.out", self.here("link"))  # dangling
        self.refused(run + ["--json", a, "--csv", self.here("link")], "is also the file of --json")
        self.file("one", "")
        os.link(self.here("one"), self.here("two"))
        self.refused(run + ["--json", self.here("one"), "--csv", self.here("two")], "is also the file of --json")
        self.refused(["schedule", "--topology", "torus:2x2", "--json", a, "--msccl", self.here("./a.out")], "is also the file of --json")
        self.refused(["netlist", "--json", a, "--dot", self.here("./a.out")], "is also the file of --json")
        self.assertEqual(tributary(*run, "--json", "-", "--csv", "/dev/null").returncode, 0)

    def test_files_of_the_user_survive(self):
        run = RUN + ["--size", "4KiB", "--json", self.here("out.json")]
        self.file("out.json.tmp", "mine")
        self.assertEqual(tributary(*run).returncode, 0)
        self.assertEqual(self.text("out.json.tmp"), "mine")
        os.remove(self.here("out.json.tmp"))
        self.file("victim", "mine")
        os.symlink("victim", self.here("out.json.tmp"))
        self.assertEqual(tributary(*run).returncode, 0)
        self.assertEqual(self.text("victim"), "mine")
        self.assertFalse(os.path.islink(self.here("out.json")))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["out.json", "out.json.tmp", "victim"])

    def test_links_are_followed_and_survive(self):
        os.makedirs(self.here("results"))
        for name, option in (("r.json", "--json"), ("r.csv", "--csv"), ("r.vcd", "--vcd")):
            os.symlink(f"results/{name}", self.here(name))  # dangling
            self.assertEqual(tributary(*RUN, "--size", "4KiB", option, self.here(name)).returncode, 0)
            self.assertTrue(os.path.islink(self.here(name)))
            self.assertGreater(os.path.getsize(self.here(f"results/{name}")), 0)
        os.symlink("results/q.json", self.here("q.json"))
        self.run_refused(["--json", self.here("q.json"), "--csv", "/none/x"], "--csv")
        self.assertTrue(os.path.islink(self.here("q.json")))
        self.assertFalse(os.path.exists(self.here("results/q.json")))

    def test_permissions_are_kept(self):
        self.file("p.json", "{}")
        os.chmod(self.here("p.json"), 0o640)
        self.assertEqual(tributary(*RUN, "--size", "4KiB", "--json", self.here("p.json")).returncode, 0)
        self.assertEqual(stat.S_IMODE(os.stat(self.here("p.json")).st_mode), 0o640)
        json.loads(self.text("p.json"))

    def test_paths_of_topology_files_in_a_scenario_are_relative_to_it(self):
        os.makedirs(self.here("sub"))
        for form in ("nccl_xml:none.xml", "topo_m:none.txt", "servers:2xfile:none.xml"):
            self.file("sub/s.yaml", f"size: 4KiB\nplatform: {form}\n")
            self.refused(["run", self.here("sub/s.yaml")], self.here("sub/none"))


run_tests()
