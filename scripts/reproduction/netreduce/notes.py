"""Notes below the figures."""

NOTES = {
    "figure_goodput": """
NetReduce sends whole messages: sizes up to 170 KiB have the time of one message.""",
    "figure_window": """
The turnaround of 13.2 us is calibrated to the measured goodput; an ACK for each packet needs no calibration.""",
    "figure_loss": """
A NACK reports a gap in the PSNs, which costs 3 us, or some 17 us once hosts are out of step. No packet follows the last packet of a window, so
its loss waits for the timeout, and so does the loss of a NACK. One timeout of 67 ms is longer than the whole transfer; 67 ms is the default of NICs.
Six hosts move 64 MiB, and 32 hosts 8 MiB. In a tree a loss costs far more than on one switch.""",
}
