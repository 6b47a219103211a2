"""Klenk et al., "An In-Network Architecture for Accelerating Shared-Memory Multiprocessor Collectives", ISCA 2020."""

from ..claim import gather
from ..page import Paper
from . import claims_flow, claims_size, figures

HEAD = """# Klenk et al. (ISCA 2020): figures and claims

Made by `scripts/reproduce klenk{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time, and every element that they reduced was right.
Bandwidth is message size over time, 1 GB = 10^9 B. Sources: sections and figures of the paper, headings of
[its page](../systems/klenk.md), or arithmetic. [Verdicts](../validation.md#verdicts) have
one meaning on all pages.
"""
FORMS = {"full": ("", "The full form: 8 to 64 MiB; 32 MiB on the fat tree, timing without data."),
         "quick": (" --quick", "The quick form: smaller messages and fewer points than the paper, so that start-up "
                               "and drain weigh more.")}


def judge(results, _):
    return gather(claims_size.ALL + claims_flow.ALL, results)


PAPER = Paper("klenk", HEAD, FORMS, figures.draw, judge)
