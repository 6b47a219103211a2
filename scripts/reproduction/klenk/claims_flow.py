"""Bottlenecks: tables without waves and number of waves (Figures 9 and 10), latency, crossbar, trunks, silicon."""

from ..tools import parse_size
from ..claim import REPORTED, Claim, arithmetic, gbps, show, verdict
from .figures import values, waves_of


BOUND_OF_PULL = ("two requests in flight for each port bound it (Eq. 1), while push pays at most one extra trip of each operand over the home GPU, "
                 "for any table; the paper does not define its arbitrary order")


def without_waves(results):
    runs = results["fig9"]
    push, pull = runs.select(algorithm="push"), runs.select(algorithm="pull")
    small = [r for r in push if parse_size(r["nvswitch.switch.reduction_table.bytes"]) <= 1024]
    holds = all(r.number(c) > 0 for r in small for c in ("switch.evictions", "gpu.partials", "gpu.home_results"))
    yield Claim("without waves, push evicts, and home GPUs multicast; it never stalls", "VI-C",
                "evictions, partials, no stalls",
                f"{min(r.number('switch.evictions') for r in small):.0f} evictions or more up to 1 KiB a port, stalls "
                f"{max(r.number('switch.stalls') for r in push):.0f}",
                verdict(holds and all(r.number("switch.stalls") == 0 for r in push)), "")
    stalled = [r for r in pull if parse_size(r["nvswitch.switch.reduction_table.bytes"]) <= 1024]
    yield Claim("without waves, pull stalls, and evicts nothing", "VI-C", "stalls alone",
                f"{min(r.number('switch.stalls') for r in stalled):.0f} stalls or more up to 1 KiB a port, evictions "
                f"{max(r.number('switch.evictions') for r in pull):.0f}",
                verdict(all(r.number("switch.stalls") > 0 for r in stalled)
                        and all(r.number("switch.evictions") == 0 for r in pull)), "")
    below = all(gbps(r) < r.number("bound_GBps") for r in runs.rows)
    yield Claim("both stay below their bounds", "VI-C", "below 120 and 110.3 GB/s",
                f"push {show(max(map(gbps, push)))} at most, pull {show(max(map(gbps, pull)))}", arithmetic(below), "")


def sensitivity(results):
    runs = results["fig9"]
    timeout = values(runs.select(algorithm="push"), "nvswitch.switch.reduction_table.timeout")[0]
    for order in values(runs.rows, "nvswitch.gpu.dma.issue_order"):
        table = {}
        for row in runs.select(nvswitch__gpu__dma__issue_order=order):
            if row["algorithm"] == "pull" or row["nvswitch.switch.reduction_table.timeout"] == timeout:
                table[row["algorithm"], row["nvswitch.switch.reduction_table.bytes"]] = gbps(row)
        texts = {a: " / ".join(f"{x:.0f}" for (b, _), x in table.items() if b == a) for a in ("push", "pull")}
        sizes = " / ".join(t for a, t in table if a == "push")
        ratio = {a: table[a, "256B"] / table[a, "32KiB"] for a in ("push", "pull")}
        name = order.replace("shuffled:", "windows of ") + " blocks"
        name += "" if order == "shuffled:4096" else ", the whole message"
        yield Claim(f"without waves, push is more sensitive to the table size than pull ({name})", "VI-C, Fig. 9",
                    "push far more than pull", f"256 B over 32 KiB: push {ratio['push']:.2f}, pull {ratio['pull']:.2f}; "
                    f"push {texts['push']}, pull {texts['pull']} GB/s at {sizes}", verdict(ratio["push"] < ratio["pull"]),
                    "" if ratio["push"] < ratio["pull"] else
                    "pull loses more: " + BOUND_OF_PULL)
        yield Claim(f"without waves, pull yields more than push at small tables ({name})", "VI-C", "pull > push",
                    f"at 256 B: pull {table['pull', '256B']:.1f}, push {table['push', '256B']:.1f} GB/s; at 4 KiB: "
                    f"{table['pull', '4KiB']:.1f}, {table['push', '4KiB']:.1f}", verdict(table["pull", "256B"] > table["push", "256B"]),
                    "" if table["pull", "256B"] > table["push", "256B"] else BOUND_OF_PULL)


def knee(rows):
    """Returns the row with the fewest waves that give 95 % of the maximum, and the largest bandwidth."""
    most = max(map(gbps, rows))
    return min((r for r in rows if gbps(r) >= 0.95 * most), key=waves_of), most


def pull_knee_reason(table):
    return (f"a wave is 64 blocks over 6 ports, 11 to each; the table of {table} holds {parse_size(table) // 128}. Where "
            "the first wave fills it, a second wave only waits at the port")


def knee_claim(rows, text, source, paper, low, high, gpus_share=1, reason=""):
    row, most = knee(rows)
    outstanding = waves_of(row) * 8192
    round_trip = outstanding / (gbps(row) / gpus_share) / 1000
    measured = (f"{waves_of(row):.0f} waves give {show(gbps(row))} of {show(most)}; outstanding over rate: "
                f"{round_trip:.2f} us; mean packet latency {row.number('packet_latency_ns.mean') / 1000:.2f} us")
    return Claim(text, source, f"{paper} ({low} to {high})", measured, verdict(low <= waves_of(row) <= high),
                 "" if low <= waves_of(row) <= high else reason)


def pull_rows(runs, platform, table):
    return runs.select(algorithm="pull", platform=platform, nvswitch__pull__wave_scope="", nvswitch__switch__reduction_table__bytes=table)


def knees(results):
    runs = results["fig10"]
    for platform in values(runs.rows, "platform"):
        name, tree = ("DGX-2", False) if platform == "dgx2" else (f"fat tree, {platform[9:]} GPUs", True)
        yield knee_claim(runs.select(algorithm="push", platform=platform), f"waves for peak, push, {name}",
                         "VI-D, Fig. 10b", "64" if tree else "16", *((32, 96) if tree else (8, 24)))
        gpus = 16 if not tree else int(platform[9:])
        for table in ("4KiB", "1KiB"):
            rows = pull_rows(runs, platform, table)
            if rows:
                yield knee_claim(rows, f"waves for peak, pull, {name}, {table}", "VI-D, Fig. 10a", "4", 2, 6, gpus,
                                 pull_knee_reason(table))
        wide = runs.select(algorithm="pull", platform=platform, nvswitch__pull__wave_scope="global")
        if wide:
            measured = ", ".join(f"{waves_of(r):.0f}: {gbps(r):.1f}" for r in sorted(wide, key=waves_of))
            yield Claim(f"pull, {name}, waves counted over all GPUs (`nvswitch.pull.wave_scope=global`)",
                        "literal reading of VI-D", "-", f"GB/s by waves: {measured}", REPORTED,
                        "4 waves over all GPUs cover less than one round trip of each GPU")


def pull_tables(results):
    runs = results["fig10"]
    for platform in values(runs.rows, "platform"):
        if platform == "dgx2":
            continue
        most = {t: max(map(gbps, pull_rows(runs, platform, t))) for t in ("256B", "1KiB")}
        ratio = most["256B"] / most["1KiB"]
        at_64 = platform == "fat_tree:64"
        yield Claim(f"pull on the fat tree, {platform[9:]} GPUs: 256 B against 1 KiB", "VI-D",
                    "significantly lower (below 0.9)",
                    f"{ratio:.2f} ({most['256B']:.1f} against {show(most['1KiB'])})",
                    verdict(ratio < 0.9), "" if at_64 else "Eq. (1) asks for 236 B at 128 GPUs")


def latencies(results):
    runs = results["latency"]
    for algorithm in ("push", "pull"):
        waves = runs.one(algorithm=algorithm, nvswitch__gpu__dma__waves="")
        for column, where in (("packet_latency_ns.mean", "source queue included"),
                              ("wire_latency_ns.mean", "from the first flit on the wire")):
            parts = []
            for order in ("linear", "shuffled:4096"):
                none = runs.one(algorithm=algorithm, nvswitch__gpu__dma__waves="0", nvswitch__gpu__dma__issue_order=order)
                lower = round(100 * (1 - waves.number(column) / none.number(column)))
                parts.append(f"{lower} % lower than {none.number(column):.0f} ns ({order})")
            yield Claim(f"waves lower the mean packet latency, {algorithm}, {where}", "VI-D", "about 90 %",
                        f"{waves.number(column):.0f} ns: " + ", ".join(parts), REPORTED,
                        "the paper names neither the algorithm nor the start of the latency; `linear` and `shuffled:4096` are the "
                        "order of issue without waves")


def crossbar(results):
    rows = {r["nvswitch.switch.crossbar.speedup"]: gbps(r) for r in results["crossbar"].rows}
    ratio = rows["1"] / rows["2"]
    return Claim("crossbar speedup 1 instead of 2, push on DGX-2", "IV-E", "0.45 to 0.71 (arithmetic)",
                 f"{ratio:.2f} ({rows['1']:.1f} against {rows['2']:.1f} GB/s)", arithmetic(0.45 <= ratio <= 0.71), "")


def trunk_tables(results):
    runs = results["trunks"]
    for platform in values(runs.rows, "platform"):
        traffic = {}
        for row in runs.select(platform=platform):
            between = sum(b for name, b, _ in runs.links(row) if "gpu" not in name)
            traffic[row["nvswitch.switch.reduction_table.trunk_bytes"]] = between, gbps(row)
        (reduced, fast), (single, slow) = traffic["4KiB"], traffic["0B"]
        yield Claim(f"pull without tables at trunk ports, {platform}", "IV-B", "result right, trunk bytes up to 8x",
                    f"every element right; {single / reduced:.2f}x the bytes between switches, {show(slow)} instead of "
                    f"{show(fast)}",
                    arithmetic(1 < single / reduced <= 8), "")


def costs(results):
    for name, runs, wanted, table, ports in (("DGX-2", "fig10", {"platform": "dgx2"}, 49152, 192),
                                             ("fat tree", "fig8", {"platform": "fat_tree:128"}, 589824, 2304)):
        cost = results[runs].cost(results[runs].select(algorithm="push", **wanted)[0])
        holds = (cost["table_bytes_of_fabric"], cost["ports"]) == (table, ports)
        yield Claim(f"tables of the {name} at 256 B a port", "VI-D", f"{table} B in {ports} ports",
                    f"{cost['table_bytes_of_fabric']} B in {cost['ports']} ports; {100 * cost['share_of_die']:.3f} % of "
                    f"each switch's die; Eq. (2) asks for {cost['eq2_push_bytes_per_port']:.0f} B a port, "
                    f"Eq. (1) for {cost['eq1_pull_bytes_per_port']:.0f} B",
                    verdict(holds), "")


ALL = (without_waves, sensitivity, knees, pull_tables, latencies, crossbar, trunk_tables, costs)
