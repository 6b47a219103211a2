"""The links of both servers, and arithmetic on any of their GPUs, independent of the simulator."""

from fractions import Fraction
from itertools import combinations, permutations

LINKS = {  # as published by the maker (`nvidia-smi topo -m`)
    "dgx1p": {pair: 1 for pair in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (4, 5), (4, 6), (4, 7), (5, 6), (5, 7), (6, 7),
                                   (0, 4), (1, 5), (2, 6), (3, 7))},
    "dgx1v": {(0, 1): 1, (0, 2): 1, (0, 3): 2, (1, 2): 2, (1, 3): 1, (2, 3): 2, (4, 5): 1, (4, 6): 1, (4, 7): 2, (5, 6): 2,
              (5, 7): 1, (6, 7): 2, (0, 4): 2, (1, 5): 2, (2, 6): 1, (3, 7): 1},
}
NAMES = {"dgx1p": "DGX-1P", "dgx1v": "DGX-1V"}


def links_of(server, gpus):
    """Pair -> NVLinks for the pairs among these GPUs."""
    return {pair: count for pair, count in LINKS[server].items() if set(pair) <= set(gpus)}


def sets():
    """All sets of 3 to 8 GPUs."""
    return [gpus for count in range(3, 9) for gpus in combinations(range(8), count)]


def joined(server, gpus):
    """True if NVLinks connect these GPUs."""
    reached, links = {gpus[0]}, links_of(server, gpus)
    for _ in gpus:
        reached |= {v for pair in links if reached & set(pair) for v in pair}
    return len(reached) == len(gpus)


def same_when_renumbered(server, gpus):
    """Returns the key of a class: the greatest matrix of links over all numberings of the GPUs."""
    links, pairs = links_of(server, gpus), list(combinations(range(len(gpus)), 2))
    if len(gpus) == 8:
        return (8,)  # one such set exists
    counts = {(a, b): links.get((min(a, b), max(a, b)), 0) for a in gpus for b in gpus}
    return max(tuple(counts[order[i], order[j]] for i, j in pairs) for order in permutations(gpus))


def classes(server):
    """Class -> its sets that NVLinks connect, smallest numbers first."""
    found = {}
    for gpus in sets():
        if joined(server, gpus):
            found.setdefault((len(gpus), same_when_renumbered(server, gpus)), []).append(gpus)
    return found


def least_cut(server, gpus, root):
    """Returns the least number of links into any set of GPUs without the root: the largest rate of a packing from the root."""
    links, others = links_of(server, gpus), [v for v in gpus if v != root]
    return min(sum(count for pair, count in links.items() if len(inside & set(pair)) == 1)
               for size in range(1, len(gpus)) for inside in map(set, combinations(others, size)))


def partitions(gpus):
    """Yields all partitions of the GPUs: GPU -> number of its part."""
    ways = [{gpus[0]: 0}]
    for gpu in gpus[1:]:
        ways = [way | {gpu: part} for way in ways for part in range(max(way.values()) + 2)]
    return ways


def least_partition(server, gpus):
    """Links between parts / (parts - 1), over all partitions: the best packing of trees without direction (Tutte, Nash-Williams)."""
    links, least = links_of(server, gpus), None
    for way in partitions(gpus):
        parts = max(way.values()) + 1
        if parts > 1:
            rate = Fraction(sum(count for (a, b), count in links.items() if way[a] != way[b]), parts - 1)
            least = rate if least is None else min(least, rate)
    return least


def links_of_rings(document):
    """Rate of the rings of `tributary schedule`, in links."""
    return document["rings"] / document.get("rings_on_link", 1)


def cycles(server, gpus):
    """Yields all directed rings over NVLinks through all GPUs, each as its hops."""
    links = links_of(server, gpus)
    for order in permutations(gpus[1:]):
        ring = (gpus[0], *order)
        hops = tuple(zip(ring, ring[1:] + ring[:1]))
        if all((min(hop), max(hop)) in links for hop in hops):
            yield hops


def most_directed(every, links, bound):
    """Most directed rings that use no hop beyond its links, found by trying all sets."""
    def more(first, left, found):
        best = found
        for i in range(first, len(every)):
            if best == bound:
                break
            if all(left[hop] for hop in every[i]):
                best = max(best, more(i, left | {hop: left[hop] - 1 for hop in every[i]}, found + 1))
        return best

    return more(0, links, 0)


def most_rings(server, gpus):
    """Rate of the most directed rings that share no link, in links. Up to 4 GPUs may use half links, if these give more than twice the number."""
    every = list(cycles(server, gpus))
    both = {hop: count for (a, b), count in links_of(server, gpus).items() for hop in ((a, b), (b, a))}
    bound = min(sum(count for (a, _), count in both.items() if a == gpu) for gpu in gpus)
    whole = most_directed(every, both, bound)
    if not whole or len(gpus) > 4:
        return whole
    halves = most_directed(every, {hop: 2 * count for hop, count in both.items()}, 2 * bound)
    return halves / 2 if halves > 2 * whole else whole


def packs(server, gpus, document):
    """True if the trees of `tributary schedule` span the GPUs and load no link beyond its rate. Weights are in 1/units_per_link."""
    links, load = links_of(server, gpus), {}
    both = document["collective"] == "allreduce"  # a tree uses its links up and down
    for tree in document["trees"]:
        reached = {tree["root"]}
        for edge in tree["edges"]:
            parent, child = gpus[edge["parent"]], gpus[edge["child"]]
            if edge["parent"] not in reached or edge["child"] in reached:
                return False
            reached.add(edge["child"])
            key = (min(parent, child), max(parent, child)) if both else (parent, child)
            load[key] = load.get(key, 0) + tree["units"]
        if len(reached) != len(gpus):
            return False
    return all(used <= document["units_per_link"] * links.get((min(pair), max(pair)), 0) for pair, used in load.items())
