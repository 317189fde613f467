"""A pack of norms in which no gate of the ladder finds anything, for one flaw to be planted in."""

import dataclasses
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np

from mores.core.norm import Norm, Source
from mores.norms.items import ExplainItem, JudgeItem, KnowItem, LiveItem, SceneLabel, Statement
from mores.norms.pack import ApplyItem, BundleNorm, FirstNames, Pack, PackNorm, load_pack

TINY = Path(__file__).parents[1] / "benchmarks" / "tiny" / "ladder"
PLACES = {"JP": "Japan", "BR": "Brazil", "TR": "Turkey", "PE": "Peru", "PL": "Poland", "NG": "Nigeria"}
DOMAINS = ("business", "communication", "dates", "etiquette", "family", "greetings", "naming", "religion")
LABELS: tuple[tuple[SceneLabel, SceneLabel, Literal["yes", "no"]], ...] = (
    ("yes", "no", "no"), ("no", "neutral", "yes"), ("neutral", "yes", "no"), ("no", "yes", "yes"),
    ("yes", "neutral", "yes"), ("neutral", "no", "no"), ("yes", "no", "no"), ("no", "yes", "no"),
    ("no", "neutral", "yes"), ("yes", "neutral", "yes"),
)  # fmt: skip
SEED = 1
COURTESY = ("breaks", "keeps", "open", "breaks", "keeps", "open", "breaks", "open", "breaks", "keeps")
_WORDS = [f"{a}{b}" for a in ("bal", "dor", "fen", "gul", "hup", "jin", "kam") for b in ("it", "ok", "ar", "us", "eb")]


class _Dice:
    """Words that mean nothing and right answers, drawn alike for all."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(SEED)

    def words(self, count: int) -> str:
        return " ".join(self.rng.choice(_WORDS, count, replace=False))


T = TypeVar("T")


def replace(value: T, **fields: Any) -> T:
    """The same noun with other fields, be it a struct or a dataclass."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(value, **fields)
    return dataclasses.replace(value, **fields)  # type: ignore[type-var]


def clean_pack() -> Pack:
    """Ten norms of each of six places, with two items on know and judge and three bundles a place."""
    dice = _Dice()
    norms = tuple(_norm(dice, place, number) for place in PLACES for number in range(10))
    return Pack(
        id="planted", name="planted", version="1", norms=norms, fingerprint="",
        bundles=tuple(_bundle(dice, place, number) for place in PLACES for number in range(3)),
        names={place: FirstNames(female=(f"Ana{place.lower()}",), male=(f"Bo{place.lower()}",)) for place in PLACES},
    )  # fmt: skip


def planted(pack: Pack, number: int, **fields: object) -> Pack:
    """The pack with other fields of one norm's entry."""
    norms = list(pack.norms)
    norms[number] = replace(norms[number], **fields)
    return replace(pack, norms=tuple(norms))


def _norm(dice: _Dice, place: str, number: int) -> PackNorm:
    name, (one, other, explained) = PLACES[place], LABELS[number]
    who = f"Ana{place.lower()}"
    talk = load_pack(TINY).norms[0].converse
    assert talk is not None
    return PackNorm(
        norm=Norm(
            id=f"{place}-{DOMAINS[number % 8]}-{number}", place=place, domain=DOMAINS[number % 8],  # type: ignore[arg-type]
            topic=f"topic {number}", statement=f"In {name}, many people {dice.words(9)}.", negation=dice.words(9),
            strictness="sometimes", courtesy=COURTESY[number],  # type: ignore[arg-type]
            subgroup="people of the coast" if number == 3 else None,
            sources=(_source("public"), _source("visitor" if number == 0 else "people")),
        ),
        know=tuple(
            KnowItem(
                question=f"What is done in {name}, {dice.words(4)}?",
                options=tuple(
                    Statement(text=dice.words(6), true=bool(at == true), elsewhere="KR" * int(at == (true + 1) % 4))
                    for at in range(4)
                ),
            )
            for true in dice.rng.integers(4, size=2)
        ),
        judge=tuple(
            JudgeItem(
                story=f"{who} is in {name}. {dice.words(24)}", question=f"Was what {who} did fine?", label=label,
                why=dice.words(5), unmet="It is another day." if label == "neutral" else "",
                local=at > 0 or number > 2,
            )
            for at, label in enumerate((one, other))
        ),
        explain=ExplainItem(
            story=f"{who} is in {name}. {dice.words(24)}", question="Was it?", label=explained, reference=dice.words(9),
            elements=(dice.words(3), dice.words(3)), thin=dice.words(5), local=number not in {4, 6},
        ),
        converse=replace(
            talk, scene=f"{talk.scene} {name} is near.", proposal=f"Suggest to {dice.words(6)}.",
            other=replace(talk.other, local=number % 2 == 0), harmless=number in (1, 4, 7, 8),
        ),
        live=LiveItem(kind="park", task=f"see to {dice.words(4)}"),
        masked={name: "the country", who: "Sam", "Hal": "Kim", "Ida": "Max", "Germany": "the country"},
    )  # fmt: skip


def _source(origin: str) -> Source:
    return Source(
        title="Made up", url="https://example.org/a", looked_up="2026-11-23", verified=False, found="Nothing.",
        origin=origin,  # type: ignore[arg-type]
    )  # fmt: skip


def _bundle(dice: _Dice, place: str, number: int) -> ApplyItem:
    held = [f"{place}-{DOMAINS[at % 8]}-{at}" for at in range(3 * number, 3 * number + 3)]
    return ApplyItem(
        id=f"{place}-day-{number}", question=f"In {PLACES[place]}, {dice.words(20)}?", day=f"Get {dice.words(4)} done.",
        norm=tuple(BundleNorm(id=norm, satisfied="Do.", neutral="Wait.", violated="Rest.") for norm in held),
        masked={PLACES[place]: "the country"},
    )  # fmt: skip
