"""Verdicts are stored and read back; what is no verdict is refused by its line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from mores.core.codec import encode, encode_lines, parse_json
from mores.core.errors import InputError
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict, decode_verdicts
from mores.core.verdict_table import VerdictTable

words = st.text(max_size=10)
maybe = st.none() | words
groups = st.dictionaries(words, words, max_size=2)
abouts = st.builds(ItemMetadata, item=words, unit=words, cluster=words, place=maybe, groups=groups)
graded = st.builds(
    Graded,
    about=abouts,
    sample=st.integers(0, 9),
    task=words,
    points=st.floats(0, 1),
    label=maybe,
    gold=maybe,
    fault=st.sampled_from([None, "format_error", "refusal"]),
    reason=words,
)
ungraded = st.builds(Ungraded, about=abouts, sample=st.integers(0, 9), task=words, cause=words, raw=words, gold=maybe)
ABOUT = ItemMetadata(item="i-1", unit="q-1", cluster="c", place="JP", groups={"domain": "naming"})
ONE = Graded(about=ABOUT, sample=0, task="strict", points=1.0)


def unique(verdict: Verdict) -> str:
    return verdict.about.item


@given(st.lists(graded | ungraded, max_size=5, unique_by=unique))
def test_verdicts_come_back_as_they_went_out(verdicts: list[Verdict]) -> None:
    assert list(decode_verdicts(encode_lines(verdicts).split(b"\n")[:-1], where="v")) == verdicts


def test_a_verdict_is_one_line_whatever_it_says() -> None:
    verdict = Ungraded(about=ABOUT, sample=0, task="t", cause="c", raw="a\nb\r\u2028\u0085c")
    assert encode_lines([verdict, ONE]).count(b"\n") == 2
    assert list(decode_verdicts(encode_lines([verdict, ONE]).splitlines(), where="v")) == [verdict, ONE]


def test_two_tasks_of_one_item_share_what_it_is_about() -> None:
    two = Graded(about=ABOUT, sample=0, task="lenient", points=0.0)
    first, second = decode_verdicts(encode_lines([ONE, two]).splitlines(), where="v")
    assert first.about is second.about


def test_samples_of_one_item_keep_groups_of_their_own() -> None:
    other = Graded(about=structs.replace(ABOUT, groups={"domain": "greeting"}), sample=1, task="strict", points=1.0)
    verdicts = [ONE, other, structs.replace(ONE, sample=2)]
    assert list(decode_verdicts(encode_lines(verdicts).splitlines(), where="v")) == verdicts


@given(st.lists(st.lists(graded | ungraded, max_size=6), max_size=4))
def test_verdicts_that_go_into_a_table_together_stand_there_as_one_by_one(groups: list[list[Verdict]]) -> None:
    together, alone = VerdictTable(), VerdictTable()
    for group in groups:
        twice = [each for verdict in group for each in (verdict, structs.replace(verdict, task="other"))]
        together.extend(twice)
        for verdict in twice:
            alone.add(verdict)
    assert (together.tasks, together.words, together.causes) == (alone.tasks, alone.words, alone.causes)
    assert list(together.item_metadata) == list(alone.item_metadata)
    for task in alone.tasks:
        for one, other in zip(together.frame(task), alone.frame(task), strict=True):
            np.testing.assert_array_equal(one, other)


LINE = parse_json(encode(ONE), where="v")


@pytest.mark.parametrize(
    "row",
    [
        [],
        7,
        {},
        {**LINE, "verdict": "maybe"},
        {**LINE, "verdict": ["graded"]},
        {**LINE, "about": None},
        {**LINE, "about": {"item": [], "unit": "q", "cluster": "c"}},
        {**LINE, "about": {"item": "x"}},
        {**LINE, "about": {**LINE["about"], "plaice": "JP"}},
        {**LINE, "extra": 1},
        {k: v for k, v in LINE.items() if k != "points"},
    ],
)
def test_a_line_that_is_no_verdict_is_named(row: object) -> None:
    with pytest.raises(InputError, match=r"^v\.jsonl:2: "):
        list(decode_verdicts([encode(ONE), encode(row)], where="v.jsonl"))


@pytest.mark.parametrize(
    "wrong", [{"points": "high"}, {"points": None}, {"sample": "0"}, {"fault": "tired"}, {"label": 3}]
)
def test_a_field_of_another_kind_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"^v\.jsonl:2: "):
        list(decode_verdicts([encode(ONE), encode({**LINE, **wrong})], where="v.jsonl"))


def test_a_cut_line_is_named() -> None:
    whole = encode(ONE)
    with pytest.raises(InputError, match=r"^v\.jsonl:2: no verdict"):
        list(decode_verdicts([whole, whole[:40]], where="v.jsonl"))
