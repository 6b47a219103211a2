"""Judges the claim of a run about its bottleneck by running again with other parameters (docs/bottleneck.md).

A claim is right if its parameters, improved at once by 1.25 and by 2, shorten the run, and no other single parameter gains more
than they do when it is doubled or halved. A step of 1.25 may also change nothing, as capacities hold whole packets. A run without a name claims nothing.
"""
import concurrent.futures
import functools
import json
import os

from executable import tributary

GAIN = 0.004      # the least gain of an improvement by 1.25
SLACK = 0.02      # another parameter may gain so much more than the named ones
STEP, LARGE = 1.25, 2.0
LEFT_OUT = ("shape", "structure")           # roles of which neither more nor less is better, or which change what is built
SMALLER_IS_BETTER = ("cycle", "delay", "fault", "shape")  # a shape that is named, such as padded messages, is too large


class Refused(Exception):
    """The run refuses its parameters."""


@functools.lru_cache(maxsize=None)
def roles():
    """Returns the role of each parameter as `list parameters` shows it."""
    rows = (line.split("|") for line in tributary("list", "parameters", "--markdown").stdout.splitlines())
    return {row[1].strip().strip("`"): row[4].strip() for row in rows if len(row) > 5 and row[1].strip().startswith("`")}


def run(arguments, settings=()):
    """Returns the row and the parameters of a run, with the settings in addition to those of the arguments."""
    words = [word for item in settings for word in ("--set", item)]
    done = tributary("run", *arguments.split(), *words, "--no-data", "--quiet", "--json", "-")
    if done.returncode != 0:
        raise Refused(done.stderr)
    document = json.loads(done.stdout)
    return document["results"][0], document["parameters"]


def text_of(value, unit):
    """Returns the value of a parameter for --set; integers stay integers, and sizes whole blocks where they were."""
    if unit == "":
        return f"{value:.9g}"
    return f"{round(value)}{unit}" if unit in ("ps", "B", "B/s") else f"{value:.9g}{unit}"


def scaled(name, parameter, factor):
    """Returns NAME=VALUE with the value times the factor, rounded away from the present one; None if nothing changes."""
    value, unit = parameter["value"], parameter["unit"]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value == 0:
        return None
    new = value * factor
    if isinstance(value, int):
        block = 128 if unit == "B" and value % 128 == 0 else 1
        new = (-(-int(round(new * 1e6)) // (block * 10**6)) if factor > 1 else int(new // block)) * block
    if new in (0, value):
        return None
    return f"{name}={text_of(new, unit)}"


def improved(name, parameter, factor):
    return scaled(name, parameter, 1 / factor if roles()[name] in SMALLER_IS_BETTER else factor)


def gain(arguments, base_ns, settings):
    try:
        row = run(arguments, settings)[0]
    except Refused:
        return None
    return 1 - row["time_ns"] / base_ns if row["status"] == "done" else None


def others(parameters, named):
    """Returns the settings of single parameters that are not named, by the first two parts of their paths."""
    groups = {}
    for name, parameter in parameters.items():
        if name not in named and not name.startswith("watchdog.") and roles().get(name) not in LEFT_OUT:
            for factor in (LARGE, 1 / LARGE):
                setting = scaled(name, parameter, factor)
                if setting is not None:
                    groups.setdefault((tuple(name.split(".")[:2]), factor), []).append(setting)
    return groups


def living(arguments, row, groups, pool):
    """Returns the settings of the groups whose members change something when they move together."""
    def changes(settings):
        try:
            other = run(arguments, settings)[0]
        except Refused:
            return True
        return any(other[key] != row[key] for key in ("status", "time_ns", "counters"))
    alive = zip(groups.values(), list(pool.map(changes, groups.values())))
    return [setting for settings, change in alive if change for setting in settings]


def judge(arguments):
    """Returns the bottleneck of a run, and the reasons why its claim is wrong: none if it is right."""
    row, parameters = run(arguments)
    bottleneck = row["bottleneck"]
    if bottleneck["claim"] == "unnamed":
        return bottleneck, []
    missing = [name for name in bottleneck["parameters"] if name not in parameters]
    if missing:
        return bottleneck, [f"{missing[0]} is no parameter"]
    wrong, gains = [], {}
    for factor in (STEP, LARGE):
        settings = [s for s in (improved(name, parameters[name], factor) for name in bottleneck["parameters"]) if s]
        gains[factor] = gain(arguments, row["time_ns"], settings)
        if factor == STEP and gains[factor] == 0:
            continue  # a capacity holds whole packets: a small step may change nothing at all
        if gains[factor] is None or gains[factor] < GAIN:
            wrong.append(f"{' '.join(settings)} gains {gains[factor]}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        settings = living(arguments, row, others(parameters, bottleneck["parameters"]), pool)
        for setting, more in zip(settings, pool.map(lambda s: gain(arguments, row["time_ns"], [s]), settings)):
            if more is not None and more > (gains[LARGE] or 0) + SLACK:
                wrong.append(f"{setting} gains {more:.3f}, the claim {gains[LARGE]}")
    return bottleneck, wrong
