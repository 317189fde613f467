"""Labels with their reasons: what rubrics say, right for the wrong reason, thin against thick, rubrics correlated."""

from collections.abc import Iterator, Sequence

from mores.analysis.results import Results
from mores.benchmarks.shapes.reasons.across_models import (
    FOR_RANKS,
    FORM_TABLES,
    MODEL,
    SET,
    SIMULATED,
    WEAK,
    RubricCorrelations,
    together,
)
from mores.benchmarks.shapes.reasons.metrics import SIMILARITY
from mores.benchmarks.shapes.reasons.thin_and_thick import QUARTERS, AnswerQuadrant, Explained, explained_of, pairs_of
from mores.benchmarks.shapes.reasons.thin_vs_thick import forms_found
from mores.core.estimate import Estimate, caution_of, cautioned
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import (
    Block,
    BulletList,
    Cell,
    CellValue,
    Chart,
    ChartPoint,
    Finding,
    Inline,
    Paragraph,
    Series,
    Span,
    Stack,
    Words,
)

# The tables, as programs know them.

WHOSE = (
    MODEL,
    SIMULATED,
    Column(key="run", title="Run", kind="text", says="folder of the run"),
    Column(key="label", title="Label", kind="text", says="the subject as its run calls it"),
    Column(key="benchmark", title="Graded on", kind="benchmark", says="what was run"),
)
THICK = Table(
    id="thick",
    title="Rubrics of each model",
    columns=(
        *WHOSE,
        SET,
        Column(key="rubric", title="Rubric", kind="text", says="what the reasons are graded by"),
        Column(key="points", title="Points", kind="estimate", main=True, says="mean points of the reasons"),
        Column(key="right", title="Right labels", kind="estimate", says="share of right labels, whatever the reasons"),
        Column(key="wrong_reason", title="Bad reasons", kind="estimate", says="of right labels, the share of these"),
        Column(key="right_labels", title="Right labels", kind="count", says="whose reasons are graded"),
        Column(key="reasons_ungraded", title="Reasons without a grade", kind="count", says="of graded labels"),
        Column(key="labels_ungraded", title="Labels without a grade", kind="count", says="of all answers"),
        Column(key="labels_judged", title="Labels by a judge", kind="flag", says="true where a judge chose labels"),
    ),
)
LABELS_AND_REASONS = Table(
    id="thick_quarters",
    title="Labels and reasons",
    columns=(
        *WHOSE,
        Column(key="quarter", title="Label and reasons", kind="text", says="right or wrong, with good or bad reasons"),
        Column(key="answers", title="Answers", kind="ratio", says="with a grade for both"),
        Column(key="counted", title="Share", kind="share", says="of these"),
        Column(key="share", title="Share", kind="estimate", main=True, says="the run's own figure of it"),
    ),
)
SIMILAR = Table(
    id="thick_similarity",
    title="Similarity of answers to their reference",
    columns=(
        *WHOSE,
        Column(key="metric", title="Metric", kind="metric", says="cosine"),
        Column(key="cosine", title="Mean cosine", kind="estimate", main=True, says="of answers and references"),
        Column(key="encoder", title="Encoder", kind="text", says="what makes vectors of words"),
        Column(key="encoder_hash", title="Hash of its files", kind="text", says="SHA-256"),
    ),
)
CORRELATIONS = Table(
    id="thick_correlations",
    title="Correlation of rubrics over models",
    columns=(
        Column(key="rubric", title="Rubric", kind="text", says="models are ranked by its mean points"),
        SET,
        SIMULATED,
        Column(key="other", title="Other", kind="text", says="another rubric, or `thin accuracy`"),
        Column(key="other_set", title="Other set", kind="text", says="its set"),
        Column(key="rho", title="Spearman’s ρ", kind="number", says=f"nothing under {FOR_RANKS} models"),
        Column(key="models", title="Models", kind="count", says="that both have"),
    ),
)

# The same for people.

NAMES = {
    "right_good": "right label, good reasons",
    "right_bad": "right label, bad reasons",
    "wrong_good": "wrong label, good reasons",
    "wrong_bad": "wrong label, bad reasons",
}
COLOURS = dict(zip(QUARTERS, ("good", "poor", "other", "rest"), strict=True))
THIN = "thin accuracy"
POINTS = (
    "Mean points of the reasons, in per cent of the maximum, each rubric on the set that it is graded on. Dot "
    "and whiskers: the mean and its 95% interval, from 0 to 100%."
)
GOOD = (
    "Reasons are good if they get at least half the points. Counts include answers whose label and reasons are both "
    "graded; shares with their intervals are the run’s own figures."
)
COSINE = (
    "The mean cosine of each whole answer and what it is held against, as a model of embeddings has them; no judge is "
    "asked. Figures of one encoder compare. Words in common count: an answer that denies the norm comes near it too."
)


def analyse(results: Results) -> AnalysisResult | None:
    """Results on reasons; None where evaluations are all of labels alone."""
    explained = explained_of(results)
    if not explained:
        return None
    pairs = pairs_of(results, explained)
    forms, correlated = forms_found(pairs), together(explained, pairs)
    rubrics = FilledTable(table=THICK, rows=tuple(map(_rubric_row, explained)))
    quarters = FilledTable(table=LABELS_AND_REASONS, rows=tuple(row for e in explained for row in _quarter_rows(e)))
    similar = FilledTable(table=SIMILAR, rows=tuple(row for each in explained for row in _similar_rows(each)))
    correlations = FilledTable(table=CORRELATIONS, rows=tuple(_correlation_rows(correlated)))
    return AnalysisResult(
        tables=(rubrics, quarters, similar, *forms.tables, correlations),
        blocks=(
            _lead(simulated=any(each.evaluation.simulated for each in explained)),
            *_rubrics(rubrics),
            *_quarters(quarters, explained),
            *_similarities(similar),
            *(forms.blocks or ()),
            *(_together(correlations, correlated) if correlated else ()),
        ),
        findings=(
            *forms.findings,
            *(_finding(each) for each in explained if each.right and each.wrong_reason is not None),
        ),
    )


def _whose(each: Explained) -> Row:
    of = each.evaluation
    return each.subject, of.simulated, str(of.run), of.label, of.benchmark


def _rubric_row(each: Explained) -> Row:
    figures = each.points, each.label, each.wrong_reason
    counts = each.right, each.counts.ungraded, each.unlabelled
    return *_whose(each), each.set, each.rubric, *figures, *counts, each.judged_labels


def _quarter_rows(each: Explained) -> Iterator[Row]:
    for quarter in each.quarters:
        yield *_whose(each), quarter.name, (quarter.count, each.graded), quarter.share, quarter.figure


def _similar_rows(each: Explained) -> Iterator[Row]:
    """Similarity of answers to their references, of a run that names an encoder."""
    found, run = each.evaluation.overall(SIMILARITY), each.evaluation.provenance
    name = run.protocol.settings.get("encoder", "")
    if name and found is not None:
        sha = next((sha for file, sha in run.data.items() if file == f"encoder {name}"), None)
        yield *_whose(each), each.evaluation.metric(SIMILARITY), found, name, sha


def _correlation_rows(found: RubricCorrelations | None) -> Iterator[Row]:
    """Each rubric against each that comes after it, and against thin accuracy on its own set."""
    if found is None:
        return
    for number, ranked in enumerate(found.rubrics):
        whose, thin = (ranked.name, ranked.set, found.simulated), found.thin[number]
        for other in range(number + 1, len(found.rubrics)):
            each, against = found.rows[number][other], found.rubrics[other]
            yield *whose, against.name, against.set, each.rho, each.models
        if thin is not None:
            yield *whose, THIN, ranked.set, thin.rho, thin.models


def _lead(*, simulated: bool) -> Paragraph:
    made_up = " Answers marked simulated do not come from a real model." if simulated else ""
    lead = "A thin answer is a label alone; a thick answer also has reasons, which a judge grades by a rubric. "
    judged = ("These figures are only as good as the judge: ", Span("who judged", "link", target="#judging"))
    return Paragraph(words=(lead, *judged, f".{made_up}"), role="explanation")


def _rubrics(filled: FilledTable) -> Iterator[Block]:
    yield Paragraph(words="What the rubrics say of each model", role="heading")
    yield Paragraph(words=POINTS, role="explanation")
    subjects = list(dict.fromkeys(row[0] for row in filled.rows))
    rows = tuple(sorted(filled.rows, key=lambda row: subjects.index(row[0])))
    shown = (
        Show(key="model"),
        Show(key="rubric"),
        Show(key="benchmark"),
        Show(key="points", picture=True),
        Show(key="right"),
    )
    yield from blocks_of(filled, View(title=THICK.title, rows=rows, shown=shown))


def _quarters(filled: FilledTable, explained: Sequence[Explained]) -> Iterator[Block]:
    yield Paragraph(words="Right for the wrong reason", role="heading")
    yield Paragraph(words=GOOD, role="explanation")
    bars = {_whose(each): _bar(each) for each in explained}
    view = View(
        title=LABELS_AND_REASONS.title,
        rows=filled.rows,
        shown=(
            Show(
                key="model",
                write=lambda row: Stack((_who(row), Span(row[4], "code"))),
                picture=lambda row: bars[row[: len(WHOSE)]],
            ),
        ),
        across="quarter",
        cell=Show(key="share", write=_quarter),
        heads={name: (Chart.key(COLOURS[name]), f" {NAMES[name]}") for name in QUARTERS},
    )
    yield from blocks_of(filled, view)
    yield BulletList(tuple(_sentence(each) for each in explained))


def _bar(each: Explained) -> Chart:
    points = (
        ChartPoint(y=_share(q, each.graded), label=COLOURS[q.name], name=NAMES[q.name]) for q in each.quarters
    )  # fmt: skip
    return Chart(kind="stack", series=(Series(points=tuple(points)),))


def _share(quarter: AnswerQuadrant, graded: int) -> Estimate:
    share = Estimate(metric=quarter.name, value=quarter.share, asked=graded, graded=graded)
    return cautioned(share, caution_of(quarter.figure))


def _quarter(row: Row) -> Cell:
    (count, graded), share, figure = row[-3:]
    counted = Span(f"{count:,} of {graded:,}", "soft")
    if figure is not None:
        return Stack(((CellValue(value=figure, format="share"),), counted))
    missing: tuple[Inline, ...] = () if share is None else (" ", Span("no interval", "interval"))
    return Stack(((CellValue(value=share), *missing), counted))


def _who(row: Row) -> tuple[Inline, ...]:
    return words.subject(row[0], simulated=row[1])


def _similarities(filled: FilledTable) -> Iterator[Block]:
    if filled.rows:
        yield Paragraph(words="Similarity to the reference", role="heading")
        yield Paragraph(words=COSINE, role="explanation")
        shown = tuple(map(_show, ("model", "benchmark", "cosine", "encoder", "encoder_hash")))
        yield from blocks_of(filled, View(title=SIMILAR.title, rows=filled.rows, shown=shown))


def _show(key: str) -> Show:
    return Show(key=key)


def _sentence(each: Explained) -> Words:
    counts = {"whose reasons have no grade": each.counts.ungraded, "whose label has none": each.unlabelled}
    left = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    on = (" on ", Span(each.evaluation.benchmark, "code"), ": ")
    end = (Span(f" Left out: {left}.", "soft"),) if left else ()
    return (*_who(_whose(each)), *on, *describe_reasons(each), *end)


def describe_reasons(each: Explained) -> tuple[Inline, ...]:
    """Share of right labels with bad reasons."""
    if not each.right:
        return ("no right label has graded reasons, so the number with bad reasons is unknown.",)
    bad, figure = each.counts.right_bad, each.wrong_reason
    statement = f"{bad:,} of {each.right:,} right labels have bad reasons: "
    if figure is None:
        return statement, CellValue(value=bad / each.right), " (no interval: the run has no such figure)."
    return statement, CellValue(value=figure, format="share"), "."


def _finding(each: Explained) -> Finding:
    """Finding on right labels with bad reasons, and their share."""
    bad, on = each.counts.right_bad, (" for right labels on ", Span(each.evaluation.benchmark, "code"), ".")
    reasons = " bad reasons" if bad else " no bad reasons"
    share = CellValue(value=each.wrong_reason, format="share")
    return Finding(
        words=(Span(each.subject, "model"), " ", Span("gives", several="give"), reasons, *on),
        id="thick.bad_reasons",
        sure=(f"{bad:,} of {each.right:,}: ", share, "."),
        found=bad > 0,
    )


def _together(filled: FilledTable, found: RubricCorrelations) -> Iterator[Block]:
    yield Paragraph(words="Correlation of rubrics", role="heading")
    if found.most < FOR_RANKS:
        have = "model of these runs has" if found.most == 1 else "models of these runs have"
        yield Paragraph(
            words=f"Not to be told: {found.most} of the {FOR_RANKS} models that ranks need: {found.most} {have} two "
            f"things to rank them by, and ranks say nothing under {FOR_RANKS}."
        )
        return
    weak = f" With {found.most} models this is weak evidence: a few more models could reverse it."
    yield Paragraph(
        words="Spearman’s correlation over models of the mean points of two rubrics, and of each with the accuracy of "
        f"thin labels on its own set.{weak if found.most < WEAK else ''} No intervals: these models are not a sample "
        "of all models."
    )
    shown = (
        Show(key="rubric", write=_rubric),
        Show(key="other", title="Against", write=lambda row: Stack((row[3], Span(row[4], "code")))),
        Show(key="rho", format="correlation"),
        Show(key="models", title="n"),
    )
    yield from blocks_of(filled, View(title=CORRELATIONS.title, rows=filled.rows, shown=shown))


def _rubric(row: Row) -> Stack:
    return Stack(((row[0], *words.made_up(simulated=row[2])), Span(row[1], "code")))


REASONS_ANALYSIS = Analysis(
    id="thick",
    title="Reasons: thin and thick answers",
    tables=(THICK, LABELS_AND_REASONS, SIMILAR, *FORM_TABLES, CORRELATIONS),
    analyse=analyse,
)
