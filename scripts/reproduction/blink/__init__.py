"""Wang et al., "Blink: Fast and Generic Collectives for Distributed ML", MLSys 2020."""

from ..claim import gather
from ..page import Paper
from . import claims_theory, claims_trees

HEAD = """# Wang et al. (Blink, MLSys 2020): figures and claims

Made by `scripts/reproduce blink{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time.
Rates of trees are in links: the rate of one NVLink in one direction. Sources: sections and figures of the paper, headings of
[its page](../systems/blink.md), or arithmetic on the published links, which `scripts/reproduction/blink/servers.py` does apart. Verdicts: *reproduced*; *not
reproduced*, with the reason; *reported* where the paper states no number, and where a parameter has been calibrated on the row.
"""
FORMS = {"full": ("", "Both forms of this paper are the same so far."),
         "quick": (" --quick", "Both forms of this paper are the same so far.")}


def beside(simulator):
    from .trees import trees

    return {"trees": trees(simulator)}


def judge(results, _):
    return gather(claims_trees.ALL + claims_theory.ALL, results)


def draw(results, folder):
    from . import figures  # needs matplotlib, which claims do not

    return figures.draw(results, folder)


PAPER = Paper("blink", HEAD, FORMS, draw, judge, beside)
