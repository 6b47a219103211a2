"""What the paper claims, and what came out."""

from ..tools import Failure
from . import claims_flow, claims_size
from .claim import Claim


def judge(results):
    wrong = [row for runs in results.values() for row in runs.rows if row.get("wrong", "0") not in ("0", "")]
    if wrong:
        raise Failure(f"{len(wrong)} runs have wrong elements: point {wrong[0]['point']} is the first")
    table = []
    for claim in claims_size.ALL + claims_flow.ALL:
        made = claim(results)
        table += [made] if isinstance(made, Claim) else list(made)
    return table
