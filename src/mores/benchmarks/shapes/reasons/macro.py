"""Macro F1 of thick answers less that of thin ones: for each model and set, and averaged over models and over sets.

It is the paper's headline claim. Items are the same in both forms; what was drawn together stays so, over models too.

Source:
    CURE (2025), section on thin against thick evaluation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mores.analysis.contrast import Contrast, adjusted
from mores.analysis.f1 import METRIC, LabelChange, label_change
from mores.benchmarks.shapes.reasons.thin_and_thick import DICE, ThinThickComparison, by_set
from mores.core.estimate import gravest


@dataclass(frozen=True, slots=True, kw_only=True)
class Averaged:
    """The mean over models of one set, or over sets, each counting alike, where `set` is empty."""

    set: str
    models: int
    simulated: bool
    contrast: Contrast


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroF1:
    """One contrast a pair, a family; one a set with several models, a family too; and that over all sets.

    Baselines have a contrast of their own and are in no mean.
    """

    pairs: tuple[ThinThickComparison, ...]
    contrasts: tuple[Contrast, ...]
    sets: tuple[Averaged, ...]
    whole: Averaged | None


def macro_of(pairs: Sequence[ThinThickComparison]) -> MacroF1 | None:
    """Macro F1 of all pairs whose labels were scored; None without any."""
    kept = tuple(p for p in pairs if METRIC in p.thin.scores and METRIC in p.thick.evaluation.scores)
    if not kept:
        return None
    of_set = by_set(kept)
    changes = {name: _change(own, name) for name, own in of_set.items()}
    sets = [_averaged(name, own, changes[name]) for name, own in of_set.items() if len(own) > 1]
    real = [pair for own in of_set.values() for pair in own]
    corrected = adjusted([each.contrast for each in sets])
    return MacroF1(
        pairs=kept,
        contrasts=adjusted([_of_pair(pair) for pair in kept]),
        sets=tuple(replace(each, contrast=one) for each, one in zip(sets, corrected, strict=True)),
        whole=_averaged("", real, LabelChange.over(list(changes.values()))) if len(changes) > 1 else None,
    )


def _change(pairs: Sequence[ThinThickComparison], *stream: str) -> LabelChange:
    rows = [(pair.thin.scores[METRIC], pair.thick.evaluation.scores[METRIC]) for pair in pairs]
    return label_change(rows, DICE.child(METRIC, *stream))


def _of_pair(pair: ThinThickComparison) -> Contrast:
    return _change([pair], pair.thick.set, pair.thick.subject).contrast(pair.contrast.caution)


def _averaged(name: str, pairs: Sequence[ThinThickComparison], change: LabelChange) -> Averaged:
    return Averaged(
        set=name,
        models=len({pair.thick.subject for pair in pairs}),
        simulated=any(pair.simulated for pair in pairs),
        contrast=change.contrast(gravest([pair.contrast.caution for pair in pairs])),
    )
