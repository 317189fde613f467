"""What a run leaves of the process that it was called in."""

import gc
from contextlib import ExitStack

from mores.runs.garbage import quiet_collector


def test_runs_side_by_side_give_the_collector_back_as_it_was_whichever_ends_first() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with ExitStack() as first, ExitStack() as second:
        first.enter_context(quiet_collector())
        second.enter_context(quiet_collector())
        first.close()
        assert gc.get_threshold() != before
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() <= frozen
