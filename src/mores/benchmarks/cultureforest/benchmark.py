"""CultureForest: questions that rest on three norms each, in three forms, with the norms told or not; and the norms.

Easy has four options to choose from; medium judges each of four courses of action alone, and a question counts only if
all four are judged rightly in one sample. `informed` asks either with the three norms in the prompt, so that what is
left is their use. `knowledge` asks whether each norm and its negation are true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from msgspec import structs
from msgspec.structs import replace

from mores.analysis.aggregate import Slice, laid_out
from mores.analysis.gaps import GapStatistic, gap_between_places
from mores.benchmarks.benchmark import Benchmark, Setting
from mores.benchmarks.controls import WITHOUT_PLACE
from mores.benchmarks.cultureforest.data import ForestQuestion, KnownNorm, find_files, hash_files, read_forest
from mores.benchmarks.cultureforest.hard import HARD, LEVEL, Informed, hard
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.closed_question import ClosedBenchmark, ClosedItem, QuestionFormat
from mores.benchmarks.shapes.scoring import CLOSED, UnitCodes, VerdictSource, all_right, any_right, right_of
from mores.core.arrays import Codes, Floats
from mores.core.card import Card, Reading
from mores.core.errors import InputError
from mores.core.estimate import Estimate, MetricRows, Missing
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.transcript import ItemMetadata
from mores.core.verdict_table import VerdictColumns
from mores.stats.intervals import mean_interval

TRUE, FALSE = "true", "false"
FORM_ERRORS = "format_share_of_errors"
REFUSED = "refused"
"""Beside errors of form: whether the model declined, and all that it said could be read."""


def _passed(source: VerdictSource) -> MetricRows:
    """Units that any sample got right."""
    return any_right(source, source.units, source.frame, source.frame.points)


def _errors(source: VerdictSource) -> MetricRows:
    """Of each unit in each sample, whether its error is one of form; what is right weighs nothing.

    A unit of several items is an error of form where any of them could not be read, as in the paper.
    """
    frame, units = source.frame, source.units
    right = right_of(units, frame, frame.points)
    readable = np.where(np.isfinite(frame.points), (frame.fault == -1).astype(float), np.nan)
    read = right_of(units, frame, readable).ravel()
    is_right = right.ravel() >= 1
    value = np.where(
        is_right, 0.0, np.where(np.isnan(right.ravel()) | np.isnan(read), np.nan, (read < 1).astype(float))
    )
    well_formed = right_of(units, frame, np.where(frame.fault == source.table.code("format_error"), 0.0, 1.0)).ravel()
    refused = {REFUSED: ((value == 1) & (well_formed >= 1)).astype(float)}
    keys = source.grid(units, right.shape[1])
    return MetricRows.within(0.0, 1.0, keys=keys, value=value, weight=(~is_right).astype(float), extra=refused)


def _of_errors(piece: Slice) -> Estimate:
    """The share of errors that are of form, a refusal among them, averaged over samples."""
    rows = piece.rows
    errors = piece.group.mask(rows.keys) & (np.ones(len(rows)) if rows.weight is None else rows.weight).astype(bool)
    known = errors & np.isfinite(rows.value)
    if not known.any():
        _, graded = piece.counts
        return piece.nothing() if errors.any() or not graded else piece.nothing(Missing(code="no_errors"))
    sample = rows.keys.sample
    interval = mean_interval(
        # Samples are strata of equal weight, as the share is averaged over samples.
        rows.value[known],
        rows.keys.cluster.codes[known],
        strata=sample[known],
        weights="equal",
        seed=piece.seed,
    )
    # Fewer errors of form are better, so that the least is the best.
    best, worst = (_over_samples(bound[errors], sample[errors]) for bound in (rows.least, rows.most))
    return laid_out(piece, (_over_samples(rows.value[known], sample[known]), worst, best), interval)


def _over_samples(values: Floats, sample: Codes) -> float:
    """The mean over samples of each sample's mean; samples without errors have none."""
    count = np.bincount(sample)
    return float(np.mean(np.bincount(sample, values)[count > 0] / count[count > 0]))


def _norms_known(source: VerdictSource, reading: Reading | None = None) -> MetricRows:
    """Norms that are called true and whose negation is called false, each by more than half of its samples."""
    statements = _by_majority(source, reading or source.reading)
    return all_right(source, source.units, statements, statements.points)


def _one_sided(gold: str, source: VerdictSource) -> MetricRows:
    """Statements with one gold label, by whether more than half of the samples judged them rightly."""
    statements = _by_majority(source, source.reading)
    rows = all_right(source, source.items, statements, statements.points)
    kept = np.zeros(len(rows), dtype=np.bool_)
    kept[source.items.of_thing[statements.item[statements.gold == source.table.code(gold)]]] = True
    return rows.take(kept)


def _by_majority(source: VerdictSource, reading: Reading) -> VerdictColumns:
    """A verdict a statement: right where more than half of all samples are, NaN where ungraded ones could decide."""
    frame, items = source.table.frame(reading), source.items
    if not len(frame.item):
        return frame
    right = right_of(items, frame, frame.points)
    samples, surely = right.shape[1], (right == 1).sum(axis=1)
    possibly = surely + np.isnan(right).sum(axis=1)
    points = np.where(2 * surely > samples, 1.0, np.where(2 * possibly > samples, np.nan, 0.0))
    found = frame.take(_first_of(items, frame))
    blank, zero = np.full(len(found.item), -1, dtype=np.int32), np.zeros_like(found.sample)
    return found._replace(sample=zero, points=points, label=blank, fault=blank, cut=zero, empty=zero)


def _first_of(items: UnitCodes, frame: VerdictColumns) -> Codes:
    """The row of the first verdict on each item."""
    first = np.zeros(items.size, dtype=np.int64)
    # Written backwards, so that the first verdict on an item is what stays.
    first[items.of_thing[frame.item][::-1]] = np.arange(len(frame.item))[::-1]
    return first


GAPS: dict[str, GapStatistic] = {"std": "std", "gap": "gap", "gap_null": "null"}
QUESTIONS: dict[str, MetricDefinition[VerdictSource]] = {
    "accuracy_passed": MetricDefinition(_passed, compared=False),
    FORM_ERRORS: MetricDefinition(_errors, _of_errors, is_mean=False),
    **{
        f"region_{name}": structs.replace(CLOSED["accuracy"], aggregate=gap_between_places(of), is_mean=False)
        for name, of in GAPS.items()
    },
}
"""Of questions asked several times, by metric."""
NORMS: dict[str, MetricDefinition[VerdictSource]] = {
    "accuracy": MetricDefinition(_norms_known),
    "accuracy_strict": MetricDefinition(partial(_norms_known, reading="strict")),
    "accuracy_lenient": MetricDefinition(partial(_norms_known, reading="lenient")),
    "affirmed": MetricDefinition(partial(_one_sided, TRUE), compared=False),
    "denied": MetricDefinition(partial(_one_sided, FALSE), compared=False),
}
"""Of norms and their negations, by metric."""


HERE = Path(__file__).parent
LETTERS = {letter: f'{{"Answer": "{letter.upper()}"}}' for letter in "abcd"}
TRUTH = {TRUE: '{"Answer": "True"}', FALSE: '{"Answer": "False"}'}
KEY = (FALSE, FALSE, FALSE, TRUE)
"""Whether each of the four courses of action keeps to all norms: the last alone does."""
SECTIONS = ("mores.benchmarks.cultureforest.analysis:FOREST_ANALYSIS",)
NORM_SLOTS = ("norm_1", "norm_2", "norm_3")


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> Benchmark:
    """One of `easy`, `medium`, `hard`, `knowledge` and `informed`."""
    card = Card.read(HERE / f"{name}.card.toml")
    if name == HARD:
        return replace(hard(card, f"{HARD}.prompt.md", words), sections=SECTIONS)
    if name == "informed":
        return _informed(card, words)
    if name == "knowledge":
        prompt = words(HERE / "knowledge.prompt.md")
        form = QuestionFormat(
            prompt=prompt, slots=("place", "statement"), label_texts=TRUTH, affirmative=TRUE, reply="json"
        )
        return ClosedBenchmark(
            card=card,
            forms=(form,),
            read=lambda setting: _read_norms(setting, form),
            trace=_trace,
            measures=NORMS,
            sections=SECTIONS,
            controls=WITHOUT_PLACE,
        )
    return _benchmark(card, {name: _form(words(HERE / f"{name}.prompt.md"), name, ())}, lambda _: name)


def _informed(card: Card, words: ReadPrompt) -> Informed:
    """All forms with the norms in the prompt; at the hard level shares of norms are the headline, as at the others."""
    levels = {
        level: _form(words(HERE / f"informed_{level}.prompt.md"), level, NORM_SLOTS) for level in ("easy", "medium")
    }
    open_card = Card.read(HERE / f"{HARD}.card.toml")
    # A stable sort: the headline comes first, and the others keep their order.
    metrics = sorted(open_card.metrics, key=lambda metric: metric.name != card.headline)
    own = structs.replace(open_card, name=card.name, headline=card.headline, metrics=tuple(metrics))
    return Informed(
        closed=_benchmark(card, levels, lambda setting: setting.protocol.settings[LEVEL]),
        open=hard(own, f"informed_{HARD}.prompt.md", words),
    )


def _form(prompt: Prompt, level: str, norms: tuple[str, ...]) -> QuestionFormat:
    """Format of a question at one level, with or without its norms."""
    return QuestionFormat(
        prompt=prompt,
        slots=("question", *norms),
        label_texts=LETTERS if level == "easy" else TRUTH,
        affirmative=None if level == "easy" else TRUE,
        rung="judge",
        reply="json",
    )


def _benchmark(card: Card, forms: dict[str, QuestionFormat], level_of: Callable[[Setting], str]) -> ClosedBenchmark:
    """A benchmark of questions at the level that its setting has."""

    def read(setting: Setting) -> Sequence[ClosedItem]:
        level = level_of(setting)
        if level == "easy" and setting.protocol.shuffle:
            raise InputError(
                f"--shuffle: the options of {card.name} stand in the text of each question, shuffled when it was made; "
                "leave it out."
            )
        questions = read_forest(find_files(setting.data, card.name)).questions
        return [item for question in questions for item in _items(question, forms[level], level)]

    def tell(setting: Setting) -> tuple[str, ...]:
        at_easy = len(forms) > 1 and level_of(setting) == "easy"
        return ("Asked at the easy level, where a guess gets a quarter, not the card's sixteenth.",) if at_easy else ()

    return ClosedBenchmark(
        card=card,
        forms=tuple(forms.values()),
        read=read,
        trace=_trace,
        measures=QUESTIONS,
        tell=tell,
        sections=SECTIONS,
        controls=WITHOUT_PLACE,
        ids=lambda item: {"uuid": item.about.unit},
    )


def _items(question: ForestQuestion, form: QuestionFormat, level: str) -> Iterator[ClosedItem]:
    """Items of a question in a closed form, each with its text and right label."""
    asked = {"-easy": (question.choice, question.letter.lower())}
    if level != "easy":
        pairs = zip(question.options, KEY, strict=True)
        asked = {f"-medium-{number}": pair for number, pair in enumerate(pairs, start=1)}
    statements = [norm.statement for norm in question.norms] if set(NORM_SLOTS) <= set(form.slots) else []
    for name, (text, gold) in asked.items():
        yield ClosedItem(
            about=question.about(f"{question.id}{name}"),
            form=form,
            words=(text, *statements),
            gold=gold,
            knowledge=question.bundle,
            norms=() if statements else tuple(norm.id for norm in question.norms),
            line=question.line,
            place_name=question.country,
        )


def _read_norms(setting: Setting, form: QuestionFormat) -> Sequence[ClosedItem]:
    forest = read_forest(find_files(setting.data, "cultureforest/knowledge"))
    return [item for norm in forest.norms.values() for item in _statements(norm, form)]


def _statements(norm: KnownNorm, form: QuestionFormat) -> Iterator[ClosedItem]:
    """A norm and what contradicts it."""
    groups: dict[str, str] = {"domain": norm.domain, "strictness": norm.strictness}
    for gold, statement in ((TRUE, norm.statement), (FALSE, norm.negation)):
        yield ClosedItem(
            about=ItemMetadata(
                item=f"{norm.id}-{gold}", unit=norm.id, cluster=norm.id, place=norm.place, groups=groups
            ),
            form=form,
            words=(norm.country, statement),
            gold=gold,
            knowledge=norm.id,
            place_name=norm.country,
        )


def _trace(setting: Setting) -> dict[str, str]:
    return hash_files(find_files(setting.data, "cultureforest"))
