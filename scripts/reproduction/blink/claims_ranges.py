"""Sensitivity of the rows on PCIe and on a DGX-2 to each parameter that no public figure fixes, over its plausible range."""

from ..claim import REPORTED, Claim, gbps, mean
from ..tools import show_size
from .claims_beyond import gains
from .claims_dgx2 import times
from .runs import endpoints

PEER_SWITCH = "blink.host.peer_switch"  # 450 us


def hybrids(results):
    """Returns the gain by PCIe in a broadcast: the mean of 3 and 4 GPUs, and of 7 and 8."""
    every = {len(gpus): rates for gpus, rates in gains(results).items()}
    found = {"450us": {gpus: rates[1] - rates[0] for gpus, rates in every.items()}}
    for row in results["hybrid_ranges"].rows:
        gpus = len(endpoints(row["endpoints"]))
        found.setdefault(row[PEER_SWITCH], {})[gpus] = gbps(row) - every[gpus][0]
    means = {value: (mean(more[n] for n in (3, 4)), mean(more[n] for n in (7, 8))) for value, more in found.items()}
    text = "; ".join(f"{few:+.1f}, {many:+.1f} at {value}" for value, (few, many) in sorted(means.items(), key=lambda item: -item[1][0]))
    yield Claim(f"gain by PCIe in a broadcast of 500 MB on 3 and 4, and on 7 and 8 V100, over `{PEER_SWITCH}`", "Fig. 26", "-", f"{text} (GB/s)",
                REPORTED, "450 us are calibrated on this figure; a shorter switch sends more over PCIe, and a chain of 7 or 8 GPUs fills more slowly than Eq. (8) assumes")


def dgx2(results):
    """Time of NCCL over time of Blink, for each parameter of either."""
    rows = results["dgx2_ranges"].rows
    for size in sorted({int(row["size_bytes"]) for row in rows}):
        mine, theirs = times(results, "blink")[size], times(results, "nccl")[size]
        for name in sorted(column for column in rows[0] if column.startswith("nvswitch.")):
            varied = {row[name]: row.number("time_ns") / 1000 for row in rows if row.get(name, "") and int(row["size_bytes"]) == size}
            of_nccl = ".nccl." in name
            ratios = {value: us / mine if of_nccl else theirs / us for value, us in varied.items()}
            spread = max(*ratios.values(), theirs / mine) / min(*ratios.values(), theirs / mine) - 1
            if spread < 0.005:
                continue
            yield Claim(f"all-reduce of {show_size(size)} on 16 GPUs of a DGX-2, time of NCCL over that of Blink, over `{name}`",
                        f"default: {theirs / mine:.2f}", "-", ", ".join(f"{ratio:.2f} at {value}" for value, ratio in ratios.items()), REPORTED, "")


ALL = (hybrids, dgx2)
