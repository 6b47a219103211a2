"""Programmable switches: SwitchML, SwitchML over RDMA, ATP (Table 6)."""

from ..claim import REPORTED, Claim, arithmetic, calibrated, verdict
from .claims_delay import round_trip
from .claims_rack import TURNAROUND, goodput, with_only, LARGE

BARE, WINDOW = "tofino.switchml.packet_time", "tofino.switchml_rdma.window"


def row_of(results, algorithm, **settings):
    return results["programmable"].one(algorithm=algorithm, **{BARE: "", WINDOW: ""} | settings)


def rates(results):
    """Frames of SwitchML have 183 B, of SwitchML-RDMA 1106, of ATP 324; Ethernet's preamble and gap are not counted."""
    for algorithm, name, frame, payload, goodputs, throughputs, note, fitted in (
            ("switchml", "SwitchML", 183, 128, (32.7, 0.05), 46.8, "31.3 ns of software a packet", True),
            ("switchml_rdma", "SwitchML-RDMA", 1106, 1024, (82.7, 0.05), 89.4, "a window of 82 packets", True),
            ("atp", "ATP", 324, 256, (39.7, 0.05), 50.3, "two passes: 50 x 256/324 = 39.5", False)):
        rate = goodput(row_of(results, algorithm))
        holds = abs(rate / goodputs[0] - 1) <= goodputs[1]
        yield Claim(f"goodput of {name}, six hosts; {note}", "Table 6", f"{goodputs[0]} Gb/s (5 %)", f"{rate:.2f} Gb/s",
                    *(calibrated(holds) if fitted else (verdict(holds), "")))
        yield Claim(f"throughput of {name}, frames", "Table 6", f"{throughputs} Gb/s", f"{rate * frame / payload:.2f} Gb/s",
                    REPORTED, "follows from the goodput above: the bytes of a frame are inferred from the paper's ratio of both")


def bounds(results):
    for algorithm, name, setting, share, what in (
            ("switchml", "SwitchML", {BARE: "0ps"}, 128 / 203, "128/203"),
            ("switchml_rdma", "SwitchML-RDMA", {WINDOW: "8192"}, 1024 / 1126, "1024/1126")):
        rate = goodput(row_of(results, algorithm, **setting))
        yield Claim(f"{name} with software without limits", "5.2" if algorithm == "switchml" else "arithmetic",
                    f"{what} = {100 * share:.1f} % of the line (1 point)", f"{rate:.2f} %", arithmetic(abs(rate - 100 * share) <= 1), "")


def round_trips(results):
    for algorithm, name, expected, band, note in (("switchml", "SwitchML", 812, 0.05, "a queue of 25 957 packets"),
                                                  ("atp", "ATP", 751, 0.05, "a queue of 14 574 packets"),
                                                  ("switchml_rdma", "SwitchML-RDMA", 8.1, 0.05, "3.8 us in the host")):
        time = row_of(results, algorithm).number("worker.round_trip_ns.mean") / 1000
        yield Claim(f"round trip of {name}; {note}", "Table 6", f"{expected} us (5 %)", f"{time:.1f} us",
                    *calibrated(abs(time / expected - 1) <= band))


THREE = "three of the four are calibrated"


def order(results, simulator):
    mine = goodput(with_only(results, TURNAROUND, "13.2us", LARGE))
    rows = [row_of(results, a) for a in ("switchml_rdma", "atp", "switchml")]
    speeds = [mine] + [goodput(row) for row in rows]
    trips = [round_trip(simulator, "allreduce", "netreduce", "--set", "netreduce.flow_control.message_packets=1")]
    trips += [row.number("worker.round_trip_ns.mean") / 1000 for row in rows]
    yield Claim("goodput of NetReduce, SwitchML-RDMA, ATP, SwitchML", "Table 6", "falls in this order: 86.8, 82.7, 39.7, 32.7 Gb/s",
                ", ".join(f"{rate:.1f}" for rate in speeds) + " Gb/s", REPORTED, THREE)
    yield Claim("round trips of the same", "Table 6", "rise in this order: 6.3, 8.1, 751, 812 us",
                ", ".join(f"{time:.1f}" for time in trips) + " us", REPORTED, THREE)


ALL = (rates, bounds, round_trips)
BOTH = (order,)
