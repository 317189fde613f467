"""The drop from one rung to the next: how far competence falls, whether chance would do that, and where it breaks.

norms on two rungs ─▶ pairs, scored on both ─▶ differences, for every judge of the range ─▶ interval and test over
clusters ─▶ one family of all drops of a model, those over all norms first. Norms that either rung draws together (a
bundle) stay together. One model's claims are one family, so that what is found does not depend on who else is on the
page.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isnan, nan
from typing import NamedTuple

import numpy as np
from msgspec import Struct, structs
from msgspec.structs import replace

from mores.analysis.controls import KEPT
from mores.analysis.groups import WHOLE, Group
from mores.analysis.results import caution_of_several
from mores.benchmarks.ladder.rungs import NO_GUESS, RungNormScores, too_few_norms
from mores.core.arrays import Codes, Floats, Mask, Strings
from mores.core.estimate import (
    NO_UNIT_DIFFERS,
    NOTHING_GRADED,
    SHOWS_NO_DIFFERENCE,
    CategoricalColumn,
    Caution,
    Estimate,
    JudgeBand,
    Missing,
    RowKeys,
    shown,
    together,
)
from mores.core.seeds import Seed
from mores.stats.intervals import MIN_CLUSTERS, too_few
from mores.stats.judged_power import fall_power, holds_from, support, with_labels
from mores.stats.judged_scores import (
    WIDEST,
    DropCriterion,
    JudgedContrast,
    NormDesign,
    RungMean,
    RungScores,
    contrast,
    score_intervals,
)
from mores.stats.power import least_clusters
from mores.stats.ranks import FIRST, gatekeeping

SIZE = 0.1
"""A drop has to be larger than this, for any judge of the range, for the ladder to break there."""
LEVEL = 0.05
LABELS = 200
"""Labels of a rung for which it is said what they would show."""
ONE_LABEL = "one_label_missing"
"""The code of groups in whose scenes one word for all may pass."""
RNG_SEED = Seed("ladder")
KINDS = ("domain", "region", "place")


class RungContrast(Struct, frozen=True, kw_only=True):
    """Fall of scores between two rungs, over the norms graded on both.

    `judged` where a judge had a part. Without a p in the contrast no claim is made; `p_holm` is corrected for the
    model's family (`gatekeeping`), in which the least p of its kind is multiplied by `family`. It is `able` if so many
    norms could show a drop at all, and `opened` where it is over all norms or that drop was found, which comes first.
    `alone` counts norms that one of the two rungs did not ask about, `ungraded` those that one of them left
    ungraded. `grounded` is False where the rung before is no better than guessing: nothing can be lost from there,
    whatever made the rung after it worse. `may_be_judge` where a fall is large and no chance, but some judge of the
    range explains it; `holds_from` is then the least x for which it would hold for all judges from x to 1, None where
    labels tell how good the judge is. `support` is the share of the prior on the judges' rates for which it is a break;
    None where it was not asked for, or nobody judged. `caution` is what has to be known of the answers on either rung.

    The minimum detectable effect of the contrast is that of the claim: its range of judges, its correction, its size.
    `unlimited` is what any number of norms would show, `labelled` what these norms would if `LABELS` labels a rung
    told how good its judge is; None where no fall would do.
    """

    before: str
    after: str
    contrast: JudgedContrast
    p_holm: float | None = None
    family: int = 1
    able: bool = True
    opened: bool = True
    alone: int
    ungraded: int
    judged: bool
    grounded: bool = True
    may_be_judge: bool = False
    holds_from: float | None = None
    support: float | None = None
    unlimited: float | None = None
    labelled: float | None = None
    caution: Caution | None = None

    @property
    def tested(self) -> bool:
        """True where a claim is made of it, one way or the other."""
        return self.contrast.p is not None

    @property
    def found(self) -> bool:
        """True where chance is no explanation, after correction."""
        return self.p_holm is not None and self.p_holm < LEVEL

    @property
    def breaks(self) -> bool:
        """True where the fall is found, large, and from above guessing."""
        return self._falls and self.grounded

    @property
    def sinks(self) -> bool:
        """True where the fall is found and large, but from a rung that is no better than guessing."""
        return self._falls and not self.grounded

    @property
    def _falls(self) -> bool:
        return self.found and self.contrast.least is not None and self.contrast.least > SIZE


class RungContrasts(NamedTuple):
    """All drops of one model by group, and how many of them were tested: the family that p-values are corrected for."""

    of: Mapping[Group, tuple[RungContrast, ...]]
    family: int


def groups_of(norm_scores: Sequence[RungNormScores]) -> tuple[Group, ...]:
    """All norms, then each domain, region and place; a region of a single place would say the same twice."""

    def names(keys: RowKeys, kind: str) -> list[str]:
        column = keys.place if kind == "place" else keys.groups.get(kind)
        return list(_texts(column, len(keys)).tolist())

    of = {kind: [name for each in norm_scores for name in names(each.norms.keys, kind)] for kind in KINDS}
    places = Counter(region for region, _ in {*zip(of["region"], of["place"], strict=True)})
    found = (Group(kind, value) for kind in KINDS for value in sorted(set(of[kind])) if value)
    return (WHOLE, *(group for group in found if group.kind != "region" or places[group.value] > 1))


def rung_contrasts(norm_scores: Sequence[RungNormScores], groups: Sequence[Group]) -> RungContrasts:
    """The drops of each group between neighbours among the rungs that were run, corrected as one family.

    A pair of rungs is a branch: the drop over all norms is tested first, those of groups once it is found.
    """
    pairs = [_Pair.of(*two) for two in pairwise(norm_scores)]
    found = [(group, pair, pair.drop(group)) for group in groups for pair in pairs]
    drops = _corrected([drop for *_, drop in found], [group for group, *_ in found])
    corrected: dict[Group, list[RungContrast]] = {}
    seen: set[str] = set()  # rungs to which all norms fall, by chance no more: what groups are held against
    for (group, pair, _), drop in zip(found, drops, strict=True):
        known = pair.with_power(drop, group, LEVEL / drop.family) if drop.tested else drop
        if _suspect(known) and (group == WHOLE or known.opened or known.after in seen):
            known = replace(known, may_be_judge=True, holds_from=pair.holds_from(group, LEVEL / known.family))
            seen |= {known.after} if group == WHOLE else set()
        corrected.setdefault(group, []).append(known)
    of = {group: tuple(own) for group, own in corrected.items()}
    return RungContrasts(of=of, family=sum(drop.tested for drop in drops))


def _corrected(drops: Sequence[RungContrast], groups: Sequence[Group]) -> list[RungContrast]:
    """Drops with their p corrected; with fewer clusters a drop cannot have as small a p, however norms fall."""
    first = {drop.after: at for at, (drop, group) in enumerate(zip(drops, groups, strict=True)) if group == WHOLE}
    gate = [FIRST if group == WHOLE else first[drop.after] for drop, group in zip(drops, groups, strict=True)]
    p = [nan if drop.contrast.p is None else drop.contrast.p for drop in drops]
    found = gatekeeping(p, gate, [min(1.0, 2.0 ** (1 - drop.contrast.clusters)) for drop in drops], level=LEVEL)
    opened = [at == FIRST or isnan(p[at]) or found.p_adjusted[at] < LEVEL for at in gate]
    columns = zip(drops, found.p_adjusted.tolist(), found.divisor.tolist(), found.able.tolist(), opened, strict=True)
    return [
        replace(drop, p_holm=None if isnan(held) else held, family=max(1, many), able=able, opened=bool(open_))
        for drop, held, many, able, open_ in columns
    ]


def _suspect(drop: RungContrast) -> bool:
    """True if a judge that is always right would have shown a break where the judges of the range do not."""
    found, family = drop.contrast, drop.family
    if drop.breaks or found.p_judged is None or found.size_judged is None:
        return False
    # Bonferroni's correction, as this p is not among those that Holm's puts in order.
    return drop.judged and found.size_judged > SIZE and found.p_judged * family < LEVEL


def min_significant_clusters(family: int) -> int:
    """Clusters that a drop needs to be found by itself among so many: signs of fewer have no pattern rare enough.

    >>> min_significant_clusters(1), min_significant_clusters(54)
    (6, 12)
    """
    return least_clusters(LEVEL / max(1, family))


def first_break(drops: Sequence[RungContrast]) -> RungContrast | None:
    """The first drop from the ground up that is found, large and from above guessing; None where there is none."""
    return next((drop for drop in drops if drop.breaks), None)


def norms_kept(norm_scores: RungNormScores, groups: Sequence[Group]) -> list[Estimate | None]:
    """The mean score of each group's norms, with the band of its judge beside it; None without norms.

    Where the band is wider than half of the scale there is no point, and it stands alone. Scenes count so that each of
    their labels counts alike.
    """
    scored_rows = norm_scores.by_scene
    keys = scored_rows.norms.keys
    known = np.isfinite(scored_rows.norms.value) & np.isfinite(scored_rows.verdicts)
    inside = [group.mask(keys) for group in groups]
    gold, scores = scored_rows.norms.gold, scored_rows.scores(known)
    strata = keys.place.in_order() if gold is None else CategoricalColumn.sorted(gold.texts())
    design = NormDesign(keys.cluster.in_order().codes[known], strata.codes[known])
    graded = [(scores.at(each[known]), design.at(each[known])) for each in inside]
    asked = [_count_norms(keys, each) for each in inside]
    counted = [_count_norms(keys, each & known) for each in inside]
    found = zip(groups, asked, counted, score_intervals(graded, None if gold is None else "equal"), strict=True)
    return [_kept(norm_scores, group, norms, of, scored) for group, norms, of, scored in found]


def _count_norms(keys: RowKeys, rows: Mask) -> int:
    return len(np.unique(keys.unit.codes[rows]))


def _kept(norm_scores: RungNormScores, group: Group, asked: int, graded: int, scored: RungMean) -> Estimate | None:
    if not asked:
        return None
    if norm_scores.rung.drawn:
        return Estimate(
            metric="kept", group=group.key, value=None, asked=asked, graded=graded, method="none", missing=NO_GUESS
        )
    few, judge = graded < MIN_CLUSTERS, _band(norm_scores, scored) if graded else None
    unbounded = judge is not None and judge.high - judge.low > WIDEST
    missing = NOTHING_GRADED if not graded else too_few_norms(graded) if few else scored.interval.missing
    if unbounded:
        missing = Missing(code="band_too_wide")
    none = few or unbounded
    figure = Estimate(
        metric="kept",
        group=group.key,
        value=scored.value if graded and not unbounded else None,
        low=None if none else scored.interval.low,
        high=None if none else scored.interval.high,
        asked=asked,
        graded=graded,
        method="none" if none else scored.interval.method,
        missing=missing,
    )
    return shown(figure, judge=judge)


def _band(norm_scores: RungNormScores, scored: RungMean) -> JudgeBand | None:
    """The band of a rung's judge; None where nobody judged, or labels tell its errors: the interval has them."""
    one, other = norm_scores.judge.rates
    if not norm_scores.rung.judged or norm_scores.judge.labelled:
        return None
    ends = (one.low, one.high), (other.low, other.high)
    return JudgeBand(low=scored.least, high=scored.most, sensitivity=ends[0], specificity=ends[1])


class _Pair(Struct, frozen=True, kw_only=True):
    """Two neighbouring rungs: the scores of norms on both, NaN where ungraded, with what is drawn together.

    `alone` are the keys of norms that stand on one rung. `scenes` are those of the rung that has them, if one does.
    """

    before: RungNormScores
    after: RungNormScores
    a: RungScores
    b: RungScores
    keys: RowKeys
    cluster: Codes
    places: Codes
    scenes: "NormScenes | None"
    alone: tuple[RowKeys, ...]
    missing: Missing | None

    @classmethod
    def of(cls, before: RungNormScores, after: RungNormScores) -> "_Pair":
        """The norms of both, in the order of the rung before."""
        names = before.norms.keys.unit.texts()
        row_of = {norm: row for row, norm in enumerate(after.norms.keys.unit.texts())}
        rows = np.array([row for row, norm in enumerate(names) if norm in row_of], dtype=np.int64)
        others = np.array([row_of[names[row]] for row in rows], dtype=np.int64)
        keys, other = before.norms.keys.take(rows), after.norms.keys.take(others)
        drawn = list(zip(keys.cluster.texts(), other.cluster.texts(), strict=True))
        lone = ((before.norms.keys, rows), (after.norms.keys, others))
        return cls(
            before=before,
            after=after,
            a=before.scores(rows),
            b=after.scores(others),
            keys=keys,
            cluster=CategoricalColumn.sorted(together(drawn).tolist()).codes,
            places=keys.place.in_order().codes,
            scenes=NormScenes.of(before, after, keys.unit.texts()),
            alone=tuple(each.take(np.setdiff1d(np.arange(len(each)), of)) for each, of in lone),
            missing=before.missing or after.missing or _other_norms(before, after),
        )

    def drop(self, group: Group) -> RungContrast:
        """The fall over one group; with fewer than 8 norms or clusters no claim is made."""
        inside = group.mask(self.keys)
        graded = inside & self._graded
        known = graded & self._sure
        a, b, design = self._weighed(known)
        names = self.before.rung.name, self.after.rung.name
        missing = self.missing or self._unsure(graded) or _too_few(design) or self._one_sided(known)
        found = contrast(a, b, design, seed=RNG_SEED.child(*names, *group), missing=missing)
        if self.missing is not None:
            # Different norms, or a rung without grades, give no size either, not only no test.
            found = structs.replace(found, ends=None, size=None, least=None, most=None)
        elif a.unbounded or b.unbounded:  # no point on one of the rungs, so none of their difference
            found = structs.replace(found, ends=None, size=None, low=None, high=None)
        return RungContrast(
            before=names[0],
            after=names[1],
            contrast=found,
            alone=sum(int(group.mask(keys).sum()) for keys in self.alone),
            ungraded=int(inside.sum() - graded.sum()),
            judged=a.judged or b.judged,
            caution=caution_of_several([each.rung.evaluation for each in (self.before, self.after)], KEPT, group.key),
        )

    def holds_from(self, group: Group, level: float) -> float | None:
        """The worst judge, on both rungs, for which the fall would still be a break; None where labels tell."""
        if self.before.judge.labelled or self.after.judge.labelled:
            return None
        return holds_from(*self._weighed(self._known(group)), DropCriterion(SIZE, level))

    def with_power(self, drop: RungContrast, group: Group, level: float) -> RungContrast:
        """A drop with what its claim could have shown at a level and, of all norms, for which judges it is a break."""
        a, b, design = self._weighed(self._known(group))
        claim = DropCriterion(SIZE, level)
        power = fall_power(a, b, design, claim)
        same = bool(np.all(a.passed == b.passed)) and not drop.judged
        found = structs.replace(
            drop.contrast,
            minimum_detectable=None if same else power.least,
            undetectable=NO_UNIT_DIFFERS if same else SHOWS_NO_DIFFERENCE if power.least is None else None,
        )
        drop = replace(drop, contrast=found)
        if not drop.judged or group != WHOLE:
            return drop
        one, other = (with_labels(each, LABELS) for each in (a, b))
        return replace(
            drop,
            unlimited=power.unlimited,
            labelled=fall_power(one, other, design, claim).least,
            support=support(a, b, design, claim, one_judge=self._one_judge),
        )

    @property
    def _one_judge(self) -> bool:
        """True where the same judges judged both rungs."""
        return {*self.before.judges} == {*self.after.judges}

    def _known(self, group: Group) -> Mask:
        return np.asarray(group.mask(self.keys) & self._graded & self._sure)

    @property
    def _graded(self) -> Mask:
        """Norms graded on both rungs."""
        return np.isfinite(self.a.passed) & np.isfinite(self.b.passed)

    @property
    def _sure(self) -> Mask:
        """Norms of which it is known how many verdicts they rest on."""
        return np.isfinite(self.a.verdicts) & np.isfinite(self.b.verdicts)

    def _weighed(self, known: Mask) -> tuple[RungScores, RungScores, NormDesign]:
        """Both rungs and how norms were drawn.

        Norms count by their scenes, so that each label of these counts alike: one word for all is then no better than
        guessing.
        """
        a, b = self.a.at(known), self.b.at(known)
        design = NormDesign(self.cluster[known], self.places[known])
        if self.scenes is None or not known.any():
            return a, b, design
        judged, weights = self.scenes.balanced(known)
        if self.scenes.before:
            return structs.replace(a, passed=judged), b, design._replace(weights=weights)
        return a, structs.replace(b, passed=judged), design._replace(weights=weights)

    def _one_sided(self, known: Mask) -> Missing | None:
        missing = None if self.scenes is None else self.scenes.label_missing(known)
        return None if missing is None else Missing(code=ONE_LABEL, told=missing)

    def _unsure(self, graded: Mask) -> Missing | None:
        """Reason that the judges of these rungs bear no claim about norms that are graded on both."""
        if not self._sure[graded].all():
            return Missing(code="steps_unknown")
        if any(rung.judged and rung.judge.hopeless for rung in (self.a.at(graded), self.b.at(graded))):
            return Missing(code="hopeless_judge")
        return None


class NormScenes(NamedTuple):
    """The scenes of a pair's norms: the norm of each as a row of the pair, its label and its score, NaN where ungraded.

    `before` is True where they are those of the rung before.
    """

    norm: Codes
    label: Strings
    score: Floats
    before: bool

    @classmethod
    def of(cls, before: RungNormScores, after: RungNormScores, norms: Sequence[str]) -> "NormScenes | None":
        """Those of the rung that has scenes; None where neither has."""
        rows = after.scenes if before.scenes is None else before.scenes
        if rows is None or rows.gold is None:
            return None
        norm = rows.keys.unit.among(norms)
        kept = norm >= 0
        label = np.array(rows.gold.texts(), dtype=np.str_)
        return cls(norm[kept], label[kept], rows.value[kept], before.scenes is not None)

    def balanced(self, known: Mask) -> tuple[Floats, Floats]:
        """The score of each of some norms, and what it counts, were each label of their scenes to count alike."""
        inside = self._graded(known)
        norm, score = self.norm[inside], self.score[inside]
        _, of, count = np.unique(self.label[inside], return_inverse=True, return_counts=True)
        each = 1.0 / count[of]
        weights = np.asarray(np.bincount(norm, each, len(known))[known], dtype=np.float64)
        return np.bincount(norm, each * score, len(known))[known] / weights, weights

    def label_missing(self, known: Mask) -> str | None:
        """The first label that no graded scene of some norms has, though others have it."""
        missing = sorted({*self.label.tolist()} - {*self.label[self._graded(known)].tolist()})
        return missing[0] if missing else None

    def _graded(self, known: Mask) -> Mask:
        return known[self.norm] & np.isfinite(self.score)


def _texts(column: CategoricalColumn | None, rows: int) -> Strings:
    """The name of each row, empty where there is none."""
    return np.array([""] * rows if column is None else column.texts(), dtype=np.str_)


def _too_few(design: NormDesign) -> Missing | None:
    norms, clusters = design.clusters.size, np.unique(design.clusters).size
    if norms == 0:
        return Missing(code="no_common_norm")
    if norms < MIN_CLUSTERS:
        return too_few_norms(norms)
    return too_few(clusters).missing if clusters < MIN_CLUSTERS else None


def _other_norms(before: RungNormScores, after: RungNormScores) -> Missing | None:
    """Reason not to pair the rungs: ids that are alike in two packs are not the same norms."""
    one, other = (set(each.rung.evaluation.provenance.data.values()) for each in (before, after))
    return None if not one or not other or one & other else Missing(code="other_norms")
