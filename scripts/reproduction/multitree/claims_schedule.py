"""Schedules: steps and tables of `tributary schedule`."""

from ..claim import REPORTED, Claim, arithmetic, verdict
from .networks import MESHES, NODES, name_of

STEPS = {"torus:4x4": 5, "torus:8x8": 17, "mesh:4x4": 8, "mesh:8x8": 32, "fat_tree_2level:16": 15, "fat_tree_2level:64": 63,
         "bigraph:4x8": 31, "bigraph:4x16": 63, "mesh:2x2": 2}


SOURCES = {"mesh": "Algorithm 1, trees by ascending root", "mesh:2x2": "III-B, Fig. 3", "fat_tree_2level": "VI-A", "bigraph": "VI-A"}


def steps(simulator):
    for platform, expected in STEPS.items():
        found = simulator.schedule(platform)["steps_per_phase"]
        theirs = {"mesh:4x4": "; the authors' own code: 10", "mesh:8x8": "; the authors' own code: 34"}.get(platform, "")
        judge = arithmetic if platform in MESHES else verdict
        source = SOURCES.get(platform) or SOURCES.get(platform.split(":")[0], "Algorithm 1, the authors' code")
        yield Claim(f"steps of a phase, {name_of(platform)}", source, f"{expected}{theirs}", str(found), judge(found == expected), "")


def tables(simulator):
    for platform, nodes in NODES.items():
        schedule = simulator.schedule(platform)
        used, nops = schedule["table_entries_max"], schedule["table_entries_max_with_nops"]
        holds = used <= 2 * nodes
        overflow = " (arithmetic: overflow)" if platform in MESHES else ""
        why = "a node serves its children of one tree in several steps, with one Gather each" if not holds else ""
        yield Claim(f"a table of 2N entries of 200 bits holds the schedule, {name_of(platform)}", "IV-A",
                    f"{2 * nodes} entries, {2 * nodes * 200 / 8:.0f} B" + overflow,
                    f"{used} entries, {nops} with NOPs", verdict(holds), why)


def ring_links(simulator):
    utilisation = simulator.schedule("torus:4x4", "ring")["utilisation_per_step"]
    mean = sum(utilisation) / len(utilisation)
    return Claim("the ring's use of the links of a 4x4 torus", "I", "25 %", f"{100 * mean:.0f} %",
                 verdict(abs(mean - 0.25) < 0.001), "")


def decay(simulator):
    found = simulator.schedule("mesh:8x8")["utilisation_per_step"]
    return Claim("use of links on the 8x8 mesh, step by step", "[trees](../systems/multitree.md#trees)", "falls; arithmetic: mean 0.56",
                 f"{found[0]:.2f} to {found[-1]:.2f}, mean {sum(found) / len(found):.2f}", REPORTED, "")


ALL = (steps, ring_links, decay, tables)
