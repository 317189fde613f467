"""What can be typed after the verbs of `mores build` that ask no model."""

# ruff: noqa: RUF009 - `option` makes a field
from dataclasses import MISSING, dataclass
from pathlib import Path

from mores.cli.typed import AS_JSON
from mores.runs.options import argument, option


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedTownNorms:
    """Map norms to the kinds of location in town, with what was dropped and a datasheet."""

    source: str = option("pack, or a file: rows of CultureBank, or norms of your own.", "--from", default=MISSING)
    out: Path = option("New file of the norm base (.jsonl).", default=MISSING)
    data: Path | None = option("Folder of the file, or of another pack.")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedValues:
    """Say on which questions the people of which countries agree, out of a survey of values."""

    responses: Path = argument("Responses as the World Values Survey has them (CSV).", MISSING)
    out: Path = option("New file of the pairs (.csv).", default=MISSING)
    question: list[str] | None = option("Column of a question; repeatable; default: all called Q and a number.")
    together: list[str] | None = option("QUESTION=CODE,CODE: codes that count as one answer; repeatable.")
    threshold: float = option("Share above which people agree.", default=0.8)
    least: int = option("Respondents that a country needs.", default=100)
    country: str = option("Column of the country.", default="B_COUNTRY_ALPHA")
    weight: str = option("Column of weights; all count alike where it is not there.", default="W_WEIGHT")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedCheck:
    """Say whether questions can be answered without what they ask; exit 3 where a gate fails."""

    source: str = argument(
        "pack, a pack's folder, a folder of cultureforest, or a table of culturalbench, cure, socialcc.", MISSING
    )
    against: list[Path] | None = option("Table of a public benchmark that nothing may repeat; repeatable.")
    embed: str | None = option("sentence-transformers model, by folder or hub name: what is near to --against.")
    near: float = option("Cosine from which two texts are near.", default=0.95)
    seed: int = option("Seed of all random draws.", default=0)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedBlind:
    """Write a pack's masked items, without keys, as a sheet for people who do not know the place."""

    source: str = argument("pack, or a pack's folder.", MISSING)
    out: Path = option("New file of the sheet.", default=MISSING)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedReview:
    """Say what people's labels tell of questions or scenarios: what is as it should be, and how far people agree."""

    build: Path = argument("Folder of a build with a sheet for people (review.csv).", MISSING)
    labels: list[Path] = option("Filled-in sheet (review.csv); repeatable.", default=MISSING)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedDiff:
    """Say what changed from one version of a norm base to another."""

    one: Path = argument("Norm base (norms.jsonl).", MISSING)
    other: Path = argument("Another version of it.", MISSING)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedPack:
    """Copy a pack of norms with what people of its places said of them."""

    source: str = argument("pack, or the folder of another pack of norms.", MISSING)
    agreement: list[Path] = option("agreement.jsonl of a studio's export; repeatable.", default=MISSING)
    out: Path = option("New folder for the copy.", default=MISSING)
    json: bool = AS_JSON
