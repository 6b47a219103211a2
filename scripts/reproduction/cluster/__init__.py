"""Clusters of servers: collectives and steps of large models against published measurements, and the worth of networks that add."""

from ..claim import gather
from ..page import Paper
from . import collectives, question, steps

HEAD = """# Clusters: servers of NVSwitches joined by Ethernet

Made by `scripts/reproduce cluster{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time. [Clusters](../systems/cluster.md) run by flows, and each distinct transfer of a step once
([parallel training](../training_parallel.md#clusters)). Rows of measured machines have a band of 15 % for collectives and 8 % for steps. Rows of own arithmetic have a band
of 5 %. [Verdicts](../validation.md#verdicts) have one meaning on all pages.

* busbw is algbw x 2 (P - 1) / P for P GPUs, as nccl-tests counts it, at 4 GiB.
* Steps have `compute.kernels=products`, and an efficiency that is fitted to one row of each machine. It stands for all kernels.
* Times of a model's step are those of a step without its input and output of data.
"""
FORMS = {"full": ("", "The full form: all rows."), "quick": (" --quick", "The quick form: all rows.")}


def further(simulator, _):
    return {"collectives": collectives.measure(simulator), "steps": steps.measure(simulator), "question": question.measure(simulator)}


def judge(results, _):
    return gather([collectives.claims, steps.claims, question.claims], results)


PAPER = Paper("cluster", HEAD, FORMS, lambda results, folder: [], judge, further)
