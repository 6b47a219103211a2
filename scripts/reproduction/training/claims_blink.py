"""Blink, Figures 5, 17 and 19a: four networks on sets of GPUs of a DGX-1V, and on GPUs of two of them, NCCL and Blink, compute times from public
benchmarks."""

import math

from ..claim import REPORTED, Claim, verdict
from ..blink.servers import classes

NETS = ("alexnet", "resnet18", "resnet50", "vgg16")
QUICK = ("0,1,2", "0,1,4", "0,1,2,3", "0,2,5,6", "0,1,4,6,7", "0,1,2,3,4", "0,1,2,3,4,5", "0,1,2,3,4,5,6", "0,1,2,3,4,5,6,7")


TWO_SERVERS = ("--ranks", "0-2,8-12", "--set", "blink.net.rate=40Gb/s")  # 3 and 5 GPUs


class Sets:
    def __init__(self, steps, apart):
        self.steps, self.apart = steps, apart  # by network, GPUs and method; on two servers by network and method
        self.points = sorted({(net, gpus) for net, gpus, _ in steps})

    def less(self, part):
        """1 - Blink over NCCL, by point."""
        return {p: 1 - part(self.steps[(*p, "blink")]) / part(self.steps[(*p, "nccl")]) for p in self.points}

    def overhead(self):
        return {p: self.steps[(*p, "nccl")].communication() / self.steps[(*p, "nccl")].time for p in self.points}


def measure(steps, form):
    sets = QUICK if form == "quick" else [",".join(map(str, same[0])) for same in classes("dgx1v").values()]
    wanted = {(net, gpus, method): ("dgx1v", method, "blink-dgx1v", net, "--ranks", gpus)
              for net in NETS for gpus in sets for method in ("nccl", "blink")}
    apart = {(net, method): ("servers:2xdgx1v", method, "blink-dgx1v", net, *TWO_SERVERS) for net in NETS for method in ("nccl", "blink")}
    return Sets(steps.all(wanted), steps.all(apart))


def geometric(shares):
    """Returns the saved share from the mean of the remaining shares."""
    return 1 - math.exp(sum(math.log(1 - s) for s in shares) / len(shares))


def at(point):
    return f"{point[0]}, GPUs {point[1]}"


def overhead(sets):
    found = sets.overhead()
    point = max(found, key=found.get)
    return Claim("share of NCCL's communication in a step, maximum", "Blink Fig. 5", "50 % (report)", f"{100 * found[point]:.0f} %: {at(point)}",
                 REPORTED, "compute times are not the paper's")


def savings(sets):
    for name, part, paper, most, mean, figure in (
            ("an iteration", lambda s: s.time, "40 % (30 to 45)", (0.30, 0.45), ("6.3 % (4 to 9)", 0.04, 0.09), "Fig. 17"),
            ("communication", lambda s: s.communication(), "87 % (80 to 90)", (0.80, 0.90), ("31 % (25 to 46); the introduction says 51", 0.25, 0.46),
             "Fig. 17")):
        found = sets.less(part)
        point = max(found, key=found.get)
        average = geometric(found.values())
        yield Claim(f"time of {name} saved by Blink, maximum, {len(found)} points", f"Blink {figure}", paper, f"{100 * found[point]:.0f} %: {at(point)}",
                    verdict(most[0] <= found[point] <= most[1]), "" if most[0] <= found[point] <= most[1] else WHY)
        yield Claim("the same in geometric mean", f"Blink {figure}", mean[0], f"{100 * average:.1f} %", verdict(mean[1] <= average <= mean[2]),
                    "" if mean[1] <= average <= mean[2] else WHY)


def two_servers(sets):
    less = {net: 1 - sets.apart[net, "blink"].time / sets.apart[net, "nccl"].time for net in NETS}
    net = max(less, key=less.get)
    yield Claim("time of an iteration saved by Blink on 3 and 5 GPUs of two DGX-1V, maximum", "Blink Fig. 19a", "11 % (6 to 16)",
                f"{100 * less[net]:.0f} %: {net}; " + ", ".join(f"{n} {100 * s:.0f} %" for n, s in less.items() if n != net),
                verdict(0.06 <= less[net] <= 0.16), "" if less[net] <= 0.16 else
                "compute times of the paper are not known: NCCL's communication is 29 to 64 % of these iterations")


WHY = "compute times and sets of GPUs of the paper are not known; if NCCL's rings use PCIe, the all-reduce of AlexNet lasts longer than its compute"
ALL = (overhead, savings, two_servers)
