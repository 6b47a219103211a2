"""NetReduce, Tables 7 and 9 and Figure 11: iterations with the compute times of Table 7, f32 gradients in one message."""

from ..claim import REPORTED, Claim, calibrated, verdict

TABLE_7 = {"alexnet": (527.9, 716.0), "vgg16": (172.9, 215.3), "resnet50": (358.8, 383.6)}
TABLE_9 = {"alexnet": (307.5, 328.8, 519.2), "vgg16": (115.2, 122.2, 173.6), "resnet50": (276.0, 282.8, 317.6)}
ONE, EIGHT = "61Gb/s", "42.4Gb/s"  # software rate, fitted to AlexNet's ring and FR
MACHINES = ("ring", "tencent", "parallel_netreduce")
TENSORS = "161 tensors, each with a fixed cost that is not modelled"
FIGURE_11B = {"BERT": 34.6, "GPT-2": 24.8, "MNLI": 27.3, "QNLI": 29.6, "QQP": 22.2, "SQuAD": 42.5}


class Tables:
    def __init__(self, steps):
        self.steps = steps

    def rate(self, machine, net, method):
        """Images per second of one GPU."""
        step = self.steps[machine, net, method]
        return step.rate() / step.document["ranks"]

    def ratio(self, machine, net):
        return self.steps[machine, net, "ring"].communication() / self.steps[machine, net, "netreduce"].communication()


def measure(steps, _):
    def one(machine, net, method, rate):
        return (machine, method, "netreduce-testbed2", net, "--grouping", "one_shot", "--set", f"netreduce.host.inter_rate={rate}")

    wanted = {("rack:4", net, method): one("rack:4", net, method, ONE) for net in TABLE_7 for method in ("ring", "netreduce")}
    wanted |= {("rack:4x8", net, method): one("rack:4x8", net, method, EIGHT) for net in TABLE_9 for method in MACHINES}
    wanted |= {("rack:6", "alexnet", method): one("rack:6", "alexnet", method, ONE) for method in ("ring", "netreduce")}
    return Tables(steps.all(wanted))


def one_gpu(tables):
    for net, papers in TABLE_7.items():
        for method, paper in zip(("ring", "netreduce"), papers):
            rate, band = tables.rate("rack:4", net, method), 0.08 if net == "resnet50" else 0.05
            holds = abs(rate / paper - 1) <= band
            made = calibrated(holds) if (net, method) == ("alexnet", "ring") else (verdict(holds), "" if holds else TENSORS)
            yield Claim(f"images/s, {net}, {method}, 4 machines of one GPU; 61 Gb/s of software", "NetReduce Table 7",
                        f"{paper} ({100 * band:.0f} %)", f"{rate:.1f}", *made)


def eight_gpus(tables):
    for net, papers in TABLE_9.items():
        found = [tables.rate("rack:4x8", net, method) for method in MACHINES]
        for name, rate, paper in zip(("FR", "TA", "PN"), found, papers):
            band = 0.20 if net == "resnet50" else 0.12 if name == "TA" else 0.05
            holds = abs(rate / paper - 1) <= band
            made = calibrated(holds) if (net, name) == ("alexnet", "FR") else (verdict(holds), "" if holds else TENSORS)
            yield Claim(f"images/s of a GPU by {name}, {net}, 4 machines of 8 GPUs; 42.4 Gb/s of software", "NetReduce Table 9",
                        f"{paper} ({100 * band:.0f} %)", f"{rate:.1f}", *made)
        yield Claim(f"FR, TA, PN, {net}", "NetReduce Table 9", "rise in this order", ", ".join(f"{x:.0f}" for x in found),
                    verdict(found == sorted(found)), "")


def figure_11(tables):
    ratio = tables.ratio("rack:6", "alexnet")
    share = 47.12 / 60.62  # Table 7
    gain = 1 / (1 - share * (1 - 1 / ratio))
    yield Claim("NetReduce over ring, AlexNet, six machines, share of the ring as in Table 7 (77.7 %)", "NetReduce Fig. 11A", "1.45 (10 %)",
                f"{gain:.2f}; the ring takes {ratio:.3f} times as long", verdict(abs(gain / 1.45 - 1) <= 0.1), "")
    needed = (1 / 1.18 - (1 - share)) / share  # SwitchML's communication over the ring's
    yield Claim("goodput of SwitchML over that of NetReduce for a gain of 1.18 over the ring", "NetReduce Fig. 11A, Table 6",
                "0.38 by Table 6", f"{1 / ratio / needed:.2f}", REPORTED, "figure and table do not agree")
    shares = {net: g / (100 + g) / (1 - 1 / ratio) for net, g in FIGURE_11B.items()}
    yield Claim("share of communication for the gains over the ring", "NetReduce Fig. 11B: 34.6, 24.8, 27.3, 29.6, 22.2, 42.5 %", "-",
                ", ".join(f"{net} {share:.2f}" for net, share in shares.items()), REPORTED, "its compute times are not known: no result")


ALL = (one_gpu, eight_gpus, figure_11)
