"""Messages of 50 MB, the least size of the error bars of Figures 14 and 16."""

from ..claim import Claim, gbps, verdict
from .runs import best

REASON = "chunks are small against the time of their commands, and trees of an all-reduce share links"


def fifty_megabytes(results):
    for collective, figure in (("broadcast", "Fig. 14"), ("allreduce", "Fig. 16")):
        (mine,), (rings,) = (best(results["small"].select(collective=collective, algorithm=algorithm)).values() for algorithm in ("blink", "nccl"))
        holds = gbps(mine) >= gbps(rings)
        yield Claim(f"Blink over NCCL, 8 V100, {collective}, 50 MB, best of chunks of 256 kB to 2 MB", f"{figure}, error bars from 50 MB: never slower", "1 or more",
                    f"{gbps(mine):.1f} / {gbps(rings):.1f} GB/s = {gbps(mine) / gbps(rings):.2f}", verdict(holds), "" if holds else REASON)


ALL = (fifty_megabytes,)
