"""One rack: goodput, window, small messages, and the ring."""

from ..claim import REPORTED, Claim, arithmetic, calibrated, derived

TENSOR, WIRE, ACK, LARGE = 174064, 188040, 86, 64 * 2**20
WINDOW, TURNAROUND, ACKS = "netreduce.flow_control.window", "netreduce.flow_control.turnaround", "netreduce.nic.ack_interval"


def goodput(row):
    """In Gb/s."""
    return 8 * row.number("size_bytes") / row.number("time_ns")


def with_only(results, column, value, size):
    """Returns the row in which only this parameter is set."""
    wanted = {name: "" for name in (WINDOW, TURNAROUND, ACKS)} | {column: value, "size_bytes": size}
    return results["one_rack"].one(**wanted)


def close(value, expected, share, judge=arithmetic):
    return judge(abs(value / expected - 1) <= share)


def wire_bound(results):
    rate = goodput(with_only(results, WINDOW, "2", LARGE))
    return Claim("goodput of six hosts, 64 MiB", "[formats](../systems/netreduce.md#formats)", "92.0 to 92.57 Gb/s (the wire)",
                 f"{rate:.2f} Gb/s", arithmetic(92.0 <= rate <= 92.57), "")


def measured_goodput(results):
    """One number of the paper, and two settings that meet it."""
    fitted, other = (goodput(with_only(results, column, value, LARGE)) for column, value in ((TURNAROUND, "13.2us"), (ACKS, "1")))
    yield Claim("goodput, 13.2 us of turnaround in the host", "Table 6; [goodput](../systems/netreduce.md#goodput)", "86.8 Gb/s (5 %)",
                f"{fitted:.2f} Gb/s; with an ACK for each packet instead {other:.2f} Gb/s", *calibrated(all(abs(rate / 86.8 - 1) <= 0.05 for rate in (fitted, other))))
    frames = fitted * (WIRE - 170 * 20) / TENSOR
    yield Claim("throughput, frames, the same", "Table 6", "92.5 Gb/s (5 %)", f"{frames:.1f} Gb/s", *calibrated(abs(frames / 92.5 - 1) <= 0.05))


def windows(results):
    for window, expected in (("1", TENSOR * 8 / (15043.2 + 3827)), ("2", 92.57), ("4", 92.57)):
        rate = goodput(with_only(results, WINDOW, window, LARGE))
        yield Claim(f"goodput, window of {window}", "arithmetic; N messages in L + R", f"{expected:.1f} Gb/s (2 %)", f"{rate:.2f} Gb/s",
                    close(rate, expected, 0.02), "")


def over_the_ring(results):
    for hosts in (4, 6):
        mine, ring = (results["ring"].one(platform=f"rack:{hosts}", algorithm=a, size_bytes=LARGE).number("time_ns")
                      for a in ("netreduce", "ring"))
        whole = results["whole_chunks"].one(platform=f"rack:{hosts}").number("time_ns")
        expected = 2 * (hosts - 1) / hosts
        yield Claim(f"time of the ring over NetReduce's, {hosts} hosts, 64 MiB", "arithmetic; 2 (P-1)/P", f"{expected:.3f} (2 %)",
                    f"{ring / mine:.3f}", close(ring / mine, expected, 0.02), "")
        yield Claim(f"the same, where the ring adds only complete chunks, {hosts} hosts", "`netreduce.host.slice=1GiB`", "-",
                    f"{whole / mine:.3f}", REPORTED, "")
    mine, ring = (results["large"].one(algorithm=a) for a in ("netreduce", "ring"))
    ratio = ring.number("time_ns") / mine.number("time_ns")
    yield Claim("time of the ring over NetReduce's, 4 hosts, 528 MB (VGG-16)", "Table 7; 111.98 / 74.64 ms", "1.500 (2 %)", f"{ratio:.3f}",
                *derived(abs(ratio / 1.5 - 1) <= 0.02, "the two times of Table 7"))


ADDERS = "each ring has adders of its own, a reading; with one combinator for all rings two jobs share its rate"


def two_jobs(results):
    for row in results["jobs"].rows:
        rate = goodput(row)
        yield Claim(f"goodput of two jobs on one accelerator, hosts {row['endpoints']}, 64 MiB", "6; a ring each",
                    "92.4 Gb/s, as for one job (1 %)", f"{rate:.2f} Gb/s", close(rate, 92.4, 0.01), ADDERS)


def sent(runs, row):
    return next(count for name, count, _ in runs.links(row) if name == "host0.port0>switch.port0")


def slices(size, hosts):
    """Returns the slices of each chunk in bytes: at most 128 KiB, in blocks of 128 B; the first slices of a message have one block more."""
    count = -(-size // (hosts * 128 * 2**10))
    blocks, cuts = -(-size // 128), hosts * count
    sizes = [128 * (blocks // cuts + (i < blocks % cuts)) for i in range(cuts)]
    sizes[-1] -= sum(sizes) - size
    return [sizes[i * count:(i + 1) * count] for i in range(hosts)]


def write_bytes(size):
    """Returns the bytes on the wire of one WRITE, and of its ACKs."""
    packets = -(-size // 1024)
    headers = 16 * (packets > 1) + 4 if packets > 1 else 20
    return size + 82 * packets + headers, ACK * -(-packets // 256)


def bytes_of_a_nic(results):
    for hosts, runs, size, text in ((4, "ring", LARGE, "64 MiB"), (6, "ring", LARGE, "64 MiB"), (4, "large", 528 * 10**6, "528 MB")):
        select = {"platform": f"rack:{hosts}", "algorithm": "netreduce", "size_bytes": size}
        row = results[runs].one(**select)
        messages = -(-size // TENSOR)
        found, expected = sent(results[runs], row), messages * (WIRE + ACK)
        yield Claim(f"bytes that a NIC sends, NetReduce, {hosts} hosts, {text}", "arithmetic; M once", f"{messages} x (188040 + 86) = {expected} B",
                    f"{found} B", arithmetic(found == expected), "")
    for hosts, runs, size, text in ((4, "ring", LARGE, "64 MiB"), (6, "ring", LARGE, "64 MiB"), (4, "large", 528 * 10**6, "528 MB")):
        chunks, steps = slices(size, hosts), 2 * (hosts - 1)
        data = sum(write_bytes(piece)[0] for t in range(steps) for piece in chunks[-t % hosts])  # bytes sent by host 0
        acks = sum(write_bytes(piece)[1] for t in range(steps) for piece in chunks[(-1 - t) % hosts])  # for the data that it receives
        found = sent(results[runs], results[runs].one(platform=f"rack:{hosts}", algorithm="ring", size_bytes=size))
        yield Claim(f"bytes that a NIC sends, ring, {hosts} hosts, {text}", "arithmetic; 2 (P-1)/P M",
                    f"{steps}/{hosts} x {size} in WRITEs of 128 KiB at most = {data} B, and {acks} B of ACKs", f"{found} B",
                    arithmetic(found == data + acks), "")


def conservation(results):
    row = with_only(results, WINDOW, "2", LARGE)
    sums, accepted = (int(row.number(name)) for name in ("accelerator.slot.completed", "nic.accepted"))
    packets = 170 * -(-LARGE // TENSOR)
    yield Claim("sums made, and packets accepted in order, six hosts, 64 MiB", "3.1; one sum for each packet number, one result for each host",
                f"{packets} and 6 x {packets} = {6 * packets}", f"{sums} and {accepted}", arithmetic(sums == packets and accepted == 6 * packets), "")


ALL = (wire_bound, measured_goodput, windows, over_the_ring, bytes_of_a_nic, conservation, two_jobs)
