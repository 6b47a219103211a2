"""Figure 10: times on tori of N nodes."""

import math

from .networks import METHODS

PER_NODE = 375 * 1024
STRONG = 6000 * 1024
SCALED = ("MultiTree, messages", "MultiTree", "2D ring", "ring")


def points(results, method, kind):
    """N -> ns; weak: 375 KiB x N, strong: 6000 KiB for every N (equal at 16 nodes)."""
    algorithm, flow = METHODS[method]
    rows = results["fig10"].select(algorithm=algorithm, schedule_nic__flow_control__kind=flow)
    found = {}
    for row in rows:
        nodes = math.prod(map(int, row["platform"].removeprefix("torus:").split("x")))
        if row.number("size_bytes") == (PER_NODE * nodes if kind == "weak" else STRONG):
            found[nodes] = row.number("time_ns")
    return dict(sorted(found.items()))


def linearity(line):
    """Returns R^2 of a straight line through time over N."""
    xs, ys = list(line), list(line.values())
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    sxy = sum((x - x0) * (y - y0) for x, y in zip(xs, ys))
    return sxy**2 / (sum((x - x0)**2 for x in xs) * sum((y - y0)**2 for y in ys))
