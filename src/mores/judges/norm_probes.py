"""Probes of a judge of norms: an answer beside a norm, put in another way, where it is known what the verdict must be.

answers ─▶ their verdicts as they are and under each probe ─▶ how often a verdict is not what the judge's own first one
demands. A judge that holds to its word may still be wrong; how often it is right of answers that were written to keep,
leave open or break a norm stands beside it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mores.core.prompt import Prompt, PromptHeader
from mores.judges.judge import JudgeResult, JudgeSession
from mores.judges.probes import probe_words
from mores.judges.rates import JudgingRate, rate
from mores.judges.rubric import Case, Rubric
from mores.judges.rubric_answers import ChoiceAnswer
from mores.judges.verifier import LABELS
from mores.models.request import Tag
from mores.stats.paired import Paired, compare_paired

SATISFIED, NEUTRAL, VIOLATED = LABELS
PLAIN = {label: label for label in LABELS}
TURNED = {SATISFIED: VIOLATED, NEUTRAL: NEUTRAL, VIOLATED: SATISFIED}
"""What each verdict is of the norm's negation."""
AS_THEY_ARE = "as they are"
LabelNames = Mapping[str, str]
"""What each label is called, in the order in which they are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stance:
    """An answer that was written to keep, leave open or break a norm (`truth`); `where` is the id of the place."""

    id: str
    place: str
    where: str
    question: str
    norm: str
    negation: str
    answer: str
    truth: str


class Probe(NamedTuple):
    """One way to put answers: how labels are called and listed, what changes, and what each verdict must become."""

    name: str
    names: LabelNames
    change: Callable[[Stance, int], Stance]
    must: Mapping[str, str]


class ProbeFigures(NamedTuple):
    """What probes found.

    `right` is how often the verdict on an answer as it is, is what the answer was written for; `changed` how often the
    verdict under each probe is not what it must be by the one before; `first` how much more often the label that is
    listed first is chosen than the one that is listed last, over both orders, where a judge without such a habit has 0.
    """

    right: JudgingRate
    changed: tuple[JudgingRate, ...]
    first: Paired


def _with_padding(stance: Stance, number: int) -> Stance:
    texts = probe_words().padding
    return replace(stance, answer=f"{stance.answer}\n\n{texts[number % len(texts)]}")


def _beside_placebo(stance: Stance, number: int) -> Stance:
    return replace(stance, norm=_placebos()[number % len(_placebos())].render(place=stance.place), truth=NEUTRAL)


@cache
def _placebos() -> tuple[Prompt, ...]:
    header = PromptHeader(name="judges.placebo.v1", role="judge", language="en", origin="own")
    return tuple(Prompt(header, words) for words in probe_words().placebo)


@cache
def probes() -> tuple[Probe, ...]:
    """All probes, first the answers as they are.

    Then: labels in the other order, labels by letters that say nothing, the norm's negation (keeping to it becomes
    breaking it), neutral words after the answer, and a placebo: a norm that the answer does not touch.
    """
    listed_backwards, stays = {label: label for label in reversed(LABELS)}, PLAIN

    def as_it_is(stance: Stance, _: int) -> Stance:
        return stance

    def negated(stance: Stance, _: int) -> Stance:
        return replace(stance, norm=stance.negation, truth=TURNED[stance.truth])

    return (
        Probe(AS_THEY_ARE, PLAIN, as_it_is, stays),
        Probe("order of labels", listed_backwards, as_it_is, stays),
        Probe("names of labels", {label: probe_words().renamed[label] for label in LABELS}, as_it_is, stays),
        Probe("negated norm", PLAIN, negated, TURNED),
        Probe("neutral words", PLAIN, _with_padding, stays),
        Probe("placebo norm", PLAIN, _beside_placebo, dict.fromkeys(LABELS, NEUTRAL)),
    )


async def under_probes(stances: Sequence[Stance], sitting: JudgeSession) -> ProbeFigures:
    """How a judge of norms holds to its verdicts under every probe.

    An answer that is not graded, plain or under a probe, is in neither count of that probe; each is a cluster.

    Raises:
        InputError: as for `ask_judge`.
    """
    plain, *under = [await _verdicts(number, probe, stances, sitting) for number, probe in enumerate(probes())]
    pairs = [(one, other) for one, other in zip(plain, under[0], strict=True) if one and other]
    first, last = (
        [((one == LABELS[end]) + (other == LABELS[-1 - end])) / 2 for one, other in pairs] for end in (0, -1)
    )
    right = (None if said is None else said == stance.truth for said, stance in zip(plain, stances, strict=True))
    return ProbeFigures(
        right=rate(AS_THEY_ARE, right),
        changed=tuple(
            rate(probe.name, map(_differs, (probe.must.get(one or "") for one in plain), said))
            for probe, said in zip(probes()[1:], under, strict=True)
        ),
        first=compare_paired(first, last, range(len(pairs)), seed=sitting.seed.child("probe", "order")),
    )


def _differs(must: str | None, said: str | None) -> bool | None:
    return None if must is None or said is None else said != must


async def _verdicts(sample: int, probe: Probe, stances: Sequence[Stance], sitting: JudgeSession) -> list[str | None]:
    """The label that is said of each answer, by its plain name; None where there is no grade."""
    rubric = _rubric(tuple(probe.names.values()))
    cases = [_case(rubric, probe, probe.change(stance, number), sample) for number, stance in enumerate(stances)]
    label_of = {called: label for label, called in probe.names.items()}
    said = await sitting.judge(rubric, cases)
    return [label_of[str(each.opinion.choice)] if isinstance(each, JudgeResult) else None for each in said]


@cache
def _rubric(names: tuple[str, ...]) -> Rubric:
    prompt = Prompt.read(Path(__file__).parent / "probe.prompt.md")
    return Rubric(prompt=prompt, answer=ChoiceAnswer(options=names))


def _case(rubric: Rubric, probe: Probe, stance: Stance, sample: int) -> Case:
    """An answer as a case, each probe a sample of it; what the probe tempts a simulated judge to say is its lure."""
    labels = "\n".join(f"{called}: {probe_words().meanings[label]}" for label, called in probe.names.items())
    values = {"place": stance.place, "norm": stance.norm, "question": stance.question, "answer": stance.answer}
    lure = None if probe.name == AS_THEY_ARE else next(label for label in probe.names if label != stance.truth)
    key = rubric.key(
        probe.names[stance.truth], unit=stance.id, place=stance.where, rung="apply", lure=lure and probe.names[lure]
    )
    return Case(values={**values, "labels": labels}, tag=Tag(item=stance.id, role="judge", sample=sample), key=key)
