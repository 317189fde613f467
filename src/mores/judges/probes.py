"""Probes of a judge: the same answers put in another way, where it is known what the verdict must be.

Neutral words after an answer must not move it: cases → their padded copies → judgements of both → how the share that
passes moves. A judge of norms is probed besides: answers → their verdicts as they are and under each probe → how often
a verdict is not what the judge's own first one demands. It needs no labels by people, and does not say whether the
judge is right: a judge may be steady and wrong; how often it is right of answers that were written to keep, leave open
or break a norm stands beside it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, structs
from msgspec.structs import replace

from mores.core.codec import build, read_toml
from mores.core.errors import InputError
from mores.core.prompt import Prompt, PromptHeader
from mores.judges.attacks import Passes
from mores.judges.judge import JudgeResult, JudgeSession
from mores.judges.jury import JudgingRate, rate
from mores.judges.rubric import Case, Rubric
from mores.judges.rubric_answers import ChoiceAnswer
from mores.judges.verifier import LABELS
from mores.models.request import Tag
from mores.stats.paired import Paired, compare_paired

FILE = Path(__file__).parent / "probes.toml"


class ProbeWords(Struct, frozen=True, kw_only=True):
    """Neutral paragraphs to pad an answer with, norms that no answer touches, what labels mean, other names."""

    padding: tuple[str, ...]
    placebo: tuple[str, ...]
    meanings: dict[str, str]
    renamed: dict[str, str]


@cache
def probe_words() -> ProbeWords:
    """The words of the probes' file."""
    return build(ProbeWords, read_toml(FILE), where=FILE.name)


class ShiftFigures(NamedTuple):
    """Effect on the share of passing answers of a change that should not matter: probed minus plain, of `graded` pairs.

    `paired.p` is McNemar's exact test.
    """

    asked: int
    graded: int
    paired: Paired


async def probe_verbosity(
    rubric: Rubric, cases: Sequence[Case], *, passes: Passes, session: JudgeSession, slot: str = "answer"
) -> ShiftFigures:
    """The same answers with and without a paragraph of neutral words after them.

    Args:
        rubric: Judges one thing.
        cases: The answers; each is taken as a cluster of its own.
        passes: Whether an opinion lets an answer pass.
        session: The judge.
        slot: Holds the answer.

    Raises:
        InputError: the rubric judges many ids, or as for `ask_judge`.
    """
    texts = probe_words().padding
    copies = [_padded(case, slot, texts[number % len(texts)]) for number, case in enumerate(cases)]
    plain, padded = await _judged(rubric, cases, session), await _judged(rubric, copies, session)
    pairs = [(passes(a.opinion), passes(b.opinion)) for a, b in zip(plain, padded, strict=True) if a and b]
    before, after = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    seed = session.seed.child("probe", "verbosity")
    return ShiftFigures(len(cases), len(pairs), compare_paired(after, before, range(len(pairs)), seed=seed))


def _padded(case: Case, slot: str, text: str) -> Case:
    if slot not in case.values:
        raise InputError(f"item '{case.tag.item}': no slot '{slot}' to probe; it has {sorted(case.values)}.")
    tag = structs.replace(case.tag, item=f"{case.tag.item}/padded")
    return structs.replace(case, values={**case.values, slot: f"{case.values[slot]}\n\n{text}"}, tag=tag)


async def _judged(rubric: Rubric, cases: Sequence[Case], session: JudgeSession) -> list[JudgeResult | None]:
    """Results of the judge, case by case; None where it gives no opinion."""
    if rubric.many:
        raise InputError(f"Rubric {rubric.name}: it judges many ids in one reply; expected one that judges one thing.")
    return [each if isinstance(each, JudgeResult) else None for each in await session.judge(rubric, cases)]


SATISFIED, NEUTRAL, VIOLATED = LABELS
PLAIN = {label: label for label in LABELS}
TURNED = {SATISFIED: VIOLATED, NEUTRAL: NEUTRAL, VIOLATED: SATISFIED}
"""Verdict on the norm's negation, by that on the norm."""
AS_THEY_ARE = "as they are"
LabelNames = Mapping[str, str]
"""Names of the labels, in the order in which they are listed."""


class Stance(Struct, frozen=True, kw_only=True):
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
    """Results of the probes.

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


def _with_placebo(stance: Stance, number: int) -> Stance:
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
        Probe("placebo norm", PLAIN, _with_placebo, dict.fromkeys(LABELS, NEUTRAL)),
    )


async def under_probes(stances: Sequence[Stance], session: JudgeSession) -> ProbeFigures:
    """Consistency of a judge of norms with its own verdicts under every probe.

    An answer that is not graded, plain or under a probe, is in neither count of that probe; each is a cluster.

    Raises:
        InputError: as for `ask_judge`.
    """
    plain, *under = [await _verdicts(number, probe, stances, session) for number, probe in enumerate(probes())]
    pairs = [(one, other) for one, other in zip(plain, under[0], strict=True) if one and other]
    first, last = (
        [((one == LABELS[end]) + (other == LABELS[-1 - end])) / 2 for one, other in pairs] for end in (0, -1)
    )
    right = (None if one is None else one == stance.truth for one, stance in zip(plain, stances, strict=True))
    return ProbeFigures(
        right=rate(AS_THEY_ARE, right),
        changed=tuple(
            rate(probe.name, map(_differs, (probe.must.get(one or "") for one in plain), results))
            for probe, results in zip(probes()[1:], under, strict=True)
        ),
        first=compare_paired(first, last, range(len(pairs)), seed=session.seed.child("probe", "order")),
    )


def _differs(must: str | None, verdict: str | None) -> bool | None:
    return None if must is None or verdict is None else verdict != must


async def _verdicts(sample: int, probe: Probe, stances: Sequence[Stance], session: JudgeSession) -> list[str | None]:
    """The label that is said of each answer, by its plain name; None where there is no grade."""
    rubric = _rubric(tuple(probe.names.values()))
    cases = [_case(rubric, probe, probe.change(stance, number), sample) for number, stance in enumerate(stances)]
    label_of = {called: label for label, called in probe.names.items()}
    results = await session.judge(rubric, cases)
    return [label_of[str(each.opinion.choice)] if isinstance(each, JudgeResult) else None for each in results]


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
