"""Data comes in strictly and goes out in one spelling."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec import field as stored_as

from mores.core.codec import build, canonical, digest, encode, parse_json, read_text, read_toml
from mores.core.errors import InputError
from mores.core.transcript import FailureEvent, Message, ReplyEvent, RequestEvent, Transcript, read_event


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    name: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    leaf: Leaf
    leaves: tuple[Leaf, ...] = ()
    spare: Leaf | None = None
    maybe: tuple[Leaf, ...] | None = None
    named: dict[str, str] = field(default_factory=dict)
    grafted: dict[str, Leaf] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    branch: Branch
    note: str | None = None


words = st.text(max_size=12)
leaves = st.builds(Leaf, name=words, weight=st.floats(allow_nan=False, allow_infinity=False))
branches = st.builds(
    Branch,
    leaf=leaves,
    leaves=st.lists(leaves, max_size=3).map(tuple),
    spare=st.none() | leaves,
    maybe=st.none() | st.lists(leaves, max_size=2).map(tuple),
    named=st.dictionaries(words, words, max_size=3),
    grafted=st.dictionaries(words, leaves, max_size=2),
)
trees = st.builds(Tree, branch=branches, note=st.none() | words)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=12,
)


@given(trees)
def test_a_noun_comes_back_as_it_went_out(tree: Tree) -> None:
    assert build(Tree, parse_json(encode(tree), where="t"), where="t") == tree


@given(st.dictionaries(words, plain, max_size=6))
def test_the_order_of_keys_changes_no_hash(value: dict[str, object]) -> None:
    turned = dict(reversed(value.items()))
    assert canonical(value) == canonical(turned)
    assert digest(value) == digest(turned)


def test_a_digest_is_as_long_as_asked_and_changes_with_the_value() -> None:
    assert len(digest({"a": 1})) == 12
    assert digest({"a": 1}, length=30).startswith(digest({"a": 1}))
    assert digest({"a": 1}) != digest({"a": 2})


LEAF = {"name": "oak"}


@pytest.mark.parametrize(
    ("tree", "spot"),
    [
        ({"branch": {"leaf": LEAF}, "nest": 1}, "t.json: unknown field ['nest']"),
        ({"branch": {"leaf": LEAF, "nest": 1}}, "t.json: branch: unknown field ['nest']"),
        ({"branch": {"leaf": {**LEAF, "nest": 1}}}, "t.json: branch: leaf: unknown field ['nest']"),
        ({"branch": {"leaf": LEAF, "leaves": [LEAF, {**LEAF, "nest": 1}]}}, "leaves 2: unknown field ['nest']"),
        ({"branch": {"leaf": LEAF, "spare": {**LEAF, "nest": 1}}}, "spare: unknown field ['nest']"),
        ({"branch": {"leaf": LEAF, "maybe": [{**LEAF, "nest": 1}]}}, "maybe 1: unknown field ['nest']"),
    ],
)
def test_an_unknown_field_at_any_depth_is_named_with_what_is_known(tree: object, spot: str) -> None:
    with pytest.raises(InputError) as error:
        build(Tree, tree, where="t.json")
    assert spot in str(error.value)
    assert "known are ['" in str(error.value)


def test_an_unknown_field_inside_a_table_of_nouns_is_refused() -> None:
    with pytest.raises(InputError, match="unknown field"):
        build(Tree, {"branch": {"leaf": LEAF, "grafted": {"a": {**LEAF, "nest": 1}}}}, where="t")


def test_a_transcript_is_read_back_as_it_was_written() -> None:
    asked = RequestEvent(role="subject", messages=(Message(role="user", content="Hello?"),), prompt="abc")
    events = (asked, ReplyEvent(role="subject", text="Yes"), FailureEvent(role="judge", cause="time-out"))
    transcript = Transcript(item="i-1", sample=0, events=events)
    read = parse_json(encode(transcript), where="t")
    assert (read["item"], read["sample"]) == ("i-1", 0)
    assert tuple(map(read_event, read["events"])) == events


@pytest.mark.parametrize(
    ("tree", "spot"),
    [
        ({}, "t: branch: Field required"),
        ({"branch": {"leaf": {}}}, "t: branch.leaf.name: Field required"),
        ({"branch": {"leaf": {"name": "oak", "weight": "heavy"}}}, "t: branch.leaf.weight:"),
        ({"branch": {"leaf": {"name": None}}}, "t: branch.leaf.name:"),
        ([1, 2], "t: the whole:"),
        ("a tree", "t: the whole:"),
        (None, "t: the whole:"),
    ],
)
def test_a_missing_or_wrong_field_is_named_with_what_came(tree: object, spot: str) -> None:
    with pytest.raises(InputError) as error:
        build(Tree, tree, where="t")
    assert str(error.value).startswith(spot)
    assert "\n" not in str(error.value)


@given(plain)
def test_whatever_comes_in_place_of_a_noun_is_one_clear_line(value: object) -> None:
    with pytest.raises(InputError) as error:
        build(Tree, {"branch": value}, where="t")
    assert str(error.value).startswith("t: branch")
    assert len(str(error.value).splitlines()) == 1


def test_no_number_is_written_as_null_and_is_not_read_as_a_number() -> None:
    assert encode(Leaf(name="oak", weight=math.nan)) == b'{"name":"oak","weight":null}'
    with pytest.raises(InputError, match="weight"):
        build(Leaf, parse_json(encode(Leaf(name="oak", weight=math.nan)), where="t"), where="t")
    with pytest.raises(InputError, match="t: not JSON"):
        parse_json("NaN", where="t")


@pytest.mark.parametrize("text", ["", "{", "{'a': 1}", b"\xff", '"\\ud800"', "1 2", "Infinity"])
def test_what_is_not_json_is_refused_with_its_place(text: str | bytes) -> None:
    with pytest.raises(InputError, match=r"^a\.jsonl:3: not JSON"):
        parse_json(text, where="a.jsonl:3")


def test_text_is_read_without_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffκαλημέρα\u2028x".encode())
    assert read_text(path) == "καλημέρα\u2028x"


def test_text_that_is_not_utf8_is_refused_with_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"abc\xe9")
    with pytest.raises(InputError, match=r"a\.txt: not UTF-8 at byte 3"):
        read_text(path)


def test_a_file_that_is_missing_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read \(No such file"):
        read_text(tmp_path / "none")
    with pytest.raises(InputError, match="cannot be read"):
        read_text(tmp_path)


def test_toml_is_read_or_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("seed = 7\n")
    assert read_toml(path) == {"seed": 7}
    path.write_text("seed = \n")
    with pytest.raises(InputError, match=r"a\.toml: not TOML .*line 1"):
        read_toml(path)


class Seed(Struct, frozen=True, kw_only=True):
    name: str
    years: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bag:
    seed: Seed
    others: dict[str, tuple[Seed, ...]] = field(default_factory=dict)
    spare: Seed | None = None


class Shed(Struct, frozen=True, kw_only=True):
    bag: Bag
    shelves: int = 3


@pytest.mark.parametrize(
    ("bag", "said"),
    [
        ({"seed": {"name": 7}}, "bag.seed.name: Input should be a valid string; got '7'"),
        ({"seed": {}}, "bag.seed.name: Field required"),
        ({"seed": {"name": "oak", "age": 2}}, "bag: seed: unknown field ['age']; known are ['name', 'years']"),
        ({"seed": {"name": "oak"}, "others": {"a": [{"name": None}]}}, "bag.others.a.0.name: Input should be"),
    ],
)
def test_what_is_wrong_with_a_struct_is_said_as_of_any_noun(bag: object, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"t: {said}")):
        build(Shed, {"bag": bag}, where="t")


def test_what_only_the_lenient_reader_takes_comes_back_as_the_struct_itself() -> None:
    read = build(Shed, {"bag": {"seed": {"name": "oak", "years": "9"}}}, where="t")
    assert read == Shed(bag=Bag(seed=Seed(name="oak", years=9)))


def test_a_field_that_no_noun_of_a_union_has_is_refused() -> None:
    with pytest.raises(InputError, match=r"unknown field \['mood'\]"):
        build(tuple[Leaf | Branch, ...], [{"name": "oak", "mood": "glad"}], where="t")


class Cup(Struct, frozen=True, kw_only=True):
    warmth: int = stored_as(name="heat")


class Tray(Struct, frozen=True, kw_only=True):
    cups: tuple[Cup, ...]
    where: Path = Path()  # so that pydantic reads it


@pytest.mark.parametrize(("kind", "wrap"), [(Cup, lambda cup: cup), (Tray, lambda cup: {"cups": [cup]})])
def test_a_field_that_is_stored_by_another_name_is_read_written_and_refused_by_that(
    kind: type[Cup] | type[Tray], wrap: Callable[[object], object]
) -> None:
    found = build(kind, wrap({"heat": 3}), where="menu")
    assert (found.cups[0] if isinstance(found, Tray) else found).warmth == 3
    assert b'"heat":3' in encode(Cup(warmth=3))
    with pytest.raises(InputError, match=r"unknown field \['warmth'\]; known are \['heat'\]"):
        build(kind, wrap({"warmth": 3}), where="menu")
    with pytest.raises(InputError, match="heat: Input should be a valid integer"):
        build(kind, wrap({"heat": "hot"}), where="menu")
