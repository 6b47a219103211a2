"""Figure 11 of Klenk et al. and of MultiTree, Figure 17 of Blink, from training iterations."""

from ..charts import Chart
from .claims_klenk import PRESETS, TOKENS
from .claims_multitree import METHODS

STYLES = {"1:1": "-", "2:1": "--", "4:1": ":"}
COLOURS = {"ring": "ring", "2d": "pull", "multitree": "push", "messages": "other"}
NAMES = {"ring": "RING", "2d": "2D-RING", "multitree": "MultiTree", "messages": "MultiTree, messages"}


def figure_klenk(results, stem):
    klenk = results["klenk"]
    with Chart(stem, "Klenk et al., Figures 1b and 11a: Transformer (big) on a DGX-2", "tokens of each GPU", "", panels=2) as chart:
        chart.panel(0, "share of the ring in a one-shot step")
        for ratio in PRESETS:
            chart.line([(t, klenk.share(ratio, t)) for t in TOKENS[:4]], f"Volta {ratio}", "ring", STYLES[ratio])
        chart.stated(0.30, "paper: up to 30 % (Volta)")
        chart.stated(0.42, "paper: up to 42 % (4:1)")
        chart.panel(1, "push over ring, best of one-shot and layer-wise")
        for ratio in PRESETS:
            chart.line([(t, klenk.speed_up(ratio, t)) for t in TOKENS[:4]], f"Volta {ratio}", "push", STYLES[ratio])
        chart.stated(1.4, "paper: up to 1.4")
        chart.logarithmic(x=True)
        chart.from_zero()
        for panel, title in zip(chart.panels, ("share", "speed-up")):
            chart.current = panel
            chart.own_axes(y={"title": title})


def figure_multitree(results, stem):
    networks = results["multitree"]
    with Chart(stem, "MultiTree, Figure 11: iteration on an 8x8 torus, RING is 1", "", "time over RING", panels=2) as chart:
        for index, (mode, title) in enumerate((("one_shot", "one-shot (11a)"), ("layer_wise", "layer by layer (11b)"))):
            chart.panel(index, title)
            chart.bars(list(networks.nets), {
                NAMES[name]: (COLOURS[name], [networks.steps[net, mode, name].time / networks.steps[net, mode, "ring"].time
                                              for net in networks.nets]) for name in METHODS})


def figure_blink(results, stem):
    sets = results["blink"]
    less = {"an iteration": sets.less(lambda s: s.time), "communication": sets.less(lambda s: s.communication())}
    with Chart(stem, "Blink, Figure 17: time that Blink saves on a DGX-1V", "", "share saved") as chart:
        chart.boxes([(f"{net}, {what}", [x for (n, _), x in found.items() if n == net])
                     for what, found in less.items() for net in ("alexnet", "resnet18", "resnet50", "vgg16")])


FIGURES = {"figure_klenk": (figure_klenk, "Klenk et al., 1b and 11a"), "figure_multitree": (figure_multitree, "MultiTree, 11"),
           "figure_blink": (figure_blink, "Blink, 17")}


NOTES = {"figure_blink": "Chunks have the default size. Dots are sets of GPUs; sets below zero are slower with Blink: small gradients on sets with rings "
                         "of NVLinks."}


def draw(results, folder):
    """Name, caption and note of each figure drawn."""
    for name, (figure, _) in FIGURES.items():
        figure(results, folder / name)
    return [(name, caption, NOTES.get(name, "")) for name, (_, caption) in FIGURES.items()]
