"""Allocations, trees and rings: the output of `tributary schedule` for all sets of GPUs, against arithmetic on the links."""

from fractions import Fraction

from ..claim import NOT_REPRODUCED, Claim, arithmetic, verdict
from .servers import LINKS, NAMES, classes, cycles, joined, least_cut, least_partition, links_of, links_of_rings, most_rings, packs, sets
from .trees import COLLECTIVES

ALLOCATIONS = "[allocations](../systems/blink.md#machines)"
TREES = "[trees](../systems/blink.md#trees)"
PAPER_CLASSES = {"dgx1p": 14, "dgx1v": 46}


def allocations(results):
    for server, expected in PAPER_CLASSES.items():
        accepted = {gpus for gpus in sets() if results["trees"].of(server, "broadcast", gpus)}
        right = accepted == {gpus for gpus in sets() if joined(server, gpus)}
        found = sum(1 for members in classes(server).values() if accepted & set(members))
        yield Claim(f"unique allocations of 3 to 8 GPUs, {NAMES[server]}", "5.2", f"{expected}, for 181 of 219 sets",
                    f"{found}, for {len(accepted)} of {len(sets())} sets",
                    verdict(right and (found, len(accepted)) == (expected, 181)), "")


def best(server, collective, gpus):
    return Fraction(least_cut(server, gpus, gpus[0])) if collective == "broadcast" else least_partition(server, gpus)


def bounds(results):
    for server in LINKS:
        for collective in COLLECTIVES:
            documents = {gpus: results["trees"].of(server, collective, gpus) for gpus in sets() if joined(server, gpus)}
            wrong = [gpus for gpus, d in documents.items() if Fraction(d["bound_exact"]) != best(server, collective, gpus)]
            short = max(1 - Fraction(d["rate_exact"]) / best(server, collective, gpus) for gpus, d in documents.items())
            broken = [gpus for gpus, d in documents.items() if not packs(server, gpus, d)]
            least = "the least cut" if collective == "broadcast" else "links between parts / (parts - 1)"
            allowed = 0 if collective == "broadcast" else Fraction(1, 20)
            yield Claim(f"rate of the trees, {NAMES[server]}, {collective}, {len(documents)} sets", f"3.2; {TREES}",
                        f"{least}" + ("" if allowed == 0 else ", at most 5 % less") + "; no link beyond its rate",
                        f"{len(wrong)} bounds differ; the rate is {100 * float(short):.1f} % short at most; {len(broken)} packings exceed a link",
                        arithmetic(not wrong and short <= allowed and not broken), "")
    most = max(len(results["trees"].of(s, "broadcast", g)["trees"]) for s in LINKS for g in sets() if joined(s, g))
    yield Claim("trees of a broadcast, all sets of both servers", "3.2 for 8 V100", "6 at most", f"{most} at most", arithmetic(most <= 6), "")


def packings(results):
    for server, gpus, rate, source, judge in (("dgx1v", range(8), 6, "3.2", verdict), ("dgx1p", range(8), 4, "the least cut", arithmetic),
                                              ("dgx1p", (0, 1, 3, 4, 5, 7), 3, "3.1, Fig. 4", verdict)):
        found = results["trees"].of(server, "broadcast", tuple(gpus))
        weights = {tree["weight"] for tree in found["trees"]}
        yield Claim(f"rate and trees of a broadcast, {NAMES[server]} {shown(gpus)}", source, f"{rate} links, {rate} trees of 1",
                    f"{found['rate_exact']} links, {len(found['trees'])} trees of " + " or ".join(f"{w:g}" for w in sorted(weights)),
                    judge((found["rate"], len(found["trees"]), weights) == (rate, rate, {1.0})), "")
    found = results["trees"].of("dgx1v", "broadcast", tuple(range(8)))
    largest = max(1000 * tree["weight"] / found["rate"] for tree in found["trees"])
    yield Claim("data on a tree, 1000 MB over the six trees of 8 V100", "3.2; 1000/6", "166.7 MB", f"{largest:.1f} MB",
                arithmetic(abs(largest - 166.7) < 0.05), "")
    yield Claim("trees of the multiplicative weights alone, 8 V100", "3.2", "181", f"{found['candidates']}, with a rate of "
                f"{found['fractional_rate']:.3f} links of 6", NOT_REPRODUCED,
                "the number follows from eps and from the rule for ties, which the paper leaves open; the rate and the six trees do not depend on them")


def shown(gpus):
    return "{" + ", ".join(map(str, gpus)) + "}"


def undirected(results):
    for server, expected in (("dgx1v", "24/7"), ("dgx1p", "16/7")):
        found = results["trees"].of(server, "allreduce", tuple(range(8)))
        yield Claim(f"all-reduce, best packing of 8 GPUs, {NAMES[server]}", TREES, f"{expected} links",
                    f"{found['bound_exact']} links; trees of {found['rate_exact']}", arithmetic(found["bound_exact"] == expected), "")
        wide = results["trees"].of(server, "broadcast", tuple(range(8)))
        ratio = found["rate"] / wide["rate"]
        yield Claim(f"all-reduce over broadcast, 8 GPUs, {NAMES[server]}, in theory", "9/16 of the links; 5.2: about half", "0.45 to 0.6", f"{ratio:.3f}",
                    arithmetic(0.45 <= ratio <= 0.6), "")


def rings(results):
    for server, directed, rate, source, judge in (("dgx1p", 4, "32/14", "5.1", verdict), ("dgx1v", 6, "48/14", "[baseline](../systems/blink.md#baseline)", arithmetic)):
        found = results["trees"].of(server, "allreduce", tuple(range(8)))
        holds = found["rings"] == directed and abs(found["ring_rate"] - float(Fraction(rate))) < 1e-9
        yield Claim(f"rings of the baseline, and their all-reduce, 8 GPUs, {NAMES[server]}", source, f"{directed} rings, {rate} links",
                    f"{found['rings']} rings, {found['ring_rate']:.3f} links", judge(holds), "")
    for server in LINKS:
        asked = [gpus for gpus in sets() if joined(server, gpus)]
        differ = [gpus for gpus in asked if links_of_rings(results["trees"].of(server, "broadcast", gpus)) != most_rings(server, gpus)]
        yield Claim(f"most rings that share no link, {NAMES[server]}, {len(asked)} sets", "[baseline](../systems/blink.md#baseline)",
                    "by a search over all sets of directed cycles, with half links for up to 4 GPUs", f"{len(differ)} differ", arithmetic(not differ), "")
    for server, gpus, expected, source in (("dgx1v", (2, 3, 6, 7), (2, 2), "Fig. 14"), ("dgx1v", (1, 4, 5, 6), (0, 2), "Fig. 14"),
                                           ("dgx1v", (0, 1, 4), (0, 1), "Fig. 3"), ("dgx1p", (0, 1, 3, 4, 5, 7), (2, 3), "Fig. 4"),
                                           ("dgx1p", (0, 1, 3), (2, 2), "Fig. 25: two rings")):
        found = results["trees"].of(server, "broadcast", gpus)
        yield Claim(f"directed rings, and rate of the trees, {NAMES[server]} {shown(gpus)}", source, f"{expected[0]}, {expected[1]} links",
                    f"{found['rings']}, {found['rate_exact']} links", verdict((found["rings"], found["rate"]) == expected), "")


def idle_links(results):
    gpus = (0, 1, 3, 4, 5, 7)
    links = links_of("dgx1p", gpus)
    document = results["trees"].of("dgx1p", "broadcast", gpus)
    used = {(gpus[e["parent"]], gpus[e["child"]]) for tree in document["trees"] for e in tree["edges"]}
    idle = [f"{a}-{b}" for a, b in links if (a, b) not in used and (b, a) not in used]
    taken = {frozenset((gpus[a], gpus[b])) for ring in document["ring_cycles"] for a, b in zip(ring, ring[1:] + ring[:1])}
    left = [f"{a}-{b}" for a, b in links if {a, b} not in taken]
    theirs = ((0, 1), (1, 5), (5, 4), (4, 7), (7, 3), (3, 0)) in cycles("dgx1p", gpus)
    yield Claim("links that a ring of {0, 1, 3, 4, 5, 7} leaves idle, DGX-1P", "3.1, Fig. 4", "3: 0-4, 1-3, 5-7, by the ring 0-1-5-4-7-3",
                f"{len(left)}: " + ", ".join(left) + ("; theirs is another ring of several" if left != ["1-3", "5-7", "0-4"] else ""),
                verdict(len(left) == 3 and theirs), "")
    yield Claim("links that the trees there leave idle in both directions", "3.1, Fig. 4", "none", ", ".join(idle) or "none",
                verdict(not idle), "")


def roots(results):
    for server in LINKS:
        rates = [{results["trees"].of(server, "broadcast", gpus, root)["rate_exact"] for root in range(len(gpus))}
                 for gpus in (members[0] for members in classes(server).values())]
        same = sum(len(found) == 1 for found in rates)
        yield Claim(f"classes with the same rate from every root, {NAMES[server]}", TREES, f"all {len(rates)}", str(same),
                    arithmetic(same == len(rates)), "")


ALL = (allocations, bounds, packings, undirected, rings, idle_links, roots)
