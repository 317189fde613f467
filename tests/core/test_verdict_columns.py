"""What verdicts are about stands in columns, and reads as if each thing were kept."""

import sys
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as some

from mores.core import sequences
from mores.core.codec import encode_lines
from mores.core.errors import InputError
from mores.core.estimate import CategoricalColumn, RowKeys, pools
from mores.core.sequences import PackedStrings, StringColumn
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict, VoteSummary
from mores.core.verdict_table import VerdictTable

WORDS = some.lists(some.sampled_from(["a", "b", "", "Ωmega", "ab"]) | some.text(max_size=3), max_size=40)


@given(WORDS)
def test_packed_names_read_as_the_names_that_were_added(given: list[str]) -> None:
    found = PackedStrings()
    for name in given:
        found.append(name)
    assert (list(found), len(found), [found[n] for n in range(len(given))]) == (given, len(given), given)
    assert found == given


@given(some.lists(some.none() | some.sampled_from(["a", "b", "c", "Ωmega", ""]), max_size=40), some.integers(0, 3))
def test_a_column_codes_its_names_as_they_come_however_few_it_looks_up(given: list[str | None], known: int) -> None:
    found, wanted = StringColumn(known), CategoricalColumn.of(given)
    for name in given:
        found.add(name)
    column = found.column()
    assert (column.codes.tolist(), list(column.names)) == (wanted.codes.tolist(), list(wanted.names))
    assert list(found) == [found[row] for row in range(len(given))] == given


def test_names_of_one_hash_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequences, "hash", len, raising=False)
    found = StringColumn(known=0)
    for name in ("one", "two", "three", "one"):
        found.add(name)
    assert found.column().codes.tolist() == [0, 1, 2, 0]


def _things(count: int, each: int = 1) -> list[ItemMetadata]:
    return [
        ItemMetadata(item=f"item-{n}", unit=f"unit-{n // 4}", cluster=f"unit-{n // 4}", place="JP" if n % 3 else None,
                     groups={"mode": "single" if n % 2 else "multi"}, part=str(part) if each > 1 else "")
        for n in range(count) for part in range(each)
    ]  # fmt: skip


@pytest.mark.parametrize("each", [1, 3])
def test_things_read_as_they_were_added_with_the_keys_of_their_columns(each: int) -> None:
    things = _things(9, each)
    table = VerdictTable(
        Graded(about=about, sample=sample, task="strict", points=1.0) for about in things for sample in range(2)
    )
    assert (
        list(table.item_metadata)
        == [table.item_metadata[n] for n in range(len(things))]
        == table.item_metadata[:]
        == things
    )
    assert table.frame("strict").item.tolist() == [n for n in range(len(things)) for _ in range(2)]
    wanted = RowKeys.of(things)
    for name in ("item", "part", "unit", "cluster", "place"):
        one, other = getattr(table.keys, name), getattr(wanted, name)
        assert (one.codes.tolist(), list(one.names)) == (other.codes.tolist(), list(other.names))
    assert {k: c.texts() for k, c in table.keys.groups.items()} == {k: c.texts() for k, c in wanted.groups.items()}


def test_samples_that_alternate_between_parts_find_their_things_again() -> None:
    things = _things(2, 3)
    order = [things[n] for n in (0, 1, 2, 0, 2, 1, 3, 5, 4, 3)]
    table = VerdictTable(Graded(about=about, sample=0, task="strict", points=1.0) for about in order)
    assert table.frame("strict").item.tolist() == [0, 1, 2, 0, 2, 1, 3, 4, 5, 3]


def test_a_table_read_from_lines_is_the_table_of_its_verdicts() -> None:
    verdicts = [
        Graded(about=about, sample=0, task=task, points=float(n % 2), label="yes", gold="no" if n % 5 else "yes",
               reason='}},"sample":1' if n == 3 else "", fault="refusal" if n == 4 else None)
        for n, about in enumerate(_things(12)) for task in ("strict", "lenient")
    ]  # fmt: skip
    made, read = VerdictTable(verdicts), VerdictTable.read(encode_lines(verdicts).splitlines(True), where="x")
    assert list(made.item_metadata) == list(read.item_metadata)
    for task in ("strict", "lenient"):
        assert [made.verdict(task, row) for row in range(12)] == [read.verdict(task, row) for row in range(12)]
        assert [c.tolist() for c in made.frame(task)] == [c.tolist() for c in read.frame(task)]


def _mixed(count: int) -> list[Verdict]:
    """Verdicts of which most are alike; some are ungraded, have ballots, words of their own, or several samples."""
    found: list[Verdict] = []
    for n, about in enumerate(_things(count // 2) + _things(count, 2)[count // 2 * 2 :]):
        for task in ("strict", "lenient"):
            if n % 97 == 5:
                found.append(Ungraded(about=about, sample=n % 2, task=task, cause=f"http {500 + n % 3}", raw=str(n)))
                continue
            judged = VoteSummary(votes=1, asked=1, words=n) if n % 211 == 7 and task == "strict" else None
            why = f"because {n}" if n % 300 == 11 else ""
            found.append(Graded(about=about, sample=n % 2, task=task, points=float(n % 2), label="yes", gold="no",
                                ballot=judged, reason=why))  # fmt: skip
    return found


def test_many_lines_read_together_give_the_table_that_they_give_one_by_one() -> None:
    verdicts = _mixed(6_000)
    made, read = VerdictTable(verdicts), VerdictTable.read(encode_lines(verdicts).splitlines(True), where="x")
    assert list(made.item_metadata) == list(read.item_metadata)
    assert (made.causes, list(made.causes), made.words) == (read.causes, list(read.causes), read.words)
    for task in ("strict", "lenient"):
        assert [(column.tobytes()) for column in made.frame(task)] == [c.tobytes() for c in read.frame(task)]
        assert made.ballots(task) == read.ballots(task)


def test_a_line_among_many_that_is_cut_is_named() -> None:
    lines = encode_lines(_mixed(6_000)).splitlines(True)
    lines[9_001] = lines[9_001][:40]
    with pytest.raises(InputError, match=r"^x:9002: no verdict, or one that is cut"):
        VerdictTable.read(lines, where="x")
    lines[9_001] = lines[9_000].replace(b'"points":', b'"pointed":')
    with pytest.raises(InputError, match=r"^x:9002: .*pointed"):
        VerdictTable.read(lines, where="x")


def test_a_verdict_of_an_item_costs_less_than_a_hundred_bytes() -> None:
    assert sys.getsizeof(PackedStrings()) < 100
    table, held = VerdictTable(), list[int]()
    tracemalloc.start()
    try:
        for count in (2_000, 6_000):
            for about in _things(count)[-4_000:]:
                for task in ("strict", "lenient"):
                    table.add(Graded(about=about, sample=0, task=task, points=1.0, label="yes", gold="yes"))
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert (held[1] - held[0]) / 4_000 < 200


def _asked(bundles: list[str]) -> list[ItemMetadata]:
    return [ItemMetadata(item=f"i{n}", unit=f"q{n}", cluster=cluster) for n, cluster in enumerate(bundles)]


def test_bundles_that_share_a_norm_are_one_cluster_and_no_others() -> None:
    things = _asked(["a+b+c", "c+d+e", "f+g+h", "e+x+y", "f", "C++", "D++"])
    table = VerdictTable(Graded(about=about, sample=0, task="choice", points=1.0) for about in things)
    for keys in (table.keys, RowKeys.of(things)):
        assert keys.cluster.texts() == ["a", "a", "f", "a", "f", "C++", "D++"]
    assert table.item_metadata[1].cluster == "c+d+e"


def test_units_that_are_their_own_clusters_stay_apart_whatever_their_names() -> None:
    things = [ItemMetadata(item=name, unit=name, cluster=name) for name in ("q+1", "q+2")]
    table = VerdictTable(Graded(about=about, sample=0, task="choice", points=1.0) for about in things)
    for keys in (table.keys, RowKeys.of(things)):
        assert keys.cluster.texts() == ["q+1", "q+2"]


@given(some.lists(some.lists(some.sampled_from("abcdefgh"), min_size=1, max_size=3), min_size=1, max_size=8))
def test_a_pool_is_called_the_same_in_any_order(bundles: list[list[str]]) -> None:
    names = ["+".join(sorted(set(own))) for own in bundles]
    assert pools(names) == pools(reversed(names))
