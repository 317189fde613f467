"""The index of keys knows every key that was added, and hardly any other, at a bounded size."""

import random
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.models import journal_file
from mores.models.journal_file import BEGINNING, KeyIndex, beginning

keys = st.binary(min_size=1, max_size=16) | st.sampled_from([bytes(16), b"\0", b"\0" * 7 + b"\1", b"k" * 16])
groups = st.lists(st.tuples(st.booleans(), st.lists(keys, max_size=40)), max_size=8)


@pytest.mark.parametrize("few", [0, 1_024])
@given(some=groups)
def test_the_rows_of_every_key_are_found_however_they_came(some: list[tuple[bool, list[bytes]]], few: int) -> None:
    index, expected, row = KeyIndex(), defaultdict[bytes, set[int]](set), 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal_file, "_FEW", few)
        patch.setattr(journal_file, "_LATEST", 30)
        for at_once, group in some:
            rows = range(row, row + len(group))
            if at_once:
                index.extend(b"".join(map(beginning, group)), np.array(rows, dtype=np.uint32))
            for number, key in zip(rows, group, strict=True):
                expected[key].add(number)
                if not at_once:
                    index.add(key, number)
            row += len(group)
    assert len(index) == row
    for key, numbers in expected.items():
        assert key in index
        assert numbers <= set(index.rows(key))


def test_it_grows_with_the_keys_and_tells_what_is_not_there() -> None:
    rng, count = random.Random(3), 100_000
    known = [rng.randbytes(16) for _ in range(count)]
    index = KeyIndex()
    for row, key in enumerate(known[:50_000]):
        index.add(key, row)
    index.extend(b"".join(map(beginning, known[50_000:])), np.arange(50_000, count, dtype=np.uint32))
    assert all(index.rows(key) == [row] for row, key in enumerate(known))
    assert not any(index.rows(rng.randbytes(16)) for _ in range(count))
    assert index.memory <= 12 * count + 150 * max(8_192, count // 32)


def test_keys_that_begin_alike_are_told_apart_by_whoever_reads_their_rows() -> None:
    index, start = KeyIndex(), b"\xff" * BEGINNING
    for row in range(100):
        index.add(start + bytes([row]), row)
    assert sorted(index.rows(start)) == list(range(100))
