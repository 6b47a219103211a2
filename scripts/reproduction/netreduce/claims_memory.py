"""Memory of the accelerator, against the block RAMs of the prototype's FPGA."""

import re
import subprocess

from ..claim import Claim, arithmetic, verdict
from ..tools import Failure

MEMORY = "netreduce.accelerator.memory"
IN_USE, SHARE = 993, 0.2627  # block RAMs of 36 Kb in the prototype, and their share of the FPGA's
BLOCK = 36 * 1024 // 8
ALL_OF_FPGA = int(IN_USE * BLOCK / SHARE)


def needed(simulator, platform, algorithm, *settings):
    """Returns the bytes that the rings need, from the refusal of an accelerator with 1 KiB."""
    command = [simulator.binary, "run", "--platform", platform, "--algorithm", algorithm, "--size", "1MiB", "--no-data", "--set", f"{MEMORY}=1KiB", *settings]
    answer = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True).stderr
    found = re.search(r"need (\d+) ?B", answer)
    if not found:
        raise Failure(f"no bytes of rings in '{answer.strip()}'")
    return int(found[1])


def megabytes(count):
    return f"{count / 1e6:.2f} MB"


def memory(simulator):
    recomputed = "--set", "netreduce.accelerator.value=recomputed"
    payload = 4 * 170 * 6 * 1024
    one = needed(simulator, "rack:6", "netreduce", *recomputed)
    yield Claim("memory of a ring of six hosts, sums not stored", "arithmetic; 2N x MsgLen = 680 slots x 6 x 1 KiB of payload, and headers",
                f"{megabytes(payload)} and up to 15 % more", megabytes(one), arithmetic(payload <= one <= 1.15 * payload), "")
    holds = one <= IN_USE * BLOCK
    yield Claim(f"the same in the {IN_USE} block RAMs of the prototype", "4", f"at most {megabytes(IN_USE * BLOCK)}", megabytes(one), verdict(holds), "")
    eight, smaller = needed(simulator, "rack:4x8", "parallel_netreduce"), needed(simulator, "rack:4x8", "parallel_netreduce", *recomputed)
    holds = smaller <= ALL_OF_FPGA
    yield Claim("memory of the eight rings of Table 9, in all block RAMs of the FPGA", f"Table 9; {IN_USE} are {100 * SHARE} %",
                f"at most {megabytes(ALL_OF_FPGA)}", f"{megabytes(eight)}; sums not stored {megabytes(smaller)}", verdict(holds),
                "" if holds else "the paper does not say how eight rings fit; with the default, memory without a limit, they run")


RUNS = (memory,)
