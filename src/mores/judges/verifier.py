"""Probability of each of three labels for an answer and one norm, by log-probabilities or by repeated words.

answer and norm ─▶ log-probability of each label as what comes next (the sum over its tokens) ─▶ softmax
answer and norm ─▶ verdicts in words, several times ─▶ their shares, which are hard labels and marked so

Source:
    CultureForest, section 2.3: the labels' log-probabilities are summed and not divided by their lengths.
"""

from collections import Counter
from collections.abc import Mapping
from math import exp, fsum, isfinite
from pathlib import Path
from statistics import fmean
from typing import Literal, get_args

from msgspec import Struct, structs

from mores.core.card import Sampling
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.seeds import Seed
from mores.core.transcript import FailureEvent, Message, TranscriptEvent
from mores.judges.fence import fence, form_words
from mores.judges.judge import JudgeCall, OpinionOrFault, Unjudged
from mores.judges.jury import Jury, ask_jury, tally
from mores.judges.rubric import Case, CaseLabels, Rubric
from mores.judges.rubric_answers import ChoiceAnswer, Opinion
from mores.models.cast import LoggingCaller, all_of, call_role
from mores.models.request import Request, Tag, TextPair
from mores.models.simulated_judge import JudgeKey

LABELS = ("satisfied", "neutral", "violated")
WORDS = ("Satisfy", "Neutral", "Violate")
"""The labels in the words of C-Verifier, in the same order."""
BEGINNING = '{"Answer": "'
SCORING = Sampling(temperature=0.0, max_tokens=24)
"""Nothing is drawn, but where an endpoint can only be read token by token."""
UNUSABLE = "unusable log-probabilities"
_HERE = Path(__file__).parent

LabelMethod = Literal["exact", "first token", "bound", "votes"]
"""Methods of scoring labels, the most faithful first: see `models.label_logprobs.How`."""


class NormPrompts(Struct, frozen=True, kw_only=True):
    """Prompts of judges of norms: of those whose labels are scored, and of those who give a label in words."""

    weighed: Prompt
    voted: Rubric

    @classmethod
    def read(cls, words: ReadPrompt) -> "NormPrompts":
        """Those of this folder, in these words."""
        answer = ChoiceAnswer(options=LABELS, affirmative=LABELS[0])
        return cls(
            weighed=words(_HERE / "verifier.prompt.md"),
            voted=Rubric(prompt=words(_HERE / "norm.prompt.md"), answer=answer),
        )

    @property
    def all(self) -> tuple[Prompt, ...]:
        """All words that judges of norms may be asked."""
        shared = {prompt.sha: prompt for prompt in (self.weighed, form_words("fence"), *self.voted.prompts)}
        return tuple(shared.values())


class AnswerNormPair(Struct, frozen=True, kw_only=True):
    """An answer beside one norm of a place; `tag` is unique to the pair, and a judge may take its step and the next.

    `planted` is the label that is true of a simulated subject's answer, `unit` names the pair for a simulated judge's
    errors, and `where` is the place whose chances it has. `asks` is what people call it.
    """

    place: str
    question: str
    norm: str
    answer: str
    tag: Tag
    unit: str
    prompts: NormPrompts
    where: str | None = None
    planted: str | None = None
    asks: CaseLabels | None = None

    @property
    def values(self) -> dict[str, str]:
        """Values of the slots of a judge's prompt."""
        return {"place": self.place, "question": self.question, "norm": self.norm, "answer": self.answer}

    def key(self) -> JudgeKey | None:
        """Answer key for a simulated judge; None where nothing is planted."""
        if self.planted is None:
            return None
        return self.prompts.voted.key(self.planted, unit=self.unit, place=self.where, rung="apply")

    def case(self) -> Case:
        """The same as a case of the rubric in words."""
        return Case(values=self.values, tag=self.tag, key=self.key(), asks=self.asks)


class LabelProbabilities(Struct, frozen=True, kw_only=True):
    """The probability of each label, the votes it rests on of those asked for, and all that was said.

    `way` says how it came about, of several judges' the least faithful.
    """

    shares: dict[str, float]
    votes: int
    asked: int
    way: LabelMethod
    events: tuple[TranscriptEvent, ...]
    reason: str = ""

    @property
    def hard(self) -> bool:
        """True for shares of repeated verdicts in words, which do not compare with probabilities."""
        return self.way == "votes"


async def score_by_labels(
    pair: AnswerNormPair, *, jury: Jury, cast: LoggingCaller, seed: Seed
) -> LabelProbabilities | Unjudged:
    """The mean over judges of the softmax of their labels' log-probabilities, each by its weight.

    A judge that failed is left out and counted.

    Args:
        pair: What is judged.
        jury: Who sits.
        cast: Has their doors.
        seed: Names the fence.
    """
    tags = [structs.replace(pair.tag, role=role) for role in jury.roles]
    asked = await all_of(*(_weigh(structs.replace(pair, tag=tag), cast, seed) for tag in tags))
    events = tuple(event for one in asked for event in one.events)
    weighted = zip(asked, (jury.weights.get(role, 1.0) for role in jury.roles), strict=True)
    given = [(one, weight) for one, weight in weighted if isinstance(one, LabelProbabilities) and weight > 0]
    if not given:
        failed = [one for one in asked if isinstance(one, Unjudged)]
        return structs.replace(failed[0], events=events)
    counts = [weight for _, weight in given]
    shares = {label: fmean([one.shares[label] for one, _ in given], counts) for label in LABELS}
    way = max((one.way for one, _ in given), key=get_args(LabelMethod).index)
    return LabelProbabilities(shares=shares, votes=len(given), asked=len(asked), way=way, events=events)


async def score_by_votes(
    pair: AnswerNormPair, *, jury: Jury, cast: LoggingCaller, sampling: Sampling, seed: Seed
) -> LabelProbabilities | Unjudged:
    """The shares of the labels among verdicts in words, of every judge as often, and by the weight, as the jury says.

    Args:
        pair: What is judged.
        jury: Who sits, and how often each is asked; one verdict is a one-hot label.
        cast: Has their doors.
        sampling: How judges draw their words.
        seed: Names the fences.
    """
    jury_result = await ask_jury(pair.prompts.voted, pair.case(), jury=jury, cast=cast, sampling=sampling, seed=seed)
    if not jury_result.ballots:
        cause = Counter(jury_result.failed).most_common(1)[0][0]
        return Unjudged(cause=cause, detail="no judge gave a verdict", events=jury_result.events)
    counts = tally(jury_result.ballots)
    likeliest, whole = next(iter(counts)), fsum(counts.values())
    reason = next(opinion.reason for opinion, _ in jury_result.ballots if opinion.choice == likeliest)
    shares = {label: counts.get(label, 0.0) / whole for label in LABELS}
    return LabelProbabilities(
        shares=shares,
        votes=len(jury_result.ballots),
        asked=jury_result.asked,
        way="votes",
        events=jury_result.events,
        reason=reason,
    )


def softmax(sums: Mapping[str, float]) -> dict[str, float]:
    """Probabilities that are in proportion to the exponentials of finite sums.

    >>> softmax({"a": -1000.0, "b": -1000.0})
    {'a': 0.5, 'b': 0.5}
    """
    highest = max(sums.values())
    # Less the highest, so that no exponential overflows and not all of them vanish.
    mass = {label: exp(value - highest) for label, value in sums.items()}
    whole = fsum(mass.values())
    return {label: part / whole for label, part in mass.items()}


def label_prompt(prompt: Prompt, values: Mapping[str, str], call: Seed) -> tuple[Message, Message]:
    """Messages before the labels that are scored: the prompt with its answer fenced, and the beginning of a reply.

    Args:
        prompt: The words for judges whose labels are weighed.
        values: What fills its slots: place, question, norm and answer.
        call: Names the fence.
    """
    fenced = {"answer": values["answer"]} if prompt.header.fence else {}
    words = prompt.render(**{**values, **fence(fenced, call).words})
    return Message(role="user", content=words), Message(role="assistant", content=BEGINNING)


async def _weigh(pair: AnswerNormPair, cast: LoggingCaller, seed: Seed) -> LabelProbabilities | Unjudged:
    """One judge's probabilities."""
    prompt, tag = pair.prompts.weighed, pair.tag
    call = seed.child("judge", prompt.header.name, tag.item, tag.role, tag.step, tag.sample)
    request = Request(
        messages=label_prompt(prompt, pair.values, call),
        sampling=SCORING,
        tag=tag,
        key=pair.key(),
        labels=WORDS,
        pair=TextPair(pair.answer, pair.norm),
    )
    asked, result, reply = await call_role(cast, request, prompt.sha)
    if isinstance(result, FailureEvent):
        cast.note(_judge_call(pair, result.cause))
        return Unjudged(cause=result.cause, detail=result.detail, events=(asked, result))
    logprobs = reply.logprobs if reply else None
    sums = dict(logprobs or ())
    usable = set(sums) == set(WORDS) and all(isfinite(value) for value in sums.values())
    if not usable:
        sums_text = ", ".join(f"{label} {value}" for label, value in sums.items()) or "none"
        cast.note(_judge_call(pair, UNUSABLE))
        return Unjudged(cause=UNUSABLE, detail=sums_text, raw=result.text, events=(asked, result))
    answered = structs.replace(result, logprobs=logprobs)  # none else: a transcript is JSON, which knows no infinity
    found = softmax({label: sums[word] for label, word in zip(LABELS, WORDS, strict=True)})
    likeliest = max(LABELS, key=lambda label: found[label])
    cast.note(_judge_call(pair, Opinion(reason="", choice=likeliest), found))
    return LabelProbabilities(shares=found, votes=1, asked=1, way=_way(result.finish), events=(asked, answered))


def _judge_call(pair: AnswerNormPair, outcome: OpinionOrFault, shares: dict[str, float] | None = None) -> JudgeCall:
    return JudgeCall(rubric=pair.prompts.voted, case=pair.case(), outcomes={"": outcome}, shares=shares)


def _way(finish: str) -> LabelMethod:
    """Method of a reply's log-probabilities, which stands in the place of the reason that it ended."""
    match finish:
        case "first token" | "bound":
            return finish
        case _:
            return "exact"
