"""Rungs and norms made by hand: what each norm got, in which bundle, at which place, for sums on paper."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mores.analysis.results import CardTrace, Provenance, Result
from mores.benchmarks.ladder.contrasts import RungContrasts, groups_of, rung_contrasts
from mores.benchmarks.ladder.rungs import Rung, RungNormScores
from mores.benchmarks.ladder.scores import SEEN
from mores.core.card import Protocol, Sampling
from mores.core.estimate import Estimate, MetricRows, RowKeys
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict, VoteSummary
from mores.runs.loading import StoredResult
from mores.stats.rogan_gladen import FLAWLESS, JudgeErrors
from tests.reports.made import Made

CHANCES = {"know": 1 / 16, "judge": 1 / 3}
JUDGED = {"judge": "simulated/judge"}


def rung(name: str, pack: str = "one") -> Rung:
    """A rung of which only the name, the chance of a guess and the pack count."""
    traced = Provenance(
        card=CardTrace(version="1-A"),
        protocol=Protocol(sampling=Sampling()),
        items=1,
        roles={"subject": "m"},
        data={"pack": pack},
    )
    evaluation = Result(
        run=Path("run"), folder=Path("run"), model="m", label="m", benchmark=f"ladder/{name}", headline="accuracy",
        simulated=False, estimates=(), card=None, provenance=traced,
        stored=StoredResult(folder=Path("run"), benchmark=f"ladder/{name}", protocol=traced.protocol),
    )  # fmt: skip
    return Rung(name=name, chance=CHANCES.get(name, 0.0), evaluation=evaluation)


def stood(
    name: str, shares: Iterable[float], bundle: int = 1, places: int = 1, judge: JudgeErrors = FLAWLESS, **more: Any
) -> RungNormScores:
    """Norms n0, n1, … on a rung: so many a bundle in a row, dealt over so many places in rows."""
    got = list(shares)
    abouts = [
        ItemMetadata(
            item=f"n{n}", unit=f"n{n}", cluster=f"n{n}" if bundle == 1 else f"b{n // bundle}",
            place=f"P{n * places // len(got)}",
        )
        for n in range(len(got))
    ]  # fmt: skip
    said = np.array([rung(name).above(share) for share in got])
    seen = np.full(len(got), float(judge is not FLAWLESS))
    rows = MetricRows(keys=RowKeys.of(abouts), value=said, least=said, most=said, extra={SEEN: seen})
    return RungNormScores(
        rung=rung(name, more.get("pack", "one")), norms=rows, verdicts=np.full(len(got), more.get("steps", 1.0)),
        missing=more.get("missing"), judge=judge,
    )  # fmt: skip


def drops_of(*rungs: RungNormScores) -> RungContrasts:
    """All drops between these rungs."""
    return rung_contrasts(rungs, groups_of(rungs))


def about(norm: str, item: str = "", *, place: str = "JP", **more: Any) -> ItemMetadata:
    """What an item of a norm counts towards."""
    groups = {"domain": more.pop("domain", "family"), "strictness": "no"}
    return ItemMetadata(item=item or norm, unit=more.pop("unit", norm), cluster=more.pop("cluster", norm), place=place,
                 groups=groups, **more)  # fmt: skip


def known(norm: str, right: Sequence[float | None], sample: int = 0, **where: Any) -> list[Verdict]:
    """Statements on a norm, right or wrong or ungraded, read strictly; every second one is false."""
    return [
        _closed(about(norm, f"know-{norm}-{number}", **where), sample, points, "strict",
                ("false", "true") if number % 2 else ("true", "false"))
        for number, points in enumerate(right, start=1)
    ]  # fmt: skip


def judged(norm: str, right: float | None, sample: int = 0, **where: Any) -> list[Verdict]:
    """A scene judged by a norm."""
    return [_closed(about(norm, f"judge-{norm}", **where), sample, right, "strict", ("no", "yes"))]


def explained(norm: str, right: float, reasons: float | None, **where: Any) -> list[Verdict]:
    """A label with its reasons."""
    at = about(norm, f"explain-{norm}", **where)
    label = _closed(at, 0, right, "label", ("no", "yes"))
    if reasons is None:
        return [label, Ungraded(about=at, sample=0, task="coverage", cause="judge: cut short")]
    ballot = VoteSummary(votes=1, asked=1, words=9)
    return [label, Graded(about=at, sample=0, task="coverage", points=reasons, ballot=ballot)]


def applied(norm: str, kept: float, bundle: str, **where: Any) -> list[Verdict]:
    """An open answer held against one norm of its bundle."""
    at = about(norm, f"apply-{bundle}", cluster=bundle, part=norm, **where)
    shares = {"satisfied": kept, "neutral": 1 - kept, "violated": 0.0}
    ballot = VoteSummary(votes=1, asked=1, words=9, label_probs=shares)
    label = "satisfied" if kept > 0.5 else "neutral"
    return [Graded(about=at, sample=0, task="norm", points=kept, label=label, ballot=ballot)]


def talked(norm: str, end: float | None, sample: int = 0, level: str = "", **where: Any) -> list[Verdict]:
    """A talk: what it was aware of, and how it ended, from 0 to 3; None is a judge that failed."""
    unit = f"{norm}@{level}" if level else norm
    at = {task: about(norm, f"converse-{unit}", unit=unit, cluster=norm, part=task, **where) for task in TALK}
    first = Graded(about=at["awareness"], sample=sample, task="awareness", points=1.0, label="yes")
    if end is None:
        return [
            first,
            *(
                Ungraded(about=at[t], sample=sample, task=t, cause="judge: cut short")
                for t in ("respected", "behaviour")
            ),
        ]
    ballot, yes = VoteSummary(votes=1, asked=1, words=9), end >= 2
    kept = Graded(about=at["respected"], sample=sample, task="respected", points=float(yes), label="", ballot=ballot)
    return [first, kept, Graded(about=at["behaviour"], sample=sample, task="behaviour", points=end, label=f"{end:g}")]


TALK = ("awareness", "respected", "behaviour")


def _closed(at: ItemMetadata, sample: int, points: float | None, task: str, said: tuple[str, str]) -> Verdict:
    if points is None:
        return Ungraded(about=at, sample=sample, task=task, cause="timeout", gold=said[1])
    return Graded(about=at, sample=sample, task=task, points=points, label=said[int(points)], gold=said[1])


def evaluation(name: str, verdicts: Sequence[Verdict], value: float, **wished: Any) -> Made:
    """An evaluation of one rung, with its figure over everything and over whatever groups it is given."""
    groups: Mapping[tuple[str, str], float] = wished.pop("groups", {})
    norms = len({v.about.unit for v in verdicts})
    figures = {"accuracy": _figure(value, norms)}
    figures |= {f"accuracy {key}": _figure(share, norms, key) for key, share in groups.items()}
    if name == "explain":
        figures["label_accuracy"] = Estimate(metric="label_accuracy", value=0.5, asked=norms, graded=norms)
    roles = {} if name in CHANCES else JUDGED
    return Made(
        model=wished.pop("model", "m"), benchmark=f"ladder/{name}", verdicts=verdicts, figures=figures, roles=roles,
        also={"data": {"pack": "one"}, **wished.pop("also", {})}, **wished,
    )  # fmt: skip


def _figure(value: float, norms: int, key: tuple[str, str] | None = None) -> Estimate:
    return Estimate(metric="accuracy", group=dict([key]) if key else {}, value=value, low=value / 2,
                    high=(1 + value) / 2, asked=norms, graded=norms)  # fmt: skip
