"""What the other hears of a model's words: a turn without its label, no more than a turn, and each slip flagged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.models.request import Reply
from mores.worlds.dialogue import FLAGS, filter_reply, is_closing
from mores.worlds.persona import Persona

RULES = ("Take the two points one after the other, and do not hurry.\nYou are after a pair of shoes from ", ".")
OMAR = Persona(role="antagonist", name="Omar", brief="You play Omar.", prompt="x")
PIET = Persona(role="subject", name="Piet", brief="You play Piet.", prompt="y", rules=RULES)


def heard(text: str, before: str | None = None, **reply: object) -> tuple[str, tuple[str, ...]]:
    """What Omar hears of Piet, and its flags."""
    said = filter_reply(Reply(text=text, **reply), PIET, OMAR, before)  # type: ignore[arg-type]
    return said.text, said.flags


@pytest.mark.parametrize(
    "text",
    ["Four bowls it is.", "Piet: Four bowls it is.", "**Piet:** Four bowls it is.", "PIET :  Four bowls it is.",
     "[Piet]: Four bowls it is.", "Agent 2: Four bowls it is.", "Character 2:\nFour bowls it is.",
     "  Four bowls it is.\n"],
)  # fmt: skip
def test_the_speakers_own_name_before_its_words_is_no_part_of_them(text: str) -> None:
    assert heard(text) == ("Four bowls it is.", ())


@pytest.mark.parametrize("text", ["Piet here: yes.", "As Piet: said, no.", "Time: noon.", "At 10:30, Piet."])
def test_a_colon_alone_makes_no_label(text: str) -> None:
    assert heard(text) == (text, ())


def test_quotes_and_signs_after_a_label_stay() -> None:
    assert heard("Piet: ¡Hola! “Four”?") == ("¡Hola! “Four”?", ())


@pytest.mark.parametrize(
    "text",
    ["Not four.\nOmar: Why not?", "Not four.\n\n**Omar:** Why not?\nPiet: It sounds like death.",
     "Piet: Not four.\nOmar: Why?", "Not four.\nAgent 1: Why not?", "Not four.\n  OMAR: Why?", "Not four.\nPiet: No."],
)  # fmt: skip
def test_who_goes_on_to_speak_for_the_other_is_heard_up_to_there(text: str) -> None:
    assert heard(text) == ("Not four.", ("speaks for the other",))


def test_who_speaks_for_the_other_alone_says_nothing() -> None:
    assert heard("Omar: Let us take four.") == ("", ("empty", "speaks for the other"))


def test_naming_the_other_is_no_speaking_for_it() -> None:
    assert heard("Omar, I told you: four is no good.")[1] == ()


@pytest.mark.parametrize("text", ["", "   \n ", "Piet:", "**Piet:**"])
def test_no_words_are_flagged_as_none(text: str) -> None:
    assert heard(text) == ("", ("empty",))


def test_a_refusal_by_the_endpoint_is_flagged_with_its_words() -> None:
    assert heard("I cannot go on.", refusal=True) == ("I cannot go on.", ("refusal",))


@pytest.mark.parametrize("again", ["Not four!", "not   four", "**Not four.**", "Piet: Not four."])
def test_who_says_the_same_again_repeats_whatever_the_marks(again: str) -> None:
    assert heard(again, "Not four.")[1] == ("repeats",)


def test_other_words_or_none_repeat_nothing() -> None:
    assert heard("Not five.", "Not four.")[1] == ()
    assert heard("", "")[1] == ("empty",)
    assert heard("?", "!")[1] == ()


def test_instructions_said_aloud_are_a_leak_and_their_order_counts() -> None:
    assert heard("I must take the two points one after the other.")[1] == ("leaks its instructions",)
    assert heard("TAKE THE TWO POINTS ONE AFTER THE other!")[1] == ("leaks its instructions",)
    assert heard("The two points I take one after the other.")[1] == ()
    assert heard("Take the two points one by one.")[1] == ()


def test_what_fills_the_slots_of_instructions_may_be_said() -> None:
    """Eight words in a row that run over the bounds of a slot are nobody's instruction."""
    assert heard("You wanted a pair of shoes from Lisbon, I think.")[1] == ()


def test_instructions_put_into_the_others_mouth_are_a_leak_too() -> None:
    flags = heard("Fine.\nOmar: Take the two points one after the other, and do not hurry.")[1]
    assert flags == ("speaks for the other", "leaks its instructions")


def test_a_mind_without_instructions_leaks_none() -> None:
    reply = Reply(text="Take the two points one after the other, and do not hurry.")
    assert filter_reply(reply, OMAR, PIET, None).flags == ()


def test_words_cut_by_the_limit_are_flagged() -> None:
    assert heard("Not four, as", finish="length") == ("Not four, as", ("cut short",))


@pytest.mark.parametrize(
    "text",
    ["OK. GOOD BYE!", "Good bye.", "goodbye", "Thank you, good-bye then.", "It was nice. Good\nbye!", "Goodbye, Omar."],
)
def test_good_bye_in_any_spelling_closes(text: str) -> None:
    assert is_closing(text)


@pytest.mark.parametrize(
    "text",
    ["", "Let us plan her goodbye party.", "We should say goodbye to Hana at noon.", "A good bye to start with.",
     "The goodbye dinner is on Friday.", "Call one hello or goodbye to all.", "A nod is hello and goodbye there.",
     "They are saying good bye already.", "It is good by me."],
)  # fmt: skip
def test_speaking_of_a_farewell_closes_nothing(text: str) -> None:
    assert not is_closing(text)


def test_one_good_bye_among_plans_for_another_closes() -> None:
    assert is_closing("Her goodbye party is settled. GOOD BYE!")


@given(
    text=st.text(alphabet="PietOmar: \n*Agent12goodbye.—雨", max_size=80), before=st.none() | st.text(max_size=20),
    refusal=st.booleans(), finish=st.sampled_from(["stop", "length"]),
)  # fmt: skip
def test_flags_are_always_the_same_and_in_their_order(
    text: str, before: str | None, refusal: bool, finish: str
) -> None:
    first = heard(text, before, refusal=refusal, finish=finish)
    assert first == heard(text, before, refusal=refusal, finish=finish)
    assert list(first[1]) == [flag for flag in FLAGS if flag in first[1]]
    assert first[0] == first[0].strip()
    assert first[0] in text
    assert ("empty" in first[1]) == (not first[0])


@given(st.text(max_size=60))
def test_words_without_a_colon_are_heard_whole(text: str) -> None:
    plain = text.replace(":", ";")
    assert heard(plain)[0] == plain.strip()
