"""Rows of the sweeps over allocations: by collective, server and GPUs."""

from ..claim import gbps


def endpoints(text):
    """`0-1,3` as (0, 1, 3)."""
    gpus = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        gpus += range(int(first), int(last or first) + 1)
    return tuple(gpus)


def best(rows):
    """GPUs -> the fastest row over several chunk sizes, which the paper's tuner would find."""
    found = {}
    for row in rows:
        gpus = endpoints(row["endpoints"])
        if row["status"] == "done" and (gpus not in found or gbps(row) > gbps(found[gpus])):
            found[gpus] = row
    return found


def both(results, server, collective):
    """GPUs -> (GB/s of Blink, GB/s of NCCL), by number of GPUs, then by their numbers."""
    mine, rings = (best(results["allocations"].select(platform=server, collective=collective, algorithm=algorithm))
                   for algorithm in ("blink", "nccl"))
    return {gpus: (gbps(mine[gpus]), gbps(rings[gpus])) for gpus in sorted(mine, key=lambda g: (len(g), g)) if gpus in rings}


def chunk_of(text):
    """`4MB` in bytes."""
    return int(float(text.removesuffix("MB")) * 10**6)
