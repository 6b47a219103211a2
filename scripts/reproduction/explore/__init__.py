"""Two design spaces, searched by `tributary explore`: docs/results/explore.md."""

import shutil
from pathlib import Path

from ..tools import say
from . import figures, page
from .spaces import Spaces

NAME = "explore"
ROOT = Path(__file__).resolve().parents[3]


def reproduce_spaces(simulator, arguments):
    """Runs all explorations, and writes the page and its figures."""
    spaces = Spaces(simulator)
    folder = simulator.folder / "figures"
    shutil.rmtree(folder, ignore_errors=True)
    figures.draw(spaces, folder)
    for figure in sorted(folder.glob("*.json")):
        simulator.plot(figure)
    (simulator.folder / f"{NAME}.md").write_text(page.text(spaces, "figures/"), encoding="utf-8")
    say(f"page in {simulator.folder}")
    if arguments.docs:
        target = ROOT / "docs" / "results"
        shutil.rmtree(target / NAME, ignore_errors=True)
        shutil.copytree(folder, target / NAME)
        (target / f"{NAME}.md").write_text(page.text(spaces, "explore/"), encoding="utf-8")
        say(f"the page of {NAME} in docs/results is up to date")
