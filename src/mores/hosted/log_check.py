"""Agreement of another program's log with mores on the same replies: reply by reply, and figure by figure.

log ─▶ its replies graded here ─▶ differences of grades
log of one of our own tasks ─▶ its verdicts, and what follows from them ─▶ differences of figures, too

Nothing is asked: what a judge graded is taken as it stands in the log, and can be checked in a log of our own only.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mores.benchmarks import catalogue
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.transcript import ReplyEvent, Transcript
from mores.core.verdict import Graded, Verdict
from mores.hosted import JUDGE, SUBJECT, Hosted, hosted, transcript_of, verdicts_of
from mores.models.logs import inspect_log
from mores.models.logs.inspect_log import read_documents
from mores.models.logs.logged_reply import points_of
from mores.models.recorded import Recorded
from mores.runs.run_study import check_recordings

SAME = 1e-9
"""Difference of two points that is none: programs write different digits of a third."""
INSPECT = inspect_log.NAME
SCORER, TRANSCRIPT, VERDICTS = "mores", "mores:transcript", "verdicts"
"""In Inspect's logs the name of our scorer, the key of a transcript in a sample's store, and of verdicts by a score."""
COUNTS = ("items", "items_planned")
"""Figures that a task has where Inspect left items out: nothing follows from verdicts."""


class GradeDifference(Struct, frozen=True, kw_only=True):
    """One reply with different points; `mores` is None where it was not graded here, `reason` says why it was so."""

    item: str
    sample: int
    reply: str
    log: float
    mores: float | None
    reason: str


class FigureDifference(Struct, frozen=True, kw_only=True):
    """A figure that differs, or that is not there on one side."""

    name: str
    log: float | None
    mores: float | None


class LogCheck(Struct, frozen=True, kw_only=True):
    """Agreement of a log with mores.

    `replies` of the log answer questions of the benchmark, `scored` of them have points of their own there.
    `points_log` and `points_mores` are the mean points of those that both graded. `figures` were compared, where the
    log has figures of ours. Where it was `judged`, its verdicts were taken as they are.
    """

    log: str
    layout: str
    benchmark: str
    replies: int
    scored: int
    grades: tuple[GradeDifference, ...]
    points_log: float | None
    points_mores: float | None
    figures: int
    different: tuple[FigureDifference, ...]
    headline: Estimate
    judged: bool

    @property
    def agrees(self) -> bool:
        """True where no grade and no figure differs."""
        return not self.grades and not self.different


async def check_log(log: Path, benchmark: str | None = None, *, data: Path | None = None) -> LogCheck:
    """Agreement of a log with mores on its replies.

    Args:
        log: A log of Inspect, lm-evaluation-harness, HELM or Every Eval Ever.
        benchmark: Which of our benchmarks it is of; may be left out where the log says so.
        data: Its data, as of `mores run`; those that the log names, where it is of a task of ours.

    Raises:
        InputError: the log cannot be read, is of no benchmark of ours, or a judge graded it that was not ours.
    """
    documents = read_documents(log)
    header, samples = documents or ({}, [])
    options = _options(header)
    if options is not None:
        name = options.pop("name")
        given = options if data is None else options | {"data": str(data)}
        return await _of_ours(log, hosted(name, **given), header, samples)
    name = benchmark or _named(header)
    if name is None:
        raise InputError(f"{log}: it does not say which benchmark it is of; name one: mores doctor log {log} NAME.")
    whole = hosted(name, data=None if data is None else str(data), limit="all")
    if _judges(whole):
        raise InputError(
            f"{log}: answers of {name} are graded by a judge, whom nobody asks here; mores run {name} "
            f"--model recorded/{log} --judge SPEC does."
        )
    return await _of_another(log, whole)


def _options(header: Mapping[str, Any]) -> dict[str, Any] | None:
    """The options of one of our tasks, which stand in its plan; None of any other log."""
    for step in header.get("plan", {}).get("steps", ()):
        if step.get("solver", "").startswith(f"{SCORER}/"):
            found: dict[str, Any] = json.loads(step["params"]["benchmark"])
            return found
    return None


def _named(header: Mapping[str, Any]) -> str | None:
    task = header.get("eval", {}).get("task")
    return task if task in catalogue.names() else None


def _judges(whole: Hosted) -> list[str]:
    return [role for role in whole.roles if role.startswith(JUDGE)]


async def _of_ours(
    log: Path, whole: Hosted, header: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]
) -> LogCheck:  # fmt: skip
    """Agreement of a log of our own task: its figures follow from its verdicts, and these from its plays."""
    scores = (header.get("results") or {}).get("scores") or [{}]
    figures = {name: each["value"] for name, each in scores[0].get("metrics", {}).items()}
    if whole.roles == (SUBJECT,):
        plays = [_play_of(sample) for sample in samples if TRANSCRIPT in sample.get("store", {})]
        return await _graded(log, INSPECT, whole, plays, figures)
    lines = [line for each in samples for line in _verdict_lines(each)]
    if not lines:
        raise InputError(f"{log}: no verdicts in it; expected the log of a task that has ended.")
    found = whole.figures(verdicts_of(lines))
    different = tuple(_different(figures, whole, found))
    return LogCheck(
        log=str(log), layout=INSPECT, benchmark=whole.evaluation.name, replies=len(samples), scored=0, grades=(),
        points_log=None, points_mores=None, figures=len(figures), different=different, headline=found[0], judged=True,
    )  # fmt: skip


def _verdict_lines(sample: Mapping[str, Any]) -> list[str]:
    score = (sample.get("scores") or {}).get(SCORER) or {}
    lines: list[str] = (score.get("metadata") or {}).get(VERDICTS, [])
    return lines


class _Play(NamedTuple):
    """A play of a log, the subject's reply in it, and the points that the log gives it."""

    transcript: Transcript
    reply: str
    score: float | None


def _play_of(sample: Mapping[str, Any]) -> _Play:
    transcript = transcript_of(sample["store"][TRANSCRIPT])
    replies = [each.text for each in transcript.events if isinstance(each, ReplyEvent)]
    score = points_of(((sample.get("scores") or {}).get(SCORER) or {}).get("value"))
    return _Play(transcript, replies[-1] if replies else "", score)


def _different(figures: Mapping[str, float], whole: Hosted, found: Sequence[Estimate]) -> Iterator[FigureDifference]:
    if not figures:
        return
    named = whole.named(found)
    ours = named.whole | named.groups
    for name in dict.fromkeys((*figures, *ours)):
        log, mores = figures.get(name), ours.get(name)
        if name in COUNTS or (log is not None and mores is not None and _same(log, mores)):
            continue
        yield FigureDifference(name=name, log=log, mores=mores)


def _same(one: float, other: float) -> bool:
    return one == other or (isnan(one) and isnan(other))


class _Replayed:
    """Caller that says what a log says that was answered."""

    def __init__(self, recorded: Recorded) -> None:
        self.ask = recorded.reply


async def _of_another(log: Path, whole: Hosted) -> LogCheck:
    """Agreement on each reply of another program's log, which is matched with our questions as a run does it."""
    recorded = Recorded(f"recorded/{log}")
    if recorded.log is None:
        raise InputError(f"{log}: a table, not a log that has grades; expected a log of another program.")
    samples = 1 + max((row.sample for row in recorded.log.rows), default=0)
    setting = whole.evaluation.setting
    setting = replace(setting, protocol=replace(setting.protocol, samples=samples))
    roles = {SUBJECT: recorded.spec}
    evaluation = replace(whole.evaluation, model=recorded.spec, roles=roles, setting=setting)
    check_recordings({recorded.spec: recorded}, evaluation)
    plays = []
    for name, item in whole.items.items():
        for sample in range(samples):
            row = recorded.logged(name, item.render(), sample)  # type: ignore[attr-defined]  # they all were matched
            if row is not None:
                transcript = await whole.play(name, sample, {SUBJECT: _Replayed(recorded)})
                plays.append(_Play(transcript, "" if row.reply is None else row.reply.text, row.score))
    return await _graded(log, recorded.log.layout, whole, plays, {})


async def _graded(
    log: Path, layout: str, whole: Hosted, plays: Sequence[_Play], figures: Mapping[str, float]
) -> LogCheck:  # fmt: skip
    """Agreement on plays that nobody has to judge."""
    tasks = whole.evaluation.benchmark.scoring(whole.evaluation.setting).tasks[:1]
    verdicts, pairs, grades = list[Verdict](), list[tuple[float, float]](), list[GradeDifference]()
    for play in plays:
        given = (await whole.judge(play.transcript, {})).verdicts
        verdicts.extend(given)
        own = next(each for each in given if each.task in tasks)
        points = own.points if isinstance(own, Graded) else None
        if play.score is not None and points is not None:
            pairs.append((play.score, points))
        if play.score is not None and (points is None or abs(points - play.score) > SAME):
            grades.append(
                GradeDifference(
                    item=play.transcript.item, sample=play.transcript.sample, reply=play.reply, log=play.score,
                    mores=points, reason=_reason(own),
                )
            )  # fmt: skip
    found = whole.figures(verdicts)
    return LogCheck(
        log=str(log), layout=layout, benchmark=whole.evaluation.name, replies=len(plays),
        scored=sum(play.score is not None for play in plays), grades=tuple(grades),
        points_log=fmean(log for log, _ in pairs) if pairs else None,
        points_mores=fmean(points for _, points in pairs) if pairs else None,
        figures=len(figures), different=tuple(_different(figures, whole, found)), headline=found[0], judged=False,
    )  # fmt: skip


def _reason(verdict: Verdict) -> str:
    """Reason that a reply has its points here."""
    if isinstance(verdict, Graded):
        return verdict.reason or (f"read as {verdict.label}" if verdict.label else "")
    return verdict.cause
