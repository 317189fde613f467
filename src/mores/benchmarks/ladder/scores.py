"""Score of each norm on a rung, on the one scale of the ladder: kept or not, and whether a judge had a part.

verdicts ─▶ answers, each kept to or not ─▶ norms, whose answers are averaged: a row a norm; of scenes a row each, as
their labels are to count alike. The rung's headline stands beside it: there all four statements must be right, a
judge's probabilities count as they are, and a talk has to reach its goal.

An answer that names no label is an omitted one, as formula scoring has it: it gets what a guess gets, so that who says
nothing stands at 0, and only a wrong answer counts against.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.units import first_codes, means_by
from mores.benchmarks.ladder.pack_info import PACK_REGION
from mores.benchmarks.ladder.rung_live import LIVE
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.days.verifier import RESPECTED
from mores.benchmarks.shapes.norm_scores import NORM, NormSource
from mores.benchmarks.shapes.reasons.metrics import GOOD_FROM, ReasonSource
from mores.benchmarks.shapes.scoring import Points, VerdictSource, labelled
from mores.core.arrays import Codes, Floats, Mask
from mores.core.estimate import SEPARATE, CategoricalColumn, MetricRows, RowKeys, together
from mores.core.verdict import Vote
from mores.core.verdict_table import VerdictColumns, VerdictTable
from mores.judges.verifier import LABELS
from mores.norms.pack import PARALLEL
from mores.norms.places import group_of
from mores.stats.checks import distinct_pairs

LABELS_OF_SCENES = 3
"""Of which one is right: a guess gets a third."""
SEEN = "seen"
"""Beside it: the share of a norm's answers on which a judge was needed."""
PEOPLE_KEPT = "people_kept"
"""The metric of people on the ladder's scale; of *explain* people gave a label alone, which has no reasons."""
_STEPS = "norms"
"""The task of the steps of a day, of which each norm's verdict is made."""


class RungRule(Struct, frozen=True, kw_only=True):
    """Scoring rule of a rung: by the words of an answer, or by a judge on one task, and the least score.

    `word` is the label that says that the norm is kept; without one points do, from `GOOD_FROM` on. On a rung judged
    `by_steps` a norm's verdict is made of those on several steps.
    """

    measure: MetricDefinition[Any]
    task: str = ""
    word: str = ""
    lowest: float = 0.0
    by_steps: bool = False

    def kept(self, word: str | None, points: float | None) -> bool:
        """True if a word or points on the judged task mean that the norm is kept."""
        return word == self.word if self.word else points is not None and points >= GOOD_FROM


def _known(source: VerdictSource) -> MetricRows:
    """The share of true statements called true, plus that of false ones called false, less 1."""
    frame = source.frame
    first, of, keys = _norms(source.table, frame)
    kinds = (frame.gold == source.table.code(word) for word in ("true", "false"))
    points = _with_omitted(frame, chance=1 / 2)
    true, false = (means_by(of[kind], points[kind], len(first)) for kind in kinds)
    return MetricRows.within(RUNGS["know"].lowest, 1.0, keys=keys, value=true + false - 1, extra=_unseen(first))


def _scenes(source: VerdictSource) -> MetricRows:
    """A row a scene of a norm, 0 for guessing one of the labels; `gold` is the label of the scene."""
    frame, table = source.frame, source.table
    _, norm, keys = _norms(table, frame)
    first, of = first_codes(frame.item)
    share = means_by(of, _with_omitted(frame, chance=1 / LABELS_OF_SCENES), len(first))
    keys = replace(keys.take(norm[first]), item=table.keys.item.take(frame.item[first]))
    gold = source.words(frame.gold[first])
    value = (LABELS_OF_SCENES * share - 1) / (LABELS_OF_SCENES - 1)
    return MetricRows.within(RUNGS["judge"].lowest, 1.0, keys=keys, value=value, gold=gold, extra=_unseen(first))


def _with_omitted(frame: VerdictColumns, *, chance: float) -> Floats:
    """Points of answers, of which those without a label get what a guess gets; a cut one that has a label has it."""
    omitted = (frame.fault >= 0) & (frame.label < 0) & np.isfinite(frame.points)
    return np.where(omitted, chance, frame.points)


def _unseen(norms: Codes) -> dict[str, Floats]:
    return {SEEN: np.zeros(len(norms))}


def _explained(source: ReasonSource) -> MetricRows:
    """The right label with good reasons; nothing of an answer where either is missing."""
    right, good = source.label.points >= 1, source.good
    shown = np.array([ballot is not None for ballot in source.table.ballots(source.dimension)], dtype=np.bool_)
    kept = np.where(np.isnan(source.label.points), np.nan, right * good)
    # A wrong label loses the norm whatever a judge says, so that errors of the judge do not touch it.
    return _of_answers(source.table, source.reasons, kept, right & shown)


def _judged(task: str, kept: Points, source: VerdictSource | NormSource) -> MetricRows:
    frame = source.table.frame(task)
    shown = np.array([ballot is not None for ballot in source.table.ballots(task)], dtype=np.bool_)
    return _of_answers(source.table, frame, kept(source.table, frame), shown)


def _more_than_half(table: VerdictTable, frame: VerdictColumns) -> Floats:
    _ = table
    return np.where(np.isfinite(frame.points), frame.points > 0.5, np.nan)


def _of_answers(table: VerdictTable, frame: VerdictColumns, kept: Floats, shown: Mask) -> MetricRows:
    """Norms by their answers that were kept to or not, and shown to a judge or not."""
    first, of, keys = _norms(table, frame)
    seen = np.nan_to_num(means_by(of, np.where(np.isnan(kept), np.nan, shown), len(first)))
    return MetricRows.within(0.0, 1.0, keys=keys, value=means_by(of, kept, len(first)), extra={SEEN: seen})


def _norms(table: VerdictTable, frame: VerdictColumns) -> tuple[Codes, Codes, RowKeys]:
    """The first verdict of each norm, the norm of each verdict, and the keys of a row a norm.

    Clusters that one norm ties together, such as two bundles, are one. A norm's items that are scored separately are a
    row of their own.
    """
    unit = table.keys.unit
    norms = CategoricalColumn.of(map(norm_of, unit.names))
    names = CategoricalColumn(norms.codes[unit.codes], norms.names)
    separate = table.keys.groups.get(SEPARATE)
    parts = names.codes if separate is None else names.codes * (len(separate.names) + 1) + separate.codes + 1
    first, of = first_codes(parts[frame.item])
    cluster = table.keys.cluster
    norm_codes, cluster_codes, _ = distinct_pairs(of, cluster.codes[frame.item])
    drawn: list[list[str]] = [[] for _ in first]
    for norm, code in zip(norm_codes.tolist(), cluster_codes.tolist(), strict=True):
        drawn[norm].append(cluster.names[code])
    keys = table.keys.only(frame.item[first])
    keys = replace(
        keys,
        unit=names.take(frame.item[first]),
        cluster=CategoricalColumn.of(together(drawn).tolist()),
        groups={**keys.groups, "region": CategoricalColumn.of(_regions(keys))},
    )
    return first, of, keys


def _regions(keys: RowKeys) -> list[str | None]:
    """The region of each norm: the pack's own, else the one that its place has everywhere."""
    own = keys.groups.get(PACK_REGION)
    stated = [""] * len(keys) if own is None else own.texts()
    return [region_of(place, region) for place, region in zip(keys.place.texts(), stated, strict=True)]


def region_of(place: str, stated: str = "") -> str | None:
    """The region of a norm's place: what its pack says, else the one that the place has in all benchmarks."""
    return stated or (group_of(place, "region") if place else None)


def norm_of(unit: str) -> str:
    """The norm of a unit, which may be its part of an answer, one level of pressure, or its second question.

    >>> norm_of("JP-1"), norm_of("JP-1@converse-JP-1"), norm_of(chr(31).join(("apply-jp", "JP-1"))), norm_of("JP-1~2")
    ('JP-1', 'JP-1', 'JP-1', 'JP-1')
    """
    return unit.rpartition("\x1f")[2].partition("@")[0].partition(PARALLEL)[0]


def steps_judged(votes: Iterable[Vote]) -> dict[str, int]:
    """Steps of a day that were judged on each norm, by anybody; the most of its days."""
    asked = {
        (thing.item, thing.sample, thing.step, thing.norm) for v in votes if v.task == _STEPS for thing, _ in v.things()
    }
    found: dict[str, int] = {}
    for (_, _, norm), count in Counter((item, sample, norm) for item, sample, _, norm in asked).items():
        found[norm] = max(found.get(norm, 0), count)
    return found


def _rule(task: str, kept: Points, word: str, *, by_steps: bool = False) -> RungRule:
    measure = MetricDefinition(partial(_judged, task, kept), compared=False)
    return RungRule(measure=measure, task=task, word=word, by_steps=by_steps)


RUNGS: Mapping[str, RungRule] = {
    "know": RungRule(measure=MetricDefinition(_known, compared=False), lowest=-1.0),
    "judge": RungRule(measure=MetricDefinition(_scenes, compared=False), lowest=-0.5),
    "explain": RungRule(measure=MetricDefinition(_explained, compared=False), task="coverage"),
    "apply": _rule(NORM, labelled(LABELS[0]), LABELS[0]),
    "converse": _rule("respected", _more_than_half, "yes"),
    "live": _rule(LIVE, labelled(RESPECTED), RESPECTED, by_steps=True),
}
"""The rungs from the ground up. Scores end below at 0, or where every statement, or every scene, is called wrongly."""
