"""What to know when one looks at a figure."""

NOTES = {
    "figure_2": """
The first packet of a chunk has its head flit in every mode; chunks of 64 KiB are multiples of some payloads only, so the last packet of a chunk may be
shorter and the points stand a little above the curve there.""",
    "figure_9b": """
The 2D ring's hop that closes a ring runs back over the whole row: it pays d - 1 links of latency at small sizes, and each link carries two flows.""",
    "figure_10": """
The same trees and rings at every N. Beyond 64 nodes as timing alone, without data.""",
}
