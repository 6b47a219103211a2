"""The worth of networks that add for a step of Llama 3 70B on 1024 H100, against own arithmetic."""

from ..claim import Claim, arithmetic
from .runs import Runs, settings

BASE = ["train", "--platform", "cluster:128xh100", "--preset", "h100", "--model", "llama3-70b", "--parallel", "tensor=8,pipeline=4", "--sequences", "512",
        *settings(training__stages="blocks"), "--algorithm", "pull_netreduce", "--against",
        "pull_ring,ring_ring"]
TEXT = "Llama 3 70B, 1024 H100, t8 p4 d32, 512 sequences"
FLOP, PEAK, GPUS, SEQUENCES, STAGES, PASSES = 3.944e15, 989.5e12, 1024, 512, 4, 16
RATE = {"pull_netreduce": (334.9e9, 1), "pull_ring": (334.9e9, 2 * 31 / 32), "ring_ring": (205.7e9, 2 * 31 / 32)}  # NVLink, and crossings of a NIC

LATER = "the arithmetic gives each stage a quarter of all operations at 0.547 of the peak; the rows of itemised arithmetic add what it leaves out"
HIDDEN = "the arithmetic hides no gradients; here most of them are sent during the backward pass. The last row has one message after it (`--grouping one_shot`)"

# Dimensions of Llama 3 70B, its layers of a stage, its tensor parallel ranks; bytes a second of memory and of a NIC; seconds of a launch.
HIDDEN_SIZE, KEYS, FFN, VOCABULARY, TOKENS, LAYERS, PARTS = 8192, 1024, 28672, 128256, 8192, 20, 8
MEMORY, NIC, LAUNCH, EFFICIENCY = 3.35e12, 49.02e9, 6e-6, 0.604
ACTIVATIONS = TOKENS * HIDDEN_SIZE * 2  # bytes of a sum of activations, and of a send between stages


def expected(algorithm):
    """Computation and 80 sums of activations of a stage and pass with the bubble, and gradients, which nothing hides."""
    nvlink, crossings = RATE[algorithm]
    compute = FLOP * SEQUENCES / GPUS / PEAK / 0.547
    tensor = 80 * PASSES * 8192 * 8192 * 2 / nvlink
    return (compute + tensor) * (1 + (STAGES - 1) / PASSES) + crossings * 70.55e9 / 32 * 2 / 49.02e9


def left_out():
    """Terms of an iteration in seconds that expected() leaves out or has otherwise, by arithmetic."""
    def products(operations):
        return operations * TOKENS / PARTS / PEAK / EFFICIENCY * PASSES

    def memory(elements):
        return elements * 2 * TOKENS / MEMORY * PASSES

    weights = HIDDEN_SIZE * (2 * HIDDEN_SIZE + 2 * KEYS) + 3 * HIDDEN_SIZE * FFN
    attention = TOKENS * HIDDEN_SIZE  # a product of all pairs of tokens forward has four times the operations
    return {
        "products of a stage without the head, at 0.604 of the peak": products(LAYERS * (6 * weights + 12 * attention)),
        "scores of attention that backward computes again": products(LAYERS * 2 * attention),
        # Accesses of two norms (8), two residual connections (6), rotary (4) and swiglu (4).
        "kernels bound by memory": memory(LAYERS * (28 * HIDDEN_SIZE + (4 * (HIDDEN_SIZE + KEYS) + 8 * FFN) / PARTS)),
        "launches": LAYERS * 8 * LAUNCH * PASSES,
        "head, on the last stage alone": products(6 * VOCABULARY * HIDDEN_SIZE) + memory(6 * VOCABULARY / PARTS + 8 * HIDDEN_SIZE) + 2 * LAUNCH * PASSES,
        "sends that fill and drain the pipeline": 2 * (STAGES - 1) * ACTIVATIONS / NIC}


def itemised(algorithm):
    """expected() with these terms, and two sums of activations more: after the embedding and before the head."""
    nvlink, crossings = RATE[algorithm]
    *stage, head, sends = left_out().values()
    one = PASSES * ACTIVATIONS / nvlink
    return (sum(stage) + 80 * one) * (1 + (STAGES - 1) / PASSES) + head + 2 * one + sends + crossings * 70.55e9 / 32 * 2 / NIC


def measure(simulator):
    runs = Runs(simulator)
    runs.run("question", *BASE)
    runs.run("one message", *BASE, "--grouping", "one_shot")
    return runs


def times_of(document):
    return {"pull_netreduce": document["period_ns"] * 1e-9} | {row["algorithm"]: row["period_ns"] * 1e-9 for row in document["against"]}


def itemised_claims(results):
    times = times_of(results["question"]["one message"])
    for algorithm, seconds in times.items():
        wanted = itemised(algorithm)
        yield Claim(f"gradients in one message after the last pass, `{algorithm}`", "itemised arithmetic", f"{wanted:.2f} s (2 %)",
                    f"{seconds:.3f} s, {100 * (seconds / wanted - 1):+.1f} %", arithmetic(abs(seconds / wanted - 1) <= 0.02), "")
    for text, seconds in left_out().items():
        yield Claim(f"term of the itemised arithmetic: {text}", "itemised arithmetic", f"{seconds:.3f} s", "-", "reported", "")
    between = 1 - times["pull_netreduce"] / times["pull_ring"]
    wanted = 1 - expected("pull_netreduce") / expected("pull_ring")
    yield Claim("time that accelerators between servers save alone, gradients in one message", "arithmetic", f"{100 * wanted:.1f} % (0.3 points)",
                f"{100 * between:.1f} %", arithmetic(abs(between - wanted) <= 0.003), "")


def parts(row):
    seconds = {name.removesuffix("_ns"): value * 1e-9 for name, value in row.items()}
    return ", ".join(f"{name} {value:.3f}" for name, value in seconds.items() if value > 0.0005)


def claims(results):
    document = results["question"]["question"]
    times = times_of(document)
    for algorithm, seconds in times.items():
        wanted = expected(algorithm)
        rate = SEQUENCES * 8192 / GPUS / seconds
        use = FLOP * SEQUENCES / GPUS / PEAK / seconds
        error = seconds / wanted - 1
        yield Claim(f"{TEXT}, `{algorithm}`", "arithmetic", f"{wanted:.2f} s (5 %)",
                    f"{seconds:.3f} s, {100 * error:+.1f} %, MFU {100 * use:.1f} %, {rate:.0f} tokens/s/GPU", arithmetic(abs(error) <= 0.05), "" if abs(error) <= 0.05 else LATER)
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
