"""Which tables are of one judge: by several prompts in one evaluation yes, in other words in each no."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from mores.annotation.judged_items import JudgedEvaluation
from mores.annotation.label_tables import TaskTable, refuse_mixed
from mores.calibration.certificate import ConformalSettings
from mores.calibration.draws import judge_draws
from mores.core.errors import InputError
from tests.calibration.judged_tables import evaluation, row, table, vote

ONE = evaluation(run="one", model="openai/one")
OTHER = evaluation(run="other", model="openai/other")


def asked(where: JudgedEvaluation, prompts: Sequence[str], first: int = 0) -> TaskTable:
    rows = [
        replace(row(first + n, [vote(first + n, 0, "yes")], where=where), prompt=prompt)
        for n, prompt in enumerate(prompts)
    ]
    return table(rows, {})


def both(of_one: str, of_other: str) -> TaskTable:
    """Each letter is the prompt of a judged thing."""
    return table([*asked(ONE, of_one).rows, *asked(OTHER, of_other, 9).rows], {})


@pytest.mark.parametrize(("of_one", "of_other"), [("aab", "ab"), ("ab", "a"), ("aa", "a")])
def test_talks_of_two_kinds_may_be_judged_by_two_prompts(of_one: str, of_other: str) -> None:
    refuse_mixed(both(of_one, of_other))


@pytest.mark.parametrize(("of_one", "of_other"), [("a", "b"), ("ab", "ac"), ("ab", "c")])
def test_judges_that_were_asked_in_other_words_are_not_mixed(of_one: str, of_other: str) -> None:
    with pytest.raises(InputError, match=r"judges were asked in \d different ways in one, other"):
        refuse_mixed(both(of_one, of_other))


def test_a_certificate_of_talks_of_two_kinds_names_both_prompts() -> None:
    names = {"made.against.v1": "a", "made.harmless.v1": "b", "made.subject.v1": "s"}
    one = evaluation(run="one", model="openai/one", prompts=names)
    rows = [row(n, [vote(n, 0, "yes", prompt="ab"[n % 2])], where=one) for n in range(4)]
    draws = judge_draws(table(rows, {}), "judge", ConformalSettings())
    assert draws.conditions.prompts == {"made.against.v1": "a", "made.harmless.v1": "b"}
    with pytest.raises(InputError, match=r"was asked by 2 prompts \(a, b\); expected the same in all runs"):
        judge_draws(
            table([row(0, [vote(0, n, "yes", prompt="ab"[n]) for n in range(2)], where=ONE)], {}),
            "judge",
            ConformalSettings(),
        )
