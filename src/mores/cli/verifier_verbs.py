"""The verbs of verifiers: train one, measure it, and let it say how responses stand to norms."""

import typer

from mores.cli.typed_verifier import TypedEvaluation, TypedPrediction, TypedTraining
from mores.cli.verbs import verb

verifier_app = typer.Typer(
    help="Train models that say whether a response keeps to a norm: mores verifier train, evaluate, predict.",
    rich_markup_mode=None,
)


def _train(options: TypedTraining) -> None:
    """Train a verifier on pairs of a response and a norm, or go on with it, and measure it on what it has not seen."""
    from mores.cli.verifying import train_verifier  # noqa: PLC0415

    train_verifier(options)


def _evaluate(options: TypedEvaluation) -> None:
    """Measure a verifier beside its base, simple readers and judges, and write the figures into its card."""
    from mores.cli.verifying import evaluate_verifier  # noqa: PLC0415

    evaluate_verifier(options)


def _predict(options: TypedPrediction) -> None:
    """Say of each pair in a file how the response stands to the norm, with a probability for each label."""
    from mores.cli.verifying import predict_pairs  # noqa: PLC0415

    predict_pairs(options)


verb(verifier_app, TypedTraining, _train, "train")
verb(verifier_app, TypedEvaluation, _evaluate, "evaluate")
verb(verifier_app, TypedPrediction, _predict, "predict")


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.add_typer(verifier_app, name="verifier")
