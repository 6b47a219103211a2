"""The networks and algorithms of the paper, and the results of the sweeps of Figures 2 and 9."""

from ..tools import parse_size

TORI = ("torus:4x4", "torus:8x8")
MESHES = ("mesh:4x4", "mesh:8x8")
FAT_TREES = ("fat_tree_2level:16", "fat_tree_2level:64")
BIGRAPHS = ("bigraph:4x8", "bigraph:4x16")
SWITCHED = FAT_TREES + BIGRAPHS
NODES = {"torus:4x4": 16, "torus:8x8": 64, "mesh:4x4": 16, "mesh:8x8": 64, "fat_tree_2level:16": 16,
         "fat_tree_2level:64": 64,
         "bigraph:4x8": 32, "bigraph:4x16": 64}
# name -> (algorithm, schedule_nic.flow_control.kind in the sweeps)
METHODS = {"MultiTree, messages": ("multitree", "message"), "MultiTree": ("multitree", "packet"), "2D ring": ("ring_2d", ""),
           "ring": ("ring", ""), "double binary tree": ("double_binary_tree", ""), "HDRM": ("hdrm", "")}
# Ideal bandwidth of MultiTree at large sizes from steps and links, without head flits: 16 GB/s / (2 x steps / N).
IDEAL = {"torus:4x4": 25.6, "torus:8x8": 512 / 17, "mesh:4x4": 16.0, "mesh:8x8": 16.0}


def name_of(platform):
    kind, size = platform.split(":")
    return {"fat_tree_2level": "fat tree", "bigraph": "BiGraph"}.get(kind, kind) + " " + size


def curve(runs, platform, method):
    """size -> GB/s, in ascending order; empty if the algorithm does not run on the network."""
    algorithm, kind = METHODS[method]
    rows = runs.select(platform=platform, algorithm=algorithm, schedule_nic__flow_control__kind=kind)
    return {int(size): bandwidth for size, bandwidth in
            sorted((r.number("size_bytes"), r.number("algbw_GBps")) for r in rows if r["status"] == "done")}


def curves(runs, platform):
    """algorithm -> curve, for the algorithms that run on the network."""
    found = {method: curve(runs, platform, method) for method in METHODS}
    return {method: points for method, points in found.items() if points}


def overheads(results):
    """Returns (payload of a packet, head flits over payload on the wire); each of 16 chunks crosses 2 x 15 links."""
    return [(parse_size(r["schedule_nic.flow_control.payload"]), r.number("wire_bytes") / (2 * 15 * r.number("size_bytes")) - 1)
            for r in results["fig2"].rows]
