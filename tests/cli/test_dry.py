"""What `--dry` advises: how to ask less is never more than what was asked."""

import re

import pytest

from tests.runs.conduct import Typed


def advised(typed: Typed, *words: str) -> int:
    """The limit that is named, or 0 for none."""
    done = typed("run", *words, "--dry")
    assert done.returncode == 0, done.stderr
    found = re.search(r"--limit (\d+) asks (\d+) questions? of each", " ".join(done.stdout.split()))
    assert found is None or found[1] == found[2]
    return int(found[1]) if found else 0


@pytest.mark.parametrize("limit", [1, 2, 6, 20, 21, 100])
def test_a_smaller_limit_is_smaller_than_the_one_that_was_asked(typed: Typed, limit: int) -> None:
    assert advised(typed, "ladder/know", "--limit", str(limit)) < limit


def test_what_one_place_has_is_counted_in_what_a_limit_counts(typed: Typed) -> None:
    """Ten norms of a place are a hundred questions of this rung and more, which a limit of twenty would all take."""
    assert advised(typed, "ladder/know", "--places", "KE") == 5


def test_without_a_limit_a_taste_is_named(typed: Typed) -> None:
    assert advised(typed, "ladder/know") == 20
    assert advised(typed, "ladder/know", "ladder/live", "--limit", "all") == 20


def test_other_ways_to_ask_less_are_named_where_no_limit_can_be_smaller(typed: Typed) -> None:
    done = typed("run", "ladder/know", "--limit", "1", "--dry")
    assert "Smaller: --places JP,NG asks these places alone; --max-cost 2 stops" in " ".join(done.stdout.split())
