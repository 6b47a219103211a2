"""Runs of the executable whose JSON the claims read."""

import json
import subprocess

from ..tools import Failure


class Runs:
    """Documents by name, with the processor time of all."""

    def __init__(self, simulator):
        self.simulator, self.documents, self.rows, self.seconds = simulator, {}, [], 0.0

    def __getitem__(self, name):
        return self.documents[name]

    def cpu_seconds(self):
        return self.seconds

    def run(self, name, *arguments):
        words = [str(self.simulator.binary), *arguments, "--quiet", "--json", "-"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"'{' '.join(words)}': {done.stderr.strip()}")
        self.documents[name] = json.loads(done.stdout)
        self.seconds += self.documents[name]["kernel"]["cpu_s"]
        return self.documents[name]


def settings(**values):
    """`a__b=1` as --set a.b=1."""
    return [word for name, value in values.items() for word in ("--set", f"{name.replace('__', '.')}={value}")]
