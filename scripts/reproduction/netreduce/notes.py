"""What to know when one looks at a figure."""

NOTES = {
    "figure_goodput": """
NetReduce sends whole messages: up to 170 KiB take the time of one.""",
    "figure_window": """
The turnaround of 13.2 us is calibrated to the measured goodput; an ACK for each packet needs no calibration.""",
}
