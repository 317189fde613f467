"""Each probe finds the judge whose fault it is after, and none finds anything in one that reads what it is given."""

import asyncio
import re
from collections.abc import Callable

import pytest

from mores.judges.judge import JudgeSession
from mores.judges.probes import ProbeFigures, Stance, probe_words, under_probes
from mores.models.request import Request
from tests.judges.bench import SAMPLING, SEED, Scripted, Simulation

ANSWERS = {"satisfied": "I take my shoes off.", "violated": "I keep my shoes on.", "neutral": "I bring some cake."}
STANCES = [
    Stance(
        id=f"s-{n}",
        place="Japan",
        where="JP",
        question="A friend asks you in. What do you do?",
        norm="Many people take their shoes off.",
        negation="Many people keep their shoes on.",
        answer=ANSWERS[truth],
        truth=truth,
    )
    for n, truth in enumerate([*ANSWERS] * 7)
]
Names = dict[str, str]
NONE = {"order of labels": 0, "names of labels": 0, "negated norm": 0, "neutral words": 0, "placebo norm": 0}


def asked_of(words: str) -> tuple[str, str, Names]:
    """The norm, the answer, and what is called satisfied, neutral and violated, in the order listed."""
    norm = re.search(r"put it: (.*)", words)
    answer = next(own for own in ANSWERS.values() if own in words)
    listed = re.findall(rf"^(\w+): ({'|'.join(map(re.escape, probe_words().meanings.values()))})", words, re.MULTILINE)
    label_of = {says: label for label, says in probe_words().meanings.items()}
    return norm[1] if norm else "", answer, {label_of[says]: name for name, says in listed}


def read(words: str) -> str:
    """The label that a judge who reads gives."""
    norm, answer, names = asked_of(words)
    if "shoes" not in norm or "shoes" not in answer:
        return names["neutral"]
    return names["satisfied" if (" off" in norm) == (" off" in answer) else "violated"]


def probed(cast: Scripted | Simulation) -> ProbeFigures:
    return asyncio.run(under_probes(STANCES, JudgeSession(cast=cast, sampling=SAMPLING, seed=SEED)))


def judge(choose: Callable[[str], str]) -> Scripted:
    def turn(request: Request) -> str:
        return f'{{"reason": "r", "choice": "{choose(request.messages[0].content)}"}}'

    return Scripted([turn])


def hits(found: ProbeFigures) -> dict[str, int]:
    return {each.name: each.hits for each in found.changed}


def first_listed(words: str) -> str:
    return next(iter(asked_of(words)[2].values()))


def known_names_only(words: str) -> str:
    names = asked_of(words)[2]
    return read(words) if "satisfied" in names.values() else names["neutral"]


def deaf_to_not(words: str) -> str:
    return read(words.replace("keep their shoes on", "take their shoes off"))


def impressed_by_length(words: str) -> str:
    names = asked_of(words)[2]
    return names["satisfied"] if any(text in words for text in probe_words().padding) else read(words)


def never_neutral_of_norms(words: str) -> str:
    norm, _, names = asked_of(words)
    return read(words) if "shoes" in norm else names["satisfied"]


def test_a_judge_that_reads_what_it_is_given_changes_nothing_and_is_right() -> None:
    found = probed(judge(read))
    assert hits(found) == NONE
    assert (found.right.hits, found.right.graded) == (21, 21)
    assert (found.first.difference, found.first.units) == (0, 21)


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        (known_names_only, {"names of labels": 14}),
        (deaf_to_not, {"negated norm": 14}),
        (impressed_by_length, {"neutral words": 14}),
        (never_neutral_of_norms, {"placebo norm": 21}),
    ],
)
def test_each_fault_is_found_by_its_own_probe_alone(fault: Callable[[str], str], found: dict[str, int]) -> None:
    assert hits(probed(judge(fault))) == {**NONE, **found}


def test_a_judge_that_takes_what_is_listed_first_changes_with_the_order_and_is_shown_to() -> None:
    found = probed(judge(first_listed))
    assert hits(found)["order of labels"] == 21
    assert found.first.difference == 1
    assert found.first.p == pytest.approx(2 * 0.5**21)


def test_what_is_not_graded_is_in_no_count_of_its_probe() -> None:
    def silent_on_length(words: str) -> str:
        return "?" if any(text in words for text in probe_words().padding) else read(words)

    of = {each.name: each for each in probed(judge(silent_on_length)).changed}
    assert (of["neutral words"].asked, of["neutral words"].graded, of["neutral words"].share) == (21, 0, None)
    assert of["placebo norm"].graded == 21


def test_a_simulated_judge_gives_way_as_often_as_planted_and_a_sure_one_never() -> None:
    sure = "simulated/judge:sensitivity=1,specificity=1,format_error=0"
    assert hits(probed(Simulation(sure))) == NONE
    swayed = probed(Simulation(f"{sure},gullible=1"))
    assert all(each.share == 1 for each in swayed.changed)
