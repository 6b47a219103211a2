"""What to know when one looks at a figure."""

NOTES = {
    "figure_13": """
Boxes are quartiles with the median, whiskers the 5th and 95th percentile, dots all classes. A GPU without a ring pays the rate of PCIe, which the paper takes as half a link;
its own measurements fit a third.""",
}
