"""Runs sweeps and reads their results."""

import argparse
import contextlib
import csv
import hashlib
import json
import shutil
import signal
import subprocess
import time


class Failure(Exception):
    """A step failed; the text names it."""


def count(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a count (legal: 1 and up)")
    return int(text)


def start(words, **options):
    """Starts a command. Signals that arrive meanwhile are held: an interrupt would leave the command running, without a handle to end it."""
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        return subprocess.Popen(words, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, held), **options), held
    except BaseException:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        raise


def run(command, **options):
    """Runs a command that prints to the user. Raises Failure if it fails; an interrupt ends the command, too."""
    try:
        process, held = start(list(map(str, command)), **options)
    except OSError as error:
        raise Failure(f"cannot run '{command[0]}': {error.strerror}") from error
    with process:
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            code = process.wait()
        except BaseException:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.25)  # an interrupt of the terminal ends the command by itself
            process.kill()
            raise
    if code != 0:
        raise Failure(f"'{' '.join(map(str, command))}' ended with exit code {code}")


class Simulator:
    """The executable, and the folder of its sweep results. Results of another build are deleted."""

    def __init__(self, binary, folder, jobs):
        self.binary, self.folder, self.jobs = binary, folder, jobs
        self.seconds = 0.0
        folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(binary.read_bytes()).hexdigest()
        mark = folder / "simulator.sha256"
        if not mark.exists() or mark.read_text() != digest:
            if (folder / "sweeps").exists():
                shutil.rmtree(folder / "sweeps")
            mark.write_text(digest)

    def sweep(self, scenario):
        """Runs a sweep, or its remaining points."""
        print(f"{scenario.stem}: ", end="", flush=True)
        out = self.folder / "sweeps" / scenario.stem
        start = time.monotonic()
        run([self.binary, "sweep", scenario, "--out", out, "--jobs", self.jobs])
        self.seconds += time.monotonic() - start
        return Results(out)

    def plot(self, figure):
        """Draws a figure file as an SVG of the same name."""
        run([self.binary, "plot", figure, "-o", figure.with_suffix(".svg")], stdout=subprocess.DEVNULL)

    def schedule(self, topology, algorithm="multitree"):
        """Returns the output of `tributary schedule` with operations and tables."""
        path = self.folder / "schedule.json"
        run([self.binary, "schedule", "--topology", topology, "--algorithm", algorithm, "--json", path],
            stdout=subprocess.DEVNULL)
        document = json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
        return document


class Row(dict):
    """A line of results.csv; number() gives 0 for an empty field."""

    def number(self, column):
        if column not in self:
            raise Failure(f"results have no column {column}")
        return float(self[column] or 0)


class Results:
    def __init__(self, folder):
        self.folder = folder
        with open(folder / "results.csv", encoding="utf-8", newline="") as file:
            self.rows = [Row(row) for row in csv.DictReader(file)]

    def select(self, **wanted):
        """Returns the rows in which each column has this text, or one of these. `__` means a dot in the name of a column."""
        wanted = {name.replace("__", "."): value for name, value in wanted.items()}
        unknown = [name for name in wanted if self.rows and name not in self.rows[0]]
        if unknown:
            raise Failure(f"{self.folder / 'results.csv'} has no column {unknown[0]}")
        return [row for row in self.rows
                if all(row[name] in (value if isinstance(value, (list, tuple)) else [str(value)])
                       for name, value in wanted.items())]

    def one(self, **wanted):
        rows = self.select(**wanted)
        if len(rows) != 1:
            raise Failure(f"{self.folder.name}: {len(rows)} rows instead of one: {wanted}")
        return rows[0]

    def document(self, point):
        return json.loads((self.folder / "points" / (point + ".json")).read_text(encoding="utf-8"))

    def links(self, row):
        """Directed links of the run of a row: (name, bytes, utilisation)."""
        for result in self.document(row["point"])["results"]:
            if str(result["size_bytes"]) == row["size_bytes"]:
                return [(link["name"], link["bytes"], link["utilisation"]) for link in result["links"]]
        return []

    def cost(self, row):
        return self.document(row["point"])["cost"]

    def cpu_seconds(self):
        """Total of all points, including stored ones."""
        return sum(self.document(point)["kernel"]["cpu_s"] for point in {row["point"] for row in self.rows})


def parse_size(text):
    """`8KiB` as a number of bytes."""
    units = {"B": 1, "kB": 10**3, "MB": 10**6, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    digits = text.rstrip("BkKMGi")
    return int(digits) * units[text[len(digits):]]


def show_size(size):
    """8388608 as `8 MiB`."""
    size = int(float(size))
    for unit, name in ((2**20, "MiB"), (2**10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def say(text):
    print(text, flush=True)


