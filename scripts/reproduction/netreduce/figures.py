"""Goodput over message size, and over loss."""

from ..charts import Chart
from .claims_loss import over_loss, over_loss_of
from .claims_rack import ACKS, TURNAROUND, WINDOW, goodput
from .notes import NOTES


def points(rows):
    return [(row.number("size_bytes"), goodput(row)) for row in rows]


def figure_goodput(results, stem):
    with Chart(stem, "All-reduce of hosts on one Ethernet switch", "message size", "goodput (Gb/s)") as chart:
        for hosts, style in ((4, ":"), (6, "-")):
            for algorithm, name, kind in (("netreduce", "NetReduce", "push"), ("ring", "ring", "ring")):
                chart.line(points(results["ring"].select(platform=f"rack:{hosts}", algorithm=algorithm)), f"{name}, {hosts} hosts",
                           kind, style)
        chart.stated(92.57, "the wire: 92.57 Gb/s")
        chart.sizes()
        chart.from_zero()


def figure_window(results, stem):
    with Chart(stem, "NetReduce, six hosts: window, turnaround, ACKs", "message size", "goodput (Gb/s)") as chart:
        for column, value, name, kind, style in ((WINDOW, "1", "N = 1", "pull", "-"), (WINDOW, "2", "N = 2", "push", "-"),
                                                 (WINDOW, "4", "N = 4", "other", ":"),
                                                 (TURNAROUND, "13.2us", "N = 2, 13.2 us turnaround", "ring", "-"),
                                                 (ACKS, "1", "N = 2, ACK per packet", "#777777", "--")):
            chart.line(points(results["one_rack"].select(**{column: value})), name, kind, style)
        chart.stated(86.8, "paper, Table 6: 86.8 Gb/s")
        chart.sizes()
        chart.from_zero()


def figure_loss(results, stem):
    with Chart(stem, "NetReduce: frames lost on every link", "share of frames lost", "goodput (Gb/s)") as chart:
        for timeout, name, kind in (("100us", "six hosts, timeout of 100 us", "push"), ("67ms", "six hosts, timeout of 67 ms", "pull")):
            chart.line([point for point in over_loss(results, timeout) if point[0] > 0], name, kind)
        for platform, name, kind in (("rack:32", "32 hosts on one switch, 100 us", "ring"), ("spine_leaf:4x8", "32 hosts in a tree of 4 x 8, 100 us", "other")):
            chart.line([point for point in over_loss_of(results, platform) if point[0] > 0], name, kind, "--")
        chart.stated(over_loss(results, "100us")[0][1], "no loss")
        chart.logarithmic(x=True, y=True)


FIGURES = {"figure_goodput": (figure_goodput, "NetReduce and the ring over message size"),
           "figure_window": (figure_window, "effect of the window and of the host"),
           "figure_loss": (figure_loss, "goodput under loss")}


def draw(results, folder):
    """Name, caption and note of each figure drawn."""
    for name, (figure, _) in FIGURES.items():
        figure(results, folder / name)
    return [(name, caption, NOTES.get(name, "")) for name, (_, caption) in FIGURES.items()]
