"""Steps of each paper: its sweeps, figures, claims and page."""

import shutil
from pathlib import Path

from .page import OF_ALL_PAPERS, write_page
from .tools import Failure, say

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def sweeps(paper, form):
    """Returns the scenarios of a form, and those of both forms."""
    return sorted((HERE / paper).glob(f"{form}/*.yaml")) + sorted((HERE / paper).glob("both/*.yaml"))


def reproduce(paper, simulator, arguments):
    form = "quick" if arguments.quick else "full"
    results = {scenario.stem: simulator.sweep(scenario) for scenario in sweeps(paper.name, form)}
    refuse_wrong_elements(results)
    folder, whole = simulator.folder / "figures", results | paper.further(simulator, form)
    shutil.rmtree(folder, ignore_errors=True)
    drawn = paper.draw(whole, folder)
    for figure in sorted(folder.glob("*.json")):
        simulator.plot(figure)
    table = paper.judge(whole, simulator)
    cpu_minutes = sum(part.cpu_seconds() for part in whole.values() if hasattr(part, "cpu_seconds")) / 60
    page = simulator.folder / f"{paper.name}.md"
    write_page(page, paper, drawn, table, form, f"{folder.name}/", cpu_minutes, f"{ROOT}/docs/results/")
    say(f"{len(drawn)} figures in {folder}, {len(table)} claims in {page}")
    say(f"the sweeps took {simulator.seconds:.0f} s; all their runs, {cpu_minutes:.0f} minutes of CPU time")
    if arguments.docs:
        target = ROOT / "docs" / "results"
        shutil.rmtree(target / paper.name, ignore_errors=True)
        if drawn:
            (target / paper.name).mkdir(parents=True)
        for file in sorted(folder.glob("*")):
            shutil.copyfile(file, target / paper.name / file.name)
        write_page(target / f"{paper.name}.md", paper, drawn, table, form, f"{paper.name}/", cpu_minutes)
        say(f"docs/results/{paper.name}.md is up to date ({form})")
    for claim in table:
        say(f"  {claim.verdict:<15} {claim.text}: {claim.measured}")
    if paper.name not in OF_ALL_PAPERS:
        say("its training iterations: scripts/reproduce training (docs/results/training.md)")


def refuse_wrong_elements(results):
    wrong = [row for runs in results.values() for row in runs.rows if row.get("wrong", "0") not in ("0", "")]
    if wrong:
        raise Failure(f"{len(wrong)} runs have wrong elements: point {wrong[0]['point']} is the first")
