"""Figure 25: the rings and the trees over three GPUs."""

from math import cos, pi, sin

from ..charts import Chart

GPUS = (0, 1, 3)
KINDS = ("push", "pull", "ring")


def place(node):
    """Positions on a circle, the first at the top."""
    angle = pi / 2 - 2 * pi * node / len(GPUS)
    return 0.5 + 0.4 * cos(angle), 0.4 + 0.4 * sin(angle)


def panel(chart, index, title, edge_sets):
    chart.panel(index, title)
    chart.graph([(str(gpu), *place(node)) for node, gpu in enumerate(GPUS)],
                [(source, target, KINDS[number]) for number, edges in enumerate(edge_sets) for source, target in edges])


def figure_25(results, stem):
    copies, sums = (results["trees"].of("dgx1p", collective, GPUS) for collective in ("broadcast", "allreduce"))
    rings = [list(zip(ring, ring[1:] + ring[:1])) for ring in sums["ring_cycles"]]
    with Chart(stem, "GPUs 0, 1 and 3 of a DGX-1P", "", "", panels=3) as chart:
        panel(chart, 0, f"{sums['rings']} rings: broadcast {copies['ring_rate']:g} links, all-reduce {sums['ring_rate']:g}",
              rings)
        for index, (name, found) in enumerate((("broadcast", copies), ("all-reduce, and back", sums)), 1):
            panel(chart, index, f"{len(found['trees'])} trees of {found['trees'][0]['weight']:g}: {name}, {found['rate']:g} links",
                  [[(e["parent"], e["child"]) for e in tree["edges"]] for tree in found["trees"]])
