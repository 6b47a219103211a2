"""The page of results of a paper."""

import textwrap
from collections import namedtuple

WIDTH = 150  # of the notes

Paper = namedtuple("Paper", "name head forms draw judge beside", defaults=[lambda simulator, form: {}])
Paper.__doc__ = """A paper: the head of its page (with {option}, {form} and {minutes}), form -> (option, description),
draw(results, folder) -> (name, caption, note) of each figure, judge(results, simulator) -> claims,
beside(simulator, form) -> results of draw and judge that do not come from sweeps."""


def cell(text):
    return text.replace("|", "\\|")


OF_ALL_PAPERS = ("training", "scale")


def claim_lines(claims):
    """The table of claims; each reason is a note below it, and rows with one reason share a note."""
    lines = ["## Claims", "", "| claim | source | paper | measured | verdict |", "|---|---|---|---|---|"]
    notes = []
    for claim in claims:
        if claim.reason and claim.reason not in notes:
            notes.append(claim.reason)
        verdict = claim.verdict + (f" ({notes.index(claim.reason) + 1})" if claim.reason else "")
        lines.append("| " + " | ".join(map(cell, (claim.text, claim.source, claim.paper, claim.measured, verdict))) + " |")
    if notes:
        lines += ["", "Numbers after a verdict refer to these notes:", ""]
    for number, note in enumerate(notes, 1):
        lines += textwrap.wrap(note, WIDTH, initial_indent=f"{number}. ", subsequent_indent="   ", break_long_words=False, break_on_hyphens=False)
    return lines


def write_page(path, paper, figures, claims, form, figure_folder, cpu_minutes, pages=""):
    """Writes the page; `pages` is the folder in which it finds the pages of other parts."""
    option, about = paper.forms[form]
    lines = [paper.head.format(option=option, form=about, minutes=max(1, round(cpu_minutes)))]
    for name, caption, note in figures:
        number = name.removeprefix("figure_")
        lines += [f"## Figure {number}: {caption}", "", f"![Figure {number}]({figure_folder}{name}.svg)", ""]
        lines += [note.strip(), ""] if note else []
    lines += claim_lines(claims)
    if paper.name not in OF_ALL_PAPERS:
        lines += ["", "## Training", "", f"`scripts/reproduce {OF_ALL_PAPERS[0]}` runs iterations of this paper's networks: [{OF_ALL_PAPERS[0]}]({pages}{OF_ALL_PAPERS[0]}.md)."]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
