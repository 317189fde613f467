"""A verifier's agreement with people by left-out model, in blocks."""

from collections.abc import Iterator

from mores.blocks import Block, Cell, Row, Span, Table, Text
from mores.blocks import formatting as words
from mores.calibration.beside import Beside
from mores.calibration.folds import Fold, Folds
from mores.reports.sections.agreement import scale_of, told

FIGURES = {"raw agreement (accuracy)": "Accuracy", "macro F1": "Macro F1", "Cohen's kappa": "Kappa"}
OWN = (
    "Each model’s answers were judged by a verifier of its own: this is a cross-validation if that verifier was "
    "trained without them, which cannot be seen here."
)
ALIKE = (
    "One verifier judged all models. Put right: its probabilities, by people’s labels of all other models’ answers "
    "(one exponent, one weight a label); the left-out model’s labels have no part in it. Questions are the same ones, "
    "so that this tells of new models, not of new questions."
)
NO_CHANCES = "The judge gave no probabilities, so that nothing could be put right by the other models."


def folds_blocks(found: Folds) -> Iterator[Block]:
    """A row a left-out model and one for all, with intervals over clusters."""
    right = any(fold.put_right is not None for fold in found.folds)
    yield Text(words=(ALIKE if right else NO_CHANCES) if found.alike else OWN, role="note")
    heads = [f"{name}{after}" for after in ("", *((", put right",) if right else ())) for name in FIGURES.values()]
    columns = ("Left out", "Judged by", "n (clusters)", *heads, *(("Learnt from",) if right else ()))
    rows = (Row(cells=tuple(_cells(fold, right=right)), whole=fold is found.whole)
            for fold in (*found.folds, found.whole))  # fmt: skip
    yield Table.of(f"{found.benchmark} {found.task}: folds by left-out model", columns, rows)
    if found.left_out:
        yield Text(words=f"Without labels that compare: {', '.join(found.left_out)}.", role="note")


def _cells(fold: Fold, *, right: bool) -> Iterator[Cell]:
    judged = fold.as_judged
    yield Span(fold.model, "model")
    yield ", ".join(dict.fromkeys(fold.judges.values())) or words.DASH
    yield f"{judged.n:,} ({judged.clusters:,})"
    yield from _figures(judged)
    if right:
        yield from _figures(fold.put_right)
        yield f"{fold.learnt_from:,}" if fold.put_right and fold.learnt_from else words.DASH


def _figures(beside: Beside | None) -> Iterator[Cell]:
    for name in FIGURES:
        yield words.DASH if beside is None else told(beside.figures[name], scale_of(name))
