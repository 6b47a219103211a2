"""Training on up to 131 072 GPUs in fluid mode: the fastest all-reduces; NetReduce's Figure 7."""

from ..claim import gather
from ..page import Paper
from . import claims, figure_7, figures, iterations
from .estimates import Estimates

HEAD = """# Training at scale: where each all-reduce pays

Made by `scripts/reproduce scale{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time. All-reduces are flows among machines of 8 GPUs ([limits of flows](../fluid.md#machines-of-gpus)):
`tributary estimate --mode fluid` with 150 GB/s from each GPU, an alpha of 1 us for each step, and no headers. `tributary train` gives the compute times and the
times at which gradients are ready (`klenk-volta`: the roofline of a V100, f16; DDP's buckets in one queue). Measured kernels are slower than this roofline, so
shares of communication are upper bounds. The network adds at the rate of its links, and has one alpha for any number of switches.

* `ring`: each GPU at its own pace.
* `double binary trees`: rings in the machines, two trees between them, in chunks of 64 KiB and more.
* `NVSwitch`: the switch of each machine adds and replicates, in 16 chunks; rings, or sums in the network, between machines.
* `NetReduce`: rings in the machines, as in the paper.

[Verdicts](../validation.md#verdicts) have one meaning on all pages.
"""
FORMS = {"full": ("", "The full form: machines with one NIC of 100 Gb/s, and with eight."),
         "quick": (" --quick", "The quick form: machines with one NIC of 100 Gb/s.")}


def further(simulator, form):
    estimates = Estimates(simulator)
    return {"estimates": estimates, "iterations": iterations.measure(simulator, estimates, form), "figure_7": figure_7.measure(simulator, estimates)}


def judge(results, _):
    return gather(claims.ALL, results)


PAPER = Paper("scale", HEAD, FORMS, figures.draw, judge, further)
