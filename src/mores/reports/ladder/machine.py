"""A ladder for programs: every number that the page shows, and the norms with what happened; missing is null."""

from dataclasses import fields

from mores.reports.ladder.drops import Drop
from mores.reports.ladder.ladders import Ladder, Row
from mores.reports.ladder.standing import Standing, Stood
from mores.stats.judged_contrast import FLAWLESS

_OF_DROP = tuple(f.name for f in fields(Drop))


def plain_ladder(ladder: Ladder) -> dict[str, object]:
    """One model's ladder."""
    return {
        "label": ladder.label,
        "simulated": ladder.simulated,
        "rungs": [
            {
                "name": stood.rung.name,
                "benchmark": stood.rung.cell.benchmark,
                "chance": stood.rung.chance,
                "judged": stood.rung.judged,
                "no_claims": stood.why,
                "judge_range": _judge(stood) if stood.judge is not FLAWLESS else None,
            }
            for stood in ladder.stood
        ],
        "family": ladder.family,
        "needed_apart": ladder.needed,
        "meaning": ladder.meaning,
        "groups": [_row(ladder, row) for row in ladder.rows],
        "norms": _norms(ladder),
    }


def _row(ladder: Ladder, row: Row) -> dict[str, object]:
    names = [rung.name for rung in ladder.rungs]
    broken = row.broken
    return {
        "group": {row.kind: row.group.value} if row.kind else {},
        "scores": dict(zip(names, row.scores, strict=True)),
        "figures": dict(zip(names, row.figures, strict=True)),
        "drops": [_drop(drop) for drop in row.drops],
        "breaks": None if broken is None else broken.after,
        "told": ladder.told(row),
    }


def _drop(drop: Drop) -> dict[str, object]:
    return {**{name: getattr(drop, name) for name in _OF_DROP}, "found": drop.found, "breaks": drop.breaks}


def _norms(ladder: Ladder) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for stood in ladder.stood:
        for norm, standing in stood.norms.items():
            found.setdefault(norm, {})[stood.rung.name] = _standing(standing)
    return dict(sorted(found.items()))


def _judge(stood: Stood) -> dict[str, object]:
    """The ends of each rate's range, and on how many labels it rests: 0 where it is stated."""
    judge = stood.judge
    return {
        name: {"low": rate.low, "high": rate.high, "labels": rate.labels}
        for name, rate in (("sensitivity", judge.sensitivity), ("specificity", judge.specificity))
    }


def _standing(standing: Standing) -> dict[str, object]:
    return {"share": standing.share if standing.graded else None, "told": standing.told}
