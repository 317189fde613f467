"""Runs that ask step by step: what is asked next hangs on what was answered before.

A claim on two models (`--until "A > B"`) is looked at while questions come in, and asking ends once it is decided. A
unit of which one wrong item decides the headline (`--set stop=wrong`) is asked no further once one is wrong.

clusters of items in the order in which --limit draws them ─▶ steps ─▶ answers ─▶ the claim's score ─▶ more, or an end

A step ends before it is looked at, so that what is asked hangs on answers alone and not on how fast they come: any
concurrency asks the same, and a run that was killed takes the same way again out of its journal.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec import Struct, field, structs

from mores.analysis.contrast import metric_range, paired
from mores.analysis.units import units_of
from mores.core.arrays import Codes, Floats
from mores.core.card import InterimLook, SequentialEnd, SequentialTest
from mores.core.errors import InputError, RunError, Stopped, UnknownName
from mores.core.estimate import MetricRows
from mores.core.seeds import Seed
from mores.core.transcript import Item
from mores.runs.cost_estimate import design_of
from mores.runs.evaluation import Evaluation, ResultWriter
from mores.runs.executor import Steps
from mores.runs.selection import drawn_by, drawn_order
from mores.runs.spec import ExecutionSpec, Spec
from mores.stats.sequential import ClusterScore, LookPlan, at_the_stop, p_of

FEWEST_LOOKS = 2
_CLAIM = re.compile(r"\s*(.+?)\s*([<>])\s*(.+?)\s*")
_WANTED = "expected 'A > B' of the two models of the run, or 'A > 0.7' of its one"


class Claim(NamedTuple):
    """Claim that model `a` is above model `b`, or above a number."""

    text: str
    a: str
    b: str | None = None
    number: float | None = None

    @classmethod
    def read(cls, text: str, models: Sequence[str]) -> "Claim":
        """The claim in words, about these models: each by its name, or by what stands after its provider.

        Raises:
            InputError: it is none, or not about all of the models and no others.
        """
        form = _CLAIM.fullmatch(text)
        if form is None:
            raise InputError(f"--until '{text}': {_WANTED}.")
        left, right = (form[1], form[3]) if form[2] == ">" else (form[3], form[1])
        if _number(left) is not None:
            raise InputError(f"--until '{text}': {_WANTED}; a number stands on the lower side.")
        a, number = _model(left, models), _number(right)
        b = _model(right, models) if number is None else None
        if a == b or {a, b} - {None} != set(models):
            raise InputError(f"--until '{text}': the run has {', '.join(models)}; {_WANTED}.")
        return cls(text, a, b, number)


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _model(word: str, models: Sequence[str]) -> str:
    found = [model for model in models if word in {model, model.partition("/")[2], model.rpartition("/")[2]}]
    if len(set(found)) != 1:
        raise UnknownName("model of the run", word, models, where="--until")
    return found[0]


def check_claim(spec: Spec, conditions: ExecutionSpec) -> None:
    """Refuse a claim that nothing could decide, or a run that cannot be asked step by step.

    Raises:
        InputError: it is so.
    """
    Claim.read(spec.until or "", spec.models)
    excluded = {
        "--batch": conditions.batch,
        "--shard": spec.shard,
        "--control": spec.controls,
        "--prompt-variants": spec.prompt_variants,
        "--orders": spec.orders,
    }
    for flag, given in excluded.items():
        if given:
            raise InputError(f"--until and {flag}: a run that may end early is asked whole and live; leave one out.")


def steps_of(spec: Spec, evaluations: Sequence[Evaluation]) -> dict[Path, Steps]:
    """The steps of each evaluation that is asked step by step, by its folder.

    Raises:
        InputError: the claim is about several benchmarks, or there are too few questions for two looks at it.
    """
    looks = None if spec.until is None else _looks(Claim.read(spec.until, spec.models), spec, evaluations)
    stopping = {each.folder for each in evaluations if each.stops}
    return {
        each.folder: _Steps(evaluation=each, looks=looks, stopping=each.folder in stopping)
        for each in evaluations
        if looks is not None or each.folder in stopping
    }


def _looks(claim: Claim, spec: Spec, evaluations: Sequence[Evaluation]) -> "_Looks":
    names = list(dict.fromkeys(each.name for each in evaluations))
    if len(names) > 1:
        raise InputError(f"--until '{claim.text}': expected one benchmark; the run has {', '.join(names)}.")
    first = evaluations[0]
    clusters = asking_order(first.items, spec.root_seed.child(first.benchmark.card.draw or first.name))
    plan = LookPlan.even(len(clusters))
    if len(plan.shares) < FEWEST_LOOKS:
        raise InputError(
            f"--until '{claim.text}': {first.name} has {len(clusters)} independent questions here, too few to look at "
            "them while they come in; expected 60 at least. Leave --until out."
        )
    return _Looks(
        claim=claim,
        plan=plan,
        clusters=clusters,
        members=[each.folder for each in evaluations],
        first=first,
    )


def asking_order(items: Iterable[Item], seed: Seed) -> list[list[Item]]:
    """Clusters of items in the order in which they are asked, each with its items in the order of the data.

    Where each unit is a cluster of its own, the first n are those that `--limit n` draws. Units that share a cluster,
    or are drawn by one name, come together, so that what is asked later tells something new.
    """
    known, root = list(items), dict[str, str]()

    def top(name: str) -> str:
        while root.setdefault(name, name) != name:
            name = root[name]
        return name

    for item in known:
        root[top(f"cluster {item.about.cluster}")] = top(f"unit {drawn_by(item)}")
    together: dict[str, list[Item]] = defaultdict(list)
    for item in known:
        together[top(f"unit {drawn_by(item)}")].append(item)
    firsts = {drawn_by(own[0]): own for own in together.values()}
    places = {name: own[0].about.place or "" for name, own in firsts.items()}
    return [firsts[name] for name in drawn_order(places, seed)]


class _Looks(Struct, kw_only=True):
    """Looks that the evaluations of a claim share: each waits for the others at the end of a step."""

    claim: Claim
    plan: LookPlan
    clusters: list[list[Item]]
    members: list[Path]
    first: Evaluation
    rows: dict[Path, tuple[str, MetricRows]] = field(default_factory=dict)
    made: list[InterimLook] = field(default_factory=list)
    found: SequentialTest | None = None
    gone: bool = False
    _turn: asyncio.Event = field(default_factory=asyncio.Event)

    def items(self, look: int) -> list[Item]:
        """Items that are new at a look, from 1."""
        fresh = self.clusters[self._clusters(look - 1) : self._clusters(look)]
        return [item for cluster in fresh for item in cluster]

    def _units(self, clusters: int) -> int:
        """Units that the headline counts in so many clusters, from the first."""
        items = [item for cluster in self.clusters[:clusters] for item in cluster]
        return len(design_of(structs.replace(self.first, items=items)).units)

    def _clusters(self, look: int) -> int:
        """Clusters that have been asked at a look; 0 before the first."""
        return round((0.0, *self.plan.shares)[look] * len(self.clusters))

    async def after(self, evaluation: Evaluation, results: ResultWriter) -> bool:
        """True once all have come as far and the claim is still open.

        Raises:
            Stopped: one of them asks no more.
        """
        scores = evaluation.benchmark.scoring(evaluation.setting).score(results.ledger)
        headline = evaluation.benchmark.card.headline
        if headline not in scores:
            raise InputError(f"--until '{self.claim.text}': {evaluation.name} has no units for its {headline}.")
        self.rows[evaluation.folder] = (evaluation.model, scores[headline])
        turn = self._turn
        if len(self.rows) == len(self.members):
            self._look(headline)
            self.rows.clear()
            self._turn = asyncio.Event()
            turn.set()
        elif not self.gone:
            await turn.wait()
        if self.gone and self.found is None:
            raise Stopped(f"--until '{self.claim.text}': another model of it asks no more.")
        return self.found is None

    def leave(self) -> None:
        """Let those go on that wait for one that is gone."""
        self.gone = True
        self._turn.set()

    def _look(self, metric: str) -> None:
        """Look at the claim as far as it is known, and end it where it is decided or vain."""
        score, units = _score(self.claim, dict(self.rows.values()))
        if not units:
            raise RunError(f"--until '{self.claim.text}': no question is graded yet for all that it is about.")
        look, z = len(self.made) + 1, score.score()
        self.made.append(
            InterimLook(
                units=units,
                clusters=len(score.sums),
                difference=score.mean,
                score=z,
                bound=self.plan.bounds[look - 1],
                p=p_of(z),
            )
        )
        end = self.plan.end(look, z)
        if end is not None:
            self._end(metric, end, score, z)

    def _end(self, metric: str, end: SequentialEnd, score: ClusterScore, z: float) -> None:
        known = at_the_stop(self.plan, len(self.made), z)
        reach = metric_range(next((each for each in self.first.benchmark.card.metrics if each.name == metric), None))
        drifts = (known.low, known.middle, known.high)
        low, middle, high = (min(reach, max(-reach, score.difference(drift))) for drift in drifts)
        claim = self.claim
        self.found = SequentialTest(
            claim=claim.text, metric=metric, a=claim.a, b=claim.b, number=claim.number,
            asked=self._units(self._clusters(len(self.made))), most=self._units(len(self.clusters)),
            planned=len(self.plan.shares), looks=tuple(self.made), end=end,
            hope=self.plan.hope(len(self.made), z), p=known.p, difference=middle, low=low, high=high,
        )  # fmt: skip


def _score(claim: Claim, rows: Mapping[str, MetricRows]) -> tuple[ClusterScore, int]:
    """The score of a claim over the units that are graded for all, and their number."""
    if claim.b is not None:
        pairs = paired(rows[claim.a], rows[claim.b])
        return ClusterScore.of(pairs.a - pairs.b, pairs.cluster), len(pairs.a)
    units = units_of(rows[claim.a])
    kept = units.graded
    gaps: Floats = units.points[kept] / units.mean_weight - (claim.number or 0.0)
    codes: Codes = units.keys.cluster.codes[kept]
    return ClusterScore.of(gaps, codes), len(gaps)


class _Steps(Struct, kw_only=True):
    """Steps of one evaluation: those of the looks, each cut into rounds where units stop at a wrong item."""

    evaluation: Evaluation
    looks: _Looks | None
    stopping: bool

    async def ask(self, results: ResultWriter) -> AsyncIterator[Sequence[Item]]:
        """The items of each step."""
        if self.looks is None:
            for items in self._rounds(self.evaluation.items, results):
                yield items
            return
        look, still_open = 0, True
        while still_open:
            look += 1
            for items in self._rounds(self.looks.items(look), results):
                yield items
            still_open = await self.looks.after(self.evaluation, results)

    def _rounds(self, items: Sequence[Item], results: ResultWriter) -> Iterable[Sequence[Item]]:
        """All items at once, or of each unit one after another in a drawn order, until one is wrong."""
        if not self.stopping:
            yield items
            return
        units: dict[str, list[Item]] = defaultdict(list)
        for item in items:
            units[item.about.unit].append(item)
        seed = self.evaluation.setting.seed.child("stop")
        order = {
            unit: sorted(own, key=lambda item: seed.child(item.about.item).uniform()) for unit, own in units.items()
        }
        number = 0
        while waiting := [own[number] for own in order.values() if number < len(own)]:
            yield waiting
            number += 1
            wrong = self._wrong(results)
            order = {unit: own for unit, own in order.items() if unit not in wrong}

    def _wrong(self, results: ResultWriter) -> frozenset[str]:
        """Units that are wrong in each sample, whatever their other items come to."""
        scores = self.evaluation.benchmark.scoring(self.evaluation.setting).score(results.ledger)
        rows = scores[self.evaluation.benchmark.card.headline]
        size = len(rows.keys.unit.names)
        right = np.zeros(size, dtype=np.int64)
        np.add.at(right, rows.keys.unit.codes, ~(rows.value == 0))
        return frozenset(name for name, count in zip(rows.keys.unit.names, right, strict=True) if not count)

    def leave(self) -> None:
        """Take no further part."""
        if self.looks is not None:
            self.looks.leave()

    @property
    def found(self) -> SequentialTest | None:
        """The claim that ended it."""
        return self.looks.found if self.looks is not None else None

    def ended(self, asked: Sequence[Item]) -> Evaluation:
        """The evaluation of what was asked, with remarks on what was not."""
        whole = self.evaluation
        remarks = (*whole.remarks, *self._remarks(asked))
        return structs.replace(whole, items=tuple(asked), remarks=remarks)

    def _remarks(self, asked: Sequence[Item]) -> Iterable[str]:
        if self.found is not None:
            yield (
                f"Asked until '{self.found.claim}' was decided: {self.found.asked:,} of {self.found.most:,} units. "
                "Tests and intervals that do not say so take the number of units as fixed; those of the claim do not."
            )
        if self.stopping:
            of = {item.about.unit for item in asked}
            every = sum(item.about.unit in of for item in self.evaluation.items)
            yield (
                f"Once an item of a unit was wrong the others were not asked (--set stop=wrong): "
                f"{every - len(asked):,} of {every:,} were left out."
            )
