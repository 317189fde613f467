"""What a run's manifest says of how its figures were made: card, settings, data, models and what passed to them."""

from dataclasses import dataclass, field

from mores.core.card import Protocol
from mores.runs.spec import Departure


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """Which table of prices was used, the price of an input and an output token, and what the sitting had spent."""

    table: str = ""
    per_token: tuple[float, float] | None = None
    spent_so_far: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What went through the door to one model in the last sitting.

    `altered` says what its endpoint would not take, `neutral` which settings kept its server from drawing words by its
    own taste, `usage_doubted` why its counts of tokens were not believed, and for how many calls.
    """

    identity: str = ""
    sitting: dict[str, int] = field(default_factory=dict)
    altered: tuple[str, ...] = ()
    neutral: dict[str, float] = field(default_factory=dict)
    limit_lowered: int = 0
    price: Pricing | None = None
    usage_estimated_calls: int = 0
    usage_doubted: dict[str, int] = field(default_factory=dict)

    @property
    def cost(self) -> float | None:
        """US dollars of the last sitting's calls, at most (cached input counts in full); None without a price."""
        if self.price is None or self.price.per_token is None:
            return None
        into, out = self.price.per_token
        return self.sitting.get("input_tokens", 0) * into + self.sitting.get("output_tokens", 0) * out


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTrace:
    """Which state of a card a run was made with."""

    version: str
    fingerprint: str = ""
    source: str = ""
    items: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plays:
    """Plays that were planned and that ended."""

    asked: int = 0
    done: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What a cell's manifest says of how its figures were made; `data` maps file names to their SHA-256.

    `remarks` are what the benchmark says of this run, `judged` is the earlier run whose plays were judged again.
    """

    card: CardTrace
    protocol: Protocol
    departures: tuple[Departure, ...] = ()
    prompts: dict[str, str] = field(default_factory=dict)
    items: int
    roles: dict[str, str]
    facts: dict[str, str | None] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    models: dict[str, Passage] = field(default_factory=dict)
    failed_attempts: dict[str, int] = field(default_factory=dict)
    ungraded: dict[str, int] = field(default_factory=dict)
    plays: Plays = field(default_factory=Plays)
    remarks: tuple[str, ...] = ()
    judged: str | None = None
    seed: int = 0
    spec_hash: str = ""
    mores: str = ""
    git: str | None = None
    written: str = ""
    packages: dict[str, str] = field(default_factory=dict)
    machine: dict[str, str | int | None] = field(default_factory=dict)
