"""What can be typed after the verbs of verifiers."""

# ruff: noqa: RUF009 - `option` makes a field
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Literal

from mores.cli.typed import AS_JSON
from mores.cli.typed_builds import TypedBuild
from mores.runs.options import Names, argument, option

EMBED = option("sentence-transformers model, by folder or hub name, whose cosines are a reader set beside it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedTraining:
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
class TypedEvaluation(TypedBuild):
    """Measure a verifier beside its base, simple readers and judges, and write the figures into its card."""

    folder: Path = argument("Folder of a verifier from mores verifier train.", MISSING)
    judge: Names = option("Judge to set beside it; repeatable.")
    pairs: Path | None = option("File of labelled pairs to test it on besides (response, norm, label).")
    embed: str | None = EMBED
    base: bool = option("Set its untuned base beside it.", "--base/--no-base", default=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedPrediction:
    """Say of each pair in a file how the response stands to the norm, with a probability for each label."""

    verifier: str = argument("Folder of a verifier, or a causal model by folder or hub name.", MISSING)
    pairs: Path = argument("File of pairs (response, norm), CSV or JSON Lines.", MISSING)
    out: Path = option("New file (.csv or .jsonl).", default=MISSING)
    json: bool = AS_JSON
