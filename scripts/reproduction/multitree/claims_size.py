"""Bandwidth over message size and over N: Figures 2, 9 and 10, flow control and lockstep."""

from ..claim import REPORTED, Claim, verdict
from ..tools import show_size
from .networks import BIGRAPHS, IDEAL, MESHES, SWITCHED, TORI, curve, curves, name_of, overheads
from .scaling import SCALED, linearity, points

ORDER = ("MultiTree, messages", "MultiTree", "2D ring", "ring")


def head_flits(results):
    for size, share in overheads(results):
        if size in (64, 256):
            expected = 16 / size
            yield Claim(f"head flits over payload, packets of {size} B", "III, Fig. 2, M013", f"{100 * expected:.2f} %", f"{100 * share:.2f} %",
                        verdict(abs(share - expected) < 0.002), "")


def order_on_tori(results):
    for platform in TORI:
        found = curves(results["fig9"], platform)
        broken = [size for size in found["ring"]
                  if not all(found[a][size] >= found[b][size] for a, b in zip(ORDER, ORDER[1:]))]
        ends = (min(found["ring"]), max(found["ring"]))
        text = "; ".join(f"{show_size(s)}: " + " / ".join(f"{found[m][s]:.1f}" for m in ORDER) for s in ends)
        yield Claim(f"MultiTree with messages >= MultiTree >= 2D ring >= ring, {name_of(platform)}", "VI-A, Fig. 9, checks D4",
                    "at every size, 32 KiB to 64 MiB", f"{text} GB/s; {len(found['ring'])} sizes",
                    verdict(not broken), "otherwise at " + ", ".join(map(show_size, broken)) if broken else "")


def near_ideal(results):
    for platform in TORI:
        found = curve(results["fig9"], platform, "MultiTree")
        size, share = max(found), found[max(found)] / IDEAL[platform]
        yield Claim(f"MultiTree against its ideal at large sizes, {name_of(platform)}", "multitree.md 7, M001, M002",
                    f"within 8 % of {IDEAL[platform]:.1f} GB/s (5.9 % are head flits)",
                    f"{found[size]:.2f} GB/s at {show_size(size)}: {100 * (share - 1):.1f} %", verdict(0.92 <= share <= 1), "")


def message_gain(results):
    for platform in TORI + MESHES + SWITCHED:
        packets, messages = (curve(results["fig9"], platform, m) for m in ("MultiTree", "MultiTree, messages"))
        direct = platform in TORI + MESHES
        for size, low, high, what in ((min(packets), 0.01, 0.04, "small"), (max(packets), 0.05, 0.0625, "large")):
            gain = messages[size] / packets[size] - 1
            holds = low <= gain <= high + 0.0005
            yield Claim(f"gain of message-based flow control, {name_of(platform)}, {show_size(size)}", "VI-A, M012, checks D7",
                        f"{100 * low:.0f} to {100 * high:.4g} % at {what} sizes", f"{100 * gain:+.2f} %",
                        verdict(holds) if direct else REPORTED, "" if holds or not direct else reason_of_gain(gain, low))


def reason_of_gain(gain, low):
    return ("start-up and drain are a larger share than in the dependency model, which has no routers" if gain < low
            else "more than the head flits: packets also wait for each other in the routers, which messages do not")


def trees_last(results):
    for platform in TORI:
        found = curves(results["fig9"], platform)
        size, small = max(found["double binary tree"]), min(found["double binary tree"])
        worst = min(found, key=lambda method: found[method][size])
        text = "; ".join(f"{show_size(s)}: {found['double binary tree'][s]:.2f} against the ring's {found['ring'][s]:.2f} GB/s" for s in (small, size))
        yield Claim(f"double binary tree is worst at large sizes, {name_of(platform)}", "VI-A, M020, checks D4", "below all others", text,
                    verdict(worst == "double binary tree"), "" if worst == "double binary tree" else f"worst is {worst}")


def two_rings_on_meshes(results):
    for platform in MESHES:
        flat, ring = (curve(results["fig9"], platform, m) for m in ("2D ring", "ring"))
        ratios = {size: flat[size] / ring[size] for size in ring}
        text = ", ".join(f"{show_size(size)} {ratio:.2f}" for size, ratio in ratios.items())
        wins = platform == "mesh:4x4"
        holds = (ratios[max(ratios)] > 1) == wins
        yield Claim(f"2D ring over ring, {name_of(platform)}", "VI-A, Fig. 9b, M021, checks D5",
                    "better at large sizes" if wins else "worse, at large sizes too", text, verdict(holds),
                    "" if holds else "worse where latency counts alone: its links carry 1.75 D/B, the ring's 1.97; the paper's claim needs "
                                     "contention that these routers, with a VC for each of the flows that meet, do not show")


def small_and_large(results):
    for platform in SWITCHED:
        found = curves(results["fig9"], platform)
        small, large = min(found["ring"]), max(found["ring"])
        for size, holds, text in ((small, lambda r: r > 1, "better at small sizes"), (large, lambda r: abs(r - 1) <= 0.03, "equal (3 %) at large sizes")):
            ratio = found["MultiTree"][size] / found["ring"][size]
            with_messages = found["MultiTree, messages"][size] / found["ring"][size]
            yield Claim(f"MultiTree over ring, {name_of(platform)}, {show_size(size)}", "VI-A, Fig. 9, M030, checks D6", text,
                        f"{ratio:.2f} ({found['MultiTree'][size]:.2f} against {found['ring'][size]:.2f} GB/s); with messages {with_messages:.2f}",
                        verdict(holds(ratio)), "" if holds(ratio) else reason_of_large(ratio))


def reason_of_large(ratio):
    if ratio > 1:
        return "the ring's 2(N - 1) steps each still pay their latency at this size"
    return "packets of different messages meet in the switches and leave links idle; whole messages do not"


def halving_doubling(results):
    for platform in BIGRAPHS:
        found = curves(results["fig9"], platform)
        for size, holds, text in ((min(found["HDRM"]), lambda r: r < 1, "worse at small sizes"),
                                  (max(found["HDRM"]), lambda r: abs(r - 1) <= 0.03, "equal (3 %) at large sizes")):
            ratio = found["HDRM"][size] / found["MultiTree"][size]
            small = size == min(found["HDRM"])
            yield Claim(f"HDRM over MultiTree, {name_of(platform)}, {show_size(size)}", "VI-A, M031, checks D6", text,
                        f"{ratio:.2f} ({found['HDRM'][size]:.2f} against {found['MultiTree'][size]:.2f} GB/s)", verdict(holds(ratio)),
                        "" if holds(ratio) or not small else "its few steps cost less latency here than MultiTree's steps wait in lockstep")


def trees_on_switches(results):
    for platform in SWITCHED:
        tree, ring = (curve(results["fig9"], platform, m) for m in ("double binary tree", "ring"))
        better = [size for size in tree if tree[size] > ring[size]]
        text = f"better to {show_size(max(better))}" if better else "worse at all sizes"
        holds = min(tree) in better and max(tree) not in better
        yield Claim(f"double binary tree over ring, {name_of(platform)}", "VI-A, checks D6", "better at small sizes, worse at large",
                    f"{tree[min(tree)] / ring[min(ring)]:.2f} at {show_size(min(tree))}, {tree[max(tree)] / ring[max(ring)]:.2f} at "
                    f"{show_size(max(tree))}; {text}", verdict(holds), "")


def weak_scaling(results):
    weak = {method: points(results, method, "weak") for method in SCALED}
    largest = max(weak["ring"])
    for method, line in weak.items():
        yield Claim(f"weak scaling is linear, {method}", "VI-B, Fig. 10, M011", "R^2 above 0.99", f"R^2 {linearity(line):.4f}, 16 to {largest} nodes",
                    verdict(linearity(line) > 0.99), "")
    for method, low, high in (("MultiTree", 3.0, 4.1), ("MultiTree, messages", 3.15, 4.3)):
        ratios = {nodes: weak["ring"][nodes] / weak[method][nodes] for nodes in weak["ring"]}
        yield Claim(f"ring over {method} in time, 375 KiB x N", "VI-B, Fig. 10, M010, checks D9", f"{low} to {high}",
                    ", ".join(f"{nodes}: {ratio:.2f}" for nodes, ratio in ratios.items()),
                    verdict(all(low <= ratio <= high for ratio in ratios.values())), "")
    ratios = {nodes: weak["2D ring"][nodes] / weak["MultiTree, messages"][nodes] for nodes in weak["ring"]}
    yield Claim("2D ring over MultiTree, messages in time, 375 KiB x N", "VI-B, M010", "1.4 (1.25 to 2.0)",
                ", ".join(f"{nodes}: {ratio:.2f}" for nodes, ratio in ratios.items()), verdict(all(1.25 <= r <= 2 for r in ratios.values())), "")


def strong_scaling(results):
    for method in SCALED:
        line = points(results, method, "strong")
        yield Claim(f"strong scaling, 6000 KiB, {method}", "beside Fig. 10", "-", ", ".join(f"{n}: {ns / 1000:.1f}" for n, ns in line.items()) + " us",
                    REPORTED, "")


def lockstep(results):
    rows = results["lockstep"]
    locked, free = ({int(r["size_bytes"]): r.number("time_ns") for r in rows.select(network__nic__lockstep__kind=k)} for k in ("every_step", "off"))
    for size in sorted(locked):
        gain = locked[size] / free[size] - 1
        large = size == max(locked)
        yield Claim(f"lockstep off, mesh 8x8, {show_size(size)}", "IV-B, checks D8", "equal within 1 % at 64 MiB" if large else "-",
                    f"{100 * gain:+.2f} % bandwidth", verdict(abs(gain) <= 0.01) if large else REPORTED, "")


ALL = (head_flits, order_on_tori, near_ideal, message_gain, trees_last, two_rings_on_meshes, small_and_large, halving_doubling, trees_on_switches,
       weak_scaling, strong_scaling, lockstep)
