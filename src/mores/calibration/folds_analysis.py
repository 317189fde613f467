"""Folds by left-out model, as an analysis: agreement on answers that a verifier has not learnt from."""

from collections.abc import Iterator, Sequence

from mores.calibration.agreement_tables import CONFUSED, FIGURE, SIMULATED, TASK, Keyed, confusion_of, figures_of
from mores.calibration.folds import Fold, Folds
from mores.tables import Analysis, AnalysisResult, FilledTable, Show, Table, View, blocks_of, columns_of, gathered
from mores.tables.blocks import Block, Paragraph

HEADS = {"raw agreement (accuracy)": "Accuracy", "macro F1": "Macro F1", "Cohen's kappa": "Kappa"}
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
_FOLD = (
    *TASK,
    *SIMULATED,
    *columns_of("flag", alike="true where one verifier judged all models"),
    *columns_of("text", left_out="the model, or all of them, each left out in turn"),
    *columns_of("names", judges="specifications of its judges"),
    *columns_of("flag", put_right="true of probabilities put right by labels of the other models"),
    *columns_of("count", learnt_from="labelled things of the other models for that"),
)
FOLDS = Table(
    id="folds",
    title="Folds by left-out model",
    columns=(
        *_FOLD,
        *columns_of("text", word="of one word alone; missing for all words"),
        *FIGURE,
        *columns_of("count", clusters="independent clusters of the units"),
    ),
)
CONFUSION = Table(
    id="folds_confusion", title="Words of people and of the judge, by left-out model", columns=(*_FOLD, *CONFUSED)
)
LEFT = Table(
    id="folds_left",
    title="Models without labels that compare",
    columns=(*TASK, *SIMULATED, *columns_of("text", model="the model")),
)
TABLES = (FOLDS, CONFUSION, LEFT)


def analyse(found: Sequence[Folds]) -> AnalysisResult:
    """All tasks: a row a left-out model and one for all, with intervals over clusters."""
    every, blocks = list[FilledTable](), list[Block]()
    for each in found:
        figures, *others = filled_of(each)
        every += [figures, *others]
        blocks += [Paragraph(words=f"{each.benchmark} {each.task}", role="heading"), *folds_blocks(each, figures)]
    return AnalysisResult(tables=gathered(TABLES, every), blocks=tuple(blocks))


def filled_of(found: Folds) -> Iterator[FilledTable]:
    """The tables of one task."""
    task = {"benchmark": found.benchmark, "task": found.task, "simulated": found.simulated}
    judged = [(_fold(fold, put_right=False), fold.as_judged) for fold in (*found.folds, found.whole)]
    right = [(_fold(fold, put_right=True), fold.put_right) for fold in (*found.folds, found.whole) if fold.put_right]
    every = [({**task, "alike": found.alike, **who}, beside) for who, beside in (*judged, *right)]
    figures = (FOLDS.row(**who, **row) for who, beside in every for row in figures_of(beside))
    confusion = (CONFUSION.row(**who, **row) for who, beside in every for row in confusion_of(beside))
    yield FilledTable(table=FOLDS, rows=tuple(figures))
    yield FilledTable(table=CONFUSION, rows=tuple(confusion))
    yield FilledTable(table=LEFT, rows=tuple(LEFT.row(**task, model=model) for model in found.left_out))


def _fold(fold: Fold, *, put_right: bool) -> Keyed:
    learnt = (fold.learnt_from or None) if put_right else None
    judges = tuple(dict.fromkeys(fold.judges.values()))
    return {"left_out": fold.model, "judges": judges, "put_right": put_right, "learnt_from": learnt}


def folds_blocks(found: Folds, filled: FilledTable) -> Iterator[Block]:
    """One task: as it was judged, and put right by the other models."""
    right = any(fold.put_right is not None for fold in found.folds)
    yield Paragraph(words=(ALIKE if right else NO_CHANCES) if found.alike else OWN, role="note")
    title = f"{found.benchmark} {found.task}: folds by left-out model"
    yield from blocks_of(filled, _view(title, filled, put_right=False))
    yield from blocks_of(filled, _view(f"{title}, put right", filled, put_right=True))
    if found.left_out:
        yield Paragraph(words=f"Without labels that compare: {', '.join(found.left_out)}.", role="note")


def _view(title: str, filled: FilledTable, *, put_right: bool) -> View:
    measure = FOLDS.at("measure")
    own = filled.where(put_right=put_right, word=None)
    learnt = (Show(key="learnt_from", title="Learnt from"),) if put_right else ()
    who = Show(key="left_out", title="Left out"), Show(key="judges", title="Judged by")
    return View(
        title=title,
        rows=tuple(row for row in own if row[measure].name in HEADS),
        shown=(*who, "graded", "clusters", *learnt),
        across="measure",
        cell=Show(key="value", format="share"),
        heads={name: f"{head}, put right" if put_right else head for name, head in HEADS.items()},
    )


FOLDS_ANALYSIS = Analysis(id="folds", title="Folds by left-out model", tables=TABLES, analyse=analyse)
