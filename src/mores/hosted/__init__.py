"""A benchmark in another program: its items, plays, verdicts and figures, while that program asks the models.

Options of `mores run` ─▶ Hosted ─▶ transcript of a play ─▶ verdicts ─▶ figures

The host gives a caller a role, keeps logs and decides what is retried; words, reading, judging and figures are those
of a run, so that equal replies give equal figures.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Grading
from mores.core.codec import encode
from mores.core.errors import InputError, RunError, UnknownName
from mores.core.estimate import Estimate
from mores.core.transcript import Item, Transcript
from mores.core.verdict import Verdict, decode_verdicts
from mores.core.verdict_table import VerdictTable
from mores.models.cast import Caller, Cast
from mores.runs.evaluation import Evaluation
from mores.runs.executor import broken, ends_the_run, perform, play_item
from mores.runs.options import RunOptions
from mores.runs.protocol import RoleAssignment, protocol_of
from mores.runs.spec import Spec
from mores.runs.specify import specify
from mores.runs.stored_plays import decode_transcripts
from mores.runs.study import Study

__all__ = [
    "JUDGE",
    "OPTIONS",
    "SUBJECT",
    "HostError",
    "Hosted",
    "NamedFigures",
    "hosted",
    "to_text",
    "transcript_of",
    "verdicts_of",
]
OPTIONS = (
    "data", "places", "items", "limit", "samples", "seed", "setting", "temperature", "top_p", "answer_tokens",
    "reading", "shuffle", "prompt", "prompts_from", "judge_samples", "judge_temperature", "judge_tokens",
    "judge_weight",
)  # fmt: skip
"""The options of `mores run` that say what is asked, by the names that they have in Python."""
KIND = "host/"
SUBJECT, JUDGE = "subject", "judge"


class HostError(RunError):
    """An error of the host for which no play can stand in; a caller raises it, with the host's own as its cause.

    It leaves `play` and `judge` as it is, where any other error of a caller would leave the item ungraded.
    """


class NamedFigures(NamedTuple):
    """Figures over all by metric (NaN where a headline has none), and the headline by group, as `place=JP`."""

    whole: dict[str, float]
    groups: dict[str, float]


class Hosted(Struct, frozen=True, kw_only=True):
    """One benchmark as a run with these options would ask it, and its items by their ids.

    The models of `evaluation.roles` are names that the host knows, such as `host/judge`.
    """

    evaluation: Evaluation
    items: Mapping[str, Item]

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that need a caller, `subject` first."""
        return tuple(self.evaluation.roles)

    async def play(self, item: str, sample: int, callers: Mapping[str, Caller]) -> Transcript:
        """Transcript of one item put to models; a failed call is an event in it.

        Args:
            item: Id of the item.
            sample: Number of the sample, from 0.
            callers: What asks the model of each role, the judge's too: a day in town asks it in its course.

        Raises:
            InputError: a role has no caller, or there is no such item.
        """
        cast, whole = self._cast(callers, self.roles), self._item(item)
        try:
            return await play_item(self.evaluation, whole, sample, cast, None)
        except Exception as error:
            if ends_the_run(error) is not None:
                raise
            return broken(self.evaluation, whole, sample, error).transcript

    async def judge(self, transcript: Transcript, callers: Mapping[str, Caller]) -> Grading:
        """Verdicts on a transcript, each task of the benchmark once, and what judges were asked and said.

        Args:
            transcript: Of `play`, from now or out of a log.
            callers: What asks each judge. With the subject among them, what a judge said in the course of a day
                stands; without it that is judged anew, as by `mores judge`.

        Raises:
            InputError: a judge has no caller, or there is no such item.
        """
        cast = self._cast(callers, [role for role in self.roles if role.startswith(JUDGE)])
        item, length = self._item(transcript.item), len(transcript.events)
        earlier = {(transcript.item, transcript.sample): transcript}
        found = await perform(self.evaluation, item, transcript.sample, cast, earlier)
        return Grading(found.verdicts, found.transcript.events[length:])

    def figures(self, verdicts: Iterable[Verdict]) -> tuple[Estimate, ...]:
        """All figures of verdicts in any order, the headline first, as a run of these items would give them.

        Raises:
            InputError: a verdict is on an item that the benchmark does not ask here.
        """
        place = {name: number for number, name in enumerate(self.items)}
        found = list(verdicts)
        for each in found:
            self._item(each.about.item)
        # A run's order, on which the last digits of a sum hang.
        found.sort(key=lambda each: (place[each.about.item], each.sample))
        scoring, setting = self.evaluation.benchmark.scoring(self.evaluation.setting), self.evaluation.setting
        return scoring.estimates(scoring.score(VerdictTable(found)), setting.seed)

    def named(self, estimates: Iterable[Estimate]) -> NamedFigures:
        """Figures by the names that hosts show: each metric, and of the headline its bounds, counts and groups."""
        headline, whole, groups = self.evaluation.benchmark.card.headline, dict[str, float](), dict[str, float]()
        for each in estimates:
            main = each.metric == headline
            if each.group and main and each.value is not None:
                groups[", ".join(f"{kind}={name}" for kind, name in each.group.items())] = each.value
            elif not each.group and (main or each.value is not None):
                whole[each.metric] = float("nan") if each.value is None else each.value
            if main and not each.group:
                more = {"lower": each.low, "upper": each.high, "worst": each.worst, "best": each.best,
                        "asked": each.asked, "graded": each.graded}  # fmt: skip
                whole |= {name: float(value) for name, value in more.items() if value is not None}
        return NamedFigures(whole, groups)

    def _item(self, name: str) -> Item:
        if name not in self.items:
            raise UnknownName("item", name, self.items, where=self.evaluation.name)
        return self.items[name]

    def _cast(self, callers: Mapping[str, Caller], needed: Iterable[str]) -> Cast:
        missing = [role for role in needed if role not in callers]
        if missing:
            raise InputError(
                f"{self.evaluation.name}: nobody asks the {', '.join(missing)}; expected a caller for each role: "
                f"{', '.join(self.roles)}."
            )
        return Cast(callers, blind=frozenset(callers))


def hosted(name: str, *, roles: Mapping[str, str] = MappingProxyType({}), **options: Any) -> Hosted:
    """One benchmark with options of `mores run`; nothing is asked or written.

    Args:
        name: The benchmark, such as `cure/normad_thick`, or a folder that is one.
        roles: What the host calls the model of a role, as `host/NAME`; `host/ROLE` where nothing is said. Further
            judges (`judge2`, …) make a jury.
        options: Those of `OPTIONS`, by the names that `mores.run` has for them.

    Raises:
        InputError: an option cannot be used, or the name is of more than one benchmark.
    """
    for option in options:
        if option not in OPTIONS:
            todo = "Models, calls, limits and logs are the host's."
            raise UnknownName("option of what is asked", option, OPTIONS, where="hosted", todo=todo)
    for role, spec in roles.items():
        if not spec.startswith(KIND):
            raise InputError(f"hosted: {role}={spec}; expected {KIND}NAME, as the host asks every model.")
    first = {JUDGE: f"{KIND}{JUDGE}"} if any(role.startswith(JUDGE) for role in roles) else {}
    named = first | {role: spec for role, spec in roles.items() if role != SUBJECT}
    asked = RunOptions(benchmarks=name, model=roles.get(SUBJECT, f"{KIND}{SUBJECT}"), role=named, **options)
    study = Study(spec=_with_open_roles(name, specify(asked)[0]), folder=Path())
    (evaluation,) = study.evaluations()
    if evaluation.stops:
        raise InputError(f"hosted: {name} stops within a unit by its settings, and a host asks all items.")
    return Hosted(evaluation=evaluation, items={item.about.item: item for item in evaluation.items})


def _with_open_roles(name: str, spec: Spec) -> Spec:
    """A spec of one benchmark in which roles that nobody was named for have the host's own names."""
    names = [each for asked in spec.benchmarks for each in catalogue.resolve(asked)]
    if len(names) != 1:
        raise InputError(f"hosted: {name} is {len(names)} benchmarks; expected one of them: {', '.join(names)}.")
    benchmark, (subject,) = catalogue.load(names[0]), spec.models
    protocol = protocol_of(benchmark.card, spec)
    left = RoleAssignment(spec.roles).open_roles(benchmark, subject, protocol)
    return replace(spec, roles={**spec.roles, **{role: f"{KIND}{role}" for role in left}})


def to_text(value: Transcript | Verdict) -> str:
    """A transcript or verdict as a line of JSON, for a host's log."""
    return encode(value).decode()


def transcript_of(text: str) -> Transcript:
    """The transcript that a line of JSON holds.

    Raises:
        InputError: it holds none.
    """
    return next(decode_transcripts([text.encode()], where="transcript"))


def verdicts_of(texts: Iterable[str]) -> list[Verdict]:
    """The verdicts that lines of JSON hold.

    Raises:
        InputError: a line holds none.
    """
    return list(decode_verdicts((text.encode() for text in texts), where="verdicts"))
