"""A judge's reply is read strictly: it says one thing in the form asked for, or it has a fault that can be quoted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.benchmarks.shapes.days.list_judging import read_some
from mores.core.codec import encode
from mores.judges.parse import ReplyFault, read_opinions, write_opinions
from mores.judges.rubric_answers import (
    LONGEST_REASON,
    AnswerFormat,
    ChoiceAnswer,
    Opinion,
    Score,
    json_schema,
    text_form,
)
from mores.models.request import Reply
from tests.judges.bench import LABELS, YES_NO

ANSWERS = st.sampled_from((Score(), YES_NO, LABELS))
IDS = st.lists(st.text(min_size=1), max_size=4, unique=True).map(tuple)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["id", "reason", "choice", "score", "answers"]), inner)
    ),
)


def opinions(answer: AnswerFormat, ids: tuple[str, ...]) -> st.SearchStrategy[tuple[Opinion, ...]]:
    def one(name: str) -> st.SearchStrategy[Opinion]:
        if not answer.options:
            return st.builds(Opinion, id=st.just(name), reason=st.text(), points=st.floats(0, 1))
        words = st.sampled_from(answer.options)
        worth = {word: float(word == "yes") if isinstance(answer, Score) else None for word in answer.options}
        return st.builds(
            lambda reason, word: Opinion(id=name, reason=reason, choice=word, points=worth[word]), st.text(), words
        )

    return st.tuples(*(one(name) for name in ids or ("",)))


def fault(text: str, answer: AnswerFormat = LABELS, ids: tuple[str, ...] = ()) -> ReplyFault:
    found = read_opinions(text, answer, ids)
    assert isinstance(found, ReplyFault)
    return found


@given(st.data(), ANSWERS, IDS)
def test_what_was_written_is_read(data: st.DataObject, answer: AnswerFormat, ids: tuple[str, ...]) -> None:
    given_ = data.draw(opinions(answer, ids))
    words = write_opinions(given_, answer, ids)
    assert read_opinions(words, answer, ids) == given_
    assert read_opinions(f"\n```json\n{words}\n```\n", answer, ids) == given_
    assert read_opinions(write_opinions(given_[::-1], answer, ids), answer, ids) == given_


@given(st.text() | JSON.map(json.dumps), ANSWERS, IDS)
def test_no_reply_can_break_the_reading(text: str, answer: AnswerFormat, ids: tuple[str, ...]) -> None:
    found = read_opinions(text, answer, ids)
    assert isinstance(found, ReplyFault) or len(found) == max(1, len(ids))


ONE = '{"reason": "r", "choice": "satisfy"}'


@pytest.mark.parametrize(
    ("text", "cause", "says"),
    [
        ("", "empty reply", "no words"),
        (" \n", "empty reply", "no words"),
        ("I would say that it does.", "not JSON", "not one JSON object"),
        (f"My verdict: {ONE}", "not JSON", "not one JSON object"),
        (f"{ONE}\n{ONE}", "not JSON", "not one JSON object"),
        (f"{ONE} That is all.", "not JSON", "not one JSON object"),
        (ONE[:-5], "not JSON", "not one JSON object"),
        ("[" * 100_000, "not JSON", "nested too deeply"),
        ("7", "wrong fields", "the object is 7; expected an object"),
        ('["satisfy"]', "wrong fields", "expected an object"),
        ('{"choice": "satisfy"}', "wrong fields", 'has the fields ["choice"]'),
        ('{"reason": "r", "choice": "satisfy", "note": ""}', "wrong fields", '"note"'),
        ('{"reason": "r", "choice": "violate", "choice": "satisfy"}', "wrong fields", "stands twice"),
        ('{"reason": "r", "choice": "Satisfy"}', "off the list", 'has "Satisfy"'),
        ('{"reason": "r", "choice": "satisfies"}', "off the list", "expected one of satisfy, neutral, violate"),
        ('{"reason": "r", "choice": 1}', "off the list", "has 1"),
        ('{"reason": 1, "choice": "satisfy"}', "no reason", "expected a text"),
        ('{"reason": "\\ud800", "choice": "satisfy"}', "no reason", "expected a text"),
    ],
)
def test_a_faulty_choice_is_refused_with_a_sentence(text: str, cause: str, says: str) -> None:
    found = fault(text)
    assert found.cause == cause
    assert says in found.says
    assert len(found.says) < 250
    assert "\n" not in found.says


@pytest.mark.parametrize(
    ("score", "cause"),
    [
        ("1.01", "off scale"),
        ("-0.2", "off scale"),
        ("85", "off scale"),
        ("1e999", "off scale"),
        ("NaN", "not finite"),
        ("-Infinity", "not finite"),
        ("true", "no number"),
        ('"0.8"', "no number"),
        ("null", "no number"),
        ("1" * 5_000, "not JSON"),
    ],
)
def test_a_score_off_its_scale_is_refused(score: str, cause: str) -> None:
    assert fault(f'{{"reason": "r", "score": {score}}}', Score()).cause == cause


def rows(*named: str) -> str:
    return json.dumps({"answers": [{"id": name, "reason": "r", "choice": "satisfy"} for name in named]})


@pytest.mark.parametrize(
    ("text", "cause", "says"),
    [
        (rows("a"), "missing ids", '["b"]'),
        (rows(), "missing ids", '["a", "b"]'),
        (rows("a", "b", "c"), "extra ids", 'answer 3 has the id "c"'),
        (rows("a", "a", "b"), "repeated ids", '"a" has two answers'),
        (rows("a", "B"), "extra ids", '"B"'),
        ('{"answers": [{"id": 1, "reason": "r", "choice": "satisfy"}]}', "extra ids", "the id 1"),
        ('{"answers": "none"}', "wrong fields", "expected a list"),
        ('{"answers": ["a"]}', "wrong fields", "answer 1"),
        (ONE, "wrong fields", '["answers"]'),
    ],
)
def test_each_id_is_answered_once_and_no_other(text: str, cause: str, says: str) -> None:
    found = fault(text, LABELS, ("a", "b"))
    assert (found.cause, says in found.says) == (cause, True), found


def test_a_long_fault_is_cut_where_it_is_quoted() -> None:
    assert len(fault(json.dumps({"reason": "r", "choice": "x" * 10_000})).says) < 250


@given(ANSWERS, IDS)
def test_the_schema_and_the_words_ask_for_the_same(answer: AnswerFormat, ids: tuple[str, ...]) -> None:
    schema = json.loads(json_schema(answer, ids))
    fields = schema["properties"]["answers"]["items"] if ids else schema
    words = text_form(answer, ids)
    assert fields["additionalProperties"] is False
    assert all(f'"{field}"' in words for field in fields["required"])
    assert all(json.dumps(name, ensure_ascii=False) in words for name in answer.options)


@pytest.mark.parametrize("options", [("yes",), ("yes", "yes")])
def test_a_choice_is_between_two_words_at_least(options: tuple[str, ...]) -> None:
    with pytest.raises(Exception, match="two or more"):
        ChoiceAnswer(options=options)


def test_the_word_for_good_is_one_of_the_options() -> None:
    with pytest.raises(Exception, match="no option 'good'"):
        ChoiceAnswer(options=("yes", "no"), affirmative="good")


@pytest.mark.parametrize("number", ["202272.2", "-0.01", "1.0000001", "1e999", "6888888888888888"])
def test_a_number_off_the_scale_is_a_fault_and_never_clipped(number: str) -> None:
    """llama.cpp holds a reply to a schema's form, and not to the range of its numbers."""
    found = read_opinions(f'{{"reason": "So.", "score": {number}}}', Score())
    assert isinstance(found, ReplyFault)
    assert found.cause == "off scale"


@pytest.mark.parametrize("length", [LONGEST_REASON, LONGEST_REASON + 1])
def test_a_reason_has_an_end(length: int) -> None:
    one = read_opinions(encode({"reason": "雨" * length, "score": 1}).decode(), Score())
    assert isinstance(one, ReplyFault) is (length > LONGEST_REASON)
    if isinstance(one, ReplyFault):
        assert (one.cause, "2,001 characters; give one or two sentences" in one.says) == ("long reason", True)
    text = encode({"answers": [{"id": "a", "reason": "x" * length, "choice": "yes"}]}).decode()
    listed = read_some(Reply(text=text), ChoiceAnswer(options=("yes", "no")), ("a",))
    assert bool(listed.found) is (length <= LONGEST_REASON)


def test_the_schema_says_how_long_a_reason_may_be() -> None:
    assert json.loads(json_schema(Score()))["properties"]["reason"]["maxLength"] == LONGEST_REASON
