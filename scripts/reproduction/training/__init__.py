"""Training results of all papers: `tributary train` with their machines, networks and compute times."""

from ..claim import gather
from ..page import Paper
from . import claims_blink, claims_klenk, claims_multitree, claims_netreduce, figures
from .steps import Steps

HEAD = """# Training: figures and claims of the papers

Made by `scripts/reproduce training{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time, without data. Every transfer is simulated in packets ([fidelity](../training_fidelity.md)); compute times follow from
[models](../training_models.md) and presets. Klenk's steps of sub-batches other than 640 tokens combine measured parts: the times of gradients from a run on a
small network, and the durations of transfers. [Verdicts](../validation.md#verdicts) have
one meaning on all pages.
"""
FORMS = {"full": ("", "The full form: all networks of MultiTree, one set of each class of GPUs of a DGX-1V."),
         "quick": (" --quick", "The quick form: without MultiTree's Transformer, nine sets of GPUs of a DGX-1V.")}


def further(simulator, form):
    steps = Steps(simulator)
    parts = {name: module.measure(steps, form)
             for name, module in (("klenk", claims_klenk), ("multitree", claims_multitree), ("netreduce", claims_netreduce),
                                  ("blink", claims_blink))}
    return {"training": steps} | parts


def judge(results, _):
    return [claim for name, module in (("klenk", claims_klenk), ("multitree", claims_multitree), ("netreduce", claims_netreduce),
                                       ("blink", claims_blink)) for claim in gather(module.ALL, results[name])]


PAPER = Paper("training", HEAD, FORMS, figures.draw, judge, further)
