"""The page of results."""

HEAD = """# Klenk et al. (ISCA 2020): figures and claims

Made by `scripts/reproduce klenk{option}`; do not edit. {form}
All runs took {minutes} minutes of CPU time, and every element that they reduced was right.
Bandwidth is message size over time, 1 GB = 10^9 B. Sources: sections and figures of the paper, rows K... of the
working table of its values, or arithmetic. Verdicts: *reproduced*; *not reproduced*, with the reason; *reported* where the paper states no number or our
reading of it is one of several.
"""
FORMS = {"full": ("", "The full form: 8 to 64 MiB; 32 MiB on the fat tree without data, as timing alone."),
         "quick": (" --quick", "The quick form: smaller messages and fewer points than the paper's, so that start-up "
                               "and drain weigh more.")}


def cell(text):
    return text.replace("|", "\\|")


def write_page(path, figures, claims, form, figure_folder, cpu_minutes):
    option, about = FORMS[form]
    lines = [HEAD.format(option=option, form=about, minutes=max(1, round(cpu_minutes)))]
    for name, caption, note in figures:
        number = name.removeprefix("figure_")
        lines += [f"## Figure {number}: {caption}", "", f"![Figure {number}]({figure_folder}{name}.svg)", ""]
        lines += [note.strip(), ""] if note else []
    lines += ["## Claims", "", "| claim | source | paper | measured | verdict |", "|---|---|---|---|---|"]
    for claim in claims:
        verdict = claim.verdict + (f": {claim.reason}" if claim.reason else "")
        lines.append("| " + " | ".join(map(cell, (claim.text, claim.source, claim.paper, claim.measured, verdict))) + " |")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
