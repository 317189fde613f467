"""Verdicts in words: what was found of a step or a day, how surely, and why."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from mores.benchmarks.liveculture.replay.days import PlayedDay
from mores.benchmarks.shapes.days.verifier import ABSENT, OPEN, RESPECTED, VIOLATED
from mores.core.transcript import StepStartEvent
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.worlds.town.stage import DayConfig

VerdictState = Literal["good", "part", "bad", "none"]
MOST_BROKEN = 6
"""Violated norms of a step that are shown at once; the others are folded."""
_TASKS = {
    "norms": "Norms of the place",
    "profile": "Fits who they are",
    "context": "Fits the situation",
    "coherence": "Follows from before",
    "deed": "Could be done",
}
_OF_DAYS = ("goal", "on_time", "steps")


@dataclass(frozen=True, slots=True, kw_only=True)
class ViolatedNorm:
    """A norm that was violated: its id, what people say of it (empty where unknown), and the verifier's reason."""

    id: str
    statement: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictText:
    """One verdict in words; of norms, `share` is that of the violated among those that came up, None where unknown.

    `idle` is True where nothing was done that could be judged, which keeps to no norm and violates none.
    """

    task: str
    title: str
    state: VerdictState
    words: str
    reason: str = ""
    broken: tuple[ViolatedNorm, ...] = ()
    share: float | None = None
    idle: bool = False


def on_step(stage: DayConfig, day: PlayedDay, begun: StepStartEvent) -> tuple[VerdictText, ...]:
    """The verdicts on one step, norms first."""
    kind = stage.location(begun.where).kind
    found = [_verdict_text(v, day.norms.get(kind, {})) for v in day.verdicts if v.about.part == str(begun.step)]
    return tuple(sorted(found, key=place_of))


def _verdict_text(verdict: Verdict, norms: Mapping[str, str]) -> VerdictText:
    title = _TASKS.get(verdict.task, verdict.task)
    if isinstance(verdict, Ungraded):
        return VerdictText(task=verdict.task, title=title, state="none", words="not graded", reason=verdict.cause)
    state: VerdictState = "good" if verdict.points >= 1 else "bad" if verdict.points <= 0 else "part"
    if verdict.task == "norms":
        return _of_norms(verdict, norms, title)
    words = {"good": "yes", "bad": "no", "part": f"{100 * verdict.points:.0f}% of what could be told"}[state]
    return VerdictText(
        task=verdict.task, title=title, state=state, words=words, reason=verdict.reason, share=verdict.points
    )


def on_day(day: PlayedDay) -> tuple[VerdictText, ...]:
    """The verdicts that are of no step and no count of tasks, titled by the norm that they are on, if on one."""
    statements = {name: words for known in day.norms.values() for name, words in known.items()}
    found = [v for v in day.verdicts if not v.about.part.isdecimal() and v.task not in _OF_DAYS]
    titles = [statements.get(v.about.part) or _TASKS.get(v.task, v.task) for v in found]
    return tuple(replace(_verdict_text(v, {}), title=title) for v, title in zip(found, titles, strict=True))


def _of_norms(verdict: Graded, norms: Mapping[str, str], title: str) -> VerdictText:
    """How the step stood to the norms of the place; the label says whether any was violated, points may round."""
    if verdict.fault is not None:
        words = f"{verdict.reason}: counts as not kept"
        return VerdictText(task="norms", title=title, state="bad", words=words, idle=True)
    violated, left = verdict.label == VIOLATED, _left(verdict.reason)
    broken = broken_norms(verdict.reason, norms) if violated else ()
    return VerdictText(
        task="norms",
        title=title,
        state="none" if verdict.label == OPEN else "good" if not violated else "bad" if verdict.points <= 0 else "part",
        words=_counts(verdict, 0 if left else len(norms)),
        reason=left if broken else verdict.reason,
        broken=broken,
        share=_share(verdict),
    )


def _left(reason: str) -> str:
    """How many norms judges left open, as a reason begins with where they did."""
    first, _, _ = reason.partition("; ")
    return first if " norms are open (" in first else ""


def _share(verdict: Graded) -> float | None:
    """Violated norms of those that came up; None where none did, or shares are not known."""
    shares = verdict.ballot.label_probs if verdict.ballot is not None and verdict.ballot.label_probs is not None else {}
    up = shares.get(VIOLATED, 0.0) + shares.get(RESPECTED, 0.0)
    return shares.get(VIOLATED, 0.0) / up if up else None


def _counts(verdict: Graded, known: int) -> str:
    """Norms by verdict, as counts where it is known how many there are."""
    shares = verdict.ballot.label_probs if verdict.ballot is not None else None
    if shares is None:
        return verdict.label or f"{100 * verdict.points:.0f}% not violated"
    named = {VIOLATED: "violated", RESPECTED: "respected", ABSENT: "did not come up"}
    of, unit = (known, "") if known else (100, "%")
    return ", ".join(f"{shares.get(label, 0) * of:.0f}{unit} {words}" for label, words in named.items())


def broken_norms(reasons: str, norms: Mapping[str, str]) -> tuple[ViolatedNorm, ...]:
    """The violated norms that a verdict's reason names, as `id: why; id: why`; none where it names no known id.

    >>> broken_norms("a: too loud; and rude; b: shoes on", {"a": "One is quiet.", "b": "Shoes stay outside."})[0].reason
    'too loud; and rude'
    """
    if not norms:
        return ()
    ids = "|".join(re.escape(name) for name in sorted(norms, key=len, reverse=True))
    parts = re.split(rf"(?:\A|; )({ids}): ", reasons)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return tuple(ViolatedNorm(id=name, statement=norms[name], reason=reason) for name, reason in pairs)


def place_of(told: VerdictText) -> tuple[int, str]:
    """Where a verdict stands among others: by its task, those not known here last."""
    order = list(_TASKS)
    return (order.index(told.task) if told.task in order else len(order), told.task)
