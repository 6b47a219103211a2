"""Liu et al., "In-Network Aggregation with Transport Transparency for Distributed Training" (NetReduce), ASPLOS 2023."""

from ..claim import gather
from ..page import Paper
from . import claims_baselines, claims_delay, claims_loss, claims_machines, claims_memory, claims_rack, claims_tree, figures

HEAD = """# Liu et al. (NetReduce, ASPLOS 2023): figures and claims

Made by `scripts/reproduce netreduce{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time, and every element that they reduced was right.
Goodput is tensor size over time; links of 100 Gb/s, packets of 1024 B, messages of 170 of them: 174 064 B of tensor, 188 040 B on the wire.
Sources: sections and tables of the paper, headings of [its page](../systems/netreduce.md), or arithmetic. The column *paper*
has its text, or arithmetic on its algorithm. [Verdicts](../validation.md#verdicts) have
one meaning on all pages.
"""
FORMS = {"full": ("", "Both forms of this paper are equal."),
         "quick": (" --quick", "Both forms of this paper are equal.")}


def judge(results, simulator):
    of_results = (claims_rack.ALL + claims_delay.ALL + claims_loss.ALL + claims_machines.ALL + claims_baselines.ALL
                  + claims_tree.ALL)
    return (gather(of_results, results) + gather(claims_delay.RUNS + claims_tree.EQUATIONS + claims_memory.RUNS, simulator)
            + gather(claims_baselines.BOTH, results, simulator))


PAPER = Paper("netreduce", HEAD, FORMS, figures.draw, judge)
