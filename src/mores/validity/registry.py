"""All experiments in the order of the table, and how to name some of them."""

from collections.abc import Iterable, Sequence

from mores.core.errors import UnknownName
from mores.validity import (
    agreement,
    certificates,
    corrections,
    figures,
    hypotheses,
    ladder,
    places,
    planning,
    rankings,
    runs,
    shares,
    unequal_clusters,
    uneven,
)
from mores.validity.promises import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    *shares.EXPERIMENTS,
    *figures.EXPERIMENTS,
    *unequal_clusters.EXPERIMENTS,
    *rankings.EXPERIMENTS,
    *places.EXPERIMENTS,
    *agreement.EXPERIMENTS,
    *corrections.EXPERIMENTS,
    *certificates.EXPERIMENTS,
    *hypotheses.EXPERIMENTS,
    *uneven.EXPERIMENTS,
    *ladder.EXPERIMENTS,
    *planning.EXPERIMENTS,
    *runs.EXPERIMENTS,
)


def families(experiments: Iterable[Experiment] = EXPERIMENTS) -> tuple[str, ...]:
    """Names of the families in their order."""
    return tuple(dict.fromkeys(one.family for one in experiments))


def chosen(names: Sequence[str]) -> tuple[Experiment, ...]:
    """Experiments of the families, or with a row, whose name begins as one of these; all without a name.

    Raises:
        UnknownName: nothing begins so.
    """
    for name in names:
        if not any(_named(one, name) for one in EXPERIMENTS):
            known = (*families(), *(promise.name for one in EXPERIMENTS for promise in one.promises))
            raise UnknownName("family or row", name, known, todo=f"Families: {', '.join(families())}.")
    return tuple(one for one in EXPERIMENTS if not names or any(_named(one, name) for name in names))


def _named(experiment: Experiment, name: str) -> bool:
    known = (experiment.family, experiment.name, *(promise.name for promise in experiment.promises))
    return any(each.casefold().startswith(name.casefold()) for each in known)
