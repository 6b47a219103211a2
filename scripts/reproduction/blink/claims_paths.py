"""Chains, fans and merging chains of GPUs over single NVLinks (Figures 7, 8 and 10)."""

from ..claim import Claim, arithmetic, calibrated, gbps, mean
from .runs import endpoints

CHUNKS = ("2MB", "4MB", "16MB")
CALIBRATED = "`blink.kernel.rate`"


def chain_rates(results, collective, chunk):
    """GPUs in the chain -> GB/s."""
    return {len(endpoints(row["endpoints"])): gbps(row)
            for row in results["chains"].select(collective=collective, blink__chunk=chunk)}


def chains(results):
    texts, ends = [], []
    for chunk in CHUNKS:
        found = chain_rates(results, "reduce", chunk)
        ends.append((abs(found[3] - 21) <= 1.5 and abs(found[8] - 19) <= 1.5))
        texts.append(f"{chunk} {found[3]:.1f} to {found[8]:.1f}")
    yield Claim("chain of 3 to 8 GPUs that adds and forwards, 1000 MB, by chunk", "Fig. 7", "21 to 19 GB/s (1.5 each)",
                "; ".join(texts), *calibrated(any(ends)))
    for chunk in CHUNKS:
        sums, copies = (chain_rates(results, collective, chunk) for collective in ("reduce", "broadcast"))
        falls = all(sums[n + 1] <= sums[n] for n in range(3, 8)) and all(sums[n] < copies[n] for n in sums)
        yield Claim(f"the same with chunks of {chunk} falls with its length, and is below a chain that only forwards", "Fig. 7",
                    "falls; below", f"forwarding {copies[3]:.1f} to {copies[8]:.1f}; with sums {sums[3]:.1f} to {sums[8]:.1f} GB/s", arithmetic(falls), "")


def merging_chains(results):
    for size, stated in ((10_000_000, False), (100_000_000, True), (1_000_000_000, True)):
        rates = {chunk: gbps(results["merge"].one(size_bytes=size, blink__chunk=chunk)) for chunk in ("2MB", "4MB")}
        holds = abs(rates["2MB"] - 18) <= 1.5
        yield Claim(f"two chains that merge in a GPU (MCA), {size // 10**6} MB, chunks of 2 MB", "Fig. 8",
                    "18 GB/s over 10 MB (1.5)" if stated else "less", f"{rates['2MB']:.1f} GB/s; chunks of 4 MB {rates['4MB']:.1f}",
                    *(calibrated(holds) if stated else (arithmetic(rates["2MB"] < 18), "")))


def fans(results):
    costs = {}
    for row in results["fans"].rows:
        costs.setdefault(len(endpoints(row["endpoints"])) - 2, {})[row["blink.kernel.rate"]] = gbps(row)
    less = {n: max(rates.values()) - rates[""] for n, rates in sorted(costs.items())}
    yield Claim("cost of sums in a GPU that receives from 1, 2 and 3 others and forwards, 1000 MB", "A.1", "1 to 2 GB/s (0.5 to 3 in the mean)",
                ", ".join(f"{n}: {x:.1f}" for n, x in less.items()) + f" GB/s; mean {mean(less.values()):.1f}",
                *calibrated(0.5 <= mean(less.values()) <= 3))


def chunked_chain(results):
    one, two = (results["two_chunks"].one(blink__chunk=chunk).number("time_ns") for chunk in ("900MB", "450MB"))
    yield Claim("a chain of 4 GPUs in 2 chunks over 1 chunk, commands without a cost", "4.1, Fig. 10", "2T/3T = 0.6667 (0.01 %)",
                f"{two / 1e6:.3f} / {one / 1e6:.3f} ms = {two / one:.5f}", arithmetic(abs(two / one * 3 / 2 - 1) <= 1e-4), "")


ALL = (chains, merging_chains, fans, chunked_chain)
