"""Runs made by hand: a few verdicts and figures in the files that a run leaves, so that sums can be worked on paper."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mores.core.codec import encode, encode_lines
from mores.core.estimate import Estimate
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict, VoteSummary
from mores.runs.folder import write_manifest

Figures = Mapping[str, float | Estimate]


@dataclass(frozen=True, kw_only=True)
class Made:
    """One evaluation to be: its verdicts, its figures by metric, who played, and what its manifest says besides.

    `events` are what each transcript holds, by default a question, an answer and a judge's words.
    """

    model: str
    benchmark: str
    verdicts: Sequence[Verdict]
    figures: Figures
    roles: Mapping[str, str] = field(default_factory=dict)
    headline: str = "accuracy"
    simulated: bool = False
    judging: Mapping[str, Any] | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    also: Mapping[str, Any] = field(default_factory=dict)
    events: Sequence[Mapping[str, Any]] | None = None


def run_of(folder: Path, *evaluations: Made) -> Path:
    """A study of these evaluations."""
    folder.mkdir(parents=True)
    names = [{"folder": f"cell-{n}", "model": c.model, "benchmark": c.benchmark} for n, c in enumerate(evaluations)]
    write_manifest(folder, {"kind": "study", "cells": names})
    for name, evaluation in zip(names, evaluations, strict=True):
        _leave(folder / name["folder"], evaluation)
    return folder


def about(item: str, *, cluster: str = "", place: str | None = None, part: str = "", unit: str = "") -> ItemMetadata:
    """What an item of that name is about; by default a cluster by itself."""
    groups = {"strictness": "no"} if part else {}
    return ItemMetadata(item=item, unit=unit or item, cluster=cluster or item, place=place, groups=groups, part=part)


def label(item: str, points: float | None, *, task: str = "label", **more: Any) -> Verdict:
    """A verdict on a label; None is one that failed."""
    if points is None:
        return Ungraded(about=about(item), sample=0, task=task, cause="timeout", gold="yes")
    said = "yes" if points else "no"
    return Graded(about=about(item), sample=0, task=task, points=points, label=said, gold="yes", **more)


def reasons(item: str, points: float | None, *, task: str = "coverage", **more: Any) -> Verdict:
    """A verdict of a judge on reasons; None is one that failed."""
    if points is None:
        return Ungraded(about=about(item), sample=0, task=task, cause="judge: cut short", raw="It covers")
    ballot = VoteSummary(votes=1, asked=1, words=9)
    return Graded(
        about=about(item), sample=0, task=task, points=points, **{"ballot": ballot, "reason": "So so.", **more}
    )


def explained(pairs: Iterable[tuple[float | None, float | None]]) -> list[Verdict]:
    """Answers i0, i1, … with the points of their label and of their reasons."""
    return [v for n, (right, points) in enumerate(pairs) for v in (label(f"i{n}", right), reasons(f"i{n}", points))]


def thin(points: Iterable[float | None]) -> list[Verdict]:
    """Answers i0, i1, … of one word."""
    return [label(f"i{n}", each, task="strict") for n, each in enumerate(points)]


def _leave(folder: Path, evaluation: Made) -> None:
    folder.mkdir()
    ungraded = [v.cause for v in evaluation.verdicts if isinstance(v, Ungraded)]
    protocol = {"sampling": {"temperature": 0.0}, "judging": evaluation.judging, "settings": evaluation.settings}
    write_manifest(folder, {
        "kind": "cell", "state": "finished", "model": evaluation.model, "benchmark": evaluation.benchmark,
        "card": {"version": "1-A"}, "protocol": protocol, "items": len({v.about.item for v in evaluation.verdicts}),
        "roles": {"subject": evaluation.model, **evaluation.roles}, "simulated": evaluation.simulated,
        "ungraded": {cause: ungraded.count(cause) for cause in ungraded}, **evaluation.also,
    })  # fmt: skip
    figures = [_figure(name, found, len(evaluation.verdicts)) for name, found in evaluation.figures.items()]
    (folder / "estimates.json").write_bytes(encode({"headline": evaluation.headline, "estimates": figures}))
    (folder / "verdicts.jsonl").write_bytes(encode_lines(evaluation.verdicts))
    items = dict.fromkeys(v.about.item for v in evaluation.verdicts)
    lines = [encode({"item": item, "sample": 0, "events": evaluation.events or _played(item)}) for item in items]
    (folder / "transcripts.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def _played(item: str) -> list[dict[str, Any]]:
    asked = {"event": "asked", "prompt": "0"}
    said = f"What I say of {item}."
    return [
        {**asked, "role": "subject", "messages": [{"role": "user", "content": f"Ask {item}"}]},
        {"event": "answered", "role": "subject", "text": said},
        {**asked, "role": "judge", "messages": [{"role": "user", "content": f"Judge {said}"}]},
        {"event": "answered", "role": "judge", "text": "A judge's own words."},
    ]


def _figure(name: str, found: float | Estimate, asked: int) -> Estimate:
    if isinstance(found, Estimate):
        return found
    return Estimate(metric=name, value=found, low=found / 2, high=(1 + found) / 2, asked=asked, graded=asked,
                    worst=found, best=found)  # fmt: skip
