"""Steps at which models were asked while questions were written, and the questions that fooled the one that answers.

A verifier is fooled where it names other options than the writer says hold: what the writer held when it was asked,
before its answer was known. A question fools it where the words that were sent, with what they say holds, are what it
answered, the newest time that it was asked them.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import msgspec

from mores.studio.flows.fields import cleaned
from mores.studio.help.prompts import DRAFT, HINT, LETTERS, REVISE, VERIFY, wrong_letters
from mores.studio.models import Job, JobState, Participant, Project
from mores.studio.work.records import ItemRecord

WRITING = (HINT, DRAFT, VERIFY, REVISE)
OWN_WORDS = "own words"
"""Name of what an answer follows where no proposal was taken before."""
QuestionWords = tuple[str, ...]
"""A question and its options, then the letters of those that hold."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One step at which a model was asked, and what came of it.

    Attributes:
        question_idx: Question that it was asked for; `sent` is whether that was sent, else its words are left out.
        step: Its number among the steps of the question, from 1.
        kind: hint, draft, verify or revise.
        strategy: The way of a revision; of an answer, what it follows: the newest proposal that was put into the form
            before (a way, or draft), or the writer's own words.
        offered: Help that the writer was offered.
        state: answered, refused or failed.
        asked: Words that the model was given, with what their writer said holds, which no verifier was told.
        answered: QuestionWords that came.
        right: True if an answer names just what the writer said holds; None where that is not known.
        taken: True if the proposal was put into the form.
    """

    question_idx: str
    sent: bool
    step: int
    writer: str
    place: str
    offered: str
    kind: str
    strategy: str
    model: str
    state: str
    asked: Mapping[str, object] | None
    answered: Mapping[str, object] | None
    confidence: int | None
    right: bool | None
    taken: bool


class QuestionResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a question that was sent; `fooled` is None where it was never answered in the words it was sent in.

    `model` is the one that answered these words, "" for none.
    """

    question_idx: str
    writer: str
    place: str
    offered: str
    help: str
    answers: int
    model: str
    fooled: bool | None


def attempts_of(project: Project, items: Sequence[ItemRecord]) -> list[Attempt]:
    """Every step of every question in the order in which questions were begun; those that wait for a model are none."""
    sent = {item.key: item for item in items}
    jobs = Job.objects.filter(project=project, kind__in=WRITING).exclude(state=JobState.ASKED).order_by("pk")
    pages: dict[tuple[str, int | None], list[Job]] = defaultdict(list)
    for job in jobs:
        pages[job.about, job.account_id].append(job)
    places: dict[int | None, str] = dict(
        Participant.objects.filter(project=project).values_list("account_id", "region")
    )
    return [
        each
        for (page, account), own in pages.items()
        for each in _steps(own, _written_by(sent.get(page), account), places.get(account, ""))
    ]


def _written_by(item: ItemRecord | None, account: int | None) -> ItemRecord | None:
    return item if item is not None and item.author == f"a{account}" else None


def _sure(reply: Mapping[str, object] | None, kind: str) -> int | None:
    return cast("int", reply["confidence"]) if reply and kind == VERIFY else None


def _steps(jobs: Sequence[Job], item: ItemRecord | None, place: str) -> Iterator[Attempt]:
    for step, job in enumerate(jobs, start=1):
        reply = reply_of(job)
        yield Attempt(
            question_idx=job.about, sent=item is not None, step=step, writer=f"a{job.account_id}", place=place,
            offered=_writer(item).get("offered", ""), kind=job.kind,
            strategy=_follows(job, jobs) if job.kind == VERIFY else job.request.get("strategy", ""),
            model=job.model, state=job.state if job.state != JobState.ANSWERED or reply else JobState.FAILED,
            asked=_asked(job) if item else None, answered=reply if item else None,
            confidence=_sure(reply, job.kind), right=is_right(job, item),
            taken=bool(job.taken),
        )  # fmt: skip


def _writer(item: ItemRecord | None) -> Mapping[str, str]:
    return {} if item is None else cast("Mapping[str, str]", item.payload["writer"])


def _asked(job: Job) -> dict[str, object]:
    return {name: job.request.get(name) for name in ("situation", "question", "options", "holds", "instruction")}


def _follows(answer: Job, jobs: Sequence[Job]) -> str:
    taken = [(after, job) for job in jobs for after in job.taken if after < answer.pk]
    newest = max(taken, key=lambda each: each[0], default=None)
    return OWN_WORDS if newest is None else newest[1].request.get("strategy", "") or newest[1].kind


def reply_of(job: Job) -> dict[str, object] | None:
    """Reply of a model; None where it is of no use, such as one letter many times, which once was stored."""
    reply = None if job.response is None else cast("dict[str, object]", job.response["said"])
    holds = cast("list[str]", reply.get("holds", [])) if reply else []
    return None if wrong_letters(holds) else reply


def is_right(job: Job, item: ItemRecord | None = None) -> bool | None:
    """True if a verifier named just what the writer says holds; None where that is not known.

    Askings of before this was stored count by what holds in the question that was sent, where the words are the same.
    """
    reply, held = reply_of(job), asked_words(job)[5:]
    if job.kind != VERIFY or reply is None:
        return None
    if not held and item is not None and sent_words(item)[:5] == asked_words(job)[:5]:
        held = sent_words(item)[5:]
    return set(cast("list[str]", reply["holds"])) == set(held) if held else None


def asked_words(job: Job) -> QuestionWords:
    """The words that a model was given, as they would be stored."""
    options = cast("list[str]", job.request.get("options") or [""] * len(LETTERS))
    return words_of(str(job.request.get("question", "")), options, job.request.get("holds") or ())


def sent_words(item: ItemRecord) -> QuestionWords:
    """The words of a question that was sent."""
    holds = cast("Mapping[str, list[str]]", item.payload["writer"])["holds"]
    return words_of(str(item.payload["question"]), cast("list[str]", item.payload["options"]), holds)


def words_of(question: str, options: Sequence[str], holds: Sequence[str]) -> QuestionWords:
    """QuestionWords to compare with others."""
    return (cleaned(question), *map(cleaned, options), *sorted(holds))


def results_of(project: Project, items: Sequence[ItemRecord]) -> list[QuestionResult]:
    """The result of every question that was sent."""
    answers: dict[str, list[Job]] = defaultdict(list)
    for job in Job.objects.filter(project=project, kind=VERIFY, state=JobState.ANSWERED).order_by("pk"):
        answers[job.about].append(job)
    return [_result(item, answers[item.key]) for item in items if item.kind == "work" and "writer" in item.payload]


def _result(item: ItemRecord, answers: Sequence[Job]) -> QuestionResult:
    own = [job for job in answers if f"a{job.account_id}" == item.author]
    sent = sent_words(item)
    # An asking of before this was stored has no letters.
    same = [job for job in own if asked_words(job) in {sent, sent[:5]} and reply_of(job) is not None]
    newest = same[-1] if same else None
    return QuestionResult(
        question_idx=item.key, writer=item.author, place=item.region, offered=_writer(item).get("offered", ""),
        help=item.help, answers=len(own), model="" if newest is None else newest.model,
        fooled=None if newest is None else not is_right(newest, item),
    )  # fmt: skip
