"""What judges of a run were asked, put to people: the same words, without what any judge said.

stored plays ─▶ judged again by judges who never answer ─▶ the cases they were asked ─▶ questions
"""

import asyncio
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from mores.core.errors import InputError
from mores.core.verdict import JudgedUnit
from mores.judges.fence import form_words
from mores.judges.judge import JudgeCall
from mores.judges.rubric import FORM, Case, Rubric
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Request
from mores.runs.evaluation import Evaluation
from mores.runs.manifest import check_unchanged
from mores.runs.spec import spec_in
from mores.runs.stored_plays import StoredPlays
from mores.runs.study import Study

POINTS_FORM = "Write a number from 0 to 1."


class LabelQuestion(Struct, frozen=True, kw_only=True):
    """One thing to judge in words for people; `options` is empty where points from 0 to 1 are asked for.

    `truth` is what was planted in a simulated subject's words, sealed from everybody but simulated people.
    """

    thing: JudgedUnit
    words: str
    options: tuple[str, ...]
    truth: str | None = None


def questions_of(run: Path, folder: Path, items: Collection[str] | None = None) -> tuple[LabelQuestion, ...]:
    """Everything that judges were asked about one evaluation of a run, in the order of its plays, each thing once.

    With `items` only about these.

    Raises:
        InputError: the run is not finished, its data is gone or has changed, or nobody judges in it.
    """
    found: dict[JudgedUnit, LabelQuestion] = {}
    for hearing in judge_calls_of(run, folder, items):
        for question in _questions(hearing):
            found.setdefault(question.thing, question)
    return tuple(found.values())


def judge_calls_of(run: Path, folder: Path, items: Collection[str] | None = None) -> tuple[JudgeCall, ...]:
    """The cases that judges were asked about one evaluation of a run, in the order of its plays, without an outcome.

    With `items` only about these.

    Raises:
        InputError: the run is not finished, its data is gone or has changed, or nobody judges in it.
    """
    evaluation = _evaluation(run, folder)
    if not evaluation.judged:
        raise InputError(f"{folder}: nobody judges in {evaluation.name}; expected a run of a benchmark with a judge.")
    with closing(StoredPlays(folder)) as plays:
        return asyncio.run(_judge_calls(evaluation, plays, items))


def _evaluation(run: Path, folder: Path) -> Evaluation:
    study = Study(spec=spec_in(run), folder=run)
    evaluation = next((each for each in study.evaluations() if each.folder.resolve() == folder.resolve()), None)
    if evaluation is None:
        raise InputError(f"{folder}: no evaluation of the run {run}; expected one of its folders.")
    check_unchanged(evaluation)
    return evaluation


class _Mute:
    """A judge that is asked and never answers."""

    async def ask(self, request: Request) -> Reply:
        raise CallFailed("not asked", request.tag.role)


async def _judge_calls(
    evaluation: Evaluation, plays: StoredPlays, wanted: Collection[str] | None
) -> tuple[JudgeCall, ...]:
    clients = {role: _Mute() for role in evaluation.roles if role.startswith("judge")}
    notes: list[object] = []
    cast = Cast(clients, noting=notes.append)
    for item in evaluation.items:
        if wanted is None or item.about.item in wanted:
            for sample in range(evaluation.setting.protocol.samples):
                await evaluation.benchmark.judge(item, plays[item.about.item, sample], cast, evaluation.setting)
    return tuple(note for note in notes if isinstance(note, JudgeCall))


def _questions(hearing: JudgeCall) -> Iterator[LabelQuestion]:
    truths = dict(zip(hearing.case.ids or ("",), hearing.case.key.truths, strict=True)) if hearing.case.key else {}
    for name, thing in hearing.things():
        yield LabelQuestion(
            thing=thing,
            words=_words(hearing.rubric, hearing.case, name),
            options=hearing.rubric.answer.options,
            truth=truths.get(name),
        )


def _words(rubric: Rubric, case: Case, name: str) -> str:
    """The judge's own words with the plain values, of a list only what bears on one id."""
    plain = {slot: _only(text, case.ids, name) for slot, text in case.values.items()}
    values = {slot: f"[{slot}]\n{text}\n[end]" if slot in rubric.fenced else text for slot, text in plain.items()}
    options = rubric.answer.options
    form = f"Choose one of these words: {', '.join(options)}." if options else POINTS_FORM
    about = f" of this alone: {name}" if name else ""
    return rubric.prompt.render(**values, **{FORM: form_words("people").render(about=about, form=form)}).strip()


def _only(text: str, ids: tuple[str, ...], name: str) -> str:
    """A text without the lines that are about other ids."""
    if not name or "\n" not in text:
        return text
    others = tuple(f"{each}: " for each in ids if each != name)
    return "\n".join(line for line in text.split("\n") if not line.startswith(others))
