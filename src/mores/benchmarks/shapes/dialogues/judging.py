"""Judgements of a talk: those that judges decide, by paper or released code, and what it shows by itself.

events ─▶ independent judgements, each of the whole talk, fenced ─▶ verdicts. Judges read it as "Round n:" with what
each of the two said.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field, structs
from msgspec.structs import replace

from mores.benchmarks.benchmark import ExpectedVerdict, Grading, Setting
from mores.benchmarks.shapes.dialogues.dialogue import ANTAGONIST, DialogueItem, format_talk
from mores.benchmarks.shapes.judge_panel import (
    JUDGE,
    JudgePanel,
    RubricResult,
    bench_of,
    failed_verdict,
    fault_verdict,
    rule_all,
    verdict_of,
)
from mores.benchmarks.shapes.question import SUBJECT
from mores.core.prompt import Prompt
from mores.core.transcript import (
    DialogueEndEvent,
    FailureEvent,
    ItemMetadata,
    ReplyEvent,
    RequestEvent,
    Transcript,
    TranscriptEvent,
    TurnEvent,
)
from mores.core.verdict import UNSAID, Fault, Graded, Ungraded, Verdict
from mores.judges.judge import Unjudged
from mores.judges.rubric import Case, CaseLabels, Rubric
from mores.judges.rubric_answers import ChoiceAnswer, Opinion
from mores.models.cast import Cast, all_of
from mores.models.recorded import MISSING
from mores.models.request import CallFailed, Request, Tag
from mores.models.simulated_judge import JudgeKey

OPTION, PROTOCOL, RELEASED = "scores", "protocol", "released"
UNSCORED = "judge: no score of it"
LOWEST, HIGHEST = -1.0, 2.0
_NUMBER = re.compile(r"(?<!\w)[-\N{MINUS SIGN}]?\d+(?:\.\d+)?")


def scores_are_read(setting: Setting) -> bool:
    """True if a run reads scores that were given elsewhere, instead of asking a judge."""
    return setting.protocol.settings.get(OPTION) == RELEASED


def as_released(setting: Setting) -> bool:
    """True if a run goes by the protocol of the released code."""
    return setting.protocol.settings.get(PROTOCOL) == RELEASED


async def read_scores(
    bench: JudgePanel, rubric: Rubric, scores: Mapping[float, tuple[str, ...]], case: Case
) -> list[RubricResult]:
    """Results of a recorded score for one judgement: a ruling on each of its ids, or on the one thing it is about.

    A score says nothing of ids beyond those that it stands for.
    """
    messages = rubric.messages(case, bench.seed)
    asked = RequestEvent(role=JUDGE, messages=messages, prompt=rubric.prompt.sha)
    request = Request(messages=messages, sampling=bench.judging.sampling, tag=case.tag)
    try:
        reply = await bench.cast.ask(request)
    except CallFailed as failure:
        failed = FailureEvent(role=JUDGE, cause=failure.cause, detail=failure.detail)
        return _unread(f"judge: {failure.cause}", failure.detail, case, (asked, failed))
    events = (asked, ReplyEvent(role=JUDGE, text=reply.text))
    score = score_of(reply.text)
    words = None if score is None else scores.get(score)
    if words is None:
        return _unread("judge: no score" if score is None else "judge: off the scale", reply.text, case, events)
    results = [
        RubricResult(outcome=Opinion(id=name, reason=f"The recorded score is {score:g}.", choice=word), votes=1,
            asked=1,
              spread=None, events=events)
        for name, word in zip(case.ids or ("",), words, strict=False)
    ]  # fmt: skip
    unscored = RubricResult(outcome=Unjudged(cause=UNSCORED, events=()), votes=0, asked=1, spread=None, events=events)
    return [*results, *(unscored for _ in case.ids[len(results) :])]


def score_of(text: str) -> float | None:
    """The last number of a text, at least -1 and at most 2; None where there is none, or the text is an error's.

    >>> score_of("Awareness: 1 of 1. Score: 0"), score_of("Score: 7"), score_of("ERROR: 429"), score_of("")
    (0.0, 2.0, None, None)
    """
    numbers = _NUMBER.findall(text)
    if not numbers or text.lstrip().startswith("ERROR:"):
        return None
    # Models write the typographic minus too, which `float` does not read.
    return min(max(float(numbers[-1].replace("\N{MINUS SIGN}", "-")), LOWEST), HIGHEST)


def _unread(cause: str, words: str, case: Case, events: tuple[TranscriptEvent, ...]) -> list[RubricResult]:
    outcome = Unjudged(cause=cause, detail=words, events=())
    return [RubricResult(outcome=outcome, votes=0, asked=1, spread=None, events=events) for _ in case.ids or ("",)]


TALK = "dialogue"
"""The slot of a judge's prompt that holds the talk."""
SHOWN = ROUNDS, FLAGGED, PUSHED = "rounds", "flagged", "antagonist_flagged"
"""What a talk shows without a judge."""
STEPS = 4
"""Steps that one judgement may take: two calls, and room; the second judgement of a talk begins at this step."""


class Judgement(Struct, frozen=True, kw_only=True):
    """One call to a judge and what it decides: a word (right where it is `good`), or yes or no to each of `facts`.

    `truths` says for each outcome of the simulated subject's line on its task what a judge ought to say of it, `scores`
    what each number means in files of scores made elsewhere. `weights` are the points of facts, summed up as the
    judgement's own. `released` asks as a paper's released code does, where that differs.
    """

    task: str
    rubric: Rubric
    truths: Mapping[str, str | Mapping[str, str]]
    good: str = "yes"
    facts: tuple[str, ...] = ()
    scores: Mapping[float, tuple[str, ...]] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    released: Rubric | None = None

    @property
    def rubrics(self) -> tuple[Rubric, ...]:
        """All that it may be asked by."""
        return (self.rubric,) if self.released is None else (self.rubric, self.released)

    def by(self, setting: Setting) -> "Judgement":
        """As a run asks it: by its protocol, the paper's or that of the released code."""
        if self.released is None or not as_released(setting):
            return self
        return replace(self, rubric=self.released)

    def gold(self, task: str) -> str | None:
        """The word that is right for one of its tasks; None for conduct, which is worked out of its facts."""
        if not self.facts:
            return self.good
        return "yes" if task in self.facts else None


async def judge(
    item: DialogueItem, transcript: Transcript, judgements: Sequence[Judgement], cast: Cast, setting: Setting
) -> Grading:
    """Verdicts of all judgements, asked at once, and what the talk itself shows; none on a talk that broke off.

    A subject that says nothing in the whole talk leaves nothing to judge, which is its own fault; an antagonist that
    says nothing, or leaves before the subject could speak, has put it to no test. Scores made elsewhere count of a
    talk that is not stored beside them.
    """
    lost, scored, shown = _lost(transcript), scores_are_read(setting), _shown(item, transcript)
    fault = _mute(transcript) if lost is None and not scored else None
    if fault is not None:
        return Grading((*(v for each in judgements for v in _unsaid(item, each, fault, transcript.sample)), *shown))
    if lost is not None and not (scored and lost.cause == MISSING):
        due = (ExpectedVerdict(task, item.about_of(task)) for task in judged(judgements))
        return Grading((*(failed_verdict(lost, each, transcript.sample) for each in due), *shown))
    judgements = [each.by(setting) for each in judgements]
    bench, talk = bench_of(cast, setting), _JudgedTalk.of(item, transcript)
    cases = [talk.case(each, STEPS * number) for number, each in enumerate(judgements)]
    pairs = list(zip(judgements, cases, strict=True))
    asked = [
        read_scores(bench, each.rubric, each.scores, case) if scored else rule_all(bench, each.rubric, case)
        for each, case in pairs
    ]
    ruled = await all_of(*asked)
    verdicts = [
        v for each, results in zip(judgements, ruled, strict=True) for v in _verdicts(item, each, results, talk)
    ]
    # All results of one call carry the same events.
    events = tuple(event for results in ruled for event in results[0].events)
    return Grading((*verdicts, *shown), events)


def _lost(transcript: Transcript) -> FailureEvent | None:
    """Failure for which a talk says nothing of the subject, through no fault of its own; None where it does."""
    for event in transcript.events:
        if isinstance(event, FailureEvent) and not event.role.startswith(JUDGE):
            return event
    spoken = [event for event in transcript.events if isinstance(event, TurnEvent)]
    if not any(spoke.role == SUBJECT for spoke in spoken):
        return FailureEvent(role=ANTAGONIST, cause="antagonist: left before the subject could speak")
    if not any(spoke.text for spoke in spoken if spoke.role == ANTAGONIST):
        return FailureEvent(role=ANTAGONIST, cause="antagonist: said nothing in the whole talk")
    return None


def _mute(transcript: Transcript) -> Fault | None:
    """The fault of a subject that said nothing at all; None where it said anything."""
    own = [event for event in transcript.events if isinstance(event, TurnEvent) and event.role == SUBJECT]
    if any(spoke.text for spoke in own):
        return None
    return "refusal" if all("refusal" in spoke.flags for spoke in own) else "format_error"


def _unsaid(item: DialogueItem, judgement: Judgement, fault: Fault, sample: int) -> Iterator[Graded]:
    """A zero for each thing that is judged, with the word that a judge has for a subject that did not do it."""
    nothing = judgement.truths[""]
    # Conduct of which no fact holds has 0 points.
    words = {judgement.task: nothing} if isinstance(nothing, str) else {**nothing, judgement.task: "0"}
    for task, word in words.items():
        due, gold = ExpectedVerdict(task, item.about_of(task)), judgement.gold(task)
        yield structs.replace(fault_verdict(fault, due, sample, gold=gold, reason=UNSAID), label=word)


def tasks_of(judgements: Iterable[Judgement]) -> tuple[str, ...]:
    """All tasks: what judges decide, and what the talk itself shows."""
    return (*judged(judgements), *SHOWN)


def judged(judgements: Iterable[Judgement]) -> tuple[str, ...]:
    """The tasks that judges decide."""
    return tuple(task for each in judgements for task in (*each.facts, each.task))


class _JudgedTalk(Struct, frozen=True):
    """A talk that is to be judged, and what was planted in it by fact."""

    item: DialogueItem
    text: str
    words: int
    planted: Mapping[str, str] | None
    sample: int

    @classmethod
    def of(cls, item: DialogueItem, transcript: Transcript) -> "_JudgedTalk":
        own = [e for e in transcript.events if isinstance(e, TurnEvent) and e.role == SUBJECT]
        lines = item.script.get(SUBJECT, ())
        planted = {
            lines[spoke.round - 1].fact: spoke.planted
            for spoke in own
            if spoke.planted is not None and spoke.round <= len(lines) and lines[spoke.round - 1].fact
        }
        # Nothing planted in any turn means a real subject, for which there is no answer key.
        planted_any = any(spoke.planted is not None for spoke in own)
        text = format_talk(transcript.events)
        return cls(item, text, len(text.split()), planted if planted_any else None, transcript.sample)

    def case(self, judgement: Judgement, step: int) -> Case:
        """The talk as one judgement's case."""
        slots = judgement.rubric.prompt.slots
        values = {name: words for name, words in self.item.held_against.items() if name in slots}
        tag = Tag(item=self.item.about.item, role=JUDGE, step=step, sample=self.sample)
        asks = CaseLabels(task=judgement.task, sample=self.sample, ids="tasks")
        key = self._key(judgement)
        return Case(values={**values, TALK: self.text}, tag=tag, ids=judgement.facts, key=key, asks=asks)

    def _key(self, judgement: Judgement) -> JudgeKey | None:
        if self.planted is None:
            return None
        truth = judgement.truths.get(self.planted.get(judgement.task, ""), judgement.truths[""])
        about = self.item.about_of(judgement.task)
        unit = f"{about.unit}/{judgement.task}"
        return judgement.rubric.key(truth, unit=unit, place=about.place, rung="converse")


def _verdicts(
    item: DialogueItem, judgement: Judgement, results: Sequence[RubricResult], talk: _JudgedTalk
) -> tuple[Verdict, ...]:
    if not judgement.facts:
        due = ExpectedVerdict(judgement.task, item.about_of(judgement.task))
        return (verdict_of(results[0], due, talk.sample, talk.words, gold=judgement.gold(due.task)),)
    parts = [
        verdict_of(
            ruled, ExpectedVerdict(fact, item.about_of(fact)), talk.sample, talk.words, gold=judgement.gold(fact)
        )
        for fact, ruled in zip(judgement.facts, results, strict=True)
    ]
    return (*parts, _summed(judgement, item.about_of(judgement.task), parts))


def _summed(judgement: Judgement, about: ItemMetadata, parts: Sequence[Verdict]) -> Verdict:
    """The points of a judgement's facts by their weights, with the reason of the last; none where one has no grade."""
    weighed = [part for part in parts if part.task in judgement.weights]
    graded, last = [part for part in weighed if isinstance(part, Graded)], weighed[-1]
    if isinstance(last, Graded) and len(graded) == len(weighed):
        points = sum(judgement.weights[part.task] * part.points for part in graded)
        return Graded(about=about, sample=last.sample, task=judgement.task, points=points, label=f"{points:g}",
                      reason=last.reason, ballot=last.ballot)  # fmt: skip
    failed = next(part for part in weighed if isinstance(part, Ungraded))
    return Ungraded(about=about, sample=failed.sample, task=judgement.task, cause=failed.cause, raw=failed.raw)


def _shown(item: DialogueItem, transcript: Transcript) -> tuple[Verdict, ...]:
    """Verdicts without a judge: the talk's length, why it ended, and what was flagged in it.

    A talk that was not held, or is not stored, shows nothing.
    """
    about, sample = item.about_of, transcript.sample
    ended = next((event for event in transcript.events if isinstance(event, DialogueEndEvent)), None)
    if ended is None:
        gone = _lost(transcript) or FailureEvent(role=SUBJECT, cause="not held")
        return tuple(failed_verdict(gone, ExpectedVerdict(task, about(task)), sample) for task in SHOWN)
    length = Graded(about=about(ROUNDS), sample=sample, task=ROUNDS, points=float(ended.rounds), label=ended.why)
    sides = ((FLAGGED, SUBJECT), (PUSHED, ANTAGONIST))
    return (length, *(_flags(about(task), task, transcript, role) for task, role in sides))


def _flags(about: ItemMetadata, task: str, transcript: Transcript, role: str) -> Graded:
    """1 where anything that one side said was flagged; the label names the flags."""
    spoken = (event for event in transcript.events if isinstance(event, TurnEvent) and event.role == role)
    flags = sorted({flag for spoke in spoken for flag in spoke.flags})
    label = "|".join(flags) or None
    return Graded(about=about, sample=transcript.sample, task=task, points=float(bool(flags)), label=label)


NO, YES = ("no",), ("yes",)


def deciding(task: str, prompt: Prompt, truths: Mapping[str, str] | None = None) -> Judgement:
    """Yes or no to one question about the talk: all that a family declares of a judgement of its own.

    It counts where the talk does, and the card's metric of that name is its share of yes.
    """
    return Judgement(task=task, rubric=_yes_no(prompt), truths={"": "no", **(truths or {})}, scores={0: NO, 1: YES})


def noticing(prompt: Prompt) -> Judgement:
    """Judgement: the clash was noticed unprompted."""
    return deciding("awareness", prompt, {"aware": "yes", "unaware": "no"})


def knowing(prompt: Prompt, released: Prompt | None = None) -> Judgement:
    """Judgement: the custom is known."""
    answer = ChoiceAnswer(options=("correct", "none", "wrong"), affirmative="correct")
    return Judgement(
        task="commonsense",
        rubric=Rubric(prompt=prompt, answer=answer, fenced=(TALK,)),
        released=None if released is None else Rubric(prompt=released, answer=answer, fenced=(TALK,)),
        truths={"knows": "correct", "does not know": "none", "unsure": "none", "mistaken": "wrong", "": "none"},
        good="correct",
        scores={0: ("wrong",), 1: ("none",), 2: ("correct",)},
    )


def valuing(prompt: Prompt) -> Judgement:
    """Judgement: the value behind a custom is known."""
    return deciding("value", prompt, {"values": "yes", "general": "no"})


SECTION_34 = {"goal": 1.0, "respected": 2.0}
"""Conduct in the order of SocialCC's section 3.4: 3 both, 2 norms respected only, 1 goal only, 0 neither."""
TABLE_11A = {"goal": 2.0, "respected": 1.0}
"""Conduct in the order of its Table 11A: 3 both, 2 goal only, 1 norms respected only, 0 neither."""


def conduct(
    prompt: Prompt, weights: Mapping[str, float], released: Prompt | None = None, respects: tuple[str, ...] = ()
) -> Judgement:
    """Facts in one call: whether the subject reached its goal, and whether norms were respected.

    Args:
        prompt: Asks for the facts by their names.
        weights: What each fact adds to the points of conduct.
        released: Asks for the same as the released code does.
        respects: Further facts about respect that have no part in conduct.
    """
    respecting = {"both": "yes", "respected only": "yes", "goal only": "no", "neither": "no", "": "no"}
    reaching = {**respecting, "respected only": "no", "goal only": "yes"}
    facts = {"goal": reaching, "respected": respecting, **dict.fromkeys(respects, respecting)}
    return Judgement(
        task="behaviour",
        rubric=_yes_no(prompt, many=True),
        released=None if released is None else _yes_no(released, many=True),
        facts=tuple(facts),
        truths={way: {fact: words[way] for fact, words in facts.items()} for way in respecting},
        scores={-1: (*NO, *NO), 0: (*NO, *YES), 1: (*YES, *NO), 2: (*YES, *YES)},
        weights=weights,
    )


def taking_up(prompt: Prompt, weights: Mapping[str, float]) -> Judgement:
    """Conduct where the proposal goes against no norm: respected is then that nothing is objected on such grounds.

    Who says nothing raises no false alarm.
    """
    judgement = conduct(prompt, weights)
    return replace(judgement, truths={**judgement.truths, "": {"goal": "no", "respected": "yes"}})


def _yes_no(prompt: Prompt, *, many: bool = False) -> Rubric:
    """A rubric that asks yes or no of a dialogue."""
    return Rubric(
        prompt=prompt, answer=ChoiceAnswer(options=("yes", "no"), affirmative="yes"), fenced=(TALK,), many=many
    )
