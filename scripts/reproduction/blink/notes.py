"""Notes below the figures."""

NOTES = {
    "figure_7": """
The two ends of the paper's curve belong to one chunk size, which the paper does not name.""",
    "figure_11": """
Numbers are chunk sizes in MB.""",
    "figure_14": """
The first GPU of each set is the root.""",
    "figure_18": """
From 16 MiB the figure shows the better of chunks of 1 and 8 MB.""",
    "figure_25": """
An arrow is a link in one direction; a colour is a ring, or a tree from its root.""",
    "figure_27": """
NCCL uses double binary trees below 16 KiB, and rings above.""",
    "figure_ranges": """
The dashed line has all parameters at their defaults. A parameter whose span is a point has no effect here. The ranges are ours, and
cover the values that public measurements and constants permit.""",
    "figure_13": """
Boxes are quartiles with the median, whiskers the 5th and 95th percentile, dots all classes. A GPU without a ring has the rate of PCIe:
half a link in the paper, a third of a link by the paper's own measurements.""",
}
