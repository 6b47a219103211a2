"""Bandwidth over message size: Figures 7a, 7b and 8."""

from ..tools import show_size
from ..claim import REPORTED, Claim, arithmetic, gbps, mean, show, verdict, within_half
from .figures import largest, speedups, values


OVER_THE_RING = "push does not fall as in the paper, as the rows above show; the ring has 2 (N - 1) steps with a latency each"


def peak_of_push(results):
    row = max(results["fig7"].select(algorithm="push", gpus="16"), key=gbps)
    holds = 0.95 * 120 <= gbps(row) <= 120
    return Claim("push nearly reaches the maximal payload bandwidth", "VI-A", "120 GB/s (at least 95 % of it)",
                 f"{show(gbps(row))} at {show_size(row['size_bytes'])}", verdict(holds),
                 "" if holds else "the message is short: start-up and drain count")


def order_of_methods(results):
    runs = results["fig7"]
    size = largest(runs.select(gpus="16"))["size_bytes"]
    push, ring = (runs.one(algorithm=a, gpus="16", size_bytes=size) for a in ("push", "ring"))
    pull = runs.one(algorithm="pull", gpus="16", size_bytes=size, nvswitch__pull__barrier="true")
    return Claim(f"push > pull > ring at large sizes (16 GPUs, {show_size(size)})", "VI-A, Fig. 7a", "order",
                 f"{show(gbps(push), '')} > {show(gbps(pull), '')} > {show(gbps(ring))}",
                 verdict(gbps(push) > gbps(pull) > gbps(ring)), "")


def bounds_of_pull(results):
    for gpus, share in (("4", 0.75), ("8", 0.75), ("16", 0.9)):
        row = results["bounds"].one(gpus=gpus, nvswitch__acks="separate")
        bound = row.number("bound_GBps")
        yield Claim(f"pull with separate acks, {gpus} GPUs", "arithmetic",
                    f"bound {show(bound)} (at least {100 * share:.0f} % of it, never above)",
                    f"{show(gbps(row))}, {100 * gbps(row) / bound:.1f} %", arithmetic(share * bound <= gbps(row) <= bound), "")


def merged_acks(results):
    runs = results["bounds"]
    for gpus in ("4", "8", "16"):
        default = runs.one(gpus=gpus, nvswitch__acks="merged", nvswitch__gpu__dma__waves="")
        fine, wide = (runs.one(gpus=gpus, nvswitch__gpu__dma__waves="32", nvswitch__switch__crossbar__speedup=s) for s in ("2", "3"))
        bound = runs.one(gpus=gpus, nvswitch__acks="separate").number("bound_GBps")
        holds = bound < max(gbps(default), gbps(fine)) and max(gbps(default), gbps(fine), gbps(wide)) <= 120
        why = ("" if holds else "the crossbar is the next bottleneck: at 8 GPUs a port's input carries 280 B per block of the message (responses, "
               "copies of multicasts, pulls, acks), 88 % of twice the link's rate at 120 GB/s")
        yield Claim(f"pull with merged acks, {gpus} GPUs", "arithmetic", f"above {bound:.1f}, at most 120 GB/s",
                    f"{show(gbps(default))}; with 32 waves of 1 KiB {show(gbps(fine))}, and a crossbar speedup of 3 "
                    f"{show(gbps(wide))}", arithmetic(holds), why)


def barrier(results):
    runs = results["fig7"].select(algorithm="pull", gpus="16")
    small = min((r.number("size_bytes") for r in runs if r.number("size_bytes") >= 8192))
    for size, holds, expected in ((small, lambda x: x < 0.85, "small sizes: below 0.85"),
                                  (8 * 2**20, lambda x: x > 0.97, "large sizes: above 0.97")):
        pair = {r["nvswitch.pull.barrier"]: gbps(r) for r in runs if r.number("size_bytes") == size}
        ratio = pair["true"] / pair["false"]
        yield Claim(f"the barrier of pull at {show_size(size)}: with over without", "VI-A, Fig. 7a", expected,
                    f"{ratio:.3f}", verdict(holds(ratio)), "")


def push_tables(results):
    rows = results["tables"].rows
    table = {t: mean(gbps(r) for r in rows if r["nvswitch.switch.reduction_table.bytes"] == t)
             for t in values(rows, "nvswitch.switch.reduction_table.bytes")}
    seeds = len(values(rows, "seed"))
    share = {t: x / table["4KiB"] for t, x in table.items()}
    size = largest(rows)["size_bytes"]
    evicted = [100 * r.number("switch.evictions") / (r.number("size_bytes") / 128)
               for r in rows if r["nvswitch.switch.reduction_table.bytes"] == "256B"]
    measured = (f"{show(table['256B'])} against {show(table['4KiB'])}: {100 * share['256B']:.1f} % (mean of {seeds} seeds); "
                f"{min(evicted):.1f} to {max(evicted):.1f} % of the blocks evicted")
    short = int(size) < 64 * 2**20
    yield Claim(f"push needs 256 B a port with 16 waves ({show_size(size)})", "VI-A", "at least 95 % of the rate at 4 KiB", measured,
                verdict(share["256B"] >= 0.95),
                "a short message has few evictions; the full form runs 64 MiB with six seeds: 94.9 %" if short else
                "0.1 % short: an evicted block costs its wave a timeout; if multicasts cross to all free outputs simultaneously "
                "(`nvswitch.switch.replication=crossbar`) none is evicted")
    yield Claim("128 B a port do not suffice", "VI-A", "clearly less", f"{show(table['128B'])}, {100 * share['128B']:.1f} %",
                verdict(share["128B"] < 0.85), "")


def speed_ups(results):
    runs = results["fig7"]
    points = sorted(speedups(runs, "push", "16"))
    most = max(points, key=lambda p: p[1])
    yield Claim("push over ring, maximum", "abstract, VI-A, Fig. 7b", "18x at the smallest sizes (12 to 25)",
                f"{most[1]:.1f}x at {show_size(most[0])}", verdict(12 <= most[1] <= 25),
                "a result of push counts on arrival, while each of the 30 steps of the ring includes a poll; with polling cores in both "
                "(`nvswitch.gpu.initiator=cores`) 16.9x at 2 KiB")
    yield Claim("push over ring at large sizes", "VI-A, Fig. 7b", "converges to 2x (1.75 to 2.1)",
                f"{points[-1][1]:.2f}x at {show_size(points[-1][0])}", verdict(1.75 <= points[-1][1] <= 2.1), "")
    size = largest(runs.select(algorithm="push"))["size_bytes"]
    push = [gbps(r) for r in runs.select(algorithm="push", size_bytes=size)]
    yield Claim(f"push hardly depends on the number of GPUs ({show_size(size)})", "VI-A", "nearly independent",
                f"{show(min(push), '')} to {show(max(push))} over {len(push)} numbers of GPUs",
                verdict(min(push) > 0.95 * max(push)),
                "" if min(push) > 0.95 * max(push) else "with 16 GPUs tables of 256 B a port evict some blocks, as the row on tables shows; with fewer GPUs none")


def uplinks(runs, row):
    """Mean and largest utilisation of the links from leaves to spines that are used."""
    loads = [u for name, b, u in runs.links(row) if name.startswith("leaf") and ">spine" in name and b > 0]
    return (mean(loads), max(loads)) if loads else (0.0, 0.0)


def loaded(runs, row):
    average, most = uplinks(runs, row)
    return f"{show(gbps(row))}, leaf uplinks {100 * average:.0f} % busy on average, {100 * most:.0f} % at most"


def fat_tree(results):
    runs = results["fig8"]
    for gpus, paper in (("64", 100), ("128", 70)):
        row = max(runs.select(algorithm="push", platform=f"fat_tree:{gpus}"), key=gbps)
        yield Claim(f"push on the fat tree, {gpus} GPUs (peak, {show_size(row['size_bytes'])})",
                    "VI-B, Fig. 8", f"about {paper} GB/s (10 %)", loaded(runs, row), verdict(abs(gbps(row) / paper - 1) <= 0.1),
                    "our hash loads all uplinks equally; the rows below show the effect of hash and placement")
    for row in results["fig8_hash"].rows:
        what = "placement spread" if row.get("nvswitch.placement") == "spread" else f"hash {row['nvswitch.fabric.hash']}"
        most = {"fat_tree:64": 90, "fat_tree:128": 46}[row["platform"]]
        paper = {"hash strided": f"arithmetic: at most {most} GB/s", "placement spread": "no drop; uplinks half as busy"}
        yield Claim(f"push, {row['platform'][9:]} GPUs, {what}, {show_size(row['size_bytes'])}", "[hash](../systems/klenk.md#address-hash)",
                    paper.get(what, "-"), loaded(results["fig8_hash"], row), REPORTED, "")
    for gpus in ("64", "128"):
        size = largest(runs.select(platform=f"fat_tree:{gpus}"))["size_bytes"]
        push, pull, ring = (gbps(runs.one(algorithm=a, platform=f"fat_tree:{gpus}", size_bytes=size))
                            for a in ("push", "pull", "ring"))
        least = min(speed_of(runs, gpus), key=lambda p: p[0])
        holds = least[1] >= 10 and within_half(push / ring, 2, from_value=1)
        yield Claim(f"ring on the fat tree, {gpus} GPUs", "VI-B, Fig. 8",
                    "orders of magnitude slower at small sizes, about 2x at large (1.5 to 2.5)",
                    f"push is {least[1]:.0f}x at {show_size(least[0])}, {push / ring:.2f}x at {show_size(size)} "
                    f"(pull {show(pull, '')}, ring {show(ring)})", verdict(holds), "" if holds else OVER_THE_RING)


def speed_of(runs, gpus):
    platform = f"fat_tree:{gpus}"
    ring = {r["size_bytes"]: gbps(r) for r in runs.select(algorithm="ring", platform=platform)}
    return [(r.number("size_bytes"), gbps(r) / ring[r["size_bytes"]])
            for r in runs.select(algorithm="push", platform=platform)]


ALL = (peak_of_push, order_of_methods, bounds_of_pull, merged_acks, barrier, push_tables, speed_ups, fat_tree)
