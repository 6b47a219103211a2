"""What to know when one looks at a figure."""

NOTES = {
    "figure_goodput": """
NetReduce sends whole messages: up to 170 KiB take the time of one.""",
    "figure_window": """
The turnaround of 13.2 us is calibrated to the measured goodput; an ACK for each packet needs no calibration.""",
    "figure_loss": """
A gap in the PSNs is reported by a NACK, and costs 3 us, or some 17 once hosts are out of step. The last packet of what a host may send has none behind it, so its loss waits for
the timeout, as that of a NACK does: one in 67 ms is more than the whole transfer. NICs wait 67 ms or longer, unless they are told otherwise.""",
}
