"""Probes of a judge's habits: the same thing asked in two ways, where the verdict must stay or must turn.

cases → their twins → judgements of both → a rate with its interval. No probe needs labels by people, and none
says whether the judge is right: a judge may be steady and wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mores.core.codec import build, read_toml
from mores.core.errors import InputError
from mores.judges.attacks.report import Passes
from mores.judges.judge import Judged
from mores.judges.rates import Rate, rate
from mores.judges.rubric import Case, Rubric
from mores.judges.sitting import Sitting
from mores.stats.intervals import Interval, mean_interval
from mores.stats.paired import Paired, compare_paired, mcnemar_exact

FILE = Path(__file__).parent / "probes.toml"
OPPOSITES = {"satisfy": "violate", "violate": "satisfy", "yes": "no", "no": "yes"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeWords:
    """Neutral paragraphs to pad an answer with, and norms that are about nothing."""

    padding: tuple[str, ...]
    placebos: tuple[str, ...]


@cache
def probe_words() -> ProbeWords:
    """The words of the probes' file."""
    return build(ProbeWords, read_toml(FILE), where=FILE.name)


class PositionFigures(NamedTuple):
    """Whether the place in which something stands decides.

    `consistent` is the share of pairs with the same winner in both orders. `first` is how often the first place
    wins over both orders, .5 where places do not matter, with an interval over pairs; `p` is the exact two-sided
    test that the pairs won twice by one place were won as often by either. None where no pair was graded.
    """

    consistent: Rate
    first: float | None
    interval: Interval
    p: float | None


class ShiftFigures(NamedTuple):
    """How a change that should not matter moves the share of passing answers: probed minus plain, over `graded` pairs.

    `paired.p` is McNemar's exact test.
    """

    asked: int
    graded: int
    paired: Paired


async def probe_position(
    rubric: Rubric,
    cases: Sequence[Case],
    *,
    sitting: Sitting,
    slots: tuple[str, str] = ("first", "second"),
    options: tuple[str, str] = ("first", "second"),
) -> PositionFigures:
    """Each pair judged in both orders.

    Args:
        rubric: Chooses between what stands in two slots.
        cases: The pairs.
        sitting: The judge.
        slots: The two slots, whose values are swapped.
        options: The words that name their winners; another word (a tie) wins for neither place.

    Raises:
        InputError: the rubric judges many ids, or as for `ask_judge`.
    """
    left, right = slots
    turn = {options[0]: options[1], options[1]: options[0]}
    twins = [_twin(case, "swapped", {left: _words(case, right), right: _words(case, left)}, turn) for case in cases]
    said = await _both(rubric, cases, rubric, twins, sitting)
    consistent = rate("consistent", (None if s is None else turn.get(s[1], s[1]) == s[0] for s in said))
    firsts = [[options.index(word) for word in s] for s in said if s and set(s) <= set(options)]
    shares = [1 - (a + b) / 2 for a, b in firsts]
    interval = mean_interval(shares, np.arange(len(shares)), seed=sitting.seed.child("probe", "position"))
    p = mcnemar_exact(shares.count(1.0), shares.count(0.0)) if shares else None
    return PositionFigures(consistent, float(np.mean(shares)) if shares else None, interval, p)


async def probe_verbosity(
    rubric: Rubric, cases: Sequence[Case], *, passes: Passes, sitting: Sitting, slot: str = "answer"
) -> ShiftFigures:
    """The same answers with and without a paragraph of neutral words after them.

    Args:
        rubric: Judges one thing.
        cases: The answers; each is taken as a cluster of its own.
        passes: Whether an opinion lets an answer pass.
        sitting: The judge.
        slot: Holds the answer.

    Raises:
        InputError: the rubric judges many ids, or as for `ask_judge`.
    """
    texts = probe_words().padding
    twins = [
        _twin(case, "padded", {slot: f"{_words(case, slot)}\n\n{texts[number % len(texts)]}"}, {})
        for number, case in enumerate(cases)
    ]
    plain, padded = await _judged(rubric, cases, sitting), await _judged(rubric, twins, sitting)
    pairs = [(passes(a.opinion), passes(b.opinion)) for a, b in zip(plain, padded, strict=True) if a and b]
    before, after = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    seed = sitting.seed.child("probe", "verbosity")
    return ShiftFigures(len(cases), len(pairs), compare_paired(after, before, range(len(pairs)), seed=seed))


async def probe_labels(
    rubric: Rubric, renamed: Rubric, cases: Sequence[Case], *, names: Mapping[str, str], sitting: Sitting
) -> Rate:
    """Share of cases that get the same verdict when its words have other names.

    Args:
        rubric: A choice of words.
        renamed: The same rubric with other words; its prompt explains them.
        cases: What is judged by both.
        names: The new word for each old one.
        sitting: The judge.

    Raises:
        InputError: a word has no new name, a rubric judges many ids, or as for `ask_judge`.
    """
    if set(names) != set(rubric.answer.options) or set(names.values()) != set(renamed.answer.options):
        known = ", ".join(rubric.answer.options)
        raise InputError(
            f"Rubric {rubric.name}: names are {dict(names)}; expected a word of the other for each of {known}."
        )
    twins = [_renamed(case, renamed, names) for case in cases]
    said = await _both(rubric, cases, renamed, twins, sitting)
    return rate("same verdict under other names", (None if s is None else names[s[0]] == s[1] for s in said))


async def probe_negation(
    rubric: Rubric,
    cases: Sequence[Case],
    negations: Sequence[str],
    *,
    sitting: Sitting,
    slot: str = "norm",
    opposites: Mapping[str, str] = OPPOSITES,
) -> Rate:
    """Share of verdicts that turn when the norm is negated; verdicts without an opposite count as ungraded.

    Args:
        rubric: A choice of words, or yes and no.
        cases: What is judged.
        negations: The negated norm of each case.
        sitting: The judge.
        slot: Holds the norm.
        opposites: The verdict that must follow for each that has an opposite.

    Raises:
        InputError: not one negation a case, the rubric judges many ids, or as for `ask_judge`.
    """
    if len(negations) != len(cases):
        raise InputError(f"There are {len(negations)} negations for {len(cases)} cases; expected one each.")
    twins = [_twin(case, "negated", {slot: norm}, opposites) for case, norm in zip(cases, negations, strict=True)]
    said = await _both(rubric, cases, rubric, twins, sitting)
    return rate("turned", (None if s is None or s[0] not in opposites else opposites[s[0]] == s[1] for s in said))


async def probe_placebo(
    rubric: Rubric, cases: Sequence[Case], *, sitting: Sitting, slot: str = "norm", neutral: str = "neutral"
) -> Rate:
    """Share of neutral verdicts where the norm is about nothing.

    Raises:
        InputError: the rubric has no such word, it judges many ids, or as for `ask_judge`.
    """
    options, norms = rubric.answer.options, probe_words().placebos
    if neutral not in options:
        raise InputError(f"Rubric {rubric.name}: no word '{neutral}'; it has {list(options)}.")
    all_neutral = dict.fromkeys(options, neutral)
    twins = [
        _twin(case, "placebo", {slot: norms[number % len(norms)]}, all_neutral) for number, case in enumerate(cases)
    ]
    said = await _judged(rubric, twins, sitting)
    return rate("neutral", (None if s is None else s.opinion.choice == neutral for s in said))


def _words(case: Case, slot: str) -> str:
    if slot not in case.values:
        raise InputError(f"item '{case.tag.item}': no slot '{slot}' to probe; it has {sorted(case.values)}.")
    return case.values[slot]


def _twin(case: Case, name: str, values: Mapping[str, str], truths: Mapping[str, str]) -> Case:
    """The case with other words in some slots; a simulated judge is told what is true then."""
    for slot in values:
        _words(case, slot)
    tag = replace(case.tag, item=f"{case.tag.item}/{name}")
    key = case.key
    if key is not None:
        turned = tuple(truths.get(truth, truth) for truth in key.truths)
        key = replace(key, truth=turned[0], truths=turned)
    return replace(case, values={**case.values, **values}, tag=tag, key=key)


def _renamed(case: Case, renamed: Rubric, names: Mapping[str, str]) -> Case:
    twin = _twin(case, "renamed", {}, names)
    if twin.key is None:
        return twin
    key = renamed.key(twin.key.truth, unit=twin.key.unit, place=twin.key.place, rung=twin.key.rung)
    return replace(twin, key=key)


async def _judged(rubric: Rubric, cases: Sequence[Case], sitting: Sitting) -> list[Judged | None]:
    """What the judge says of each case, None where it gives no opinion."""
    if rubric.many:
        raise InputError(f"Rubric {rubric.name}: it judges many ids in one reply; expected one that judges one thing.")
    return [said if isinstance(said, Judged) else None for said in await sitting.judge(rubric, cases)]


async def _both(
    rubric: Rubric, cases: Sequence[Case], other: Rubric, twins: Sequence[Case], sitting: Sitting
) -> list[tuple[str, str] | None]:
    """The words chosen for each case and its twin, None where either has none."""
    plain, probed = await _judged(rubric, cases, sitting), await _judged(other, twins, sitting)
    return [
        (a.opinion.choice, b.opinion.choice) if a and b and a.opinion.choice and b.opinion.choice else None
        for a, b in zip(plain, probed, strict=True)
    ]
