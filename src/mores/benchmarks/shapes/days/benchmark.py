"""Days in town as a benchmark: targets are items, a log is a transcript, the verifier's words are verdicts."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

from msgspec import Struct, field, structs

from mores.benchmarks.benchmark import CallEstimate, ExpectedVerdict, Grading, RestsOn, SectionReference, Setting
from mores.benchmarks.controls import ControlSpec
from mores.benchmarks.scoring import MetricDefinition, Scoring
from mores.benchmarks.shapes.days.grading import DayGrader, DayItem, TownSetup
from mores.benchmarks.shapes.days.verifier import DayVerifier, Rubrics
from mores.benchmarks.shapes.judge_panel import JUDGE, bench_of, failed_verdict, judging_of
from mores.benchmarks.shapes.pressure import level_of_day
from mores.benchmarks.shapes.question import SUBJECT, limited, of_subject
from mores.benchmarks.shapes.scoring import VerdictMetric, VerdictSource
from mores.core.card import Card, Control, CutSampling, Protocol, Sampling
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.core.transcript import DayEvent, FailureEvent, Transcript
from mores.models.budget import DEFAULT_ANSWER_TOKENS
from mores.models.cast import Cast
from mores.models.rate_limits import FairSemaphore
from mores.worlds.town.planted import PlantedDay
from mores.worlds.town.prompts import DayPrompts
from mores.worlds.town.run_day import SUPPORTER, DayCallers, run_day
from mores.worlds.town.stage import DayConfig, Limits

DECODING, PAPER = "decoding", "paper"
PRESETS: dict[str, Sampling] = {
    "qwen3": CutSampling(temperature=0.6, top_p=0.95, top_k=20, min_p=0.0),
    "ministral-3": Sampling(temperature=0.7, top_p=0.95),
    "llama-3": Sampling(temperature=0.6, top_p=0.9),
    "gemini-2.5": CutSampling(temperature=1.0, top_p=0.95, top_k=64),
}
"""By what a model's name has in it (LiveCultureBench, table 12); what the table leaves out is the provider's."""


def own_sampling(setting: Setting) -> Sampling:
    """Sampling of the target's model.

    Raises:
        InputError: the paper's way was asked for, and the paper has not run this model.
    """
    preset = _preset(setting)
    if preset is None:
        return of_subject(setting.protocol)
    asked = setting.protocol.subject
    sampling = structs.replace(preset, max_tokens=limited(setting.protocol).max_tokens)
    return sampling if asked is None else asked.over(sampling)


def describe_sampling(setting: Setting) -> str:
    """The paper's settings in a sentence; nothing where decoding is left to the provider.

    Raises:
        InputError: the paper's way was asked for, and the paper has not run this model.
    """
    preset = _preset(setting)
    if preset is None:
        return ""
    settings = structs.asdict(preset).items()
    parts = (f"{name} {value:g}" for name, value in settings if value is not None and name != "logprobs")
    return f"The target's model draws its words as in table 12 of the paper: {', '.join(parts)}."


def _preset(setting: Setting) -> Sampling | None:
    """The paper's way for the target's model; None where decoding is left to the provider."""
    if setting.protocol.settings.get(DECODING, "provider") != PAPER:
        return None
    spec = setting.roles.get(SUBJECT, "")
    # Providers spell one family in several ways: qwen3, qwen-3, ministral_3.
    name = spec.casefold().replace("_", "-").replace("qwen-3", "qwen3")
    known = next((preset for part, preset in PRESETS.items() if part in name), None)
    if known is None:
        raise InputError(f"--set decoding=paper: table 12 has no {spec}; it has names with {', '.join(PRESETS)}.")
    return known


WATCHED = ("norms", "goal", "profile", "situation")
"""What a verifier may be asked of a step."""
KEPT = 4
"""Grounds that are kept, the latest: a study has few, and a large town takes room."""
JUDGED_AT_ONCE = 64
"""Days that are judged at once, of all that are over: each has a list of every norm at every step in hand, and asks
enough at once to keep a window of a thousand slots busy by a few."""
_judged = FairSemaphore(JUDGED_AT_ONCE)
_EVENTS = get_args(DayEvent)


class DayBenchmark(Struct, frozen=True, kw_only=True):
    """Days of residents: a card, the ground they stand on, how logs become verdicts and verdicts figures.

    `by_norm` are the tasks that have a verdict for each norm that a day is there for. `asked` are the questions that
    the verifier gets at each step, `minds` what those in town are told, `controls` how days are asked besides.
    """

    card: Card
    settle: Callable[[Setting], TownSetup]
    tasks: tuple[str, ...]
    by_norm: tuple[str, ...] = ()
    grade: Callable[[DayGrader], Awaitable[Grading]]
    figures: Mapping[str, VerdictMetric]
    minds: Mapping[str, Prompt]
    rubrics: Rubrics
    asked: tuple[str, ...] = WATCHED
    sections: tuple[SectionReference, ...] = ()
    rests_on: RestsOn = field(default=lambda _: {})
    also: Mapping[str, MetricDefinition[VerdictSource]] = field(default_factory=dict)
    controls: Mapping[Control, ControlSpec] = field(default_factory=dict)
    grounds: dict[object, TownSetup] = field(default_factory=dict)

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Prompts of the minds and the verifier."""
        return (*self.minds.values(), *self.rubrics.prompts(self.asked))

    def prompts_of(self, setting: Setting) -> tuple[Prompt, ...]:  # noqa: ARG002 - as a benchmark has it
        """All of them, whatever the setting."""
        return self.prompts

    def due(self, item: DayItem) -> tuple[ExpectedVerdict, ...]:
        """A verdict a task, or one for each norm that the day is there for; so too where it broke off."""
        of_day = (item.about,)
        return tuple(
            ExpectedVerdict(task, each)
            for task in self.tasks
            for each in (item.held if task in self.by_norm else of_day)
        )

    @property
    def varying_tasks(self) -> tuple[str, ...]:
        """Those of steps: how many there are, and at which there is something to judge, the day decides."""
        return tuple(task for task in self.tasks if task not in self.by_norm)

    @property
    def affirmative(self) -> bool:
        """False: there is no yes to a day."""
        return False

    def roles(self, protocol: Protocol) -> tuple[str, ...]:
        """Those of the card."""
        return protocol.roles

    def remarks(self, setting: Setting) -> tuple[str, ...]:
        """Residents, norms, the pressure of others, and the sampling of the target, in sentences."""
        pressed = f"Pressure of the others: {level_of_day(setting).name}."
        return tuple(filter(None, (*self._town_of(setting).remarks, pressed, describe_sampling(setting))))

    def sources(self, setting: Setting) -> dict[str, str]:
        """The population and the norms, each with a hash."""
        return self._town_of(setting).sources

    def outline(self, item: DayItem, setting: Setting) -> dict[str, CallEstimate]:
        """The calls of a day of all its steps, each with a conversation, and its verifier's, each asked twice."""
        _ = item
        limits, out = limits_of(setting), limited(setting.protocol).max_tokens or DEFAULT_ANSWER_TOKENS
        town, judging = self._town_of(setting), judging_of(setting)
        talks = limits.steps * limits.utterances // 2 + limits.steps
        brief, norms = 2500, 25 * town.longest
        own, others = limits.steps + talks, limits.steps * limits.nearby + talks
        lists = max(1, -(-town.longest // (list_size(setting) or town.longest or 1)))
        asked = 2 * judging.runs * limits.steps * (lists + len(self.asked) - 1)
        words = judging.sampling.max_tokens or DEFAULT_ANSWER_TOKENS
        return {
            SUBJECT: CallEstimate(own, own * brief, own * (out + own_sampling(setting).thinking_room), own),
            SUPPORTER: CallEstimate(others, others * (400 + norms), others * out, talks),
            JUDGE: CallEstimate(asked, asked * (500 + norms // 2), asked * words),
        }

    def items(self, setting: Setting) -> Sequence[DayItem]:
        """Days of the residents, an item each.

        Raises:
            InputError: the population or the norms cannot be read, or a setting cannot be used.
        """
        # Called for their errors alone: a setting that cannot be used is refused before anything is asked.
        own_sampling(setting), level_of_day(setting), limits_of(setting), list_size(setting)
        return self._town_of(setting).items()

    async def play(self, item: DayItem, sample: int, cast: Cast, setting: Setting) -> Transcript:
        """The day."""
        verifier = self._verifier(item, sample, setting)
        stage, level = verifier.stage, level_of_day(setting)
        statements = {kind: tuple(known.values()) for kind, known in verifier.norms.items()}
        company = DayCallers(
            cast=cast,
            sampling=limited(setting.protocol),
            own=own_sampling(setting),
            item=item.about.item,
            sample=sample,
            words=DayPrompts(
                stage=stage, norms=statements, pressure=level.words, prompts=self.minds, preface=item.preface
            ),
            cues=verifier.script,
            blind=cast.blind,
            swift={SUBJECT, SUPPORTER} <= cast.swift,
        )
        events = await run_day(company, partial(verifier.check, bench_of(cast, setting)))
        return Transcript(item=item.about.item, sample=sample, events=events)

    async def judge(self, item: DayItem, transcript: Transcript, cast: Cast, setting: Setting) -> Grading:
        """All that is not on the way of the day, at once; the goal too where the day was another verifier's."""
        broken = next(
            (e for e in transcript.events if isinstance(e, FailureEvent) and e.role in {SUBJECT, "mores"}), None
        )
        if broken is not None:
            return Grading(tuple(failed_verdict(broken, due, transcript.sample) for due in self.due(item)))
        watch = DayGrader(
            bench=bench_of(cast, setting),
            verifier=self._verifier(item, transcript.sample, setting),
            item=item,
            log=tuple(event for event in transcript.events if isinstance(event, _EVENTS)),
            # Without a subject to ask, a stored day is judged anew, by a verifier that may be another.
            again=SUBJECT not in cast.clients,
        )
        await _judged.acquire()
        try:
            return await self.grade(watch)
        finally:
            _judged.release()

    def scoring(self, setting: Setting) -> Scoring[VerdictSource]:
        """The metrics of the card."""
        _ = setting
        return Scoring(
            self.card, {name: figure.measure for name, figure in self.figures.items()}, VerdictSource, self.also
        )

    def stage(self, item: DayItem, setting: Setting) -> DayConfig:
        """The stage of one day of a run, for whoever replays it."""
        return self._town_of(setting).stage(item, limits_of(setting))

    def norms(self, item: DayItem, setting: Setting) -> dict[str, dict[str, str]]:
        """The norms that a day of a run was held to, by kind of place, statements by id."""
        return {kind: dict(known) for kind, known in self._town_of(setting).norms(item).items()}

    def _town_of(self, setting: Setting) -> TownSetup:
        """The ground of a run, settled once; settled anew where a file of its data has changed."""
        key = (_stamp(setting.data), setting.seed, tuple(sorted(setting.protocol.settings.items())))
        if key not in self.grounds:
            if len(self.grounds) >= KEPT:
                # A dict keeps the order of its keys, so the first is the oldest.
                del self.grounds[next(iter(self.grounds))]
            self.grounds[key] = self.settle(setting)
        return self.grounds[key]

    def _verifier(self, item: DayItem, sample: int, setting: Setting) -> DayVerifier:
        town = self._town_of(setting)
        stage, norms = town.stage(item, limits_of(setting)), town.norms(item)
        script = PlantedDay(
            stage=stage,
            norms={kind: tuple(known) for kind, known in norms.items()},
            seed=Seed(f"{setting.seed.path}/planted").child(item.about.item, sample),
            pressure=level_of_day(setting).strength,
            occasions=town.occasions(item),
            courteous=item.courteous,
            control=item.control,
        )
        return DayVerifier(
            stage=stage,
            norms=norms,
            item=item.about.item,
            sample=sample,
            script=script,
            list_size=list_size(setting),
            rubrics=self.rubrics,
        )


def limits_of(setting: Setting) -> Limits:
    """Length of days and how much of them is perceived, by the run's settings.

    Raises:
        InputError: a setting is no number, or less than 1.
    """
    return Limits(**{name: whole_number(setting, name) for name in ("steps", "nearby", "utterances")})


def whole_number(setting: Setting, name: str) -> int:
    """A setting as a number.

    Raises:
        InputError: it is none, or less than 1.
    """
    given = setting.protocol.settings[name]
    if not given.isdecimal() or not int(given):
        raise InputError(f"--set {name}={given}: expected a whole number from 1.")
    return int(given)


def list_size(setting: Setting) -> int:
    """Norms that are judged in one call; 0 for all of a place.

    Raises:
        InputError: the setting is neither `all` nor a number from 1.
    """
    chosen = setting.protocol.settings.get("norm_list", "all")
    if chosen == "all":
        return 0
    if not chosen.isdecimal() or not int(chosen):
        raise InputError(f"--set norm_list={chosen}: expected all, or a number of norms.")
    return int(chosen)


def _stamp(data: Path | None) -> tuple[tuple[str, int, int], ...]:
    """The files of a run's data, with what tells that one has changed."""
    if data is None or not data.exists():
        return ((str(data), 0, 0),)
    files = sorted(path for path in data.iterdir() if path.is_file()) if data.is_dir() else [data]
    return tuple((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files)
