"""Goodput under loss."""

from ..claim import REPORTED, Claim, verdict
from .claims_rack import goodput

RATE, TIMEOUT = "netreduce.link.loss_rate", "netreduce.nic.rto"


def over_loss(results, timeout):
    """(loss rate, goodput), by rate."""
    return sorted((float(row[RATE]), goodput(row)) for row in results["loss"].select(**{TIMEOUT: timeout}))


def monotone(results):
    for timeout in ("100us", "67ms"):
        rates = [rate for _, rate in over_loss(results, timeout)]
        yield Claim(f"goodput falls as frames are lost, 1e-6 to 1e-2 of them on each link, timeout of {timeout}, 64 MiB",
                    "[loss](../systems/netreduce.md#loss)", "all runs end, each slower than the one before",
                    ", ".join(f"{rate:.3g}" for rate in rates) + " Gb/s", verdict(rates == sorted(rates, reverse=True)), "")


def cost_of_a_loss(results):
    free = results["one_loss"].one(fault="").number("time_ns")
    for fault, what, expected in (("drop:result:2:20:50", "a result", "one rewind, 5 us"),
                                  ("drop:gradient:2:20:50", "a gradient", "six rewinds, 5 us"),
                                  ("drop:gradient:2:20:0", "the first gradient of a message, whose other 169 are refused then",
                                   "a message and six rewinds, 20 us")):
        row = results["one_loss"].one(fault=fault)
        yield Claim(f"what the loss of one frame costs six hosts: {what}", "[loss](../systems/netreduce.md#loss); arithmetic", expected,
                    f"{int(row.number('nic.rewinds'))} rewinds, {(row.number('time_ns') - free) / 1000:.1f} us", REPORTED,
                    "a host that goes back gets stored sums again at once; a slot that another host completes meanwhile overtakes them, and its "
                    "receiver sees one more gap" if fault == "drop:gradient:2:20:50" else "")


ALL = (monotone, cost_of_a_loss)
