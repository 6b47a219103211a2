"""Time and memory of the fluid mode, Figure 7 against its equations, and the gain of all-reduces."""

from ..claim import REPORTED, Claim, arithmetic
from . import figure_7
from .iterations import GPUS, NETWORKS, SOFTWARE


def show_count(count):
    return f"{count:,}".replace(",", " ")


def figure_points(results):
    points = figure_7.by_equations(results["figure_7"])
    worst = max(abs(points[p].seconds[name] / seconds - 1) for p in points for name, seconds in figure_7.equations(*p).items())
    slowest = max(estimate.cpu_s for estimate in points.values())
    yield Claim(f"{len(points)} points of Figure 7, 32 to 2048 GPUs: flat ring in step, Tencent, parallel NetReduce", "NetReduce Eqs. (1) to (3)",
                "the same (1e-9)", f"at most {worst:.0e} apart", arithmetic(worst < 1e-9), "")
    yield Claim("processor time of a point, all algorithms", "-", "at most 1 s", f"at most {slowest:.2f} s", arithmetic(slowest < 1), "")
    ring = "ring, steps together"
    behind = sorted({(rate, gpus) for (gpus, size, rate), e in points.items() if size == 100 and figure_7.gain(e, ring) < 1})
    rates = sorted({rate for rate, _ in behind})
    yield Claim("Bi at which the flat ring is faster than parallel NetReduce, 100 MB", "NetReduce, text on Fig. 7: PN better from 15.75 GB/s on",
                "at none", ", ".join(f"{rate} GB/s to {max(g for r, g in behind if r == rate)} GPUs" for rate in rates) or "at none",
                REPORTED, "the rows of NetReduce judge this text; points are 15.75, 25, 50 GB/s and more")


def mesh(results):
    points = {gpus: e for (gpus, _, rate), e in results["figure_7"].items() if rate == "mesh"}
    row = [figure_7.gain(points[gpus], "ring, steps together") for gpus in (32, 2048)]
    yield Claim("flat ring over parallel NetReduce with Bi of NCCL's rings on a DGX-1V (packet mode), "
                "100 MB, 32 and 2048 GPUs", "-", "-", ", ".join(f"{x:.2f}" for x in row), REPORTED, "machines share one NIC in all of these")


def reach(results):
    estimate = results["estimates"].one(131072 // 8, 10**8)
    yield Claim("131 072 GPUs, 100 MB, all algorithms: processor time, memory", "-", "at most 60 s, 8 GB",
                f"{estimate.cpu_s:.1f} s, {estimate.memory / 1e9:.2f} GB", arithmetic(estimate.cpu_s < 60 and estimate.memory < 8e9), "")


def sweep(results):
    runs = results["transformer_dgx2"]
    points = len({row["point"] for row in runs.rows})
    seconds = runs.cpu_seconds()
    yield Claim(f"processor time of a sweep of trainings in fluid mode, Transformer on dgx2, {points} points", "-", "at most 60 s", f"{seconds:.0f} s",
                arithmetic(points == 100 and seconds < 60), "")
    for batch in ("640", "2560", "10240"):
        rows = runs.select(batch=batch, ring__launch="8.4us")
        best = min(rows, key=lambda row: row.number("time_ns"))
        worst = max(rows, key=lambda row: row.number("time_ns"))
        yield Claim(f"the fastest of these with {batch} tokens a GPU, 8.4 us a collective", "-", "-",
                    f"{best['algorithm']}, {best['grouping']}: {best.number('time_ns') / 1e6:.2f} ms; the slowest {worst['algorithm']}, {worst['grouping']}: "
                    f"{worst.number('time_ns') / 1e6:.2f} ms", REPORTED, "")


def conclusions(results):
    for (net, nics), found in results["iterations"].items():
        best = "nvswitch, adding between"
        less = [100 * (1 - found.time(best, g) / min(found.time(m, g) for m in SOFTWARE)) for g in GPUS[1:]]
        yield Claim(f"reduction of the iteration time by sums in switches and network, against the best software: {NETWORKS[net][0]}, {nics}, "
                    "16 to 131 072 GPUs", "-", "-", f"{max(0, round(min(less)))} to {round(max(less))} %", REPORTED, "")


ALL = (figure_points, mesh, reach, sweep, conclusions)
