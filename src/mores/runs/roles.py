"""Who plays in an evaluation, and whether they can: refused before anything is asked."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, runtime_checkable
from typing import Protocol as Capability

from msgspec import structs

from mores.benchmarks.benchmark import Benchmark
from mores.benchmarks.shapes.closed_question import ClosedItem
from mores.core.card import FIRST, Protocol, SubjectSettings
from mores.core.errors import InputError
from mores.core.transcript import ItemMetadata
from mores.models.extra_body import extra_fields
from mores.models.logs.logged_reply import LabelledOption, Log, LoggedQuestion
from mores.models.logs.order import bare
from mores.models.logs.tables import KEY
from mores.models.model import Model, RecordedOutputs
from mores.models.provider import provider_of
from mores.models.recorded import SUBJECT
from mores.models.registry import is_real, is_simulated
from mores.runs.evaluation import Evaluation
from mores.runs.options import flag_of


class RoleAssignment(NamedTuple):
    """Who is named for roles by `--role` and `--judge`, and whether simulated models fill those of a baseline."""

    named: dict[str, str]
    beside_simulated: bool = False

    def needed(self, benchmark: Benchmark, protocol: Protocol) -> list[str]:
        """The roles of a benchmark beside the subject's, with all seats of a jury."""
        roles = [role for role in benchmark.roles(protocol) if role != "subject"]
        if "judge" in roles:
            roles += sorted(role for role in self.named if role.startswith("judge") and role != "judge")
        return roles

    def open_roles(self, benchmark: Benchmark, subject: str, protocol: Protocol) -> tuple[str, ...]:
        """The roles that nobody plays."""
        if is_simulated(subject) or (self.beside_simulated and subject.startswith("baseline/")):
            return ()
        return tuple(role for role in self.needed(benchmark, protocol) if role not in self.named)


def refuse_open(open_roles: Mapping[str, Sequence[str]]) -> None:
    """Nothing, if every role of each benchmark is played.

    Raises:
        InputError: some are not; one line names all of them, and the options that fill them.
    """
    missing = {name: roles for name, roles in open_roles.items() if roles}
    if not missing:
        return
    roles = list(dict.fromkeys(role for found in missing.values() for role in found))
    flags = " ".join("--judge SPEC" if role == "judge" else f"--role {role}=SPEC" for role in roles)
    them = "it" if len(roles) == 1 else "them"
    whom = " and ".join(filter(None, (", ".join(roles[:-1]), roles[-1])))
    raise InputError(f"{', '.join(missing)}: no model for the {whom}; a real run names {them}: {flags}.")


def cast_of(benchmark: Benchmark, subject: str, casting: RoleAssignment, protocol: Protocol) -> dict[str, str]:
    """Who plays which role; simulated models fill the others for a simulated subject, and for a baseline beside one.

    Raises:
        InputError: a real subject, and a role that nobody plays or a judge that only knows what was planted; or a
            judge that sits twice.
    """
    refuse_open({benchmark.card.name: casting.open_roles(benchmark, subject, protocol)})
    roles = {"subject": subject}
    for role in casting.needed(benchmark, protocol):
        own = "simulated/judge" if role == "judge" else "simulated/typical"
        roles[role] = casting.named.get(role, own)
    judges = [spec for role, spec in roles.items() if role.startswith("judge")]
    if len(set(judges)) < len(judges):
        raise InputError(
            f"--judge {judges[0]}: this judge is named twice; name different judges, or use --judge-samples K."
        )
    made_up = [spec for spec in judges if not is_real(spec)]
    if made_up and is_real(subject):
        raise InputError(
            f"{benchmark.card.name}: {made_up[0]} cannot judge {subject}: it reads planted answers, which a real "
            "subject does not give; name a real judge: --judge PROVIDER/MODEL."
        )
    return roles


def check_roles(benchmark: Benchmark, subject: str, protocol: Protocol) -> None:
    """Refuse a subject that cannot play a benchmark.

    Raises:
        InputError: always yes where there is no yes, outputs made in another order of the options, or settings that
            its provider cannot be told.
    """
    name = benchmark.card.name
    extra_fields_of_subject(subject, protocol)
    if subject == "baseline/always-true" and not benchmark.affirmative:
        raise InputError(f"{name}: baseline/always-true needs questions with a true or yes; use baseline/first.")
    if subject.startswith("recorded/") and protocol.shuffle:
        raise InputError(f"{name}: recorded outputs answered the published order; leave out --shuffle.")
    if subject.startswith("recorded/") and protocol.variant != FIRST:
        raise InputError(
            f"{name}: recorded outputs answered one wording; leave out --prompt-variants, --orders and --control."
        )


def extra_fields_of_subject(subject: str, protocol: Protocol) -> dict[str, object]:
    """The fields of each call to the subject that a run asks for beside its sampling, in its provider's terms.

    Raises:
        InputError: the provider has no words for it, or no endpoint is asked.
    """
    asked = protocol.subject
    if asked is None:
        return {}
    if is_simulated(subject) and asked == SubjectSettings(thinking=asked.thinking):
        return {}
    if not provider_of(subject).elsewhere:
        found = structs.asdict(asked)
        flags = ", ".join(flag_of(name) for name, value in found.items() if value not in {None, False})
        raise InputError(f"{subject}: it is no endpoint, so that none can be told; leave out {flags}.")
    return extra_fields(subject, asked.over(protocol.sampling))


FEWEST_RIGHT = 5
"""Replies, all right, at which a column looks like the data's own key."""


def check_recordings(models: Mapping[str, Model], evaluation: Evaluation) -> None:
    """Match a log with the questions of an evaluation, and refuse outputs that are of another benchmark altogether.

    Raises:
        InputError: no row is about an item of the evaluation, or a log plays a role that asks no question here.
    """
    for role, spec in evaluation.asked.items():
        recording = models[spec].recording
        if recording is not None and recording.log is not None and role != SUBJECT:
            raise InputError(f"{role}={spec}: logs of other programs are read for the subject alone; got a {role}.")
    subject = models[evaluation.model].recording if evaluation.source is None else None
    if subject is None:
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


def _refuse_cut(model: RecordedOutputs, evaluation: Evaluation) -> None:
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


def _match(model: RecordedOutputs, evaluation: Evaluation) -> None:
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


def _refuse_key(model: RecordedOutputs, log: Log, questions: Sequence[LoggedQuestion]) -> None:
    """Refuse replies out of a column that nobody named and that holds nothing but right answers.

    Raises:
        InputError: the column is the data's own key, as far as one can tell.
    """
    said = [(q.right, reply) for q in questions if q.right and (reply := model.reply_text(q)) is not None]
    keys = all(bare(reply) in {bare(word) for word in right} for right, reply in said)
    if log.guessed == KEY and len(said) >= FEWEST_RIGHT and keys:
        raise InputError(
            f"{model.spec}: its column '{KEY}' has the right answer in all of {len(said):,} rows, as the data's own "
            f"key has; name the column with the replies: --columns reply=COLUMN ({KEY}, if it is that one)."
        )


@runtime_checkable
class _Filled(Capability):
    """An item that is one prompt with its slots filled."""

    @property
    def about(self) -> ItemMetadata: ...

    @property
    def words(self) -> Mapping[str, str] | tuple[str, ...]: ...

    def render(self) -> str: ...


@runtime_checkable
class _Named(Capability):
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
