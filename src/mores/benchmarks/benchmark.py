"""A benchmark is a play: items are the script, `play` performs one, `judge` grades it, `summarise` counts.

The four are separate and stored in between, so one can judge again without playing again, and summarise again
without judging again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from typing import Protocol as Interface

from mores.benchmarks.ledger import Ledger
from mores.core.card import Card, Protocol
from mores.core.estimate import Estimate
from mores.core.item import Item
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.core.transcript import Transcript
from mores.core.verdict import Verdict
from mores.models.cast import Cast


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a run chose: where the data lies, the protocol as run, and the dice."""

    data: Path | None
    protocol: Protocol
    seed: Seed


class Outline(NamedTuple):
    """The calls of one play by role, and its tokens, guessed from the words and the limits."""

    calls: dict[str, int]
    input_tokens: int
    output_tokens: int


class Benchmark(Interface):
    """What every benchmark offers; `Any` stands for the family's own kind of item."""

    @property
    def card(self) -> Card:
        """What the benchmark says of itself."""
        ...

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All words it puts to models."""
        ...

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks on which `judge` gives a verdict each."""
        ...

    @property
    def affirmative(self) -> bool:
        """True where every question has an answer that says yes."""
        ...

    def outline(self, item: Any, setting: Setting) -> Outline:
        """What one play of an item will ask for, at most."""
        ...

    def sources(self, setting: Setting) -> dict[str, str]:
        """Where the items come from, and a hash of each: files, or a pack of norms."""
        ...

    def items(self, setting: Setting) -> Sequence[Item]:
        """All items, in the order of the data.

        Raises:
            InputError: a file is missing or malformed; the line says where.
        """
        ...

    async def play(self, item: Any, sample: int, cast: Cast, setting: Setting) -> Transcript:
        """What happened when the item was put to the cast; a failed call is an event, not an error."""
        ...

    async def judge(self, item: Any, transcript: Transcript, cast: Cast, setting: Setting) -> tuple[Verdict, ...]:
        """Verdicts on one transcript, one for each task."""
        ...

    def summarise(self, ledger: Ledger, setting: Setting) -> tuple[Estimate, ...]:
        """All figures, the headline first."""
        ...
