"""Lists judged in one reply: what can be read of them is kept, and nothing is read that the strict reading refuses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.benchmarks.shapes.days.list_judging import LONG, read_some
from mores.benchmarks.shapes.days.verifier import NORM_WORDS
from mores.judges.parse import ReplyFault, read_opinions
from mores.judges.rubric_answers import ChoiceAnswer, Opinion
from mores.models.request import Reply

ANSWER = ChoiceAnswer(options=NORM_WORDS, affirmative="respected")
IDS = ("a", "b", "c")
MANY = tuple(f"{number:02}" for number in range(LONG))
WORD = st.sampled_from([*NORM_WORDS, "other", '"id"', ""])
ROW = st.fixed_dictionaries(
    {"id": st.sampled_from([*IDS, "d"]), "reason": st.text(max_size=5) | WORD, "choice": WORD},
    optional={"more": st.none()},
)


def good(ids: tuple[str, ...] = IDS, choice: str = "respected") -> list[dict[str, object]]:
    return [{"id": name, "reason": "So.", "choice": choice} for name in ids]


def text(rows: object) -> str:
    return json.dumps({"answers": rows})


def agree(words: str, ids: tuple[str, ...] = IDS) -> None:
    """What is read of it is what the strict reading reads, wherever that reads anything."""
    strict = read_opinions(words, ANSWER, ids)
    read = read_some(Reply(text=words), ANSWER, ids)
    if isinstance(strict, ReplyFault):
        assert read.fault == strict
    else:
        assert read.fault is None
        assert tuple(read.found[name] for name in ids) == strict


@given(st.lists(ROW, max_size=5), st.booleans())
def test_a_list_is_read_as_the_strict_reading_reads_it(rows: list[dict[str, object]], plain: bool) -> None:
    agree(json.dumps({"answers": rows}, ensure_ascii=plain))


@pytest.mark.parametrize("ids", [IDS, MANY], ids=["short", "long"])
@given(data=st.data(), word=st.sampled_from(NORM_WORDS), reason=st.text(max_size=8))
def test_a_faultless_list_is_read_whole_in_any_order(
    ids: tuple[str, ...], data: st.DataObject, word: str, reason: str
) -> None:
    rows = data.draw(st.permutations(good(ids)))
    words = json.dumps({"answers": [{**row, "choice": word, "reason": reason} for row in rows]}, ensure_ascii=False)
    agree(words, ids)


@given(st.sampled_from([*MANY, "d"]), WORD)
def test_a_long_list_with_one_odd_row_is_read_as_the_strict_reading_reads_it(name: str, word: str) -> None:
    agree(text([*good(MANY[:-1]), {"id": name, "reason": "So.", "choice": word}]), MANY)


@given(st.text())
def test_any_words_are_read_or_say_why_not(words: str) -> None:
    agree(words)


@pytest.mark.parametrize(
    "words",
    [
        '{"answers": [{"id": "a", "reason": "x", "choice": "violated", "choice": "respected"}]}',
        '{"answers": [{"id": "a", "reason": "x", "choice": "violated", "\\u0063hoice": "respected"}]}',
        '{"answers": [], "answers": []}',
        text(good())[:-1] + ', "answers": []}',
        text([{**row, "reason": "\ud800"} for row in good()]),
        json.dumps({"answers": [{**row, "reason": "\ud800"} for row in good()]}, ensure_ascii=False),
        f"Here it is: {text(good())}",
        f"```json\n{text(good())}\n```",
        text(good(("a", "a", "b"))),
        text([*good(), {"id": "d", "reason": "", "choice": "respected"}]),
    ],
)
def test_traps_are_no_quicker_way_past_the_strict_reading(words: str) -> None:
    agree(words)


def test_what_is_right_in_a_faulty_list_is_kept() -> None:
    rows = [*good(("a",)), {"id": "b", "reason": "x", "choice": "perhaps"}, *good(("c",)), *good(("d",))]
    read = read_some(Reply(text=text(rows)), ANSWER, IDS)
    assert set(read.found) == {"a", "c"}
    assert read.fault is not None
    assert read.found["a"] == Opinion(id="a", reason="So.", choice="respected")


def test_an_id_with_two_answers_has_none() -> None:
    read = read_some(Reply(text=text([*good(), *good(("b",), "violated")])), ANSWER, IDS)
    assert set(read.found) == {"a", "c"}


def test_a_refusal_and_a_cut_reply_say_so() -> None:
    assert read_some(Reply(text=text(good()), refusal=True), ANSWER, IDS).found == {}
    cut = read_some(Reply(text=text(good())[:-20], finish="length"), ANSWER, IDS)
    assert cut.fault is not None
    assert cut.fault.cause == "cut short"


def test_what_rows_of_long_lists_say_alike_is_there_once() -> None:
    lists = [read_some(Reply(text=text(good(MANY))), ANSWER, MANY).found for _ in range(2)]
    assert all(found[name].id is name and found[name].choice is NORM_WORDS[1] for found in lists for name in MANY)
