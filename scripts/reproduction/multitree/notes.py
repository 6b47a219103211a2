"""What to know when one looks at a figure."""

NOTES = {
    "figure_9b": """
The hop that closes a ring of the 2D ring runs back over the whole row or column: each link carries two flows, and their
packets hold each other up. With message-based flow control they do not: see the claims.""",
    "figure_9c": """
On 64 nodes packets of MultiTree's messages, each of them to another leaf, hold each other up and leave links idle; messages
do not.""",
    "figure_10": """
All on tori. Networks of 64 nodes and more as timing alone, without data.""",
}
