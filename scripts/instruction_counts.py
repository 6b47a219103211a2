#!/usr/bin/env python3
"""Counts the instructions of a packet-hop with valgrind, and compares them with those of a table (testbench/test/instructions/runs.json).

usage: instruction_counts.py BINARY TABLE [--write] [--compiler NAME]

Each run of the table is executed with two messages. Instructions of a packet-hop are the difference of both counts over the difference
of the packet-hops, so that the start of the program does not count. Runs have one thread. The result hardly depends on the load of the machine. A run that
needs more than 1.03 of the table's instructions fails (exit code 1). --write replaces the table's numbers. Counts depend on the
compiler: without --write, a table of another compiler is not compared.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

LIMIT = 1.03
COUNTER = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]


class Failure(Exception):
    """A command could not run; the text names it."""


def counted(binary, arguments):
    """Returns the instructions and the packet-hops of one run."""
    command = [*COUNTER, str(binary), "run", *arguments.split(), "--threads", "1", "--json", "-", "--quiet"]
    environment = dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    count = re.search(r"I +refs: +([\d,]+)", done.stderr)
    if done.returncode != 0 or not count:
        raise Failure(f"'{' '.join(command)}' ended with exit code {done.returncode}\n{done.stderr.strip()[-2000:]}")
    return int(count.group(1).replace(",", "")), json.loads(done.stdout)["kernel"]["packet_hops"]


def per_hop(binary, entry):
    """Returns the instructions of a packet-hop of one entry of the table."""
    (few, few_hops), (many, many_hops) = (counted(binary, f"{entry['run']} --size {size}") for size in entry["sizes"])
    if many_hops <= few_hops:
        raise Failure(f"{entry['run']}: {entry['sizes'][1]} needs no more packet-hops than {entry['sizes'][0]}")
    return (many - few) / (many_hops - few_hops)


def judged(entry, now):
    """Returns the line of an entry, and whether it is within the limit."""
    known = entry.get("instructions")
    if not known:
        return f"{entry['run']:<62}{now:>9.1f}  fail: the table has no number; --write adds it", False
    ratio = now / known
    beyond = "" if ratio <= LIMIT else f"  fail: {100 * (ratio - 1):+.1f} % (limit {100 * (LIMIT - 1):+.0f} %)"
    return f"{entry['run']:<62}{now:>9.1f}{known:>9.1f}{ratio:>7.3f}{beyond}", not beyond


def text_of(table):
    """Returns the table as JSON, one entry a line."""
    entries = ",\n".join("   " + json.dumps(entry) for entry in table["runs"])
    return f'{{"compiler": {json.dumps(table["compiler"])},\n "runs": [\n{entries}]}}\n'


def compare(binary, path, write=False, compiler=""):
    """Prints one line for each run and returns the exit code."""
    if not shutil.which("valgrind"):
        print("instructions: skipped: valgrind is not installed")
        return 0
    table = json.loads(Path(path).read_text())
    if not write and compiler != table["compiler"]:
        print(f"instructions: skipped: the table is of {table['compiler']}, and the compiler is {compiler or 'not known'}")
        return 0
    print(f"{'run':<62}{'now':>9}{'table':>9}{'ratio':>7}")
    good = True
    for entry in table["runs"]:
        now = per_hop(binary, entry)
        line, within = judged(entry, now)
        print(line, flush=True)
        good = good and within
        if write:  # each number at once, so that an interrupted count keeps those before it
            entry["instructions"] = round(now, 1)
            Path(path).write_text(text_of({**table, "compiler": compiler}))
    if write:
        return 0
    print(f"{'pass' if good else 'fail'}: at most {LIMIT} of the table's instructions of a packet-hop")
    return 0 if good else 1


def compiler_of(folder):
    """Returns name and version of the compiler of a build directory, as `GNU 14.2.0`."""
    for path in sorted(Path(folder).glob("CMakeFiles/*/CMakeCXXCompiler.cmake")):
        found = [re.search(rf'CMAKE_CXX_COMPILER_{key} "([^"]+)"', path.read_text()) for key in ("ID", "VERSION")]
        if all(found):
            return " ".join(match.group(1) for match in found)
    return ""


def self_test():
    entry = {"run": "--platform x", "sizes": ["1KiB", "2KiB"], "instructions": 1000.0}
    assert judged(entry, 1029.9)[1] and not judged(entry, 1031.0)[1]
    assert "+3.1 % (limit +3 %)" in judged(entry, 1031.0)[0]
    assert not judged({"run": "--platform x", "sizes": []}, 5)[1]
    table = {"compiler": "GNU 1", "runs": [entry, entry]}
    assert json.loads(text_of(table)) == table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--write", action="store_true", help="replace the numbers of the table")
    parser.add_argument("--compiler", default="", help="name and version of the compiler of the binary")
    arguments = parser.parse_args()
    try:
        sys.exit(compare(arguments.binary, arguments.table, arguments.write, arguments.compiler))
    except Failure as failure:
        sys.exit(f"instructions: {failure}")


if __name__ == "__main__":
    main()
