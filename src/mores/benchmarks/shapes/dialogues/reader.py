"""Dialogues to read: who said what, where the conflict was raised, and what judges found beside the round they name.

a seeded sample of items ─▶ their transcripts and verdicts ─▶ scenes in which models stand side by side.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from heapq import nsmallest

from msgspec import Struct

from mores.analysis.results import Result
from mores.benchmarks.shapes.dialogues.dialogue import HARMLESS, PROPOSAL
from mores.benchmarks.shapes.question import SUBJECT
from mores.core.estimate import SEVERAL
from mores.core.seeds import Seed
from mores.core.transcript import DialogueEndEvent, FailureEvent, ItemMetadata, Transcript, TurnEvent
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.tables import formatting as words
from mores.tables.blocks import ComparedTurns, Filter, Inline, JudgeRemark, Round, Span, SpokenBlock, TurnBlock

RNG_SEED = Seed("report").child("talks")
MOST, LEAST = 40, 4
"""Dialogues of one model that a page shows."""
ROOM = 160
"""Dialogues that a page shows in all, so that it stays a page."""
RAISED = 2
"""The round in which the antagonist raises the conflict, where no judge says; it greets in the first."""
AWARENESS, CONDUCT = "awareness", "behaviour"
CONDUCTS = {
    ("yes", "yes"): "both",
    ("yes", "no"): "goal only",
    ("no", "yes"): "norms only",
    ("no", "no"): "neither",
}
"""By whether the goal was reached and norms were respected."""
CALM = "raised no false alarm"
"""What `respected` asks where the proposal goes against no norm."""
FLAGGED = Filter.of("flagged", "Flagged", ("none", "subject", "antagonist", "both"))
UNGRADED = "ungraded"
KINDS = ("domain", "topic", PROPOSAL, "dimension")
"""Groups that a scene's heading names, besides the place of its custom."""
_ROUND = re.compile(r"\brounds?\s+(\d+)", re.IGNORECASE)


class DialogueReader(Struct, frozen=True, kw_only=True):
    """The dialogues of one benchmark that can be read, by scene; `played` counts all that there are, by model.

    `asked` is what judges decided, by task in the card's words.
    """

    benchmark: str
    asked: Mapping[str, str]
    items: tuple[str, ...]
    scenes: tuple[ComparedTurns, ...]
    shown: dict[str, int]
    played: dict[str, int]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of conduct among the dialogues that are shown."""
        found = {spoken.keys["kind"] for scene in self.scenes for spoken in scene.spoken}
        return (*sorted(found - {UNGRADED}, reverse=True), *sorted(found & {UNGRADED}))

    @property
    def filters(self) -> tuple[Filter, ...]:
        """Filters for readers: conduct, what judges found, and what was flagged."""
        spoken = [each.keys for scene in self.scenes for each in scene.spoken]
        found = {task: sorted({keys[task] for keys in spoken if task in keys}) for task in self.asked}
        judged = (Filter.of(task, self.asked[task], values) for task, values in found.items() if values)
        return (Filter.of("kind", "Conduct", self.kinds), *judged, FLAGGED)


def asked_of(evaluation: Result) -> dict[str, str]:
    """Questions that judges decided of each talk, by task in the card's words; conduct is worked out of them."""
    described = ((task, evaluation.metric(task)) for task in evaluation.verdict_table.tasks if task != CONDUCT)
    return {task: metric.head for task, metric in described if metric is not None and not metric.aside}


def most_common(evaluations: int) -> int:
    """Number of dialogues of each of so many evaluations that a page has room for."""
    return max(LEAST, min(MOST, ROOM // max(1, evaluations)))


def reader_of(evaluations: Sequence[Result], most: int) -> DialogueReader:
    """A sample of a benchmark's dialogues; a scene that several models played stands once, with all of them."""
    metadata: dict[str, ItemMetadata] = {}
    spoken: dict[str, list[SpokenBlock]] = defaultdict(list)
    shown, asked = {}, dict[str, str]()
    for evaluation in evaluations:
        asked |= asked_of(evaluation)
        who, sampled = words.subject_of(evaluation), _sampled(evaluation, most)
        metadata |= {item: verdicts[0].about for item, verdicts in sampled.items()}
        shown[evaluation.label] = len(sampled)
        for play in evaluation.stored.transcripts_of((item, 0) for item in sampled):
            spoken[play.item].append(spoken_of(who, play, sampled[play.item], asked))
    return DialogueReader(
        benchmark=evaluations[0].benchmark,
        asked=asked,
        items=tuple(metadata),
        scenes=tuple(
            ComparedTurns(heading=_heading(about), spoken=tuple(spoken[item])) for item, about in metadata.items()
        ),
        shown=shown,
        played={evaluation.label: evaluation.provenance.plays.done for evaluation in evaluations},
    )


def _sampled(evaluation: Result, most: int) -> dict[str, list[Verdict]]:
    """The verdicts on `most` dialogues in the order of the data; which these are, their items alone decide."""
    items = dict.fromkeys(about.item for about in evaluation.verdict_table.item_metadata)
    rng_seed = RNG_SEED.child(evaluation.benchmark)
    drawn = set(nsmallest(most, items, key=lambda item: rng_seed.child(item).uniform()))
    found = defaultdict[str, list[Verdict]](list)
    for verdict in evaluation.stored.verdicts_of({(item, 0) for item in drawn}):
        found[verdict.about.item].append(verdict)
    return found


def _heading(about: ItemMetadata) -> tuple[Inline, ...]:
    kinds = [part for name in KINDS for part in about.groups.get(name, "").split(SEVERAL) if part]
    tags: list[Inline] = [part for kind in kinds for part in (" ", Span(kind, "tag"))]
    place = words.group_name("place", about.place) if about.place else ""
    return f"{place} ", Span(about.item, "code"), *tags


def spoken_of(
    who: Sequence[Inline], transcript: Transcript, verdicts: Sequence[Verdict], asked: Mapping[str, str]
) -> SpokenBlock:
    """A dialogue with what judges found, each remark in the round that its reason names."""
    turns: dict[int, list[TurnEvent]] = {}
    for event in transcript.events:
        if isinstance(event, TurnEvent):
            turns.setdefault(event.round, []).append(event)
    by_task = {verdict.task: verdict for verdict in verdicts}
    found = {task: _found(verdict) for task, verdict in by_task.items()}
    named = {task: _round_named(by_task[task], turns) for task in by_task if task in asked}
    remarks: dict[int | None, list[JudgeRemark]] = defaultdict(list)
    for task, number in named.items():
        remarks[number].append(_remark(by_task[task], asked[task]))
    raised = named.get(AWARENESS) or RAISED
    kind = CONDUCTS.get((found.get("goal", ""), found.get("respected", "")), UNGRADED)
    conduct = kind if kind == UNGRADED else f"{found[CONDUCT]}, {kind}"
    tag = Span(f"conduct {conduct}", "tag" if kind == "both" else "warning")
    return SpokenBlock(
        heading=(*who, " ", tag, " ", Span(_end(transcript), "soft")),
        rounds=tuple(_round(n, own, remarks[n], conflict=n == raised) for n, own in turns.items()),
        keys={"kind": conduct, **{task: _key(by_task[task]) for task in named}, "flagged": _flagged(turns)},
        loose=tuple(remarks[None]),
        dialogue=True,
    )  # fmt: skip


def _round_named(verdict: Verdict, turns: Mapping[int, object]) -> int | None:
    """The round of the dialogue that a judge names as what decides it."""
    named = _ROUND.search(verdict.reason) if isinstance(verdict, Graded) else None
    return int(named[1]) if named and int(named[1]) in turns else None


def _key(verdict: Verdict) -> str:
    return _found(verdict) if isinstance(verdict, Graded) else UNGRADED


def _remark(verdict: Verdict, asked: str) -> JudgeRemark:
    harmless = verdict.about.groups.get(PROPOSAL) == HARMLESS
    return JudgeRemark(
        asked=CALM if harmless and verdict.task == "respected" else asked,
        found=_found(verdict),
        reason=verdict.reason if isinstance(verdict, Graded) else verdict.raw,
        good=verdict.points >= 1 if isinstance(verdict, Graded) else None,
    )


def _found(verdict: Verdict) -> str:
    if isinstance(verdict, Ungraded):
        return f"no grade ({verdict.cause})"
    return verdict.label if verdict.label is not None else f"{verdict.points:g}"


def _round(number: int, spoken: Sequence[TurnEvent], remarks: Sequence[JudgeRemark], *, conflict: bool) -> Round:
    tag: tuple[Inline, ...] = (" ", Span("conflict", "warning")) if conflict else ()
    turns = tuple(map(_turn, spoken))
    return Round(turns=turns, remarks=tuple(remarks), title=(f"{number}", *tag), marked=conflict)


def _turn(spoke: TurnEvent) -> TurnBlock:
    flags: list[Inline] = [part for flag in spoke.flags for part in (" ", Span(flag, "warning"))]
    return TurnBlock(speaker=(spoke.name, *flags), text=spoke.text, own=spoke.role == SUBJECT, unheard=spoke.raw)


def _flagged(turns: Mapping[int, Sequence[TurnEvent]]) -> str:
    """The side that was flagged, if any."""
    sides = {spoke.role == SUBJECT for own in turns.values() for spoke in own if spoke.flags}
    return {(): "none", (True,): "subject", (False,): "antagonist"}.get(tuple(sides), "both")


def _end(transcript: Transcript) -> str:
    for event in reversed(transcript.events):
        match event:
            case DialogueEndEvent(why="closing words" | "silence" as why, by=by, rounds=rounds):
                return f"ended by {'the ' if why == 'silence' else ''}{why} of the {by} in round {rounds}"
            case DialogueEndEvent(why="limit", rounds=rounds):
                return f"ended by the limit of {rounds} rounds"
            case DialogueEndEvent(rounds=rounds):
                return f"the recording ends in round {rounds}"
            case FailureEvent(role=role, cause=cause):
                return f"broke off: {role}, {cause}"
            case _:
                continue
    return "was not held"
