"""Iterations of Transformer and ResNet-50 on 8 to 131 072 GPUs, by all-reduce."""

from ..training.steps import Steps

GPUS = [8 << k for k in range(15)]
EACH = 8  # GPUs of a machine
NICS = {"one NIC of 100 Gb/s": "100Gb/s", "eight NICs of 100 Gb/s": "800Gb/s"}
NETWORKS = {"transformer-big": ("Transformer (big)", 1280, "tokens"), "resnet50": ("ResNet-50", 32, "images")}
METHODS = {"ring, each at its pace": "ring", "parallel_tree": "double binary trees", "nvswitch, rings between": "NVSwitch, rings between machines",
           "parallel_netreduce": "NetReduce, rings in machines", "nvswitch, adding between": "NVSwitch and NetReduce"}
SOFTWARE = ("ring, each at its pace", "parallel_tree")
BASE = "ring, each at its pace"
PAYS, DOUBLING = 0.99, 1.8


class Iterations:
    """Iterations of one network on machines with one kind of NIC."""

    def __init__(self, step, times):
        self.step = step
        self.times = times  # (GPUs, bytes) -> algorithm -> us
        self.gpus = sorted({gpus for gpus, _ in times})
        self.alone = step.with_transfers(lambda size: 0)

    def time(self, method, gpus):
        """us"""
        return self.step.with_transfers(lambda size: self.times[gpus, size][method])

    def share(self, method, gpus):
        """Share of exposed communication."""
        return 1 - self.alone / self.time(method, gpus)

    def pays(self, method, base=BASE):
        """Ranges of GPUs in which it is faster than the base by at least 1 %."""
        ranges = []
        for place, gpus in enumerate(self.gpus):
            if self.time(method, gpus) >= PAYS * self.time(base, gpus):
                continue
            if ranges and ranges[-1][1] == self.gpus[place - 1]:
                ranges[-1][1] = gpus
            else:
                ranges.append([gpus, gpus])
        return ranges

    def doublings(self, method):
        """The largest number of GPUs, from two machines, that processes 1.8 times the samples of half of them."""
        return max((gpus for gpus in self.gpus[2:] if 2 * self.time(method, gpus // 2) / self.time(method, gpus) >= DOUBLING),
                   default=self.gpus[1])


def measure(simulator, estimates, form):
    """(network, NICs) -> Iterations."""
    steps = Steps(simulator)
    found = steps.all({net: ("rack:2", "netreduce", "klenk-volta", net, "--grouping", "bucket", "--batch", batch)
                       for net, (_, batch, _) in NETWORKS.items()})
    nics = dict(list(NICS.items())[:1]) if form == "quick" else NICS
    wanted = {(net, name, gpus, size): (gpus // EACH, size, {"inter_rate": rate})
              for net, step in found.items() for name, rate in nics.items() for gpus in GPUS for _, size in step.messages()}
    times = estimates.all(wanted)
    return {(net, name): Iterations(step, {(gpus, size): {method: 1e6 * s for method, s in estimate.seconds.items()}
                                           for (n, nic, gpus, size), estimate in times.items() if (n, nic) == (net, name)})
            for net, step in found.items() for name in nics}
