"""Wang et al., "Blink: Fast and Generic Collectives for Distributed ML", MLSys 2020."""

from ..claim import gather
from ..page import Paper
from . import (claims_beyond, claims_dgx2, claims_exact, claims_paths, claims_ranges, claims_server, claims_sharing, claims_theory, claims_trees,
               claims_tuner, figures, sensitivity)

HEAD = """# Wang et al. (Blink, MLSys 2020): figures and claims

Made by `scripts/reproduce blink{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time; those of 500 MB and more are timing alone, without data. Throughput is message size over time, 1 GB = 10^9 B.
Rates of trees are in links: the rate of one NVLink in one direction. Sources: sections and figures of the paper, headings of
[its page](../systems/blink.md), or arithmetic on the published links, which `scripts/reproduction/blink/servers.py` does apart. Verdicts: *reproduced*; *not
reproduced*, with the reason; *reported* where the paper states no number, and where a parameter has been calibrated on the row.
"""
FORMS = {"full": ("", "The full form: of chunks of 1, 2, 4, 8 and 16 MB the best counts in Figures 14 to 16, and ranges of parameters over all classes."),
         "quick": (" --quick", "The quick form has chunks of 4 MB in Figures 14 to 16, ranges of parameters over four classes, and 200 MB for "
                                "rings over PCIe, which are at most 0.4 % slower than with 500 MB.")}


def beside(simulator, _):
    from .trees import trees

    return {"trees": trees(simulator)}


def judge(results, _):
    simulated = claims_server.ALL + claims_paths.ALL + claims_sharing.ALL + claims_tuner.ALL + claims_beyond.ALL + claims_dgx2.ALL
    simulated += claims_exact.ALL + sensitivity.ALL + claims_ranges.ALL
    return gather(claims_trees.ALL + claims_theory.ALL + simulated, results)


PAPER = Paper("blink", HEAD, FORMS, figures.draw, judge, beside)
