"""Runs `tributary train`, and keeps its output."""

import hashlib
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

from ..tools import Failure, run


class Step:
    """A training iteration; times in us."""

    def __init__(self, document):
        self.document = document
        row = document["iterations"][0]
        self.time = row["time_ns"] / 1e3
        self.compute, self.optimizer = row["compute_ns"] / 1e3, row["optimizer_ns"] / 1e3
        self.transfers = {t["size_bytes"]: (t["time_ns"] + t["software_ns"]) / 1e3 for t in document["transfers"]}
        self.software = max((t["software_ns"] / 1e3 for t in document["transfers"]), default=0)

    def communication(self):
        """Sum of the durations of all transfers."""
        return sum(t["operations"] * (t["time_ns"] + t["software_ns"]) for t in self.document["transfers"]) / 1e3

    def rate(self):
        """Samples or tokens a second of all ranks."""
        return self.document.get("samples_per_s") or self.document["tokens_per_s"]

    def messages(self):
        """(time when ready, bytes) of each message."""
        return sorted((o["ready_ns"] / 1e3, o["size_bytes"]) for o in self.document["operations"])

    def with_transfers(self, time_of):
        """Returns the iteration for transfers of these durations: in order, each as soon as it is ready; then the optimizer."""
        end = 0
        for ready, size in self.messages():
            end = max(end, ready) + time_of(size)
        return max(end, self.compute) + self.optimizer


class Steps:
    def __init__(self, simulator):
        self.simulator, self.folder = simulator, simulator.folder / "sweeps" / "training"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.seconds = {}  # CPU time by file

    def train(self, platform, algorithm, preset, model, *more):
        """Returns one run, or its stored output."""
        arguments = ["--platform", platform, "--algorithm", algorithm, "--preset", preset, "--model", model, *map(str, more)]
        path = self.folder / (hashlib.sha256("\0".join(arguments).encode()).hexdigest()[:16] + ".json")
        if not path.exists():
            run([self.simulator.binary, "train", "--quiet", *arguments, "--json", path], stdout=subprocess.DEVNULL)
        document = json.loads(path.read_text(encoding="utf-8"))
        if not document["iterations"]:
            raise Failure(f"no iteration: {' '.join(arguments)}")
        self.seconds[path] = document["kernel"]["cpu_s"]
        return Step(document)

    def all(self, wanted):
        """Runs name -> arguments of train, with the concurrency of the simulator; returns name -> Step."""
        with ThreadPoolExecutor(self.simulator.jobs) as pool:
            return dict(zip(wanted, pool.map(lambda arguments: self.train(*arguments), wanted.values())))

    def cpu_seconds(self):
        """Total of all requested runs, including stored ones."""
        return sum(self.seconds.values())
