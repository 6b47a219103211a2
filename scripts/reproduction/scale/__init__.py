"""Training among up to 131 072 GPUs, by flows: which all-reduce pays where; NetReduce's Figure 7."""

from ..claim import gather
from ..page import Paper
from . import claims, figure_7, figures, iterations
from .estimates import Estimates

HEAD = """# Training at scale: where each all-reduce pays

Made by `scripts/reproduce scale{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time. All-reduces are flows among machines of 8 GPUs ([what flows leave out](../fluid.md#machines-of-gpus)): `tributary estimate --mode fluid`,
150 GB/s from each GPU, an alpha of 1 us for each step, no headers; when gradients are ready, and how long compute takes, says `tributary train` (`klenk-volta`: the roofline of a V100, f16; DDP's buckets,
one after another on one stream). Measured kernels are slower than this roofline, so shares of communication are upper limits. The network adds at the rate of its links, and has one alpha, whatever its number of switches.

`ring`: each GPU at its own pace. `double binary trees`: rings in the machines, two trees between them, in chunks of 64 KiB and more. `NVSwitch`: each machine's switch adds and replicates, in 16 chunks; between machines rings, or adding in
the network. `NetReduce`: rings in the machines, as the paper has them.
"""
FORMS = {"full": ("", "The full form: machines with one NIC of 100 Gb/s, and with eight."),
         "quick": (" --quick", "The quick form: machines with one NIC of 100 Gb/s.")}


def beside(simulator, form):
    estimates = Estimates(simulator)
    return {"estimates": estimates, "iterations": iterations.measure(simulator, estimates, form), "figure_7": figure_7.measure(simulator, estimates)}


def judge(results, _):
    return gather(claims.ALL, results)


PAPER = Paper("scale", HEAD, FORMS, figures.draw, judge, beside)
