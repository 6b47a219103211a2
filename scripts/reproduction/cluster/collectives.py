"""Busbw of large messages, as nccl-tests prints it, against published measurements."""

from collections import namedtuple

from ..claim import Claim, verdict
from .runs import Runs

Measured = namedtuple("Measured", "text source platform collective algorithm busbw reason", defaults=["allreduce", "", 0, ""])
NVLS = "flows add in NVSwitches at the rate of the links; NCCL's NVLS reaches 0.85 of its bound on one server of H100"
ROWS = [
    Measured("2 p5 servers of 8 H100", "aws-ofi-nccl, nccl-tests", "cluster:2xh100", "allreduce", "pull_tree", 487.1, NVLS),
    Measured("2 servers of 8 H100, InfiniBand", "nebius, nccl-tests", "cluster:2xh100", "allreduce", "pull_tree", 466.5, NVLS),
    Measured("8 servers of 8 H100", "coreweave, nccl-tests", "cluster:8xh100", "allreduce", "pull_tree", 384.5),
    Measured("2 servers of 8 B200", "nccl-tests", "cluster:2xb200", "allreduce", "pull_tree", 717.9),
    Measured("2 DGX-A100, 8 x 200 Gb/s", "nccl-tests", "cluster:2xa100", "allreduce", "ring", 192),
]


def measure(simulator):
    runs = Runs(simulator)
    for row in ROWS:
        runs.run(row.text, "run", "--platform", row.platform, "--collective", row.collective, "--algorithm", row.algorithm, "--size", "4GiB", "--no-data")
    return runs


def claims(results):
    for row in ROWS:
        busbw = results["collectives"][row.text]["results"][0]["busbw_GBps"]
        error = busbw / row.busbw - 1
        holds = abs(error) <= 0.15
        yield Claim(f"{row.collective} by `{row.algorithm}` on {row.text}", row.source, f"{row.busbw} GB/s (15 %)", f"{busbw:.1f} GB/s, {100 * error:+.1f} %",
                    verdict(holds), "" if holds else row.reason)
