"""Figure 13: speed-up in theory over all allocations."""

from ..charts import Chart
from .claims_theory import speed_ups
from .notes import NOTES
from .servers import NAMES
from .trees import THIRD

BARS = (("dgx1p", "broadcast"), ("dgx1p", "allreduce"), ("dgx1v", "broadcast"), ("dgx1v", "allreduce"))
SHORT = {"broadcast": "Broadcast", "allreduce": "AllReduce"}


def figure_13(results, stem):
    with Chart(stem, "Trees over rings in theory, all unique allocations of 3 to 8 GPUs", "", "speed-up", panels=2) as chart:
        for index, (ring, title) in enumerate((("", "ring over PCIe: half a link"), (THIRD, "ring over PCIe: a third of a link"))):
            chart.panel(index, title)
            chart.boxes([(f"{NAMES[s]}\n{SHORT[c]}", speed_ups(results, s, c, ring)) for s, c in BARS])
            chart.stated(6, "paper, text: up to 6")
        chart.from_zero()


FIGURES = {"figure_13": (figure_13, "speed-up of trees over rings in theory")}


def draw(results, folder):
    """Name, caption and note of each figure drawn."""
    for name, (figure, _) in FIGURES.items():
        figure(results, folder / name)
    return [(name, caption, NOTES.get(name, "")) for name, (_, caption) in FIGURES.items()]
