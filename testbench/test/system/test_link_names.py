"""Names of links in options: the sending port, which a shell leaves alone, and FROM>TO, which needs quotes.

usage: test_link_names.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import pathlib
import re
import tempfile

from executable import run_tests, tributary
from refusals import Refusals


class LinkNames(Refusals):
    def signals(self, *traces):
        """Returns the signals of a waveform, as [the sending port, the rest of the name]."""
        with tempfile.TemporaryDirectory() as folder:
            done = tributary("run", "--size", "1KiB", "--gpus", "2", "--vcd", folder + "/o.vcd", *[word for glob in traces for word in ("--trace", glob)])
            self.assertEqual(done.returncode, 0, done.stderr)
            scopes, names = [], set()
            for line in pathlib.Path(folder, "o.vcd").read_text().splitlines():
                if line.startswith("$scope"):
                    scopes.append(line.split()[2])
                elif line.startswith("$upscope"):
                    scopes.pop()
                elif line.startswith("$var"):
                    names.add(".".join(scopes))
            return names

    def test_a_waveform_shows_the_links_that_are_named(self):
        for names in (["gpu0.port0"], ["gpu0.port0>switch0_0.port0"]):
            self.assertEqual({re.sub(r"^.*?(gpu0)", r"\1", name) for name in self.signals(*names)}, {"gpu0.port0.link"})
        self.assertEqual(len(self.signals("gpu0.port*>switch*")), 6)
        self.assertEqual(len(self.signals("gpu0.port0", "gpu1.port0")), 2)

    def test_a_timeline_and_a_capture_take_the_same_names(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, names in enumerate((["*.gpu0.port0.link"], ["gpu0.port0"], ["gpu0.port0>switch0_0.port0"])):
                done = tributary("run", "--size", "1KiB", "--gpus", "2", "--perfetto-json", f"{folder}/{number}.json", "--trace", *names)
                self.assertEqual(done.returncode, 0, done.stderr)
            lines = [json.loads(pathlib.Path(folder, f"{number}.json").read_text())["traceEvents"] for number in range(3)]
            self.assertTrue(lines[0])
            self.assertEqual(lines[0], lines[1])
            self.assertEqual(lines[0], lines[2])
            for number, name in enumerate(("*.host0.port0.link.sent", "host0.port0", "host0.port0>switch.port0")):
                done = tributary("run", "--platform", "rack:2", "--size", "1KiB", "--pcap", f"{folder}/{number}.pcapng", "--capture", name)
                self.assertEqual(done.returncode, 0, done.stderr)
            captures = [pathlib.Path(folder, f"{number}.pcapng").read_bytes() for number in range(3)]
            self.assertEqual(captures[0], captures[1])
            self.assertEqual(captures[0], captures[2])

    def test_an_unknown_link_is_refused_with_its_neighbours(self):
        for option in (["--vcd", "/dev/null", "--trace"], ["--perfetto", "/dev/null", "--trace"]):
            self.run_refused([*option, "gpu0.port0>switch0_1.port0"], "--trace: unknown link", "did you mean gpu0.port0>switch0_0.port0", "quote it")
        scenario = self.file("s.yaml", "size: 1KiB\nvcd: /dev/null\ntrace: a>b\n")
        self.refused(["run", scenario], "s.yaml:3: trace: unknown link 'a>b'", "quote it")
        self.run_refused(["--fault", "down:gpu0.port0"], "is not a fault", "quote it")


if __name__ == "__main__":
    run_tests()
