"""What the paper claims, and what came out."""

from collections import namedtuple

from ..tools import Failure, parse_size, show_size
from .figures import largest, speedups, values, waves_of

Claim = namedtuple("Claim", "text source paper measured verdict reason")
REPRODUCED, NOT_REPRODUCED, REPORTED = "reproduced", "not reproduced", "reported"


def verdict(holds):
    return REPRODUCED if holds else NOT_REPRODUCED


def gbps(row):
    return row.number("algbw_GBps")


def show(number, unit="GB/s"):
    return f"{number:.1f}" + (f" {unit}" if unit else "")


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


# Figures 7a and 7b -----------------------------------------------------------------------------------------------------


def peak_of_push(results):
    row = max(results["fig7"].select(algorithm="push", gpus="16"), key=gbps)
    holds = 0.95 * 120 <= gbps(row) <= 120
    return Claim("push comes near the maximal payload bandwidth", "VI-A, K001", "120 GB/s (at least 95 % of it)",
                 f"{show(gbps(row))} at {show_size(row['size_bytes'])}", verdict(holds),
                 "" if holds else "the message is short: start-up and drain take their share")


def order_of_methods(results):
    runs = results["fig7"]
    size = largest(runs.select(gpus="16"))["size_bytes"]
    push, ring = (runs.one(algorithm=a, gpus="16", size_bytes=size) for a in ("push", "ring"))
    pull = runs.one(algorithm="pull", gpus="16", size_bytes=size, pull__barrier="true")
    return Claim(f"push > pull > ring at large sizes (16 GPUs, {show_size(size)})", "VI-A, Fig. 7a", "order",
                 f"{show(gbps(push), '')} > {show(gbps(pull), '')} > {show(gbps(ring))}",
                 verdict(gbps(push) > gbps(pull) > gbps(ring)), "")


def bounds_of_pull(results):
    for gpus, share in (("4", 0.75), ("8", 0.75), ("16", 0.88)):
        row = results["bounds"].one(gpus=gpus, acks="separate")
        bound = row.number("bound_GBps")
        yield Claim(f"pull with separate acks, {gpus} GPUs", "arithmetic, K003, K005",
                    f"bound {show(bound)} (at least {100 * share:.0f} % of it, never above)",
                    f"{show(gbps(row))}, {100 * gbps(row) / bound:.1f} %", verdict(share * bound <= gbps(row) <= bound), "")


def merged_acks(results):
    for gpus in ("4", "8", "16"):
        merged = results["bounds"].one(gpus=gpus, acks="merged")
        bound = results["bounds"].one(gpus=gpus, acks="separate").number("bound_GBps")
        holds = bound < gbps(merged) <= 120
        yield Claim(f"pull with merged acks, {gpus} GPUs", "arithmetic, K004", f"above {bound:.1f}, at most 120 GB/s",
                    show(gbps(merged)), verdict(holds),
                    "" if holds else "the acks leave room, but 4 waves of 8 KiB (32 KiB outstanding for each GPU) are less "
                    "than what a loaded round trip at this rate holds")


def barrier(results):
    runs = results["fig7"].select(algorithm="pull", gpus="16")
    small = min((r.number("size_bytes") for r in runs if r.number("size_bytes") >= 8192))
    for size, holds, expected in ((small, lambda x: x < 0.85, "small sizes: below 0.85"),
                                  (8 * 2**20, lambda x: x > 0.97, "large sizes: above 0.97")):
        pair = {r["pull.barrier"]: gbps(r) for r in runs if r.number("size_bytes") == size}
        ratio = pair["true"] / pair["false"]
        yield Claim(f"the barrier of pull at {show_size(size)}: with over without", "VI-A, Fig. 7a, A3", expected,
                    f"{ratio:.3f}", verdict(holds(ratio)), "")


def push_tables(results):
    rows = results["tables"].rows
    table = {t: mean(gbps(r) for r in rows if r["switch.reduction_table.bytes"] == t)
             for t in values(rows, "switch.reduction_table.bytes")}
    seeds = len(values(rows, "seed"))
    share = {t: x / table["4KiB"] for t, x in table.items()}
    measured = f"{show(table['256B'])} against {show(table['4KiB'])}: {100 * share['256B']:.1f} % (mean of {seeds} seeds)"
    yield Claim("push needs 256 B a port with 16 waves", "VI-A, K010", "at least 93 % of what 4 KiB give", measured,
                verdict(share["256B"] >= 0.93), "")
    yield Claim("128 B a port do not suffice", "VI-A", "clearly less", f"{show(table['128B'])}, {100 * share['128B']:.1f} %",
                verdict(share["128B"] < 0.85), "")


def speed_ups(results):
    runs = results["fig7"]
    points = sorted(speedups(runs, "push", "16"))
    most = max(points, key=lambda p: p[1])
    yield Claim("push over ring, at most", "abstract, VI-A, Fig. 7b, K008", "18x at the smallest sizes (12 to 25)",
                f"{most[1]:.1f}x at {show_size(most[0])}", verdict(12 <= most[1] <= 25), "")
    yield Claim("push over ring at large sizes", "VI-A, Fig. 7b, K007", "converges to 2x (1.75 to 2.1)",
                f"{points[-1][1]:.2f}x at {show_size(points[-1][0])}", verdict(1.75 <= points[-1][1] <= 2.1), "")
    size = largest(runs.select(algorithm="push"))["size_bytes"]
    push = [gbps(r) for r in runs.select(algorithm="push", size_bytes=size)]
    yield Claim(f"push hardly depends on the number of GPUs ({show_size(size)})", "VI-A, A12", "nearly independent",
                f"{show(min(push), '')} to {show(max(push))} over {len(push)} numbers of GPUs",
                verdict(min(push) > 0.95 * max(push)), "")


# Figure 8 --------------------------------------------------------------------------------------------------------------


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
                    f"VI-B, Fig. 8, K01{2 if gpus == '64' else 3}", f"about {paper} GB/s", loaded(runs, row), REPORTED,
                    "our hash loads all uplinks alike; the rows below show what hash and placement do")
    for row in results["fig8_hash"].rows:
        what = "placement spread" if row.get("placement") == "spread" else f"hash {row['fabric.hash']}"
        paper = {"hash strided": "arithmetic: at most 46 GB/s at 128, 90 at 64",
                 "placement spread": "no drop expected; uplinks half as busy"}
        yield Claim(f"push, {row['platform'][9:]} GPUs, {what}, {show_size(row['size_bytes'])}", "A9, klenk.md 3.3 and 9.4",
                    paper.get(what, "-"), loaded(results["fig8_hash"], row), REPORTED, "")
    for gpus in ("64", "128"):
        size = largest(runs.select(platform=f"fat_tree:{gpus}"))["size_bytes"]
        push, pull, ring = (gbps(runs.one(algorithm=a, platform=f"fat_tree:{gpus}", size_bytes=size))
                            for a in ("push", "pull", "ring"))
        least = min(speed_of(runs, gpus), key=lambda p: p[0])
        yield Claim(f"ring on the fat tree, {gpus} GPUs", "VI-B, Fig. 8",
                    "orders of magnitude slower at small sizes, about 2x at large",
                    f"push is {least[1]:.0f}x at {show_size(least[0])}, {push / ring:.2f}x at {show_size(size)} "
                    f"(pull {show(pull, '')}, ring {show(ring)})", REPORTED, "")


def speed_of(runs, gpus):
    platform = f"fat_tree:{gpus}"
    ring = {r["size_bytes"]: gbps(r) for r in runs.select(algorithm="ring", platform=platform)}
    return [(r.number("size_bytes"), gbps(r) / ring[r["size_bytes"]])
            for r in runs.select(algorithm="push", platform=platform)]


# Figure 9 --------------------------------------------------------------------------------------------------------------


def without_waves(results):
    runs = results["fig9"]
    push, pull = runs.select(algorithm="push"), runs.select(algorithm="pull")
    small = [r for r in push if parse_size(r["switch.reduction_table.bytes"]) <= 1024]
    holds = all(r.number(c) > 0 for r in small for c in ("switch.evictions", "gpu.partials", "gpu.home_results"))
    yield Claim("without waves, push evicts, and home GPUs multicast; it never stalls", "VI-C, A4, A5",
                "evictions, partials, no stalls",
                f"{min(r.number('switch.evictions') for r in small):.0f} evictions or more up to 1 KiB a port, stalls "
                f"{max(r.number('switch.stalls') for r in push):.0f}",
                verdict(holds and all(r.number("switch.stalls") == 0 for r in push)), "")
    stalled = [r for r in pull if parse_size(r["switch.reduction_table.bytes"]) <= 1024]
    yield Claim("without waves, pull stalls, and evicts nothing", "VI-C, A4, A5", "stalls alone",
                f"{min(r.number('switch.stalls') for r in stalled):.0f} stalls or more up to 1 KiB a port, evictions "
                f"{max(r.number('switch.evictions') for r in pull):.0f}",
                verdict(all(r.number("switch.stalls") > 0 for r in stalled)
                        and all(r.number("switch.evictions") == 0 for r in pull)), "")
    below = all(gbps(r) < r.number("bound_GBps") for r in runs.rows)
    yield Claim("both stay below their bounds", "VI-C, A5", "below 120 and 110.3 GB/s",
                f"push {show(max(map(gbps, push)))} at most, pull {show(max(map(gbps, pull)))}", verdict(below), "")


def sensitivity(results):
    runs = results["fig9"]
    timeout = values(runs.select(algorithm="push"), "switch.reduction_table.timeout")[0]
    for order in values(runs.rows, "gpu.dma.issue_order"):
        table = {}
        for row in runs.select(gpu__dma__issue_order=order):
            if row["algorithm"] == "pull" or row["switch.reduction_table.timeout"] == timeout:
                table[row["algorithm"], row["switch.reduction_table.bytes"]] = gbps(row)
        texts = {a: " / ".join(f"{x:.0f}" for (b, _), x in table.items() if b == a) for a in ("push", "pull")}
        sizes = " / ".join(t for a, t in table if a == "push")
        ratio = {a: table[a, "256B"] / table[a, "32KiB"] for a in ("push", "pull")}
        name = order.replace("shuffled:", "windows of ") + " blocks"
        yield Claim(f"without waves, push is more sensitive to the table size than pull ({name})", "VI-C, Fig. 9, A4",
                    "push far more than pull", f"256 B over 32 KiB: push {ratio['push']:.2f}, pull {ratio['pull']:.2f}; "
                    f"push {texts['push']}, pull {texts['pull']} GB/s at {sizes}", REPORTED,
                    "push does" if ratio["push"] < ratio["pull"] else
                    "it is pull that loses more: with 256 B its two requests in flight for each port (Eq. 1) cap it, while push "
                    "pays at most one extra trip of each operand by way of the home GPU, whatever the table")
        yield Claim(f"without waves, pull yields more than push at small tables ({name})", "VI-C, A5", "pull > push",
                    f"at 256 B: pull {table['pull', '256B']:.1f}, push {table['push', '256B']:.1f} GB/s; at 4 KiB: "
                    f"{table['pull', '4KiB']:.1f}, {table['push', '4KiB']:.1f}", REPORTED, "")


# Figure 10 -------------------------------------------------------------------------------------------------------------


def knee(rows):
    """The row with the fewest waves that give 95 % of the maximum, and the largest bandwidth."""
    most = max(map(gbps, rows))
    return min((r for r in rows if gbps(r) >= 0.95 * most), key=waves_of), most


def knee_claim(rows, text, source, paper, low, high, gpus_share=1):
    row, most = knee(rows)
    outstanding = waves_of(row) * 8192
    round_trip = outstanding / (gbps(row) / gpus_share) / 1000
    measured = (f"{waves_of(row):.0f} waves give {show(gbps(row))} of {show(most)}; outstanding over rate: "
                f"{round_trip:.2f} us; mean packet latency {row.number('packet_latency_ns.mean') / 1000:.2f} us")
    return Claim(text, source, f"{paper} ({low} to {high})", measured, verdict(low <= waves_of(row) <= high), "")


def pull_rows(runs, platform, table):
    return runs.select(algorithm="pull", platform=platform, pull__wave_scope="", switch__reduction_table__bytes=table)


def knees(results):
    runs = results["fig10"]
    for platform in values(runs.rows, "platform"):
        name, tree = ("DGX-2", False) if platform == "dgx2" else (f"fat tree, {platform[9:]} GPUs", True)
        yield knee_claim(runs.select(algorithm="push", platform=platform), f"waves for peak, push, {name}",
                         "VI-D, Fig. 10b, K016, K017", "64" if tree else "16", *((16, 128) if tree else (8, 24)))
        gpus = 16 if not tree else int(platform[9:])
        rows = pull_rows(runs, platform, "1KiB")
        yield knee_claim(rows, f"waves for peak, pull, {name}, 1 KiB", "VI-D, Fig. 10a, K018", "4", 2, 8, gpus)
        wide = runs.select(algorithm="pull", platform=platform, pull__wave_scope="global")
        if wide:
            measured = ", ".join(f"{waves_of(r):.0f}: {gbps(r):.1f}" for r in sorted(wide, key=waves_of))
            yield Claim(f"pull, {name}, waves counted over all GPUs (`pull.wave_scope=global`)",
                        "literal reading of VI-D", "-", f"GB/s by waves: {measured}", REPORTED, "4 waves over all GPUs are less than one round trip of each")


def pull_tables(results):
    runs = results["fig10"]
    for platform in values(runs.rows, "platform"):
        if platform == "dgx2":
            continue
        most = {t: max(map(gbps, pull_rows(runs, platform, t))) for t in ("256B", "1KiB")}
        ratio = most["256B"] / most["1KiB"]
        at_64 = platform == "fat_tree:64"
        yield Claim(f"pull on the fat tree, {platform[9:]} GPUs: 256 B against 1 KiB", "VI-D, A7, K024",
                    "significantly lower" + (" (below 0.9)" if at_64 else ""),
                    f"{ratio:.2f} ({most['256B']:.1f} against {show(most['1KiB'])})",
                    verdict(ratio < 0.9) if at_64 else REPORTED, "" if at_64 else "Eq. (1) asks for 236 B at 128 GPUs")


# Beside the figures ------------------------------------------------------------------------------------------------------


def latencies(results):
    runs = results["latency"]
    for algorithm in ("push", "pull"):
        waves = runs.one(algorithm=algorithm, gpu__dma__waves="")
        for column, where in (("packet_latency_ns.mean", "source queue included"),
                              ("wire_latency_ns.mean", "from the first flit on the wire")):
            parts = []
            for order in ("linear", "shuffled:4096"):
                none = runs.one(algorithm=algorithm, gpu__dma__waves="0", gpu__dma__issue_order=order)
                lower = 100 * (1 - waves.number(column) / none.number(column))
                parts.append(f"{lower:.0f} % lower than {none.number(column):.0f} ns ({order})")
            yield Claim(f"waves lower the mean packet latency, {algorithm}, {where}", "VI-D, A8, K015", "about 90 %",
                        f"{waves.number(column):.0f} ns: " + ", ".join(parts), REPORTED,
                        "the paper names neither the method nor where latency begins")


def crossbar(results):
    rows = {r["switch.crossbar.speedup"]: gbps(r) for r in results["crossbar"].rows}
    ratio = rows["1"] / rows["2"]
    return Claim("crossbar speedup 1 instead of 2, push on DGX-2", "IV-E, A17, K035", "0.45 to 0.71 (arithmetic)",
                 f"{ratio:.2f} ({rows['1']:.1f} against {rows['2']:.1f} GB/s)", verdict(0.45 <= ratio <= 0.71), "")


def trunk_tables(results):
    runs = results["trunks"]
    for platform in values(runs.rows, "platform"):
        traffic = {}
        for row in runs.select(platform=platform):
            between = sum(b for name, b, _ in runs.links(row) if "gpu" not in name)
            traffic[row["switch.reduction_table.trunk_bytes"]] = between, gbps(row)
        (reduced, fast), (single, slow) = traffic["4KiB"], traffic["0B"]
        yield Claim(f"pull without tables at trunk ports, {platform}", "IV-B, A15", "result right, trunk bytes up to 8x",
                    f"every element right; {single / reduced:.2f}x the bytes between switches, {show(slow)} instead of {show(fast)}",
                    verdict(1 < single / reduced <= 8), "")


def costs(results):
    for name, runs, wanted, table, ports in (("DGX-2", "fig10", {"platform": "dgx2"}, 49152, 192),
                                             ("fat tree", "fig8", {"platform": "fat_tree:128"}, 589824, 2304)):
        cost = results[runs].cost(results[runs].select(algorithm="push", **wanted)[0])
        holds = (cost["table_bytes_of_fabric"], cost["ports"]) == (table, ports)
        yield Claim(f"tables of the {name} at 256 B a port", "VI-D, K020, K022", f"{table} B in {ports} ports",
                    f"{cost['table_bytes_of_fabric']} B in {cost['ports']} ports; {100 * cost['share_of_die']:.3f} % of each "
                    f"switch's die; Eq. (2) asks for {cost['eq2_push_bytes_per_port']:.0f} B a port, "
                    f"Eq. (1) for {cost['eq1_pull_bytes_per_port']:.0f} B",
                    verdict(holds), "")


ALL = (peak_of_push, order_of_methods, bounds_of_pull, merged_acks, barrier, push_tables, speed_ups, fat_tree, without_waves,
       sensitivity, knees, pull_tables, latencies, crossbar, trunk_tables, costs)


def judge(results):
    wrong = [row for runs in results.values() for row in runs.rows if row.get("wrong", "0") not in ("0", "")]
    if wrong:
        raise Failure(f"{len(wrong)} runs have wrong elements: point {wrong[0]['point']} is the first")
    table = []
    for claim in ALL:
        made = claim(results)
        table += [made] if isinstance(made, Claim) else list(made)
    return table
