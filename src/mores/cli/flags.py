"""A verb as typer reads it: its flags out of a class of options, built when the verb is typed.

What a verb takes is the class that its function is annotated with; the class's first line is the verb's help. Options
that name a panel stand under it. Flags that had another name before are refused with the one they have now.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from importlib import import_module
from inspect import Parameter, Signature, get_annotations, getdoc, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand
from typer.main import get_command

from mores.runs.garbage import quiet_collector
from mores.runs.options import PANELS, NameArgument, PairArgument

OLD_FLAGS = {
    "--controls": "--control all",
    "--cultures": "--set cultures=N",
    "--judge-runs": "--judge-samples K",
    "--min-p": """--extra-body '{"min_p": P}', or min_p in STUDY.toml""",
    "--no-seed-endpoint": "the default",
    "--no-power-safe": "the default",
    "--pack": "--data DIR",
    "--park": "--batch DIR",
    "--park-as": "--batch-format FORMAT",
    "--power-safe": "full_sync = true under [conditions] in STUDY.toml",
    "--probes": "mores judge probe SPEC",
    "--protocol": "--set protocol=released",
    "--requests-per-minute": "requests_per_minute under [conditions] in STUDY.toml",
    "--seed-endpoint": "seed_endpoint = true in STUDY.toml",
    "--statistics": "mores doctor statistics",
    "--targets": "--limit N",
    "--tokens-per-minute": "tokens_per_minute under [conditions] in STUDY.toml",
    "--top-k": """--extra-body '{"top_k": K}', or top_k in STUDY.toml""",
    "--topics": "--set topics=FILE",
    "--wordings": "--prompt-variants K",
}
"""Flags of before, and what is typed now."""


class Command(TyperCommand):
    """A verb whose options stand in panels."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments as they are typed, and a word for the options."""
        words = (str(each.metavar) for each in self.get_params(ctx) if each.param_type_name == "argument")
        return [*words, "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options of each panel in the order of the panels."""
        panels: dict[str, list[tuple[str, str]]] = {name: [] for name in PANELS}
        parameters: list[Any] = self.get_params(ctx)
        for each in parameters:
            if each.param_type_name == "argument":
                panels["Arguments"].append((str(each.metavar), str(each.help)))
            elif each.name != "help":
                panels[each.rich_help_panel or "Options"].append(each.get_help_record(ctx))
        for name, records in panels.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def command_of(name: str, act: str) -> Any:
    """The command of a verb, which calls `act`, `module.function` of this room, with the options that were typed."""
    module, _, function = act.rpartition(".")
    with quiet_collector():
        acts = getattr(import_module(f"mores.cli.{module}"), function)
    options = options_of(acts)

    def call(**given: Any) -> None:
        acts(options(**given))

    parameters = [_parameter(each) for each in sorted(fields(options), key=lambda each: _depth(options, each.name))]
    # typer reads options from a signature, which stands for the fields of the class.
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name, cls=Command, help=getdoc(options))(call)
    return get_command(alone)


def options_of(acts: Callable[..., object]) -> type[Any]:
    """The class of options that a verb's function takes."""
    (taken,) = signature(acts).parameters
    kind: type[Any] = get_type_hints(acts)[taken]
    return kind


def _depth(options: type[Any], name: str) -> int:
    """The place of the class that declares an option: what is a verb's own stands before what it has from others."""
    return next(place for place, kind in enumerate(options.__mro__) if name in get_annotations(kind))


def _parameter(known: "Field[Any]") -> Parameter:
    says, flags, more = (known.metadata[name] for name in ("says", "flags", "more"))
    kind, must = _typed_as(known), known.default is MISSING or (known.metadata["flags"] is None and known.default == "")
    if flags is None:
        info = typer.Argument(help=says, **{"metavar": _argument_metavar(known.name, kind, must=must), **more})
    else:
        info = typer.Option(*flags, help=says, **{"metavar": _metavar(kind), **more})
    return Parameter(
        known.name,
        Parameter.KEYWORD_ONLY,
        annotation=Annotated[kind, info],
        default=Parameter.empty if must else known.default,
    )


def _argument_metavar(name: str, kind: Any, *, must: bool) -> str:
    """The name of an argument in a line of usage.

    >>> _argument_metavar("runs", list[Path], must=True), _argument_metavar("name", str, must=False)
    ('RUN…', '[NAME]')
    """
    several = {list[str], list[Path]} & {kind, *get_args(kind)}
    word = f"{name.removesuffix('s')}…".upper() if several else name.upper()
    return word if must else f"[{word}]"


def _metavar(kind: Any) -> str | None:
    """The value that stands for an option in help: its choices, or the kind that it is of; None where there is none."""
    kinds = (kind, *get_args(kind))
    chosen = next((get_args(each) for each in kinds if get_origin(each) is Literal), ())
    named = {Path: "PATH", list[Path]: "PATH", int: "N", float: "X", str: "TEXT", list[str]: "TEXT"}
    return "|".join(chosen) or next((name for each, name in named.items() if each in kinds), None)


def _typed_as(known: "Field[Any]") -> Any:
    """The type that a shell can give for a value that a program may give in other ways."""
    kind = known.metadata["typed"] or known.type
    if kind in {NameArgument, PairArgument, PairArgument | str}:
        return list[str] | None
    if {str, Path} <= set(get_args(kind)):
        return Path | None if type(None) in get_args(kind) else Path
    return str | None if kind == int | str | None else kind
