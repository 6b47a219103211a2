"""Beyond the NVLinks of one server: additional PCIe (Figure 26), and several servers (Figure 19)."""

from ..claim import REPORTED, Claim, arithmetic, gbps, mean, verdict
from .runs import endpoints

SWITCH_NS = 0.45e6  # a GPU: blink.host.peer_switch


def gains(results):
    """GPUs -> GB/s with NVLinks only, with PCIe, and with PCIe at measured rates."""
    rows = results["hybrid"].rows
    rates = {(row["algorithm"], endpoints(row["endpoints"])): gbps(row) for row in rows if row["blink.hybrid.measure"] != "true"}
    return {gpus: (rates["blink", gpus], rates["blink_hybrid", gpus], gbps(iterations(results, gpus)[-1]))
            for algorithm, gpus in rates if algorithm == "blink"}


def iterations(results, gpus):
    """Returns the rows of the hybrid that measures its rates."""
    return sorted((row for row in results["hybrid"].rows if row["blink.hybrid.measure"] == "true" and endpoints(row["endpoints"]) == gpus),
                  key=lambda row: int(row["iteration"]))


def apart(before, after, gpus):
    """Returns the difference of the ends of both ranges over the later end; the row of the next iteration holds the rates."""
    on_pcie, size = before.number("tuned.pcie_bytes"), before.number("size_bytes")
    nvlink = (size - on_pcie) / after.number("tuned.nvlink_GBps")
    pcie = SWITCH_NS * len(gpus) + on_pcie / after.number("tuned.pcie_GBps")
    return abs(nvlink - pcie) / max(nvlink, pcie)


def gained(found):
    return ", ".join(f"{n} GPUs {more:+.1f}" for n, more in sorted(found.items())) + " GB/s"


def hybrids(results):
    every = gains(results)
    found, measured = ({len(gpus): rates[which] - rates[0] for gpus, rates in every.items()} for which in (1, 2))
    few, many = mean(found[n] for n in (3, 4)), mean(found[n] for n in (7, 8))
    yield Claim("gain by PCIe in a broadcast of 500 MB on 3 and 4, and on 7 and 8 V100", "5.2, Fig. 26", "5 (3.5 to 6.5), 2 (0.5 to 3.5) GB/s",
                f"{few:.1f}, {many:.1f}: {gained(found)}; with measured rates {gained(measured)}", REPORTED,
                "`blink.host.peer_switch` is calibrated on this row; 8 GPUs switch for 3.6 ms, which is nearly all of the broadcast")
    yield Claim("the gain falls with the number of GPUs", "5.2, Fig. 26", "less for 7 and 8 than for 3 and 4", gained(found), arithmetic(few > many), "")
    first, last = {}, {}
    for gpus in every:
        rows = iterations(results, gpus)
        ends = [apart(before, after, gpus) for before, after in zip(rows[2:], rows[3:])]  # the first two use one path each
        last[len(gpus)] = ends[-1]
        first[len(gpus)] = next(i for i in range(len(ends) + 1) if all(end <= 0.02 for end in ends[i:])) + 2
    yield Claim("first iteration, of 0 to 8, in which both ranges of a hybrid with measured rates end together", "3.4, Eq. (8)", "within 2 %",
                ", ".join(f"{n} GPUs {first[n]} ({100 * last[n]:.2f} % finally)" for n in sorted(first)), arithmetic(max(last.values()) <= 0.02), "")


def network(results, algorithm):
    """Gb/s of the network -> GB/s, with a port for every GPU."""
    return {float(row["blink.net.rate"].removesuffix("Gb/s")): gbps(row)
            for row in results["two_servers"].select(blink__net__attach="ideal", algorithm=algorithm)}


def two_servers(results):
    mine, rings = (gbps(results["two_servers"].one(blink__net__attach="", algorithm=algorithm)) for algorithm in ("blink", "nccl"))
    yield Claim("all-reduce of 100 MB on 3 + 5 GPUs of two DGX-1V, 40 Gb/s, NICs on PCIe: Blink over NCCL", "arithmetic; 5.4",
                "1.3 to 1.8; no number in the paper", f"{mine:.2f} / {rings:.2f} = {mine / rings:.2f}",
                arithmetic(1.3 <= mine / rings <= 1.8), "")
    curve = network(results, "blink")
    knee = min(rate for rate in curve if curve[rate] >= 0.95 * max(curve.values()))
    yield Claim("the same with a port for every GPU: network rate at which NVLinks become the bottleneck (95 % of the maximum)", "5.4, Fig. 19b",
                "300 Gb/s (200 to 400)", f"{knee:.0f} Gb/s; " + ", ".join(f"{r:.0f}: {x:.1f}" for r, x in sorted(curve.items())) + " GB/s",
                verdict(200 <= knee <= 400 and knee < max(curve)), "" if knee < max(curve) else "the rate still rises at the last point")
    flat = network(results, "nccl")
    late = [x for rate, x in flat.items() if rate >= 100]
    holds = max(late) / min(late) <= 1.05
    yield Claim("the same by NCCL: PCIe in the servers is the bottleneck", "5.4, Fig. 19b", "flat (5 %) above 100 Gb/s",
                ", ".join(f"{r:.0f}: {x:.2f}" for r, x in sorted(flat.items())) + " GB/s", verdict(holds), "" if holds else
                "flat above 150 Gb/s, but at the rate of a channel: this ring uses NVLinks in both servers, and theirs uses PCIe")


ALL = (hybrids, two_servers)
