"""A claim, its verdict, and the format of numbers."""

from collections import namedtuple

Claim = namedtuple("Claim", "text source paper measured verdict reason")
REPRODUCED, NOT_REPRODUCED, REPORTED = "reproduced", "not reproduced", "reported"


def verdict(holds):
    return REPRODUCED if holds else NOT_REPRODUCED


def calibrated(holds):
    """Returns verdict and reason of a row on which a parameter is calibrated: not a result, but it must be met."""
    return (REPORTED, "calibrated on this row") if holds else (NOT_REPRODUCED, "calibrated on this row, but no longer met")


def gbps(row):
    return row.number("algbw_GBps")


def show(number, unit="GB/s"):
    return f"{number:.1f}" + (f" {unit}" if unit else "")


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def gather(claims, *subject):
    """Returns the claims of all functions; a function returns one claim or several."""
    table = []
    for claim in claims:
        made = claim(*subject)
        table += [made] if isinstance(made, Claim) else list(made)
    return table
