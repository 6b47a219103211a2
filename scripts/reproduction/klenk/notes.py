"""Notes below the figures."""

NOTES = {
    "figure_7b": """
With up to eight GPUs, all of one board, push loses nearly half of its lead between 512 B and 1 KiB. The first six blocks have
their homes at this board, one in each plane, and the next six at the other board: from 896 B on, operands and sums cross the
trunks. With eight GPUs push lasts 452 ns at 768 B and 802 ns at 896 B; the ring lasts 8.0 us at both. With 16 GPUs operands
cross the trunks at every size.""",
    "figure_8": """
The paper has 100 and 70 GB/s. A hash that loads all links of a class equally gives more, and nearly the same with 128 GPUs
as with 64. The uplinks of the leaves are nearly full in both (arithmetic: 96 % at 120 GB/s), so that a static imbalance
suffices for a drop as in the paper: see the rows of the hash `strided`, which assigns two of eight spines to each home
switch.""",
    "figure_9": """
Push: if operands arrive in arbitrary order over a window, a port needs an entry for each block of the window whose home it
is (4096 blocks over 192 ports: 21 entries, 2.7 KiB). Smaller tables evict most operands alone (at 256 B nearly all). These
continue to the home GPU as partial sums and use half of its bandwidth: about 60 GB/s for any smaller table. Entries that
cannot complete leave by timeout; with a timeout longer than the message, the last entries alone last as long as the message.
Pull: the table bounds the requests in flight of a port. Bandwidth is table size over round trip, as in Eq. (1), until the
port is busy. Both orders are equal for pull if a GPU's range of the message is no longer than a window.
In this model pull therefore suffers at the smallest tables, and push does not recover with larger tables while the order is
arbitrary over the whole message. The paper does not define its arbitrary order.""",
    "figure_10": """
Waves of pull are 8 KiB of each GPU's own range, unless stated otherwise. A wave is 64 blocks over 6 ports, 11 blocks per
port: more than the 8 entries of 1 KiB.""",
}
