"""How far judges agree with people, in sentences: what tables alone do not say, and what is to be known of labels."""

from collections.abc import Iterator, Sequence

from mores.calibration.agreement import TaskAgreement
from mores.calibration.disagreements import Cases, Disagreement
from mores.calibration.judge_agreement import JudgeAgreement, PeopleAgreement
from mores.calibration.judgement_methods import JudgeStability, MethodComparison
from mores.calibration.places import LEVEL, PlaceAgreement
from mores.calibration.values import estimate_of, known
from mores.core.card import Metric
from mores.core.estimate import Caution
from mores.stats.cluster_sums import MeasuredFigure
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.panel import Panel, PanelVote
from mores.tables.formatting import DASH, format_bare_p, format_number, group_name, plural, text_of
from mores.tables.missing_texts import format_missing

NUMBER = Metric(name="coefficient", unit="thing", says="", low=-1.0, high=1.0)
"""Coefficients and points are told with two decimals, all else as shares."""
SHARES = frozenset({
    "raw agreement (accuracy)", "balanced accuracy", "macro F1", "pairs that agree", "precision", "recall", "F1",
    "alike", "right", "flip rate", "gone", "share of variance between things",
})  # fmt: skip
HEADLINES = {
    "raw agreement (accuracy)": "agree",
    "Cohen's kappa": "kappa",
    "Gwet's AC1": "AC1",
    "Pearson's r": "r",
    "mean of judge less people (bias)": "judge − people",
    "mean distance (absolute error)": "distance",
}
LONG = 160
"""Letters of a judge's reason that are told."""


def metric_of(name: str) -> Metric:
    """How a figure of this name is written: as a share, or with two decimals."""
    return Metric(name=name, unit="thing", says="", low=0.0 if name in SHARES else -1.0, high=1.0)


def told(found: MeasuredFigure, metric: Metric | None = None) -> str:
    """A figure with its interval in words, where its n is said elsewhere; a dash for none."""
    figure = estimate_of(found, "", 0)
    return DASH if figure.value is None else text_of(figure, "share", metric)


def number(value: float, metric: Metric | None = None) -> str:
    """A number without an interval; a dash where it is none."""
    return format_number(known(value), metric)


def headline(each: JudgeAgreement) -> str:
    """The few figures in a sentence."""
    parts = [f"{short} {told(each.figures[name], metric_of(name))}" for name, short in HEADLINES.items()
             if name in each.figures]  # fmt: skip
    n = f"{each.n:,}" + ("" if each.clusters == each.n else f" in {plural(each.clusters, 'cluster')}")
    left = f"; {plural(each.unread, 'labelled thing')} without a word of the judge" if each.unread else ""
    return f"{', '.join(parts)}; n = {n}{left}"


def sentences(found: TaskAgreement) -> Iterator[str]:
    """What is to be known below the headline."""
    yield from first_sentences(found)
    yield from further_sentences(found)
    if found.places is not None:
        yield from places_told(found.places)
    if found.cases is not None:
        yield cases_told(found.cases)


def first_sentences(found: TaskAgreement) -> Iterator[str]:
    """How much was labelled, what leaves a labelled thing out, and what has to be known of it."""
    counts = found.counts
    given = f"{plural(counts.labels, 'label')} by {plural(counts.people, 'person', 'people')}"
    things = f"{counts.labelled:,} of {plural(counts.judged, 'judged thing')}"
    parts = [f"{given} on {things} in {plural(counts.clusters, 'cluster')}"]
    if counts.tied:
        parts.append(f"{counts.tied:,} left out as people tie")
    if counts.unread:
        parts.append(f"{counts.unread:,} as no judge's word can be read, or judges tie")
    yield f"{'; '.join(parts)}."
    yield from map(caution_told, found.warnings)


def further_sentences(found: TaskAgreement) -> Iterator[str]:
    """How near the judge comes to people, how steady it is, and what a jury and corrections change."""
    yield from _of_people(found.people)
    yield from map(_of_repeats, found.repeats)
    if not found.repeats:
        yield "Each judge was asked once: mores judge RUN --judge SPEC --samples 5 shows how often it flips."
    if found.jury is not None:
        yield _of_jury(found.jury, [each.who for each in found.each])
    if found.before_and_after is not None and len(found.before_and_after.stages) > 1:
        yield _of_stages(found.before_and_after)


def caution_told(found: Caution) -> str:
    """What has to be known of labels, in a sentence."""
    named = " or ".join(found.words)
    return {
        "few clusters": f"Too few: {plural(found.n, 'cluster')}, and an interval needs {found.of}.",
        "shared clusters": "Units of one cluster are not independent: intervals are over clusters.",
        "weighed": f"Each label counts for the things that it was drawn among: {found.of:,} are worth {found.n} alike.",
        "older sample": "The sample of an older mores has no chances, so labels count alike: figures are of one thing "
        "of each episode, not of all things.",
        "ties": "Units on which people tie are the hard ones: agreement on the others is too favourable to the judge.",
        "rare": f"Rare: people say '{named}' of {found.n}, and kappa falls with rarity; see AC1 and its recall.",
        "unseen": f"Nothing that people call {named}: how the judge does there is not known.",
    }[found.code]


def _of_people(found: PeopleAgreement) -> Iterator[str]:
    """How near the judge comes to people, and what the alt-test says."""
    scale, ceiling, alt = NUMBER if found.points else None, found.ceiling, found.alt_test
    if ceiling.units:
        yield (
            f"Human ceiling, over {ceiling.units:,} with two people or more: two people are alike "
            f"{told(ceiling.people, scale)}, judge and person {told(ceiling.judge, scale)}; of these people, over "
            "other things."
        )
    else:
        yield f"No human ceiling: {format_missing(ceiling.people.missing)}."
    if alt.passed is None:
        yield f"No alt-test: {format_missing(alt.missing)}."
        return
    beaten, of = sum(each.beaten for each in alt.people), len(alt.people)
    yield (
        f"Alt-test {'passed' if alt.passed else 'not passed'}: beside {beaten} of {of} people, each set aside in "
        f"turn, the judge is shown to be not worse by {alt.epsilon:g} (epsilon) or more; half of them are needed. "
        f"Advantage probability {number(alt.advantage)}: the share of things on which it is no further "
        "from the others than the person set aside."
    )


def _of_repeats(found: JudgeStability) -> str:
    again = found.repeats
    flips = "" if found.points else f"two of its runs differ on {told(again.flip_rate)}; "
    return (
        f"{found.judge} with itself over {again.runs:.3g} runs, n = {again.items:,}: {flips}alpha "
        f"{told(again.alpha, NUMBER)}; of the variance of its mean {number(again.reliability)} is between things."
    )


def _of_jury(panel: Panel, judges: Sequence[str]) -> str:
    def vote(found: PanelVote) -> str:
        return f"{number(found.accuracy)}, tied on {number(found.tied)}"

    without = "; ".join(f"{judge} {vote(found)}" for judge, found in zip(judges, panel.without, strict=True))
    worth = format_missing(panel.missing) or f"worth {panel.effective:.2f} independent ones"
    return (
        f"Jury of {panel.judges}, n = {panel.items:,}: {worth}; majority {vote(panel.majority)}. "
        f"Without each in turn: {without}."
    )


def _of_stages(found: MethodComparison) -> str:
    first, last = found.stages[0], found.stages[-1]
    what, short = ("variance of judge less people", "r") if found.points else ("share of errors", "kappa")
    before, after = (number(each.together.value, NUMBER) for each in (first, last))
    return f"From {first.judged_by} to {last.judged_by}: {short} {before} to {after}, {what} × {last.ratio:.2f}."


def places_told(found: PlaceAgreement) -> Iterator[str]:
    """Where the judge errs unequally, of how many tests; or that this cannot be said."""
    few = sum(place.few for place in found.places)
    if not found.tests:
        many = plural(len(found.places), "place")
        yield f"Places: too few labels to compare them ({many}, {few} of them under {MIN_CLUSTERS} clusters)."
        return
    yield (
        f"Places: of a family of {plural(found.family, 'test')}, {len(found.unequal)} at {LEVEL:g} after Holm, "
        f"{len(found.screened)} after Benjamini–Hochberg; {few} of {len(found.places)} places have too few."
    )
    scale = NUMBER if found.points else None
    for test in found.unequal:
        yield (
            f"{group_name('place', test.place)}: {test.errors}, {number(test.here, scale)} against "
            f"{number(test.elsewhere, scale)} elsewhere (Holm p {format_bare_p(test.holm)}, n = {test.n})."
        )


def cases_told(found: Cases) -> str:
    """How many things judge and people part on."""
    how = "say another word" if found.threshold is None else f"are {found.threshold:g} points apart or more"
    return f"Judge and people {how} in {plural(len(found.cases), 'case')}, {told(found.share)}."


def case_told(found: Disagreement) -> str:
    """A case in a few words, with the judge's reason cut where it is long."""
    place = f" ({group_name('place', found.judged.place)})" if found.judged.place else ""
    alike = sum(said == found.people_said for _, said in found.people)
    of = f" ({alike} of {len(found.people)})" if found.apart is None else ""
    reason = found.reason
    short = reason if len(reason) <= LONG else f"{reason[: LONG - 1].rstrip()}…"
    why = f": {short}" if short else ""
    return f"{found.thing}{place}: people {found.people_said}{of}, judge {found.judge_said}{why}"
