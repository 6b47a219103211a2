"""Runs that end in each status: exit code, table, JSON, CSV, the formats of nccl-tests, and sweeps.

usage: test_statuses.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import io
import json
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import unittest

from executable import SANITIZED, SOURCE, TRIBUTARY, run_tests, tributary

FAULT = "down:gpu0.port0>switch0_0.port0@100ns"
TINY = [f"nvswitch.switch.{name}=144B" for name in ("input_buffer", "output_queue", "table_queue", "replication_buffer.bytes")]
# A result goes up after its operand came down: on one VC, with small buffers, packets wait for each other in a cycle.
CYCLE = ["nvswitch.switch.push_result_vc=request", "nvswitch.gpu.dma.waves=0", "nvswitch.fabric.hash=random", *TINY]
# The round trip of 2 ms is longer than all retries.
# By this rule a late duplicate is added to the sum of another message.
DUPLICATES = ["netreduce.aggregation.rule=full", "netreduce.flow_control.window=2", "netreduce.flow_control.message_packets=8",
              "netreduce.nic.retry_count=0", "watchdog.window=950us"]
LATE = ["netreduce.nic.retry_count=7", "netreduce.link.latency=1ms"]


def settings(parameters):
    return [word for parameter in parameters for word in ("--set", parameter)]


ENDS = {
    "done": (0, ["--size", "8KiB", "--gpus", "4"]),
    "deadlock": (3, ["--algorithm", "push", "--size", "256KiB", *settings(CYCLE)]),
    "no_progress": (3, ["--algorithm", "ring", "--gpus", "4", "--size", "4KiB",
                        *settings(["nvswitch.gpu.memory.latency=1ms", "watchdog.window=100us"])]),
    "gave_up": (3, ["--platform", "rack:2", "--algorithm", "netreduce", "--size", "4KiB", *settings(LATE)]),
    "dead_link": (3, ["--size", "8KiB", "--gpus", "4", "--fault", FAULT]),
    "time_limit": (3, ["--size", "64KiB", "--time-limit", "500ns"]),
    "too_long": (3, ["--algorithm", "ring", "--size", "64MiB", "--no-data", "--set", "watchdog.patience=1s"]),
    "wrong": (1, ["--platform", "rack:4", "--algorithm", "netreduce", "--size", "48KiB", "--fault", "drop:ack:1:0:36", *settings(DUPLICATES)]),
}
HEADLINES = {"deadlock": "deadlock", "no_progress": "no progress", "gave_up": "gave up", "dead_link": "dead link",
             "time_limit": "time limit reached", "out_of_memory": "out of memory", "interrupted": "interrupted"}
ONE_LINE = {"too_long": r"tributary: too long: at least 0\.1 x 10\^9 packet-hops, about 1\d s of processor time; watchdog\.patience is 1 s \(legal: "
                        r"--mode fluid, a smaller message, or more watchdog\.patience\) \(0 of 1 messages done and kept\)\n$"}


class Formats(unittest.TestCase):
    def run_into(self, folder, arguments, **process):
        files = {name: pathlib.Path(folder, name) for name in ("json", "csv", "nccl-text", "nccl-json")}
        outputs = [word for name, path in files.items() for word in (f"--{name}", str(path))]
        done = subprocess.run([TRIBUTARY, "run", *arguments, "--quiet", *outputs], capture_output=True, text=True, **process)
        return done, {name: path.read_text() for name, path in files.items()}

    def run_out_of_memory(self, folder):
        return self.run_into(folder, ["--platform", "rack:8", "--algorithm", "ring", "--size", "16MiB"],
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20)))

    def interrupt(self, folder):
        names = {name: pathlib.Path(folder, name) for name in ("json", "csv", "nccl-text", "nccl-json")}
        command = [TRIBUTARY, "run", "--size", "1GiB", "--no-data", "--quiet", *[word for name, path in names.items() for word in (f"--{name}", str(path))]]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            first = process.stdout.readline()  # the title: the run begins, and takes minutes
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, first + out, errors), {name: path.read_text() for name, path in names.items()}

    def test_each_end_has_its_status_in_every_format(self):
        ends = {status: (code, lambda folder, a=arguments: self.run_into(folder, a)) for status, (code, arguments) in ENDS.items()}
        ends["interrupted"] = (3, self.interrupt)
        if not SANITIZED:  # sanitizers reserve the address space
            ends["out_of_memory"] = (3, self.run_out_of_memory)
        names = re.findall(r"^\| `(\w+)` \| .* \| \d \|$", (SOURCE / "docs/result_files.md").read_text(), re.MULTILINE)
        self.assertEqual(len(names), 14)
        # test_report checks bad_value, as values are checked before a run; test_block_checks runs shadows and wrong blocks.
        self.assertEqual(set(names) - set(ends) - {"out_of_memory"}, {"bad_value", "shadow_differs", "shadow_stopped", "block_wrong"})
        for status, (code, run) in ends.items():
            complete = status in ("done", "wrong")
            with self.subTest(status=status), tempfile.TemporaryDirectory() as folder:
                done, files = run(folder)
                self.assertEqual(done.returncode, code, done.stderr)
                row = json.loads(files["json"])["results"][0]
                (cells,) = csv.DictReader(io.StringIO(files["csv"]))
                nccl = json.loads(files["nccl-json"])
                self.assertEqual((row["status"], cells["status"]), (status, status))
                for name in ("time_ns", "algbw_GBps", "busbw_GBps", "wrong"):
                    if name == "wrong" and status == "interrupted":
                        continue  # its run has no data
                    self.assertEqual(row[name] is None, not complete, name)
                    self.assertEqual(cells[name] == "", not complete, name)
                self.assertEqual(nccl["out_of_bounds"]["okay"], "true" if code == 0 else "false")
                self.assertEqual(len(nccl["results"]), 1 if complete else 0)
                self.assertEqual("FAILED" in files["nccl-text"], code != 0)
                if code != 0:
                    self.assertIn(f" {status}", done.stdout)
                if complete:
                    self.assertEqual(nccl["errors"], [])
                    continue
                if status in ONE_LINE:
                    self.assertRegex(done.stderr, ONE_LINE[status])
                else:
                    self.assertIn(f"tributary: {HEADLINES[status]}: 0 of 1 messages done and kept", done.stderr)
                self.assertRegex(nccl["errors"][0], rf"^{row['size_bytes']} B: {status}{'' if status == 'interrupted' else ': .'}")
                self.assertIn(f"\n# error: {row['size_bytes']} B: {status}", files["nccl-text"])
                self.assertNotIn("concluded", files["nccl-text"])

    def test_finished_messages_stay_in_the_formats_of_nccl_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            done, files = self.run_into(folder, ["--gpus", "4", "--sizes", "4B:64KiB:x16384", "--fault", "down:gpu0.port0>switch0_0.port0@900ns"])
            self.assertEqual(done.returncode, 3, done.stderr)
            rows = json.loads(files["json"])["results"]
            self.assertEqual([row["status"] for row in rows], ["done", "dead_link"])
            nccl = json.loads(files["nccl-json"])
            self.assertEqual((len(nccl["results"]), len(nccl["errors"])), (1, 1))

    def test_durations_in_messages_have_readable_units(self):
        done = tributary("run", "--platform", "tofino:2", "--algorithm", "switchml", "--size", "4KiB", "--set",
                         "tofino.switchml.timeout=10s", "--fault", "drop:host0.port0>switch.port0:1", "--set", "watchdog.window=25934165760ps")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("nothing has moved for 25.9ms", done.stderr)
        self.assertIsNone(re.search(r"\d{6,}ps", done.stderr))

    def test_a_fixed_scale_that_the_data_exceed_is_bad_input(self):
        for algorithm in ("switchml", "switchml_rdma"):
            done = tributary("run", "--platform", "tofino:2", "--algorithm", algorithm, "--size", "4KiB", "--set", "tofino.switchml.scaling=fixed")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, r"^tributary: error: .*can exceed 32 bits; legal: tofino.switchml.scale up to 32767, .*\n$")


class Sweeps(unittest.TestCase):
    def test_a_stuck_point_has_empty_cells_and_is_a_gap_in_a_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            sweep = pathlib.Path(folder, "sweep.yaml")
            sweep.write_text("platform: dgx2\ngpus: 4\nalgorithm: push\nno-data: true\nsize: [4KiB, 8KiB, 16KiB]\ntime-limit: [700ns, 1ms]\n")
            done = tributary("sweep", str(sweep), "--out", folder + "/out", "--quiet")
            self.assertEqual(done.returncode, 3, done.stderr)
            rows = list(csv.DictReader(pathlib.Path(folder, "out/results.csv").read_text().splitlines()))
            self.assertEqual(len(rows), 6)
            self.assertEqual({row["status"] for row in rows}, {"done", "time_limit"})
            for row in rows:
                self.assertEqual(row["time_ns"] == "", row["status"] != "done")
                self.assertEqual(row["algbw_GBps"] == "", row["status"] != "done")
            again = tributary("sweep", str(sweep), "--out", folder + "/out", "--quiet")  # every status is final
            self.assertEqual(again.returncode, 3)
            picture = tributary("plot", folder + "/out/results.csv", "--x", "size_bytes", "--y", "algbw_GBps", "--by", "time-limit", "-o",
                                folder + "/plot.svg")
            self.assertEqual(picture.returncode, 0, picture.stderr)


if __name__ == "__main__":
    run_tests()
