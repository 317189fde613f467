"""`mores verifier`: a training or a measurement from what was typed to what is shown."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import typer

from mores.calibration.agreement import to_dict
from mores.cli import screen
from mores.cli.args_build import EvaluationArgs, PredictionArgs, TrainingArgs
from mores.cli.build import carry_out
from mores.cli.progress import carried_out
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.terminal_safety import print_error
from mores.models.similarity import SentenceEmbedder, embedder_named
from mores.models.verifier_facts import STANDS
from mores.pipelines.pipeline import BuildProgress
from mores.pipelines.verifier.classifier import Start
from mores.pipelines.verifier.evaluate import CARD, EvaluationSet, ReferenceRaters, evaluate, pairs_of, sets_of
from mores.pipelines.verifier.figures import PairSetMetrics
from mores.pipelines.verifier.predictions import judging_pipeline, predict
from mores.pipelines.verifier.train import Schedule, StoredVerifier, TrainingOptions, read_stored, train
from mores.runs.options import names_of
from mores.tables import formatting as words

JUDGES = "judges"


def train_verifier(typed: TrainingArgs) -> None:
    """Train a verifier, or go on with one, and measure it.

    Raises:
        InputError: something typed cannot be used.
        typer.Exit: it was stopped before the end.
    """
    embedder = _embedder(typed.embed)
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
        pairs = pairs_of(sets)
        judged = typed.folder / JUDGES / digest([judges, sorted(pair.id for pair in pairs)])
        if carry_out(judging_pipeline(pairs, judges), judged, typed, lambda _: None) is None:
            return
    others = ReferenceRaters(base=typed.base, embedder=_embedder(typed.embed), judged=judged)
    _measure(stored, sets, others, json=typed.json)


def predict_pairs(typed: PredictionArgs) -> None:
    """Write what a verifier says of pairs.

    Raises:
        InputError: something typed cannot be used.
    """
    said = predict(typed.verifier, typed.pairs, typed.out)
    counts = Counter[str](each.label or "ungraded" for each in said)
    if typed.json:
        screen.print_json({"out": str(typed.out), "asked": len(said), "labels": counts})
        return
    told = ", ".join(f"{counts[name]:,} {name}" for name in (*STANDS, "ungraded") if counts[name])
    screen.line(f"{typed.out}: {words.plural(len(said), 'pair')}; {told}.")


def _embedder(name: str | None) -> SentenceEmbedder | None:
    return None if name is None else embedder_named(name, f"--embed {name}")


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
        whole = {one.metric: one for one in each.estimates(found.pairs, found.labels) if "class" not in one.group}
        cells = (f"{words.format_number(whole[name].value)} {words.format_interval(whole[name])}"
                 for name in ("accuracy", "f1_macro"))  # fmt: skip
        lead = "" if each.lead is None else f"{words.format_difference(each.lead)}, {words.format_p(each.lead.p)}"
        rows.append((each.rater, *cells, lead, f"{each.graded:,}"))
    screen.table(("", "accuracy", "macro F1", "the verifier's lead", "n"), rows)
