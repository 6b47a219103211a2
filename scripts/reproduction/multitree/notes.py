"""What to know when one looks at a figure."""

NOTES = {
    "figure_9b": """
The hop that closes a ring of the 2D ring runs back over the whole row or column: each link carries two flows, and these
hold each other up.""",
    "figure_10": """
All on tori. Networks of 64 nodes and more as timing alone, without data.""",
}
