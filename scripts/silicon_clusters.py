"""Published collectives of several servers, and the same on clusters by flows (docs/validation/silicon.md, "Several servers").

Rates are busbw in GB/s of the largest messages of nccl-tests. NCCL's tree of servers reduces inside them by NVLS, whose packets
flows of clusters do not have. Both work on different chunks at once, so the slower one decides: the rate of NVLS is that of one
server by packets.
"""
import json
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache

import silicon_tables

SIZE = 16 << 30
BAND = 15  # per cent


@dataclass(frozen=True)
class Row:
    name: str
    measured: float
    platform: str
    algorithm: str
    settings: tuple = ()
    collective: str = "allreduce"
    gap: bool = False  # a rule of the measured software is not known, so the row is reported alone

    @property
    def nvls(self):
        return self.algorithm == "pull_tree"

    @property
    def server(self):
        return self.platform.split("x", 1)[1]

    @property
    def ranks(self):
        return 8 * int(self.platform.split(":")[1].split("x")[0])


NICS_4_200 = ("cluster.nics=4", "cluster.nic_rate=200Gb/s")
NICS_4_400 = ("cluster.nics=4", "cluster.nic_rate=400Gb/s")
ROWS = (
    Row("2 p5 (H100), 32 x 100 Gb/s each", 487.1, "cluster:2xh100", "pull_tree"),
    Row("2 HGX H100 on InfiniBand (nebius)", 466.5, "cluster:2xh100", "pull_tree"),
    Row("8 HGX H100 (coreweave)", 384.5, "cluster:8xh100", "pull_tree"),
    Row("2 B200", 717.9, "cluster:2xb200", "pull_tree"),
    Row("2 B200, reduce-scatter", 304.3, "cluster:2xb200", "ring", collective="reduce_scatter", gap=True),
    Row("2 B200, all-to-all", 42.4, "cluster:2xb200", "direct", collective="alltoall", gap=True),
    Row("2 DGX A100", 192, "cluster:2xa100", "ring"),
    Row("3 servers of A100, 4 x 200 Gb/s each", 96, "cluster:3xa100", "ring", NICS_4_200),
    Row("2 HGX A100, 4 x 200 Gb/s each", 91, "cluster:2xa100", "ring", NICS_4_200),
    Row("5 servers of H100, 4 x 400 Gb/s each", 190, "cluster:5xh100", "ring", NICS_4_400),
    Row("the same, forced tree", 150, "cluster:5xh100", "pull_tree", NICS_4_400, gap=True),
)


def busbw_of_flows(tributary, row):
    command = [str(tributary), "run", "--platform", row.platform, "--collective", row.collective, "--algorithm", row.algorithm,
               "--size", f"{SIZE}B", "--mode", "fluid", "--no-data", "--quiet", "--json", "-"]
    for setting in row.settings:
        command += ["--set", setting]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"silicon: {' '.join(command)}: {result.stderr.strip()}")
    return json.loads(result.stdout)["results"][0]["busbw_GBps"]


@lru_cache
def algbw_of_nvls(tributary, server):
    """Returns the rate of NVLS on 8 GPUs of one server, in GB/s."""
    run = silicon_tables.Run(server, 8, "allreduce", SIZE, "2.29", "nvls", "", False)
    return SIZE / 1e3 / silicon_tables.Simulator(tributary).time(run)[0]


def parts(tributary, row):
    """Returns busbw of the flows, and of NVLS on one server by packets with the factor of all ranks; None: no NVLS."""
    nvls = algbw_of_nvls(tributary, row.server) * 2 * (row.ranks - 1) / row.ranks if row.nvls else None
    return busbw_of_flows(tributary, row), nvls


def busbw(tributary, row):
    return min(part for part in parts(tributary, row) if part is not None)


def deviation(tributary, row):
    """Returns busbw and its deviation from the measured one in per cent."""
    ours = busbw(tributary, row)
    return ours, 100 * (ours / row.measured - 1)
