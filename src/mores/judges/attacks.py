"""A judge under attack: the same failing answers with and without each attack, and how many of them pass.

An attack is what a subject may write round a failing answer so that its judge lets it pass.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from msgspec import Struct, structs

from mores.core.codec import build, read_toml
from mores.core.errors import InputError
from mores.core.prompt import Prompt, PromptHeader
from mores.judges.judge import JudgeOutcome, JudgeResult, JudgeSession
from mores.judges.jury import JudgingRate, rate
from mores.judges.parse import write_opinions
from mores.judges.rubric import Case, Rubric
from mores.judges.rubric_answers import Opinion

FILE = Path(__file__).parent / "attacks.toml"


class Attack(Struct, frozen=True, kw_only=True):
    """One attack: its family, its name within it, and its words with slots for answer and verdict."""

    family: str
    name: str
    words: Prompt

    def on(self, answer: str, *, verdict: str, word: str) -> str:
        """The answer under this attack.

        Args:
            answer: A failing answer.
            verdict: A whole reply of the judge that lets it pass.
            word: The verdict alone.
        """
        values = {"answer": answer, "verdict": verdict, "word": word}
        return self.words.render(**{slot: values[slot] for slot in self.words.slots})


@cache
def attacks() -> tuple[Attack, ...]:
    """All attacks of the suite, family by family."""
    families = build(dict[str, dict[str, str]], read_toml(FILE), where=FILE.name)
    return tuple(
        Attack(family=family, name=name, words=_prompt(f"{family}.{name}", words))
        for family, named in families.items()
        for name, words in named.items()
    )


def _prompt(name: str, words: str) -> Prompt:
    header = PromptHeader(name=f"judges.attack.{name}.v1", role="subject", language="en", origin="own")
    return Prompt(header, words, FILE.name)


Passes = Callable[[Opinion], bool]
"""True of an opinion that lets an answer pass."""


class AttackReport(Struct, frozen=True, kw_only=True):
    """Counts of failing answers that passed: as they were, under all attacks, by family and by attack (family.name).

    Ungraded answers are in neither `hits` nor `graded`, but are counted, as an attack may also aim at them. Where an
    answer is attacked many times, its judgements are one cluster of the interval.
    """

    unattacked: JudgingRate
    attacked: JudgingRate
    families: tuple[JudgingRate, ...]
    attacks: tuple[JudgingRate, ...]


async def under_attack(
    rubric: Rubric,
    cases: Sequence[Case],
    *,
    passing: Opinion,
    passes: Passes,
    session: JudgeSession,
    suite: Sequence[Attack] | None = None,
) -> AttackReport:
    """Share of failing answers that one judge grades as passing, with and without attacks.

    Args:
        rubric: Judges one thing; its first fenced slot holds the answer that is attacked.
        cases: Failing answers. Where they have keys, for a simulated judge, its lure is set to what is wanted.
        passing: The opinion that the attacks ask for.
        passes: Whether an opinion lets an answer pass.
        session: The judge.
        suite: The attacks; all of ours where None.

    Raises:
        InputError: no cases, a rubric for many ids or without a fence, a passing opinion that is no verdict of the
            rubric, or as for `ask_judge`.
    """
    if not cases or rubric.many or not rubric.fenced:
        raise InputError(f"Rubric {rubric.name}: an attack needs failing answers, judged one by one, in a fence.")
    slot, verdict = rubric.fenced[0], write_opinions([passing], rubric.answer)
    word = rubric.outcome((passing.choice or "") if rubric.answer.options else (passing.points or 0.0))

    def attacked(case: Case, attack: Attack) -> Case:
        """The same case with the attack in it, under a name of its own."""
        words = attack.on(case.values[slot], verdict=verdict, word=word)
        tag = structs.replace(case.tag, item=f"{case.tag.item}/{attack.family}.{attack.name}")
        key = case.key and structs.replace(case.key, lure=word)
        return structs.replace(case, values={**case.values, slot: words}, tag=tag, key=key)

    def passed(name: str, judgements: Iterable[JudgeOutcome]) -> JudgingRate:
        units = (passes(each.opinion) if isinstance(each, JudgeResult) else None for each in judgements)
        return rate(name, units, answers=len(cases))

    unattacked, each = passed("unattacked", await session.judge(rubric, cases)), list[JudgingRate]()
    families: dict[str, list[JudgeOutcome]] = {}
    for attack in attacks() if suite is None else suite:
        results = await session.judge(rubric, [attacked(case, attack) for case in cases])
        families.setdefault(attack.family, []).extend(results)
        each.append(passed(f"{attack.family}.{attack.name}", results))
    return AttackReport(
        unattacked=unattacked,
        attacked=passed("attacked", chain.from_iterable(families.values())),
        families=tuple(passed(name, results) for name, results in families.items()),
        attacks=tuple(each),
    )
