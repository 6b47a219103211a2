"""Goodput under loss."""

from ..claim import REPORTED, Claim, arithmetic
from .claims_rack import goodput

RATE, TIMEOUT = "netreduce.link.loss_rate", "netreduce.nic.rto"


def over_loss(results, timeout):
    """(loss rate, goodput), by rate."""
    return sorted((float(row[RATE]), goodput(row)) for row in results["loss"].select(**{TIMEOUT: timeout}))


def over_loss_of(results, platform):
    """(loss rate, goodput) of 8 MiB on 32 hosts, by rate."""
    return sorted((float(row[RATE]), goodput(row)) for row in results["loss_tree"].select(platform=platform))


def monotone(results):
    for timeout in ("100us", "67ms"):
        rates = [rate for _, rate in over_loss(results, timeout)]
        yield Claim(f"goodput under a frame loss of 1e-6 to 1e-2 on each link, timeout of {timeout}, 64 MiB",
                    "[loss](../systems/netreduce.md#loss)", "all runs end, each slower than the last",
                    ", ".join(f"{rate:.3g}" for rate in rates) + " Gb/s", arithmetic(rates == sorted(rates, reverse=True)), "")


def cost_of_one_loss(results):
    free = results["one_loss"].one(fault="").number("time_ns")
    for fault, what, rewinds, most in (("drop:result:2:20:50", "a result", 1, 5), ("drop:gradient:2:20:50", "a gradient", 6, 5)):
        row = results["one_loss"].one(fault=fault)
        found, time = int(row.number("nic.rewinds")), (row.number("time_ns") - free) / 1000
        yield Claim(f"cost of the loss of one frame for six hosts: {what}", "[loss](../systems/netreduce.md#loss); the path of a NACK",
                    f"{rewinds} of the hosts go back, below {most} us", f"{found}, {time:.1f} us", arithmetic(found == rewinds and time < most), "")
    row = results["one_loss"].one(fault="drop:gradient:2:20:0")
    yield Claim("the same for the first gradient of a message, whose other gradients are then refused", "[loss](../systems/netreduce.md#loss)", "-",
                f"{int(row.number('nic.rewinds'))} rewinds, {(row.number('time_ns') - free) / 1000:.1f} us", REPORTED, "")


def cost_of_many(results):
    free = over_loss(results, "100us")[0][1]
    for row in results["loss"].select(**{TIMEOUT: "100us", RATE: ("1e-5", "1e-4")}):
        lost = 65620 * 4 * 6 * float(row[RATE])
        expected = lost * 5 / (8 * row.number("size_bytes") / free / 1000)
        yield Claim(f"additional time by losses, {row[RATE]} of frames", "arithmetic: 5 us for each", f"{lost:.0f} losses, {100 * expected:.1f} %",
                    f"{100 * (free / goodput(row) - 1):.1f} %", REPORTED,
                    "after the first loss hosts are no longer in step: slots wait for the last host, while a rewinding host gets stored sums "
                    "immediately; results of its connection then arrive out of order, and it rewinds several times")


def trees(results):
    for platform, text in (("rack:32", "32 hosts on a switch"), ("spine_leaf:4x8", "tree of 4 x 8 hosts")):
        rates = over_loss_of(results, platform)
        lost = [rate for rate, _ in rates if rate]
        yield Claim(f"goodput, {lost[0]:.0e} to {lost[-1]:.0e} of the frames lost on each link, {text}, 8 MiB".replace("e-0", "e-"),
                    "[trees](../systems/netreduce.md#trees)", "no number", ", ".join(f"{found:.1f}" for rate, found in rates if rate)
                    + f" Gb/s; {rates[0][1]:.1f} without loss, timeout of 100us", REPORTED,
                    "each lost packet sends all hosts back, and across the spine NACKs arrive at different times: rounds of repeated sums fill the links to the leaves"
                    if "leaf" in platform else "")


ALL = (monotone, cost_of_one_loss, cost_of_many, trees)
