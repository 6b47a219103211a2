"""Bandwidth over message size: Figures 2 and 9, and flow control."""

from ..claim import REPORTED, Claim, arithmetic, verdict
from ..tools import show_size
from .networks import BIGRAPHS, FAT_TREES, IDEAL, MESHES, SWITCHED, TORI, curve, curves, name_of, overheads

ORDER = ("MultiTree, messages", "MultiTree", "2D ring", "ring")


def head_flits(results):
    for size, share in overheads(results):
        if size in (64, 256):
            expected = 16 / size
            yield Claim(f"head flits over payload, packets of {size} B", "III, Fig. 2", f"{100 * expected:.2f} %",
                        f"{100 * share:.2f} %",
                        arithmetic(abs(share - expected) < 0.002), "")


def order_on_tori(results):
    for platform in TORI:
        found = curves(results["fig9"], platform)
        broken = [size for size in found["ring"]
                  if not all(found[a][size] >= found[b][size] for a, b in zip(ORDER, ORDER[1:]))]
        ends = (min(found["ring"]), max(found["ring"]))
        text = "; ".join(f"{show_size(s)}: " + " / ".join(f"{found[m][s]:.1f}" for m in ORDER) for s in ends)
        yield Claim(f"MultiTree with messages >= MultiTree >= 2D ring >= ring, {name_of(platform)}",
                    "VI-A, Fig. 9", "at every size, 32 KiB to 64 MiB",
                    f"{text} GB/s; {len(found['ring'])} sizes",
                    verdict(not broken), not_at(broken))


def not_at(sizes):
    if not sizes:
        return ""
    named = ", ".join(map(show_size, sizes))
    return f"not at {named}: a NIC waits at the head of its table; see the rows of `inspection`"


def near_ideal(results):
    for platform in TORI:
        found = curve(results["fig9"], platform, "MultiTree")
        size, share = max(found), found[max(found)] / IDEAL[platform]
        yield Claim(f"MultiTree against its ideal at large sizes, {name_of(platform)}", "[trees](../systems/multitree.md#trees)",
                    f"within 8 % of {IDEAL[platform]:.1f} GB/s (5.9 % are head flits)",
                    f"{found[size]:.2f} GB/s at {show_size(size)}: {100 * (share - 1):.1f} %",
                    arithmetic(0.92 <= share <= 1), "")


def message_gain(results):
    for platform in TORI + MESHES + SWITCHED:
        packets, messages = (curve(results["fig9"], platform, m) for m in ("MultiTree", "MultiTree, messages"))
        direct = platform in TORI + MESHES
        for size, low, high, what in ((min(packets), 0.01, 0.04, "small"), (max(packets), 0.05, 0.0625, "large")):
            gain = messages[size] / packets[size] - 1
            holds = low <= gain <= high + 0.0005
            yield Claim(f"gain of message-based flow control, {name_of(platform)}, {show_size(size)}",
                        "VI-A",
                        f"{100 * low:.0f} to {100 * high:.4g} % at {what} sizes", f"{100 * gain:+.2f} %",
                        verdict(holds) if direct else REPORTED, "" if holds or not direct else reason_of_gain(gain, low))


def reason_of_gain(gain, low):
    if gain < low:
        return "the time of a small message is mainly latency and waiting at the head of the tables"
    return "more than the head flits: packets also wait for each other in the routers, and messages do not"


def any_entry_of_the_step(results):
    rows = results["contention"]
    for platform in ("torus:8x8", "mesh:8x8"):
        head, step = ([rows.one(platform=platform, algorithm="multitree", schedule_nic__flow_control__kind=k,
                                schedule_nic__nic__table__inspection=i).number("algbw_GBps") for k in ("packet", "message")]
                      for i in ("head", "step"))
        yield Claim(f"`schedule_nic.nic.table.inspection=step`, {name_of(platform)}, 32 KiB", "our option",
                    "-", f"packets {step[0]:.2f} GB/s, messages {step[1]:.2f} ({100 * (step[1] / step[0] - 1):+.1f} %); "
                    f"from the head only {head[0]:.2f}, {head[1]:.2f}", REPORTED, "")


def trees_last(results):
    for platform in TORI:
        found = curves(results["fig9"], platform)
        size, small = max(found["double binary tree"]), min(found["double binary tree"])
        worst = min(found, key=lambda method: found[method][size])
        text = "; ".join(f"{show_size(s)}: {found['double binary tree'][s]:.2f} against the ring's {found['ring'][s]:.2f} "
                         f"GB/s" for s in (small, size))
        yield Claim(f"the double binary tree is the slowest at large sizes, {name_of(platform)}", "VI-A",
                    "below all others", text,
                    verdict(worst == "double binary tree"), "" if worst == "double binary tree" else f"the slowest is {worst}")


def two_rings_on_meshes(results):
    for platform in MESHES:
        flat, ring = (curve(results["fig9"], platform, m) for m in ("2D ring", "ring"))
        ratios = {size: flat[size] / ring[size] for size in ring}
        wins = platform == "mesh:4x4"
        holds = (ratios[max(ratios)] > 1) == wins
        better = [size for size, ratio in ratios.items() if ratio > 1]
        if wins:
            reason = "" if holds else "the two messages that share each link delay each other; see the next row"
        else:
            reason = f"better up to {show_size(max(better))}" if better else ""
        yield Claim(f"2D ring over ring, {name_of(platform)}", "VI-A, Fig. 9b",
                    "better at large sizes" if wins else "worse at large sizes",
                    ", ".join(f"{show_size(size)} {ratio:.2f}" for size, ratio in ratios.items()), verdict(holds), reason)
        yield mesh_with_messages(results["contention"], platform)


def mesh_with_messages(rows, platform):
    text = []
    for kind in ("packet", "message"):
        flat, ring = (rows.one(platform=platform, algorithm=a, schedule_nic__flow_control__kind=kind)
                      for a in ("ring_2d", "ring"))
        text.append(f"{kind}s {flat.number('algbw_GBps'):.2f} against {ring.number('algbw_GBps'):.2f} GB/s, busiest link "
                    f"{100 * flat.number('peak_link_utilisation'):.0f} % busy")
    return Claim(f"2D ring against ring by flow control, {name_of(platform)}, 4 MiB", "[trees](../systems/multitree.md#trees)",
                 f"links alone, with packets: {'10.0 against 8.0' if platform == 'mesh:4x4' else '8.6 against 7.6'} GB/s",
                 "; ".join(text), REPORTED, "")


def small_and_large(results):
    for platform in SWITCHED:
        found = curves(results["fig9"], platform)
        small, large = min(found["ring"]), max(found["ring"])
        for size, holds, text in ((small, lambda r: r > 1, "better at small sizes"),
                                  (large, lambda r: abs(r - 1) <= 0.03, "equal (3 %) at large sizes")):
            ratio = found["MultiTree"][size] / found["ring"][size]
            with_messages = found["MultiTree, messages"][size] / found["ring"][size]
            yield Claim(f"MultiTree over ring, {name_of(platform)}, {show_size(size)}", "VI-A, Fig. 9",
                        text, f"{ratio:.2f} ({found['MultiTree'][size]:.2f} against {found['ring'][size]:.2f} GB/s); with "
                        f"messages {with_messages:.2f}",
                        verdict(holds(ratio)), "" if holds(ratio) else reason_of_large(ratio))


def never_below_the_ring(results):
    for platform in SWITCHED:
        found = curves(results["fig9"], platform)
        for method in ("MultiTree", "MultiTree, messages"):
            ratios = {size: found[method][size] / found["ring"][size] for size in found["ring"]}
            below = [size for size, ratio in ratios.items() if ratio < 0.97]
            least = min(ratios, key=ratios.get)
            where = f"; below at {len(below)} of {len(ratios)} sizes, from {show_size(min(below))} on" if below else ""
            yield Claim(f"{method} over ring at every size, {name_of(platform)}", "VI-A, Fig. 9",
                        "better or equal (3 %)", f"at least {ratios[least]:.2f}, at {show_size(least)}{where}",
                        verdict(not below), reason_of_large(0) if below else "")


def reason_of_large(ratio):
    if ratio > 1:
        return "at this size each of the 2(N - 1) steps of the ring still includes a latency"
    return "packets of different messages delay each other in the switches and leave links idle, whole messages do not; "\
           "a deeper buffer or a faster router helps a little"


def halving_doubling(results):
    for platform in BIGRAPHS:
        found = curves(results["fig9"], platform)
        for size, holds, text in ((min(found["HDRM"]), lambda r: r < 1, "worse at small sizes"),
                                  (max(found["HDRM"]), lambda r: abs(r - 1) <= 0.03, "equal (3 %) at large sizes")):
            ratio = found["HDRM"][size] / found["MultiTree"][size]
            yield Claim(f"HDRM over MultiTree, {name_of(platform)}, {show_size(size)}", "VI-A", text,
                        f"{ratio:.2f} ({found['HDRM'][size]:.2f} against {found['MultiTree'][size]:.2f} GB/s)",
                        verdict(holds(ratio)),
                        "" if holds(ratio) else "packets leave links idle; see the row of HDRM by flow control")


def trees_on_switches(results):
    for platform in SWITCHED:
        tree, ring = (curve(results["fig9"], platform, m) for m in ("double binary tree", "ring"))
        better = [size for size in tree if tree[size] > ring[size]]
        text = (f"better to {show_size(max(better))}" if better else
                f"worse at each of {len(tree)} sizes from {show_size(min(tree))} on")
        holds = min(tree) in better and max(tree) not in better
        yield Claim(f"double binary tree over ring, {name_of(platform)}", "VI-A",
                    "better at small sizes, worse at large",
                    f"{tree[min(tree)] / ring[min(ring)]:.2f} at {show_size(min(tree))}, "
                    f"{tree[max(tree)] / ring[max(ring)]:.2f} at "
                    f"{show_size(max(tree))}; {text}", verdict(holds), "")


def break_even(results):
    """Returns the largest size at which the double binary tree is faster than the ring, on fewer nodes and on 64."""
    for fewer, more in (FAT_TREES, BIGRAPHS):
        ends = []
        for platform in (fewer, more):
            tree, ring = (curve(results["fig9"], platform, m) for m in ("double binary tree", "ring"))
            ends.append(max((size for size in tree if tree[size] > ring[size]), default=0))
        text = [show_size(size) if size else "none" for size in ends]
        yield Claim(f"double binary tree over ring, break-even from {name_of(fewer)} to {name_of(more)}", "VI-A",
                    "moves to larger sizes", f"last better at {text[0]}, then {text[1]}", verdict(ends[1] > ends[0]), "")


def hdrm_and_trees(results):
    rows = results["contention"]
    kinds = [rows.one(algorithm="hdrm", schedule_nic__flow_control__kind=kind) for kind in ("packet", "message")]
    yield Claim("HDRM by flow control, BiGraph 4x8, 4 MiB", "EFLOPS: no link carries two messages of a step",
                "links alone: 7.8 GB/s with packets",
                "; ".join(f"{kind} {row.number('algbw_GBps'):.2f} GB/s, busiest link "
                          f"{100 * row.number('peak_link_utilisation'):.0f} % busy"
                          for kind, row in zip(("packets", "messages"), kinds)), REPORTED, "")
    finer = rows.one(algorithm="double_binary_tree").number("algbw_GBps")
    ring = curve(results["fig9"], "fat_tree_2level:16", "ring")[32 * 1024]
    yield Claim("double binary tree in 8 segments instead of 2, fat tree 16, 32 KiB", "our option", "-",
                f"{finer:.2f} GB/s, {finer / ring:.2f} of the ring", REPORTED, "")


def rules_of_issue(results):
    rows = results["issue"]
    for platform in sorted({row["platform"] for row in rows.rows}):
        found = []
        for algorithm in sorted({row["algorithm"] for row in rows.rows if row["platform"] == platform}):
            by = [rows.one(platform=platform, algorithm=algorithm, schedule_nic__nic__issue=rule).number("time_ns")
                  for rule in ("table", "commands")]
            found.append(f"{algorithm} {by[0] / 1000:.2f} and {by[1] / 1000:.2f} us ({by[0] / by[1]:.2f})")
        yield Claim(f"baselines by schedule table and by commands, {name_of(platform)}, 32 KiB", "V-A",
                    "all collectives run on tables", "; ".join(found), REPORTED, "")


ALL = (head_flits, order_on_tori, near_ideal, message_gain, any_entry_of_the_step, trees_last, two_rings_on_meshes,
       small_and_large, never_below_the_ring, halving_doubling, trees_on_switches, break_even, hdrm_and_trees, rules_of_issue)
