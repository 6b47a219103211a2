"""Iterations over GPUs, and Figure 7 of NetReduce."""

from ..charts import Chart
from . import figure_7
from .claims import show_count
from .iterations import BASE, GPUS, METHODS, NETWORKS

STYLES = {"ring, each at its pace": ("ring", "-", "o"), "parallel_tree": ("other", "-", "s"), "nvswitch, rings between": ("push", "--", "^"),
          "parallel_netreduce": ("pull", "-", "D"), "nvswitch, adding between": ("push", "-", "v")}


TABLE = ("Time in ms, and the share of exposed communication; numbers of GPUs at which an algorithm is faster than the ring (by 1 %); limit up to which twice "
         "the GPUs process 1.8 times the samples (circles).\n\n")


def figure_iterations(found, net, nics, stem):
    name, batch, unit = NETWORKS[net]
    with Chart(stem, f"{name}, {batch} {unit} a GPU, machines of 8 with {nics}: an iteration", "GPUs", "", panels=2) as chart:
        chart.logarithmic(x=True)
        chart.panel(0, "time (ms)")
        chart.own_axes(y={"log": True, "title": "ms"})
        chart.panel(1, "share of communication that nothing hides")
        chart.own_axes(y={"low": 0, "high": 100, "title": "%"})
        for method, label in METHODS.items():
            kind, style, marker = STYLES[method]
            chart.current = chart.panels[0]
            chart.line([(g, found.time(method, g) / 1e3) for g in GPUS], label, kind, style, marker)
            last = found.doublings(method)
            if last < GPUS[-1]:
                chart.rings([(last, found.time(method, last) / 1e3)], "", kind)
            chart.current = chart.panels[1]
            chart.line([(g, 100 * found.share(method, g)) for g in GPUS], label, kind, style, marker)
        chart.current = chart.panels[0]
        chart.stated(found.alone / 1e3, "without communication")


def figure_netreduce_7(points, stem):
    gpus, size, rate = figure_7.STANDARD
    others = {"ring, steps together": ("ring", "-", "o", "flat ring, in step (FR)"), "tencent": ("other", "-", "s", "Tencent (TA)"),
              "ring, each at its pace": ("ring", ":", "^", "flat ring, each at its pace"), "parallel_ring": ("pull", "--", "D", "rings in place of adding")}
    panels = ((f"{size} MB, Bi {rate} GB/s", {"title": "GPUs", "log": True}, {"from_zero": True}, [(g, (g, size, rate)) for g in figure_7.GPUS]),
              (f"{show_count(gpus)} GPUs, Bi {rate} GB/s", {"title": "tensor (MB)", "log": True}, {"log": True}, [(s, (gpus, s, rate)) for s in figure_7.SIZES]),
              (f"{show_count(gpus)} GPUs, {size} MB", {"title": "Bi (GB/s)"}, {"from_zero": True}, [(r, (gpus, size, r)) for r in figure_7.RATES]))
    with Chart(stem, "NetReduce, Figure 7: time over that of parallel NetReduce", "", "time over parallel NetReduce", panels=3) as chart:
        for index, (title, x, y, at) in enumerate(panels):
            chart.panel(index, title)
            chart.own_axes(x, y)
            for other, (kind, style, marker, label) in others.items():
                chart.line([(value, figure_7.gain(points[key], other)) for value, key in at], label, kind, style, marker)
            chart.stated(1, "")
        chart.current = chart.panels[0]
        chart.line([(g, figure_7.gain(points[g, size, "mesh"], "ring, steps together")) for g in figure_7.GPUS], "FR, Bi of a DGX-1V's mesh", "push", "--", "v")


def show_ranges(ranges):
    return ", ".join(f"{show_count(a)} to {show_count(b)}" if a < b else show_count(a) for a, b in ranges) or "none"


def table(found):
    """Time in ms, the share of communication at some numbers of GPUs, and the numbers at which an algorithm is faster."""
    gpus = [g for i, g in enumerate(GPUS) if i in (0, 1, 4, 8, 11, 12, 14)]
    lines = ["| GPUs | " + " | ".join(map(show_count, gpus)) + " | less time than the ring | twice the GPUs, 1.8 times the samples |",
             "|---|" + "---|" * (len(gpus) + 2)]
    for method, name in METHODS.items():
        last = found.doublings(method)
        cells = [f"{found.time(method, g) / 1e3:.1f}, {100 * found.share(method, g):.0f} %" for g in gpus]
        cells += ["" if method == BASE else show_ranges(found.pays(method)), "all" if last == GPUS[-1] else f"up to {show_count(last)}"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(results, folder):
    """Name, caption and note of each figure drawn."""
    drawn = []
    for (net, nics), found in results["iterations"].items():
        name = f"figure_{net}_{nics.split()[0]}".replace("-", "_")
        figure_iterations(found, net, nics, folder / name)
        drawn.append((name, f"{NETWORKS[net][0]}, {nics} a machine", TABLE + table(found)))
    figure_netreduce_7(results["figure_7"], folder / "figure_netreduce_7")
    drawn.append(("figure_netreduce_7", "NetReduce, 7", "Time of other all-reduces over that of parallel NetReduce; below the dashed line they are faster. FR, TA and PN equal those of the "
                  "equations to 1e-9."))
    return drawn
