"""Trees of two levels, and the equations."""

import json
import subprocess

from ..claim import Claim, arithmetic, verdict
from ..tools import show_size
from .claims_rack import ACK, TENSOR, goodput

BETWEEN, NOTIFICATION = 188020, 98  # bytes of a message between accelerators, without RETH and immediate, and of a header
PORTS = "netreduce.accelerator.ports"
POINTS = (("100MB", 150, 4, 1, (15.562, 14.3553, 9.1817)), ("1MB", 150, 4, 1, (0.217, 0.1653, 0.1067)),  # size, Bi, machines, alpha in us, ms
          ("236MB", 150, 4, 1, (36.642, 33.8487, 21.6483)), ("100MB", 15.75, 128, 1, (18.0304, 38.3672, 19.1261)),
          ("100MB", 150, 256, 1, (20.0862, 18.7968, 9.1817)), ("100MB", 15.75, 4, 1, (15.562, 34.2442, 19.1261)),
          ("100MB", 150, 4, 100, (21.7, 16.5333, 10.6667)), ("1MB", 150, 4, 100, (6.355, 2.3433, 1.5917)))


def goodput_of_trees(results):
    for runs in ("trees", "racks"):
        for row in results[runs].rows:
            if row.get(PORTS) or row.number("size_bytes") < 2**24:
                continue
            rate, messages = goodput(row), -(-int(row.number("size_bytes")) // TENSOR)
            expected = 8 * row.number("size_bytes") / (messages * 15043.2 + 6000)
            yield Claim(f"goodput of {row['platform']}, {row['ranks']} hosts, {show_size(row['size_bytes'])}",
                        "3.3; L for each message + 6 us", f"{expected:.2f} Gb/s (1 %)", f"{rate:.2f} Gb/s",
                        arithmetic(abs(rate / expected - 1) <= 0.01), "")


def bytes_above_the_leaves(results):
    for hosts in (2, 4, 8):
        row = results["trees"].one(**{"platform": f"spine_leaf:4x{hosts}", "size_bytes": 2**24, PORTS: ""})
        counts = {count for name, count, _ in results["trees"].links(row)
                  if "spine.port" in name and "leaf" in name}
        messages = -(-2**24 // TENSOR)
        expected = messages * (BETWEEN + ACK) + NOTIFICATION
        yield Claim(f"bytes from leaf to spine and back, {hosts} hosts a rack, 16 MiB", "3.3; equal for any number of hosts",
                    f"{messages} x (188020 + 86) + 98 = {expected} B", ", ".join(f"{count} B" for count in sorted(counts)),
                    arithmetic(counts == {expected}), "")


def a_port_less(results):
    row = results["trees"].one(**{"platform": "spine_leaf:4x8", PORTS: "8"})
    full = results["trees"].one(**{"platform": "spine_leaf:4x8", "size_bytes": 2**24, PORTS: ""})
    share = goodput(row) / goodput(full)
    holds = abs(share - 8 / 9) <= 0.02
    yield Claim("8 ports for an accelerator of 8 hosts in a tree, 16 MiB", "[trees](../systems/netreduce.md#trees)",
                "8/9 = 0.889 of the goodput, if 9 connections share 8 ports evenly", f"{share:.3f}", arithmetic(holds),
                "" if holds else "a rule of the switch sends a connection to one port, because go-back-N needs the order of its packets. Ports therefore "
                "cannot alternate: one port carries two connections, and the ring waits for these: half")


def equations(simulator):
    for size, within, machines, alpha, expected in POINTS:
        command = [simulator.binary, "estimate", "--machines", str(machines), "--gpus", "8", "--size", size,
                   "--intra-rate", f"{within}GB/s", "--alpha", f"{alpha}us", "--json", "-"]
        document = json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout)
        found = {row["name"]: 1000 * row["seconds"] for row in document["equations"]}
        pairs = [(found[name], value) for name, value in zip(("ring", "tencent", "parallel_netreduce"), expected)]
        yield Claim(f"Eqs. (1) to (3), {size}, {8 * machines} GPUs, {within} and 12.5 GB/s, {alpha} us a step", "Appendix A and B",
                    " / ".join(f"{value:.4f}" for _, value in pairs) + " ms (0.1 %)",
                    " / ".join(f"{value:.4f}" for value, _ in pairs) + " ms",
                    arithmetic(all(abs(a / b - 1) <= 0.001 for a, b in pairs)), "")
        if (size, within, machines, alpha) == ("100MB", 150, 4, 1):
            differences = [1000 * row["seconds"] for row in document["equations"] if row["number"] in ("(4)", "(5)")]
            ratio = document["rate_ratio"]
            yield Claim("Eqs. (4), (5), the same", "Appendix A and B", "differences of the rows above: 5.1737 / 6.3803 ms",
                        " / ".join(f"{value:.4f}" for value in differences) + " ms",
                        arithmetic(abs(differences[0] - 5.1737) < 0.001 and abs(differences[1] - 6.3803) < 0.001), "")
            yield Claim("Eq. (6), 32 GPUs", "Appendix B", "2.3; as printed, 2 P/(P-2) = 2.133",
                        f"{ratio['sufficient']:.3f}; exact for large tensors {ratio['exact_for_large_tensors']:.3f}",
                        verdict(abs(ratio["sufficient"] - 2.3) < 0.05), "the equation does not give the text's number")
        if (within, machines) == (15.75, 4):
            faster = found["parallel_netreduce"] < found["ring"]
            yield Claim(f"PN faster than FR with Bi from 15.75 GB/s on, {size}, {8 * machines} GPUs", "3.4, text on Fig. 7", "always",
                        f"FR {found['ring']:.2f}, PN {found['parallel_netreduce']:.2f} ms; equal at {12.5 * document['rate_ratio']['exact_for_large_tensors']:.1f} GB/s",
                        verdict(faster), "" if faster else "the text contradicts the paper's own Eqs. (1) and (3), which this row evaluates")


ALL = (goodput_of_trees, bytes_above_the_leaves, a_port_less)
EQUATIONS = (equations,)
