"""Tables of how far judges agree with people: columns, and the rows of a task.

A figure stands in one row of `agreement`, whatever it is of: all judges together, one judge, a model, a split, a place,
a language, a word, or a judge that was asked again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import asdict

from mores.calibration.agreement import TaskAgreement, estimate_of, known
from mores.calibration.disagreements import Cases, Causes
from mores.calibration.group_agreement import AgreementInGroup, ComparedBy, GroupAgreement
from mores.calibration.judge_agreement import JudgeAgreement, MethodComparison
from mores.core.card import Metric
from mores.core.estimate import Caution, Estimate
from mores.stats.agreement import Repeats
from mores.stats.alt_test import AltTest
from mores.stats.cluster_sums import MeasuredFigure
from mores.stats.confusion import ClassAgreement
from mores.stats.panel import PanelVote
from mores.tables import Column, FilledTable, Table, columns_of
from mores.tables.formatting import plural

SHARES = frozenset({
    "raw agreement (accuracy)", "balanced accuracy", "macro F1", "pairs that agree", "precision", "recall", "F1",
    "alike", "right", "flip rate", "gone", "share of variance between things",
})  # fmt: skip

Keyed = dict[str, Any]
"""Some cells of a row by their keys."""
TASK = (*columns_of("benchmark", benchmark="what was run"), *columns_of("text", task="what was judged"))
SIMULATED = columns_of("flag", simulated="true where answers, judges or people are made up")
IDENT = (*TASK, *columns_of("text", role="whose word it is: a judge by its role, or all together"), *SIMULATED)
PART = columns_of(
    "text", part="`all`, or what `of` names: `judge`, `model`, `split`, `place`, `language`, or a judge asked `again`",
    of="its name; missing for all",
)  # fmt: skip
FIGURE = (
    Column(key="measure", title="figure", kind="metric", says="name of the figure"),
    Column(key="value", title="95%", kind="estimate", main=True, says="the figure, over what judge and people said"),
)
"""The columns of a figure of any name."""
CONFUSED = (
    *columns_of("text", people_say="the word of people", judge_says="the word of the judge"),
    *columns_of("count", n="things with these two"),
)
CAUTION = (
    *columns_of("text", code="what kind of caution it is", told="the same in a sentence"),
    *columns_of("count", n="how many things it is about", of="of how many"),
    *columns_of("number", size="what was measured"),
    *columns_of("p", p="p-value of what was tested"),
    *columns_of("names", words="names that it is about"),
)
CAUSE = (
    *columns_of("text", cause="what people wrote as cause"),
    *columns_of("count", n="cases of this cause"),
    Column(key="share", title="share", kind="estimate", main=True, says="share of the cases that have a cause"),
    *columns_of("count", open="cases without a cause"),
)


def metric_of(name: str) -> Metric:
    """Format of a figure of this name: as a share, or with two decimals."""
    return Metric(name=name, unit="thing", says="", low=0.0 if name in SHARES else -1.0, high=1.0)


AGREEMENT = Table(
    id="agreement",
    title="Judges compared with people",
    columns=(
        *IDENT,
        *PART,
        *columns_of("text", word="of one word alone; missing for all words", judge="specification of the judge"),
        *columns_of("number", runs="how often each thing was judged"),
        *FIGURE,
        *columns_of("count", clusters="independent clusters of the units"),
    ),
)
TASKS = Table(
    id="agreement_tasks",
    title="What was judged and labelled",
    columns=(
        *IDENT,
        *columns_of("names", judges="specifications of all judges", options="words to choose from; none for points"),
        *columns_of(
            "count", judged="things that were judged", labelled="those of them that people labelled",
            labels="labels that people gave", people="how many people",
            clusters="independent clusters of labelled things", compared="things with words of judge and people",
            tied="labelled things on which people tie", unread="labelled things without a word of the judge",
            cases="things on which judge and people are apart",
        ),
        *columns_of("number", apart_from="least distance of a case, in points"),
        Column(key="share", title="share", kind="estimate", says="share of cases among what was compared"),
        *columns_of("flag", passed="whether the judge passed the alt-test: it may stand in for a person"),
        *columns_of("number", epsilon="how much worse than a person the judge may be in that test"),
        *columns_of("share", winning_rate="share of people that the judge beats in it",
                    advantage="mean share of things on which the judge is no further off than a person"),
        *columns_of("reason", why_no_test="reason for no alt-test"),
        *columns_of("number", slope="points that the judge gives beyond people's for each unit of log length",
                    slope_error="standard error of the slope", centre="log length where nothing is corrected"),
        *columns_of("count", slope_n="labelled things that the slope rests on"),
        *columns_of("text", why_no_slope="reason for no correction for length"),
        *columns_of("count", tests="tests of places that were corrected together"),
    ),
)  # fmt: skip
CONFUSION = Table(
    id="agreement_confusion", title="Words of people and of the judge", columns=(*IDENT, *PART, *CONFUSED)
)
PEOPLE = Table(
    id="agreement_people",
    title="People with each other, and with the judge as one more",
    columns=(
        *IDENT,
        *columns_of("text", among="who agrees: people, people and judge, two people, judge and person"),
        *columns_of("count", raters="how many people, the judge being one more"),
        *FIGURE,
    ),
)
PERSONS = Table(
    id="agreement_persons",
    title="Share of things on which each is no further from the other people than the one beside it",
    columns=(
        *IDENT,
        *columns_of("text", person="the person who is set aside"),
        *columns_of("count", labels="labels that this person gave", n="things with labels of others too"),
        *columns_of("share", judge_wins="share where the judge is no further off",
                    person_wins="share where the person is no further off"),
        *columns_of("p", p="p of the judge being worse by epsilon; missing for too few labels",
                    p_adjusted="the same after Benjamini and Yekutieli's correction"),
        *columns_of("flag", beaten="true where the judge is shown to be not worse"),
    ),
)  # fmt: skip
JURY = Table(
    id="agreement_jury",
    title="Judges as a jury",
    columns=(
        *IDENT,
        *columns_of("text", without="the judge that is left out; missing for all of them"),
        *columns_of("count", judges="judges that vote", n="things that all of them judged"),
        *columns_of("share", accuracy="share right where the majority does not tie", tied="share on which it ties",
                    alone="share right of the judge that is left out"),
        *columns_of("number", effective="independent judges that all are worth",
                    rho="mean correlation of errors of two judges"),
        *columns_of("count", pairs="pairs of judges that it is over"),
        *columns_of("reason", why="reason for no worth"),
    ),
)  # fmt: skip
STAGES = Table(
    id="agreement_stages",
    title="Before and after",
    columns=(
        *IDENT,
        *columns_of("text", judged_by="one run, several, the jury, or put right for length"),
        *FIGURE,
        *columns_of("number", apart="share of errors; of points the variance of judge less people",
                    ratio="the same over that of the single run"),
        Column(key="gone", title="gone", kind="estimate", metric=metric_of("gone"),
               says="share of it that is gone; missing for the single run"),
    ),
)  # fmt: skip
PLACE_TESTS = Table(
    id="agreement_place_tests",
    title="Errors here and elsewhere",
    columns=(
        *IDENT,
        Column(key="place", title="place", kind="group", of="place", says="its code; missing of a language"),
        *columns_of("text", language="its tag; missing of a place", errors="which errors are compared"),
        *columns_of("count", n="units of the place or language", clusters="independent clusters of them"),
        *columns_of("number", here="mean error there", elsewhere="mean error in all other places or languages"),
        *columns_of("p", p="p of a permutation test over clusters", p_holm="p after Holm's correction for the task",
                    p_bh="p after Benjamini and Hochberg's correction for it"),
    ),
)  # fmt: skip
CASES = Table(
    id="agreement_cases",
    title="Cases in which judge and people are apart",
    columns=(
        *IDENT,
        *columns_of(
            "text", case="its name in the file of cases", model="the model that answered", item="what it answered"
        ),
        *columns_of("count", sample="number of the answer to it", step="step of a day, where it has several"),
        *columns_of("text", norm="the norm, where one was judged"),
        Column(key="place", title="place", kind="group", of="place", says="its code"),
        *columns_of("text", people="what people say"),
        *columns_of("ratio", alike="people who say just that"),
        *columns_of("text", said="what the judge says"),
        *columns_of("number", apart="judge less people, in points"),
        *columns_of("text", reason="the judge's reason"),
    ),
)
CAUSES = Table(id="agreement_causes", title="Causes of cases", columns=(*IDENT, *CAUSE))
ALL_CAUSES = Table(id="agreement_causes_of_all", title="Causes of cases, all tasks together", columns=CAUSE)
CAUTIONS = Table(id="agreement_cautions", title="What has to be known of labels", columns=(*IDENT, *CAUTION))


def tables_of(found: TaskAgreement) -> dict[str, FilledTable]:
    """All tables of a task by their ids."""
    who = {"benchmark": found.benchmark, "task": found.task, "role": found.together.who, "simulated": found.simulated}
    return {
        table.id: FilledTable(table=table, rows=tuple(table.row(**who, **row) for row in rows(found)))
        for table, rows in _ROWS
    }


def figure_of(name: str, found: MeasuredFigure, n: int, asked: int | None = None) -> Keyed:
    """A figure of any name."""
    return {"measure": metric_of(name), "value": estimate_of(found, name, n, asked)}


def figures_of(found: JudgeAgreement) -> Iterator[Keyed]:
    """The figures of one judge or of all together, and of each word."""
    for name, figure in found.figures.items():
        yield {**figure_of(name, figure, found.n, found.n + found.unread), "clusters": found.clusters}
    yield from (row for each in found.classes for row in word_figures(each, found.n))


def word_figures(found: ClassAgreement, n: int) -> Iterator[Keyed]:
    """The figures of one word, each over its own units."""
    yield {"word": found.name, **figure_of("precision", found.precision, found.judged)}
    yield {"word": found.name, **figure_of("recall", found.recall, found.gold)}
    yield {"word": found.name, **figure_of("F1", found.f1, n)}


def confusion_of(found: JudgeAgreement) -> Iterator[Keyed]:
    """Number of things of which people say one word and the judge another."""
    names = [each.name for each in found.classes]
    for people, line in zip(names, found.confusion, strict=True):
        yield from ({"people_say": people, "judge_says": judge, "n": n} for judge, n in zip(names, line, strict=True))


def caution_of(found: Caution, sentence: str) -> Keyed:
    """A caution, and the same in a sentence."""
    return {"told": sentence, **{name: getattr(found, name) for name in ("code", "n", "of", "size", "p", "words")}}


def causes_of(found: Causes | None) -> Iterator[Keyed]:
    """A row a cause."""
    if found is not None:
        for each in found.causes:
            share = estimate_of(each.share, "share", found.coded)
            yield {"cause": each.cause, "n": each.n, "share": share, "open": found.open}


def _parts(found: TaskAgreement) -> Iterator[tuple[Keyed, JudgeAgreement]]:
    yield {"part": "all"}, found.together
    for part, several in (("judge", found.each), ("model", found.models), ("split", found.splits)):
        yield from (({"part": part, "of": each.who}, each) for each in several)


def _agreement(found: TaskAgreement) -> Iterator[Keyed]:
    for part, each in _parts(found):
        yield from ({**part, "judge": each.spec or None, "runs": each.runs, **row} for row in figures_of(each))
    for groups in _by_group(found):
        for group in groups.groups:
            yield from _of_group(group, groups.kind)
    for again in found.repeats:
        who = {"part": "again", "of": again.judge, "judge": found.judges.get(again.judge), "runs": again.repeats.runs}
        yield from ({**who, **row} for row in _repeated(again.repeats, points=again.points))


def _by_group(found: TaskAgreement) -> tuple[GroupAgreement, ...]:
    return tuple(each for each in (found.places, found.languages) if each is not None)


def _of_group(found: AgreementInGroup, kind: ComparedBy) -> Iterator[Keyed]:
    for name, figure in (
        ("raw agreement (accuracy)", found.agree),
        ("mean of judge less people (bias)", found.bias),
        ("mean distance (absolute error)", found.distance),
    ):
        if figure is not None:
            of = {"part": kind, "of": found.group, "clusters": found.clusters}
            yield {**of, **figure_of(name, figure, found.n)}


def _repeated(found: Repeats, *, points: bool) -> Iterator[Keyed]:
    """One judge with itself; points do not flip."""
    if not points:
        yield figure_of("flip rate", found.flip_rate, found.items)
    yield figure_of("alpha with itself", found.alpha, found.items)
    for name, value in (
        ("variance between things", found.item_variance),
        ("variance between runs", found.run_variance),
        ("share of variance between things", found.reliability),
    ):
        figure = Estimate(metric=name, value=known(value), asked=found.items, graded=found.items)
        yield {"measure": metric_of(name), "value": figure}


def _tasks(found: TaskAgreement) -> Iterator[Keyed]:
    yield {
        **asdict(found.counts),
        "judges": tuple(dict.fromkeys(found.judges.values())),
        "options": found.options,
        "tests": None if found.places is None else found.places.family,
        **_case_figures(found.cases, found.counts.compared),
        **_alt_test(found.people.alt_test),
        **_length(found.before_and_after),
    }


def _case_figures(found: Cases | None, compared: int) -> Keyed:
    if found is None:
        return {}
    return {"cases": found.n, "apart_from": found.threshold, "share": estimate_of(found.share, "share", compared)}


def _alt_test(found: AltTest) -> Keyed:
    rates = {"winning_rate": known(found.winning_rate), "advantage": known(found.advantage)}
    return {"passed": found.passed, "epsilon": found.epsilon, **rates, "why_no_test": found.missing}


def _length(found: MethodComparison | None) -> Keyed:
    if found is None or found.length is None:
        return {"why_no_slope": found and found.why_no_length}
    bias = found.length
    return {"slope": bias.slope, "slope_error": bias.error, "centre": bias.centre, "slope_n": bias.labelled}


def _confusion(found: TaskAgreement) -> Iterator[Keyed]:
    yield from ({**part, **row} for part, each in _parts(found) for row in confusion_of(each))


def _people(found: TaskAgreement) -> Iterator[Keyed]:
    for among, raters in zip(("people", "people and judge"), found.people.agreement.values(), strict=True):
        for name, figure in raters.figures.items():
            yield {"among": among, "raters": raters.raters, **figure_of(name, figure, raters.n)}
    ceiling, alike = found.people.ceiling, "near" if found.people.points else "alike"
    yield {"among": "two people", **figure_of(alike, ceiling.people, ceiling.units)}
    yield {"among": "judge and person", **figure_of(alike, ceiling.judge, ceiling.units)}
    yield {"among": "judge less people", **figure_of(alike, ceiling.gap, ceiling.units)}


def _persons(found: TaskAgreement) -> Iterator[Keyed]:
    tested = {each.name: each for each in found.people.alt_test.people}
    few = dict(found.people.alt_test.left_out)
    for name, labels in found.people.labels.items():
        person, rival = {"person": name, "labels": labels}, tested.get(name)
        if rival is None:
            yield {**person, "n": few.get(name)}
        else:
            wins = {"judge_wins": known(rival.judge_wins), "person_wins": known(rival.person_wins)}
            tests = {"p": known(rival.p), "p_adjusted": known(rival.adjusted), "beaten": rival.beaten}
            yield {**person, "n": rival.items, **wins, **tests}


def _jury(found: TaskAgreement) -> Iterator[Keyed]:
    jury = found.jury
    if jury is None:
        return
    worth = {"effective": known(jury.effective), "rho": known(jury.rho), "pairs": jury.pairs, "why": jury.missing}
    yield {"judges": jury.judges, "n": jury.items, **_vote(jury.majority), **worth}
    for judge, alone, vote in zip(found.each, jury.accuracies, jury.without, strict=True):
        without = {"without": judge.who, "alone": known(alone), "judges": jury.judges - 1, "n": jury.items}
        yield {**without, **_vote(vote)}


def _vote(found: PanelVote) -> Keyed:
    return {"accuracy": known(found.accuracy), "tied": known(found.tied)}


def _stages(found: TaskAgreement) -> Iterator[Keyed]:
    after = found.before_and_after
    if after is None:
        return
    name = "Pearson's r" if after.points else "Cohen's kappa"
    for number, each in enumerate(after.stages):
        gone = estimate_of(each.reduced, "gone", after.n) if number else None
        difference = {"apart": known(each.disagreement), "ratio": known(each.ratio), "gone": gone}
        yield {"judged_by": each.judged_by, **figure_of(name, each.together, after.n), **difference}


def _place_tests(found: TaskAgreement) -> Iterator[Keyed]:
    known_as = {"holm": "p_holm", "benjamini_hochberg": "p_bh"}
    for groups in _by_group(found):
        for each in groups.tests:
            values = {known_as.get(name, name): value for name, value in asdict(each).items() if name != "group"}
            yield {groups.kind: each.group, **values}


def _cases(found: TaskAgreement) -> Iterator[Keyed]:
    for each in () if found.cases is None else found.cases.cases:
        thing, alike = each.thing, sum(judged == each.people_label for _, judged in each.people)
        yield {
            "case": each.id, "model": each.judged.evaluation.model, "item": thing.item, "sample": thing.sample,
            "step": thing.step, "norm": thing.norm or None, "place": each.judged.place or None,
            "people": each.people_label, "alike": (alike, len(each.people)), "said": each.judge_label,
            "apart": each.difference, "reason": each.reason or None,
        }  # fmt: skip


_ROWS: Sequence[tuple[Table, Callable[[TaskAgreement], Iterable[Keyed]]]] = (
    (AGREEMENT, _agreement),
    (TASKS, _tasks),
    (CONFUSION, _confusion),
    (PEOPLE, _people),
    (PERSONS, _persons),
    (JURY, _jury),
    (STAGES, _stages),
    (PLACE_TESTS, _place_tests),
    (CASES, _cases),
    (CAUSES, lambda found: causes_of(found.causes)),
    (CAUTIONS, lambda found: (caution_of(each, describe_caution(each)) for each in found.warnings)),
)
TABLES = tuple(table for table, _ in _ROWS)


def describe_caution(found: Caution) -> str:
    """Caution on labels, in a sentence."""
    named = " or ".join(found.words)
    return {
        "few clusters": f"Too few: {plural(found.n, 'cluster')}, and an interval needs {found.of}.",
        "shared clusters": "Units of one cluster are not independent: intervals are over clusters.",
        "weighed": f"Each label counts for the things that it was drawn among: {found.of:,} are worth {found.n} alike.",
        "ties": "Units on which people tie are the hard ones: agreement on the others is too favourable to the judge.",
        "rare": f"Rare: people say '{named}' of {found.n}, and kappa falls with rarity; see AC1 and its recall.",
        "unseen": f"Nothing that people call {named}: how the judge does there is not known.",
    }[found.code]
