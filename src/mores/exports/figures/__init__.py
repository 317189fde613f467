"""Figures for a paper: every chart of some results as SVG, PDF and PNG, with its data beside it.

results ─▶ `found`: figures as values ─▶ `data`: CSV and an index, and `pictures` on a `sheet`: SVG ─▶ `typeset`
"""

from collections.abc import Callable, Iterator

from mores.analysis.results import Results
from mores.core.errors import InputError
from mores.core.extras import needed
from mores.core.terminal_safety import one_line
from mores.exports import ExportedFiles
from mores.exports.figures.data import format_n, index, to_csv
from mores.exports.figures.found import MADE_UP, Figure, figures_of, made_up_in
from mores.exports.figures.pictures import picture_of
from mores.exports.figures.sheet import printed

OMITTED = "words of models, and figures that stand in tables alone; --to csv has them"


def figures(results: Results) -> ExportedFiles:
    """All figures of some results, and an index of them; without Typst as SVG alone."""
    simulated, found, files = who_is_simulated(results), figures_of(results), dict[str, bytes]()
    typeset, lacking = _typesetter()
    for figure in found:
        svg = drawn(figure, simulated)
        files |= {f"{figure.name}.svg": svg.encode()}
        files |= {f"{figure.name}.{ending}": data for ending, data in typeset(figure.title, svg)}
        files[f"{figure.name}.csv"] = to_csv(figure).encode()
    files["figures.md"] = index(found, simulated=simulated, printed=not lacking).encode()
    return ExportedFiles(files=files, left_out=(OMITTED, *lacking))


def _typesetter() -> tuple[Callable[[str, str], Iterator[tuple[str, bytes]]], tuple[str, ...]]:
    """Function that makes PDF and PNG; without the extra none, and a line that says so."""
    try:
        needed("typst")
    except InputError as error:
        return lambda _title, _svg: iter(()), (f"PDF and PNG: {str(error).rstrip('.')}",)
    from mores.exports.figures.typeset import typesetter  # noqa: PLC0415 - an extra

    return typesetter(), ()


def drawn(figure: Figure, simulated: str) -> str:
    """The figure as SVG, with what it shows, its n, and what of it is simulated or cannot be used below."""
    n = "" if figure.graded is None else f" n {format_n(figure)}."
    about = f"{figure.title}: {figure.context}" if figure.context else figure.title
    said = [one_line(each) for each in (f"{about}.{n}", figure.caution, simulated)]
    return printed(picture_of(figure), figure.kind, said)


def who_is_simulated(results: Results) -> str:
    """Words of figures on simulated answers; empty where there are none."""
    made_up = made_up_in(results)
    if not made_up:
        return ""
    whose = "all answers" if len(made_up) == len(results.labels) else f"answers of models with {MADE_UP}"
    return f"{MADE_UP} Simulated: {whose} were made up from planted competence; they say nothing about any real model."
