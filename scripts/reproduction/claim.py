"""A claim, its verdict, and how numbers are shown."""

from collections import namedtuple

Claim = namedtuple("Claim", "text source paper measured verdict reason")
REPRODUCED, NOT_REPRODUCED, REPORTED = "reproduced", "not reproduced", "reported"


def verdict(holds):
    return REPRODUCED if holds else NOT_REPRODUCED


def calibrated(holds):
    """Verdict and reason of a row that a parameter has been set to: no result, but it has to come out."""
    return (REPORTED, "calibrated on this row") if holds else (NOT_REPRODUCED, "calibrated on this row, and no longer so")


def gbps(row):
    return row.number("algbw_GBps")


def show(number, unit="GB/s"):
    return f"{number:.1f}" + (f" {unit}" if unit else "")


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def gather(claims, *subject):
    """The table of functions that make a claim, or several."""
    table = []
    for claim in claims:
        made = claim(*subject)
        table += [made] if isinstance(made, Claim) else list(made)
    return table
