"""Runs `tributary estimate --mode fluid`, and keeps its output, time and memory."""

import hashlib
import json
import os
import subprocess
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

from ..tools import Failure

Estimate = namedtuple("Estimate", "seconds cpu_s memory")
Estimate.__doc__ = "algorithm -> seconds of the all-reduce; processor time and largest memory (B) of the run."


class Estimates:
    def __init__(self, simulator):
        self.simulator, self.folder = simulator, simulator.folder / "sweeps" / "estimates"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.used = {}  # processor time by file

    def one(self, machines, size, **options):
        """Returns one run, or its stored output. options: gpus, intra_rate, inter_rate, alpha."""
        arguments = ["--mode", "fluid", "--machines", str(machines), "--size", f"{size}B"]
        for name, value in sorted(options.items()):
            arguments += ["--" + name.replace("_", "-"), str(value)]
        path = self.folder / (hashlib.sha256("\0".join(arguments).encode()).hexdigest()[:16] + ".json")
        if not path.exists():
            self.run(arguments, path)
        kept = json.loads(path.read_text(encoding="utf-8"))
        self.used[path] = kept["cpu_s"]
        return Estimate({flow["algorithm"]: flow["seconds"] for flow in kept["flows"]}, kept["cpu_s"], kept["memory"])

    def run(self, arguments, path):
        command = [str(self.simulator.binary), "estimate", *arguments, "--json", "-"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            text = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Failure(f"'{' '.join(command)}' ended with exit code {process.returncode}")
        kept = {"flows": json.loads(text)["flows"], "cpu_s": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss * 1024}
        path.with_suffix(".part").write_text(json.dumps(kept), encoding="utf-8")
        path.with_suffix(".part").replace(path)

    def all(self, wanted):
        """name -> (machines, bytes, options): name -> Estimate."""
        with ThreadPoolExecutor(self.simulator.jobs) as pool:
            return dict(zip(wanted, pool.map(lambda w: self.one(w[0], w[1], **w[2]), wanted.values())))

    def cpu_seconds(self):
        """Total of all requested runs, including stored ones."""
        return sum(self.used.values())
