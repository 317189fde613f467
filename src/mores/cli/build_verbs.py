"""The verbs that build data sets: norm bases, topics, questions, scenarios, and what is checked of them."""

from pathlib import Path
from typing import Annotated

import typer

from mores.cli.typed_builds import (
    TypedBuilding,
    TypedDialogues,
    TypedLadder,
    TypedNorms,
    TypedQuestions,
    TypedSubgroups,
    TypedTopics,
)
from mores.cli.verbs import JsonFlag, verb

build_app = typer.Typer(help="Build data sets from other data.", rich_markup_mode=None)


@build_app.command("town-norms")
def build_town_norms_(
    source: Annotated[str, typer.Option("--from", help="pack, or a file: rows of CultureBank, or norms of your own.")],
    out: Annotated[Path, typer.Option(help="New file of the norm base (.jsonl).")],
    data: Annotated[Path | None, typer.Option(help="Folder of the file, or of another pack.")] = None,
    json: JsonFlag = False,
) -> None:
    """Map norms to the kinds of location in town, with what was dropped and a datasheet."""
    from mores.cli.building import build_town_norms  # noqa: PLC0415

    build_town_norms(source, data, out, json=json)


def _build(options: TypedBuilding) -> None:
    from mores.cli.making import build_typed  # noqa: PLC0415

    build_typed(options)


_CHECKED = "checked by another model than writes them."
_MADE: dict[str, tuple[type[TypedBuilding], str]] = {
    "norms": (
        TypedNorms,
        "Make a norm base: import norms, drop duplicates, label strictness, negate and bundle; or go on with one.",
    ),
    "topics": (
        TypedTopics,
        "Label norms or questions with CulturalBench's topics and CultureForest's domains, by a model you name.",
    ),
    "questions": (TypedQuestions, f"Make questions of three norms each, in CultureForest's form, {_CHECKED}"),
    "subgroups": (
        TypedSubgroups,
        "Make personas, situations and yes/no questions of statements on subgroups, in SpecNorm's form.",
    ),
    "dialogues": (TypedDialogues, f"Make scenarios in SocialCC's form of customs and values, {_CHECKED}"),
    "ladder": (TypedLadder, f"Make a pack of norms with items of all rungs, {_CHECKED}"),
}
for _name, (_options, _says) in _MADE.items():
    verb(build_app, _options, _build, _name, _says)


@build_app.command("values")
def build_values_(  # noqa: PLR0913, PLR0917
    responses: Annotated[Path, typer.Argument(help="Responses as the World Values Survey has them (CSV).")],
    out: Annotated[Path, typer.Option(help="New file of the pairs (.csv).")],
    question: Annotated[
        list[str] | None, typer.Option(help="Column of a question; repeatable; default: all called Q and a number.")
    ] = None,
    together: Annotated[
        list[str] | None, typer.Option(help="QUESTION=CODE,CODE: codes that count as one answer; repeatable.")
    ] = None,
    threshold: Annotated[float, typer.Option(help="Share above which people agree.")] = 0.8,
    least: Annotated[int, typer.Option(help="Respondents that a country needs.")] = 100,
    country: Annotated[str, typer.Option(help="Column of the country.")] = "B_COUNTRY_ALPHA",
    weight: Annotated[str, typer.Option(help="Column of weights; all count alike where it is not there.")] = "W_WEIGHT",
    json: JsonFlag = False,
) -> None:
    """Say on which questions the people of which countries agree, out of a survey of values."""
    from mores.cli.values import build_values, grouped  # noqa: PLC0415
    from mores.pipelines.values.consensus import Wish  # noqa: PLC0415

    wish = Wish(
        source=responses,
        questions=tuple(question or ()),
        together=grouped(together or ()),
        threshold=threshold,
        least=least,
        country=country,
        weight=weight,
    )
    build_values(wish, out, json=json)


@build_app.command("check")
def build_check(
    source: Annotated[
        str,
        typer.Argument(
            help="pack, a pack's folder, a folder of cultureforest, or a table of culturalbench, cure, socialcc."
        ),
    ],
    against: Annotated[
        list[Path] | None, typer.Option(help="Table of a public benchmark that nothing may repeat; repeatable.")
    ] = None,
    embed: Annotated[
        str | None, typer.Option(help="sentence-transformers model, by folder or hub name: what is near to --against.")
    ] = None,
    near: Annotated[float, typer.Option(help="Cosine from which two texts are near.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of all random draws.")] = 0,
    json: JsonFlag = False,
) -> None:
    """Say whether questions can be answered without what they ask; exit 3 where a gate fails."""
    from mores.cli.gates import check_questions  # noqa: PLC0415

    check_questions(source, against or (), embed, near, seed=seed, json=json)


@build_app.command("blind")
def build_blind(
    source: Annotated[str, typer.Argument(help="pack, or a pack's folder.")],
    out: Annotated[Path, typer.Option(help="New file of the sheet.")],
    json: JsonFlag = False,
) -> None:
    """Write a pack's masked items, without keys, as a sheet for people who do not know the place."""
    from mores.cli.gates import write_blind_sheet  # noqa: PLC0415

    write_blind_sheet(source, out, json=json)


@build_app.command("review")
def build_review(
    build: Annotated[Path, typer.Argument(help="Folder of a build with a sheet for people (review.csv).")],
    labels: Annotated[list[Path], typer.Option(help="Filled-in sheet (review.csv); repeatable.")],
    json: JsonFlag = False,
) -> None:
    """Say what people's labels tell of questions or scenarios: what is as it should be, and how far people agree."""
    from mores.cli.reviewing import review_build  # noqa: PLC0415

    review_build(build, labels, json=json)


@build_app.command("diff")
def build_diff(
    one: Annotated[Path, typer.Argument(help="Norm base (norms.jsonl).")],
    other: Annotated[Path, typer.Argument(help="Another version of it.")],
    json: JsonFlag = False,
) -> None:
    """Say what changed from one version of a norm base to another."""
    from mores.cli.making import compare_bases  # noqa: PLC0415

    compare_bases(one, other, json=json)


@build_app.command("pack")
def build_pack(
    source: Annotated[str, typer.Argument(help="pack, or the folder of another pack of norms.")],
    agreement: Annotated[list[Path], typer.Option(help="agreement.jsonl of a studio's export; repeatable.")],
    out: Annotated[Path, typer.Option(help="New folder for the copy.")],
    json: JsonFlag = False,
) -> None:
    """Copy a pack of norms with what people of its places said of them."""
    from mores.cli.packing import build_pack as packed  # noqa: PLC0415

    packed(source, agreement, out, json=json)


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.add_typer(build_app, name="build")
