"""The promise of a ladder: a drop that is planted is found on its rung, and one that a judge explains is not claimed.

How often a break is shown for models that have none is a row of the doctor; these are the cases that it rests on.
"""

import numpy as np
import pytest
from msgspec.structs import replace

from mores.analysis.groups import WHOLE
from mores.benchmarks.ladder.contrasts import first_break
from mores.benchmarks.ladder.ladders import ladders
from mores.runs.loading import read_results
from mores.stats.rogan_gladen import JudgeErrors
from mores.validity.ladder import SimulatedLadderModel
from tests.bundled import MANY
from tests.reports.conftest import Held

EVEN = "know=.95,judge=.95,explain=.95,apply=.95,apply_known=1,format_error=0"


@pytest.mark.parametrize("person", [1, 2])
def test_as_good_on_every_rung_is_no_break_under_a_fallible_judge(held: Held, person: int) -> None:
    subject = f"simulated/typical:{EVEN},person={person}"
    run = held("ladder/explain", "ladder/apply", places=MANY, models=(subject,), roles={"judge": "simulated/judge"})
    (found,) = ladders(read_results([run]))
    (drop,) = found.whole.drops
    assert found.whole.broken is None
    assert drop.contrast.least is not None
    assert drop.contrast.least < 0


@pytest.mark.parametrize("at", ["judge", "explain", "apply"])
def test_a_planted_drop_is_found_on_its_rung(at: str) -> None:
    rng = np.random.default_rng(27)
    good = JudgeErrors.within(0.97, 1.0)
    model = SimulatedLadderModel(skill=(0.9, 0.95), drop=0.5, at=at, judges=(0.97, 1.0), stated=good)
    found = [first_break(model.climbed(rng).of[WHOLE]) for _ in range(6)]
    assert np.mean([each is not None and each.after == at for each in found]) > 0.5


def test_labels_find_what_a_stated_range_leaves_open() -> None:
    rng = np.random.default_rng(28)
    model = SimulatedLadderModel(skill=(0.9, 0.95), drop=0.5, judges=(0.9, 1.0))
    known = replace(model, labels=200)
    told, labelled = ([each.climbed(rng).of[WHOLE] for _ in range(6)] for each in (model, known))
    assert sum(first_break(drops) is not None for drops in told) < 2
    assert sum(any(drop.may_be_judge for drop in drops) for drops in told) > 1
    assert sum(first_break(drops) is not None for drops in labelled) > 3
