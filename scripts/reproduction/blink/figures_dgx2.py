"""Figures 18 and 27: throughput and latency on a DGX-2 over the size of the message."""

from ..charts import Chart
from .claims_dgx2 import rates, times

LINES = (("blink", "Blink", "push"), ("nccl", "NCCL", "pull"))
MOST_LATENCY = 2**20


def figure_18(results, stem):
    with Chart(stem, "AllReduce on 16 GPUs of a DGX-2", "message size per GPU", "throughput (GB/s)") as chart:
        for algorithm, name, kind in LINES:
            chart.line(rates(results, algorithm).items(), name, kind)
        chart.stated(64, "bound of rings and of one-hop trees, with acknowledgements: 64 GB/s")
        chart.sizes()
        chart.from_zero()


def figure_27(results, stem):
    with Chart(stem, "AllReduce on 16 GPUs of a DGX-2", "message size per GPU", "latency (us)") as chart:
        for algorithm, name, kind in LINES:
            chart.line([(size, us) for size, us in times(results, algorithm).items() if size <= MOST_LATENCY], name, kind)
        chart.sizes()
        chart.from_zero()
