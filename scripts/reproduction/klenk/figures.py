"""The figures of the paper, in its axes, with its stated values."""

from ..charts import Chart
from ..tools import parse_size
from .notes import NOTES

BANDWIDTH = "bandwidth (GB/s)"
MESSAGE = "message size per GPU"


def series(rows, x):
    """Returns points (x, bandwidth); x is the name of a column or a function of a row."""
    value = x if callable(x) else lambda row: row.number(x)
    return [(value(row), row.number("algbw_GBps")) for row in rows if row["status"] == "done"]


def values(rows, column):
    """Returns the distinct texts in a column, in the order of the rows."""
    return list(dict.fromkeys(row[column] for row in rows))


def largest(rows):
    return max(rows, key=lambda row: row.number("size_bytes"))


SHADES = {"push": ["#9fd3bf", "#5aae8d", "#2d8a68", "#0b6e4f"], "pull": ["#f3cdbf", "#e9a58e", "#d97a5b", "#b23a20"],
          "ring": ["#c5c7e0", "#9b9ec8", "#777ab3", "#5b5f97"]}


def shade(algorithm, gpus, all_gpus):
    steps = SHADES[algorithm]
    return steps[len(steps) - len(all_gpus) + all_gpus.index(gpus)]


def bandwidths(stem, title):
    """Adds two panels of the same lines: linear, as in the paper, and logarithmic, for the small sizes."""
    chart = Chart(stem, title, MESSAGE, BANDWIDTH, panels=2)
    chart.sizes()
    chart.from_zero()
    chart.panel(1, "the same, logarithmic")
    chart.own_axes(y={"log": True})
    chart.panel(0, "")
    return chart


def both_axes(chart):
    chart.panels[1]["series"] = chart.panels[0]["series"]


def figure_7a(results, stem):
    runs = results["fig7"]
    with bandwidths(stem, "Figure 7a: all-reduce on DGX-2") as chart:
        for algorithm, barrier, style, marker in (("push", "", "-", "o"), ("pull", "true", "-", "s"),
                                                  ("pull", "false", ":", "s"), ("ring", "", "-", "^")):
            rows = runs.select(algorithm=algorithm, nvswitch__pull__barrier=barrier)
            for gpus in values(rows, "gpus"):
                name = algorithm + {"": "", "true": " with barrier", "false": " without barrier"}[barrier]
                chart.line(series([r for r in rows if r["gpus"] == gpus], "size_bytes"), f"{name}, {gpus} GPUs",
                           shade(algorithm, gpus, values(rows, "gpus")), style, marker)
        chart.stated(120, "paper: maximal payload bandwidth, 120 GB/s")
        chart.stated(64, "bound of the ring at 16 GPUs, 64 GB/s")
        both_axes(chart)


def speedups(runs, algorithm, gpus, barrier=""):
    """(size, time of the ring over time of the algorithm)"""
    ring = {r["size_bytes"]: r.number("time_ns") for r in runs.select(algorithm="ring", gpus=gpus)}
    rows = runs.select(algorithm=algorithm, gpus=gpus, nvswitch__pull__barrier=barrier)
    return [(r.number("size_bytes"), ring[r["size_bytes"]] / r.number("time_ns")) for r in rows if r["size_bytes"] in ring]


def figure_7b(results, stem):
    runs = results["fig7"]
    with Chart(stem, "Figure 7b: speed-up over the software ring on DGX-2", MESSAGE, "speed-up over ring") as chart:
        for algorithm, barrier, label, marker in (("push", "", "push", "o"), ("pull", "true", "pull", "s")):
            every = values(runs.select(algorithm=algorithm), "gpus")
            for gpus in every:
                points = speedups(runs, algorithm, gpus, barrier)
                if points:
                    chart.line(points, f"{label}, {gpus} GPUs", shade(algorithm, gpus, every), "-", marker)
        chart.stated(18, "paper: up to 18x")
        chart.stated(2, "paper: converges to 2x")
        chart.sizes()
        chart.logarithmic(y=True)


def figure_8(results, stem):
    runs = results["fig8"]
    with bandwidths(stem, "Figure 8: all-reduce on the fat tree") as chart:
        for algorithm, marker in (("push", "o"), ("pull", "s"), ("ring", "^")):
            for platform, style in (("fat_tree:64", "--"), ("fat_tree:128", "-")):
                rows = runs.select(algorithm=algorithm, platform=platform)
                chart.line(series(rows, "size_bytes"), f"{algorithm}, {platform[9:]} GPUs", algorithm, style, marker)
        size = max(row.number("size_bytes") for row in runs.rows)
        chart.stated_point(size, 100, "paper: push, 64 GPUs")
        chart.stated_point(size, 70, "paper: push, 128 GPUs")
        chart.stated(120, "maximal payload bandwidth, 120 GB/s")
        both_axes(chart)


def figure_9(results, stem):
    runs = results["fig9"]
    orders = values(runs.rows, "nvswitch.gpu.dma.issue_order")
    timeouts = values(runs.select(algorithm="push"), "nvswitch.switch.reduction_table.timeout")
    names = {orders[0]: "4096-block windows", orders[1]: "whole message"}
    with Chart(stem, "Figure 9: no waves, arbitrary order, 16 GPUs", "table per port", BANDWIDTH, panels=2) as chart:
        for index, algorithm in enumerate(("pull", "push")):
            chart.panel(index, f"{algorithm} (Figure 9{'ab'[index]})")
            for order, colour in zip(orders, (algorithm, "other")):
                for timeout, style in zip(timeouts if algorithm == "push" else [""], ("-", ":")):
                    rows = runs.select(algorithm=algorithm, nvswitch__gpu__dma__issue_order=order,
                                       nvswitch__switch__reduction_table__timeout=timeout)
                    label = names[order] + (f", timeout {timeout}" if timeout else "")
                    chart.line(series(rows, lambda r: parse_size(r["nvswitch.switch.reduction_table.bytes"])), label, colour, style)
            bound = 110.3 if algorithm == "pull" else 120.0
            chart.stated(bound, f"bound, {bound} GB/s")
        chart.sizes()
        chart.from_zero()


def waves_of(row):
    return row.number("nvswitch.gpu.dma.waves")


def figure_10(results, stem):
    runs = results["fig10"]
    with Chart(stem, "Figure 10: how many waves of 8 KiB it takes", "waves", BANDWIDTH, panels=2) as chart:
        styles = {"dgx2": ("-", "DGX-2"), "fat_tree:64": ("--", "fat tree, 64 GPUs"),
                  "fat_tree:128": (":", "fat tree, 128 GPUs")}
        chart.panel(0, "pull (Figure 10a)")
        for table, colour in (("4KiB", "#5c1a0b"), ("1KiB", "pull"), ("256B", "other")):
            for platform, (style, name) in styles.items():
                rows = runs.select(algorithm="pull", platform=platform, nvswitch__switch__reduction_table__bytes=table,
                                   nvswitch__pull__wave_scope="")
                if rows:
                    chart.line(series(rows, waves_of), f"{name}, {table}", colour, style)
        for platform, (style, name) in styles.items():
            rows = runs.select(algorithm="pull", platform=platform, nvswitch__pull__wave_scope="global")
            if rows:
                chart.line(series(rows, waves_of), f"{name}, waves over all GPUs", "ring", style, "x")
        chart.stated_at(4, "paper: 4")
        chart.panel(1, "push, 256 B (Figure 10b)")
        for platform, (style, name) in styles.items():
            rows = runs.select(algorithm="push", platform=platform)
            if rows:
                chart.line(series(rows, waves_of), name, "push", style)
        chart.stated_at(16, "paper: 16 on DGX-2")
        chart.stated_at(64, "paper: 64 on the fat tree")
        chart.logarithmic(x=True)
        chart.from_zero()


FIGURES = {
    "figure_7a": (figure_7a, "Bandwidth over message size on DGX-2"),
    "figure_7b": (figure_7b, "Speed-up over the software ring"),
    "figure_8": (figure_8, "The fat tree with 64 and 128 GPUs"),
    "figure_9": (figure_9, "Sensitivity to the table size without waves"),
    "figure_10": (figure_10, "Waves in flight"),
}


def draw(results, folder):
    """Name, caption and note of each figure drawn."""
    for name, (figure, _) in FIGURES.items():
        figure(results, folder / name)
    return [(name, caption, NOTES.get(name, "")) for name, (_, caption) in FIGURES.items()]
