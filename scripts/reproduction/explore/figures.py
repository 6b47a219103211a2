"""Fronts of both spaces, and the exact indices."""

from ..charts import Chart
from .spaces import exact_indices

STYLES = (("ring", "-", "o"), ("pull", "-", "s"), ("other", "-", "^"), ("push", "-", "D"))


def stair(rows, cost):
    """Returns the points that no cheaper row beats in time, by cost."""
    points, best = [], float("inf")
    for x, y in sorted((float(row[cost]), float(row["time_ns"])) for row in rows):
        if y < best:
            points.append((x, y))
            best = y
    return points


def draw_front(explored, stem, title, cost, label, variable, values):
    with Chart(stem, title, label, "time (ns)") as chart:
        chart.logarithmic(x=True, y=True)
        for value, (kind, style, marker) in zip(values, STYLES):
            chart.line(stair([row for row in explored.rows if row[variable] == value], cost), value, kind, style, marker)
        chart.rings([(float(row[cost]), float(row["time_ns"])) for row in explored.front() if row[variable] in values], "front")
        base = explored.found["baseline"]["objectives"]
        chart.stated_point(base[cost], base["time_ns"], "baseline")


def draw_indices(spaces, stem):
    with Chart(stem, "Share of the variance of ln(time), over all points", "", "", panels=2) as chart:
        for index, (name, explored) in enumerate((("push", spaces.push), ("NetReduce", spaces.netreduce))):
            chart.panel(index, name)
            indices = exact_indices(explored)
            chart.own_axes(x={"names": list(indices)}, y={"from_zero": True})
            for label, kind, place in (("alone (S1)", "pull", 0), ("with others (ST)", "ring", 1)):
                chart.add(label, "bars", kind, [[number, round(value[place], 6)] for number, value in enumerate(indices.values())])


def draw(spaces, folder):
    draw_front(spaces.push, folder / "push", "Push of 1 MiB on a DGX-2, by rate of a link", "sram_mm2", "SRAM of a switch (mm2)", "link",
               ("25GB/s", "50GB/s", "75GB/s", "100GB/s"))
    draw_front(spaces.priced, folder / "priced", "Energy of a push of 1 MiB on a DGX-2, by rate of a link", "energy_pJ_per_B", "energy (pJ/B)", "link",
               ("25GB/s", "50GB/s", "75GB/s", "100GB/s"))
    draw_front(spaces.netreduce, folder / "netreduce", "NetReduce on a rack of six hosts, by clock of the accelerator", "memory_B",
               "memory of the accelerator (B)", "clock", ("1600ps", "3103ps", "8000ps"))
    draw_indices(spaces, folder / "indices")
