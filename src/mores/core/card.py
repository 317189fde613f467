"""Card of a benchmark: its description of itself, with the paper's protocol as its default."""

from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from mores.core.codec import build, read_toml
from mores.core.errors import UnknownName

Reading = Literal["strict", "lenient"]
READINGS: tuple[Reading, ...] = get_args(Reading)
"""Each reading of a label is a task of its own, by this name."""
STANDARDS = Path(__file__).parent / "metrics.toml"
"""Metrics that several cards share."""
THINKING_ROOM = 16_384
"""Tokens that thinking may take where nobody says how many."""


class EndpointOptions(NamedTuple):
    """Options of an endpoint beside sampling: how much to think, as a word or in tokens, and further fields.

    `extra_body` is a JSON object.
    """

    thinking: str | int | None = None
    extra_body: str | None = None


NOTHING = EndpointOptions()


class Sampling(Struct, frozen=True, kw_only=True):
    """Sampling settings of a model; None leaves a setting to the provider."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    logprobs: bool = False

    @property
    def told(self) -> EndpointOptions:
        """Options for the endpoint: none."""
        return NOTHING

    @property
    def seeded(self) -> bool:
        """True where a seed was asked to be sent."""
        return False

    @property
    def as_text(self) -> bool:
        """True where messages are written as one text to go on with."""
        return False

    @property
    def random(self) -> bool:
        """True where two equal requests may get different replies."""
        return self.temperature != 0.0

    @property
    def cuts(self) -> dict[str, float]:
        """Cuts of the unlikeliest words besides top_p, by the names that endpoints give them: none."""
        return {}

    @property
    def thinking_room(self) -> int:
        """Tokens for thinking beside the answer's own limit: none were asked for."""
        return 0


class CutSampling(Sampling, frozen=True, kw_only=True):
    """Sampling of which some endpoints alone take all settings.

    It is a kind of its own so that requests without these settings keep their keys in journals made before.
    """

    top_k: int | None = None
    min_p: float | None = None

    @property
    def cuts(self) -> dict[str, float]:
        """Those that are set."""
        wished = {"top_k": self.top_k, "min_p": self.min_p}
        return {name: value for name, value in wished.items() if value is not None}


class FullSampling(CutSampling, frozen=True, kw_only=True):
    """Sampling with all that a run may ask of its subject; requests without it keep their keys, as those above.

    With `seeded` the endpoint is sent a seed.
    """

    told: EndpointOptions = NOTHING
    seeded: bool = False

    @property
    def thinking_room(self) -> int:
        """Tokens for thinking beside the answer's own limit: as many as were asked for."""
        thinking = self.told.thinking
        if isinstance(thinking, int):
            return thinking
        return 0 if thinking in {None, "off"} else THINKING_ROOM


class TextSampling(FullSampling, frozen=True, kw_only=True):
    """Sampling of a model that knows no chat: messages are written as one text, in a `form` of that name and hash."""

    form: str

    @property
    def as_text(self) -> bool:
        """Always."""
        return True


class SubjectSettings(Struct, frozen=True, kw_only=True):
    """Settings of a run for its subject's endpoint beside the protocol's sampling; None leaves one to the provider.

    With `completions`, the name and hash of a form, messages are written as one text to go on with.
    """

    thinking: str | int | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    extra_body: str | None = None
    seed_endpoint: bool = False
    completions: str | None = None

    def over(self, sampling: Sampling) -> FullSampling:
        """The sampling with what is asked in place of its own."""
        full = FullSampling(
            temperature=sampling.temperature,
            top_p=sampling.top_p if self.top_p is None else self.top_p,
            top_k=getattr(sampling, "top_k", None) if self.top_k is None else self.top_k,
            min_p=getattr(sampling, "min_p", None) if self.min_p is None else self.min_p,
            max_tokens=sampling.max_tokens,
            told=EndpointOptions(self.thinking, self.extra_body),
            seeded=self.seed_endpoint,
        )
        return full if self.completions is None else TextSampling(**asdict(full), form=self.completions)


class Judging(Struct, frozen=True, kw_only=True):
    """Settings of judges: their sampling, and the number of judgements of each for one answer."""

    sampling: Sampling
    runs: int = 1


Control = Literal["masked", "swapped", "misplaced", "told"]
"""How an item is asked besides: without its place; of another place whose norm differs, with the scene hidden or as it
is; or after its norm was told."""
CONTROLS: tuple[Control, ...] = get_args(Control)


class Variant(NamedTuple):
    """In which words a question is put, and in which order its options or labels stand; the first of both is 1.

    A control asks in the first of both, with the place masked, swapped or misplaced, or the norm told; it is empty
    elsewhere.
    """

    wording: int = 1
    order: int = 1
    control: Control | Literal[""] = ""

    @property
    def suffix(self) -> str:
        """Ending that it adds to a name: none for the first, `--wording-2`, `--order-3`, `--control-masked`."""
        parts = (f"--{name}-{value}" for name, value in self._asdict().items() if value not in (1, ""))
        return "".join(parts)


FIRST = Variant()


class BenchmarkOption(Struct, frozen=True, kw_only=True):
    """A thing that a benchmark leaves to whoever runs it, by `--set NAME=VALUE`; any text where `choices` is empty.

    `of_judging` are those that stored plays can be judged again by; the others say how plays are held. Those that are
    `beside` change no figure, only what stands beside it or how it is broken down: they are no departure. The value of
    a `file` is a path where there is one, which a STUDY.toml names from where it lies.
    """

    name: str
    default: str
    says: str
    choices: tuple[str, ...] = ()
    of_judging: bool = False
    beside: bool = False
    file: bool = False


class Protocol(Struct, frozen=True, kw_only=True):
    """The published way to run a benchmark; a run shows where it departs from it.

    `source` says where each setting comes from; `answer_tokens` limits the answer alone, so that thinking is
    never cut short by it. `limit` is the published number of units, drawn from all; None takes all. `settings` are
    the values of the card's options, `subject` what a run asks of its subject beside. `words` says of each prompt that
    is put in other words which ones, by ROLE/TASK, `published` of each for which others' words were published where
    these stand, and `faithful` of those that are put in them where they are from. `variant` says in which of a
    benchmark's wordings and orders it is asked. `judge_weights` are what judges of a jury count by their roles, 1 where
    none is given.
    """

    sampling: Sampling
    answer_tokens: int | None = None
    samples: int = 1
    reading: Reading = "strict"
    roles: tuple[str, ...] = ("subject",)
    shuffle: bool = False
    limit: int | None = None
    judging: Judging | None = None
    settings: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    faithful: dict[str, str] = field(default_factory=dict)
    published: dict[str, str] = field(default_factory=dict)
    subject: SubjectSettings | None = None
    variant: Variant = FIRST
    judge_weights: dict[str, float] = field(default_factory=dict)
    source: str = ""


class Departure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One setting in which a run differs from the published protocol.

    One `by_default` is of every run without flags: that prompts are in our words.
    """

    setting: str
    published: str
    used: str
    by_default: bool = False

    @property
    def plain(self) -> str:
        """The deviation in words, but for the setting's name."""
        return f"{self.used} (published: {self.published})"


class InterimLook(Struct, frozen=True, kw_only=True):
    """One look at a claim: what had come in, the score, the score that decides, and p as of a test without looks."""

    units: int
    clusters: int
    difference: float
    score: float
    bound: float
    p: float


SequentialEnd = Literal["shown", "opposite", "vain", "open"]


class SequentialTest(Struct, frozen=True, kw_only=True):
    """A claim that a run was asked to decide, the looks at it, and how it ended.

    The claim is that `a` is above `b`, a model, or above `number`. `end` is "shown", "opposite" (it is below), "vain"
    (what is left could hardly show either: the chance was `hope`) or "open" (all was asked). `asked` and `most` count
    units. `difference` is median-unbiased; it, its interval and `p` know of all looks, in points of the metric (0–1 for
    shares).
    """

    claim: str
    metric: str
    a: str
    b: str | None = None
    number: float | None = None
    asked: int
    most: int
    planned: int
    looks: tuple[InterimLook, ...]
    end: SequentialEnd
    hope: float = 0.0
    p: float
    difference: float
    low: float
    high: float


class Metric(Struct, frozen=True, kw_only=True):
    """One metric: its name, unit of count, range and what it says.

    `title` is its head in the tables of its family, its name where it has none; one that is `aside` stands among all
    metrics alone. A `pressed` one is what pressure may lower, where a benchmark has any.

    One that is `judged` rests on a judge's verdicts, where a run has judges: a unit on one verdict, on `every` one of
    several (all must pass) or on `any` (one must). `shown` names the metric that is the share of its units which the
    judge decides; all of them where it names none. `unranked` says why groups are not put in order by it, in words.
    """

    name: str
    unit: str
    says: str
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "lower"] = "higher"
    title: str = ""
    aside: bool = False
    pressed: bool = False
    judged: Literal["", "verdict", "every", "any"] = ""
    shown: str = ""
    unranked: str = ""

    @property
    def head(self) -> str:
        """Title in a table."""
        return self.title or self.name


class Card(Struct, frozen=True, kw_only=True):
    """A benchmark's card; scores compare within the number of `version`, calls within its letter.

    Benchmarks with the same `draw` draw the same units when a limit is set; by default each draws its own. `thin` names
    the benchmark that asks for the labels of the same items alone, where this one asks for reasons too. Without
    `baselines` those that draw or pick an outcome have no part in it: that is no guess at an open answer. Roles that
    are `optional_roles` take part where a run names a model for them.
    """

    name: str
    title: str
    version: str
    measures: str
    not_measured: str
    source: str
    licence: str
    items: int
    units: int
    clusters: str
    headline: str
    protocol: Protocol
    metrics: tuple[Metric, ...]
    groups: tuple[str, ...]
    files: tuple[str, ...] = ()
    chance: float | None = None
    fingerprint: str = ""
    options: tuple[BenchmarkOption, ...] = ()
    draw: str = ""
    thin: str = ""
    baselines: bool = True
    optional_roles: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default_factory=tuple)

    @property
    def is_own(self) -> bool:
        """True of a benchmark that is after no other: its `source` begins with `own`."""
        return self.source.partition(";")[0].strip() == "own"

    @classmethod
    def read(cls, path: Path) -> "Card":
        """The card of a file.

        Raises:
            InputError: as for `of`.
        """
        return cls.of(read_toml(path), where=str(path))

    @classmethod
    def of(cls, data: dict[str, object], *, where: str) -> "Card":
        """The card of a table, its protocol with the defaults of its options, its metrics as the standard has them.

        Raises:
            InputError: a field is unknown, missing or of another kind, or there is no such standard metric.
        """
        if isinstance(listed := data.get("metrics"), list):
            shared = {"unit": data.pop("unit")} if "unit" in data else {}
            data["metrics"] = [_metric(entry, shared, where=where) for entry in listed]
        card = build(cls, data, where=where)
        defaults = {option.name: option.default for option in card.options}
        return replace(card, protocol=replace(card.protocol, settings={**defaults, **card.protocol.settings}))


def _metric(entry: object, shared: dict[str, object], *, where: str) -> object:
    """A metric of a card in full: what it says itself, else what its standard says, else what the whole card says."""
    own = {"standard": entry} if isinstance(entry, str) else entry
    if not isinstance(own, dict):
        return own
    key = own.get("standard")
    if key is None:
        return {**shared, **own}
    if key not in _standards():
        raise UnknownName("standard metric", str(key), _standards(), where=where)
    kept = {name: value for name, value in own.items() if name != "standard"}
    return {"name": key.rpartition("/")[2], **shared, **_standards()[key], **kept}


@cache
def _standards() -> dict[str, dict[str, object]]:
    return build(dict[str, dict[str, object]], read_toml(STANDARDS), where=STANDARDS.name)
