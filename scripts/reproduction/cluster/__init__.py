"""The worth of networks that add for a step of a large model on clusters of servers."""

from ..claim import gather
from ..page import Paper
from . import question

HEAD = """# Clusters: servers of NVSwitches joined by Ethernet

Made by `scripts/reproduce cluster{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time. [Clusters](../systems/cluster.md) run by flows, and each distinct transfer of a step once
([parallel training](../training_parallel.md#clusters)). Rows of own arithmetic have a band of 5 %, those of itemised arithmetic one of 2 %.
[Verdicts](../validation.md#verdicts) have one meaning on all pages.
[Measured on silicon](../validation/silicon.md#several-servers) compares collectives of several servers with measurements, and [published steps](../results/cluster_steps.md) steps of training.
"""
FORMS = {"full": ("", "The full form: all rows."), "quick": (" --quick", "The quick form: all rows.")}


def further(simulator, _):
    return {"question": question.measure(simulator)}


def judge(results, _):
    return gather([question.claims, question.itemised_claims], results)


PAPER = Paper("cluster", HEAD, FORMS, lambda results, folder: [], judge, further)
