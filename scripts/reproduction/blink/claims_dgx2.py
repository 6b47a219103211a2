"""All GPUs of a DGX-2: one-hop trees against double binary trees and rings (Figures 18 and 27)."""

from ..claim import REPORTED, Claim, arithmetic, gbps, verdict
from ..tools import show_size

KIB, MIB = 2**10, 2**20
LOW_LATENCY = 16 * KIB  # by the paper NCCL uses trees below this size
THRESHOLD = "the size from which NCCL runs rings without flags is an input, taken from the paper; another row has the size in NCCL's code"


def rates(results, algorithm):
    """Size -> GB/s at the best of several chunk sizes."""
    found = {}
    for row in results["dgx2"].select(algorithm=algorithm):
        size = int(row["size_bytes"])
        found[size] = max(found.get(size, 0), gbps(row))
    return found


def times(results, algorithm):
    """Size -> microseconds."""
    return {size: size / rate / 1000 for size, rate in rates(results, algorithm).items()}


def ratios(results):
    """Size -> time of NCCL over that of Blink."""
    mine, theirs = times(results, "blink"), times(results, "nccl")
    return {size: theirs[size] / mine[size] for size in sorted(mine)}


def listed(values, shown="{:.2f}"):
    return ", ".join(f"{show_size(size)} {shown.format(value)}" for size, value in sorted(values.items()))


def latency(results):
    found = {size: ratio for size, ratio in ratios(results).items() if size <= MIB}
    rings = {size: ratio for size, ratio in found.items() if size >= LOW_LATENCY}
    most = max(rings.values())
    yield Claim("all-reduce of 16 KiB to 1 MiB on 16 GPUs of a DGX-2: time of NCCL over time of Blink, maximum", "5.3, Fig. 27", "3.32",
                f"{most:.2f}: {listed(rings)}", REPORTED, THRESHOLD)
    yield own_threshold(results)
    trees = {size: ratio for size, ratio in found.items() if size < LOW_LATENCY}
    mine, theirs = ({size: us[size] for size in trees} for us in (times(results, "blink"), times(results, "nccl")))
    yield Claim("the same below 16 KiB, where NCCL uses double binary trees", "5.3, Fig. 27", "Blink is faster",
                f"{listed(trees)}; Blink {listed(mine, '{:.1f}')} us, NCCL {listed(theirs, '{:.1f}')} us", verdict(min(trees.values()) > 1),
                "a hop of NCCL's protocol for small messages lasts 0.47 us by its own constants, a command of Blink's streams 1 to 5 us")


def own_threshold(results):
    """Up to 3 MiB this NCCL sends flags among the data, on its rings."""
    mine = times(results, "blink")
    found = {int(row["size_bytes"]): row.number("time_ns") / 1000 / mine[int(row["size_bytes"])] for row in results["dgx2_low_latency"].rows}
    return Claim("the same with the limit in NCCL's code, 3 MiB: Blink is faster", "5.3, Fig. 27", "at every size",
                 listed(found), verdict(min(found.values()) > 1), "" if min(found.values()) > 1 else
                 "12 channels x 256 threads x 16 GPUs x 64 B are its limit (`enqueue.cu`); up to some 64 KiB its steps cost less than Blink's commands")


def throughput(results):
    found = {size: ratio for size, ratio in ratios(results).items() if size >= LOW_LATENCY}
    most = max(found, key=found.get)
    yield Claim("all-reduce of 16 KiB or more, 16 GPUs of a DGX-2: throughput of Blink over that of NCCL, maximum", "5.3, Fig. 18", "3.5",
                f"{found[most]:.2f} at {show_size(most)}: {listed(found)}", REPORTED, THRESHOLD)
    size = max(found)
    mine, theirs = rates(results, "blink")[size], rates(results, "nccl")[size]
    yield Claim(f"all-reduce of {show_size(size)}, the same: Blink over NCCL's rings", "[arithmetic](../systems/blink.md#dgx-2): both send 2(N-1)/N of it",
                "0.85 to 1.05", f"{mine:.1f} / {theirs:.1f} GB/s = {mine / theirs:.2f}", arithmetic(0.85 <= mine / theirs <= 1.05), "")


ALL = (latency, throughput)
