"""What to know when one looks at a figure."""

NOTES = {
    "figure_7": """
The paper's two ends are one curve of its own chunk size, which it does not name.""",
    "figure_11": """
Numbers are chunk sizes in MB.""",
    "figure_14": """
The first GPU of each set is the root.""",
    "figure_18": """
From 16 MiB on the better of chunks of 1 and 8 MB.""",
    "figure_25": """
An arrow is a link in one direction; a colour is a ring, or a tree from its root on.""",
    "figure_27": """
Below 16 KiB NCCL goes up and down double binary trees, from there on round rings.""",
    "figure_ranges": """
Dashed: all at their defaults. A parameter whose span is a point does not matter here. Ranges are ours: what public measurements
and constants leave open.""",
    "figure_13": """
Boxes are quartiles with the median, whiskers the 5th and 95th percentile, dots all classes. A GPU without a ring pays the rate of PCIe, which the paper takes as half a link;
its own measurements fit a third.""",
}
