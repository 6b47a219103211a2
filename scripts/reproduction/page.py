"""The page of results of a paper."""

import re
import textwrap
from collections import namedtuple

WIDTH = 150  # characters in a line of a note
LONGEST = 200  # characters in a row; details of longer ones become notes

Paper = namedtuple("Paper", "name head forms draw judge further", defaults=[lambda simulator, form: {}])
Paper.__doc__ = """A paper: the head of its page (with {option}, {form} and {minutes}), form -> (option, description),
draw(results, folder) -> (name, caption, note) of each figure, judge(results, simulator) -> claims,
further(simulator, form) -> results of draw and judge that do not come from sweeps."""


def cell(text):
    return text.replace("|", "\\|")


OF_ALL_PAPERS = ("training", "scale", "cluster")


def row_of(*cells):
    return "| " + " | ".join(map(cell, cells)) + " |"


def shorter(measured):
    """Yields ever shorter forms of a measured value: (text of the cell, details for a note)."""
    yield measured, ""
    first = re.match(r"(.*?); (.*)", measured)
    if first:
        yield first[1], first[2]
    first = re.match(r"([^:;]*): (.*)", measured)
    if first and ": " not in first[2]:
        yield first[1], first[2]
    yield "", measured


def claim_lines(claims):
    """The table of claims; each reason is a note below it, and so are the details of long measured values. Equal notes are shared."""
    lines = ["## Claims", "", "| claim | source | paper | measured | verdict |", "|---|---|---|---|---|"]
    notes = []

    def number_of(note):
        if note not in notes:
            notes.append(note)
        return f" ({notes.index(note) + 1})"

    for claim in claims:
        verdict = claim.verdict + (number_of(claim.reason) if claim.reason else "")
        for shown, details in shorter(claim.measured):
            row = row_of(*claim[:3], (shown or "see") + (" (00)" if details else ""), verdict)
            if len(row) <= LONGEST:
                break
        if details:
            row = row_of(*claim[:3], (shown or "see") + number_of(f"measured: {details}"), verdict)
        lines.append(row)
    if notes:
        lines += ["", "Numbers in parentheses at the end of a cell refer to these notes:", ""]
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
