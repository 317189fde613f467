"""Figures for a paper: every chart of some results as SVG, PDF and PNG, with its data beside it.

results ─▶ `found`: figures as values ─▶ `data`: CSV and an index, and `drawing`: pictures, by matplotlib
"""

from mores.analysis.results import Results
from mores.core.extras import needed
from mores.exports import Export
from mores.exports.figures.data import index, to_csv
from mores.exports.figures.found import MADE_UP, figures_of, made_up_in


def figures(results: Results) -> Export:
    """All figures of some results, and an index of them.

    Raises:
        InputError: matplotlib is not installed; the line says what brings it.
    """
    needed("matplotlib")
    from mores.exports.figures.drawing import images  # noqa: PLC0415 - an extra

    simulated, found, files = who_is_simulated(results), figures_of(results), dict[str, bytes]()
    for figure in found:
        files |= {f"{figure.name}.{ending}": data for ending, data in images(figure, simulated)}
        files[f"{figure.name}.csv"] = to_csv(figure).encode()
    files["figures.md"] = index(found, simulated=simulated).encode()
    return Export(files=files, left_out=("words of models, and figures that stand in tables alone; --to csv has them",))


def who_is_simulated(results: Results) -> str:
    """What figures say of made-up answers; empty where nothing was made up."""
    made_up = made_up_in(results)
    if not made_up:
        return ""
    whose = "all answers" if len(made_up) == len(results.labels) else f"answers of models with {MADE_UP}"
    return f"{MADE_UP} Simulated: {whose} were made up from planted competence; they say nothing about any real model."
