"""Recorded outputs and the benchmark that they are to answer: what is matched, and what is refused before a run."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, runtime_checkable

from mores.core.errors import InputError
from mores.core.item import Item, ItemMetadata
from mores.models.logs.matching import Question
from mores.models.model import Model
from mores.models.recorded import Recorded
from mores.models.released import SUBJECT
from mores.runs.evaluation import Evaluation


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
    elif not subject.items().intersection(item.about.item for item in evaluation.items):
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
    questions, log = list(_questions(evaluation.items)), model.log
    if not questions or log is None:
        raise InputError(
            f"{model.spec}: logs of other programs answer questions of one turn, and {evaluation.name} has none; "
            "talks are read as item, reply, role and step."
        )
    counts = model.match(evaluation.name, questions, evaluation.setting.protocol.samples)
    if counts.matched:
        return
    first, wanted = log.rows[0], questions[0]
    why = f" ({first.left_out})" if first.left_out else ""
    raise InputError(
        f"{model.spec}: no reply in {log.layout} answers a question of {evaluation.name}, by id or by the words asked; "
        f"got '{first.item}'{why}, expected '{wanted.item}'. Ids: mores show {evaluation.name} --items."
    )


@runtime_checkable
class _Filled(Protocol):
    """An item that is one prompt with its slots filled."""

    @property
    def about(self) -> ItemMetadata: ...

    @property
    def words(self) -> Mapping[str, str] | tuple[str, ...]: ...

    def render(self) -> str: ...


def _questions(items: Iterable[Item]) -> Iterator[Question]:
    """What is put to the subject in one turn, and what fills the prompt of it."""
    for item in items:
        if isinstance(item, _Filled):
            parts = item.words if isinstance(item.words, tuple) else tuple(item.words.values())
            yield Question(item.about.item, item.render(), parts)
