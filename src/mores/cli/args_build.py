"""What can be typed after `mores build` and `mores verifier`."""

# ruff: noqa: RUF009 - `option` makes a field
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any, Literal

from mores.cli.args_run import AS_JSON, LABEL_COLUMNS
from mores.runs.options import ExecutionOptions, NameArgument, PairArgument, argument, as_of_run, option


def _out(name: str) -> Any:
    """Where a build stands, by default in a folder of this name."""
    return option("Folder of the build; the same command again goes on with it.", default=Path(name))


STRICT = option("Exit with 3 where a gate fails; the release is there all the same.", "--strict", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildArgs(ExecutionOptions):
    """After every `mores build` that asks models."""

    seed: int = option("Seed of all random draws.", default=0)
    base_url: PairArgument | str = as_of_run("base_url")
    dry: bool = option("Print the calls that it would make and their cost; ask nothing.", "--dry", default=False)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class NormsArgs(BuildArgs):
    """Make a norm base: import norms, drop duplicates, label strictness, negate and bundle; or go on with one."""

    sources: list[str] = argument("Files of norms, folders of packs, or pack for the bundled one.", MISSING)
    out: Path = _out("norms")
    role: PairArgument = option("ROLE=SPEC: labeller, labeller2, labeller3 for strictness, writer for negations.")
    against: list[Path] | None = option("Table of a public benchmark whose texts no norm may repeat; repeatable.")
    embed: str | None = option("sentence-transformers model, by folder or hub name: near duplicates and bundles.")
    near: float = option("Cosine from which two norms say the same.", default=0.95)
    pool: Literal["topic", "domain", "place"] = option(
        "What the norms of a bundle have in common beside their place.", default="topic"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsArgs(BuildArgs):
    """Make questions of three norms each, in CultureForest's form, checked by another model than writes them."""

    norms: Path = argument("Folder of a norm base with bundles, from mores build norms --embed.", MISSING)
    out: Path = _out("questions")
    role: PairArgument = option("ROLE=SPEC: writer, checker (another model), refiner; default: the writer refines.")
    against: list[Path] | None = option("Table of a public benchmark that gates hold questions against; repeatable.")
    limit: int | None = option("Make questions of so many bundles at most.")
    strict: bool = STRICT


@dataclass(frozen=True, slots=True, kw_only=True)
class SubgroupsArgs(BuildArgs):
    """Make personas, situations and yes/no questions of statements on subgroups, in SpecNorm's form."""

    source: str = argument("Norm base (its file or folder), a table of statements, a pack's folder, or pack.", MISSING)
    out: Path = _out("subgroups")
    role: PairArgument = option("ROLE=SPEC: writer, checker (another model), labeller of cues; default: the writer.")
    against: list[Path] | None = option("Table of a public benchmark whose texts no scene may repeat; repeatable.")
    limit: int | None = option("Make scenarios of so many statements at most.")
    strict: bool = STRICT


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicsArgs(BuildArgs):
    """Label norms or questions with CulturalBench's topics and CultureForest's domains, by a model you name."""

    source: Path = argument("Norm base (norms.jsonl), or a table of questions.", MISSING)
    out: Path = _out("topics")
    role: PairArgument = option("labeller=SPEC.")
    draws: int = option("How often each text is asked about; the share of draws is how sure a label is.", default=3)
    column: str = option("Of a table: its column of ids; rows of one id are one text.", "--id", default="question_idx")
    words: list[str] | None = option("Of a table: column of words; repeatable; default: prompt_question.")
    limit: int | None = option("Label so many texts at most.")


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderArgs(BuildArgs):
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
class DialoguesArgs(BuildArgs):
    """Make scenarios in SocialCC's form of customs and values, checked by another model than writes them."""

    norms: Path = argument("Folder of a norm base whose norms have domains.", MISSING)
    values: Path = argument("Table of values, each with its statement, or as mores build values writes it.", MISSING)
    wordings: Path | None = option(
        "Table of what the answers of mores build values say: question, codes, topic, statement."
    )
    against: list[Path] | None = option("Table of a public benchmark whose texts no situation may repeat; repeatable.")
    out: Path = _out("dialogues")
    role: PairArgument = option("ROLE=SPEC: writer, checker (another model).")
    per_place: int = option("Make so many scenarios of each place of values at most.", default=20)
    limit: int | None = option("Make so many scenarios at most.")
    strict: bool = STRICT


TypedBuilding = NormsArgs | TopicsArgs | QuestionsArgs | SubgroupsArgs | DialoguesArgs | LadderArgs
"""After a `mores build` that is a pipeline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TownNormsArgs:
    """Map norms to the kinds of location in town, with what was dropped and a datasheet."""

    source: str = option("pack, or a file: rows of CultureBank, or norms of your own.", "--from", default=MISSING)
    out: Path = option("New file of the norm base (.jsonl).", default=MISSING)
    data: Path | None = option("Folder of the file, or of another pack.")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuesArgs:
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
class CheckArgs:
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
class ReviewArgs:
    """Say what people's labels tell of questions or scenarios: what is as it should be, and how far people agree."""

    build: Path = argument("Folder of a build with a sheet for people (review.csv).", MISSING)
    labels: list[Path] = option("Filled-in sheet (review.csv); repeatable.", default=MISSING)
    columns: str | None = LABEL_COLUMNS
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class PackArgs:
    """Copy a pack of norms with what people of its places said of them."""

    source: str = argument("pack, or the folder of another pack of norms.", MISSING)
    agreement: list[Path] = option("agreement.jsonl of a studio's export; repeatable.", default=MISSING)
    out: Path = option("New folder for the copy.", default=MISSING)
    json: bool = AS_JSON


EMBED = option("sentence-transformers model, by folder or hub name, whose cosines are a reader set beside it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingArgs:
    """Train a verifier on pairs of a response and a norm, or go on with it, and measure it on what it has not seen."""

    sources: list[Path] = argument(
        "Folders of questions in CultureForest's layout, runs of cultureforest/hard, files of pairs.", MISSING
    )
    base: str = option("Model to start from, by folder or hub name.", default=MISSING)
    out: Path = option("Folder of the verifier; the same command again goes on with it.", default=Path("verifier"))
    labels: list[Path] | None = option("People's labels of the runs (CSV or JSON Lines); repeatable.")
    sample: Path | None = option("Folder of the sample that was labelled, for its ids.")
    kind: Literal["encoder", "causal"] | None = option("What the base is; default: what its configuration says.")
    lora: int = option("Train adapters of this rank, and leave the base as it is; 0: train all of it.", default=0)
    epochs: int = option("How often each pair is learnt from.", default=3)
    batch: int = option("Pairs that are learnt from together.", default=32)
    learning_rate: float | None = option(
        "Default: 5e-5 for encoders and 1e-5 for causal models; with --lora 5e-4 and 2e-4."
    )
    max_length: int = option(
        "Tokens of a pair at most, longer ones are left out; 0: what the base takes, 1,024 at most.", default=0
    )
    held_out: float = option("Share of the questions that nothing is learnt from.", default=0.1)
    folds: bool = option("Train besides without each model's responses, to test on them.", "--folds", default=False)
    embed: str | None = EMBED
    save_every: int = option("Steps after which all that is needed to go on is put on disk.", default=200)
    seed: int = option("Seed of all random draws.", default=0)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationArgs(BuildArgs):
    """Measure a verifier beside its base, simple readers and judges, and write the figures into its card."""

    folder: Path = argument("Folder of a verifier from mores judge verifier train.", MISSING)
    judge: NameArgument = option("Judge to set beside it; repeatable.")
    pairs: Path | None = option("File of labelled pairs to test it on besides (response, norm, label).")
    embed: str | None = EMBED
    base: bool = option("Set its untuned base beside it.", "--base/--no-base", default=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionArgs:
    """Say of each pair in a file how the response stands to the norm, with a probability for each label."""

    verifier: str = argument("Folder of a verifier, or a causal model by folder or hub name.", MISSING)
    pairs: Path = argument("File of pairs (response, norm), CSV or JSON Lines.", MISSING)
    out: Path = option("New file (.csv or .jsonl).", default=MISSING)
    json: bool = AS_JSON
