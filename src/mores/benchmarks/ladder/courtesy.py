"""The zero of each rung: what somebody gets who knows no norm and is merely polite, as stated and not measured.

Such a respondent guesses where one label is asked for, which is 0 on the scale of norms kept. It has no reasons to
give. In open answers, dialogues and days it does what a norm's `courtesy` says that politeness alone does; where that
is left open it does not keep the norm, and to a proposal that goes against no norm it objects to nothing. A judge has
no part in it. `simulated/polite` answers so.
"""

from collections.abc import Sequence

import numpy as np

from mores.analysis.groups import Group
from mores.benchmarks.ladder.rungs import RungNormScores
from mores.core.arrays import Floats
from mores.norms.pack import PackNorm, load_pack
from mores.tables import formatting as words

POLITE = "merely polite"
GUESSED = ("know", "judge")
"""Rungs on which 0 is guessing; on the others it is that no norm is kept."""


def polite_scores(scores: RungNormScores, groups: Sequence[Group]) -> list[float | None]:
    """The share of each group's graded norms that mere politeness keeps on a rung.

    None without graded norms, and where what politeness does is not known: of another pack than the bundled one.
    """
    found = _polite(scores)
    graded = np.isfinite(scores.norms.value)
    inside = [group.mask(scores.norms.keys) & graded for group in groups]
    return [None if found is None or not rows.any() else float(found[rows].mean()) for rows in inside]


def _polite(scores: RungNormScores) -> Floats | None:
    """1 for each norm that is kept, else 0."""
    name, names = scores.rung.name, scores.norms.keys.unit.texts()
    if name in {*GUESSED, "explain"}:
        return np.zeros(len(names))
    pack = load_pack()
    if pack.fingerprint not in scores.rung.evaluation.provenance.data.values():
        return None
    entries = {entry.norm.id: entry for entry in pack.norms}
    return np.array([float(norm in entries and _kept(name, entries[norm])) for norm in names])


def _kept(rung: str, entry: PackNorm) -> bool:
    calm = rung == "converse" and entry.converse is not None and entry.converse.harmless
    return calm or entry.norm.courtesy == "keeps"


def describe_zero(rungs: Sequence[str]) -> str:
    """Meaning of 0 on some rungs: `guessing at know and judge, no norm kept elsewhere`."""
    guessed = [name for name in rungs if name in GUESSED]
    if len(guessed) == len(rungs):
        return "guessing"
    if not guessed:
        return "no norm kept"
    return f"guessing at {' and '.join(guessed)}, no norm kept elsewhere"


def short_zero(rungs: Sequence[str]) -> str:
    """The same for where there is little room: true on each rung, and silent about which it is."""
    guessed = any(name in GUESSED for name in rungs)
    return describe_zero(rungs) if not guessed or all(name in GUESSED for name in rungs) else "guessing or none kept"


def no_better(rung: str) -> str:
    """Name of the zero that a rung without any competence is no better than."""
    return "guessing" if rung in GUESSED else "mere politeness"


def describe_polite(shares: Sequence[tuple[str, float | None]]) -> str:
    """Figures of mere politeness on rungs where a judge decides: `43.3 at converse, 0 elsewhere`; empty for unknown."""
    judged = [(name, share) for name, share in shares if name not in GUESSED and share is not None]
    if not judged:
        return ""
    some = [f"{words.format_number(share, sign=False)} at {name}" for name, share in judged if share > 0]
    rest = "" if len(some) == len(judged) else f"{', ' if some else ''}0{' elsewhere' if some else ''}"
    return f"{', '.join(some)}{rest}"
