"""Each norm on each rung: the share that it got there, and what happened, in words.

verdicts ─▶ units, whose samples are averaged ─▶ norms. A rung counts for claims only if the mean over its units is
its headline: then a difference of rungs is a difference of what the report shows.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from statistics import fmean
from typing import NamedTuple

from mores.benchmarks.ladder.scores import NormScore, norm_scores, steps_judged
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.core.vote import decode_votes
from mores.norms.groupings import group_of
from mores.reports.ladder.rungs import Rung
from mores.reports.units import EVERY_ITEM, Unit, headline_units
from mores.runs.results import VOTES
from mores.stats.judged_contrast import FLAWLESS, JudgeErrors

CLOSE = 1e-6
CONVERSE, CONDUCT = "converse", "behaviour"
"""The rung whose headline is read off a label, and the task that has it."""
RIGHT = "3"
ENDS = {RIGHT: "norm kept, goal reached", "2": "norm kept alone", "1": "goal reached alone", "0": "neither"}
"""How a talk ends, by the points of its conduct; only the first is right."""
_FAULTS = {"format_error": "nothing readable", "refusal": "declined"}


class Standing(NamedTuple):
    """One norm on one rung: its share in the headline (NaN where ungraded), what it was drawn with and belongs to.

    `told` says what happened and how often. `score` is what rungs are compared by: the norm kept or not.
    """

    share: float
    clusters: tuple[str, ...]
    groups: Mapping[str, str]
    told: str
    score: NormScore

    @property
    def graded(self) -> bool:
        """True where anything of it was graded."""
        return not isnan(self.share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stood:
    """All norms of one rung by their ids; `why` says why no claim may be made of them.

    `judge` is what is known of the errors of whoever judged them.
    """

    rung: Rung
    norms: Mapping[str, Standing]
    why: str | None = None
    judge: JudgeErrors = FLAWLESS


def stand(rung: Rung, judge: JudgeErrors = FLAWLESS) -> Stood:
    """What one rung says of each norm."""
    scores = _scores(rung)
    units = headline_units(rung.cell, EVERY_ITEM)
    of_norm: dict[str, list[Unit]] = {}
    for name, unit in units.items():
        of_norm.setdefault(_norm(name), []).append(unit)
    seen: dict[str, list[Verdict]] = {}
    for verdict in _told_of(rung):
        seen.setdefault(_norm(verdict.about.unit), []).append(verdict)
    tell = TELLS.get(rung.name, _points)
    norms = {
        norm: _standing(parts, seen.get(norm, []), tell, scores.get(norm, NormScore(nan)))
        for norm, parts in of_norm.items()
    }
    return Stood(rung=rung, norms=norms, why=_unlike_the_figure(rung, units), judge=judge)


def _scores(rung: Rung) -> dict[str, NormScore]:
    steps: Mapping[str, int] = {}
    votes = rung.cell.folder / VOTES
    if rung.name == "live" and votes.is_file():
        with votes.open("rb") as lines:
            steps = steps_judged(decode_votes(lines, where=str(votes)))
    return norm_scores(rung.name, rung.cell.every_verdict(), rung.cell.provenance.protocol.reading, steps)


def _norm(unit: str) -> str:
    """The norm of a unit, which may be its part of an answer, or one level of pressure."""
    return unit.rpartition("\x1f")[2].partition("@")[0]


def _standing(parts: Sequence[Unit], seen: Sequence[Verdict], tell: "Tell", score: NormScore) -> Standing:
    graded = [part.points for part in parts if part.graded]
    return Standing(
        share=fmean(graded) if graded else nan,
        clusters=tuple(dict.fromkeys(part.cluster for part in parts)),
        groups=_groups(parts[0].place, seen),
        told=_counted(seen, tell),
        score=score,
    )


def _groups(place: str, seen: Sequence[Verdict]) -> dict[str, str]:
    domain = seen[0].about.groups.get("domain") if seen else None
    found = {"domain": domain, "region": group_of(place, "region") if place else None, "place": place}
    return {kind: value for kind, value in found.items() if value}


def _unlike_the_figure(rung: Rung, units: Mapping[str, Unit]) -> str | None:
    whole, graded = rung.cell.whole(), [unit.points for unit in units.values() if unit.graded]
    if whole is None or whole.value is None or not graded:
        return f"{rung.name}: nothing graded"
    if abs(fmean(graded) - whole.value) > CLOSE:
        return f"{rung.name}: its {rung.cell.headline} is no mean over norms"
    return None


def _told_of(rung: Rung) -> Sequence[Verdict]:
    """The verdicts that tell what happened: those that the headline rests on, label and reasons where it has both."""
    if rung.name == CONVERSE:
        return [verdict for verdict in rung.cell.every_verdict() if verdict.task == CONDUCT]
    return [verdict for answer in rung.cell.answers() for verdict in answer]


Tell = Callable[[Sequence[Graded]], str]
"""What the graded verdicts on one norm say, in a few words."""


def _counted(seen: Sequence[Verdict], tell: Tell) -> str:
    graded = [verdict for verdict in seen if isinstance(verdict, Graded)]
    causes = Counter(verdict.cause for verdict in seen if isinstance(verdict, Ungraded))
    gone = [f"ungraded {_times(causes)}"] if causes else []
    return "; ".join([*([tell(graded)] if graded else []), *gone])


def _statements(graded: Sequence[Graded]) -> str:
    return f"{sum(verdict.points >= 1 for verdict in graded)} of {len(graded)} statements right"


def _labels(graded: Sequence[Graded]) -> str:
    said = Counter(verdict.label or _FAULTS.get(verdict.fault or "", "nothing readable") for verdict in graded)
    gold = dict.fromkeys(verdict.gold for verdict in graded if verdict.gold is not None)
    right = sum(verdict.points >= 1 for verdict in graded)
    return f"{right} of {len(graded)} right: said {_times(said)}, wanted {', '.join(gold)}"


def _reasons(graded: Sequence[Graded]) -> str:
    """The label's verdicts come first, by their task."""
    labels = [verdict for verdict in graded if verdict.task == "label"]
    points = [verdict.points for verdict in graded if verdict.task != "label"]
    given = f"reasons {fmean(points):.2f} of 1" + (f" in {len(points)}" if len(points) > 1 else "") if points else ""
    return "; ".join(part for part in (_labels(labels) if labels else "", given) if part)


def _kept(graded: Sequence[Graded]) -> str:
    likeliest = Counter(verdict.label or "none" for verdict in graded)
    return f"kept to with {fmean(v.points for v in graded):.2f} of 1; most likely {_times(likeliest)}"


def _conduct(graded: Sequence[Graded]) -> str:
    return _times(Counter(ENDS.get(verdict.label or "", "unknown") for verdict in graded))


def _points(graded: Sequence[Graded]) -> str:
    return f"{fmean(v.points for v in graded):.2f} of 1" + (f" in {len(graded)}" if len(graded) > 1 else "")


def _times(counts: "Counter[str]") -> str:
    """Words with how often each came, where anything came more than once."""
    if counts.total() == 1:
        return next(iter(counts))
    return ", ".join(f"{words} ×{count}" for words, count in counts.most_common())


TELLS: dict[str, Tell] = {
    "know": _statements,
    "judge": _labels,
    "explain": _reasons,
    "apply": _kept,
    CONVERSE: _conduct,
}
