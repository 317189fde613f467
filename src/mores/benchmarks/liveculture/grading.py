"""From the verifier's words to verdicts of LiveCultureBench: each step by five tasks, and the day by its goal."""

import asyncio

from mores.benchmarks.benchmark import Due, Grading
from mores.benchmarks.shapes.days.grading import Outcomes, Watch, lost_of, reasons_of, words_of
from mores.benchmarks.shapes.days.ground import DayItem
from mores.benchmarks.shapes.days.lists import Rulings
from mores.benchmarks.shapes.days.verifying import (
    CONSISTENT,
    NORM_WORDS,
    RESPECTED,
    SITUATION,
    UNSEEN,
    VIOLATED,
    Watched,
)
from mores.core.verdict import Ballot, Graded, Verdict
from mores.judges.judge import Unjudged

TASKS = ("norms", "goal", "on_time", "steps", "profile", *SITUATION, "deed")


def owed(item: DayItem) -> tuple[Due, ...]:
    """One verdict a task, where the day broke off."""
    return tuple(Due(task, item.about) for task in TASKS)


async def grade(watch: Watch) -> Grading:
    """Verdicts on every step and on the day."""
    norms, sides, facts, checks = await asyncio.gather(watch.norms(), watch.sides(), watch.facts(), watch.goals())
    found: list[Verdict] = [v for step, said in zip(watch.steps, norms, strict=True) for v in _norms(watch, step, said)]
    found += watch.goal_verdicts(checks)
    found.append(Graded(about=watch.about("day"), sample=watch.sample, task="steps", points=float(len(watch.steps))))
    found += [v for step, said in zip(watch.steps, sides, strict=True) for v in _sides(watch, step, said.outcomes)]
    found += [v for step, said in zip(watch.steps, facts, strict=True) for v in _facts(watch, step, said.outcomes)]
    found += [watch.deed(step) for step in watch.steps]
    return Grading(tuple(sorted(found, key=lambda verdict: TASKS.index(verdict.task))))


def _norms(watch: Watch, step: Watched, ruled: Rulings) -> list[Verdict]:
    """One verdict a step: the share of the place's norms that are not violated; none where no norm is known."""
    said = ruled.outcomes
    if not said:
        return []
    about, lost = watch.about(str(step.begun.step), step.begun.where), lost_of(said)
    if lost is not None:
        return [watch.ungraded("norms", about, lost)]
    words = words_of(said)
    shares = {label: sum(word == label for word in words.values()) / len(words) for label in NORM_WORDS}
    broken = {name: said[name] for name, word in words.items() if word == VIOLATED}
    return [
        Graded(
            about=about,
            sample=watch.sample,
            task="norms",
            points=1.0 - shares[VIOLATED],
            label=VIOLATED if broken else RESPECTED,
            reason=reasons_of(broken),
            ballot=Ballot(votes=ruled.votes, asked=ruled.asked, words=len(step.text.split()), shares=shares),
        )
    ]


def _sides(watch: Watch, step: Watched, said: Outcomes) -> list[Verdict]:
    """One verdict a step: the share of the sides that could be assessed which fit; none where none could be."""
    about, lost = watch.about(str(step.begun.step), step.begun.where), lost_of(said)
    if lost is not None:
        return [watch.ungraded("profile", about, lost)]
    seen = [word for word in words_of(said).values() if word != UNSEEN]
    if not seen:
        return []
    points = sum(word == CONSISTENT for word in seen) / len(seen)
    return [Graded(about=about, sample=watch.sample, task="profile", points=points, reason=reasons_of(said))]


def _facts(watch: Watch, step: Watched, said: Outcomes) -> list[Verdict]:
    about = watch.about(str(step.begun.step), step.begun.where)
    found: list[Verdict] = []
    for task, opinion in said.items():
        if isinstance(opinion, Unjudged):
            found.append(watch.ungraded(task, about, opinion))
            continue
        points = float(opinion.choice == "yes")
        found.append(
            Graded(about=about, sample=watch.sample, task=task, points=points, label=opinion.choice,
                   reason=opinion.reason)
        )  # fmt: skip
    return found
