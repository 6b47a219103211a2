"""Figure 25: the rings over three GPUs, and the trees beside them."""

from math import cos, pi, sin

from ..charts import Chart

GPUS = (0, 1, 3)
COLOURS = ("#0b6e4f", "#c8553d", "#5b5f97")


def place(node):
    angle = pi / 2 - 2 * pi * node / len(GPUS)
    return cos(angle), sin(angle)


def arrow(axes, source, target, colour, bend):
    axes.annotate("", place(target), place(source), arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.6, "shrinkA": 15, "shrinkB": 15,
                                                                "mutation_scale": 14, "connectionstyle": f"arc3,rad={bend}"})


def panel(chart, index, title, edge_sets):
    chart.panel(index, title)
    axes = chart.axes
    for number, edges in enumerate(edge_sets):
        for source, target in edges:
            arrow(axes, source, target, COLOURS[number], 0.12 + 0.1 * number)
    for node, gpu in enumerate(GPUS):
        x, y = place(node)
        axes.plot([x], [y], marker="o", markersize=24, color="white", markeredgecolor="#222222")
        axes.annotate(str(gpu), (x, y), ha="center", va="center", fontsize=10)
    axes.set_xlim(-1.4, 1.4)
    axes.set_ylim(-1.1, 1.4)
    axes.set_aspect("equal")
    axes.axis("off")


def figure_25(results, stem):
    copies, sums = (results["trees"].of("dgx1p", collective, GPUS) for collective in ("broadcast", "allreduce"))
    (cycle,) = sums["ring_cycles"]
    ring = list(zip(cycle, cycle[1:] + cycle[:1]))
    with Chart(stem, "GPUs 0, 1 and 3 of a DGX-1P", "", "", panels=3, inches=(11, 4)) as chart:
        panel(chart, 0, f"{sums['rings']} rings: broadcast {copies['ring_rate']:g} links, all-reduce {sums['ring_rate']:g}",
              [ring, [(b, a) for a, b in ring]])
        for index, (name, found) in enumerate((("broadcast", copies), ("all-reduce, and back", sums)), 1):
            panel(chart, index, f"{len(found['trees'])} trees of {found['trees'][0]['weight']:g}: {name}, {found['rate']:g} links",
                  [[(e["parent"], e["child"]) for e in tree["edges"]] for tree in found["trees"]])
