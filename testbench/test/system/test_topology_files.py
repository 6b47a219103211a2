"""Small topology files: each is read and run, or refused with the error in topologies/expected.txt; the written file of a
machine is read back as the same.

usage: test_topology_files.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import os
import pathlib
import re
import shutil
import tempfile
import threading
import unittest

from executable import SOURCE, run_tests, tributary
from opened_files import OpenedFiles

FOLDER = SOURCE / "testbench/test/system/topologies"
SHIPPED = SOURCE / "testbench/workload/data/topologies"


def rows():
    for line in (FOLDER / "expected.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        what, codes, imported, ran = (cell.strip() for cell in line.split("|"))
        file, *options = what.split()
        yield file, options, [None if code == "-" else int(code) for code in codes.split()], imported, ran


def row_of(platform, algorithm, *options):
    """The row of a run without data."""
    done = tributary("run", "--platform", platform, "--algorithm", algorithm, "--quiet", "--no-data", "--json", "-", *options, cwd=FOLDER)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["results"][0]


class Table(unittest.TestCase):
    def check(self, done, code, text):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)
        if not text:
            self.assertEqual(done.stderr, "")
        if code == 2:
            self.assertRegex(done.stderr.splitlines()[-1], r"^tributary: error: \S")
        for line in done.stderr.splitlines():
            self.assertRegex(line, "^tributary: (error|warning): ")

    def test_import_gives_the_expected_result(self):
        for file, options, codes, text, _ in rows():
            with self.subTest(file=file, options=options):
                if codes[0] is not None:
                    self.check(tributary("import", "topology", file, *options, cwd=FOLDER), codes[0], text)

    def test_run_gives_the_expected_result(self):
        for file, options, codes, _, text in rows():
            with self.subTest(file=file, options=options):
                done = tributary("run", "--platform", "file:" + file, *options, "--size", "4KiB", "--quiet", cwd=FOLDER)
                self.check(done, codes[1], text)
                if codes[1] == 0:
                    self.assertEqual(done.stdout.splitlines()[3].split()[7], "0")  # wrong elements

    def test_every_file_is_in_the_table(self):
        self.assertEqual({path.name for path in FOLDER.iterdir()} - {"expected.txt"}, {row[0] for row in rows()})


class Switched(unittest.TestCase):
    """GPUs of a machine with NVSwitches, as `nvidia-smi topo -m` shows a part of them."""

    def test_no_gpu_of_a_dgx2_sends_more_than_its_six_links(self):
        for file in ("three_of_dgx2.txt", "four_of_dgx2.txt"):
            for form, chunk in (("file:", "nvswitch.blink.chunk=4MB"), ("topo_m:", "blink.chunk=4MB")):
                row = row_of(form + file, "blink", "--collective", "broadcast", "--size", "100MB", "--set", chunk)
                self.assertLess(row["algbw_GBps"], 150)


class Degraded(unittest.TestCase):
    """Machines with GPUs that have fewer NVLinks than others, or none."""

    def test_healthy_gpus_of_a_degraded_machine_run_in_every_form(self):
        for file, form, ranks in (("one_without_links.txt", "topo_m:", "0-6"), ("one_with_17_links.txt", "topo_m:", "0-6"),
                                  ("one_hidden.xml", "nccl_xml:", "0-6"), ("tray.xml", "nccl_xml:", "0,2,3")):
            for name in ("file:", form):
                with self.subTest(file=file, form=name):
                    row = row_of(name + file, "blink", "--size", "1MB", "--ranks", ranks)
                    self.assertEqual(row["counters"].get("copied.pcie_bytes", 0), 0)


class Islands(unittest.TestCase):
    """GPUs that NVLinks join in part: NVLinks within islands, PCIe between them."""

    def test_nvlinks_carry_bytes_and_blink_is_at_least_as_fast_as_its_baseline(self):
        for name in ("topo_m:bridges.txt", "topo_m:summit.txt", "file:four_pairs.txt", "nccl_xml:power9.xml", "nccl_xml:a40_pairs.xml",
                     "file:pairs_across.txt", "topo_m:three_cards.txt", "file:one_without_links.txt", "nccl_xml:tray.xml"):
            with self.subTest(name):
                blink, nccl = (row_of(name, algorithm, "--size", "10MB") for algorithm in ("blink", "nccl"))
                self.assertGreater(blink["counters"]["copied.nvlink_bytes"], 0)
                self.assertGreater(blink["counters"]["copied.pcie_bytes"], 0)
                self.assertGreaterEqual(blink["algbw_GBps"], nccl["algbw_GBps"])

    def test_every_form_of_a_name_gives_the_same_run(self):
        for file, form in (("summit.txt", "topo_m:"), ("power9.xml", "nccl_xml:")):
            for collective in ("allreduce", "broadcast", "reduce", "allgather", "reduce_scatter", "gather"):
                rows = [row_of(name + file, "blink", "--collective", collective, "--size", "1MB") for name in ("file:", form)]
                self.assertEqual(rows[0]["time_ns"], rows[1]["time_ns"])


class Notes(unittest.TestCase):
    def test_notes_are_in_the_json_of_a_run(self):
        done = tributary("run", "--platform", f"file:{SHIPPED}/dgx2.xml", "--size", "4KiB", "--quiet", "--json", "-")
        self.assertEqual(len(json.loads(done.stdout)["notes"]), 1)
        self.assertEqual(done.stderr.count("warning: "), 1)
        done = tributary("run", "--platform", f"file:{SHIPPED}/h100.xml", "--size", "4KiB", "--quiet", "--json", "-")
        self.assertNotIn("notes", json.loads(done.stdout))

    def test_options_of_files_require_a_file(self):
        done = tributary("run", "--platform", "dgx2", "--sm", "90", "--size", "4KiB")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--sm requires --platform file:FILE", done.stderr)


class Once(unittest.TestCase):
    """Each command reads each topology file once."""

    FILES = ("h100.xml", "dgx1v.xml", "dgx1v.txt", "three_routers.anynet")
    SIZE = ("--size", "4KiB", "--quiet")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in self.FILES:
            shutil.copy(SHIPPED / name, self.folder)
        tree = re.sub("<nvlink[^>]*/>", "", (SHIPPED / "dgx1v.xml").read_text(encoding="utf-8"))
        (self.folder / "tree.xml").write_text(tree, encoding="utf-8")

    def check(self, command, *files, times=1):
        with self.subTest(command), OpenedFiles(self.folder) as opened:
            done = tributary(*command, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(opened.counts(*self.FILES, "tree.xml"), {file: times for file in files})

    def test_a_run_reads_its_file_once(self):
        for platform, file in (("file:h100.xml", "h100.xml"), ("file:dgx1v.xml", "dgx1v.xml"), ("servers:2xfile:dgx1v.xml", "dgx1v.xml"),
                               ("topo_m:dgx1v.txt", "dgx1v.txt"), ("file:three_routers.anynet", "three_routers.anynet")):
            self.check(("run", "--platform", platform, *self.SIZE, "--report", "report.html", "--json", "run.json"), file)
        self.check(("run", "--platform", "file:h100.xml", *self.SIZE, "--cost", "--background", "uniform:0.1", "--mode", "event"), "h100.xml")

    def test_both_files_of_a_server_are_read_once(self):
        self.check(("run", "--platform", "nccl_xml:tree.xml+topo_m:dgx1v.txt", *self.SIZE), "tree.xml", "dgx1v.txt")
        self.check(("schedule", "--topology", "nccl_xml:tree.xml+topo_m:dgx1v.txt"), "tree.xml", "dgx1v.txt")

    def test_other_commands_read_their_file_once(self):
        for command in (("list", "algorithms", "--platform", "file:three_routers.anynet"), ("list", "probes", "--platform", "file:three_routers.anynet"),
                        ("schedule", "--topology", "file:three_routers.anynet"), ("netlist", "--platform", "file:three_routers.anynet"),
                        ("export", "topology", "three_routers.anynet"), ("export", "topology", "file:three_routers.anynet"),
                        ("import", "topology", "three_routers.anynet"), ("train", "--platform", "file:three_routers.anynet", "--model", "resnet50", "--quiet")):
            self.check(command, "three_routers.anynet")

    def test_a_sweep_reads_its_file_for_its_points_and_for_their_ids(self):
        (self.folder / "sweep.yaml").write_text("platform: file:h100.xml\nsize: [4KiB, 8KiB]\nalgorithm: [push, pull]\n", encoding="utf-8")
        self.check(("sweep", "sweep.yaml", "--out", "results", "--jobs", "2"), "h100.xml", times=2)

    def test_a_pipe_is_a_topology(self):
        plain = tributary("run", "--platform", "file:h100.xml", *self.SIZE, cwd=self.folder)
        os.mkfifo(self.folder / "pipe")
        writer = threading.Thread(target=lambda: (self.folder / "pipe").write_bytes((self.folder / "h100.xml").read_bytes()), daemon=True)
        writer.start()
        piped = tributary("run", "--platform", "file:pipe", *self.SIZE, cwd=self.folder)
        self.assertEqual((piped.returncode, piped.stderr), (0, ""))
        self.assertEqual(piped.stdout.splitlines()[3:], plain.stdout.splitlines()[3:])


def graph(*arguments):
    done = tributary("import", "topology", *arguments, "--graph", "-")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Graphs(unittest.TestCase):
    def test_links_have_ports_classes_and_rates(self):
        links = graph(str(FOLDER / "xgmi.xml"))["links"]
        self.assertEqual(sum(link["class"] == "XGMI" for link in links), 2 * 3)
        self.assertEqual({link["GBps"] for link in links if link["class"] == "XGMI"}, {64})
        ports = [(link["from"], link["from_port"]) for link in links]
        self.assertEqual(len(ports), len(set(ports)))
        back = {(link["to"], link["to_port"], link["from"], link["from_port"]) for link in links}
        self.assertEqual(back, {(link["from"], link["from_port"], link["to"], link["to_port"]) for link in links})

    def test_links_have_the_rates_that_nccl_plans_with(self):
        links = graph(str(FOLDER / "pair.xml"), "--rates", "nccl")["links"]
        self.assertEqual({link["GBps"] for link in links if link["class"] == "NVL"}, {20})  # sm 70
        self.assertEqual({link["GBps"] for link in links if link["class"] == "PCI"}, {12})  # 16 lanes of 8 GT/s

    def test_sockets_are_joined_at_the_rate_that_nccl_plans_with(self):
        links = graph(str(SHIPPED / "dgx1v.xml"))["links"]
        self.assertEqual(sum(link["class"] == "SYS" for link in links), 2)


class Export(unittest.TestCase):
    def exported(self, *arguments):
        done = tributary("export", "topology", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def read_back(self, text, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".topology") as file:
            file.write(text)
            file.flush()
            return graph(file.name, *options)

    def test_exported_files_give_the_same_graph(self):
        for name in ("h100.xml", "a100.xml", "dgx1p.xml", "dgx1v.xml", "dgx2.xml", "two_boards.xml", "three_routers.anynet"):
            with self.subTest(name):
                text = self.exported(str(SHIPPED / name))
                self.assertEqual(self.exported(str(SHIPPED / name)), text)
                before, after = graph(str(SHIPPED / name)), self.read_back(text)
                self.assertEqual(after["nodes"], before["nodes"])
                plain = lambda links: [link for link in links if link["class"] != "SYS"]  # NCCL's files imply these by their processors
                self.assertEqual(plain(after["links"]), plain(before["links"]))

    def test_an_exported_matrix_contains_the_links(self):
        before, after = graph(str(SHIPPED / "dgx1v.xml")), self.read_back(self.exported("dgx1v", "--format", "topo-m"), "--sm", "70")
        links = lambda of: [link for link in of["links"] if link["class"] == "NVL"]
        self.assertEqual(links(after), links(before))

    def test_networks_of_nics_run_as_files(self):
        with tempfile.NamedTemporaryFile("w", suffix=".anynet") as file:
            file.write(self.exported("bigraph:2x4"))
            file.flush()
            done = tributary("run", "--platform", "file:" + file.name, "--algorithm", "multitree", "--size", "64KiB", "--quiet")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_networks_of_long_paths_run(self):
        """MultiTree's routes through more than six routers; a line needs no tree of routers, a ring of twelve does."""
        line = "".join(f"router {r} node {r}{f' router {r + 1}' if r < 8 else ''}\n" for r in range(9))
        ring = "".join(f"router {r} node {r} router {(r + 1) % 12}\n" for r in range(12))
        for text in (line, ring):
            with tempfile.NamedTemporaryFile("w", suffix=".anynet") as file:
                file.write(text)
                file.flush()
                for algorithm in ("multitree", "ring"):
                    rows = []
                    for mode in ("windowed", "event"):
                        done = tributary("run", "--platform", "file:" + file.name, "--algorithm", algorithm, "--size", "16KiB", "--mode", mode, "--json", "-", "--quiet")
                        self.assertEqual(done.returncode, 0, done.stderr)
                        rows.append(json.loads(done.stdout)["results"][0])
                    self.assertEqual([row["wrong"] for row in rows], [0, 0])
                    self.assertEqual(rows[0]["time_ns"], rows[1]["time_ns"])
                for search in ("nearest", "literal", "no_transit"):
                    done = tributary("schedule", "--topology", "file:" + file.name, "--search", search)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_cycles_and_flits_have_units(self):
        """Four cycles of 2.5 ns between routers 1 and 2, one cycle elsewhere."""
        network = str(SHIPPED / "three_routers.anynet")
        links = graph(network, "--cycle", "2.5ns", "--flit-rate", "16GB/s")["links"]
        self.assertEqual({(link["cycles"], link["latency_ns"], link["GBps"]) for link in links}, {(1, 2.5, 16), (4, 10, 16)})
        self.assertTrue(all("latency_ns" not in link and "GBps" not in link for link in graph(network)["links"]))
        for options, text in (((network, "--cycle", "5"), "--cycle: '5' has no unit"), ((network, "--flit-rate", "x"), "--flit-rate: 'x'"),
                              ((network, "--cycle", ""), "--cycle"), ((network, "--cycle", "0ns"), "legal: 1ps to 1ms"), ((network, "--cycle", "18446744s"), "--cycle"),
                              ((network, "--flit-rate", "0GB/s"), "legal: 1MB/s to 10TB/s"), ((network, "--flit-rate", "11TB/s"), "legal: 1MB/s to 10TB/s"),
                              ((str(SHIPPED / "h100.xml"), "--cycle", "1ns"), "--cycle: the file describes a server")):
            done = tributary("import", "topology", *options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(text, done.stderr)
        done = tributary("import", "trace", "nowhere", "--flit-rate", "1GB/s")
        self.assertEqual((done.returncode, "an option of topologies (legal: --groups, --summary)" in done.stderr), (2, True))

    def test_graphs_that_a_format_cannot_express_are_refused(self):
        for arguments, text in ((("torus:4x4",), "NICs are routers"), (("dgx1v", "--format", "anynet"), "anynet holds networks"),
                                (("bigraph:2x4", "--format", "nccl"), "nccl holds servers"), (("dgx3",), "topology"),
                                (("dgx1v", "--format", "dot"), "--format: 'dot'")):
            with self.subTest(arguments):
                done = tributary("export", "topology", *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(text, done.stderr)


if __name__ == "__main__":
    run_tests()
