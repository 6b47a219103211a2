"""Notes below the figures."""

NOTES = {
    "figure_9b": """
The hop that closes a ring of the 2D ring returns over the whole row or column: each link carries two messages, which delay
each other.""",
    "figure_9c": """
MultiTree with one head flit for each message has a dip at 128 KiB on 64 nodes. The NICs begin their steps on time, but messages
of the gathering half wait at the leaves for busy ports, while other ports are idle: the link of leaf 0 to node 0 is idle for
2.1 us between its first and its last message, at times although all inputs of the leaf hold messages. At 160 KiB it is idle
for 0.6 us, where the halves meet. The loss depends on the times at which messages meet: 11 of 12 sizes from 68 to 156 KiB lose
0.6 to 4.7 us, 64 and 160 KiB nothing. With links of 100 ns in place of 150 ns, sizes from 64 to 96 KiB lose time, with 200 ns
those from 112 to 176 KiB, and with 50 ns none from 64 to 256 KiB. Packets share the links in turn and have no dip.""",
    "figure_10": """
All networks are tori. Networks of 64 nodes and more are timing without data.""",
}
