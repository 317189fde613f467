"""Recorded outputs and the benchmark that they are to answer: what is matched, and what is refused before a run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from mores.benchmarks.shapes.closed_question import ClosedItem
from mores.core.errors import InputError
from mores.core.transcript import ItemMetadata
from mores.models.logs.logged_reply import Log
from mores.models.logs.order import bare
from mores.models.logs.question import LabelledOption, LoggedQuestion
from mores.models.logs.tables import KEY
from mores.models.model import Model
from mores.models.recorded import Recorded
from mores.models.released import SUBJECT
from mores.runs.evaluation import Evaluation

FEWEST_RIGHT = 5
"""Replies, all right, at which a column looks like the data's own key."""


def check_recordings(models: Mapping[str, Model], evaluation: Evaluation) -> None:
    """Match a log with the questions of an evaluation, and refuse outputs that are of another benchmark altogether.

    Raises:
        InputError: no row is about an item of the evaluation, or a log plays a role that asks no question here.
    """
    for role, spec in evaluation.asked.items():
        model = models[spec]
        if isinstance(model, Recorded) and model.log is not None and role != SUBJECT:
            raise InputError(f"{role}={spec}: logs of other programs are read for the subject alone; got a {role}.")
    subject = models.get(evaluation.model)
    if evaluation.source is not None or not isinstance(subject, Recorded):
        return
    if subject.log is not None:
        _match(subject, evaluation)
        return
    ids = {item.about.item for item in evaluation.items}
    subject.count(evaluation.name, ids)
    if not subject.items() & ids:
        _refuse_cut(subject, evaluation)
        given, wanted = min(subject.items()), evaluation.items[0].about.item
        raise InputError(
            f"{subject.spec}: no row is about an item of {evaluation.name}; got '{given}', expected '{wanted}'."
        )


def _refuse_cut(model: Recorded, evaluation: Evaluation) -> None:
    """Nothing, unless recorded outputs are of the benchmark and a limit or a choice of places left their items out.

    Raises:
        InputError: it did.
    """
    everything = {item.about.item for item in evaluation.benchmark.items(evaluation.setting)}
    cut = len(model.items() & everything)
    if cut:
        raise InputError(
            f"{model.spec}: its {cut:,} items of {evaluation.name} are not among the {len(evaluation.items):,} that "
            "--limit or --places leave; leave these out, or use --limit all."
        )


def _match(model: Recorded, evaluation: Evaluation) -> None:
    """Match the replies of a log with the questions that are put.

    Raises:
        InputError: the benchmark asks more than one turn, or none of the replies is to one of its questions.
    """
    questions, log = list(_questions(evaluation)), model.log
    if not questions or log is None:
        raise InputError(
            f"{model.spec}: logs of other programs answer questions of one turn, and {evaluation.name} has none; "
            "talks are read as item, reply, role and step."
        )
    counts = model.match(evaluation.name, questions, evaluation.setting.protocol.samples)
    if counts.matched:
        _refuse_key(model, log, questions)
        return
    first, wanted = log.rows[0], questions[0]
    reasons = ", ".join(f"{count:,} {why}" for why, count in counts.reasons.items())
    why = f" ({reasons})" if reasons else ""
    raise InputError(
        f"{model.spec}: no reply in {log.layout} answers a question of {evaluation.name}, by id or by the words asked; "
        f"got '{first.item}'{why}, expected '{wanted.item}'. Ids: mores show {evaluation.name} --items."
    )


def _refuse_key(model: Recorded, log: Log, questions: Sequence[LoggedQuestion]) -> None:
    """Refuse replies out of a column that nobody named and that holds nothing but right answers.

    Raises:
        InputError: the column is the data's own key, as far as one can tell.
    """
    said = [(q.right, reply) for q in questions if q.right and (reply := model.said(q)) is not None]
    keys = all(bare(reply) in {bare(word) for word in right} for right, reply in said)
    if log.guessed == KEY and len(said) >= FEWEST_RIGHT and keys:
        raise InputError(
            f"{model.spec}: its column '{KEY}' has the right answer in all of {len(said):,} rows, as the data's own "
            f"key has; name the column with the replies: --columns reply=COLUMN ({KEY}, if it is that one)."
        )


@runtime_checkable
class _Filled(Protocol):
    """An item that is one prompt with its slots filled."""

    @property
    def about(self) -> ItemMetadata: ...

    @property
    def words(self) -> Mapping[str, str] | tuple[str, ...]: ...

    def render(self) -> str: ...


@runtime_checkable
class _Named(Protocol):
    """A benchmark whose data have ids of their own."""

    def data_ids(self, item: Any) -> Mapping[str, str]: ...


def _questions(evaluation: Evaluation) -> Iterator[LoggedQuestion]:
    """What is put to the subject in one turn, what fills the prompt of it, and what its labels stand for."""
    benchmark = evaluation.benchmark
    for item in evaluation.items:
        if isinstance(item, _Filled):
            parts = item.words if isinstance(item.words, tuple) else tuple(item.words.values())
            ids = benchmark.data_ids(item) if isinstance(benchmark, _Named) else {}
            question = LoggedQuestion(item.about.item, item.render(), parts, ids=tuple(ids.items()))
            yield _with_labels(question, item) if isinstance(item, ClosedItem) else question


def _with_labels(question: LoggedQuestion, item: ClosedItem) -> LoggedQuestion:
    """The same with its labels: letters stand for the options in the slots that bear their names."""
    form, filled = item.form, dict(zip(item.form.slots, item.words, strict=True))
    right = (item.gold, form.label_texts[item.gold])
    if not all(len(label) == 1 for label in form.labels):
        choices = tuple(LabelledOption(label, way, label) for label, way in form.label_texts.items())
        return question._replace(choices=choices, right=right)
    if not filled.keys() >= set(form.labels):  # options stand in the question's own text, and go with it
        return question._replace(right=right)
    choices = tuple(LabelledOption(label, way, filled[label]) for label, way in form.label_texts.items())
    return question._replace(choices=choices, by_position=True, right=right)
