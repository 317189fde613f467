"""Verbs made from dataclasses of options: what can be typed is declared once, and what a verb does is imported late."""

from dataclasses import MISSING, Field, fields
from importlib import import_module
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer

from mores.cli.plainly import typed_as
from mores.runs.options import BatchOptions, ExecutionOptions


def verb(app: typer.Typer, name: str, options: type[Any], act: str) -> None:
    """Have a verb read its options, whose words are its help; `act`, `module.function` of this room, acts on them."""
    module, function = act.split(".")

    def typed(**given: Any) -> None:
        getattr(import_module(f"mores.cli.{module}"), function)(options(**given))

    parameters = [_parameter(each) for each in sorted(fields(options), key=_place)]
    typed.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    typed.__annotations__ = {each.name: each.annotation for each in parameters}
    typed.__doc__ = options.__doc__
    app.command(name)(typed)


def _place(known: "Field[Any]") -> tuple[bool, bool, bool]:
    """Arguments first, how a run is carried out after what it is, and last how it is told."""
    return (
        known.metadata["flags"] is not None,
        known.name in {**ExecutionOptions.__annotations__, **BatchOptions.__annotations__},
        known.name in {"full", "json"},
    )


def _parameter(known: "Field[Any]") -> Parameter:
    says, flags, more = (known.metadata[name] for name in ("says", "flags", "more"))
    info = typer.Argument(help=says, **more) if flags is None else typer.Option(*flags, help=says, **more)
    must = known.default is MISSING or (flags is None and known.default == "")
    return Parameter(
        known.name,
        Parameter.KEYWORD_ONLY,
        annotation=Annotated[typed_as(known), info],
        default=Parameter.empty if must else known.default,
    )
