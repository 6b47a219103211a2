"""Notes below the figures."""

NOTES = {
    "figure_9b": """
The hop that closes a ring of the 2D ring returns over the whole row or column: each link carries two messages, which delay
each other.""",
    "figure_10": """
All networks are tori. Networks of 64 nodes and more are timing without data.""",
}
