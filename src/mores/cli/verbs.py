"""Verbs made from dataclasses of options, so that what can be typed is declared where it is used."""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from inspect import Parameter, Signature
from typing import Annotated, Any, TypeVar

import typer

from mores.cli.plainly import typed_as
from mores.runs.options import Carrying, Parking

T = TypeVar("T")
JsonFlag = Annotated[
    bool, typer.Option("--json", help="One JSON object on standard output, everything else on standard error.")
]


def verb(app: typer.Typer, options: type[T], act: Callable[[T], None], name: str, says: str | None = None) -> None:
    """Have a verb read its options and act on them; `act` says what it is for, unless it `says` so here."""

    def typed(**given: Any) -> None:
        act(options(**given))

    every = sorted(fields(options), key=_place)  # type: ignore[arg-type]
    parameters = [_parameter(each) for each in every]
    typed.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    typed.__annotations__ = {each.name: each.annotation for each in parameters}
    typed.__doc__ = says or act.__doc__
    app.command(name)(typed)


def _place(known: "Field[Any]") -> tuple[bool, bool, bool]:
    """Arguments first, how a run is carried out after what it is, and last how it is told."""
    return (
        known.metadata["flags"] is not None,
        known.name in {**Carrying.__annotations__, **Parking.__annotations__},
        known.name in {"full", "json"},
    )


def _parameter(known: "Field[Any]") -> Parameter:
    says, flags = known.metadata["says"], known.metadata["flags"]
    info = typer.Argument(help=says) if flags is None else typer.Option(*flags, help=says)
    must = known.default is MISSING or (flags is None and known.default == "")
    return Parameter(
        known.name,
        Parameter.KEYWORD_ONLY,
        annotation=Annotated[typed_as(known), info],
        default=Parameter.empty if must else known.default,
    )
