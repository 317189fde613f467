"""A call is asked by one runner alone, by another where that one is gone, and by nobody once its reply is there."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from socket import gethostname

import pytest

from mores.models.call_claims import CallClaims
from mores.models.journal import Journal
from tests.models.clients import request, said

KEY = b"k" * 16


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal(tmp_path / "journal.sqlite")) as opened:
        yield opened


def test_a_call_is_claimed_by_one_runner_until_it_lets_go(journal: Journal) -> None:
    with closing(CallClaims(journal)) as one, closing(CallClaims(journal)) as other:
        assert (one.others, other.others) == (False, True)
        assert (one.acquire(KEY), other.acquire(KEY), one.acquire(KEY)) == (True, False, True)
        other.drop(KEY)
        assert not other.acquire(KEY)
        one.drop(KEY)
        assert other.acquire(KEY)


def test_nobody_asks_for_what_another_runner_was_answered(journal: Journal) -> None:
    with closing(CallClaims(journal)) as one, closing(Journal(journal.path)) as beside:
        asyncio.run(beside.write(KEY, request(), said("there"), at_once=True))
        assert journal.find(KEY) is None  # it was not there when this one was opened
        assert not one.acquire(KEY)
        found = journal.look_up(KEY)
        assert found is not None
        assert found.text == "there"


def test_what_a_dead_runner_claimed_is_free_at_once(journal: Journal) -> None:
    dead = CallClaims(journal)
    dead.acquire(KEY)
    with closing(CallClaims(journal)) as beside:
        assert not beside.acquire(KEY)
        os.close(dead._lock)  # as a kill does
        assert beside.acquire(KEY)
        with closing(CallClaims(journal)) as later:
            assert later.others
    assert not list(journal.path.parent.glob(".runner-*"))


def test_a_runner_that_ends_leaves_no_claim(journal: Journal) -> None:
    with closing(CallClaims(journal)) as one:
        one.acquire(KEY)
    with closing(CallClaims(journal)) as other:
        assert not other.others
        assert other.acquire(KEY)


def test_a_runner_says_for_which_other_one_it_waits_and_since_when_until_it_waits_no_more(journal: Journal) -> None:
    with closing(CallClaims(journal)) as one, closing(CallClaims(journal)) as other:
        one.acquire(KEY)
        assert other.longest_wait() is None
        assert not other.acquire(KEY)
        wait = other.longest_wait()
        assert wait is not None
        assert wait.runner == f"process {os.getpid()} on {gethostname()}"
        assert f"kill -CONT {os.getpid()}" in wait.description
        assert not other.acquire(KEY)
        assert other.longest_wait() == wait  # since it began, however often it looks
        one.drop(KEY)
        assert other.acquire(KEY)
        assert (one.longest_wait(), other.longest_wait()) == (None, None)
