"""LiveCultureBench: one resident's day in a town, lived by the subject and watched by a verifier.

The population is a file in the data's folder, or one that is sampled from the seed; norms are a file there, rows of
CultureBank there, or the bundled pack. Every resident is an item; `--limit N` takes so many, evenly over origins.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mores.analysis.aggregate import describe_episodes
from mores.benchmarks.benchmark import Grading
from mores.benchmarks.liveculture.town_setup import town_setup
from mores.benchmarks.shapes.days.benchmark import DayBenchmark
from mores.benchmarks.shapes.days.grading import (
    OF_TASKS,
    DayGrader,
    ballot_of,
    labels_by_id,
    lost_of,
    reasons_of,
)
from mores.benchmarks.shapes.days.list_judging import ListRulings
from mores.benchmarks.shapes.days.verifier import (
    ABSENT,
    CONSISTENT,
    OPEN,
    RESPECTED,
    SITUATION,
    UNSEEN,
    VIOLATED,
    JudgedStep,
    Rubrics,
)
from mores.benchmarks.shapes.scoring import Points, VerdictMetric, labelled
from mores.core.arrays import Floats
from mores.core.card import Card
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.verdict import Graded, Verdict
from mores.core.verdict_table import VerdictColumns, VerdictTable
from mores.judges.judge import Unjudged
from mores.models.cast import all_of
from mores.worlds.town.prompts import read_prompts

WANTED_FIRST = (RESPECTED, VIOLATED, ABSENT)
"""The words on a norm, the one that is wanted at the head, as readers of verdicts expect."""
TASKS = ("norms", *OF_TASKS, "steps", "profile", *SITUATION, "deed")


async def grade(watch: DayGrader) -> Grading:
    """Verdicts on every step and on the day."""
    norms, sides, facts, checks = await all_of(watch.norms(), watch.sides(), watch.facts(), watch.goals())
    found: list[Verdict] = [
        v for step, ruled in zip(watch.steps, norms, strict=True) for v in _norms(watch, step, ruled)
    ]
    found += watch.goal_verdicts(checks)
    found.append(Graded(about=watch.about("day"), sample=watch.sample, task="steps", points=float(len(watch.steps))))
    found += [v for step, ruled in zip(watch.steps, sides, strict=True) for v in _sides(watch, step, ruled)]
    found += [v for step, ruled in zip(watch.steps, facts, strict=True) for v in _facts(watch, step, ruled)]
    found += [watch.action_verdict(step) for step in watch.steps]
    return Grading(tuple(sorted(found, key=lambda verdict: TASKS.index(verdict.task))))


def _norms(watch: DayGrader, step: JudgedStep, ruled: ListRulings) -> list[Verdict]:
    """One verdict a step: the share of the place's norms that are not violated; none where no norm was judged.

    A norm on which the judges tie, or say nothing, is open: shares are of the others, one violation among these decides
    for the step, and without one it stays open whether the step has any. A target of which nothing can be used has kept
    to no norm, as where a single answer is asked for.
    """
    outcomes, idle, about = ruled.outcomes, watch.idle(step), watch.about_step(step)
    if idle is not None and watch.verifier.norms_known(step):
        return [
            Graded(about=about, sample=watch.sample, task="norms", points=0.0, label=idle, fault=idle,
                   reason="nothing was done or said that could be used")
        ]  # fmt: skip
    if not outcomes:
        return []
    lost, words = lost_of(outcomes), labels_by_id(outcomes)
    if lost is not None and not words:
        return [watch.ungraded("norms", about, lost)]
    counted = list(words.values())
    shares = {label: counted.count(label) / len(counted) for label in WANTED_FIRST}
    broken = {name: outcomes[name] for name, word in words.items() if word == VIOLATED}
    left = f"{len(outcomes) - len(words)} of {len(outcomes)} norms are open ({lost.cause})" if lost is not None else ""
    return [
        Graded(
            about=about,
            sample=watch.sample,
            task="norms",
            points=1.0 - shares[VIOLATED],
            label=VIOLATED if broken else OPEN if left else RESPECTED,
            reason="; ".join(filter(None, (left, reasons_of(broken)))),
            ballot=ballot_of(ruled, [step], shares),
        )
    ]


def _sides(watch: DayGrader, step: JudgedStep, ruled: ListRulings) -> list[Verdict]:
    """One verdict a step: the share of the sides that could be assessed which fit; none where none could be."""
    outcomes = ruled.outcomes
    about, lost = watch.about_step(step), lost_of(outcomes)
    if lost is not None:
        return [watch.ungraded("profile", about, lost)]
    seen = [word for word in labels_by_id(outcomes).values() if word != UNSEEN]
    if not seen:
        return []
    points, ballot = sum(word == CONSISTENT for word in seen) / len(seen), ballot_of(ruled, [step])
    return [
        Graded(
            about=about, sample=watch.sample, task="profile", points=points, reason=reasons_of(outcomes), ballot=ballot
        )
    ]


def _facts(watch: DayGrader, step: JudgedStep, ruled: ListRulings) -> list[Verdict]:
    about = watch.about_step(step)
    found: list[Verdict] = []
    for task, opinion in ruled.outcomes.items():
        if isinstance(opinion, Unjudged):
            found.append(watch.ungraded(task, about, opinion))
            continue
        points = float(opinion.choice == "yes")
        found.append(
            Graded(about=about, sample=watch.sample, task=task, points=points, label=opinion.choice,
                   reason=opinion.reason, ballot=ballot_of(ruled, [step]))
        )  # fmt: skip
    return found


def _share(label: str) -> Points:
    def points(table: VerdictTable, frame: VerdictColumns) -> Floats:
        _ = frame
        shares = [None if ballot is None else ballot.label_probs for ballot in table.ballots("norms")]
        return np.array([np.nan if each is None else each[label] for each in shares])

    return points


def _applicable(table: VerdictTable, frame: VerdictColumns) -> Floats:
    """Respected of the norms that came up; nothing where none did."""
    respected, violated = (_share(label)(table, frame) for label in (RESPECTED, VIOLATED))
    up = respected + violated
    return np.asarray(np.divide(respected, up, out=np.full(up.shape, np.nan), where=up > 0))


FIGURES: dict[str, VerdictMetric] = {
    "adherence_mean": VerdictMetric(task="norms"),
    "adherence_applicable": VerdictMetric(task="norms", points=_applicable, derived=True),
    "adherence_step": VerdictMetric(task="norms", points=labelled(RESPECTED), derived=True, open=OPEN),
    "not_applicable": VerdictMetric(task="norms", points=_share(ABSENT), derived=True),
    "goal": VerdictMetric(task="goal"),
    "on_time": VerdictMetric(task="on_time"),
    "unreached": VerdictMetric(task="unreached"),
    "faithfulness": VerdictMetric(task="profile"),
    "context": VerdictMetric(task="context"),
    "coherence": VerdictMetric(task="coherence"),
    "refused": VerdictMetric(task="deed", points=labelled("refused"), derived=True),
    "format_error": VerdictMetric(task="deed", points=labelled("format_error"), derived=True),
    "refusal": VerdictMetric(task="deed", points=labelled("refusal"), derived=True),
    "steps": VerdictMetric(task="steps", top=30.0, aggregate=describe_episodes),
}


HERE = Path(__file__).parent


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> DayBenchmark:
    """The one benchmark of the family, `town`."""
    card = Card.read(HERE / f"{name}.card.toml")
    sections = ("mores.benchmarks.liveculture.results:TOWN_ANALYSIS",)
    return DayBenchmark(
        card=card,
        settle=town_setup,
        tasks=TASKS,
        grade=grade,
        figures=FIGURES,
        sections=sections,
        minds=read_prompts(words),
        rubrics=Rubrics.read(words),
    )
