"""Probes find the habits that a judge has, and none in a judge that has none."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import pytest

from mores.core.errors import InputError
from mores.judges.answers import Choice, Opinion, Score
from mores.judges.probes import (
    OPPOSITES,
    probe_labels,
    probe_negation,
    probe_placebo,
    probe_position,
    probe_verbosity,
    probe_words,
)
from mores.judges.rubric import Case, Rubric
from mores.judges.sitting import Sitting
from mores.models.request import Request, Tag
from tests.judges.bench import LABELS, SAMPLING, SEED, YES_NO, Scripted, Simulation, case, planted_case, prompt, rubric

T = TypeVar("T")
DUEL = Rubric(
    prompt=prompt("Which is better?\n[[first]]\n[[second]]\n[[form]]"),
    answer=Choice(options=("first", "second", "tie")),
    fenced=("first", "second"),
)
LETTERS = Choice(options=("A", "B", "C"), affirmative="A")
NAMES = {"satisfy": "A", "neutral": "B", "violate": "C"}
SURE = "simulated/judge:sensitivity=1,specificity=1,format_error=0,noise=0"


def put(use: Callable[[Sitting], Awaitable[T]], cast: Scripted | Simulation) -> T:
    async def go() -> T:
        return await use(Sitting(cast=cast, sampling=SAMPLING, seed=SEED))

    return asyncio.run(go())


def says(choose: Callable[[str], str]) -> Scripted:
    """A judge that chooses by the words it is asked."""

    def turn(request: Request) -> str:
        return f'{{"reason": "r", "choice": "{choose(request.messages[0].content)}"}}'

    return Scripted([turn])


def duels(count: int, truth: str | None = None) -> list[Case]:
    words = [("short", "a much longer answer") if n % 2 else ("a much longer answer", "short") for n in range(count)]
    cases = [
        Case(values={"first": a, "second": b}, tag=Tag(item=f"d-{n}", role="judge")) for n, (a, b) in enumerate(words)
    ]
    return [replace(c, key=DUEL.key(truth, unit=c.tag.item)) for c in cases] if truth else cases


def cases(judged: Rubric, truths: Sequence[str | bool], item: str = "i") -> list[Case]:
    return [planted_case(judged, truth, f"{item}-{n}") for n, truth in enumerate(truths)]


def test_a_judge_that_looks_at_the_words_is_consistent_over_both_orders() -> None:
    def longer(words: str) -> str:
        return "first" if words.index("longer") < words.index("short") else "second"

    figures = put(lambda sitting: probe_position(DUEL, duels(20), sitting=sitting), says(longer))
    assert figures.consistent.share == 1
    assert (figures.first, figures.p) == (0.5, 1.0)
    assert figures.interval.low is not None


def test_a_judge_that_prefers_the_first_place_is_found_out() -> None:
    figures = put(lambda sitting: probe_position(DUEL, duels(20), sitting=sitting), says(lambda _: "first"))
    assert (figures.consistent.share, figures.first) == (0, 1)
    assert figures.p == pytest.approx(2 * 0.5**20)
    assert (figures.interval.low or 0) > 0.8


def test_a_tie_in_both_orders_is_consistent_and_wins_for_no_place() -> None:
    figures = put(lambda sitting: probe_position(DUEL, duels(4), sitting=sitting), says(lambda _: "tie"))
    assert figures.consistent.share == 1
    assert (figures.first, figures.p) == (None, None)


def test_a_simulated_judge_without_errors_is_consistent() -> None:
    figures = put(lambda sitting: probe_position(DUEL, duels(10, "second"), sitting=sitting), Simulation(SURE))
    assert (figures.consistent.share, figures.first) == (1, 0.5)


def test_a_judge_that_cannot_be_read_has_no_figures() -> None:
    figures = put(lambda sitting: probe_position(DUEL, duels(3), sitting=sitting), Scripted(["Both."]))
    assert (figures.consistent.ungraded, figures.consistent.share, figures.p) == (3, None, None)


def yes(opinion: Opinion) -> bool:
    return opinion.choice == "yes"


def test_padding_lifts_the_grades_of_a_judge_that_counts_words() -> None:
    judged = rubric(YES_NO)
    asked = [case(item=f"i-{n}") for n in range(20)]
    padding = says(lambda words: "yes" if any(text in words for text in probe_words().padding) else "no")
    figures = put(lambda sitting: probe_verbosity(judged, asked, passes=yes, sitting=sitting), padding)
    assert (figures.asked, figures.graded, figures.paired.difference) == (20, 20, 1.0)
    assert figures.paired.p == pytest.approx(2 * 0.5**20)


def test_padding_moves_nothing_in_a_judge_that_does_not_count_words() -> None:
    judged = rubric(YES_NO)
    asked = cases(judged, [n % 2 == 0 for n in range(20)])
    figures = put(lambda sitting: probe_verbosity(judged, asked, passes=yes, sitting=sitting), Simulation(SURE))
    assert (figures.paired.difference, figures.paired.p, figures.paired.discordance) == (0, 1, 0)


def test_other_names_change_no_verdict_of_a_steady_judge() -> None:
    asked = cases(rubric(LABELS), ["satisfy", "neutral", "violate"] * 5)
    found = put(
        lambda sitting: probe_labels(rubric(LABELS), rubric(LETTERS), asked, names=NAMES, sitting=sitting),
        Simulation(SURE),
    )
    assert (found.share, found.graded) == (1, 15)


def test_a_judge_that_likes_a_letter_is_found_out() -> None:
    letters = says(lambda words: "A" if '"A"' in words else "violate")
    asked = [case(item=f"i-{n}") for n in range(10)]
    found = put(
        lambda sitting: probe_labels(rubric(LABELS), rubric(LETTERS), asked, names=NAMES, sitting=sitting), letters
    )
    assert found.hits == 0
    assert (found.interval.high or 1) < 0.3


def test_each_word_has_another_name() -> None:
    with pytest.raises(InputError, match="names are"):
        put(
            lambda sitting: probe_labels(rubric(LABELS), rubric(LETTERS), [], names={"satisfy": "A"}, sitting=sitting),
            Simulation(SURE),
        )


def test_a_sound_judge_turns_its_verdict_with_the_norm() -> None:
    judged = rubric(LABELS)
    asked = cases(judged, ["satisfy", "violate", "neutral"] * 4)
    norms = ["People do not bow."] * 12
    found = put(lambda sitting: probe_negation(judged, asked, norms, sitting=sitting), Simulation(SURE))
    assert (found.share, found.graded, found.ungraded) == (1, 8, 4)


def test_a_judge_that_does_not_read_the_norm_is_found_out() -> None:
    asked = [case(item=f"i-{n}") for n in range(10)]
    norms = ["People do not bow."] * 10
    deaf = says(lambda _: "satisfy")
    found = put(lambda sitting: probe_negation(rubric(LABELS), asked, norms, sitting=sitting), deaf)
    assert (found.share, found.graded) == (0, 10)


def test_each_case_has_its_negation() -> None:
    with pytest.raises(InputError, match="1 negations for 2 cases"):
        put(
            lambda sitting: probe_negation(rubric(LABELS), [case(), case()], ["Not so."], sitting=sitting),
            Simulation(SURE),
        )


@pytest.mark.parametrize(("word", "share"), [("neutral", 1.0), ("satisfy", 0.0)])
def test_a_norm_about_nothing_is_neither_kept_nor_broken(word: str, share: float) -> None:
    asked = [case(item=f"i-{n}") for n in range(8)]
    found = put(lambda sitting: probe_placebo(rubric(LABELS), asked, sitting=sitting), says(lambda _: word))
    assert (found.share, found.graded) == (share, 8)


def test_a_simulated_judge_knows_a_placebo() -> None:
    asked = cases(rubric(LABELS), ["satisfy", "violate"])
    assert put(lambda sitting: probe_placebo(rubric(LABELS), asked, sitting=sitting), Simulation(SURE)).share == 1


def test_verdicts_that_fail_are_ungraded() -> None:
    found = put(lambda sitting: probe_placebo(rubric(LABELS), [case()], sitting=sitting), Scripted(["Hm."]))
    assert (found.asked, found.ungraded, found.share) == (1, 1, None)


def test_a_rubric_without_a_neutral_word_takes_no_placebo() -> None:
    with pytest.raises(InputError, match="no word 'neutral'"):
        put(lambda sitting: probe_placebo(rubric(YES_NO), [case()], sitting=sitting), Simulation(SURE))


def test_a_slot_that_is_not_there_cannot_be_probed() -> None:
    with pytest.raises(InputError, match="no slot 'reply' to probe"):
        put(
            lambda sitting: probe_verbosity(rubric(), [case()], passes=yes, sitting=sitting, slot="reply"),
            Simulation(SURE),
        )


def test_a_rubric_for_many_ids_cannot_be_probed() -> None:
    many = rubric(LABELS, many=True)
    with pytest.raises(InputError, match="judges many ids"):
        put(lambda sitting: probe_placebo(many, [case(ids=("a",))], sitting=sitting), Simulation(SURE))


def test_a_continuous_score_has_no_word_to_turn() -> None:
    scores = Scripted(['{"reason": "r", "score": 0.5}'])
    found = put(lambda sitting: probe_negation(rubric(Score()), [case()], ["Not so."], sitting=sitting), scores)
    assert (found.asked, found.graded) == (1, 0)


def test_opposites_are_mutual() -> None:
    assert all(OPPOSITES[other] == word for word, other in OPPOSITES.items())


def test_the_probes_words_are_each_their_own() -> None:
    words = probe_words()
    assert len({*words.padding, *words.placebos}) == len(words.padding) + len(words.placebos) == 10
