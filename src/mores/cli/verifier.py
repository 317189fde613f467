"""`mores judge verifier`: training, evaluation, calibration and use of trained verifiers."""

# ruff: noqa: RUF009 - `option` makes a field
import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Literal

import typer

from mores.analysis.verifiers import bins_of, calibration_blocks, reliability_chart
from mores.calibration.agreement import to_dict
from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.cli.build import BuildArgs, carry_out
from mores.cli.progress import carried_out
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.files import write_own
from mores.core.terminal_safety import print_error
from mores.models.similarity import Embedder, embedder_named
from mores.models.verifier_facts import STANDS
from mores.pipelines.duplicates import KeptVectors
from mores.pipelines.pipeline import BuildProgress, check_folder
from mores.pipelines.verifier.classifier import Start
from mores.pipelines.verifier.evaluate import (
    CARD,
    EvaluationSet,
    ReferenceRaters,
    calibrate,
    evaluate,
    pairs_of,
    sets_of,
)
from mores.pipelines.verifier.figures import PairSetMetrics
from mores.pipelines.verifier.predictions import judging_pipeline, predict
from mores.pipelines.verifier.train import KIND, Schedule, StoredVerifier, TrainingOptions, read_stored, train
from mores.reports.charts import RELIABILITY, risk_file
from mores.runs.options import NameArgument, argument, names_of, option
from mores.tables import formatting as words
from mores.tables.formatting import plural
from mores.tables.missing_texts import to_plain

JUDGES = "judges"


EMBED = option("sentence-transformers model, by folder or hub name, whose cosines are a reader set beside it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingArgs:
    """Train a verifier on pairs of a response and a norm, or continue, and measure it on held-out pairs."""

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
    """Evaluate a verifier beside its base, shortcut baselines and judges, and write the figures into its card."""

    folder: Path = argument("Folder of a verifier from mores judge verifier train.", MISSING)
    judge: NameArgument = option("Judge to set beside it; repeatable.")
    limit: int | None = option("Pairs of each set that judges are asked about, drawn by their names; default: all.")
    pairs: Path | None = option("File of labelled pairs to test it on besides (response, norm, label).")
    embed: str | None = EMBED
    base: bool = option("Set its untuned base beside it.", "--base/--no-base", default=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionArgs:
    """Label each pair of a response and a norm in a file, with a probability for each label."""

    verifier: str = argument("Folder of a verifier, or a causal model by folder or hub name.", MISSING)
    pairs: Path = argument("File of pairs (response, norm), CSV or JSON Lines.", MISSING)
    out: Path = option("New file (.csv or .jsonl).", default=MISSING)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierCalibrationArgs:
    """Fit the temperature of a trained verifier, and measure its reliability and its error rates."""

    folder: Path = argument("Folder of a verifier from mores judge verifier train.", MISSING)
    pairs: Path | None = option(
        "File of other labelled pairs (response, norm, label); default: those that its training held out."
    )
    json: bool = AS_JSON


def train_verifier(typed: TrainingArgs) -> None:
    """Train a verifier, or go on with one, and measure it.

    Raises:
        InputError: something typed cannot be used.
        typer.Exit: it was stopped before the end.
    """
    check_folder(typed.out, KIND)
    embedder = embedder_kept(typed.embed, typed.out)
    options = TrainingOptions(
        sources=tuple(typed.sources),
        labels=tuple(typed.labels or ()),
        sample=typed.sample,
        start=Start(base=typed.base, kind=typed.kind, lora=typed.lora, max_tokens=typed.max_length, seed=typed.seed),
        schedule=Schedule(
            epochs=typed.epochs, batch=typed.batch, rate=typed.learning_rate, save_every=typed.save_every
        ),
        held_out=typed.held_out,
        folds=typed.folds,
        embedder=embedder,
    )
    course = BuildProgress()
    if not asyncio.run(carried_out(course, asyncio.to_thread(train, options, typed.out, course))):
        print_error(f"Stopped; the same command goes on with {typed.out}.")
        raise typer.Exit(130)
    stored = read_stored(typed.out)
    _measure(stored, sets_of(stored), ReferenceRaters(embedder=embedder), json=typed.json)


def evaluate_verifier(typed: EvaluationArgs) -> None:
    """Measure a verifier beside others.

    Raises:
        InputError: something typed cannot be used.
        typer.Exit: a judge did not come to the end.
    """
    stored, judges = read_stored(typed.folder), names_of(typed.judge)
    sets = sets_of(stored, typed.pairs)
    judged = None
    if typed.dry and not judges:
        raise InputError("--dry: no judge is named, so nothing would be asked; name one with --judge.")
    if judges:
        pairs = pairs_of(sets, typed.limit)
        judged = typed.folder / JUDGES / digest([judges, sorted(pair.id for pair in pairs)])
        if carry_out(judging_pipeline(pairs, judges), judged, typed, lambda _: None) is None:
            return
    others = ReferenceRaters(base=typed.base, embedder=embedder_kept(typed.embed, typed.folder), judged=judged)
    _measure(stored, sets, others, json=typed.json)


def predict_pairs(typed: PredictionArgs) -> None:
    """Write what a verifier says of pairs.

    Raises:
        InputError: something typed cannot be used.
    """
    predictions = predict(typed.verifier, typed.pairs, typed.out)
    counts = Counter[str](each.label or "ungraded" for each in predictions)
    if typed.json:
        screen.print_json({"out": str(typed.out), "asked": len(predictions), "labels": counts})
        return
    tally = ", ".join(f"{counts[name]:,} {name}" for name in (*STANDS, "ungraded") if counts[name])
    screen.line(f"{typed.out}: {words.plural(len(predictions), 'pair')}; {tally}.")


def embedder_kept(name: str | None, folder: Path) -> Embedder | None:
    """The model of embeddings; what it gives is kept in the verifier's folder, as folds and figures need it again."""
    return None if name is None else KeptVectors(embedder_named(name, f"--embed {name}"), folder)


def _measure(stored: StoredVerifier, sets: Sequence[EvaluationSet], others: ReferenceRaters, *, json: bool) -> None:
    found = evaluate(stored, sets, others)
    if json:
        screen.print_json({"out": str(stored.folder), "sets": [to_dict(each) for each in found]})
        return
    for each in found:
        _print(each)
    screen.line(f"{stored.folder / CARD}: the verifier's card. In a run: --judge verifier/{stored.folder}.")


def _print(found: PairSetMetrics) -> None:
    labels = {"synthetic": "synthetic labels", "people": "labels of people", "file": "labels of a file"}[found.labels]
    screen.line(f"{found.name}: {found.pairs:,} pairs of {words.plural(found.clusters, 'question')}, {labels}.")
    rows = []
    for each in found.raters:
        whole = {one.metric: one for one in each.estimates(found.labels) if "class" not in one.group}
        cells = (f"{words.format_number(whole[name].value)} {words.format_interval(whole[name])}"
                 for name in ("accuracy", "f1_macro"))  # fmt: skip
        lead = "" if each.lead is None else f"{words.format_difference(each.lead)}, {words.format_p(each.lead.p)}"
        rows.append((each.rater, *cells, lead, f"{each.graded:,} of {each.asked:,}"))
    screen.table(("", "accuracy", "macro F1", "the verifier's lead", "graded"), rows)


PICTURE = "reliability.svg"


def calibrate_verifier(given: VerifierCalibrationArgs) -> None:
    """Calibrate a verifier, put the outcome and its picture into its folder, and say what it comes to.

    Raises:
        InputError: the folder or the pairs cannot be used.
        StorageError: the disk is full, read-only or gone.
    """
    found = calibrate(read_stored(given.folder), given.pairs)
    picture = given.folder / PICTURE
    write_own(picture, risk_file([reliability_chart(found.calibration)], RELIABILITY).encode())
    if given.json:
        screen.print_json({"folder": str(given.folder), "picture": str(picture), "found": to_plain(found)})
        return
    name = f"verifier/{given.folder}"
    screen.heading(name)
    screen.blocks(calibration_blocks(found.calibration, bins_of(name, found.calibration)))
    left = {"without probabilities": found.unscored, "of questions that it learnt from": found.learnt_from}
    for why, count in left.items():
        if count:
            screen.line(f"Left out: {plural(count, 'pair')} {why}.")
    screen.line(
        f"Picture: {picture}. It judges at this temperature from now on, and a ladder takes its sensitivity and "
        f"specificity; mores judge verifier evaluate {given.folder} puts them into its card."
    )
