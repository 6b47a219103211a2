"""The page of results of a paper."""

from collections import namedtuple

Paper = namedtuple("Paper", "name head forms draw judge beside", defaults=[lambda simulator, form: {}])
Paper.__doc__ = """A paper: its head of the page (with {option}, {form} and {minutes}), form -> (option, what it is),
draw(results, folder) -> (name, caption, note) of each figure, judge(results, simulator) -> claims,
beside(simulator, form) -> what else draw and judge find in the results: no sweeps."""


def cell(text):
    return text.replace("|", "\\|")


OF_ALL_PAPERS = ("training", "scale")


def write_page(path, paper, figures, claims, form, figure_folder, cpu_minutes, pages=""):
    """`pages`: the folder in which this page finds those of other parts."""
    option, about = paper.forms[form]
    lines = [paper.head.format(option=option, form=about, minutes=max(1, round(cpu_minutes)))]
    for name, caption, note in figures:
        number = name.removeprefix("figure_")
        lines += [f"## Figure {number}: {caption}", "", f"![Figure {number}]({figure_folder}{name}.svg)", ""]
        lines += [note.strip(), ""] if note else []
    lines += ["## Claims", "", "| claim | source | paper | measured | verdict |", "|---|---|---|---|---|"]
    for claim in claims:
        verdict = claim.verdict + (f": {claim.reason}" if claim.reason else "")
        lines.append("| " + " | ".join(map(cell, (claim.text, claim.source, claim.paper, claim.measured, verdict))) + " |")
    if paper.name not in OF_ALL_PAPERS:
        lines += ["", "## Training", "", f"Iterations of this paper's networks: [{OF_ALL_PAPERS[0]}]({pages}{OF_ALL_PAPERS[0]}.md), by `scripts/reproduce {OF_ALL_PAPERS[0]}`."]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
