"""Wang et al., "Blink: Fast and Generic Collectives for Distributed ML", MLSys 2020."""

from ..claim import gather
from ..page import Paper
from . import (claims_beyond, claims_dgx2, claims_exact, claims_paths, claims_ranges, claims_server, claims_sharing, claims_small, claims_theory,
               claims_trees, claims_tuner, figures, sensitivity)

HEAD = """# Wang et al. (Blink, MLSys 2020): figures and claims

Made by `scripts/reproduce blink{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time; runs of 500 MB and more simulate timing without data. Throughput is message size over time, 1 GB = 10^9 B.
Rates of trees are in links: the rate of one NVLink in one direction. Sources: sections and figures of the paper, headings of
[its page](../systems/blink.md), or independent arithmetic on the published links (`scripts/reproduction/blink/servers.py`). [Verdicts](../validation.md#verdicts) have
one meaning on all pages.
"""
FORMS = {"full": ("", "The full form: Figures 14 to 16 use the best of chunks of 1, 2, 4, 8 and 16 MB; ranges of parameters cover all classes."),
         "quick": (" --quick", "The quick form: chunks of 4 MB in Figures 14 to 16, ranges of parameters over four classes, and 200 MB for "
                                "rings over PCIe, which are at most 0.4 % slower than with 500 MB.")}


def further(simulator, _):
    from .trees import trees

    return {"trees": trees(simulator)}


def judge(results, _):
    simulated = claims_server.ALL + claims_small.ALL + claims_paths.ALL + claims_sharing.ALL + claims_tuner.ALL + claims_beyond.ALL + claims_dgx2.ALL
    simulated += claims_exact.ALL + sensitivity.ALL + claims_ranges.ALL
    return gather(claims_trees.ALL + claims_theory.ALL + simulated, results)


PAPER = Paper("blink", HEAD, FORMS, figures.draw, judge, further)
