"""Against the cycles of the authors' own simulator (authors.csv), at its parameters."""

import csv
from pathlib import Path

from ..claim import REPORTED, Claim, verdict
from .networks import name_of

# (algorithm, topology, KiB) -> how far apart the two may be, of theirs.
TOLERANCES = {("ring", "torus:4x4", 1024): 0.02, ("multitree", "torus:4x4", 1024): 0.08,
              ("double_binary_tree", "torus:4x4", 1024): 0.08, ("ring", "torus:4x4", 32): 0.08,
              ("multitree", "torus:4x4", 32): 0.08}
NAMES = {"ring": "ring", "ring_2d": "2D ring", "multitree": "MultiTree with messages (theirs: `multitree_delta`)",
         "double_binary_tree": "double binary tree, each half one segment (theirs: `dtree`)"}
TEN_STEPS = ("theirs takes ten steps of 327 cycles, each as long as serialisation and latency; here a step waits for "
             "serialisation alone, so that a small message is bound by the height of the trees ([lockstep](../systems/multitree.md#lockstep-of-other-steps))")


def reason(algorithm, topology, size, expected, found):
    """Why the two are apart, where it is known; size in KiB."""
    if algorithm == "ring_2d":
        return "theirs simulates half of the work and doubles it"
    if (algorithm, topology, size) == ("multitree", "torus:4x4", 32):
        return TEN_STEPS
    if algorithm == "double_binary_tree":
        half = size * 1024 / 2 / 256 * 17  # cycles of a half on a link, head flits included
        text = (f"theirs takes as long as {expected / half:.1f} transfers of a half one after another, here it is as long as "
                f"{found / half:.1f}")
        if size < 1024:
            return text + ", latency included"
        return text + ("; both trees cross the same links (5 halves on the busiest), where messages most likely wait for "
                       "each other")
    return ""


def theirs():
    text = (Path(__file__).resolve().parent / "authors.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in text if not line.startswith("#")))


def cycles(results):
    for row in theirs():
        algorithm, topology, size = row["algorithm"], row["topology"], int(row["data_KiB"])
        found = results["authors"].one(platform=topology, algorithm=algorithm, size_bytes=size * 1024).number("time_ns")
        expected = float(row["cycles"])
        apart = found / expected - 1
        tolerance = TOLERANCES.get((algorithm, topology, size))
        holds = tolerance is not None and abs(apart) <= tolerance
        yield Claim(f"{NAMES[algorithm]}, {name_of(topology)}, {size} KiB, in cycles", "the authors' simulator",
                    row["cycles"] + (f" (within {100 * tolerance:.0f} %)" if tolerance else ""),
                    f"{found:.0f}: {100 * apart:+.1f} %", REPORTED if tolerance is None else verdict(holds),
                    "" if holds or (abs(apart) < 0.08 and tolerance is None) else
                    reason(algorithm, topology, size, expected, found))


ALL = (cycles,)
