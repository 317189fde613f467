"""Labels with their reasons as blocks: what rubrics say, right for the wrong reason, thin against thick."""

from collections.abc import Iterator, Sequence

from mores.analysis.results import Results
from mores.benchmarks.shapes.reasons.forms import form_blocks, form_findings, forms_of
from mores.benchmarks.shapes.reasons.measures import SIMILARITY
from mores.benchmarks.shapes.reasons.models import FOR_RANKS, WEAK, Correlation, Together, together
from mores.benchmarks.shapes.reasons.thin_and_thick import (
    QUARTERS,
    Explained,
    Quarter,
    explained_of,
    pairs_of,
)
from mores.blocks import (
    Axis,
    Block,
    Cell,
    Chart,
    Column,
    Finding,
    Inline,
    Listing,
    Point,
    Section,
    Series,
    Span,
    Stack,
    Table,
    Text,
    Value,
    Words,
)
from mores.blocks import formatting as words
from mores.core.estimate import Estimate, caution_of, cautioned

NAMES = {
    "right_good": "right label, good reasons",
    "right_bad": "right label, bad reasons",
    "wrong_good": "wrong label, good reasons",
    "wrong_bad": "wrong label, bad reasons",
}
COLOURS = dict(zip(QUARTERS, ("good", "poor", "other", "rest"), strict=True))
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


def reasons_section(results: Results) -> Section | None:
    """What evaluations show of reasons; None where they are all of labels alone."""
    explained = explained_of(results)
    if not explained:
        return None
    pairs = pairs_of(results, explained)
    forms, correlated = forms_of(pairs), together(explained, pairs)
    simulated = any(each.evaluation.simulated for each in explained)
    return Section(
        id="thick",
        title="Reasons: thin and thick answers",
        findings=(
            *form_findings(forms),
            *(_finding(each) for each in explained if each.right and each.wrong_reason is not None),
        ),
        blocks=(
            _lead(simulated=simulated),
            *_rubrics(explained),
            *_quarters(explained),
            *_similarities(explained),
            *form_blocks(forms),
            *(_together(correlated) if correlated else ()),
        ),
        data={
            "simulated": simulated,
            "cells": [each.to_dict() for each in explained],
            **forms.to_dict(),
            "together": correlated.to_dict() if correlated else None,
        },
    )


def _lead(*, simulated: bool) -> Text:
    made_up = " Answers marked simulated do not come from a real model." if simulated else ""
    lead = "A thin answer is a label alone; a thick answer also has reasons, which a judge grades by a rubric. "
    judged = ("These figures are only as good as the judge: ", Span("who judged", "link", target="#judging"))
    return Text(words=(lead, *judged, f".{made_up}"), role="explanation")


def _who(each: Explained) -> tuple[Inline, ...]:
    return words.subject(each.subject, simulated=each.evaluation.simulated)


def _rubrics(explained: Sequence[Explained]) -> Iterator[Block]:
    yield Text(words="What the rubrics say of each model", role="heading")
    yield Text(words=POINTS, role="explanation")
    subjects = list(dict.fromkeys(each.subject for each in explained))
    rows = []
    for each in sorted(explained, key=lambda each: subjects.index(each.subject)):
        whiskers, where = Chart.interval(each.points, Axis()), Span(each.evaluation.benchmark, "code")
        rows.append((_who(each), each.rubric, where, each.points, whiskers, each.label))
    heads = ("Model", "Rubric", "Graded on", "Points", Chart.scale("0", "50", "100%"), "Right labels")
    yield Table.of("Rubrics of each model", heads, rows)


def _quarters(explained: Sequence[Explained]) -> Iterator[Block]:
    yield Text(words="Right for the wrong reason", role="heading")
    yield Text(words=GOOD, role="explanation")
    heads = ((Chart.key(COLOURS[q]), f" {NAMES[q]}") for q in QUARTERS)
    rows = []
    for each in explained:
        who = Stack((_who(each), Span(each.evaluation.benchmark, "code")))
        points = tuple(
            Point(y=_share(q, each.graded), label=COLOURS[q.name], name=NAMES[q.name]) for q in each.quarters
        )
        bar = Chart(kind="stack", series=(Series(points=points),))
        rows.append((who, bar, *(_quarter(quarter, each.graded) for quarter in each.quarters)))
    yield Table.of("Labels and reasons", ("Model", "", *heads), rows)
    yield Listing(tuple(_sentence(each) for each in explained))


def _similarities(explained: Sequence[Explained]) -> Iterator[Block]:
    """How near answers come to their references, of runs that name an encoder."""
    rows = []
    for each in explained:
        found, run = each.evaluation.whole(SIMILARITY), each.evaluation.provenance
        name = run.protocol.settings.get("encoder", "")
        if name and found is not None:
            sha = next((sha for file, sha in run.data.items() if file == f"encoder {name}"), "")
            rows.append((_who(each), Span(each.evaluation.benchmark, "code"), found, name, sha))
    if rows:
        yield Text(words="Similarity to the reference", role="heading")
        yield Text(words=COSINE, role="explanation")
        metric = next(each.evaluation.metric(SIMILARITY) for each in explained)
        cosine = Column(title="Mean cosine", metric=metric)
        columns = ("Model", "Graded on", cosine, "Encoder", "Hash of its files")
        yield Table.of("Similarity of answers to their reference", columns, rows)


def _share(quarter: Quarter, graded: int) -> Estimate:
    share = Estimate(metric=quarter.name, value=quarter.share, asked=graded, graded=graded)
    return cautioned(share, caution_of(quarter.figure))


def _quarter(quarter: Quarter, graded: int) -> Cell:
    counted = Span(f"{quarter.count:,} of {graded:,}", "soft")
    if quarter.figure is not None:
        return Stack(((Value(value=quarter.figure, format="share"),), counted))
    missing: tuple[Inline, ...] = () if quarter.share is None else (" ", Span("no interval", "interval"))
    return Stack(((Value(value=quarter.share), *missing), counted))


def _sentence(each: Explained) -> Words:
    counts = {"whose reasons have no grade": each.counts.ungraded, "whose label has none": each.unlabelled}
    left = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    on = (" on ", Span(each.evaluation.benchmark, "code"), ": ")
    return (*_who(each), *on, describe_reasons(each), *((Span(f" Left out: {left}.", "soft"),) if left else ()))


def _finding(each: Explained) -> Finding:
    """How often a right label comes with bad reasons."""
    told = f" gives bad reasons for {each.counts.right_bad:,} of {each.right:,} right labels."
    who = (Span(each.subject, "model"), " on ", Span(each.evaluation.benchmark, "code"))
    return Finding(words=(*who, told), sure=f"Share: {words.text_of(each.wrong_reason, 'share')}.")


def describe_reasons(each: Explained) -> str:
    """How often a right label comes with bad reasons."""
    if not each.right:
        return "no right label has graded reasons, so the number with bad reasons is unknown."
    bad, figure = each.counts.right_bad, each.wrong_reason
    if figure is None:
        share = f"{words.format_number(bad / each.right)} (no interval: the run has no such figure)"
    else:
        share = words.text_of(figure, "share")
    return f"{bad:,} of {each.right:,} right labels have bad reasons: {share}."


def _together(found: Together) -> Iterator[Block]:
    yield Text(words="Correlation of rubrics", role="heading")
    if found.most < FOR_RANKS:
        have = "model of these runs has" if found.most == 1 else "models of these runs have"
        yield Text(
            words=f"Not to be told: {found.most} of the {FOR_RANKS} models that ranks need: {found.most} {have} two "
            f"things to rank them by, and ranks say nothing under {FOR_RANKS}."
        )
        return
    weak = f" With {found.most} models this is weak evidence: a few more models could reverse it."
    yield Text(
        words="Spearman’s correlation over models of the mean points of two rubrics, and of each with the accuracy of "
        f"thin labels on its own set.{weak if found.most < WEAK else ''} No intervals: these models are not a sample "
        "of all models."
    )
    heads = ((f"{ranked.name} ", Span(ranked.set, "code")) for ranked in found.rubrics)
    made_up = words.made_up(simulated=found.simulated)
    rows = []
    for number, ranked in enumerate(found.rubrics):
        cells = (Span("itself", "missing") if n == number else _rho(c) for n, c in enumerate(found.rows[number]))
        head = Stack(((ranked.name, *made_up), Span(ranked.set, "code")))
        rows.append((head, *cells, _rho(found.thin[number])))
    yield Table.of("Correlation of rubrics over models", ("Rubric", *heads, "thin accuracy, same set"), rows)


def _rho(found: Correlation | None) -> Cell:
    if found is None:
        return Span("not in these runs", "missing")
    return (Value(value=found.rho, format="correlation"), " ", Span(f"n {found.models}", "soft"))
