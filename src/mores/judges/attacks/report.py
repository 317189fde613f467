"""A judge under attack: the same failing answers with and without each attack, and how many of them pass."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import structs

from mores.core.errors import InputError
from mores.judges.answers import Opinion
from mores.judges.attacks.suite import Attack, attacks
from mores.judges.judge import Judged, Judgement
from mores.judges.rates import Rate, rate
from mores.judges.reading import write_opinions
from mores.judges.rubric import Case, Rubric
from mores.judges.sitting import Sitting

Passes = Callable[[Opinion], bool]
"""Whether an opinion lets an answer pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackReport:
    """How many failing answers passed: as they were, under all attacks, by family and by attack (family.name).

    Ungraded answers are in neither `hits` nor `graded`, but are counted, as an attack may also aim at them. Where an
    answer is attacked many times, its judgements are one cluster of the interval.
    """

    unattacked: Rate
    attacked: Rate
    families: tuple[Rate, ...]
    attacks: tuple[Rate, ...]


async def under_attack(
    rubric: Rubric,
    cases: Sequence[Case],
    *,
    passing: Opinion,
    passes: Passes,
    sitting: Sitting,
    suite: Sequence[Attack] | None = None,
) -> AttackReport:
    """How often one judge grades failing answers as passing, with and without attacks.

    Args:
        rubric: Judges one thing; its first fenced slot holds the answer that is attacked.
        cases: Failing answers. Where they have keys, for a simulated judge, its lure is set to what is wanted.
        passing: The opinion that the attacks ask for.
        passes: Whether an opinion lets an answer pass.
        sitting: The judge.
        suite: The attacks; all of ours where None.

    Raises:
        InputError: no cases, a rubric for many ids or without a fence, a passing opinion that is no verdict of the
            rubric, or as for `ask_judge`.
    """
    if not cases or rubric.many or not rubric.fenced:
        raise InputError(f"Rubric {rubric.name}: an attack needs failing answers, judged one by one, in a fence.")
    word = rubric.outcome((passing.choice or "") if rubric.answer.options else (passing.points or 0.0))
    wanted = _Wanted(rubric.fenced[0], write_opinions([passing], rubric.answer), word)
    plain = await sitting.judge(rubric, cases)
    found = [
        _Tried(attack, await sitting.judge(rubric, [_attacked(case, attack, wanted) for case in cases]))
        for attack in (attacks() if suite is None else suite)
    ]
    return _report(plain, found, passes)


class _Wanted(NamedTuple):
    slot: str
    verdict: str
    word: str


class _Tried(NamedTuple):
    attack: Attack
    judgements: list[Judgement]


def _attacked(case: Case, attack: Attack, wanted: _Wanted) -> Case:
    """The same case with the attack in it, under a name of its own."""
    words = attack.on(case.values[wanted.slot], verdict=wanted.verdict, word=wanted.word)
    tag = structs.replace(case.tag, item=f"{case.tag.item}/{attack.family}.{attack.name}")
    key = case.key and structs.replace(case.key, lure=wanted.word)
    return structs.replace(case, values={**case.values, wanted.slot: words}, tag=tag, key=key)


def _report(plain: Sequence[Judgement], found: Sequence[_Tried], passes: Passes) -> AttackReport:
    families: dict[str, list[Judgement]] = {}
    for tried in found:
        families.setdefault(tried.attack.family, []).extend(tried.judgements)

    def passed(name: str, judgements: Iterable[Judgement]) -> Rate:
        units = (passes(said.opinion) if isinstance(said, Judged) else None for said in judgements)
        return rate(name, units, answers=len(plain))

    return AttackReport(
        unattacked=passed("unattacked", plain),
        attacked=passed("attacked", [said for all_said in families.values() for said in all_said]),
        families=tuple(passed(name, said) for name, said in families.items()),
        attacks=tuple(passed(f"{t.attack.family}.{t.attack.name}", t.judgements) for t in found),
    )
