"""Clusters are weighed and not counted, at every door of the room."""

from collections.abc import Callable

import numpy as np
import pytest

from mores.core.seeds import Seed
from mores.stats.classification import f1_interval
from mores.stats.cluster_sums import Design, share
from mores.stats.confusion import pair_agreement
from mores.stats.rankings import rank_models
from mores.tables.missing_texts import format_missing
from tests.stats.by_definition import norm_interval, norm_slots

SEED = Seed("tests")
OF = np.repeat(np.arange(8), [46] + [1] * 7)  # scenarios of the texts of SocialCC's etiquette for Germany
SAYS = "too few clusters: 8, and the largest holds 46 of 53 units; they weigh as 1.3, at least 4 are needed"
RIGHT = (np.arange(53) % 3 > 0).astype(int)
GOLD = np.arange(53) % 2


def norm_scores() -> str | None:
    said = np.where(RIGHT[:, None] == 1, [0.9, 0.05, 0.05], [0.1, 0.1, 0.8])[None]
    return format_missing(norm_interval(norm_slots(said, ["no"] * 53), OF).missing)


def ranks() -> str | None:
    return format_missing(rank_models(np.stack((RIGHT, GOLD)), OF, seed=SEED).missing)


def macro_f1() -> str | None:
    return format_missing(f1_interval(GOLD, RIGHT, ["yes", "no"], OF).missing)


def kappa() -> str | None:
    return format_missing(
        pair_agreement(GOLD, RIGHT, ["yes", "no"], Design(clusters=OF, seed=SEED)).kappa.interval.missing
    )


def shares() -> str | None:
    return format_missing(share(RIGHT, Design(clusters=OF, seed=SEED), "right").interval.missing)


@pytest.mark.parametrize("door", [norm_scores, ranks, macro_f1, kappa, shares])
def test_eight_clusters_of_which_one_holds_most_have_no_interval(door: Callable[[], str | None]) -> None:
    assert door() == SAYS
