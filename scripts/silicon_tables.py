"""Compares the tables of nccl-tests in testbench/workload/data/silicon with `tributary run --algorithm nccl`.

Tables of one server whose GPUs are joined by NVSwitches are compared, of NCCL 2.14 and later. A message of more than one loop of its
channels is not simulated whole: loops are alike, so the time of one more loop follows from two shorter messages with the same chunk.
"""
import csv
import json
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "testbench" / "workload" / "data" / "silicon" / "nccl_tables.csv"
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
PLATFORMS = {"H100": "h100", "H200": "h200", "A100": "a100", "B200": "b200"}
COLLECTIVES = {"all_reduce": "allreduce", "all_gather": "allgather", "reduce_scatter": "reduce_scatter", "all_to_all": "alltoall",
               "sendrecv": "sendrecv"}
SLOT, LEAST = 512 * KIB, 4  # sends of plain data: slot, and channels of a message between two of 8 GPUs before it needs more
OLD = ("abci", "msccl", "oci")          # NCCL up to 2.12
LAUNCH = 2.4                            # us of one thread for the launch on each GPU; calibrated, see the page
CHANNELS, CHUNK = {"b200": 16}, 2 * MIB  # channels, 24 elsewhere, of rings with plain data, and their chunk
BLOCKS = {"b200": 24}                   # thread blocks of NVLS, 16 elsewhere
NVLS_FROM = {"h100": 2 * MIB, "h200": 2 * MIB, "b200": 4 * MIB}  # as the tuner chooses for an all-reduce of 8 GPUs
# Rows on which a number was set (table, least and most bytes): they are no results.
CALIBRATED = (("b200-8-ar", 128, KIB), ("b200-8-ar", 128 * MIB, 16 * GIB), ("b200-8-ag", 128, KIB), ("h100-8-dgxc", 4 * KIB, 64 * KIB),
              ("h100-4-wh-ar", 0, 4 * KIB), ("a100-8-dkh", 0, 4 * KIB), ("h200-8-azure", 0, 4 * KIB),
              ("b200-8-sr", 64 * KIB, 512 * KIB))
BANDS = ((4 * KIB, "to 4 KiB"), (256 * KIB, "to 256 KiB"), (16 * MIB, "to 16 MiB"), (512 * MIB, "to 512 MiB"), (1 << 62, "larger"))


@dataclass(frozen=True)
class Run:
    """One message, as `tributary run` executes it."""
    platform: str
    gpus: int
    collective: str
    size: int
    version: str
    algorithm: str
    protocol: str
    thread: bool
    chunk: int = 0  # for NVLS; 0: by the size
    channels: int = 0  # for sends; 0: by the size

    def command(self, tributary):
        command = [str(tributary), "run", "--platform", self.platform, "--gpus", str(self.gpus), "--collective", self.collective,
                   "--algorithm", "nccl", "--size", f"{self.size}B", "--no-data", "--quiet", "--json", "-",
                   "--set", f"nvswitch.nccl.version={self.version}"]
        for name, value in (("algorithm", self.algorithm), ("protocol", self.protocol)):
            if value:
                command += ["--set", f"nvswitch.nccl.{name}={value}"]
        if self.chunk:
            command += ["--set", f"nvswitch.nvls.chunk={self.chunk}B"]
        if self.channels:
            command += ["--set", f"nvswitch.nccl.p2p.peer_channels={self.channels}"]
        return command


def version_of(row):
    """The release, or the oldest that the machine's tables agree with: B200 and the tables of 2026 follow 2.27."""
    if row["nccl"] == "?":
        return "2.29" if "-wh-" in row["id"] else "2.27" if row["machine"].startswith("B200") else "2.21"
    minor = int(row["nccl"].split(".")[1])
    return "2.29" if minor >= 28 else "2.27" if minor >= 27 else "2.21"


def by_nvls(row):
    """True if NCCL uses NVLS: forced, or on 8 GPUs of Hopper from 2 MiB on (github.com/NVIDIA/nccl-tests/issues/309), of
    Blackwell from 4 MiB on, where the measured times have a step."""
    chosen = row["algo"] == "auto" and row["proto"] == "auto" and row["collective"] == "all_reduce"
    return row["algo"] == "NVLS" or (chosen and row["gpus"] == "8" and int(row["size_B"]) >= NVLS_FROM.get(PLATFORMS[row["machine"]], 1 << 62))


def rows():
    """Returns the compared rows: those in place, and others where there is none in place."""
    with TABLES.open(encoding="utf-8") as file:
        found = [r for r in csv.DictReader(file)
                 if r["machine"] in PLATFORMS and r["nodes"] == "1" and r["collective"] in COLLECTIVES
                 and r["algo"] != "symmetric" and not any(old in r["id"] for old in OLD)]
    in_place = {(r["id"], r["size_B"]) for r in found if r["place"] == "in"}
    return [r for r in found if r["place"] == "in" or (r["id"], r["size_B"]) not in in_place]


def forced(text):
    return "" if text in ("auto", "?") else text.lower()


def run_of(row):
    return Run(PLATFORMS[row["machine"]], int(row["gpus"]), COLLECTIVES[row["collective"]], int(row["size_B"]), version_of(row),
               "nvls" if by_nvls(row) else forced(row["algo"]), forced(row["proto"]), row["launch"] == "thread" and row["graph"] == "0")


def nvls_chunk(size, gpus, blocks):
    chunk = 128 * KIB
    for smaller, factor in ((64 * KIB, 64), (32 * KIB, 8), (16 * KIB, 2)):
        if size < factor * blocks * gpus * chunk:
            chunk = smaller
    return chunk


def p2p_channels(size):
    """The channels of a message of plain data between two of 8 GPUs: a part has at most 32 slots while there are channels left."""
    channels = LEAST
    while channels < 32 and size > channels * 32 * SLOT:
        channels *= 2
    return channels


def with_launches(kernel, gpus):
    """Returns the period in us of a kernel that one thread launches on `gpus` GPUs in turn. A short kernel and its launches follow
    each other, and a kernel of three times the launches hides them."""
    launches = LAUNCH * gpus
    return max(kernel, min(kernel + launches, 3 * launches))


class Simulator:
    def __init__(self, tributary):
        self.tributary, self.known = tributary, {}

    def simulate(self, run):
        """Returns the result row of one run."""
        if run not in self.known:
            done = subprocess.run(run.command(self.tributary), capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"silicon: {' '.join(run.command(self.tributary))}: {done.stderr.strip()}")
            self.known[run] = json.loads(done.stdout)["results"][0]
        return self.known[run]

    def simulate_all(self, runs, processes):
        """Simulates what time() needs for the runs, several at once."""
        needed = sorted({part for run in runs for part in self.parts(run)}, key=lambda run: -run.size)
        with ThreadPoolExecutor(processes) as pool:
            list(pool.map(self.simulate, needed))

    def time(self, run):
        """Returns us, and the choices of the tuner. Beyond the larger of two parts each byte adds as much as between them."""
        parts = self.parts(run)
        rows = [self.simulate(part) for part in parts]
        time = rows[-1]["time_ns"]
        if len(parts) == 2:
            time += (run.size - parts[1].size) * (time - rows[0]["time_ns"]) / (parts[1].size - parts[0].size)
        time /= 1e3
        return with_launches(time, run.gpus) if run.thread else time, rows[-1]["tuned"]

    def parts(self, run):
        """Returns the runs from which the time of `run` follows: itself, or one and two loops of a ring, four and eight of NVLS, two
        and four chunks in each channel of a send. A tree sends chunk after chunk, so that it is full after as many bytes as a ring
        has in a loop."""
        run = replace(run, thread=False)  # the host is no part of a kernel
        if run.collective in ("sendrecv", "alltoall"):
            pairs = run.gpus if run.collective == "alltoall" else 1
            channels = p2p_channels(run.size // pairs)
            return [run] if run.size <= 2 * pairs * LEAST * SLOT else [
                replace(run, size=n * pairs * channels * SLOT, channels=channels) for n in (2, 4)]
        if run.algorithm == "nvls":
            blocks = BLOCKS.get(run.platform, 16)
            chunk = nvls_chunk(run.size, run.gpus, blocks)
            loops = 4 * blocks * chunk * run.gpus
            return [run] if run.size <= max(64 * MIB, 2 * loops) else [replace(run, size=n * loops, chunk=chunk) for n in (1, 2)]
        loop = CHANNELS.get(run.platform, 24) * CHUNK * run.gpus
        return [run] if run.size <= 2 * loop else [replace(run, size=n * loop) for n in (1, 2)]


@dataclass(frozen=True)
class Result:
    """One row of a table, with the simulated time."""
    table: str
    machine: str
    gpus: int
    collective: str
    algorithm: str
    protocol: str
    size: int
    measured: float  # us
    simulated: float

    @property
    def error(self):
        """The logarithm of the ratio."""
        return abs(math.log(self.simulated / self.measured))

    @property
    def is_calibrated(self):
        return any(self.table == table and least <= self.size <= most for table, least, most in CALIBRATED)

    @property
    def kind(self):
        protocol = {"ll": "LL", "ll128": "LL128", "simple": "plain data"}[self.protocol]
        return {"nvls": "NVLS", "tree": f"tree, {protocol}"}.get(self.algorithm, protocol)

    @property
    def band(self):
        return next(name for limit, name in BANDS if self.size <= limit)


def results(tributary, most=1 << 62, processes=2, rows_of=None):
    """Returns the results of rows, by default of all that are compared, of at most `most` bytes."""
    simulator = Simulator(tributary)
    chosen = [(row, run_of(row)) for row in (rows() if rows_of is None else rows_of) if int(row["size_B"]) <= most and int(row["size_B"]) > 0]
    simulator.simulate_all([run for _, run in chosen], processes)
    found = []
    for row, run in chosen:
        time, tuned = simulator.time(run)
        found.append(Result(row["id"], row["machine"], run.gpus, run.collective, tuned["algorithm"], tuned["protocol"], run.size,
                            float(row["time_us"]), time))
    return found


def deviation(found):
    """Returns the geometric mean of the ratios' deviations, in percent."""
    return 100 * (math.exp(sum(r.error for r in found) / len(found)) - 1)
