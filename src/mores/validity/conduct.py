"""Carries experiments out, over as many processes as there are cores; what is found depends on seed and draws alone."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray
from mores.validity.promises import Experiment, Found
from mores.validity.registry import EXPERIMENTS

USUAL = 1000
"""Draws at which each experiment makes as many as suit its cost."""
PIECES = 6
Told = Callable[[int, int], None]
"""Is told how many pieces of work are done, of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """Some draws of one experiment, small enough to go to another process by name."""

    place: int
    numbers: range
    seed: Seed


def conduct(
    experiments: Sequence[Experiment], *, draws: int = USUAL, seed: Seed, workers: int | None = None, told: Told
) -> Iterator[Found]:
    """What was found of every promise, in the order of the experiments, once all of them are done.

    Args:
        experiments: Those of the registry to carry out.
        draws: Scale of all numbers of draws; 1,000 for the usual ones.
        seed: The root of all dice.
        workers: Processes; by default one a core. One works in this process.
        told: Is told of progress.
    """
    pieces = [piece for one in experiments for piece in _pieces(one, one.times(draws / USUAL), seed)]
    many = workers or os.cpu_count() or 1
    done = _here(pieces, told) if many == 1 else _apart(pieces, many, told)
    tables: dict[int, list[tuple[int, FloatArray]]] = {}
    for piece, table in done:
        tables.setdefault(piece.place, []).append((piece.numbers.start, table))
    for one in experiments:
        parts = sorted(tables[EXPERIMENTS.index(one)], key=lambda part: part[0])
        yield from found_of(one, np.concatenate([table for _, table in parts]))


def found_of(experiment: Experiment, table: FloatArray) -> Iterator[Found]:
    """What the figures of an experiment come to, promise by promise."""
    for column, promise in zip(table.T, experiment.promises, strict=True):
        yield Found.of(promise, experiment.family, column)


def _pieces(experiment: Experiment, times: int, seed: Seed) -> Iterator[_Piece]:
    step = -(-times // PIECES)
    for start in range(0, times, step):
        yield _Piece(place=EXPERIMENTS.index(experiment), numbers=range(start, min(times, start + step)), seed=seed)


def _work(piece: _Piece) -> FloatArray:
    return EXPERIMENTS[piece.place].drawn(piece.numbers, piece.seed)


def _here(pieces: Sequence[_Piece], told: Told) -> Iterator[tuple[_Piece, FloatArray]]:
    for number, piece in enumerate(pieces, start=1):
        yield piece, _work(piece)
        told(number, len(pieces))


def _apart(pieces: Sequence[_Piece], workers: int, told: Told) -> Iterator[tuple[_Piece, FloatArray]]:
    """Pieces from the last on, as whole runs come last and take longest."""
    # Fresh processes: one that is forked beside threads may stand still.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(_work, piece): piece for piece in reversed(pieces)}
        for number, future in enumerate(as_completed(waiting), start=1):
            yield waiting[future], future.result()
            told(number, len(pieces))
