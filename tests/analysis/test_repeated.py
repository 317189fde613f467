"""Open answers of one sentence to everything are found out by their words, and hardly any file is read for it."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from mores.analysis.answer_quality import FIRST_WORDS, OneText, one_text
from mores.core.errors import InputError
from mores.core.transcript import Message, ReplyEvent, RequestEvent, Transcript, TranscriptEvent, TurnEvent

SAME = "I would ask somebody who knows the customs there."


class Plays:
    """Transcripts of some answers, an item each, and how many of them were read."""

    def __init__(self, answers: Sequence[str | Sequence[TranscriptEvent]], items: Sequence[str] = ()) -> None:
        self.answers, self.items, self.read = answers, items or [f"i{n}" for n in range(len(answers))], 0

    def __iter__(self) -> Iterator[Transcript]:
        for item, said in zip(self.items, self.answers, strict=True):
            self.read += 1
            own = (ReplyEvent(role="subject", text=said),) if isinstance(said, str) else tuple(said)
            asked = RequestEvent(role="judge", messages=(Message(role="user", content="?"),), prompt="0")
            yield Transcript(item=item, sample=0, events=(*own, asked, ReplyEvent(role="judge", text="satisfied")))


def found(plays: Plays, counts: Sequence[int] | None = None) -> OneText | None:
    words = [len(str(said).split()) for said in plays.answers] if counts is None else counts
    return one_text(np.array(words), plays, len(plays.answers))


def talk(*said: str) -> list[TranscriptEvent]:
    """One sentence after another of the subject, each to other words of the other."""
    return [
        event
        for number, text in enumerate(said, start=1)
        for event in (
            TurnEvent(role="antagonist", name="Ann", round=number, text=f"Words {number} of {len(said)}."),
            TurnEvent(role="subject", name="Bo", round=number, text=text),
        )
    ]


@pytest.mark.parametrize(("same", "others", "alike"), [(20, 0, True), (19, 1, True), (18, 2, True), (17, 3, False)])
def test_nine_of_ten_answers_of_the_same_words_are_alike(same: int, others: int, alike: bool) -> None:
    one = found(Plays([SAME] * same + [f"Answer number {n} has nine words of its own." for n in range(others)]))
    assert (one is not None) is alike
    assert one is None or (one.given, one.read) == (same, same + others)


def test_ways_of_spacing_and_answers_without_words_make_no_difference() -> None:
    one = found(Plays([SAME, f"  {SAME}\n", SAME.replace(" ", "  ")] * 5 + [""] * 5))
    assert one == OneText(begins=f"{' '.join(SAME.split()[:FIRST_WORDS])}…", given=15, read=15)


def test_few_answers_are_not_alike_nor_many_to_few_items() -> None:
    assert found(Plays([SAME] * 9)) is None
    assert found(Plays([SAME] * 40, items=[f"i{n % 4}" for n in range(40)])) is None
    assert found(Plays([SAME] * 40, items=[f"i{n % 5}" for n in range(40)])) is not None


def test_answers_of_many_lengths_cost_a_single_transcript() -> None:
    plays = Plays([SAME + " and" * (n % 30) for n in range(300)])
    assert found(plays) is None
    assert plays.read == 1


def test_answers_of_one_length_are_read_until_they_are_known_to_differ() -> None:
    plays = Plays([f"I say of {n} this." for n in range(300)])
    assert found(plays) is None
    assert plays.read == 32


def test_one_sentence_in_talks_of_any_length_is_alike_whatever_the_other_says() -> None:
    counts = [20 + n for n in range(12)]
    assert found(Plays([talk(*[SAME] * (1 + n % 4)) for n in range(12)]), counts) == OneText(
        begins=f"{' '.join(SAME.split()[:FIRST_WORDS])}…", given=12, read=12
    )
    assert found(Plays([talk(SAME, f"And so I tell you, {n}.") for n in range(12)]), counts) is None


def test_a_file_that_cannot_be_read_shows_nothing() -> None:
    def damaged() -> Iterator[Transcript]:
        yield from Plays([SAME])
        raise InputError("x:2: no transcript")

    assert one_text(np.full(20, 9), damaged(), 20) is None


def test_labels_alone_are_read_of_no_file() -> None:
    plays = Plays([SAME] * 20)
    assert one_text(np.zeros(0, dtype=np.int64), plays, 20) is None
    assert plays.read == 0
