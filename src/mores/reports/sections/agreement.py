"""How far judges agree with people, in blocks: for a terminal and for the page's section on judges."""

from collections.abc import Iterator, Sequence
from math import isfinite

from mores.blocks import Block, Cell, Listing, Row, Span, Table, Text, Words
from mores.blocks.formatting import DASH, format_bare_p, format_number, group_name, plural, text_of
from mores.blocks.reasons import format_missing
from mores.calibration.agreement import TaskAgreement
from mores.calibration.agreement_judges import Asked, Improved
from mores.calibration.beside import Beside, PeopleAgreement
from mores.calibration.cases import Case, Cases, Causes
from mores.calibration.folds import Fold, Folds
from mores.calibration.places import LEVEL, Places
from mores.core.card import Metric
from mores.core.estimate import Caution, Estimate
from mores.stats import Measured, Panel, PanelVote
from mores.stats.intervals import MIN_CLUSTERS

NUMBER = Metric(name="coefficient", unit="thing", says="", low=-1.0, high=1.0)
"""Coefficients and points are told with two decimals, all else as shares."""
SHARES = frozenset({"raw agreement (accuracy)", "balanced accuracy", "macro F1", "pairs that agree"})
HEADLINES = {
    "raw agreement (accuracy)": "agree",
    "Cohen's kappa": "kappa",
    "Gwet's AC1": "AC1",
    "Pearson's r": "r",
    "mean of judge less people (bias)": "judge − people",
    "mean distance (absolute error)": "distance",
}
SHOWN, LONG = 10, 160
"""Cases that are told, and letters of a judge's reason."""

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


def scale_of(name: str) -> Metric | None:
    """How a figure is told: None for shares."""
    return None if name in SHARES else NUMBER


def told(found: Measured | None, metric: Metric | None = None) -> str:
    """A figure with its interval in words, where its n is said elsewhere; a dash for none."""
    if found is None or found.missing is not None or not isfinite(found.value):
        return DASH
    low, high, _, missing = found.interval
    figure = Estimate(metric="", value=found.value, low=low, high=high, asked=0, graded=0, missing=missing)
    return text_of(figure, "share", metric)


def number(value: float, metric: Metric | None = None) -> str:
    """A number without an interval; a dash where it is none."""
    return format_number(value if isfinite(value) else None, metric)


def table(title: str, heads: Sequence[Words], rows: Sequence[Sequence[Cell]], note: str = "") -> tuple[Block, ...]:
    """A table below its title, and a note below it; nothing without rows."""
    if not rows:
        return ()
    made = Table.of(title, heads, rows)
    return (Text(words=title, role="subheading"), made, *((Text(words=note),) if note else ()))


def headline(each: Beside) -> str:
    """The few figures in a sentence."""
    parts = [f"{short} {told(each.figures[name], scale_of(name))}" for name, short in HEADLINES.items()
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


def agreement_blocks(found: TaskAgreement) -> tuple[Block, ...]:
    """All of one task, for a terminal."""
    made_up = " (simulated)" if found.simulated else ""
    judged_by = ", ".join(dict.fromkeys(found.judges.values()))
    return (
        Text(words=f"{judged_by} against people{made_up}: {headline(found.together)}."),
        Listing(tuple(sentences(found))),
        *beside_tables(found.together),
        *more_tables(found),
        *(() if found.places is None else place_tables(found.places)),
        *(() if found.causes is None else causes_table(found.causes)),
        *(() if found.cases is None else case_blocks(found.cases)),
    )


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


def _of_repeats(found: Asked) -> str:
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


def _of_stages(found: Improved) -> str:
    first, last = found.stages[0], found.stages[-1]
    what, short = ("variance of judge less people", "r") if found.points else ("share of errors", "kappa")
    before, after = (number(each.together.value, NUMBER) for each in (first, last))
    return f"From {first.judged_by} to {last.judged_by}: {short} {before} to {after}, {what} × {last.ratio:.2f}."


def places_told(found: Places) -> Iterator[str]:
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


def case_told(found: Case) -> str:
    """A case in a few words, with the judge's reason cut where it is long."""
    place = f" ({group_name('place', found.judged.place)})" if found.judged.place else ""
    alike = sum(said == found.people_said for _, said in found.people)
    of = f" ({alike} of {len(found.people)})" if found.apart is None else ""
    reason = next((reason for _, said, reason in found.judges if said == found.judge_said and reason), "")
    reason = reason or next((reason for *_, reason in found.judges if reason), "")
    short = reason if len(reason) <= LONG else f"{reason[: LONG - 1].rstrip()}…"
    why = f": {short}" if short else ""
    return f"{found.thing}{place}: people {found.people_said}{of}, judge {found.judge_said}{why}"


def case_blocks(found: Cases) -> tuple[Block, ...]:
    """The first cases."""
    if not found.cases:
        return ()
    lines = [case_told(case) for case in found.cases[:SHOWN]]
    if len(found.cases) > SHOWN:
        lines.append(f"… and {len(found.cases) - SHOWN:,} more: --cases FILE writes all, to code causes.")
    return (Text(words="Cases", role="subheading"), Listing(tuple(lines)))


def causes_table(found: Causes) -> tuple[Block, ...]:
    """A row for each cause."""
    rows = [(each.cause, f"{each.n:,}", told(each.share)) for each in found.causes]
    left = f"{plural(found.open, 'case')} without a cause." if found.open else ""
    return table(f"Causes of {found.coded:,} cases", ("cause", "n", "share"), rows, left)


def beside_tables(found: Beside) -> tuple[Block, ...]:
    """The figures of one judge, or of all together; the confusion table and those of each word."""
    rows = [(name, format_missing(each.missing) or told(each, scale_of(name))) for name, each in found.figures.items()]
    names = [each.name for each in found.classes]
    return (
        *table(f"{found.who} beside people, n = {found.n:,}", ("figure", "95%"), rows),
        *table(
            "Confusion table: a column for each label of the judge, a row for each label of people",
            ("people", *names),
            [(name, *(f"{n:,}" for n in line)) for name, line in zip(names, found.confusion, strict=True)],
        ),
        *table(
            "Word by word",
            ("word", "n", "precision", "recall", "F1"),
            [(c.name, f"{c.gold:,}", told(c.precision), told(c.recall), told(c.f1)) for c in found.classes],
            "Precision: of the units to which the judge gives the label, the share to which people give it; recall is "
            "the reverse.",
        ),
    )


def more_tables(found: TaskAgreement) -> tuple[Block, ...]:
    """People with each other; judges, models and splits side by side; what asking again and a jury change."""
    after = found.before_and_after
    return (
        *_people_tables(found.people),
        *side_by_side(found.each, "Each judge, by its first word"),
        *side_by_side(found.models, "Model by model"),
        *side_by_side(found.splits, "Split by split"),
        *(() if after is None else _stages_table(after)),
    )


def side_by_side(parts: Sequence[Beside], title: str) -> tuple[Block, ...]:
    """Several judges, models or splits, a row each, with their few figures."""
    if not parts:
        return ()
    names = [name for name in HEADLINES if name in parts[0].figures]
    rows = [(each.who, f"{each.n:,}", *(told(each.figures[name], scale_of(name)) for name in names)) for each in parts]
    specs = "; ".join(f"{each.who}: {each.spec}" for each in parts if each.spec)
    return table(title, ("who", "n", *(HEADLINES[name] for name in names)), rows, specs)


def _people_tables(found: PeopleAgreement) -> tuple[Block, ...]:
    alone, joined = found.agreement["people"], found.agreement["with_judge"]
    rows = [
        (name, told(figure, scale_of(name)), told(joined.figures[name], scale_of(name)))
        for name, figure in alone.figures.items()
        if alone.n
    ]
    alt = found.alt_test
    left = ", ".join(f"{name} {count}" for name, count in alt.left_out)
    return (
        *table("People with each other, and with the judge as one more", ("figure", "people", "with judge"), rows),
        *table(
            "Share of things on which each is no further from the other people than the one beside it",
            ("person set aside", "n", "judge", "person", "p", "adjusted"),
            [
                (each.name, f"{each.items:,}", number(each.judge_wins), number(each.person_wins),
                 format_bare_p(each.p), format_bare_p(each.adjusted))
                for each in alt.people
            ],
            f"Too few labels for the test: {left}." if left else "",
        ),
    )  # fmt: skip


def _stages_table(found: Improved) -> tuple[Block, ...]:
    heads = ("r", "variance", "×", "gone") if found.points else ("kappa", "errors", "×", "gone")
    rows = [
        (each.judged_by, told(each.together, NUMBER), f"{each.apart:.4f}" if found.points else number(each.apart),
         number(each.ratio, NUMBER), told(each.reduced) if place else "")
        for place, each in enumerate(found.stages)
    ]  # fmt: skip
    note = f"Not corrected for length: {found.why_no_length}." if found.why_no_length else ""
    if found.length is not None:
        slope, error = found.length.slope, 1.96 * found.length.error
        note = (
            f"The judge gives {slope:+.3f} ± {error:.3f} points beyond people's for each unit of log length; found in "
            "5 parts, each corrected by the others."
        ).replace("-", "−")
    return table(f"Before and after, n = {found.n:,}", ("judged by", *heads), rows, note)


def place_tables(found: Places) -> tuple[Block, ...]:
    """Places with enough clusters, the weakest first; then the tests that stand out."""
    enough = [each for each in found.places if not each.few]
    few = len(found.places) - len(enough)
    heads = ("judge − people", "distance") if found.points else ("agree",)
    scale = NUMBER if found.points else None
    rows = [
        (group_name("place", each.place), f"{each.n:,}",
         *((told(each.bias, NUMBER), told(each.distance, NUMBER)) if found.points else (told(each.agree),)))
        for each in enough
    ]  # fmt: skip
    tests = [
        (f"{group_name('place', t.place)}: {t.errors}", f"{t.n:,}", number(t.here, scale), number(t.elsewhere, scale),
         format_bare_p(t.p), format_bare_p(t.holm), format_bare_p(t.benjamini_hochberg))
        for t in sorted(found.screened, key=lambda test: test.p)
    ]  # fmt: skip
    return (
        *table(
            "Place by place, weakest first", ("place", "n", *heads), rows,
            f"{plural(few, 'place')} with under {MIN_CLUSTERS} clusters: too few." if few else "",
        ),
        *table(
            f"Errors here and elsewhere, family of {found.family}",
            ("place and errors", "n", "here", "elsewhere", "p", "Holm", "BH"), tests,
        ),
    )  # fmt: skip


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
    yield ", ".join(dict.fromkeys(fold.judges.values())) or DASH
    yield f"{judged.n:,} ({judged.clusters:,})"
    yield from _figures(judged)
    if right:
        yield from _figures(fold.put_right)
        yield f"{fold.learnt_from:,}" if fold.put_right and fold.learnt_from else DASH


def _figures(beside: Beside | None) -> Iterator[Cell]:
    for name in FIGURES:
        yield DASH if beside is None else told(beside.figures[name], scale_of(name))
