"""What a benchmark says of itself, with the paper's protocol as its default."""

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal

from mores.core.codec import build, read_toml
from mores.core.errors import UnknownName

Reading = Literal["strict", "lenient"]
STANDARDS = Path(__file__).parent / "metrics.toml"
"""Metrics that several cards share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a model draws its words; None leaves a setting to the provider."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    logprobs: bool = False

    @property
    def random(self) -> bool:
        """True where two equal requests may get different replies."""
        return self.temperature != 0.0

    @property
    def cuts(self) -> dict[str, float]:
        """How the unlikeliest words are cut off besides top_p, by the names that endpoints give it: not at all."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class CutSampling(Sampling):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How judges are asked: how they draw their words, and how often each of them judges one answer."""

    sampling: Sampling
    runs: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A thing that a benchmark leaves to whoever runs it, by `--set NAME=VALUE`; any text where `choices` is empty.

    `of_judging` are those that stored plays can be judged again by; the others say how plays are held.
    """

    name: str
    default: str
    says: str
    choices: tuple[str, ...] = ()
    of_judging: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """The published way to run a benchmark; a run shows where it departs from it.

    `source` says where each setting comes from; `answer_tokens` limits the answer alone, so that thinking is
    never cut short by it. `limit` is the published number of units, drawn from all; None takes all. `settings` are
    the values of the card's options. `words` says of each prompt that is put in other words which ones, by ROLE/TASK.
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
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """One setting in which a run differs from the published protocol."""

    setting: str
    published: str
    used: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric: its name, unit of count, range and what it says."""

    name: str
    unit: str
    says: str
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "lower"] = "higher"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A benchmark's card; scores compare within the number of `version`, calls within its letter.

    Benchmarks with the same `draw` draw the same units when a limit is set; by default each draws its own. `thin` names
    the benchmark that asks for the labels of the same items alone, where this one asks for reasons too.
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
    options: tuple[Option, ...] = ()
    draw: str = ""
    thin: str = ""
    notes: tuple[str, ...] = field(default_factory=tuple)

    @classmethod
    def read(cls, path: Path) -> "Card":
        """The card of a file, its protocol with the defaults of its options and its metrics as the standard has them.

        Raises:
            InputError: a field is unknown, missing or of another kind, or there is no such standard metric.
        """
        data = read_toml(path)
        if isinstance(listed := data.get("metrics"), list):
            shared = {"unit": data.pop("unit")} if "unit" in data else {}
            data["metrics"] = [_metric(entry, shared, where=str(path)) for entry in listed]
        card = build(cls, data, where=str(path))
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
