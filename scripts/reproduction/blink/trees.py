"""Output of `tributary schedule` for all sets of 3 to 8 GPUs of both servers: trees, rates, rings, theoretical speed-up."""

import json
import resource
import subprocess
from concurrent.futures import ThreadPoolExecutor

from ..tools import Failure, say
from .servers import LINKS, classes, sets

COLLECTIVES = ("broadcast", "allreduce")
THIRD = "0.3333333333333333"  # fraction of a link: the slower ring over PCIe


class Trees:
    """Documents by server, collective and GPUs (None: refused), and of a representative of each class."""

    def __init__(self, documents):
        self.documents = documents

    def of(self, server, collective, gpus, root=0, pcie_ring=""):
        return self.documents[key(server, collective, gpus, root, pcie_ring)]

    def unique(self, server, collective, pcie_ring=""):
        """GPUs -> document, a set of each class that NVLinks join."""
        return {members[0]: self.of(server, collective, members[0], pcie_ring=pcie_ring) for members in classes(server).values()}


def key(server, collective, gpus, root, pcie_ring):
    return " ".join((server, collective, ",".join(map(str, gpus)), str(root), pcie_ring))


def wanted():
    asked = [(server, collective, gpus, 0, "") for server in LINKS for collective in COLLECTIVES for gpus in sets()]
    for server in LINKS:
        for gpus in (members[0] for members in classes(server).values()):
            asked += [(server, "broadcast", gpus, root, "") for root in range(1, len(gpus))]
            asked += [(server, collective, gpus, 0, THIRD) for collective in COLLECTIVES]
    return asked


def ask(binary, server, collective, gpus, root, pcie_ring):
    command = [binary, "schedule", "--topology", server, "--algorithm", "blink", "--collective", collective, "--ranks",
               ",".join(map(str, gpus)), "--json", "-"]
    command += ["--root", root] if root else []
    command += ["--pcie-ring", pcie_ring] if pcie_ring else []
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return json.loads(done.stdout)
    if done.returncode == 2 and "NVLinks do not join" in done.stderr:
        return None
    raise Failure(f"'{' '.join(map(str, command))}' ended with exit code {done.returncode}: {done.stderr.strip()}")


def trees(simulator):
    """Runs all of them, or reads the stored output of the same simulator."""
    path = simulator.folder / "sweeps" / "trees.json"  # deleted with the sweeps when the simulator changes
    if not path.exists():
        before, asked = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, wanted()
        with ThreadPoolExecutor(simulator.jobs) as pool:
            found = list(pool.map(lambda one: ask(simulator.binary, *one), asked))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({key(*one): document for one, document in zip(asked, found)}), encoding="utf-8")
        say(f"trees: {len(asked)} schedules, {resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before:.0f} s of CPU time")
    return Trees(json.loads(path.read_text(encoding="utf-8")))
