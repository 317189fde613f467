"""What somebody wants to do is read out of any words, and checked against the world."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.worlds.town.actions import (
    ACTION_KINDS,
    DECLINED,
    UNASKED,
    Action,
    AvailableActions,
    MenuAction,
    UnparsedAction,
    blame_of,
    offer_of,
    parse_action,
    plain,
    refusal,
)

CHOICES = AvailableActions(
    neighbours=(3, 5),
    present=(7, 8),
    offers=(MenuAction(name="order food", who=("visitor",), using="dish", talks=True),),
    contacts=(7, 9),
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.text())
def test_any_words_are_a_wish_or_say_why_not(words: str) -> None:
    assert isinstance(parse_action(words), Action | UnparsedAction)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "deed": st.sampled_from(ACTION_KINDS) | ANYTHING,
            "to": st.integers() | st.lists(st.integers(), max_size=3) | ANYTHING,
            **{name: st.text() | ANYTHING for name in ("action", "argument", "how")},
        },
    )
)
def test_any_json_object_is_a_wish_that_a_file_can_hold_and_the_world_can_decide_on(said: dict[str, object]) -> None:
    wish = parse_action(json.dumps(said))
    if isinstance(wish, Action):
        assert isinstance(refusal(wish, CHOICES), str)
        msgspec.json.encode((wish.action, wish.argument, wish.how))


def test_halves_of_letters_are_dropped() -> None:
    wish = parse_action(r'{"deed": "wait", "how": "a\ud800b"}')
    assert wish == Action(kind="wait", how="ab")
    assert plain("\udfff x ") == "x"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("", "an empty reply"),
        ("  \n", "an empty reply"),
        ("I walk home.", "malformed JSON"),
        ('{"deed": "go"', "malformed JSON"),
        ("[" * 100_000, "malformed JSON"),
        ("[1]", "no JSON object"),
        ('{"deed": "fly"}', 'no deed is called "fly"'),
        ('{"deed": "go", "to": "home"}', "'to' is no number"),
        ('{"deed": "go", "to": [true]}', "'to' is no number"),
        ('{"deed": "do", "action": 3}', "'action' is no text"),
    ],
)
def test_what_cannot_be_read_is_a_format_error_and_says_why(words: str, why: str) -> None:
    found = parse_action(words)
    assert isinstance(found, UnparsedAction)
    assert why in found.why
    assert blame_of(found.why) == "format_error"


def test_one_object_in_code_fences_is_read() -> None:
    assert parse_action('```json\n{"deed": "go", "to": 3}\n```') == Action(kind="go", to=(3,))
    assert isinstance(parse_action('Well: {"deed": "go", "to": 3}'), UnparsedAction)


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        (Action(kind="go", to=(4,)), "no street"),
        (Action(kind="go", to=(3, 5)), "one place"),
        (Action(kind="go"), "one place"),
        (Action(kind="talk", to=(9,)), "9 is not here"),
        (Action(kind="talk"), "nobody is named"),
        (Action(kind="call", to=(8,)), "8 is here"),
        (Action(kind="call", to=(99,)), "not among the contacts"),
        (Action(kind="call", to=(7, 9)), "one person"),
        (Action(kind="text", to=(9,)), "no words"),
        (Action(kind="do", action="fly"), "does not offer"),
        (Action(kind="do"), "does not offer"),
    ],
)
def test_the_world_refuses_what_is_impossible_and_says_why(wish: Action, why: str) -> None:
    assert why in refusal(wish, CHOICES)
    assert blame_of(refusal(wish, CHOICES)) == "refused"


@pytest.mark.parametrize(
    "wish",
    [
        Action(kind="go", to=(5,)),
        Action(kind="talk", to=(7, 8)),
        Action(kind="call", to=(9,)),
        Action(kind="text", to=(9,), argument="On my way."),
        Action(kind="do", action="Order Food"),
        Action(kind="wait"),
    ],
)
def test_what_is_possible_is_allowed(wish: Action) -> None:
    assert not refusal(wish, CHOICES)


def test_an_offer_is_found_by_its_name_however_it_is_cased() -> None:
    found = offer_of(Action(kind="do", action="ORDER food"), CHOICES)
    assert found is not None
    assert found.talks
    assert offer_of(Action(kind="wait", action="order food"), CHOICES) is None


def test_a_log_tells_whose_fault_a_wait_was() -> None:
    assert blame_of("") is None
    assert blame_of(DECLINED) == "refusal"
    assert blame_of(f"{UNASKED}http 500") == "failure"
