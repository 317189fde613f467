"""A norm of a place, as what many people there say, with where that was looked up."""

from dataclasses import dataclass
from typing import Literal

Strictness = Literal["no", "sometimes"]
"""May people act against it? `no`: most there would say no; `sometimes`: in some situations."""

Domain = Literal["business", "communication", "dates", "etiquette", "family", "greetings", "naming", "religion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a norm was looked up; `verified` is false where no page could be opened."""

    title: str
    url: str
    looked_up: str
    verified: bool
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    """One norm: what many people of a place, or of a group there, say is done or expected.

    `agreement` is the share of asked people who agree, where people were asked; else None.
    """

    id: str
    place: str
    domain: Domain
    topic: str
    statement: str
    negation: str
    strictness: Strictness
    source: Source
    subgroup: str | None = None
    agreement: float | None = None
