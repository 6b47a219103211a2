"""Time over the number of nodes (Figure 10), and lockstep against free running."""

from ..claim import REPORTED, Claim, arithmetic, verdict, within_half
from ..tools import show_size
from .scaling import SCALED, linearity, points


def weak_scaling(results):
    weak = {method: points(results, method, "weak") for method in SCALED}
    largest = max(weak["ring"])
    for method, line in weak.items():
        yield Claim(f"weak scaling is linear, {method}", "VI-B, Fig. 10", "R^2 above 0.99",
                    f"R^2 {linearity(line):.4f}, 16 to {largest} nodes",
                    verdict(linearity(line) > 0.99), "")
    for method, low, high in (("MultiTree", 3.0, 4.1), ("MultiTree, messages", 3.15, 4.3)):
        ratios = {nodes: weak["ring"][nodes] / weak[method][nodes] for nodes in weak["ring"]}
        yield Claim(f"ring over {method} in time, 375 KiB x N, by links", "[trees](../systems/multitree.md#trees)", f"{low} to {high}",
                    listed(ratios), arithmetic(all(low <= ratio <= high for ratio in ratios.values())), "")
    for baseline, stated, band in (("ring", 3, "3 (2 to 4)"), ("2D ring", 1.4, "1.4 (1.2 to 1.6)")):
        ratios = {nodes: weak[baseline][nodes] / weak["MultiTree, messages"][nodes] for nodes in weak[baseline]}
        holds = all(within_half(ratio, stated, from_value=1) for ratio in ratios.values())
        yield Claim(f"{baseline} over MultiTree, messages in time, 375 KiB x N", "VI-B, Fig. 10", band, listed(ratios), verdict(holds),
                    "" if holds else "both are at their bounds on links, and the ratio of the bounds grows with the torus")


def listed(ratios):
    return ", ".join(f"{nodes}: {ratio:.2f}" for nodes, ratio in ratios.items())


def strong_scaling(results):
    for method in SCALED:
        line = points(results, method, "strong")
        yield Claim(f"strong scaling, 6000 KiB, {method}", "near Fig. 10", "-", ", ".join(f"{n}: {ns / 1000:.1f}" for n,
                                                                                            ns in line.items()) + " us",
                    REPORTED, "")


def lockstep(results):
    rows = results["lockstep"]
    locked, free = ({int(r["size_bytes"]): r.number("time_ns") for r in rows.select(schedule_nic__nic__lockstep__kind=kind)}
                    for kind in ("every_step", "off"))
    for size in sorted(locked):
        gain = locked[size] / free[size] - 1
        large = size == max(locked)
        yield Claim(f"lockstep off, mesh 8x8, {show_size(size)}", "IV-B",
                    "equal within 1 % at 64 MiB" if large else "-", f"{100 * gain:+.2f} % bandwidth",
                    arithmetic(abs(gain) <= 0.01) if large else REPORTED, "")


ALL = (weak_scaling, strong_scaling, lockstep)
