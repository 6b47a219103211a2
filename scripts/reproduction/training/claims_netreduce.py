"""NetReduce, Figure 11: AlexNet on six machines with f32 gradients in one message. Tables 7 to 9 are rows of `scripts/reproduce netreduce`."""

from ..claim import REPORTED, Claim, verdict, within_half

SOFTWARE = "60Gb/s"  # one number for the testbed: calibrated on the ring's AlexNet of Table 7 (netreduce/both/one_gpu.yaml)
SHARE = 47.12 / 60.62  # ring's communication over the iteration, AlexNet, Table 7
FIGURE_11B = {"BERT": 34.6, "GPT-2": 24.8, "MNLI": 27.3, "QNLI": 29.6, "QQP": 22.2, "SQuAD": 42.5}


class Machines:
    def __init__(self, steps):
        self.steps = steps  # by method

    def ratio(self):
        return self.steps["ring"].communication() / self.steps["netreduce"].communication()


def measure(steps, _):
    return Machines(steps.all({method: ("rack:6", method, "netreduce-testbed2", "alexnet", "--grouping", "one_shot",
                                        "--set", f"netreduce.host.inter_rate={SOFTWARE}") for method in ("ring", "netreduce")}))


def figure_11(machines):
    ratio = machines.ratio()
    gain = 1 / (1 - SHARE * (1 - 1 / ratio))
    yield Claim("NetReduce over ring, AlexNet, six machines, share of the ring as in Table 7 (77.7 %)", "NetReduce Fig. 11A", "1.45 (1.3 to 1.6)",
                f"{gain:.2f}; the ring takes {ratio:.3f} times as long", verdict(within_half(gain, 1.45, 0.15, from_value=1)), "")
    needed = (1 / 1.18 - (1 - SHARE)) / SHARE  # SwitchML's communication over the ring's
    yield Claim("goodput of SwitchML over that of NetReduce for a gain of 1.18 over the ring", "NetReduce Fig. 11A, Table 6",
                "0.38 by Table 6", f"{1 / ratio / needed:.2f}", REPORTED, "figure and table do not agree")
    shares = {net: g / (100 + g) / (1 - 1 / ratio) for net, g in FIGURE_11B.items()}
    yield Claim("share of communication for the gains over the ring", "NetReduce Fig. 11B: 34.6, 24.8, 27.3, 29.6, 22.2, 42.5 %", "-",
                ", ".join(f"{net} {share:.2f}" for net, share in shares.items()), REPORTED, "its compute times are not known: no result")


ALL = (figure_11,)
