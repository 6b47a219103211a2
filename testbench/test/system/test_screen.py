"""Output on the screen: tables and help in 80 columns, runs that get stuck, errors of every command, examples.

usage: test_screen.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import shlex
import struct
import subprocess
import tempfile
import termios
import unittest

from executable import SOURCE, TRIBUTARY, run_tests, tributary

COMMANDS = re.findall(r"^  (\w+)  ", tributary("help").stdout, re.MULTILINE)


def narrow(*arguments, columns=80, cwd=None):
    """The lines of standard output for a width of `columns`."""
    done = subprocess.run([TRIBUTARY, *arguments], env={**os.environ, "COLUMNS": str(columns)}, capture_output=True, text=True, cwd=cwd)
    return done.stdout.splitlines()


def on_a_terminal(columns, *arguments):
    """Standard output on a terminal of the given width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen([TRIBUTARY, *arguments], stdout=theirs, stderr=subprocess.DEVNULL, env=environment):
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return text.decode().replace("\r\n", "\n").splitlines()


class Width(unittest.TestCase):
    def fits(self, lines, columns=80):
        self.assertGreater(len(lines), 2)
        for line in lines:
            self.assertLessEqual(len(line), columns, line)

    def test_tables_fit_in_80_columns(self):
        for options in (["--sizes", "1KiB:16KiB:x4"], ["--platform", "rack:6", "--size", "64KiB"], ["--size", "4KiB", "--cost"],
                        ["testbench/examples/scenarios/two_jobs.yaml"], ["testbench/examples/scenarios/layers.yaml"],
                        ["--platform", "dgx1v", "--ranks", "0-3", "--algorithm", "blink", "--size", "64KiB", "--iterations", "2"]):
            lines = narrow("run", *options, cwd=SOURCE)
            self.fits(lines)
            self.assertTrue(any(line.startswith("# columns omitted to fit a width of 80: wire, count and peak-link ") for line in lines), lines)
            self.assertTrue(any("algbw" in line and "bound" in line for line in lines), lines)
        self.fits(narrow("train", "--model", "scalesim-alphagozero", "--gpus", "2", "--platform", "dgx2"))

    def test_a_terminal_has_its_width_and_a_pipe_has_all_columns(self):
        run = ("run", "--size", "4KiB", "--gpus", "4")
        self.fits(on_a_terminal(80, *run))
        self.assertTrue(any("peak-link" in line for line in on_a_terminal(140, *run)))
        self.assertIn("peak-link", tributary(*run).stdout)
        self.assertNotIn("omitted", tributary(*run).stdout)

    def test_lists_and_help_fit_in_80_columns(self):
        for subject in ("platforms", "collectives", "algorithms", "blocks", "stimulus", "models", "presets", "parameters", "results"):
            self.fits(narrow("list", subject))
        for command in ("", *COMMANDS):
            for columns in (60, 80):
                long = [line for line in narrow("help", *command.split(), columns=columns) if len(line) > columns]
                self.assertEqual([line for line in long if " " in line[26:].strip(" \\")], [], command)  # words are not broken
        self.fits(narrow("list", "probes", "--platform", "torus:2x2"))
        for options in ((), ("--mode", "fluid", "--machines", "6")):
            self.fits(narrow("estimate", *options))

    def test_wrapped_examples_are_the_same_commands(self):
        text = "\n".join(narrow("help", "plot", columns=60))
        self.assertIn(" \\\n", text)
        whole = "\n".join(narrow("help", "plot", columns=1000))
        self.assertNotIn("\\", whole)
        self.assertEqual(re.findall(r"    (tributary plot .*)", re.sub(r" \\\n +", " ", text)), re.findall(r"    (tributary plot .*)", whole))


class Help(unittest.TestCase):
    def examples(self, command):
        text = tributary("help", *command.split()).stdout
        text = text[text.index("\nExamples:\n"):].replace(" \\\n      ", " ")  # wrapped commands
        return [line.strip() for line in text.splitlines() if line.startswith("    ")]

    def test_every_help_is_grouped_and_ends_with_three_examples(self):
        self.assertGreaterEqual(len(COMMANDS), 9)
        for command in ("", *COMMANDS):
            text = tributary("help", *command.split()).stdout
            self.assertEqual(len(self.examples(command)), 3, command)
            self.assertTrue(text.splitlines()[-1].startswith("    "), command)
            if command:
                self.assertEqual(tributary(command, "--help").stdout, text)
                self.assertIn(f"usage: tributary {command} [OPTIONS]", text)
        run = tributary("help", "run").stdout
        for title in ("Machine", "Work", "Conditions", "Output", "Observation"):
            self.assertIn(f"\n{title}:\n", run)
        self.assertEqual(tributary("--help").stdout, tributary("help").stdout)

    def test_the_manual_has_every_option_that_help_has(self):
        for command in COMMANDS:
            options = set(re.findall(r"^  (?:-h,)?--([a-z-]+)", tributary("help", command).stdout, re.MULTILINE))
            page = tributary("help", "--man", command).stdout.replace("\\-", "-")
            self.assertEqual({name for name in options if f"--{name}" not in page}, set(), command)
            self.assertRegex(page, r'^\.TH \S+ 1 "\d{4}-\d\d-\d\d" "tributary ')
            self.assertIn(".SH EXAMPLES", page)
            self.assertIn(".SH EXIT STATUS", page)

    def test_examples_of_the_help_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for shipped in ("testbench",):
                os.symlink(SOURCE / shipped, pathlib.Path(folder, shipped))
            for algorithm in ("push", "ring"):  # results that the examples of `energy` read
                stored = pathlib.Path(folder, algorithm + ".json")
                self.assertEqual(tributary("run", "--algorithm", algorithm, "--size", "64KiB", "--json", str(stored)).returncode, 0)
            for command in ("", *COMMANDS):
                for example in self.examples(command):
                    path = os.pathsep.join([str(TRIBUTARY.parent), os.environ["PATH"]])
                    done = subprocess.run(["bash", "-c", example], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, f"{example}: {done.stderr}")


class Stuck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_a_dead_link_is_the_cause_and_the_screen_is_short(self):
        path = pathlib.Path(self.folder.name, "waits.txt")
        link = "gpu3.port2>switch0_2.port3"
        run = ["run", "--size", "1MiB", "--json", "-", "--fault", f"down:{link}@1us"]
        done = tributary(*run, "--report", str(path))
        self.assertEqual(done.returncode, 3)
        lines = done.stderr[done.stderr.index("tributary: "):].splitlines()
        self.assertEqual(lines[:2], ["tributary: dead link: 0 of 1 messages done and kept", f"link {link} is dead since 1us"])
        self.assertLessEqual(len(lines), 40)
        waiters = path.read_text().splitlines()[2:]  # after the cause and the link
        self.assertGreater(len(waiters), 500)
        self.assertTrue(any(line == f"{len(waiters)} in total; full list in {path}" for line in lines), lines[-3:])
        row = json.loads(done.stdout)["results"][0]
        self.assertEqual((row["status"], row["report"]), ("dead_link", path.read_text()))
        oldest = lines[lines.index("longest waiting (times from the start of the run):") + 1:][:10]
        times = [float(number) for line in oldest for number in re.findall(r", since (\d+\.\d{3})us$", line)]
        self.assertEqual(len(times), 10)
        self.assertEqual(times, sorted(times))
        counts = [int(m.group(1)) for m in (re.match(r" *(\d+) x ", line) for line in lines) if m]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertEqual(sum(counts), len(waiters))

    def test_reports_of_other_families_are_as_short(self):
        for platform, size, limit in (("torus:8x8", "1MiB", "5us"), ("rack:6", "1MiB", "20us"), ("dgx1v", "4MiB", "20us"), ("tofino:4", "1MiB", "20us")):
            done = tributary("run", "--platform", platform, "--size", size, "--time-limit", limit, "--quiet")
            self.assertEqual(done.returncode, 3, platform)
            lines = done.stderr.splitlines()
            self.assertEqual(lines[0], "tributary: time limit reached: 0 of 1 messages done and kept")
            self.assertLessEqual(len(lines), 40)
            self.assertRegex(lines[-1], r"^\d+ in total; use --report FILE for the full list$")

    def test_a_report_needs_a_file_of_its_own(self):
        for value in ("-", "/nowhere/at/all"):
            done = tributary("run", "--size", "1KiB", "--report", value)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    def test_the_last_line_is_the_elapsed_time_and_quiet_omits_it(self):
        run = ("run", "--size", "4KiB")
        loud, quiet = tributary(*run).stdout.splitlines(), tributary(*run, "--quiet").stdout.splitlines()
        self.assertRegex(loud[-1], r"^# took \d+\.\d\d s, \d+\.\d\d s of processor time, \d+\.\d M packet-hops/s, \d+ MiB$")
        self.assertEqual(loud[:-1], quiet)


class Log(unittest.TestCase):
    def events(self, *options):
        done = tributary("run", "--size", "8KiB", "--gpus", "4", "--quiet", "--log-level", "trace", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, [line.removeprefix("tributary: trace: ") for line in done.stderr.splitlines() if line.startswith("tributary: trace: ")]

    def test_trace_is_a_log_of_the_events_of_a_block(self):
        screen, block = self.events("--trace-block", "62")
        self.assertEqual(block[0], "life of block 62")
        self.assertNotIn("life of", screen)  # the table is on standard output
        times = [float(line.split()[0]) for line in block[2:-5]]  # five markers at the end
        self.assertEqual(times, sorted(times))
        # One operand from each of four GPUs, one sum, an arrival at each.
        self.assertEqual(sum("sends red_write" in line for line in block), 4)
        self.assertEqual(sum(" adds: operand" in line or "allocated: operand" in line for line in block), 4)
        self.assertEqual(sum("complete, 4 of 4" in line for line in block), 1)
        self.assertEqual(sum("receives mc_write" in line for line in block), 4)

    def test_one_packet_and_the_first_block_are_logged(self):
        _, packet = self.events("--trace-block", "62:3")
        self.assertEqual(sum("sends red_write" in line for line in packet), 1)
        self.assertEqual(self.events()[1][0], "life of block 0")
        done = tributary("run", "--platform", "rack:4", "--algorithm", "ring", "--size", "8KiB", "--quiet", "--log-level", "trace")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "tributary: note: --log-level trace logs no block here; --trace-block N follows a block in a run of one message\n"))
        note = done.stderr
        done = tributary("run", "--platform", "dgx1v", "--algorithm", "nccl", "--size", "8KiB", "--quiet", "--log-level", "trace")
        self.assertEqual((done.returncode, done.stderr), (0, note))  # channels have no chunks of trees
        trees = tributary("run", "--platform", "dgx1v", "--size", "8KiB", "--quiet", "--log-level", "trace")
        self.assertIn("tributary: trace: life of chunk 0", trees.stderr)
        done = tributary("run", "--platform", "tofino:4", "--size", "8KiB", "--quiet", "--log-level", "trace")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "tributary: note: --log-level trace logs no block here; --trace GLOB shows signals\n"))


    def test_a_block_without_packets_of_its_own_says_why(self):
        done = tributary("run", "--platform", "dgx2", "--algorithm", "nccl", "--size", "8KiB", "--quiet", "--trace-block", "60")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# block 60 crossed no link: no packet was sent to its address; software sends to mailboxes at other addresses", done.stdout)


class Errors(unittest.TestCase):
    def refused(self, *arguments, words=()):
        done = tributary(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertRegex(done.stderr, r"^tributary: error: [^\n]+\n$")
        for word in words:
            self.assertIn(word, done.stderr)

    def test_errors_of_every_command_are_one_line(self):
        for command in COMMANDS:
            self.refused(command, "--no-such-option")
        for arguments in (["help", "rnu"], ["list", "platform"], ["list"], ["completion", "csh"], ["sweep"], ["sweep", "none.yaml", "--out", "x"],
                          ["train", "--model", "none"], ["schedule"], ["estimate", "--gpus", "0"], ["netlist", "--platform", "none"],
                          ["run"], ["list", "algorithms", "--platform", "none"], ["complete-me"]):
            self.refused(*arguments)

    def test_the_nearest_legal_name_is_suggested(self):
        for arguments, word in ((["--size", "8M"], "did you mean 8MB or 8MiB?"), (["--siz", "8MiB"], "did you mean --size?"),
                                (["--size", "1KiB", "--set", "table.bytes=1KiB"], "did you mean nvswitch.switch.reduction_table.bytes?"),
                                (["--size", "1KiB", "--set", "nvswitch.lnk.rate=1GB/s"], "did you mean nvswitch.link.rate?"),
                                (["--size", "1KiB", "--start", "5u"], "did you mean 5us?"),
                                (["--size", "1KiB", "--mode", "evnt"], "legal: windowed, event or fluid")):
            self.refused("run", *arguments, words=[word])
        self.refused("estimate", "--size", "8M", words=["did you mean 8MB or 8MiB?"])

    def test_a_full_disk_ends_every_command_with_3(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = pathlib.Path(folder, "s.yaml")
            scenario.write_text("size: [1KiB, 2KiB]\ngpus: 2\n")
            for arguments in (["run", "--size", "1KiB", "--json", "/dev/full"], ["run", "--size", "1KiB", "--csv", "/dev/full"],
                              ["run", "--size", "1KiB", "--vcd", "/dev/full"], ["run", "--size", "1KiB", "--perfetto", "/dev/full"],
                              ["run", "--size", "1KiB", "--perfetto-json", "/dev/full"],
                              ["run", "--size", "1KiB", "--html", "/dev/full"], ["run", "--size", "1KiB", "--nccl-text", "/dev/full"],
                              ["run", "--size", "1KiB", "--nccl-json", "/dev/full"], ["run", "--platform", "rack:4", "--size", "1KiB", "--pcap", "/dev/full"],
                              ["run", "--size", "1MiB", "--time-limit", "1us", "--report", "/dev/full"],
                              ["train", "--model", "scalesim-alphagozero", "--gpus", "2", "--json", "/dev/full"], ["schedule", "--topology", "mesh:2x2", "--json", "/dev/full"],
                              ["estimate", "--json", "/dev/full"], ["netlist", "--platform", "torus:2x2", "--json", "/dev/full"],
                              ["netlist", "--platform", "torus:2x2", "--dot", "/dev/full"], ["train", "--model", "scalesim-alphagozero", "--gpus", "2", "--write-graph", "/dev/full"]):
                done = tributary(*arguments)
                self.assertEqual(done.returncode, 3, arguments)
                self.assertIn("cannot write '/dev/full': No space left on device\n", done.stderr)
            with open("/dev/full", "w", encoding="utf-8") as full:
                for arguments in (["sweep", str(scenario), "--out", os.path.join(folder, "out"), "--quiet"], ["sweep", str(scenario), "--list"],
                                  ["help"], ["list", "parameters"], ["completion", "bash"], ["netlist"], ["train", "--model", "scalesim-alphagozero", "--gpus", "2"]):
                    done = subprocess.run([TRIBUTARY, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
                    self.assertEqual(done.returncode, 3, arguments)
                    self.assertRegex(done.stderr, r"cannot write to standard output")


class Lists(unittest.TestCase):
    PLATFORMS = ("dgx2", "torus:2x2", "mesh:2x3", "bigraph:4x4", "fat_tree_2level:16", "rack:4", "rack:2x2", "tofino:4", "dgx1v", "servers:2xdgx1p",
                 "file:testbench/workload/data/topologies/three_routers.anynet", "file:testbench/workload/data/topologies/dgx1v.xml",
                 "file:testbench/workload/data/topologies/h100.xml")

    FEWER = {"dgx1v": ["--gpus", "3"], "servers:2xdgx1p": ["--ranks", "0-2,8-10"],
             "file:testbench/workload/data/topologies/dgx1v.xml": ["--gpus", "3"]}  # trees of 8 GPUs need 0.7 s

    def methods(self, *options):
        done = tributary("list", "algorithms", *options, cwd=SOURCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        accepted, _, self.refused = done.stdout.partition("\n\n")
        return {tuple(line.split()[:2]) for line in accepted.splitlines()[1:]}

    def test_a_platform_gives_the_reason_of_each_algorithm_that_it_refuses(self):
        self.assertNotIn(("allreduce", "hdrm"), self.methods("--platform", "mesh:4x4"))
        rows = [line.split(maxsplit=2) for line in self.refused.splitlines()]
        self.assertEqual(rows[0], ["refused", "algorithm", "reason"])
        self.assertIn(["allreduce", "hdrm"], [row[:2] for row in rows])
        self.assertIn("hdrm needs a BiGraph, which mesh:4x4 is not", self.refused)
        self.assertIn("ring_2d", self.refused)  # its chunks overflow the tables; a message of 128 B does not show it
        self.methods("--platform", "bigraph:4x4")
        self.assertNotIn("hdrm", self.refused)
        self.methods("--platform", "dgx2")  # NCCL 2.4 has no sends
        self.assertEqual([line.split()[:2] for line in self.refused.splitlines()[1:]], [["alltoall", "nccl"], ["sendrecv", "nccl"]])

    def test_an_algorithm_of_other_platforms_is_refused_with_their_names(self):
        for platform, algorithm, words in (("dgx2", "netreduce", "hosts on Ethernet (rack, spine_leaf)"),
                                           ("rack:4", "multitree", "machines of GPUs (dgx2, a100, h100, h200, b200, nvl72, fat_tree, file), networks of NICs (torus, mesh,")):
            done = tributary("run", "--platform", platform, "--algorithm", algorithm, "--size", "1KiB")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"unknown allreduce algorithm '{algorithm}' on {platform}; it runs on {words}", done.stderr)

    def test_a_default_that_depends_on_the_size_of_the_machine_is_not_silent(self):
        for platform, note in (("mesh:2x2", ""), ("mesh:4x4", "ring is the default on mesh:4x4: multitree needs"), ("torus:4x4", ""), ("bigraph:2x4", ""),
                               ("bigraph:4x4", "ring is the default on bigraph:4x4: multitree needs"),
                               ("rack:2x2", "parallel_netreduce is the default on rack:2x2: netreduce needs")):
            run = ["run", "--platform", platform, "--size", "4KiB"]
            done = tributary(*run, "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            shown = [line for line in done.stderr.splitlines() if "note:" in line]
            self.assertEqual(["tributary: note: " + text for text in json.loads(done.stdout).get("notes", [])], shown)
            self.assertEqual(len(shown), 1 if note else 0, shown)
            self.assertIn(note, "".join(shown))
            self.assertNotIn("note:", tributary(*run, "--quiet").stderr)
            self.assertNotIn("note:", tributary(*run, "--algorithm", "ring").stderr)

    def test_a_platform_runs_exactly_the_algorithms_that_it_lists(self):
        every = self.methods()
        for number, platform in enumerate(self.PLATFORMS):
            listed = self.methods("--platform", platform)
            self.assertTrue(listed and listed < every, platform)
            # Each listed pair runs. A quarter of the others is tried on each platform, another quarter on the next one.
            others = sorted(every - listed)[number % 4 :: 4]
            for collective, algorithm in sorted(listed) + others:
                needed = {"multicast": ["--targets", "1", "--size", "1MiB"], "barrier": []}
                done = tributary("run", "--platform", platform, "--collective", collective, "--algorithm", algorithm, "--no-data", "--time-limit", "1ps",
                                 "--quiet", *needed.get(collective, ["--size", "1MiB"]), *self.FEWER.get(platform, []), cwd=SOURCE)
                self.assertEqual(done.returncode, 3 if (collective, algorithm) in listed else 2, (platform, collective, algorithm, done.stderr))
            collectives = {line.split()[0] for line in tributary("list", "collectives", "--platform", platform, cwd=SOURCE).stdout.splitlines()[1:]}
            self.assertEqual(collectives, {collective for collective, _ in listed}, platform)

    def test_a_platform_lists_its_parameters(self):
        for platform in ("torus:4x4", "rack:4", "tofino:4", "dgx1v"):
            parameters = [line.split()[0] for line in tributary("list", "parameters", "--platform", platform).stdout.splitlines()[1:]]
            document = json.loads(tributary("run", "--platform", platform, "--size", "4KiB", "--json", "-").stdout)
            self.assertEqual(parameters, list(document["parameters"]))


class Examples(unittest.TestCase):
    def test_every_scenario_and_sweep_runs_and_is_on_the_page(self):
        page = (SOURCE / "testbench/examples/README.md").read_text(encoding="utf-8")
        folders = ("scenarios", "sweeps", "explore")
        scenarios, sweeps, spaces = (sorted((SOURCE / "testbench/examples" / folder).glob("*.yaml")) for folder in folders)
        self.assertEqual(sorted(re.findall(r"\]\((\w+/\w+\.yaml)\)", page)),
                         sorted(str(path.relative_to(SOURCE / "testbench/examples")) for path in scenarios + sweeps + spaces))
        for scenario in scenarios:
            done = tributary("run", str(scenario), "--json", "-", "--quiet", cwd=SOURCE)
            self.assertEqual(done.returncode, 3 if scenario.stem == "dead_link" else 0, done.stderr)
            if scenario.stem == "small_table":
                self.assertGreater(json.loads(done.stdout)["results"][0]["counters"]["switch.evictions"], 0)
        for sweep in sweeps:
            with tempfile.TemporaryDirectory() as folder:
                done = tributary("sweep", str(sweep), "--out", folder, "--jobs", "2", "--quiet", cwd=SOURCE)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    run_tests()
