"""A claim, its verdict, and the format of numbers."""

from collections import namedtuple

Claim = namedtuple("Claim", "text source paper measured verdict reason")
REPRODUCED, NOT_REPRODUCED, REPORTED = "reproduced", "not reproduced", "reported"
CONSISTENT, INCONSISTENT = "consistent", "inconsistent"


def verdict(holds):
    """Returns the verdict of a row that compares with the paper: docs/validation.md defines the words."""
    return REPRODUCED if holds else NOT_REPRODUCED


def arithmetic(holds):
    """Returns the verdict of a row that compares with equations, with own arithmetic, or with an expectation that any right model meets."""
    return CONSISTENT if holds else INCONSISTENT


def within_half(value, stated, at_most=None, from_value=0):
    """True if `value` differs from `stated` by at most half of the effect, which is the distance of `stated` from `from_value`; or by `at_most`
    if that is less. A model without the effect is then outside the band."""
    return abs(value - stated) <= half_band(stated, at_most, from_value) + 1e-12


def half_band(stated, at_most=None, from_value=0):
    half = abs(stated - from_value) / 2
    return half if at_most is None else min(half, at_most)


def points(band):
    return f"{band:g} point{'' if band == 1 else 's'}"


def calibrated(holds):
    """Returns verdict and reason of a row on which a parameter is calibrated: not a result, but it must be met."""
    return (REPORTED, "calibrated on this row") if holds else (NOT_REPRODUCED, "calibrated on this row, but no longer met")


def derived(holds, others):
    """Returns verdict and reason of a row that follows from others: a number of the paper is judged once, but the row must hold."""
    return (REPORTED, f"follows from {others}") if holds else (NOT_REPRODUCED, "")


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
