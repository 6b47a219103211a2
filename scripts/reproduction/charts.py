"""Charts in one style, the same bytes from run to run: fixed salt of SVG names, no dates."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator  # noqa: E402

from .tools import show_size  # noqa: E402

matplotlib.rcParams.update({
    "svg.hashsalt": "tributary", "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 9,
    "axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False,
    "lines.linewidth": 1.6, "lines.markersize": 4, "legend.frameon": False, "legend.fontsize": 8,
})
COLOURS = {"push": "#0b6e4f", "pull": "#c8553d", "ring": "#5b5f97", "other": "#b8860b"}
PAPER = "#222222"


class Chart:
    """`with Chart(...) as chart:` draws, and writes stem.svg and stem.png."""

    def __init__(self, stem, title, xlabel, ylabel, panels=1, inches=None):
        self.stem = stem
        inches = inches or ((8.2, 4.0) if panels == 1 else (5 * panels, 4.9))
        self.figure, axes = plt.subplots(1, panels, figsize=inches, squeeze=False)
        self.panels = list(axes[0])
        self.axes = self.panels[0]
        self.figure.suptitle(title, fontsize=10, fontweight="bold")
        for panel in self.panels:
            panel.set_xlabel(xlabel)
            panel.set_ylabel(ylabel)

    def __enter__(self):
        return self

    def __exit__(self, kind, _, __):
        if kind is None:
            for panel in self.panels:
                self.add_legend(panel)
            self.figure.tight_layout()
            self.stem.parent.mkdir(parents=True, exist_ok=True)
            self.figure.savefig(self.stem.with_suffix(".svg"), metadata={"Date": None, "Creator": "Tributary"})
            self.figure.savefig(self.stem.with_suffix(".png"), dpi=130, metadata={"Software": None})
        plt.close(self.figure)

    def add_legend(self, panel):
        """Outside of the axes, where it hides nothing."""
        if not panel.get_legend_handles_labels()[1]:
            return
        if len(self.panels) == 1:
            panel.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
        else:
            panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2)

    def panel(self, index, title):
        self.axes = self.panels[index]
        self.axes.set_title(title, fontsize=9)

    def line(self, points, label, kind="other", style="-", marker="o"):
        points = sorted(points)
        self.axes.plot([x for x, _ in points], [y for _, y in points], linestyle=style, marker=marker,
                       color=COLOURS.get(kind, kind), label=label)

    def bars(self, names, series):
        """Bars side by side over each name; series: label -> (kind, values)."""
        width = 0.84 / len(series)
        for number, (label, (kind, values)) in enumerate(series.items()):
            places = [i - 0.42 + width * (number + 0.5) for i in range(len(names))]
            self.axes.bar(places, values, width, label=label, color=COLOURS.get(kind, kind))
        self.axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
        self.axes.set_xlim(-0.7, len(names) - 0.3)
        self.axes.grid(axis="x", visible=False)

    def spans(self, rows, middle):
        """(name, [(label, value)]): from the least to the greatest value of each name, with their labels, about a value of all."""
        for place, (name, values) in enumerate(reversed(rows)):
            numbers = [value for _, value in values]
            self.axes.plot([min(numbers), max(numbers)], [place, place], color=COLOURS["ring"], linewidth=5, solid_capstyle="butt")
            for label, value in (min(values, key=lambda v: v[1]), max(values, key=lambda v: v[1])):
                if max(numbers) - min(numbers) > 0.004 * middle:
                    self.axes.annotate(label, (value, place), xytext=(-3 if value == min(numbers) else 3, 0), textcoords="offset points",
                                       fontsize=7, va="center", ha="right" if value == min(numbers) else "left")
        self.axes.axvline(middle, color=PAPER, linewidth=0.9, linestyle=(0, (4, 3)))
        self.axes.set_yticks(range(len(rows)), [name for name, _ in reversed(rows)], fontsize=7.5)
        self.axes.set_ylim(-0.7, len(rows) - 0.3)
        self.axes.margins(x=0.18)

    def boxes(self, columns):
        """(name, values): quartiles and median, whiskers at the 5th and 95th percentile, and all values as dots."""
        names, values = zip(*columns)
        self.axes.boxplot(values, labels=names, whis=(5, 95), widths=0.5, showfliers=False,
                          medianprops={"color": COLOURS["pull"], "linewidth": 1.6})
        for place, column in enumerate(values, 1):
            self.axes.plot([place + 0.36] * len(column), column, linestyle="none", marker=".", markersize=3, alpha=0.5,
                           color=COLOURS["ring"])

    def stated(self, y, text):
        """A value of the paper, or a bound, right across the figure."""
        self.axes.axhline(y, color=PAPER, linewidth=0.9, linestyle=(0, (4, 3)))
        self.axes.annotate(text, (0.01, y), xycoords=("axes fraction", "data"), xytext=(0, 2), textcoords="offset points",
                           fontsize=7.5, color=PAPER)

    def stated_at(self, x, text):
        self.axes.axvline(x, color=PAPER, linewidth=0.9, linestyle=(0, (4, 3)))
        self.axes.annotate(text, (x, 0.02), xycoords=("data", "axes fraction"), xytext=(3, 0), textcoords="offset points",
                           fontsize=7.5, color=PAPER, rotation=90, va="bottom")

    def stated_point(self, x, y, text):
        self.axes.plot([x], [y], marker="*", markersize=11, color=PAPER, linestyle="none")
        self.axes.annotate(text, (x, y), xytext=(-8, -3), textcoords="offset points", fontsize=7.5, color=PAPER, ha="right")

    def sizes(self):
        for panel in self.panels:
            panel.set_xscale("log", base=2)
            panel.xaxis.set_major_locator(LogLocator(base=2, numticks=9))
            panel.xaxis.set_minor_locator(NullLocator())
            panel.xaxis.set_major_formatter(FuncFormatter(lambda x, _: show_size(x) if x >= 1 else ""))
            panel.tick_params(axis="x", labelrotation=30)

    def counts(self, values):
        for panel in self.panels:
            panel.set_xscale("log", base=2)
            panel.xaxis.set_minor_locator(NullLocator())
            panel.set_xticks(values, [str(v) for v in values])

    def from_zero(self):
        for panel in self.panels:
            panel.set_ylim(bottom=0)
