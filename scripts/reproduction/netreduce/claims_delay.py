"""Round trips, small tensors, long cables."""

import subprocess

from ..claim import Claim, calibrated, verdict
from .claims_rack import close, goodput

SMALL = 128 * 2**10


def instants(path, signal):
    """Returns the time of the first event of this name in a VCD in picoseconds."""
    names, now, found = set(), 0, []
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if line.startswith("$var event"):
            names |= {fields[3]} if fields[4] == signal else set()
        elif line.startswith("#"):
            now = int(line[1:])
        elif line[:1] == "1" and line[1:] in names:
            found.append(now)
    return found


def round_trip(simulator, collective, algorithm, *settings):
    """Returns the time in us from the start of a job of one packet to the completion of its WRITE at host 0. A job ends when the
    last host has its result: the last arrival of the waveform."""
    path = simulator.folder / "round_trip.vcd"
    report = simulator.folder / "round_trip.csv"
    subprocess.run([simulator.binary, "run", "--platform", "rack:6", "--collective", collective, "--algorithm", algorithm,
                    "--ranks", "0-1" if collective == "broadcast" else "0-5", "--size", "1008B", "--quiet", "--vcd", path,
                    "--trace", "*.host*.nic.arrived", "--trace", "*.host0.nic.completed", "--csv", report, *settings],
                   check=True, stdout=subprocess.DEVNULL)
    names, values = (line.split(",") for line in report.read_text(encoding="utf-8").splitlines()[:2])
    begin = max(instants(path, "arrived")) - 1000 * float(dict(zip(names, values))["time_ns"])
    time = (min(instants(path, "completed")) - begin) * 1e-6
    for file in (path, path.with_suffix(".vcd.gtkw"), report):
        file.unlink(missing_ok=True)
    return time


def round_trips(simulator):
    plain = round_trip(simulator, "broadcast", "ring")
    yield Claim("round trip of a WRITE of one packet, RoCE", "Table 1; [host times](../systems/netreduce.md#host-times) are set to it",
                "5.7 us (1 %)", f"{plain:.2f} us", *calibrated(abs(plain / 5.7 - 1) <= 0.01))
    detour = round_trip(simulator, "allreduce", "netreduce", "--set", "netreduce.flow_control.message_packets=1")
    yield Claim("round trip of a message of one packet, NetReduce, six hosts", "Table 6", "6.3 us (10 %)", f"{detour:.2f} us",
                *calibrated(abs(detour / 6.3 - 1) <= 0.1))


def small_tensors(results):
    for size, runs, text, ring_step in ((1024, "ring", "1 KiB", 3.4), (SMALL, "small", "128 KiB", 5.3)):
        mine, ring = (results[runs].one(platform="rack:6", algorithm=a, size_bytes=size).number("time_ns") / 1000
                      for a in ("netreduce", "ring"))
        yield Claim(f"one message, {text}, six hosts", "arithmetic; L + 3.83 us", "18.9 us (1 %)", f"{mine:.2f} us", close(mine, 18.87, 0.01), "")
        yield Claim(f"the ring with {text}, six hosts", f"arithmetic; 10 steps of {ring_step} us", f"{10 * ring_step:.0f} us (10 %)",
                    f"{ring:.1f} us", close(ring, 10 * ring_step, 0.1), "")


def long_cables(results):
    for window, share in (("4", 4 * 15.0432 / 65.0432), ("5", 1)):
        rate = goodput(results["cables"].one(netreduce__flow_control__window=window))
        yield Claim(f"goodput, window of {window}, 50 us from message to result by cable", "arithmetic; N L / (L + R)",
                    f"{100 * share:.1f} % of 92.57 = {share * 92.57:.1f} Gb/s (2 %)", f"{rate:.2f} Gb/s", close(rate, share * 92.57, 0.02), "")


def roce(results):
    """WRITEs with 82 B of headers for each 1024 B, without preamble and gap."""
    rate = goodput(results["roce"].one()) * 1086 / 1024
    yield Claim("throughput of WRITEs of one host to another, RoCE, 64 MiB", "Table 1", "84.2 Gb/s (5 %)", f"{rate:.1f} Gb/s", close(rate, 84.2, 0.05, verdict),
                "the cause of the 84.2 Gb/s is not known; the link is always busy here, less preambles and gaps")


ALL = (small_tensors, long_cables, roce)
RUNS = (round_trips,)
