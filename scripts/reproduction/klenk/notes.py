"""What to know when one looks at a figure."""

NOTES = {
    "figure_8": """
Where the paper has 100 and 70 GB/s, a hash that loads all links of a class alike gives more, and hardly less with 128
GPUs than with 64. The uplinks of the leaves are near their limit in both (arithmetic: 96 % at 120 GB/s), so that a static
imbalance suffices for a drop like the paper's: see the rows of the hash `strided`, which ties each home switch to two of
eight spines.""",
    "figure_9": """
Push: where operands come in arbitrary order over a window, a port needs an entry for each block of the window that has
its home there (4096 blocks over 192 ports: 21 entries, 2.7 KiB). Below that most operands (at 256 B nearly all) are
evicted alone, go on to the home GPU as partial sums, and take half of that GPU's bandwidth: about 60 GB/s, however small
the table. What can no longer complete leaves by timeout; with a timeout longer than the message, the last entries alone
take as long as the message.
Pull: the table bounds the requests in flight of a port, so that bandwidth is table over round trip, as Eq. (1) says,
until the port is busy. Both orders are one to pull, where a GPU's share of the message is no longer than a window.
So in this model it is pull that suffers at the smallest tables, and push that does not recover with larger ones while the
order is arbitrary over the whole message. The paper does not say how arbitrary its order is.""",
    "figure_10": """
Waves of pull are 8 KiB of each GPU's own share, unless said otherwise. A wave is 64 blocks over 6 ports, 11 to each: more
than the 8 entries of 1 KiB.""",
}
