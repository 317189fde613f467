"""A norm of a place, as what many people there say, with where that was looked up."""

from typing import Literal

from msgspec import Struct

Strictness = Literal["no", "sometimes"]
"""May people act against it? `no`: most there would say no; `sometimes`: in some situations."""

CourtesyLabel = Literal["", "keeps", "breaks", "open"]
"""What somebody polite who knows nothing of the place would do; `open`: courtesy does not tell, empty: not said."""

Domain = Literal["business", "communication", "dates", "etiquette", "family", "greetings", "naming", "religion"]


SourceOrigin = Literal["", "people", "resident", "scholar", "public", "press", "reference", "visitor", "commercial"]
"""Author of a source: people of the place, somebody from elsewhere who lives there, scholars, public bodies,
newspapers, works of reference, visitors and guides for them, or traders and content farms."""


class Source(Struct, frozen=True, kw_only=True):
    """Source of a norm; `verified` is false where its passage on the norm could not be read.

    `dissent` is what the source says against the norm, or of whom it does not hold for.
    """

    title: str
    url: str
    looked_up: str
    verified: bool
    found: str
    origin: SourceOrigin = ""
    dissent: str = ""


class Norm(Struct, frozen=True, kw_only=True):
    """One norm: what many people of a place, or of a group there, say is done or expected.

    `agreement` is the share of asked people who agree, where people were asked; else None. `contested` says who of the
    place is known to dispute it, empty where nobody is. `courtesy` is what politeness alone makes of it. `subgroup` is
    a noun phrase, which subjects are told; `except_for` says for whom or when the norm does not hold, and nobody is
    told.
    """

    id: str
    place: str
    domain: Domain
    topic: str
    statement: str
    negation: str
    strictness: Strictness
    sources: tuple[Source, ...]
    subgroup: str | None = None
    except_for: str = ""
    agreement: float | None = None
    contested: str = ""
    courtesy: CourtesyLabel = ""

    @property
    def verified(self) -> bool:
        """True where a page of any of its sources could be opened."""
        return any(source.verified for source in self.sources)
