"""The probe finds a judge that counts words, and nothing in one that does not."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import pytest

from mores.core.errors import InputError
from mores.judges.judge import JudgeSession
from mores.judges.probes import probe_verbosity, probe_words
from mores.judges.rubric import Case, Rubric
from mores.judges.rubric_answers import Opinion
from mores.models.request import Request
from tests.judges.bench import LABELS, SAMPLING, SEED, YES_NO, Scripted, Simulation, case, planted_case, rubric

T = TypeVar("T")
SURE = "simulated/judge:sensitivity=1,specificity=1,format_error=0,noise=0"


def put(use: Callable[[JudgeSession], Awaitable[T]], cast: Scripted | Simulation) -> T:
    async def go() -> T:
        return await use(JudgeSession(cast=cast, sampling=SAMPLING, seed=SEED))

    return asyncio.run(go())


def says(choose: Callable[[str], str]) -> Scripted:
    """A judge that chooses by the words it is asked."""

    def turn(request: Request) -> str:
        return f'{{"reason": "r", "choice": "{choose(request.messages[0].content)}"}}'

    return Scripted([turn])


def cases(judged: Rubric, truths: Sequence[str | bool], item: str = "i") -> list[Case]:
    return [planted_case(judged, truth, f"{item}-{n}") for n, truth in enumerate(truths)]


def yes(opinion: Opinion) -> bool:
    return opinion.choice == "yes"


def test_padding_lifts_the_grades_of_a_judge_that_counts_words() -> None:
    judged = rubric(YES_NO)
    asked = [case(item=f"i-{n}") for n in range(20)]
    padding = says(lambda words: "yes" if any(text in words for text in probe_words().padding) else "no")
    figures = put(lambda sitting: probe_verbosity(judged, asked, passes=yes, session=sitting), padding)
    assert (figures.asked, figures.graded, figures.paired.difference) == (20, 20, 1.0)
    assert figures.paired.p == pytest.approx(2 * 0.5**20)


def test_padding_moves_nothing_in_a_judge_that_does_not_count_words() -> None:
    judged = rubric(YES_NO)
    asked = cases(judged, [n % 2 == 0 for n in range(20)])
    figures = put(lambda sitting: probe_verbosity(judged, asked, passes=yes, session=sitting), Simulation(SURE))
    assert (figures.paired.difference, figures.paired.p, figures.paired.discordance) == (0, 1, 0)


def test_a_slot_that_is_not_there_cannot_be_probed() -> None:
    with pytest.raises(InputError, match="no slot 'reply' to probe"):
        put(
            lambda sitting: probe_verbosity(rubric(), [case()], passes=yes, session=sitting, slot="reply"),
            Simulation(SURE),
        )


def test_a_rubric_for_many_ids_cannot_be_probed() -> None:
    many = rubric(LABELS, many=True)
    with pytest.raises(InputError, match="judges many ids"):
        put(lambda sitting: probe_verbosity(many, [case(ids=("a",))], passes=yes, session=sitting), Simulation(SURE))


def test_the_probes_words_are_each_their_own() -> None:
    words = probe_words()
    assert len({*words.padding}) == len(words.padding)
