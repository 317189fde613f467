"""CultureForest's figures by the size of models as blocks."""

from collections.abc import Iterator

from mores.analysis.contrast import LEVEL
from mores.benchmarks.cultureforest.regimes.asked import KNOWLEDGE
from mores.benchmarks.cultureforest.regimes.scaling import BySize, Figure, Scaling, Sized, Value
from mores.benchmarks.shapes.regions.analysis import POINTS
from mores.blocks import Apart, Block, Cell, Column, Finding, Heads, Table, Text
from mores.blocks import Value as Shown
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing, plain_fields, plain_key
from mores.core.estimate import caution_of

ABOUT = (
    "Models from the smallest to the largest, by all their parameters. Slopes are least squares over models on the "
    "logarithm of size, with models of one family drawn together; they describe these models and are no causes. What "
    "thinking does to one model stands under Thinking, where a model ran with more and with less of it."
)
_NAMES = {
    "score": "{mode}: score",
    "gap": "{mode}: gap between places",
    "possessed": "norms possessed",
    "used": "{mode}: all norms possessed − fewer",
    "told": "{mode}: norms in the prompt − without",
}


def figure_name(figure: Figure) -> str:
    """What a figure is, with its level."""
    return _NAMES[figure.name].format(mode=figure.mode)


def scaling_blocks(found: Scaling | None, section: str) -> Iterator[Block]:
    """A row a model, and the slope of each figure; nothing without models of known size."""
    if found is None:
        return
    yield Text(words="By the size of models", role="heading", id=f"{section}-size")
    yield Text(words=ABOUT, role="explanation")
    size = Column(title="Parameters, 10⁹", sort="ascending")
    columns: Heads = ("Model", size, "Thinking", *(figure_name(figure).capitalize() for figure in found.figures))
    yield Table.of("Figures of models by their size", columns, (_cells(model, found.figures) for model in found.models))
    family = found.slopes[0].family if found.slopes else 0
    tests = (Column(title=title, format="p") for title in ("p", f"p (Holm, {family})"))
    heads: Heads = ("Figure", "For a doubling of parameters", *tests, "Models (families)", "")
    yield Table.of("Slopes against size", heads, map(_slope, found.slopes))
    if found.unknown:
        told = "Of unknown size: " + ", ".join(found.unknown) + "; --fact MODEL:parameters=BILLIONS says it."
        yield Text(words=told, role="note")


def _cells(model: Sized, figures: tuple[Figure, ...]) -> Iterator[Cell]:
    yield words.subject(model.name, simulated=model.simulated)
    yield f"{model.parameters:g}"
    yield model.thinking
    yield from (_shown(model.figures.get(figure), figure) for figure in figures)


def _shown(value: Value | None, figure: Figure) -> Cell:
    return None if value is None else Shown(value=value, format="share" if isinstance(value, float) else None,
                                            metric=POINTS if figure.points else None)  # fmt: skip


def _slope(each: BySize) -> tuple[Cell, ...]:
    found, change = each.found, _change(each)
    claim = "" if each.p_holm is None else "found" if each.p_holm < LEVEL else "not found"
    return (
        figure_name(each.figure), Shown(value=change, metric=POINTS if each.figure.points else None), found.p,
        each.p_holm, f"{found.models} ({found.families})", format_missing(found.missing) or claim,
    )  # fmt: skip


def _change(each: BySize) -> Apart:
    found = each.found
    return Apart(
        difference=found.value, low=found.low, high=found.high, missing=found.missing, caution=each.caution
    )  # fmt: skip


def scaling_findings(found: Scaling | None) -> Iterator[Finding]:
    """Which figures go with size, those of this family alone: scores and gaps are told of every benchmark."""
    for each in found.slopes if found else ():
        value, p = each.found.value, each.p_holm
        if each.figure.name in {"score", "gap"} or value is None or p is None or p >= LEVEL:
            continue
        change, metric = _change(each), POINTS if each.figure.points else None
        yield Finding(
            words=f"In larger models “{figure_name(each.figure)}” is {'larger' if value > 0 else 'smaller'}.",
            sure=f"{words.format_difference(change, metric)} points a doubling, {words.format_p(p)}, "
            f"{words.plural(each.found.models, 'model')}.",
        )


def scaling_to_dict(found: Scaling | None) -> dict[str, object] | None:
    """All figures."""
    if found is None:
        return None
    return {
        "models": [
            {
                **{name: getattr(each, name) for name in ("name", "simulated", "parameters", "thinking", "family")},
                "figures": [{**_plain(figure), "value": _told(value)} for figure, value in each.figures.items()],
            }
            for each in found.models
        ],
        "slopes": [
            {
                **_plain(each.figure),
                "p_holm": each.p_holm,
                "family": each.family,
                **plain_fields(each, "caution"),
                **{plain_key(name, value): value for name, value in each.found._asdict().items()},
            }
            for each in found.slopes
        ],
        "unknown": found.unknown,
    }


def _plain(figure: Figure) -> dict[str, object]:
    return {"figure": figure.name, "level": None if figure.mode == KNOWLEDGE else figure.mode, "points": figure.points}


def _told(value: Value) -> object:
    if isinstance(value, float):
        return value
    names = ("value", "low", "high") if hasattr(value, "value") else ("difference", "low", "high")
    told = dict(zip(("value", "low", "high"), (getattr(value, name) for name in names), strict=True))
    caution = caution_of(value)
    return told if caution is None else {**told, "caution": caution}
