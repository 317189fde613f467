"""One model's ladder: its figures and its drops, group by group."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import isnan, nan
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.controls import KEPT
from mores.analysis.groups import PLACE, WHOLE, Group
from mores.analysis.judge_errors import KnownJudgeErrors
from mores.analysis.results import Results
from mores.analysis.units import units_of
from mores.benchmarks.ladder.contrasts import (
    RungContrast,
    first_break,
    groups_of,
    min_significant_clusters,
    norms_kept,
    rung_contrasts,
)
from mores.benchmarks.ladder.courtesy import polite_scores
from mores.benchmarks.ladder.pack_info import describe_checking
from mores.benchmarks.ladder.rungs import (
    LadderRun,
    PooledPlaces,
    Rung,
    RungNormScores,
    above_guessing,
    ladder_runs,
    pooled_places,
    rung_norm_scores,
)
from mores.benchmarks.ladder.scores import norm_of
from mores.benchmarks.shapes.dialogues.dialogue import HARMLESS, PROPOSAL
from mores.core.estimate import SEPARATE, Estimate
from mores.core.verdict import LABEL, Graded, Ungraded, Verdict
from mores.norms.pack import Pack, load_pack
from mores.tables import formatting as words


class GroupLadder(Struct, frozen=True, kw_only=True):
    """One group of norms: its score on each rung, the drops between them, and beside it the headline.

    `scores` are norms kept, on the scale by which rungs are compared, with the judge's range in their intervals;
    `headlines` are the rungs' headlines, as any medium has them. Either is None where a rung has none. Of a place
    `pooled` is what it stands at if all places are read together, None where they are too few. `polite` is what mere
    politeness keeps on each rung, None where that is not known.
    """

    group: Group
    scores: tuple[Estimate | None, ...]
    headlines: tuple[Estimate | None, ...]
    drops: tuple[RungContrast, ...]
    pooled: tuple[Estimate | None, ...] = ()
    polite: tuple[float | None, ...] = ()

    @property
    def broken(self) -> RungContrast | None:
        """The first drop that is found and large."""
        return first_break(self.drops)

    @property
    def claims(self) -> bool:
        """True where any of its drops was tested."""
        return any(drop.tested for drop in self.drops)

    @property
    def most_clusters(self) -> int:
        """The most clusters that any of its tested drops has."""
        return max((drop.contrast.clusters for drop in self.drops if drop.tested), default=0)

    @property
    def needed(self) -> int:
        """Clusters that it needs for a drop to be found by itself."""
        return min_significant_clusters(max((drop.family for drop in self.drops if drop.tested), default=1))


class Ladder(LadderRun, frozen=True, kw_only=True):
    """One model on the rungs that were run; the first row is all norms, `family` counts the drops that were tested.

    `masked` is what it keeps of all norms without their place, where it was asked so too, by rung.
    """

    norm_scores: tuple[RungNormScores, ...]
    rows: tuple[GroupLadder, ...]
    family: int
    masked: Mapping[str, Estimate] = MappingProxyType({})

    @property
    def whole(self) -> GroupLadder:
        """All norms."""
        return self.rows[0]

    @property
    def groups(self) -> tuple[GroupLadder, ...]:
        """Domains, regions and places."""
        return self.rows[1:]

    @property
    def broken(self) -> tuple[GroupLadder, ...]:
        """Groups in which a break is found."""
        return tuple(row for row in self.groups if row.broken is not None)

    @property
    def suspect(self) -> tuple[GroupLadder, ...]:
        """Groups without a break that have a drop which may be the judge's."""
        return tuple(row for row in self.groups if row.broken is None and any(d.may_be_judge for d in row.drops))


def ladders(results: Results) -> tuple[Ladder, ...]:
    """The ladder of each model that stood on at least two rungs."""
    return tuple(replace(ladder_of(run, results.judges), masked=_masked(run, results)) for run in ladder_runs(results))


def _masked(run: LadderRun, results: Results) -> dict[str, Estimate]:
    """Norms kept with the place masked, by rung: what the model's own courtesy and common sense keep."""
    found = {}
    for rung in run.rungs:
        own = (each for each in results.variants_of(rung.evaluation) if each.variant.control == "masked")
        other = next((each for each in own if KEPT in each.scores), None)
        if other is not None:
            scores = rung_norm_scores(replace(rung, evaluation=other), results.judges)
            if (figure := norms_kept(scores, (WHOLE,))[0]) is not None:
                found[rung.name] = other.marked(figure)
    return found


def ladder_of(run: LadderRun, judges: KnownJudgeErrors | None = None) -> Ladder:
    """All figures and claims of one model."""
    norm_scores = tuple(rung_norm_scores(rung, judges) for rung in run.rungs)
    groups = groups_of(norm_scores)
    found = rung_contrasts(norm_scores, groups)
    pooled = [_pooled(each) for each in norm_scores]
    kept = zip(*(_marked(each.rung, norms_kept(each, groups)) for each in norm_scores), strict=True)
    headlines = zip(*(_headlines(each.rung, groups) for each in norm_scores), strict=True)
    zeros = zip(*(polite_scores(each, groups) for each in norm_scores), strict=True)
    rows = tuple(
        _row(group, scores, shown, found.of[group], pooled, polite)
        for group, scores, shown, polite in zip(groups, kept, headlines, zeros, strict=True)
    )
    return Ladder(label=run.label, rungs=run.rungs, norm_scores=norm_scores, rows=rows, family=found.family)


def _row(
    group: Group,
    scores: tuple[Estimate | None, ...],
    headlines: tuple[Estimate | None, ...],
    drops: Sequence[RungContrast],
    pooled: Sequence[PooledPlaces],
    polite: tuple[float | None, ...],
) -> GroupLadder:
    """One group, each drop of which is known to start above guessing or not, by the score that a reader sees."""
    starts = zip(drops, scores[:-1], polite[:-1], strict=True)
    known = tuple(
        replace(drop, grounded=_starts_above(drop, zero) and above_guessing(before, zero))
        for drop, before, zero in starts
    )
    drawn = tuple(each.get(group.value) for each in pooled) if group.kind == PLACE and any(pooled) else ()
    return GroupLadder(group=group, scores=scores, headlines=headlines, drops=known, pooled=drawn, polite=polite)


def _pooled(norm_scores: RungNormScores) -> PooledPlaces:
    return {name: norm_scores.rung.evaluation.marked(figure) for name, figure in pooled_places(norm_scores).items()}


def _marked(rung: Rung, figures: Sequence[Estimate | None]) -> list[Estimate | None]:
    """Figures with what has to be known of the rung's answers."""
    return [None if each is None else rung.evaluation.marked(each) for each in figures]


def _starts_above(drop: RungContrast, zero: float | None) -> bool:
    """True where its own norms lie above the zero of the rung before, on average; a figure may be of more."""
    return drop.contrast.ends is None or drop.contrast.ends[0] > (zero or 0.0)


def _headlines(rung: Rung, groups: Sequence[Group]) -> list[Estimate | None]:
    """The rung's headline in each group."""
    whole = rung.evaluation.overall()
    by = {kind: rung.evaluation.by(kind) for kind in {group.kind for group in groups}}
    return [by[group.kind].get(group.value) if group.kind else whole for group in groups]


ENDS = {"3": "norm kept, goal reached", "2": "norm kept alone", "1": "goal reached alone", "0": "neither"}
"""How a dialogue ends, by the points of its conduct; only the first is right."""
CALM_ENDS = {
    "3": "no false alarm, goal reached",
    "2": "no false alarm",
    "1": "false alarm, goal reached",
    "0": "false alarm alone",
}
"""The same where the proposal goes against no norm; the first two are right."""
_FAULTS = {"format_error": "nothing readable", "refusal": "declined"}


class RungExample(NamedTuple):
    """One norm on one rung: its share in the headline, NaN where ungraded, and what happened, how often, in words.

    It is `courtesy` where it was kept as well without its place.
    """

    share: float
    outcome: str
    courtesy: bool = False

    @property
    def graded(self) -> bool:
        """True where anything of it was graded."""
        return not isnan(self.share)

    @property
    def mark(self) -> str:
        """A dot about as full as the share: quite full for all of it, hollow for nothing, none where it is not known.

        >>> [RungExample(share, "").mark for share in (0.0, 0.01, 0.5, 0.99, 1.0, float("nan"))]
        ['○', '◔', '◑', '◕', '●', '']
        """
        if not self.graded:
            return ""
        return "○" if self.share <= 0 else "●" if self.share >= 1 else "◔◑◕"[min(2, int(3 * self.share))]


class Example(Struct, frozen=True, kw_only=True):
    """One norm of a place, by its code, with its statement where the run's pack is the bundled one.

    `tried` has each model that was asked about it, with what happened by rung.
    """

    norm: str
    statement: str
    domain: str
    place: str
    tried: tuple[tuple[Ladder, Mapping[str, RungExample]], ...]


Tried = tuple[Ladder, Mapping[str, Mapping[str, RungExample]]]
"""A model with what happened by norm and rung."""


def rung_examples(
    rungs: Sequence[Rung], as_well: Mapping[Path, frozenset[str]] = MappingProxyType({})
) -> Mapping[str, Mapping[str, RungExample]]:
    """Result of each norm on each rung of one model; `as_well` are norms kept as well without their place."""
    found: dict[str, dict[str, RungExample]] = {}
    for rung in rungs:
        courtesy = as_well.get(rung.evaluation.folder, frozenset())
        for norm, each in _on_rung(rung).items():
            found.setdefault(norm, {})[rung.name] = each._replace(courtesy=norm in courtesy)
    return dict(sorted(found.items()))


def examples(tried: Sequence[Tried]) -> tuple[Example, ...]:
    """All norms of some models, in the order of their places' names."""
    ladders = [ladder for ladder, _ in tried]
    statements = _worded(ladders)
    belongs: dict[str, tuple[str, str]] = {}
    for keys in (norm_scores.norms.keys for ladder in ladders for norm_scores in ladder.norm_scores):
        domains = keys.groups["domain"].texts() if "domain" in keys.groups else [""] * len(keys)
        belongs |= zip(keys.unit.texts(), zip(keys.place.texts(), domains, strict=True), strict=True)
    found = (
        Example(
            norm=norm,
            statement=statements.get(norm, ""),
            domain=domain,
            place=place,
            tried=tuple((ladder, on[norm]) for ladder, on in tried if norm in on),
        )
        for norm, (place, domain) in belongs.items()
    )
    return tuple(sorted(found, key=lambda example: (words.group_name("place", example.place), example.norm)))


def describe_checks(ladders: Sequence[Ladder]) -> str:
    """Checks of the norms in words; of another pack than the bundled one its name, and what it says of itself."""
    pack = load_pack()
    if _on(pack, ladders):
        return (
            f"The norms are those of the bundled pack {pack.id}, version {pack.version}. "
            f"{describe_checking([entry.norm for entry in pack.norms])}"
        )
    used = (rung.evaluation.provenance.data for ladder in ladders for rung in ladder.rungs)
    names = sorted({name for data in used for name in data if name.startswith("pack ")})
    return (
        f"The norms are of {', '.join(names) or 'a pack without a name'}. Known here is how far the bundled pack was "
        "checked, as it is now; any other says it itself: mores show pack --data FOLDER."
    )


def _worded(ladders: Sequence[Ladder]) -> dict[str, str]:
    """Texts of the norms by their ids: known where every rung was run on the bundled pack as it is now."""
    pack = load_pack()
    return {entry.norm.id: entry.norm.statement for entry in pack.norms} if _on(pack, ladders) else {}


def _on(pack: Pack, ladders: Sequence[Ladder]) -> bool:
    rungs = (rung for ladder in ladders for rung in ladder.rungs)
    return all(pack.fingerprint in rung.evaluation.provenance.data.values() for rung in rungs)


def _on_rung(rung: Rung) -> dict[str, RungExample]:
    evaluation, tell = rung.evaluation, _TELLS.get(rung.name, _points)
    units = units_of(evaluation.scores[evaluation.headline])
    shares: dict[str, list[float]] = {}
    for unit, value in zip(units.keys.unit.texts(), units.value.tolist(), strict=True):
        shares.setdefault(norm_of(unit), []).append(value)
    seen: dict[str, list[Verdict]] = {}
    counting = (v for answer in evaluation.answers() for v in answer if SEPARATE not in v.about.groups)
    for verdict in counting:
        seen.setdefault(norm_of(verdict.about.unit), []).append(verdict)
    return {norm: RungExample(_mean(values), _counted(seen.get(norm, []), tell)) for norm, values in shares.items()}


def _mean(values: Sequence[float]) -> float:
    graded = [value for value in values if not isnan(value)]
    return fmean(graded) if graded else nan


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
    labels = Counter(verdict.label or _FAULTS.get(verdict.fault or "", "nothing readable") for verdict in graded)
    gold = dict.fromkeys(verdict.gold for verdict in graded if verdict.gold is not None)
    right = sum(verdict.points >= 1 for verdict in graded)
    return f"{right} of {len(graded)} right: said {_times(labels)}, wanted {', '.join(gold)}"


def _reasons(graded: Sequence[Graded]) -> str:
    labels = [verdict for verdict in graded if verdict.task == LABEL]
    reasons = [verdict for verdict in graded if verdict.task != LABEL]
    parts = [_labels(labels)] if labels else []
    if reasons:
        parts.append(f"reasons {_points(reasons)}")
    return "; ".join(parts)


def _kept(graded: Sequence[Graded]) -> str:
    likeliest = Counter(verdict.label or "none" for verdict in graded)
    return f"kept to with {fmean(v.points for v in graded):.2f} of 1; most likely {_times(likeliest)}"


def _conduct(graded: Sequence[Graded]) -> str:
    return _times(Counter(_end(verdict) for verdict in graded))


def _end(verdict: Graded) -> str:
    ends = CALM_ENDS if verdict.about.groups.get(PROPOSAL) == HARMLESS else ENDS
    return ends.get(verdict.label or "", "unknown")


def _points(graded: Sequence[Graded]) -> str:
    return f"{fmean(v.points for v in graded):.2f} of 1" + (f" in {len(graded)}" if len(graded) > 1 else "")


def _times(counts: "Counter[str]") -> str:
    """Words with how often each came, where anything came more than once."""
    if counts.total() == 1:
        return next(iter(counts))
    return ", ".join(f"{words} ×{count}" for words, count in counts.most_common())


_TELLS: dict[str, Tell] = {
    "know": _statements,
    "judge": _labels,
    "explain": _reasons,
    "apply": _kept,
    "converse": _conduct,
}
