"""Klenk et al., "An In-Network Architecture for Accelerating Shared-Memory Multiprocessor Collectives", ISCA 2020."""

import shutil
from pathlib import Path

from ..tools import say
from . import claims, figures
from .page import write_page

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def reproduce(simulator, arguments):
    form = "quick" if arguments.quick else "full"
    results = {scenario.stem: simulator.sweep(scenario) for scenario in sorted((HERE / form).glob("*.yaml"))}
    folder = simulator.folder / "figures"
    drawn = figures.draw(results, folder)
    table = claims.judge(results)
    cpu_minutes = sum(runs.cpu_seconds() for runs in results.values()) / 60
    page = simulator.folder / "klenk.md"
    write_page(page, drawn, table, form, f"{folder.name}/", cpu_minutes)
    say(f"{len(drawn)} figures in {folder}, {len(table)} claims in {page}")
    say(f"the sweeps took {simulator.seconds:.0f} s; all their runs, {cpu_minutes:.0f} minutes of CPU time")
    if arguments.docs:
        target = ROOT / "docs" / "results"
        (target / "klenk").mkdir(parents=True, exist_ok=True)
        for file in sorted(folder.iterdir()):
            shutil.copyfile(file, target / "klenk" / file.name)
        write_page(target / "klenk.md", drawn, table, form, "klenk/", cpu_minutes)
        say(f"docs/results/klenk.md is up to date ({form})")
    for claim in table:
        say(f"  {claim.verdict:<15} {claim.text}: {claim.measured}")
