"""Figures of closed questions, against a slow second reckoning in plain Python and scikit-learn."""

import random
from collections.abc import Sequence
from typing import NamedTuple, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from sklearn.metrics import f1_score

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import summarise
from mores.benchmarks.shapes.closed_question import ClosedBenchmark
from mores.core.card import Reading
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Fault, Graded, Ungraded, Verdict
from mores.core.verdict_table import VerdictTable
from mores.stats.intervals import mean_interval
from mores.tables.missing_texts import format_missing
from tests.benchmarks import slow
from tests.benchmarks.plays import figure, setting_of

PLACES = ("NL", "DE", "FR", "JP", "KR", "NG", "GB-SCT", None)
FAULTS: tuple[Fault | None, ...] = (None, "format_error", "refusal")
NAMES = ("culturalbench/hard", "culturalbench/easy", "cure/normad_thin", "ladder/know")


class Case(NamedTuple):
    """A benchmark, its reading, and verdicts that it might have given."""

    name: str
    reading: Reading
    verdicts: tuple[Verdict, ...]

    def figures(self, verdicts: Sequence[Verdict] | None = None) -> tuple[Estimate, ...]:
        benchmark = catalogue.load(self.name)
        setting = setting_of(benchmark, None, reading=self.reading)
        return summarise(benchmark, VerdictTable(self.verdicts if verdicts is None else verdicts), setting)

    @property
    def own(self) -> list[Verdict]:
        """Those of the run's own reading."""
        return [verdict for verdict in self.verdicts if verdict.task == self.reading]


def labels_of(name: str) -> tuple[str, ...]:
    """All labels of a benchmark, in the order of its forms."""
    forms = cast(ClosedBenchmark, catalogue.load(name)).forms
    return tuple(dict.fromkeys(label for form in forms for label in form.labels))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    name = draw(st.sampled_from(NAMES))
    rng = random.Random(draw(st.integers(0, 2**32)))
    items = 4 if name in {"culturalbench/hard", "ladder/know"} else 1
    labels = labels_of(name)
    samples, skill, broken = draw(st.integers(1, 3)), draw(st.sampled_from([0.3, 0.9, 1.0])), draw(
        st.sampled_from([0.0, 0.05, 0.5, 1.0]))  # fmt: skip
    verdicts: list[Verdict] = []
    for place in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=5, unique=True)):
        for unit in range(draw(st.integers(1, 6))):
            groups = {"mode": rng.choice(["single", "multi"]), "domain": rng.choice("ab"), "strictness": "no"}
            for item in range(items):
                about = ItemMetadata(
                    item=f"{place}-{unit}-{item}", unit=f"{place}-{unit}", cluster=f"{place}-{unit // 2}",
                              place=place, groups=groups)  # fmt: skip
                gold = rng.choice(labels)
                for sample in range(samples):
                    verdicts += outcome(rng, about, sample, gold, labels, skill, broken)
    return Case(name, draw(st.sampled_from(["strict", "lenient"])), tuple(verdicts))


def outcome(
    rng: random.Random, about: ItemMetadata, sample: int, gold: str, labels: Sequence[str], skill: float, broken: float
) -> list[Verdict]:
    """One answer, read both ways: what is strict is lenient too."""
    if rng.random() < broken / 2:
        return [Ungraded(about=about, sample=sample, task=task, cause="time-out", gold=gold)
                for task in ("strict", "lenient")]  # fmt: skip
    said = gold if rng.random() < skill else rng.choice(labels)
    wordy = rng.random() < 0.2
    fault: Fault | None = rng.choice(FAULTS) if rng.random() < 0.3 else None
    lenient = None if fault else said
    strict = None if fault or wordy else said
    return [
        Graded(about=about, sample=sample, task=task, points=float(label == gold), label=label, gold=gold,
               fault=None if label else fault or "format_error")
        for task, label in (("strict", strict), ("lenient", lenient))
    ]  # fmt: skip


def reckon(case: Case, estimate: Estimate, verdicts: Sequence[Verdict]) -> slow.Slow:
    metric, group = estimate.metric, estimate.group
    own = [v for v in verdicts if v.task == case.reading]
    paper = case.name.startswith("culturalbench") and "accuracy" in metric
    match metric:
        case "f1_macro":
            return slow.f1_macro(own, labels_of(case.name), group)
        case "f1_micro":
            return slow.share(own, "item", lambda v: v.points, group, paper=False, pooled=True)
        case "format_error" | "refusal":
            return slow.share(own, "item", lambda v: float(v.fault == metric), group, paper=False)
        case "item_accuracy":
            return slow.share(own, "item", lambda v: v.points, group, paper=paper)
        case _:
            task = metric.removeprefix("accuracy").removeprefix("_") or case.reading
            of_task = [v for v in verdicts if v.task == task]
            return slow.share(of_task, "unit", lambda v: v.points, group, paper=paper)


@settings(max_examples=25, deadline=None)
@given(cases())
def test_every_figure_is_what_its_definition_says(case: Case) -> None:
    for estimate in case.figures():
        value, asked, graded = reckon(case, estimate, case.verdicts)
        assert estimate.value == pytest.approx(value, abs=1e-9), (estimate.metric, estimate.group)
        assert (estimate.asked, estimate.graded) == (asked, graded)
        assert value is not None or format_missing(estimate.missing) == "nothing graded"


@settings(max_examples=25, deadline=None)
@given(cases())
def test_worst_and_best_are_the_figures_with_every_ungraded_answer_wrong_or_right(case: Case) -> None:
    right = slow.filled(case.verdicts, right=True, fault=None)
    for estimate in case.figures():
        if estimate.value is None:
            continue
        fault: Fault = "refusal" if estimate.metric == "refusal" else "format_error"
        faulty = slow.filled(case.verdicts, right=False, fault=fault)
        worst, best = (reckon(case, estimate, filled).value for filled in (faulty, right))
        assert estimate.worst == pytest.approx(worst, abs=1e-9), (estimate.metric, estimate.group)
        assert estimate.best == pytest.approx(best, abs=1e-9), (estimate.metric, estimate.group)


@settings(max_examples=20, deadline=None)
@given(cases())
def test_a_value_lies_between_its_worst_and_its_best(case: Case) -> None:
    lower = {metric.name for metric in catalogue.card(case.name).metrics if metric.better == "lower"}
    for estimate in case.figures():
        if estimate.value is None or estimate.worst is None or estimate.best is None:
            continue
        ends = (estimate.worst, estimate.value, estimate.best)
        low, value, high = reversed(ends) if estimate.metric in lower else ends
        assert low - 1e-9 <= value <= high + 1e-9, (estimate.metric, estimate.group)
        if estimate.graded == estimate.asked and not any(isinstance(v, Ungraded) for v in case.verdicts):
            assert low == value == high


@settings(max_examples=20, deadline=None)
@given(cases())
def test_an_interval_holds_its_value_or_says_why_there_is_none(case: Case) -> None:
    for estimate in case.figures():
        if estimate.low is None or estimate.high is None or estimate.value is None:
            assert estimate.missing
        else:
            rounding = 1e-4 if "region" in estimate.group else 1e-9
            assert 0 <= estimate.low <= estimate.value + rounding
            assert estimate.value - rounding <= estimate.high <= 1


@settings(max_examples=20, deadline=None)
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_verdicts_does_not_matter(case: Case, rng: random.Random) -> None:
    shuffled = list(case.verdicts)
    rng.shuffle(shuffled)
    again = {(e.metric, *e.group.items()): e for e in case.figures(shuffled)}
    for estimate in case.figures():
        other = again.pop((estimate.metric, *estimate.group.items()))
        numbers = ("value", "worst", "best", "asked", "graded", "low", "high")
        assert [getattr(other, n) for n in numbers] == pytest.approx([getattr(estimate, n) for n in numbers], abs=2e-9)
    assert not again


def statement(unit: str, number: int, place: str = "NL", sample: int = 0, **fields: object) -> Graded:
    about = ItemMetadata(item=f"{unit}-{number}", unit=unit, cluster=unit, place=place)
    plain = Graded(about=about, sample=sample, task="strict", points=1.0, label="true", gold="true")
    return replace(plain, **fields)


def ungraded(unit: str, number: int, place: str = "NL", sample: int = 0) -> Ungraded:
    about = ItemMetadata(item=f"{unit}-{number}", unit=unit, cluster=unit, place=place)
    return Ungraded(about=about, sample=sample, task="strict", cause="time-out", gold="true")


WRONG: dict[str, object] = {"points": 0.0, "label": "false"}


def hard(verdicts: Sequence[Verdict], metric: str = "accuracy", **group: str) -> Estimate:
    benchmark = catalogue.load("culturalbench/hard")
    return figure(summarise(benchmark, VerdictTable(verdicts), setting_of(benchmark, None)), metric, **group)


def question(unit: str, marks: str, place: str = "NL", sample: int = 0) -> list[Verdict]:
    """Four statements: + right, - wrong, ? ungraded."""
    return [
        ungraded(unit, n, place, sample)
        if mark == "?"
        else statement(unit, n, place, sample, **({} if mark == "+" else WRONG))
        for n, mark in enumerate(marks)
    ]


@pytest.mark.parametrize(
    ("marks", "value", "graded"),
    [("++++", 1, 1), ("+++-", 0, 1), ("++-?", 0, 1), ("-???", 0, 1), ("+++?", None, 0), ("????", None, 0)],
)
def test_a_partly_ungraded_question_is_wrong_if_any_statement_is_else_ungraded(
    marks: str, value: float | None, graded: int
) -> None:
    found = hard(question("q", marks))
    assert (found.value, found.asked, found.graded) == (value, 1, graded)


def test_bounds_by_hand() -> None:
    # Four questions: right, wrong, unknown, wrong in spite of an ungraded statement. Known: 1 of 3.
    four = {"a": "++++", "b": "+-++", "c": "+?++", "d": "?-++"}
    verdicts = [verdict for unit, marks in four.items() for verdict in question(unit, marks)]
    found = hard(verdicts)
    assert (found.asked, found.graded) == (4, 3)
    assert found.value == pytest.approx(1 / 3)
    assert (found.worst, found.best) == (0.25, 0.5)
    # Items: 16 asked, 14 graded, 12 of them right.
    items = hard(verdicts, "item_accuracy")
    assert (items.asked, items.graded) == (16, 14)
    assert (items.worst, items.best) == (12 / 16, 14 / 16)
    assert items.value == pytest.approx(12 / 14)


def test_samples_of_a_question_are_averaged_first_and_never_count_as_questions() -> None:
    verdicts = [v for sample, marks in enumerate(("++++", "++++", "+++-")) for v in question("a", marks, sample=sample)]
    verdicts += [v for sample in range(3) for v in question("b", "----", sample=sample)]
    found = hard(verdicts)
    assert (found.asked, found.graded) == (2, 2)
    assert found.value == pytest.approx((2 / 3 + 0) / 2)


def test_a_sample_that_was_not_graded_widens_the_bounds_of_a_question_that_was() -> None:
    # One question, three samples: right, wrong, unknown. Value 1/2; at worst 1/3, at best 2/3.
    verdicts = [v for sample, marks in enumerate(("++++", "+-++", "++?+")) for v in question("a", marks, sample=sample)]
    found = hard(verdicts)
    assert (found.asked, found.graded, found.value) == (1, 1, 0.5)
    assert [found.worst, found.best] == pytest.approx([1 / 3, 2 / 3])


def test_a_region_is_the_unweighted_mean_of_its_countries_rounded_as_in_the_paper() -> None:
    # West Europe: NL 1 of 3, DE 2 of 3 of another size, FR 1 of 1; 33.33, 66.67 and 100 give 66.67 (66.666…).
    right = {"NL": "+--", "DE": "++-", "FR": "+"}
    verdicts = [
        v for place, marks in right.items() for n, mark in enumerate(marks)
        for v in question(f"{place}{n}", mark * 4, place)
    ]  # fmt: skip
    region = hard(verdicts, region="West Europe")
    assert region.value == round((33.33 + 66.67 + 100) / 3 / 100, 10)
    assert region.worst == region.value == region.best
    pooled = hard(verdicts)
    assert pooled.value == pytest.approx(4 / 7)


def test_a_part_of_a_country_counts_towards_its_countrys_continent() -> None:
    benchmark = catalogue.load("cure/normad_thin")
    about = ItemMetadata(item="i", unit="i", cluster="i", place="GB-SCT")
    verdict = Graded(about=about, sample=0, task="strict", points=1.0, label="yes", gold="yes")
    figures = summarise(benchmark, VerdictTable([verdict]), setting_of(benchmark, None))
    assert figure(figures, "accuracy", continent="Europe").value == 1.0


def test_micro_f1_of_one_sample_is_that_of_scikit_learn() -> None:
    rng = random.Random(1)
    labels, said = ("yes", "no", "neutral"), []
    for n in range(60):
        about = ItemMetadata(item=str(n), unit=str(n), cluster=str(n), place="NL")
        said += [v for v in outcome(rng, about, 0, rng.choice(labels), labels, 0.5, 0.2) if v.task == "strict"]
    graded = [v for v in said if isinstance(v, Graded)]
    benchmark = catalogue.load("cure/normad_thin")
    figures = summarise(benchmark, VerdictTable(said), setting_of(benchmark, None))
    gold, read = [v.gold for v in graded], [v.label or "unread" for v in graded]
    expected = f1_score(gold, read, average="micro", zero_division=0)
    assert figure(figures, "f1_micro").value == pytest.approx(expected, abs=1e-9)


def test_f1_by_hand() -> None:
    # Gold yes yes no neutral, said yes no no (unread): F1 yes 2/3, no 2/3, neutral 0; macro 4/9, micro 2/4.
    said = (("yes", "yes"), ("yes", "no"), ("no", "no"), ("neutral", None))
    verdicts = [
        Graded(about=ItemMetadata(item=str(n), unit=str(n), cluster=str(n), place="NL"), sample=0, task="strict",
               points=float(gold == label), label=label, gold=gold, fault=None if label else "format_error")
        for n, (gold, label) in enumerate(said)
    ]  # fmt: skip
    benchmark = catalogue.load("cure/normad_thin")
    figures = summarise(benchmark, VerdictTable(verdicts), setting_of(benchmark, None))
    assert figure(figures, "f1_macro").value == pytest.approx(4 / 9)
    assert figure(figures, "f1_micro").value == figure(figures, "accuracy").value == 0.5
    assert figure(figures, "format_error").value == 0.25


def test_the_interval_of_the_headline_is_that_of_the_statistics_room() -> None:
    """What is proved of `mean_interval` holds of the headline: questions are its clusters, places its strata."""
    marks = {"NL": "+--+-+--+", "DE": "++++-+", "JP": "--+---"}
    verdicts = [
        verdict
        for place, row in marks.items()
        for n, mark in enumerate(row)
        for verdict in question(f"{place}{n}", mark * 4, place)
    ]
    values = [float(mark == "+") for row in marks.values() for mark in row]
    places = [place for place, row in marks.items() for _ in row]
    whole, region = hard(verdicts), hard(verdicts, continent="Europe")
    expected = mean_interval(values, range(len(values)), strata=places, seed=Seed("x"))
    assert (whole.low, whole.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    europe = mean_interval(values[:15], range(15), strata=places[:15], weights="equal", seed=Seed("x"))
    assert (region.low, region.high) == pytest.approx((europe.low, europe.high), abs=1e-9)
