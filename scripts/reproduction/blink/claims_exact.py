"""Claims that hold to the last picosecond, byte and element."""

from ..claim import Claim, arithmetic
from .servers import NAMES


def modes_and_bursts(results):
    times = {(row["mode"], row["blink.copy.burst"]): row["time_ns"] for row in results["exact"].select(collective="broadcast")}
    yield Claim("time in both modes, bursts of 1 and of 15 packets, 8 V100, broadcast, 20 MB", "[bursts](../blocks/copy_engine.md#bursts)",
                "one time", f"{len(set(times.values()))}: " + ", ".join(f"{float(t) / 1000:.6f} us" for t in sorted(set(times.values()))),
                arithmetic(len(set(times.values())) == 1), "")


def sums(results):
    for algorithm in ("blink", "nccl"):
        row = results["exact"].one(collective="allreduce", algorithm=algorithm)
        yield Claim(f"wrong elements of an all-reduce of 20 MB on 8 V100, {algorithm}", "each operand once", "0 of 8 x 5000000", row["wrong"],
                    arithmetic(row["wrong"] == "0"), "")


def bytes_on_links(results):
    """A packet of 256 B has a header of 16 B; a semaphore packet has 32 B."""
    for collective, times in (("broadcast", 1), ("allreduce", 2)):
        row = next(r for r in results["exact"].select(collective=collective, algorithm="blink"))
        size, found = int(row["size_bytes"]), int(row["wire_bytes"])
        least = times * 7 * size * 17 // 16
        yield Claim(f"bytes on all links, {NAMES['dgx1v']}, 8 GPUs, {collective}, 20 MB", "3.3", f"{times} x 7 D x 17/16 = {least} B, and semaphores (0.1 %)",
                    f"{found} B", arithmetic(least <= found <= 1.001 * least), "")


ALL = (modes_and_bursts, sums, bytes_on_links)
