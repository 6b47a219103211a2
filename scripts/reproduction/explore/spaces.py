"""The explorations of both spaces. All methods of a space share a folder, so that no point runs twice."""

import csv
import json
import math
from itertools import product
from pathlib import Path
from statistics import fmean, pvariance

from ..tools import run

HERE = Path(__file__).resolve().parent
GRID = "method: {kind: grid}"
EVOLUTION = "method: {kind: evolution, population: 20, generations: 8}"
# Objectives of the push, and those that replace them: the area has the SRAM and the senders and receivers of links.
OF_SRAM_AND_LINK = ("  - {minimize: 16 * (table + buffer * round_trip) * 0.05mm2 / 18KiB, name: sram}   # Klenk IV-G: 18 KiB occupy 0.05 mm2\n",
                    "  - {minimize: link}\n")
PRICED = "  - {minimize: area.total, name: area}\n  - {minimize: large.energy.per_byte, name: energy}\n"
LINKS = ("25GB/s", "50GB/s", "100GB/s")


class Explored:
    """One exploration: explore.json as `found`, and the rows of points.csv."""

    def __init__(self, folder):
        self.found = json.loads((folder / "explore.json").read_text(encoding="utf-8"))
        with open(folder / "points.csv", encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.columns = [objective["name"] for objective in self.found["objectives"]]

    def front(self):
        """Returns the members of the front with different objectives, the fastest first; each is the first of equal points."""
        members = {}
        for row in self.rows:
            if row["front"] == "0":
                members.setdefault(tuple(float(row[column]) for column in self.columns), row)
        return [members[key] for key in sorted(members)]


class Spaces:
    def __init__(self, simulator):
        self.simulator = simulator
        self.push, self.netreduce = self.explore("push", GRID), self.explore("netreduce", GRID)
        self.priced = self.explore("push", GRID, *((objective, "") for objective in OF_SRAM_AND_LINK), ("method:", PRICED + "method:"))
        clocks = "[1600ps, 2000ps, 2500ps, 3103ps, 4000ps, 5000ps, 6206ps, 8000ps]"
        self.slow_hosts = self.explore("netreduce", GRID, (clocks, "[3103ps]"),
                                       ("workloads:", "parameters: {netreduce.flow_control.turnaround: 2us}\nworkloads:"))
        self.evolved = {space: self.explore(space, EVOLUTION) for space in ("push", "netreduce")}
        sobol = 'method: {kind: sensitivity, design: sobol, points: 128, of: "OF"}'
        self.sobol = {"push": self.explore("push", sobol.replace("OF", "large.time")),
                      "netreduce": self.explore("netreduce", sobol.replace("OF", "geomean(small.time, large.time)"))}
        bisect = "method: {kind: bisect, variable: table, keep: 0.95, of: large.algbw}"
        self.bisected = {link: self.explore("push", bisect, ("link: 25GB/s, waves", f"link: {link}, waves")) for link in LINKS}

    def explore(self, space, method, *changes):
        """Runs a space with another method, or its remaining points."""
        text = (HERE / "spaces" / f"{space}.yaml").read_text(encoding="utf-8")
        for old, new in ((GRID, method), *changes):
            assert old in text, old
            text = text.replace(old, new)
        file = self.simulator.folder / f"{space}.yaml"
        file.write_text(text, encoding="utf-8")
        out = self.simulator.folder / "sweeps" / space
        run([self.simulator.binary, "explore", file, "--out", out, "--jobs", self.simulator.jobs, "--quiet"])
        return Explored(out)


def exact_indices(explored):
    """Returns S1 and ST of ln(time) for each variable over a whole grid."""
    names = [variable["name"] for variable in explored.found["variables"]]
    values = {tuple(row[name] for name in names): math.log(float(row["time_ns"])) for row in explored.rows}
    whole = pvariance(values.values())

    def variance(kept):
        groups = {}
        for point, value in values.items():
            groups.setdefault(tuple(point[i] for i in kept), []).append(value)
        return pvariance([fmean(group) for group in groups.values()])

    everything = range(len(names))
    assert len(values) == math.prod(len(variable["values"]) for variable in explored.found["variables"])
    return {name: (variance([i]) / whole, 1 - variance([j for j in everything if j != i]) / whole) for i, name in enumerate(names)}


def volume(explored, rows):
    """Returns the dominated volume of three objectives in ln, scaled to 0 and 1 over the rows of a grid, up to 1.1."""
    def scaled(row):
        return tuple((math.log(float(row[column])) - low) / (high - low) for column, (low, high) in limits.items())

    limits = {}
    for column in explored.columns:
        logarithms = [math.log(float(row[column])) for row in explored.rows]
        limits[column] = min(logarithms), max(logarithms)
    points = sorted({scaled(row) for row in rows}, key=lambda point: point[2])
    total = 0.0
    for number, point in enumerate(points):
        above = points[number + 1][2] if number + 1 < len(points) else 1.1
        total += area([other[:2] for other in points[:number + 1]]) * (above - point[2])
    return total


def area(points):
    """Returns the dominated area up to 1.1."""
    total, reached = 0.0, 1.1
    for x, y in sorted(points):
        if y < reached:
            total, reached = total + (1.1 - x) * (reached - y), y
    return total


def combinations(explored):
    return len(list(product(*(variable["values"] for variable in explored.found["variables"]))))
