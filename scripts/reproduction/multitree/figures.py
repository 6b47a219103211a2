"""The figures of the paper, in its axes."""

from ..charts import Chart
from .networks import BIGRAPHS, FAT_TREES, IDEAL, MESHES, TORI, curves, name_of, overheads
from .notes import NOTES
from .scaling import SCALED, points

STYLES = {"MultiTree, messages": ("push", "-", "s"), "MultiTree": ("push", ":", "o"), "2D ring": ("other", "-", "D"),
          "ring": ("ring", "-", "^"), "double binary tree": ("pull", "-", "v"), "HDRM": ("#777777", "-", "x")}


def figure_2(results, stem):
    with Chart(stem, "Figure 2: head flits on the wire, torus 4x4, 1 MiB", "payload of a packet (B)",
               "head flits over payload (%)") as chart:
        measured = overheads(results)
        chart.line([(size, 100 * share) for size, share in measured], "measured", "push")
        chart.line([(size, 1600 / size) for size, _ in measured], "arithmetic, 16 B / payload", "other", ":", "")
        chart.stated(25, "paper: up to 25 %")
        chart.stated(6.25, "paper: 6 % at 256 B")
        chart.from_zero()


def over_sizes(results, stem, letter, title, platforms):
    with Chart(stem, f"Figure 9{letter}: all-reduce on {title}", "message size", "bandwidth (GB/s)", panels=2) as chart:
        for index, platform in enumerate(platforms):
            chart.panel(index, name_of(platform))
            for method, found in curves(results["fig9"], platform).items():
                colour, style, marker = STYLES[method]
                chart.line(found.items(), method, colour, style, marker)
            if platform in IDEAL:
                chart.stated(IDEAL[platform], f"ideal of MultiTree's steps, {IDEAL[platform]:.1f} GB/s")
        chart.sizes()
        chart.logarithmic(y=True)


def figure_9a(results, stem):
    over_sizes(results, stem, "a", "tori", TORI)


def figure_9b(results, stem):
    over_sizes(results, stem, "b", "meshes", MESHES)


def figure_9c(results, stem):
    over_sizes(results, stem, "c", "fat trees", FAT_TREES)


def figure_9d(results, stem):
    over_sizes(results, stem, "d", "BiGraphs", BIGRAPHS)


def figure_10(results, stem):
    with Chart(stem, "Figure 10: all-reduce on tori of N nodes", "N", "time (us)", panels=2) as chart:
        for index, (kind, title) in enumerate((("weak", "weak scaling, 375 KiB x N"), ("strong",
                                                                                       "strong scaling, 6000 KiB"))):
            chart.panel(index, title)
            for method in SCALED:
                colour, style, marker = STYLES[method]
                chart.line([(nodes, ns / 1000) for nodes, ns in points(results, method, kind).items()], method, colour,
                           style, marker)
        chart.from_zero()
        chart.own_axes()  # a tenth of the range of weak scaling


FIGURES = {
    "figure_2": (figure_2, "Cost of head flits"),
    "figure_9a": (figure_9a, "Bandwidth over message size, tori"),
    "figure_9b": (figure_9b, "Bandwidth over message size, meshes"),
    "figure_9c": (figure_9c, "Bandwidth over message size, fat trees"),
    "figure_9d": (figure_9d, "Bandwidth over message size, BiGraphs"),
    "figure_10": (figure_10, "Weak scaling and strong scaling"),
}


def draw(results, folder):
    """Name, caption and note of each figure drawn."""
    for name, (figure, _) in FIGURES.items():
        figure(results, folder / name)
    return [(name, caption, NOTES.get(name, "")) for name, (_, caption) in FIGURES.items()]
