"""Runs the real executable on bad input: scenario files, layer tables, and other files. Exit code 2 and one clear line.

usage: test_bad_scenarios.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
from executable import SANITIZED, run_tests
from refusals import Refusals

CPU_LIMIT_S = 1 if not SANITIZED else 20


class BadScenarios(Refusals):
    def test_bad_scenarios_are_refused(self):
        self.run_refused(["/nonexistent.yaml"], "/nonexistent.yaml", "cannot be read")
        self.run_refused([self.file("s.yaml", "platform: [dgx2\nseed: 1\n")], "s.yaml:")
        self.run_refused([self.file("s.yaml", "seed: x\n")], "s.yaml:1", "seed", "whole number")
        two = "jobs:\n  - { algorithm: push, ranks: 0-7, size: 8KiB }\n  - { algorithm: pull, ranks: 7-15, size: 8KiB }\n"
        self.refused(["run", self.file("s.yaml", two)], "jobs 0 and 1 both use gpu7")
        self.refused(["run", self.file("s.yaml", two), "--size", "4KiB"], "--size: the scenario has several concurrent jobs")
        incast = self.file("s.yaml", "platform: rack:4\nsize: 4KiB\nbackground: incast:0.1@4\n")
        self.refused(["run", incast], "s.yaml:3: background: '4'", "at most 3")
        self.refused(["run", incast, "--platform", "rack:2"], "s.yaml:3: background: '4'", "at most 1")
        sweep = self.file("sweep.yaml", "platform: [rack:4, rack:2]\nsize: 4KiB\nbackground: incast:0.1@3\n")
        self.refused(["sweep", sweep, "--list"], "sweep.yaml:3: background: '3'", "at most 1")
        self.run_refused(["--background", "uniform:2"], "--background", "a load of 2", "at most 1")

    def test_files_that_are_not_scenarios_are_refused(self):
        """Each file is refused within a second and 256 MB."""
        pairs = "".join(f"k{i}: &k{i} [*k{i - 1}, *k{i - 1}]\n" for i in range(1, 60))
        texts = {
            ",": "s.yaml:1", ",\n": "s.yaml:1", "parameters: &x\n  a: *x\n": "s.yaml:2", "a: *b\n": "s.yaml:1", "&x [*x]": "s.yaml:1",
            "[" * 100000: "nested too deeply", "{a: " * 100000: "s.yaml:1", "- " * 100000: "nested too deeply", "? " * 100000: "s.yaml:1",
            "size: 4KiB\nk0: &k0 [x]\n" + pairs: "counting each alias as a copy", "a: " + "[" * 31: "s.yaml:", "x" * (1 << 21): "too large",
            "seed: [" + "1," * 200000 + "]": "more than 100000 values", "size: " + "9" * 100000: "a value of 100000 bytes",
            "x" * 900 + ": 1": "unknown key", "size: 4KiB\x01\n": "s.yaml:1", "\ufeff,": "s.yaml:1", '"a\\nb": 1': "a\\nb",
            "a\u0085b: 1": "s.yaml:", '"a\\u2028b": 1': "a\\u2028b", '"\\e[2J": 1': "\\x1b[2J", "%YAML 9.9\n---\na": "s.yaml:1",
            "jobs: [" + "{size: 4KiB}," * 2000 + "]": "up to 1024", "{": "s.yaml:", "'": "s.yaml:", '"': "s.yaml:", "|9": "s.yaml:1", "!<": "s.yaml:",
            "? a\n? b\n": "unknown key 'a'", "\t": "s.yaml:1", "a: b: c": "s.yaml:1", "@": "s.yaml:1", "- [\n- ]": "s.yaml:",
        }
        for text, word in texts.items():
            for command in (["run", "--json", "/nonexistent/x"], ["sweep", "--list"]):
                path = self.file("s.yaml", text)
                with self.subTest(text=text[:50], command=command[0]):
                    used = {}
                    self.refused([*command, path], "", used=used)
                    self.assertLess(used["cpu_s"], CPU_LIMIT_S)
                    self.assertLess(used["bytes"], 256e6 if not SANITIZED else 4e9)
                    if command[0] == "run":
                        self.refused([*command, path], word)
        self.refused(["run", "/dev/zero"], "/dev/zero: too large")

    def test_bad_layer_tables_are_refused(self):
        self.refused(["run", "--messages", "/nonexistent.csv"], "/nonexistent.csv")
        scenario = self.file("paths.yaml", "messages: not_here.csv\n")
        self.refused(["run", scenario], scenario[:-len("paths.yaml")] + "not_here.csv")  # relative to the scenario
        header = "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\n"
        table = self.file("t.csv", header + "good,8,8,3,3,1,1,1,\nbad,8,8,x,3,1,1,1,\n")
        self.refused(["run", "--messages", table], "t.csv:3")


if __name__ == "__main__":
    run_tests()
