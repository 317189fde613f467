"""What can be typed after `mores build`."""

# ruff: noqa: RUF009 - `option` makes a field
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any, Literal

from mores.cli.typed import AS_JSON
from mores.runs.options import Carrying, Pairs, argument, as_of_run, option


def _out(name: str) -> Any:
    """Where a build stands, by default in a folder of this name."""
    return option("Folder of the build; the same command again goes on with it.", default=Path(name))


STRICT = option("Exit with 3 where a gate fails; the release is there all the same.", "--strict", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedBuild(Carrying):
    """After every `mores build` that asks models."""

    seed: int = option("Seed of all random draws.", default=0)
    base_url: Pairs | str = as_of_run("base_url")
    dry: bool = option("Print the calls that it would make and their cost; ask nothing.", "--dry", default=False)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedNorms(TypedBuild):
    """Make a norm base: import norms, drop duplicates, label strictness, negate and bundle; or go on with one."""

    sources: list[str] = argument("Files of norms, folders of packs, or pack for the bundled one.", MISSING)
    out: Path = _out("norms")
    role: Pairs = option("ROLE=SPEC: labeller, labeller2, labeller3 for strictness, writer for negations.")
    against: list[Path] | None = option("Table of a public benchmark whose texts no norm may repeat; repeatable.")
    embed: str | None = option("sentence-transformers model, by folder or hub name: near duplicates and bundles.")
    near: float = option("Cosine from which two norms say the same.", default=0.95)
    pool: Literal["topic", "domain", "place"] = option(
        "What the norms of a bundle have in common beside their place.", default="topic"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedQuestions(TypedBuild):
    """Make questions of three norms each, in CultureForest's form, checked by another model than writes them."""

    norms: Path = argument("Folder of a norm base with bundles, from mores build norms --embed.", MISSING)
    out: Path = _out("questions")
    role: Pairs = option("ROLE=SPEC: writer, checker (another model), refiner; default: the writer refines.")
    against: list[Path] | None = option("Table of a public benchmark that gates hold questions against; repeatable.")
    limit: int | None = option("Make questions of so many bundles at most.")
    strict: bool = STRICT


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedSubgroups(TypedBuild):
    """Make personas, situations and yes/no questions of statements on subgroups, in SpecNorm's form."""

    source: str = argument("Norm base (its file or folder), a table of statements, a pack's folder, or pack.", MISSING)
    out: Path = _out("subgroups")
    role: Pairs = option("ROLE=SPEC: writer, checker (another model), labeller of cues; default: the writer.")
    against: list[Path] | None = option("Table of a public benchmark whose texts no scene may repeat; repeatable.")
    limit: int | None = option("Make scenarios of so many statements at most.")
    strict: bool = STRICT


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedTopics(TypedBuild):
    """Label norms or questions with CulturalBench's topics and CultureForest's domains, by a model you name."""

    source: Path = argument("Norm base (norms.jsonl), or a table of questions.", MISSING)
    out: Path = _out("topics")
    role: Pairs = option("labeller=SPEC.")
    draws: int = option("How often each text is asked about; the share of draws is how sure a label is.", default=3)
    column: str = option("Of a table: its column of ids; rows of one id are one text.", "--id", default="question_idx")
    words: list[str] | None = option("Of a table: column of words; repeatable; default: prompt_question.")
    limit: int | None = option("Label so many texts at most.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedLadder(TypedBuild):
    """Make a pack of norms with items of all rungs, checked by another model than writes them."""

    norms: str = option(
        "Norm base, table of CultureBank, CultureAtlas, NormAd's rules or your own, a pack's folder, or pack.",
        default=MISSING,
    )
    writer: str = option("Model that writes the items.", default=MISSING)
    checker: str = option("Another model, which checks them.", default=MISSING)
    out: Path = _out("ladder")
    against: list[Path] | None = option("Table of a public benchmark that gates hold items against; repeatable.")
    limit: int | None = option("Make items of so many norms at most.")
    strict: bool = STRICT


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedDialogues(TypedBuild):
    """Make scenarios in SocialCC's form of customs and values, checked by another model than writes them."""

    norms: Path = argument("Folder of a norm base whose norms have domains.", MISSING)
    values: Path = argument("Table of values, each with its statement, or as mores build values writes it.", MISSING)
    wordings: Path | None = option(
        "Table of what the answers of mores build values say: question, codes, topic, statement."
    )
    against: list[Path] | None = option("Table of a public benchmark whose texts no situation may repeat; repeatable.")
    out: Path = _out("dialogues")
    role: Pairs = option("ROLE=SPEC: writer, checker (another model).")
    per_place: int = option("Make so many scenarios of each place of values at most.", default=20)
    limit: int | None = option("Make so many scenarios at most.")
    strict: bool = STRICT


TypedBuilding = TypedNorms | TypedTopics | TypedQuestions | TypedSubgroups | TypedDialogues | TypedLadder
"""After a `mores build` that is a pipeline."""
