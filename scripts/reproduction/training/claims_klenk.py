"""Klenk et al., Figures 1 and 11: Transformer (big) in f16 on a DGX-2, ring with the fixed cost of NCCL, push."""

from ..claim import REPORTED, Claim, arithmetic, calibrated, half_band, points, verdict, within_half

PRESETS = {"1:1": "klenk-volta", "2:1": "klenk-volta-2", "4:1": "klenk-volta-4"}
TOKENS = (640, 1280, 2560, 5120, 10240)
MODEL = "transformer-big"
IMAGES, IMAGES_PER_S = 32, 1200  # ResNet-50 in f16 on a V100 (NVIDIA/DeepLearningExamples)
SEQUENCE = 512  # tokens of BERT


class Klenk:
    """Steps of all sub-batches. The times of gradients do not depend on the network, and come from a small one."""

    def __init__(self, transfers, ready, images, sequences):
        self.transfers, self.ready, self.images, self.sequences = transfers, ready, images, sequences
        self.times = {a: {**transfers[a, "one_shot"].transfers, **transfers[a, "layer_wise"].transfers} for a in ("push", "ring")}
        self.whole = max(self.times["ring"])
        self.software = transfers["ring", "one_shot"].software

    def step(self, algorithm, ratio, tokens, overlap, slower=1, software=True):
        """Iteration in us on links that are slower by this factor."""
        fixed = self.software if algorithm == "ring" else 0
        time = {size: (t - fixed) * slower + (fixed if software else 0) for size, t in self.times[algorithm].items()}
        step = self.ready[ratio, tokens]
        return step.with_transfers(time.__getitem__) if overlap else step.compute + time[self.whole] + step.optimizer

    def speed_up(self, ratio, tokens, **how):
        best = {a: min(self.step(a, ratio, tokens, overlap, **how) for overlap in (False, True)) for a in ("push", "ring")}
        return best["ring"] / best["push"]

    def most(self, ratios=tuple(PRESETS), **how):
        return max((self.speed_up(r, t, **how), r, t) for r in ratios for t in TOKENS[:4])

    def image_speed_up(self):
        """Returns push over ring for ResNet-50."""
        best = {a: min(self.images[a, mode].time for mode in ("one_shot", "layer_wise")) for a in ("push", "ring")}
        return best["ring"] / best["push"]

    def bert(self, sequences):
        """Share of the ring, and push over ring, for one message of f16 gradients at the rates of Transformer."""
        step = self.sequences[sequences]
        size = sum(size for _, size in step.messages())
        time = {a: size / self.whole * self.times[a][self.whole] for a in ("push", "ring")}
        whole = {a: step.compute + step.optimizer + t for a, t in time.items()}
        return time["ring"] / whole["ring"], whole["ring"] / whole["push"]

    def share(self, ratio, tokens):
        return self.times["ring"][self.whole] / self.step("ring", ratio, tokens, False)

    def first_overlap(self, ratio):
        return next((t for t in TOKENS if self.step("ring", ratio, t, True) < self.step("ring", ratio, t, False)), None)


def measure(steps, _):
    ready = {(ratio, tokens): ("rack:2", "netreduce", preset, MODEL, "--grouping", "layer_wise", "--batch", tokens)
             for ratio, preset in PRESETS.items() for tokens in TOKENS}
    transfers = {(a, mode): ("dgx2", a, "klenk-volta", MODEL, "--grouping", mode)
                 for a in ("push", "ring") for mode in ("layer_wise", "one_shot")}
    images = {(a, mode): ("dgx2", a, "klenk-volta", "resnet50", "--grouping", mode, "--batch", IMAGES, "--compute", "table",
                          "--set", f"compute.time={1e6 * IMAGES / IMAGES_PER_S:.0f}us")
              for a in ("push", "ring") for mode in ("layer_wise", "one_shot")}
    sequences = {n: ("rack:2", "netreduce", "klenk-volta", "bert-large", "--grouping", "one_shot", "--batch", n * SEQUENCE) for n in (1, 2)}
    return Klenk(*map(steps.all, (transfers, ready, images, sequences)))


def messages(klenk):
    sizes = [size for _, size in klenk.ready["1:1", 640].messages()]
    mean, below = sum(sizes) / len(sizes) / 1e6, 100 * sum(s < 6e6 for s in sizes) / len(sizes)
    yield Claim("messages of Transformer, layer by layer", "Klenk II-B, Fig. 1a", "mean about 5 MB (30 %), half below 6 MB (10 points)",
                f"{len(sizes)} messages, mean {mean:.2f} MB, {below:.0f} % below 6 MB", verdict(abs(mean / 5 - 1) <= 0.3 and abs(below - 50) <= 10), "")

    sizes = [size for _, size in klenk.images["push", "layer_wise"].messages()]
    mean = sum(sizes) / len(sizes) / 1e6
    yield Claim("messages of ResNet-50, layer by layer, f16", "Klenk II-B, Fig. 1a", "mean about 1 MB (30 %)",
                f"{len(sizes)} messages, mean {mean:.2f} MB", verdict(abs(mean - 1) <= 0.3), "")


def all_reduce(klenk):
    """420 MB at 64 and at 120 GB/s; without the fixed cost of software."""
    for algorithm, paper in (("ring", 6.56), ("push", 3.50)):
        time = (klenk.times[algorithm][klenk.whole] - (klenk.software if algorithm == "ring" else 0)) / 1e3
        rate = klenk.whole / time / 1e6
        holds = abs(time / paper - 1) <= 0.05
        yield Claim(f"one all-reduce of all gradients of Transformer, {algorithm}, 16 GPUs", "Klenk II-B", f"{paper} ms (5 %)",
                    f"{time:.3f} ms: {klenk.whole / 1e6:.1f} MB at {rate:.1f} GB/s", verdict(holds),
                    "" if holds else "the paper has 420 MB at 120 GB/s, its bound for large messages; small reduction tables evict, and the link to each "
                    "GPU also carries headers, requests and acks ([bounds](../systems/klenk.md))")


def combined(klenk):
    """The combination of measured parts equals the simulation of the same step."""
    worst = max(abs(klenk.step(a, "1:1", 640, mode == "layer_wise") / step.time - 1)
                for (a, mode), step in klenk.transfers.items())
    return Claim("steps of 640 tokens, combined from parts, against `tributary train`", "arithmetic", "the same (1e-6)", f"{worst:.1e}",
                 arithmetic(worst < 1e-6), "")


def shares(klenk):
    """The compute model is not published: 0.81 of the peak is set to the first row."""
    for ratio, paper in (("1:1", 30), ("4:1", 42)):
        row = [100 * klenk.share(ratio, t) for t in TOKENS[:4]]
        yield Claim(f"share of the ring in a one-shot step, Volta {ratio}, 640 to 5120 tokens", "Klenk II-B, Fig. 1b",
                    f"up to {paper} % (3 points)", ", ".join(f"{x:.0f}" for x in row) + " %",
                    *(calibrated(abs(max(row) - paper) <= 3) if ratio == "1:1" else (verdict(abs(max(row) - paper) <= 3), "")))


def speed_ups(klenk):
    for ratio in PRESETS:
        row = [klenk.speed_up(ratio, t) for t in TOKENS[:4]]
        yield Claim(f"push over ring, best of one-shot and layer-wise, Volta {ratio}, 640 to 5120 tokens", "Klenk VI-E, Fig. 11a", "-",
                    ", ".join(f"{x:.2f}" for x in row), REPORTED, "")
    most, ratio, tokens = klenk.most()
    yield Claim("the largest of these", "Klenk VI-E, Fig. 11a", "1.4 (1.3 to 1.5)", f"{most:.2f} at {ratio}, {tokens} tokens",
                verdict(1.3 <= most <= 1.5), "")
    most, ratio, tokens = klenk.most(software=False)
    least = min(klenk.times["ring"])
    further = klenk.times["ring"][least] - klenk.software - least / 64e3
    yield Claim("the same without NCCL's fixed cost of a ring", "-", "-", f"{most:.2f} at {ratio}, {tokens} tokens", REPORTED,
                f"a message of this ring costs {further:.0f} us more than its bytes at 64 GB/s; without this cost the ratio would be 1.25 "
                "([arithmetic](../training_models.md#what-follows-by-arithmetic))")
    for name, slower in (("100 Gb/s", 12), ("10 Gb/s", 120)):
        most, _, tokens = klenk.most(("1:1",), slower=slower)
        yield Claim(f"push over ring, {name} for each GPU, Volta, at most", "Klenk VI-E, Fig. 11a", "about 1.8",
                    f"{most:.2f} at {tokens} tokens", REPORTED, f"no Ethernet is simulated: times of packets on NVLinks, {slower} times as long")


def other_networks(klenk):
    step, most = klenk.images["ring", "one_shot"], klenk.most(("1:1",))[0]
    share, gain = step.communication() / step.time, klenk.image_speed_up()
    yield Claim(f"share of the ring in a one-shot step, ResNet-50, {IMAGES} images at {IMAGES_PER_S} a second", "arithmetic on 51 MB and 27 ms",
                f"3 % ({points(half_band(3, 2))})", f"{100 * share:.1f} %", arithmetic(within_half(100 * share, 3, 2)), "")
    yield Claim("push over ring, best of one-shot and layer-wise, Volta: Transformer and ResNet-50", "Klenk VI-E, Fig. 11", "falls in this order",
                f"{most:.2f} and {gain:.3f}", verdict(most > gain), "")
    for sequences in klenk.sequences:
        share, gain = klenk.bert(sequences)
        yield Claim(f"share of the ring, and push over ring, BERT (large), {sequences * SEQUENCE} tokens, one-shot", "Klenk Fig. 11c", "-",
                    f"{100 * share:.0f} %, {gain:.2f}", REPORTED, "the paper does not name its BERT; 670 MB at the rates of the 421 MB of Transformer")


def overlap(klenk):
    for ratio, paper in (("1:1", 640), ("4:1", 5120)):
        first = klenk.first_overlap(ratio)
        yield Claim(f"sub-batch above which a ring layer by layer is faster, Volta {ratio}", "Klenk VI-E", f"beyond {paper} tokens (factor 2)",
                    f"{first} tokens" if first else f"beyond {TOKENS[-1]} tokens", verdict(first is not None and paper / 2 <= first <= 2 * paper),
                    "with 67 messages; with separate queries, keys and values there are 97")
    worse = [(r, t) for r in PRESETS for t in TOKENS if klenk.step("push", r, t, True) >= klenk.step("push", r, t, False)]
    yield Claim("push layer by layer is faster than one-shot", "Klenk VI-E", "at every point", f"at {15 - len(worse)} of 15",
                verdict(not worse), "")


def megatron(klenk):
    less = 30 * (1 - klenk.times["push"][klenk.whole] / klenk.times["ring"][klenk.whole])
    return Claim("Megatron, 30 % of all-reduces on the critical path: less time by push", "Klenk VI-E", "15 % (2 points)", f"{less:.1f} %",
                 arithmetic(abs(less - 15) <= 2), "30 % times the ratio of two measured rates of 421 MB; 8 MB are the size of its messages")


ALL = (messages, all_reduce, combined, shares, speed_ups, other_networks, overlap, megatron)
