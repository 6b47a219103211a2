"""Theoretical speed-up over rings (Figure 13)."""

from math import prod

from ..claim import REPORTED, Claim, arithmetic, verdict
from .servers import LINKS, NAMES
from .trees import COLLECTIVES, THIRD

FIG_13 = {("dgx1p", "broadcast"): (1.357, 2.0), ("dgx1v", "broadcast"): (1.612, 4.0),  # geometric mean, maximum
          ("dgx1p", "allreduce"): (1.666, 3.2), ("dgx1v", "allreduce"): (2.292, 6.4)}
WITH_A_THIRD = {("dgx1p", "broadcast"): (1.57, 3.0), ("dgx1v", "broadcast"): (1.94, 6.0),
                ("dgx1p", "allreduce"): (1.93, 4.8), ("dgx1v", "allreduce"): (2.76, 9.6)}
PAPER = {("dgx1v", "allreduce"): "; the text: up to 6"}
SPEED_UP = "[theory](../systems/blink.md#baseline)"


def geometric_mean(numbers):
    numbers = list(numbers)
    return prod(numbers) ** (1 / len(numbers))


def speed_ups(results, server, collective, pcie_ring=""):
    return sorted(d["speed_up"] for d in results["trees"].unique(server, collective, pcie_ring).values())


def middle(numbers):
    """Returns both middle values of an even count; twice the middle value of an odd count."""
    return numbers[(len(numbers) - 1) // 2], numbers[len(numbers) // 2]


def figure_13(results):
    for (server, collective), (mean, most) in FIG_13.items():
        found = speed_ups(results, server, collective)
        holds = abs(geometric_mean(found) / mean - 1) <= 0.01 and abs(max(found) / most - 1) <= 0.01
        yield Claim(f"theoretical speed-up, geometric mean and maximum, {NAMES[server]}, {collective}", f"{SPEED_UP}; drawn in Fig. 13",
                    f"{mean:.2f}, {most:g} (1 %)" + PAPER.get((server, collective), ""), f"{geometric_mean(found):.2f}, {max(found):.2f}",
                    arithmetic(holds), "")
    for collective, expected in (("broadcast", (1.5, 1.5)), ("allreduce", (2.0, 25 / 12))):
        found = middle(speed_ups(results, "dgx1v", collective))
        yield Claim(f"the same, the two classes in the middle of 46, DGX-1V, {collective}", "arithmetic; drawn in Fig. 13",
                    " and ".join(f"{e:.2f}" for e in expected) + " (1 %)", " and ".join(f"{f:.2f}" for f in found),
                    arithmetic(all(abs(f / e - 1) <= 0.01 for f, e in zip(found, expected))), "")
    least = min(speed_ups(results, s, c)[0] for s in LINKS for c in COLLECTIVES)
    yield Claim("minimum theoretical speed-up, both servers, both collectives", "Fig. 13: never slower", "1 or more", f"{least:.3f}",
                verdict(least >= 1 - 1e-9), "")


def rings_or_none(results):
    for server in LINKS:
        for collective in COLLECTIVES:
            found = results["trees"].unique(server, collective).values()
            without, with_rings = ([d["speed_up"] for d in found if (d["rings"] == 0) == none] for none in (True, False))
            judge, source = (verdict, "5.2: {1, 4, 5, 6}, {0, 1, 4}") if server == "dgx1v" else (arithmetic, SPEED_UP)
            yield Claim(f"GPUs without a ring have the maximum speed-up, {NAMES[server]}, {collective}", source,
                        "greatest without", f"{max(without):.2f} without a ring, {max(with_rings):.2f} with rings",
                        judge(max(without) > max(with_rings)), "")
    equal = [results["trees"].of("dgx1v", "broadcast", gpus)["speed_up"] for gpus in ((2, 3, 6, 7), tuple(range(8)))]
    yield Claim("equal numbers of rings and trees: {2, 3, 6, 7} and 8 V100, broadcast", "5.2", "1 and 1", " and ".join(f"{e:g}" for e in equal),
                verdict(equal == [1, 1]), "")


def slower_ring(results):
    for (server, collective), (mean, most) in WITH_A_THIRD.items():
        found = speed_ups(results, server, collective, THIRD)
        measured = {("dgx1v", "broadcast"): "; measured in the paper: 2, 6", ("dgx1p", "broadcast"): "; measured in the paper: 1.6, 3",
                    ("dgx1v", "allreduce"): "; measured in the paper: 2, 8"}.get((server, collective), "")
        yield Claim(f"the same with a PCIe ring of a third of a link, {NAMES[server]}, {collective}", "our reading",
                    f"{mean:.2f}, {most:g}{measured}", f"{geometric_mean(found):.2f}, {max(found):.2f}", REPORTED, "")


ALL = (figure_13, rings_or_none, slower_ring)
