"""The worth of networks that add for a step of Llama 3 70B on 1024 H100, against own arithmetic."""

from ..claim import Claim, arithmetic
from .runs import Runs, settings

BASE = ["train", "--platform", "cluster:128xh100", "--preset", "h100", "--model", "llama3-70b", "--parallel", "tensor=8,pipeline=4", "--sequences", "512",
        *settings(training__stages="blocks"), "--algorithm", "pull_netreduce", "--against",
        "pull_ring,ring_ring"]
TEXT = "Llama 3 70B, 1024 H100, t8 p4 d32, 512 sequences"
FLOP, PEAK, GPUS, SEQUENCES, STAGES, PASSES = 3.944e15, 989.5e12, 1024, 512, 4, 16
RATE = {"pull_netreduce": (334.9e9, 1), "pull_ring": (334.9e9, 2 * 31 / 32), "ring_ring": (205.7e9, 2 * 31 / 32)}  # NVLink, and crossings of a NIC

KERNELS = ("the preset's efficiency is that of products, to which kernels bound by memory and sends between stages are added; the arithmetic has one efficiency "
           "for all")
HIDDEN = "the arithmetic hides no gradients; here most of them are sent during the backward pass"


def expected(algorithm):
    """Computation and 80 sums of activations of a stage and pass with the bubble, and gradients, which nothing hides."""
    nvlink, crossings = RATE[algorithm]
    compute = FLOP * SEQUENCES / GPUS / PEAK / 0.547
    tensor = 80 * PASSES * 8192 * 8192 * 2 / nvlink
    return (compute + tensor) * (1 + (STAGES - 1) / PASSES) + crossings * 70.55e9 / 32 * 2 / 49.02e9


def measure(simulator):
    runs = Runs(simulator)
    runs.run("question", *BASE)
    return runs


def parts(row):
    seconds = {name.removesuffix("_ns"): value * 1e-9 for name, value in row.items()}
    return ", ".join(f"{name} {value:.3f}" for name, value in seconds.items() if value > 0.0005)


def claims(results):
    document = results["question"]["question"]
    times = {"pull_netreduce": document["period_ns"] * 1e-9} | {row["algorithm"]: row["period_ns"] * 1e-9 for row in document["against"]}
    for algorithm, seconds in times.items():
        wanted = expected(algorithm)
        rate = SEQUENCES * 8192 / GPUS / seconds
        use = FLOP * SEQUENCES / GPUS / PEAK / seconds
        error = seconds / wanted - 1
        yield Claim(f"{TEXT}, `{algorithm}`", "arithmetic", f"{wanted:.2f} s (5 %)",
                    f"{seconds:.3f} s, {100 * error:+.1f} %, MFU {100 * use:.1f} %, {rate:.0f} tokens/s/GPU", arithmetic(abs(error) <= 0.05), "" if abs(error) <= 0.05 else KERNELS)
    for row in document["against"]:
        yield Claim(f"the same, parts of an iteration by `{row['algorithm']}`", "-", "-", parts(row["parts"]) + " s", "reported", "")
    gain = 1 - times["pull_netreduce"] / times["ring_ring"]
    wanted = 1 - expected("pull_netreduce") / expected("ring_ring")
    yield Claim("time that switches inside and between servers save of a step by rings", "arithmetic", f"{100 * wanted:.1f} % (2 points)",
                f"{100 * gain:.1f} %", arithmetic(abs(gain - wanted) <= 0.02), "")
    between = 1 - times["pull_netreduce"] / times["pull_ring"]
    wanted = 1 - expected("pull_netreduce") / expected("pull_ring")
    yield Claim("time that accelerators between servers save alone", "arithmetic", f"{100 * wanted:.1f} % (0.8 points)", f"{100 * between:.1f} %",
                arithmetic(abs(between - wanted) <= 0.008), "" if abs(between - wanted) <= 0.008 else HIDDEN)
