"""Seconds of steps of large models against published measurements. One row of each machine sets the efficiency of its computation."""

from collections import namedtuple

from ..claim import Claim, calibrated, verdict
from .runs import Runs, settings

Step = namedtuple("Step", "text source platform preset model degrees sequences gpus seconds fit more")
H100, A100 = "NVIDIA/dgxc-benchmarking 143b90d", "Narayanan et al., SC 2021; Smith et al., arXiv 2201.11990"
SEQUENCE = settings(training__sequence_parallel="true")
STEPS = [
    Step("GPT-3 175B bf16, 128 H100, t4 p8 v12, 256 sequences", H100, "cluster:16xh100", "h100", "gpt3-175b", "tensor=4,pipeline=8", 256, 128, 8.309, True,
         settings(training__virtual_stages=12) + SEQUENCE),
    Step("Nemotron-4 340B bf16, 128 H100, t8 p8 v12, 32 sequences", H100, "cluster:16xh100", "h100", "nemotron4-340b", "tensor=8,pipeline=8", 32, 128, 4.61,
         False, settings(training__virtual_stages=12) + SEQUENCE),
    Step("MT-NLG 530B, 2240 A100, t8 p35, 1920 sequences", A100, "cluster:280xa100", "a100", "mt-nlg-530b", "tensor=8,pipeline=35", 1920, 2240, 60.1, True,
         settings(training__recompute="full", training__dtype="f16")),
    Step("MT-NLG 530B, 2800 A100, t8 p35, 1920 sequences", A100, "cluster:350xa100", "a100", "mt-nlg-530b", "tensor=8,pipeline=35", 1920, 2800, 50.2, False,
         settings(training__recompute="full", training__dtype="f16")),
]
MISSING = [
    ("Llama 3 70B and 405B bf16 on 64 to 1024 H100", H100, "14.72 s; 14.92 s; 17.20 s", "these runs have context parallel ranks"),
    ("Llama 3 70B and 405B fp8 on H100 and B200", "NVIDIA-NeMo/Megatron-Bridge 25.11", "1602; 661 tokens/s/GPU", "products in fp8 are not modelled"),
]


def time_of(runs, step, efficiency):
    more = settings(compute__kernels="products", compute__efficiency=f"{efficiency:.4f}", compute__memory="auto", training__stages="blocks")
    algorithm = "ring_ring"
    document = runs.run(step.text, "train", "--platform", step.platform, "--preset", step.preset, "--model", step.model, "--parallel", step.degrees, "--sequences",
                        str(step.sequences), "--algorithm", algorithm, *step.more, *more)
    return document["period_ns"] * 1e-9


def fitted(runs, step):
    """Returns the efficiency by which the step takes its measured time: a part of the time is inverse to it."""
    low, high = 0.4, 0.7
    slow, fast = time_of(runs, step, low), time_of(runs, step, high)
    slope = (slow - fast) / (1 / low - 1 / high)
    return round(1 / (1 / high + (step.seconds - fast) / slope), 3)


def measure(simulator):
    runs = Runs(simulator)
    runs.efficiency = {}
    for step in STEPS:
        if step.fit:
            runs.efficiency[step.preset] = fitted(runs, step)
        time_of(runs, step, runs.efficiency[step.preset])
    return runs


def claims(results):
    runs = results["steps"]
    for step in STEPS:
        seconds = runs[step.text]["period_ns"] * 1e-9
        error = seconds / step.seconds - 1
        about = f"{step.seconds} s (8 %)"
        found = f"{seconds:.2f} s, {100 * error:+.1f} %, efficiency {runs.efficiency[step.preset]:.3f}"
        word, reason = calibrated(abs(error) < 0.01) if step.fit else (verdict(abs(error) <= 0.08), "")
        yield Claim(step.text, step.source, about, found, word, reason)
    for text, source, paper, reason in MISSING:
        yield Claim(text, source, paper, "-", "not run", reason)
