"""One rack: goodput, window, small messages, and the ring beside it."""

from ..claim import REPORTED, Claim, verdict

TENSOR, WIRE, ACK, LARGE = 174064, 188040, 86, 64 * 2**20
WINDOW, TURNAROUND, ACKS = "netreduce.flow_control.window", "netreduce.flow_control.turnaround", "netreduce.nic.ack_interval"


def goodput(row):
    """In Gb/s."""
    return 8 * row.number("size_bytes") / row.number("time_ns")


def with_only(results, column, value, size):
    """The row in which this parameter alone is set."""
    wanted = {name: "" for name in (WINDOW, TURNAROUND, ACKS)} | {column: value, "size_bytes": size}
    return results["one_rack"].one(**wanted)


def close(value, expected, share):
    return verdict(abs(value / expected - 1) <= share)


def wire_bound(results):
    rate = goodput(with_only(results, WINDOW, "2", LARGE))
    return Claim("goodput of six hosts, 64 MiB", "[formats](../systems/netreduce.md#formats)", "92.0 to 92.57 Gb/s (the wire)",
                 f"{rate:.2f} Gb/s", verdict(92.0 <= rate <= 92.57), "")


def measured_goodput(results):
    for column, value, what, expected in ((TURNAROUND, "13.2us", "13.2 us of turnaround in the host (calibrated)", 86.8),
                                          (ACKS, "1", "an ACK for each packet", 86.8)):
        rate = goodput(with_only(results, column, value, LARGE))
        yield Claim(f"goodput, {what}", "Table 6; [goodput](../systems/netreduce.md#goodput)", f"{expected} Gb/s (5 %)",
                    f"{rate:.2f} Gb/s", close(rate, expected, 0.05), "")


def windows(results):
    for window, expected in (("1", TENSOR * 8 / (15043.2 + 3827)), ("2", 92.57), ("4", 92.57)):
        rate = goodput(with_only(results, WINDOW, window, LARGE))
        yield Claim(f"goodput, window of {window}", "3.2; N messages in L + R", f"{expected:.1f} Gb/s (2 %)", f"{rate:.2f} Gb/s",
                    close(rate, expected, 0.02), "")


def one_message(results):
    time = results["ring"].one(platform="rack:6", algorithm="netreduce", size_bytes=1024).number("time_ns") / 1000
    yield Claim("one message, 1 KiB, six hosts", "L + 3.83 us", "18.9 us (1 %)", f"{time:.2f} us", close(time, 18.87, 0.01), "")
    ring = results["ring"].one(platform="rack:6", algorithm="ring", size_bytes=1024).number("time_ns") / 1000
    yield Claim("the ring with 1 KiB, six hosts", "10 steps", "-", f"{ring:.1f} us", REPORTED, "")


def over_the_ring(results):
    for hosts in (4, 6):
        mine, ring = (results["ring"].one(platform=f"rack:{hosts}", algorithm=a, size_bytes=LARGE).number("time_ns")
                      for a in ("netreduce", "ring"))
        free = results["additions"].one(platform=f"rack:{hosts}").number("time_ns")
        expected = 2 * (hosts - 1) / hosts
        holds = abs(ring / mine / expected - 1) <= 0.02
        yield Claim(f"time of the ring over NetReduce's, {hosts} hosts, 64 MiB", "3.2; Table 7", f"{expected:.3f} (2 %)",
                    f"{ring / mine:.3f}", verdict(holds),
                    "" if holds else f"the ring's additions of {hosts - 1}/{hosts} of the tensor in the hosts (`netreduce.host.reduction_rate`) "
                    "overlap with no transfer; see the next row")
        yield Claim(f"the same, with additions of 10 TB/s, {hosts} hosts", "3.2; arithmetic", f"{expected:.3f} (2 %)",
                    f"{free / mine:.3f}", close(free / mine, expected, 0.02), "")


def sent(runs, row):
    return next(count for name, count, _ in runs.links(row) if name == "host0.port0>switch.port0")


def bytes_of_a_nic(results):
    messages = -(-LARGE // TENSOR)
    for hosts in (4, 6):
        row = results["ring"].one(platform=f"rack:{hosts}", algorithm="netreduce", size_bytes=LARGE)
        found, expected = sent(results["ring"], row), messages * (WIRE + ACK)
        yield Claim(f"bytes that a NIC sends, NetReduce, {hosts} hosts, 64 MiB", "3.2; M once", f"{messages} x (188040 + 86) = {expected} B",
                    f"{found} B", verdict(found == expected), "")
    packets = 2 * 3 * LARGE // 4 // 1024
    expected = packets * 1106 + 6 * 20 + packets // 256 * ACK
    found = sent(results["ring"], results["ring"].one(platform="rack:4", algorithm="ring", size_bytes=LARGE))
    yield Claim("bytes that a NIC sends, ring, 4 hosts, 64 MiB", "3.2; 2 (P-1)/P M", f"{packets} x 1106 + 6 x 20 + {packets // 256} x 86 = "
                f"{expected} B", f"{found} B", verdict(found == expected), "")


ALL = (wire_bound, measured_goodput, windows, one_message, over_the_ring, bytes_of_a_nic)
