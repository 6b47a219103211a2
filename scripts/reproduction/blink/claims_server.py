"""One server: Blink against NCCL over all allocations (Figures 14 to 16)."""

from ..claim import REPORTED, Claim, mean, verdict
from .claims_theory import geometric_mean
from .claims_trees import shown
from .runs import both
from .servers import NAMES, links_of_rings

# (server, collective) -> source, the paper's text, fixed bands of the geometric mean and of the maximum
SPEED_UPS = {
    ("dgx1v", "broadcast"): ("Fig. 14", "2; up to 6", (1.6, 2.4), (4, 8)),
    ("dgx1p", "broadcast"): ("Fig. 15", "1.6; up to 3", (1.4, 1.8), (2, 4)),
    ("dgx1v", "allreduce"): ("Fig. 16", "2; up to 8", (1.7, 2.5), (5, 9)),
}


SHARED_LINKS = ("trees that share links wait for each other: without the cost of commands and kernels they carry 67 of 79 GB/s (2 GB), "
                "commands and the fill of trees cost 6 GB/s more; a step of NCCL with a sum costs no more than one without")
EQUAL_RINGS = {"dgx1v": "a link carries 3.5 GB/s more in packets than a ring of 20; launches and the fill of trees leave 1 to 3 GB/s of it for each ring",
               "dgx1p": "a link carries 0.8 GB/s more in packets than a ring of 18; launches and the fill of trees cost more than that"}
# Reasons of the rows that are not reproduced.
REASONS = {
    ("dgx1p", "broadcast", "least"): "18 GB/s a ring, NCCL's own constant, is 96 % of the packet rate of an NVLink of a P100; "
                                     "launches and the fill of trees cost more",
    ("dgx1v", "allreduce", "mean"): "a ring of a third of a link over PCIe, as the measured broadcasts imply, gives 2.76 in theory, too",
    ("dgx1v", "allreduce", "greatest"): "the same: in theory 9.6 with a PCIe ring of a third of a link",
    ("dgx1v", "allreduce", "least"): "27/8 links in trees against 48/14 in rings; " + SHARED_LINKS,
}


def band(limits):
    return f"{limits[0]:g} to {limits[1]:g}"


def speed_ups(results):
    for (server, collective), (source, paper, means, maxima) in SPEED_UPS.items():
        found = {gpus: mine / rings for gpus, (mine, rings) in both(results, server, collective).items()}
        average, most, least = geometric_mean(found.values()), max(found, key=found.get), min(found, key=found.get)

        def judged(holds, row):
            return verdict(holds), "" if holds else REASONS.get((server, collective, row), "")

        what = f"{NAMES[server]}, {collective}, 500 MB, {len(found)} classes"
        yield Claim(f"Blink over NCCL, geometric mean, {what}", source, f"{paper.split(';')[0]} ({band(means)})", f"{average:.2f}",
                    *judged(means[0] <= average <= means[1], "mean"))
        yield Claim(f"Blink over NCCL, maximum, {what}", source, f"{paper.split('; ')[1]} ({band(maxima)})",
                    f"{found[most]:.2f}, of {shown(most)}", *judged(maxima[0] <= found[most] <= maxima[1], "greatest"))
        yield Claim(f"Blink over NCCL, minimum, {what}", f"{source}: never slower", "1 or more", f"{found[least]:.3f}, of {shown(least)}",
                    *judged(found[least] >= 1, "least"))


def allreduce_and_broadcast(results):
    sums, copies = ({gpus: mine for gpus, (mine, _) in both(results, "dgx1v", collective).items()}
                    for collective in ("allreduce", "broadcast"))
    eight = tuple(range(8))
    ratio = sums[eight] / copies[eight]
    yield Claim("Blink's all-reduce over its broadcast, 8 V100", "5.2, Fig. 16: about half", "0.45 to 0.6",
                f"{sums[eight]:.1f} / {copies[eight]:.1f} = {ratio:.3f}", verdict(0.45 <= ratio <= 0.6), "")
    slower = [gpus for gpus in sums if sums[gpus] >= copies[gpus]]
    yield Claim("Blink's all-reduce is below its broadcast, all classes of a DGX-1V", "5.2", "always",
                f"not in {len(slower)} of {len(sums)}" if slower else "always", verdict(not slower), "")
    yield from difference(results, {gpus: copies[gpus] - sums[gpus] for gpus in sums if len(gpus) <= 4})


def difference(results, less):
    """GPUs -> GB/s of a broadcast minus GB/s of an all-reduce."""
    most, average = max(less, key=less.get), mean(less.values())
    rates = {gpus: tuple(results["trees"].of("dgx1v", collective, gpus)["rate"] for collective in ("broadcast", "allreduce"))
             for gpus in less}
    alike = [less[gpus] for gpus, (copies, sums) in rates.items() if copies == sums]
    inside = [gpus for gpus in less if 20 <= less[gpus] <= 30]
    holds = 15 <= average <= 35
    yield Claim("broadcast minus all-reduce, 3 and 4 V100, mean", "5.2, Fig. 16", "20 to 30 GB/s (15 to 35)",
                f"{average:.1f} GB/s; {less[most]:.1f} at most, of {shown(most)}; 20 to 30 of {', '.join(map(shown, inside)) or 'none'}", verdict(holds),
                "" if holds else f"{len(alike)} of the {len(less)} classes have trees of equal rate for both, and their all-reduces are {min(alike):.1f} to {max(alike):.1f} GB/s slower")


def without_figure(results):
    """All-reduces on a DGX-1P, which the paper does not show; the quick form does not run them."""
    found = {gpus: mine / rings for gpus, (mine, rings) in both(results, "dgx1p", "allreduce").items()}
    if found:
        least = min(found, key=found.get)
        yield Claim(f"Blink over NCCL, {NAMES['dgx1p']}, allreduce, 500 MB, {len(found)} classes: geometric mean, maximum, minimum", "-", "-",
                    f"{geometric_mean(found.values()):.2f}, {max(found.values()):.2f}, {found[least]:.3f}, of {shown(least)}", REPORTED, "")


def by_rings(results, server, found):
    """Formats GPUs -> GB/s as `2 rings +4.2 to +6.0, 4 rings ... GB/s`."""
    groups = {}
    for gpus, more in found.items():
        groups.setdefault(f'{links_of_rings(results["trees"].of(server, "broadcast", gpus)):g}', []).append(more)
    return ", ".join(f"{rings} rings {min(g):+.1f}" + (f" to {max(g):+.1f}" if len(g) > 1 else "") for rings, g in sorted(groups.items())) + " GB/s"


def equal_rings(results):
    for server in ("dgx1v", "dgx1p"):
        found = {}
        for gpus, (mine, rings) in both(results, server, "broadcast").items():
            document = results["trees"].of(server, "broadcast", gpus)
            if links_of_rings(document) == document["rate"]:
                found[gpus] = mine - rings
        outside = [gpus for gpus, more in found.items() if not 2 <= more <= 6]
        yield Claim(f"Blink minus NCCL where rings and trees are equal in number, {NAMES[server]}, broadcast, {len(found)} classes", "5.2",
                    "3 to 5 GB/s (2 to 6 in all but two)",
                    by_rings(results, server, found) + "; outside: " + (", ".join(map(shown, outside)) or "none"),
                    verdict(len(outside) <= 2), "" if len(outside) <= 2 else EQUAL_RINGS[server])


ALL = (speed_ups, without_figure, allreduce_and_broadcast, equal_rings)
