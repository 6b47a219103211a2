"""One server: Blink against NCCL over all allocations (Figures 14 to 16)."""

from ..claim import Claim, mean, verdict
from .claims_theory import geometric_mean
from .claims_trees import shown
from .runs import both
from .servers import NAMES

# (server, collective) -> source, the paper's text, bands of the geometric mean and of the maximum, which must not be fitted
SPEED_UPS = {
    ("dgx1v", "broadcast"): ("Fig. 14", "2; up to 6", (1.6, 2.4), (4, 8)),
    ("dgx1p", "broadcast"): ("Fig. 15", "1.6; up to 3", (1.4, 1.8), (2, 4)),
    ("dgx1v", "allreduce"): ("Fig. 16", "2; up to 8", (1.7, 2.5), (5, 9)),
}


KERNELS = ("kernels and waits cost Blink a quarter of what its trees could carry, "
           "and a step of NCCL that adds costs no more than one that does not")
EQUAL_RINGS = {"dgx1v": "the difference is one of rates per link, 23.5 GB/s against 20, so it grows with the number of trees",
               "dgx1p": "18.8 GB/s of an NVLink against 18 of a ring leave less than launches and the fill of trees take"}
# What does not come out, and why: by row.
REASONS = {
    ("dgx1p", "broadcast", "least"): "18 GB/s a ring, NCCL's own constant, is 96 % of what an NVLink of a P100 carries as packets; "
                                     "launches and the fill of trees cost more",
    ("dgx1v", "allreduce", "mean"): "a ring of a third of a link over PCIe, as the measured broadcasts imply, gives 2.76 in theory, too",
    ("dgx1v", "allreduce", "greatest"): "the same: in theory 9.6 with a PCIe ring of a third of a link",
    ("dgx1v", "allreduce", "least"): "27/8 links in trees against 48/14 in rings; " + KERNELS,
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
        yield Claim(f"Blink over NCCL, greatest, {what}", source, f"{paper.split('; ')[1]} ({band(maxima)})",
                    f"{found[most]:.2f}, of {shown(most)}", *judged(maxima[0] <= found[most] <= maxima[1], "greatest"))
        yield Claim(f"Blink over NCCL, least, {what}", f"{source}: never slower", "0.97 or more", f"{found[least]:.3f}, of {shown(least)}",
                    *judged(found[least] >= 0.97, "least"))


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
    less = {gpus: copies[gpus] - sums[gpus] for gpus in sums if len(gpus) <= 4}
    most = max(less, key=less.get)
    average = mean(less.values())
    holds = 10 <= average <= 40
    yield Claim("broadcast less all-reduce, 3 and 4 V100, mean", "5.2, Fig. 16", "20 to 30 GB/s (10 to 40)",
                f"{average:.1f} GB/s; {less[most]:.1f} at most, of {shown(most)}", verdict(holds),
                "" if holds else "most of these sets have as many trees for an all-reduce as for a broadcast, and kernels at the rate of memory take little")


def equal_rings(results):
    for server in ("dgx1v", "dgx1p"):
        found = {}
        for gpus, (mine, rings) in both(results, server, "broadcast").items():
            document = results["trees"].of(server, "broadcast", gpus)
            if document["rings"] == document["rate"]:
                found[gpus] = mine - rings
        outside = [gpus for gpus, more in found.items() if not 0 <= more <= 6]
        yield Claim(f"Blink less NCCL where rings are as many as trees, {NAMES[server]}, broadcast, {len(found)} classes", "5.2",
                    "3 to 5 GB/s (0 to 6 in all but two)",
                    f"{min(found.values()):+.1f} to {max(found.values()):+.1f} GB/s; outside: " + (", ".join(map(shown, outside)) or "none"),
                    verdict(len(outside) <= 2), "" if len(outside) <= 2 else EQUAL_RINGS[server])


ALL = (speed_ups, allreduce_and_broadcast, equal_rings)
