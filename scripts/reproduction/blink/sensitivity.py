"""Sensitivity of the speed-up to each parameter that no public figure fixes, over its plausible range."""

from ..claim import REPORTED, Claim, gbps
from .claims_theory import geometric_mean
from .runs import best
from .servers import NAMES

BARS = (("dgx1v", "broadcast"), ("dgx1v", "allreduce"), ("dgx1p", "broadcast"))  # the last in the full form
DEFAULT_CHUNK = "4MB"  # chunk size of these runs
# Parameter -> its default.
PARAMETERS = {
    "blink.pcie.socket_rate": "6GB/s", "blink.nccl.link_rate": "20GB/s", "blink.nccl.step.nvlink": "3.4us",
    "blink.chunk": DEFAULT_CHUNK, "blink.copy.launch": "2.5us", "blink.streams.acquire": "1us", "blink.streams.release": "1.5us",
    "blink.copy.engines": "6", "blink.kernel.launch": "5us", "blink.kernel.rate": "260GB/s", "blink.kernel.stream": "shared",
    "blink.phases": "overlap", "blink.treegen.prefer": "shallow", "blink.copy.arbitration": "first", "blink.stream_reuse": "false",
}
PAPER = {("dgx1v", "broadcast"): "2, 6", ("dgx1v", "allreduce"): "2, 8", ("dgx1p", "broadcast"): "1.6, 3"}  # mean and maximum
DECIDES = ("geometric mean and maximum; this rate, `blink.pcie.socket_rate`, decides the speed-ups, and the paper's figures disagree about it: broadcasts ask for "
           "7.5 GB/s, all-reduces for 8.8")
OF_P100 = {"blink.nccl.link_rate": "18GB/s", "blink.copy.engines": "5"}


def default(server, name):
    return OF_P100.get(name, PARAMETERS[name]) if server == "dgx1p" else PARAMETERS[name]


def panels(results):
    """Returns server and collective of the runs of this form."""
    return [(server, collective) for server, collective in BARS
            if any((row["platform"], row["collective"]) == (server, collective) for row in results["sensitivity"].rows)]


def varied(row):
    """Returns the parameter that differs from its default, and its value; None: all at their defaults."""
    for name in PARAMETERS:
        value = row.get(name, "")
        if value and not (name == "blink.chunk" and value == DEFAULT_CHUNK):
            return name, value
    return None


def speed_ups(results, server, collective):
    """(parameter, value) -> GPUs -> speed-up of Blink over NCCL; None: all at their defaults."""
    runs = {}
    for row in results["sensitivity"].select(platform=server, collective=collective):
        runs.setdefault((varied(row), row["algorithm"]), []).append(row)
    rates = {key: {gpus: gbps(row) for gpus, row in best(rows).items()} for key, rows in runs.items()}
    classes = rates[("blink.copy.engines", "2"), "blink"]
    defaults = {}
    for algorithm, chunk in (("blink", DEFAULT_CHUNK), ("nccl", "")):
        rows = results["allocations"].select(platform=server, collective=collective, algorithm=algorithm, blink__chunk=chunk)
        defaults[algorithm] = {gpus: gbps(row) for gpus, row in best(rows).items() if gpus in classes}
    found = {}
    for key in {key for key, _ in rates} | {None}:
        # classes on which a parameter has no effect are not run again
        mine, rings = (defaults[algorithm] | rates.get((key, algorithm), {}) for algorithm in ("blink", "nccl"))
        found[key] = {gpus: mine[gpus] / rings[gpus] for gpus in mine}
    return found


def ranges(results, server, collective):
    """Returns parameter -> [(value, geometric mean, maximum)], including the default, and the values at the default."""
    found = speed_ups(results, server, collective)
    numbers = {key: (geometric_mean(ups.values()), max(ups.values())) for key, ups in found.items()}
    table = {}
    for key in sorted(found, key=lambda k: ("", "") if k is None else k):
        if key is not None:
            table.setdefault(key[0], [(default(server, key[0]), *numbers[None])]).append((key[1], *numbers[key]))
    return {name: table[name] for name in PARAMETERS if name in table}, numbers[None]


def moves(results):
    for server, collective in panels(results):
        table, (mean, most) = ranges(results, server, collective)
        classes = len(next(iter(speed_ups(results, server, collective).values())))
        for name, values in table.items():
            low, high = min(values, key=lambda v: v[1]), max(values, key=lambda v: v[1])
            if high[1] / low[1] - 1 < 0.005:
                continue
            yield Claim(f"speed-up over `{name}`, {NAMES[server]}, {collective}, {classes} classes, chunks of 4 MB", "defaults: "
                        f"{mean:.2f} in geometric mean, {most:.2f} at most", "-",
                        f"{low[1]:.2f}, {low[2]:.2f} at {low[0]}; {high[1]:.2f}, {high[2]:.2f} at {high[0]}", REPORTED, "")


def rings_over_pcie(results):
    """The rate that decides GPUs without a ring over NVLinks, at the values that the paper's figures ask for."""
    name = "blink.pcie.socket_rate"
    shown = panels(results)
    of = ", ".join(f"{NAMES[server]} {collective}" for server, collective in shown)
    found = {panel: speed_ups(results, *panel) for panel in shown}
    for rate, met in (("6GB/s", "default, NCCL's constant"), ("7.5GB/s", "asked for by broadcasts"), ("8.8GB/s", "asked for by all-reduces")):
        ups = [found[panel][None if rate == PARAMETERS[name] else (name, rate)].values() for panel in shown]
        yield Claim(f"speed-ups with a PCIe ring of {rate}, {met}", "Figs. 14 to 16", "; ".join(PAPER[panel] for panel in shown),
                    "; ".join(f"{geometric_mean(u):.2f}, {max(u):.1f}" for u in ups), REPORTED, f"{of}: {DECIDES}")


ALL = (rings_over_pcie, moves)
