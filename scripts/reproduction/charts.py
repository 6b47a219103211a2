"""Figures as files that `tributary plot` draws (docs/plots.md#figure-files)."""

import json
from statistics import median, quantiles

COLOURS = {"push": "#0b6e4f", "pull": "#c8553d", "ring": "#5b5f97", "other": "#b8860b"}
MARKERS = {"o": 0, "s": 1, "^": 2, "D": 3, "v": 4, "x": 5, "": None}
DASHES = {"-": "solid", "--": "dashed", ":": "dotted"}


def colour(kind):
    return COLOURS.get(kind, kind)


def one_line(value, indent=""):
    """Formats JSON with one line for each element of a list of objects, so that versions of a figure differ only in changed lines."""
    deeper = indent + " "
    if isinstance(value, dict) and any(isinstance(part, (dict, list)) for part in value.values()):
        return "{" + ",".join(f"\n{deeper}{json.dumps(key)}: {one_line(part, deeper)}" for key, part in value.items()) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(part, dict) for part in value):
        return "[" + ",".join(f"\n{deeper}{one_line(part, deeper)}" for part in value) + f"\n{indent}]"
    return json.dumps(value)


class Chart:
    """`with Chart(...) as chart:` describes a figure and writes it to stem.json. Panels share their axes unless a panel sets its own."""

    def __init__(self, stem, title, xlabel, ylabel, panels=1):
        self.stem, self.title = stem, title
        self.x, self.y = {"title": xlabel}, {"title": ylabel, "from_zero": False}
        self.panels = [{"series": [], "stated": []} for _ in range(panels)]
        self.current = self.panels[0]

    def __enter__(self):
        return self

    def __exit__(self, kind, _, __):
        if kind is not None:
            return
        panels = [{key: part for key, part in panel.items() if part} for panel in self.panels]
        figure = {"title": self.title, "x": self.x, "y": self.y, "panels": panels}
        self.stem.parent.mkdir(parents=True, exist_ok=True)
        self.stem.with_suffix(".json").write_text(one_line(figure) + "\n", encoding="utf-8")

    def panel(self, index, title):
        self.current = self.panels[index]
        self.current["title"] = title

    def own_axes(self, x=None, y=None):
        """Sets values of this panel only; the others are those of the figure."""
        self.current["x"] = {**self.x, **(x or {})}
        self.current["y"] = {**self.y, **(y or {})}

    def add(self, name, kind, of_colour, points, **more):
        self.current["series"].append({"name": name, "kind": kind, "colour": colour(of_colour), **more, "points": points})

    def line(self, points, label, kind="other", style="-", marker="o", labels=None):
        """Adds a line; `labels` are drawn above the points."""
        drawn = [[x, y] for x, y in sorted(points)]
        if labels:
            drawn = [{"x": x, "y": y, "label": text} for (x, y), text in zip(drawn, labels)]
        self.add(label, "line", kind, drawn, dash=DASHES[style], marker=MARKERS[marker])

    def rings(self, points, label, kind="other"):
        """Adds circles around points of lines."""
        self.add(label, "rings", kind, [[x, y] for x, y in points])

    def bars(self, names, series):
        """Adds adjacent bars for each name; series: label -> (kind, values)."""
        self.x["names"] = names
        self.y["from_zero"] = True
        for label, (kind, values) in series.items():
            self.add(label, "bars", kind, [[place, value] for place, value in enumerate(values)])

    def spans(self, rows, middle):
        """Adds spans (name, [(label, value)]) from the least to the greatest value of each name, with labels, around a common value."""
        points = []
        for place, (_, values) in enumerate(reversed(rows)):
            low, high = min(values, key=lambda v: v[1]), max(values, key=lambda v: v[1])
            shown = high[1] - low[1] > 0.004 * middle
            points.append({"y": place, "low": low[1], "high": high[1], "label": low[0] if shown else "", "high_label": high[0] if shown else ""})
        self.own_axes(y={"names": [name for name, _ in reversed(rows)]})
        self.add("", "ranges", "ring", points)
        self.stated_at(middle, "")

    def boxes(self, columns):
        """Adds boxes (name, values): quartiles and median, whiskers at the 5th and 95th percentile, and all values as dots."""
        self.x["names"] = [name for name, _ in columns]
        boxes = []
        for place, (_, values) in enumerate(columns):
            many = list(values) * (2 if len(values) == 1 else 1)
            twentieths = quantiles(many, n=20, method="inclusive")
            boxes.append({"x": place, "y": median(many), "low": twentieths[0], "high": twentieths[-1],
                          "quartiles": [twentieths[4], median(many), twentieths[14]]})
        self.add("", "boxes", "pull", boxes)
        self.add("", "dots", "ring", [[place + 0.36, value] for place, (_, values) in enumerate(columns) for value in values])

    def graph(self, nodes, arrows):
        """Adds nodes (name, x, y) at fractions of the panel, and arrows (from, to, kind) between numbered nodes."""
        self.current["graph"] = {"nodes": [{"name": name, "x": round(x, 4), "y": round(y, 4)} for name, x, y in nodes],
                                 "arrows": [{"from": a, "to": b, "colour": colour(kind)} for a, b, kind in arrows]}

    def stated(self, y, text):
        """Adds a value of the paper, or a bound, as a line across the figure."""
        self.current["stated"].append({"y": y, "text": text})

    def stated_at(self, x, text):
        self.current["stated"].append({"x": x, "text": text})

    def stated_point(self, x, y, text):
        self.current["stated"].append({"x": x, "y": y, "text": text})

    def sizes(self):
        self.x.update(log=True, bytes=True)

    def logarithmic(self, x=False, y=False):
        for axis, wanted in ((self.x, x), (self.y, y)):
            if wanted:
                axis["log"] = True

    def from_zero(self):
        self.y["from_zero"] = True
