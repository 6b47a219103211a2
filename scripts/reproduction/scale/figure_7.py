"""Figure 7 of NetReduce: parallel NetReduce (PN), Tencent's scheme (TA) and the flat ring (FR) over GPUs, tensor and Bi."""

import json
import subprocess

from ..tools import run

GPUS, SIZES, RATES = (32, 64, 128, 256, 512, 1024, 2048), (1, 3, 10, 30, 100, 300, 1000), (15.75, 25, 50, 75, 100, 150)
STANDARD = 2048, 100, 150
ALPHA, INTER, EACH = 1e-6, 12.5e9, 8


def measure(simulator, estimates):
    """(GPUs, MB, GB/s) -> Estimate, one run for each point. `mesh` instead of a rate: rings of NCCL on a DGX-1V in packet mode."""
    mesh = mesh_rate(simulator)
    return estimates.all({(gpus, size, rate): (gpus // EACH, size * 10**6, {"intra_rate": f"{rate}GB/s"})
                          for gpus in GPUS for size in SIZES for rate in RATES} |
                         {(gpus, 100, "mesh"): (gpus // EACH, 10**8, {"intra_rate": f"{mesh:.3f}GB/s"}) for gpus in GPUS})


def mesh_rate(simulator):
    """Returns Bi in GB/s of the hybrid cube mesh: the rate of a ring of 8 GPUs with the time of NCCL's all-reduce of 100 MB."""
    path = simulator.folder / "sweeps" / "mesh.json"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        run([simulator.binary, "run", "--platform", "dgx1v", "--algorithm", "nccl", "--size", "100MB", "--no-data", "--quiet", "--json", path],
            stdout=subprocess.DEVNULL)
    time_ns = json.loads(path.read_text(encoding="utf-8"))["results"][0]["time_ns"]
    return 2 * (EACH - 1) / EACH * 1e8 / time_ns


def by_equations(points):
    """The points of the paper's axes."""
    return {point: estimate for point, estimate in points.items() if point[2] != "mesh"}


def equations(gpus, size, rate):
    """Seconds by Eqs. (1) to (3)."""
    intra, tensor, log = rate * 1e9, size * 1e6, EACH.bit_length() - 1
    inside = 2 * (EACH - 1) / EACH / intra
    steps = (EACH * EACH + 3 * EACH * log - 3 * EACH + 2 * gpus) / EACH
    return {"ring, steps together": 2 * (gpus - 1) * (ALPHA + tensor / gpus / INTER),
            "tencent": steps * ALPHA + (2 * inside + 2 * (gpus - EACH) / gpus / INTER) * tensor,
            "parallel_netreduce": (2 * EACH - 1) * ALPHA + (inside + 1 / INTER) * tensor}


def gain(estimate, other):
    return estimate.seconds[other] / estimate.seconds["parallel_netreduce"]
