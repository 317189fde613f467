"""The verbs that hold judges against people: agreement, calibrate, correct."""

from typing import Any

import typer
from typer.core import TyperGroup

from mores.cli.typed_labels import (
    TypedAgreement,
    TypedCorrection,
    TypedSample,
    TypedSelecting,
    TypedSets,
    TypedSimulation,
    TypedUse,
    TypedVerifierCalibration,
    TypedWeights,
)
from mores.cli.verbs import verb


class OfRuns(TyperGroup):
    """A group in which `mores agreement RUN` stands for `mores agreement of RUN`."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any) -> Any:
        """The context of the command that is named, or of the one on runs."""
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            return self.commands["of"].make_context("of", args, *rest, **more)
        return super().make_context(info_name, args, *rest, **more)


def _agree(typed: TypedAgreement) -> None:
    """How far judges agree with people, and people with each other."""
    from mores.cli.agreement import agree  # noqa: PLC0415

    agree(typed)


def _weigh(typed: TypedWeights) -> None:
    """What each judge of a jury should count, by people's labels or by the other judges."""
    from mores.cli.weighing import weigh  # noqa: PLC0415

    weigh(typed)


def _draw(typed: TypedSample) -> None:
    """Draw a sample for people to label: a work list without model and verdict, its splits frozen beside it."""
    from mores.cli.sampling import draw  # noqa: PLC0415

    draw(typed)


def _simulate(typed: TypedSimulation) -> None:
    """Labels of simulated people with planted errors, for trying things out on a simulated run."""
    from mores.cli.sampling import simulate  # noqa: PLC0415

    simulate(typed)


def _correct(typed: TypedCorrection) -> None:
    """What judges' means would be if people had judged, always beside the uncorrected ones."""
    from mores.cli.correcting import correct  # noqa: PLC0415

    correct(typed)


def _calibrate_sets(typed: TypedSets) -> None:
    """Certify how many draws of a judge to keep so that the right judgement is among them, at each level of risk."""
    from mores.cli.calibrating import calibrate_sets  # noqa: PLC0415

    calibrate_sets(typed)


def _calibrate_trust(typed: TypedSelecting) -> None:
    """Certify from which confidence a judge's decisions may stand; the rest goes to people."""
    from mores.cli.calibrating import calibrate_trust  # noqa: PLC0415

    calibrate_trust(typed)


def _calibrate_verifier(typed: TypedVerifierCalibration) -> None:
    """Fit the temperature of a trained verifier, and measure how reliable it is and how often it errs."""
    from mores.cli.calibrating_verifiers import calibrate_verifier  # noqa: PLC0415

    calibrate_verifier(typed)


def _apply(typed: TypedUse) -> None:
    """Put certificates to use on another run: what is decided, and a work list of what goes to people."""
    from mores.cli.calibrating import apply_certificates  # noqa: PLC0415

    apply_certificates(typed)


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    agreement = typer.Typer(
        cls=OfRuns,
        help="Check judges against people's labels: mores agreement RUN --labels FILE; draw samples to label.",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    verb(agreement, TypedAgreement, _agree, "of")
    verb(agreement, TypedWeights, _weigh, "weights")
    verb(agreement, TypedSample, _draw, "sample")
    verb(agreement, TypedSimulation, _simulate, "simulate")
    calibrate = typer.Typer(
        help="Certify judges (sets of draws that contain the right judgement, decisions that need no check by people), "
        "and calibrate trained verifiers.",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    verb(calibrate, TypedSets, _calibrate_sets, "clm")
    verb(calibrate, TypedSelecting, _calibrate_trust, "selective")
    verb(calibrate, TypedUse, _apply, "apply")
    verb(calibrate, TypedVerifierCalibration, _calibrate_verifier, "verifier")
    app.add_typer(agreement, name="agreement")
    app.add_typer(calibrate, name="calibrate")
    verb(app, TypedCorrection, _correct, "correct")
