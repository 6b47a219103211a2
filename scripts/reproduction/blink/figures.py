"""Figure 13: speed-up in theory over all allocations; Figures 14 to 16: throughput of each."""

from ..charts import Chart
from .claims_theory import speed_ups
from .claims_beyond import gains, network
from .claims_paths import CHUNKS, chain_rates
from .claims_tuner import iterations
from .figure_25 import figure_25
from .figures_dgx2 import figure_18, figure_27
from .notes import NOTES
from .runs import both
from .sensitivity import panels, ranges
from .servers import NAMES
from .trees import THIRD

BARS = (("dgx1p", "broadcast"), ("dgx1p", "allreduce"), ("dgx1v", "broadcast"), ("dgx1v", "allreduce"))
SHORT = {"broadcast": "Broadcast", "allreduce": "AllReduce"}


def figure_13(results, stem):
    with Chart(stem, "Trees over rings in theory, all unique allocations of 3 to 8 GPUs", "", "speed-up", panels=2) as chart:
        for index, (ring, title) in enumerate((("", "ring over PCIe: half a link"), (THIRD, "ring over PCIe: a third of a link"))):
            chart.panel(index, title)
            chart.boxes([(f"{NAMES[s]} {SHORT[c]}", speed_ups(results, s, c, ring)) for s, c in BARS])
            chart.stated(6, "paper, text: up to 6")
        chart.from_zero()


def throughput(server, collective):
    def figure(results, stem):
        found = both(results, server, collective)
        with Chart(stem, f"{SHORT[collective]} on a {NAMES[server]}, 500 MB, all unique allocations", "GPUs", "throughput (GB/s)") as chart:
            chart.bars([" ".join(map(str, gpus)) for gpus in found],
                       {"Blink": ("push", [mine for mine, _ in found.values()]), "NCCL": ("pull", [rings for _, rings in found.values()])})

    return figure


def figure_7(results, stem):
    with Chart(stem, "Chains of V100 over single NVLinks, 1000 MB", "GPUs", "throughput (GB/s)") as chart:
        for chunk, style in zip(CHUNKS, (":", "-", "--")):
            chart.line(chain_rates(results, "broadcast", chunk).items(), f"forward, chunks of {chunk}", "pull", style)
            chart.line(chain_rates(results, "reduce", chunk).items(), f"add and forward, {chunk}", "push", style)
        for gpus, rate in ((3, 21), (8, 19)):
            chart.stated_point(gpus, rate, f"paper: {rate}")
        chart.y.update(low=15, high=25)


def figure_sensitivity(results, stem):
    shown = panels(results)
    with Chart(stem, "Speed-up over NCCL as parameters move over their range, 500 MB", "speed-up, geometric mean of the classes", "",
               panels=len(shown)) as chart:
        for index, (server, collective) in enumerate(shown):
            table, (mean, _) = ranges(results, server, collective)
            chart.panel(index, f"{NAMES[server]} {SHORT[collective]}")
            chart.spans([(name, [(value, average) for value, average, _ in values]) for name, values in table.items()], mean)


def figure_11(results, stem):
    tuned, fixed = iterations(results)
    with Chart(stem, "Broadcast on 4 V100, 500 MB: the chunk size tuned over iterations", "iteration", "throughput (GB/s)") as chart:
        chart.line([(i, rate) for i, (_, rate) in enumerate(tuned, 1)], "tuned; MB of a chunk", "push", labels=[f"{chunk / 1e6:g}" for chunk, _ in tuned])
        for chunk, rate in fixed.items():
            chart.stated(rate, f"fixed, {chunk / 1e6:g} MB")
        chart.y.update(margin=0.15)


def figure_19(results, stem):
    with Chart(stem, "AllReduce on 3 + 5 GPUs of two DGX-1V, 100 MB, a port for every GPU", "network (Gb/s)", "throughput (GB/s)") as chart:
        for algorithm, name, kind in (("blink", "Blink", "push"), ("nccl", "NCCL", "pull")):
            chart.line(network(results, algorithm).items(), name, kind)
        chart.stated_at(300, "paper: NVLinks limit from about 300 Gb/s on")
        chart.from_zero()


def figure_26(results, stem):
    found = gains(results)
    series = (("NVLinks alone", "ring"), ("and PCIe, Eq. (8)", "push"), ("and PCIe, rates measured", "other"))
    with Chart(stem, "Broadcast on V100, 500 MB", "GPUs", "throughput (GB/s)") as chart:
        chart.bars([str(len(gpus)) for gpus in found],
                   {label: (kind, [rates[which] for rates in found.values()]) for which, (label, kind) in enumerate(series)})


FIGURES = {"figure_7": (figure_7, "chains that add and forward"),
           "figure_11": (figure_11, "the chunk size over iterations"),
           "figure_13": (figure_13, "speed-up of trees over rings in theory"),
           "figure_14": (throughput("dgx1v", "broadcast"), "Broadcast on a DGX-1V"),
           "figure_15": (throughput("dgx1p", "broadcast"), "Broadcast on a DGX-1P"),
           "figure_16": (throughput("dgx1v", "allreduce"), "AllReduce on a DGX-1V"),
           "figure_18": (figure_18, "throughput on a DGX-2"),
           "figure_19": (figure_19, "two servers over the rate of the network"),
           "figure_25": (figure_25, "rings over three GPUs, and trees"),
           "figure_26": (figure_26, "PCIe in addition to NVLinks"),
           "figure_27": (figure_27, "latency on a DGX-2"),
           "figure_ranges": (figure_sensitivity, "what the speed-up owes to parameters that no public figure fixes")}


def draw(results, folder):
    """Name, caption and note of each figure drawn."""
    for name, (figure, _) in FIGURES.items():
        figure(results, folder / name)
    return [(name, caption, NOTES.get(name, "")) for name, (_, caption) in FIGURES.items()]
