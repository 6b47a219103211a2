"""Tuning of the chunk size over iterations (Figure 11)."""

from ..claim import Claim, arithmetic, gbps, verdict
from .runs import chunk_of


def iterations(results):
    """Returns (chunk in bytes, GB/s) of each iteration, and chunk -> GB/s of fixed chunks."""
    rows = results["tuner"].rows
    tuned = sorted((row for row in rows if row["blink.chunk"] == "auto"), key=lambda row: int(row["iteration"]))
    return ([(int(row.number("tuned.chunk")), gbps(row)) for row in tuned],
            {chunk_of(row["blink.chunk"]): gbps(row) for row in rows if row["blink.chunk"] != "auto"})


def tuner(results):
    tuned, fixed = iterations(results)
    most = max(fixed, key=fixed.get)
    last = tuned[-1][1]
    steady = next(i for i in range(len(tuned)) if all(abs(rate / last - 1) <= 0.01 for _, rate in tuned[i:])) + 1
    text = ", ".join(f"{chunk / 1e6:g} MB {rate:.1f}" for chunk, rate in tuned)
    yield Claim("iterations until the tuned rate is within 1 % of its last, broadcast on 4 V100, 500 MB", "4.2, Fig. 11", "4 (3 to 6)",
                f"{steady}: {text} GB/s", verdict(3 <= steady <= 6), "" if 3 <= steady <= 6 else
                "the curve over chunk sizes is flat above 2 MB" if steady < 3 else "")
    yield Claim("tuned rate after 12 iterations over the best fixed chunk, the same", "4.2", "at most 10 % off",
                f"{last:.1f} of {fixed[most]:.1f} GB/s ({most / 1e6:g} MB): {100 * (1 - last / fixed[most]):.1f} % off",
                arithmetic(last >= 0.9 * fixed[most]), "")
    smaller, larger = fixed[min(fixed)], fixed[max(fixed)]
    yield Claim("a chunk size between 1 and 16 MB is the best, the same", "4.2: overheads against the fill of trees", "both ends are slower",
                ", ".join(f"{c / 1e6:g} MB {r:.1f}" for c, r in sorted(fixed.items())) + " GB/s",
                verdict(fixed[most] > max(smaller, larger)), "")


ALL = (tuner,)
