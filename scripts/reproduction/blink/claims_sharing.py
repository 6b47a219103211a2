"""Trees that share links: stream reuse, and the arbitration of a pair's links (Figure 12)."""

from ..claim import Claim, gbps, verdict


STARVED = "under the arbitration `sticky`, a reading; by default (`first`) no stream starves, and reuse costs up to 7 %"


def rate(results, collective, arbitration, reuse):
    return gbps(results["sharing"].one(collective=collective, blink__copy__arbitration=arbitration,
                                       blink__stream_reuse="true" if reuse else "false"))


def stream_reuse(results):
    for collective in ("allreduce", "broadcast"):
        fair, unfair = (rate(results, collective, arbitration, False) for arbitration in ("in_turn", "sticky"))
        healed = rate(results, collective, "sticky", True)
        what = f"8 V100, {collective}, 500 MB"
        yield Claim(f"streams of trees that share links starve each other, {what}", "4.3, Fig. 12", "slower than in turn",
                    f"sticky {unfair:.1f}, in turn {fair:.1f} GB/s", verdict(unfair < fair), STARVED)
        half = (fair + unfair) / 2
        yield Claim(f"stream reuse restores the loss, {what}", "4.3, Fig. 12", f"half of it or more: {half:.1f} GB/s", f"{healed:.1f} GB/s: {100 * healed / fair:.1f} %",
                    verdict(healed >= half), "")


ALL = (stream_reuse,)
