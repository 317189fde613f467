"""One table of a verifier's figures: every rater on every set of pairs, with whose labels they are held against."""

import json
from pathlib import Path
from typing import Any

from benchmarks.verifier.questions import STORIES
from mores.pipelines.verifier.evaluate import FIGURES
from mores.pipelines.verifier.figures import VERIFIER

RATERS = {
    VERIFIER: "the verifier",
    "majority class": "base: the commonest label of the training",
    "embeddings": "embeddings: cosine of answer and norm, logistic",
    "embeddings, no norm": "embeddings: the answer alone, logistic",
    "its base, untuned": "its base before training, with a drawn head",
}
HEAD = "| pairs, and whose labels | rater | accuracy | macro F1 | the verifier's lead | graded |"


def table(folder: Path) -> str:
    """The table in Markdown, from the figures that `mores judge verifier evaluate` left in a verifier's folder."""
    sets = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
    return "\n".join([HEAD, "|---|---|---|---|---|---|", *(line for each in sets for line in _lines(each))])


def _lines(found: dict[str, Any]) -> list[str]:
    return [
        f"| {_set(found) if not number else ''} | {_rater(each['rater'])} | {_cell(each['agreement']['accuracy'])} | "
        f"{_cell(each['agreement']['f1_macro'])} | {_lead(each['lead'])} | {each['graded']} of {each['asked']} |"
        for number, each in enumerate(found["raters"])
    ]


def _set(found: dict[str, Any]) -> str:
    name = found["name"].removesuffix(", labelled by a file")
    whose = "stories and labels of NormAd" if name == STORIES else "simulated respondents, labels of CASA"
    return f"{name}: {whose}; {found['pairs']} pairs of {found['clusters']} norms"


def _rater(name: str) -> str:
    return RATERS.get(name) or (f"judge, simulated: {name}" if name.startswith("simulated/") else f"judge: {name}")


def _lead(lead: dict[str, Any] | None) -> str:
    """The verifier's accuracy less the other's, on the pairs that both graded; empty for the verifier itself."""
    if lead is None:
        return ""
    return f"{lead['difference']:+.2f}{_between(lead, '+.2f')}"


def _cell(figure: dict[str, Any]) -> str:
    return f"{figure['value']:.2f}{_between(figure, '.2f')}"


def _between(figure: dict[str, Any], form: str) -> str:
    low, high = figure["low"], figure["high"]
    return " [too few]" if low is None or high is None else f" [{low:{form}}, {high:{form}}]"
