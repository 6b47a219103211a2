"""Pins of blocks: `list pins`, `export pins`, and the tables on the pages of the blocks.

usage: test_pins.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from executable import SOURCE, run_tests, tributary

BLOCKS = ["reduction_table", "arbiter", "combinator", "payload_buffer", "clt", "ctt", "schedule_table", "reduction_unit", "copy_engine"]


def exported(block, *options):
    done = tributary("export", "pins", block, *options)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


class Pins(unittest.TestCase):
    def test_the_list_has_the_pins_of_the_port_lists(self):
        rows = [line.split(None, 4) for line in tributary("list", "pins").stdout.splitlines()]
        self.assertEqual(rows[0], ["block", "pin", "direction", "bits", "meaning"])
        listed = {}
        for block, pin, direction, bits, _ in rows[1:]:
            listed.setdefault(block, []).append((pin, direction, bits))
        self.assertEqual(list(listed), BLOCKS)
        for block in BLOCKS:
            ports = re.findall(r"^  (in|out)put +logic (?:\[(.*?):0\])? *(\w+)", exported(block), re.MULTILINE)
            found = [(name, way, re.sub(r"-1$", "", width) if "-" in width else str(int(width or 0) + 1)) for way, width, name in ports]
            self.assertEqual(found, listed[block], block)
            self.assertEqual([name for name, *_ in found[:2]], ["clk", "rst_n"])

    def test_pages_have_the_tables(self):
        found = {}
        for page in (SOURCE / "docs/blocks").glob("*.md"):
            for block, text in re.findall(r"<!-- pins: (\w+) -->\n(.*?)<!-- end of pins -->\n", page.read_text(encoding="utf-8"), re.DOTALL):
                found[block] = text
        self.assertEqual(sorted(found), sorted(BLOCKS))
        for block in BLOCKS:
            self.assertEqual(found[block], exported(block, "--format", "markdown"))

    def test_bindings_have_every_pin(self):
        for block in BLOCKS:
            pins = re.findall(r"logic .*?(\w+),? *//", exported(block))
            self.assertEqual(re.findall(r'bind\("(\w+)"', exported(block, "--format", "cpp")), pins)

    def test_simulators_accept_the_port_lists(self):
        """A module of each block without contents; its outputs have no driver."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for block in BLOCKS:
                text = exported(block, "--out", folder / f"{block}_ports.svh") + exported(block)
                parameters = ", ".join(f"parameter int {p} = {v}" for p, v in re.findall(r"^// Parameter (\w+): .* \((\d+)\)\.$", text, re.MULTILINE))
                source = folder / f"{block}.sv"
                source.write_text(f"module {block} {f'#({parameters}) ' if parameters else ''}(\n`include \"{block}_ports.svh\"\n);\nendmodule\n")
                for tool in (["verilator", "--lint-only", "-Wall", "-Wno-UNDRIVEN", "-Wno-UNUSED"], ["iverilog", "-g2012", "-Wall", "-o", "/dev/null"]):
                    if shutil.which(tool[0]):
                        done = subprocess.run([*tool, f"-I{folder}", source], capture_output=True, text=True, check=False)
                        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), block)

    def test_simulators_accept_the_test_benches(self):
        """With a module of each block without contents."""
        readers = SOURCE / "testbench/examples/records"
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for block in BLOCKS:
                ports, bench = exported(block), folder / f"{block}_bench.sv"
                exported(block, "--format", "bench", "--out", bench)
                parameters = ", ".join(f"parameter int {p} = {v}" for p, v in re.findall(r"^// Parameter (\w+): .* \((\d+)\)\.$", ports, re.MULTILINE))
                source = folder / f"{block}.sv"
                source.write_text(f"module {block} {f'#({parameters}) ' if parameters else ''}(\n{ports});\nendmodule\n")
                small = ["-GUNITS=4", "-GWIDTH=16"] if block == "reduction_unit" else []  # Verilator reads columns of 8192 bits
                sources = [bench, source, readers / "tributary_source.sv", readers / "tributary_sink.sv"]
                for tool in (["verilator", "--lint-only", "--timing", "-Wall", "-Wno-UNDRIVEN", "-Wno-UNUSED", "-Wno-PINCONNECTEMPTY", "--top-module", f"{block}_bench", *small],
                             ["iverilog", "-g2012", "-Wall", "-Wno-timescale", "-o", "/dev/null"]):
                    if shutil.which(tool[0]):
                        done = subprocess.run([*tool, *sources], capture_output=True, text=True, check=False)
                        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), (block, tool[0]))
        example = SOURCE / "testbench/examples/rtl_combinator/combinator_bench.sv"
        self.assertEqual(example.read_text(encoding="utf-8"), exported("combinator", "--format", "bench"))

    def test_wrong_words_are_refused_in_one_line(self):
        for words, *texts in ((("combinatr",), "combinatr", "did you mean combinator"), ((), "BLOCK is missing", "list pins"),
                              (("clt", "--format", "vhdl"), "--format: 'vhdl' (legal: sv, cpp, markdown or bench)")):
            done = tributary("export", "pins", *words)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
            for text in texts:
                self.assertIn(text, done.stderr)
        done = tributary("export", "pin", "clt")
        self.assertEqual((done.returncode, done.stderr), (2, "tributary: error: export: 'pin' (legal: topology, pins)\n"))


if __name__ == "__main__":
    run_tests()
