"""Huang et al., "Communication Algorithm-Architecture Co-Design for Distributed Deep Learning" (MultiTree), ISCA 2021."""

from ..claim import gather
from ..page import Paper
from . import claims_authors, claims_scaling, claims_schedule, claims_size, figures

HEAD = """# Huang et al. (MultiTree, ISCA 2021): figures and claims

Made by `scripts/reproduce multitree{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time, and every element that they reduced was right.
Bandwidth is message size over time, 1 GB = 10^9 B; links of 16 GB/s and 150 ns, packets of 256 B and a head flit of 16 B.
Sources: sections and figures of the paper, headings of [its page](../systems/multitree.md), or arithmetic. The
column *paper* has its text, or arithmetic on its algorithm. [Verdicts](../validation.md#verdicts) have
one meaning on all pages.
"""
FORMS = {"full": ("", "The full form: Figure 9 to 64 MiB (timing without data above 4 MiB), Figure 10 to 256 "
                      "nodes (timing without data above 36)."),
         "quick": (" --quick", "The quick form omits the longest runs: in Figure 9 sizes over 16 MiB, on 64 nodes "
                               "over 4 MiB (MultiTree and ring through switches to 16 MiB, without data), in Figure 10 "
                               "networks over 64 nodes; lockstep at 16 MiB instead of 64 MiB. *Large* is the largest size "
                               "that ran.")}


def judge(results, simulator):
    return (gather(claims_schedule.ALL, simulator) +
            gather(claims_size.ALL + claims_scaling.ALL + claims_authors.ALL, results))


PAPER = Paper("multitree", HEAD, FORMS, figures.draw, judge)
