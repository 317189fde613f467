"""`mores build town-norms`: norms mapped to the kinds of place in town, by a word list or by a model."""

# ruff: noqa: RUF009 - `option` makes a field
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

from mores.benchmarks.liveculture import norm_mapping
from mores.benchmarks.liveculture.norm_mapping import Datasheet, LocationNormCounts, TownNorms, map_norms, read_lexicon
from mores.benchmarks.liveculture.norm_sources import ImportedTownNorms, from_file, from_pack
from mores.cli import screen
from mores.cli.build import BuildArgs, carry_out, print_built
from mores.core.codec import encode_lines, read_toml
from mores.core.errors import InputError
from mores.core.files import write_new
from mores.data.fetched import data_path
from mores.norms.norm_base import NormBase, base_lines, read_base
from mores.norms.places import place
from mores.pipelines.pipeline import BuildResult, Pipeline
from mores.pipelines.town_norms.pipeline import BASE, MAPPER, SHEET, SURE, town_norms_pipeline
from mores.runs.options import PairArgument, option
from mores.runs.specify import pairs_of
from mores.worlds.town.census import census

DRAWS = 3
PAPER = Path(norm_mapping.__file__).with_name("paper_norms.toml")
"""How many norms the paper has by location and by culture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TownNormsArgs(BuildArgs):
    """Map norms to the kinds of location in town, by a model you name or by a word list, with a datasheet."""

    source: str = option("pack, or a file: rows of CultureBank, or norms of your own.", "--from", default=MISSING)
    out: Path = option("New file of the norm base (.jsonl); with a mapper the folder of the build.", default=MISSING)
    data: Path | None = option("Folder of the file, or of another pack.")
    role: PairArgument = option("mapper=SPEC: the model that maps; default: a word list, which knows half of norms.")
    draws: int = option(
        "How often the mapper is asked about each norm; the share of draws is how sure a kind is.", default=DRAWS
    )
    limit: int | None = option("Have so many norms mapped at most.")


def build_town_norms(typed: TownNormsArgs) -> None:
    """Map norms to the kinds of location in town: by the word list, or by a model as a build that may be gone on with.

    The base is written beside what was dropped and a datasheet.

    Raises:
        InputError: the source cannot be read, or a file is there already: none is overwritten.
        typer.Exit: a build by a model is not finished.
    """
    roles, gathered = pairs_of(typed.role, "--role"), _gathered(typed.source, data_path(typed.data))
    if roles:
        pipeline = town_norms_pipeline(gathered, roles, draws=typed.draws, limit=typed.limit)
        carry_out(pipeline, typed.out, typed, lambda built: _show_built(pipeline, built, json=typed.json))
        return
    _refuse_unused(typed)
    files = _free(typed.out)
    made = map_norms(gathered, read_lexicon())
    contents = base_lines(made.base), encode_lines(made.dropped), encode_lines([made.datasheet])
    for path, content in zip(files, contents, strict=True):
        write_new(path, content)
    if typed.json:
        screen.print_json({"out": str(typed.out), "datasheet": made.datasheet})
    else:
        _show(made, typed.out)


def _free(out: Path) -> tuple[Path, Path, Path]:
    """The three files to write, none of which is there yet."""
    if out.suffix != ".jsonl":
        raise InputError(f"--out {out}: expected a file that ends in .jsonl.")
    if not out.parent.is_dir():
        raise InputError(f"--out {out}: no folder {out.parent}; make it first.")
    files = (out, out.with_suffix(".dropped.jsonl"), out.with_suffix(".datasheet.json"))
    for path in files:
        if path.exists() or path.is_symlink():
            raise InputError(f"--out {out}: {path} exists already and is not overwritten; choose another file.")
    return files


def _gathered(source: str, data: Path | None) -> ImportedTownNorms:
    if source == "pack":
        return from_pack(data)
    tried = [Path(source), *([data / source] if data else [])]
    for path in tried:
        if path.is_file():
            return from_file(path)
    raise InputError(f"--from {source}: no file {' or '.join(map(str, tried))}; expected pack, or a file of norms.")


def _show(made: TownNorms, out: Path) -> None:
    sheet = made.datasheet
    screen.line(
        f"{out}: {sheet.norms:,} norms from {sheet.made_from}; {sheet.fitting:,} of {len(sheet.by_place)} places fit "
        f"somewhere, {sheet.anywhere:,} of them anywhere; {sheet.nowhere:,} fit nowhere and are kept without kinds."
    )
    screen.line(_describe_dropped(sheet))
    _counts(sheet.by_kind, sheet.sure, made.base)
    screen.line(f"Fingerprint {sheet.fingerprint}. Dropped rows and the datasheet lie beside it.")


def _counts(by_kind: Mapping[str, LocationNormCounts], sure: float, base: NormBase) -> None:
    """Norms by kind of location and by nationality, beside the paper's."""
    paper = read_toml(PAPER)
    rows = [(kind, tally.norms, tally.sure, paper["table_10"][kind]) for kind, tally in by_kind.items()]
    screen.table(("location", "norms", f"confidence {sure} or more", "paper, table 10"), rows)
    screen.line("Norms that may come up for the people of the town, by whose norms they have:")
    own = [(*row, paper["table_11"][nationality]) for nationality, row in _residents(base)]
    screen.table(("of", "norms", "from", "paper, table 11"), own)


def _show_built(pipeline: Pipeline[Any, Any], built: BuildResult, *, json: bool) -> None:
    print_built(pipeline, built, json=json)
    if built.finished and not json:
        base = read_base(built.folder / BASE)
        by_kind: Mapping[str, LocationNormCounts] = built.facts["by_kind"]  # type: ignore[assignment]
        nowhere = sum(not norm.fits for norm in base.norms)
        screen.line(f"{len(base.norms):,} norms; {nowhere:,} fit nowhere and are kept without kinds.")
        _counts(by_kind, SURE, base)
        screen.line(
            f"{SHEET} has norms for people to map, without what the mapper said. --data {built.folder} uses it."
        )


def _refuse_unused(typed: TownNormsArgs) -> None:
    """Flags that say how a mapper is asked, where none is named."""
    given = {"--dry": typed.dry, "--limit": typed.limit is not None, "--draws": typed.draws != DRAWS}
    flag = next((name for name, is_given in given.items() if is_given), None)
    if flag:
        raise InputError(f"{flag}: no model is asked without --role {MAPPER}=SPEC; the word list maps all norms.")


def _describe_dropped(sheet: Datasheet) -> str:
    if not sheet.dropped:
        return f"No row of {sheet.rows:,} was dropped."
    reasons = "; ".join(f"{count:,}: {reason}" for reason, count in sheet.dropped.items())
    return f"Of {sheet.rows:,} rows, {sum(sheet.dropped.values()):,} were dropped: {reasons}."


def _residents(base: NormBase) -> list[tuple[str, tuple[str, int, str]]]:
    """The nationalities that the town's census knows, with their norms that fit somewhere."""
    rows = []
    for nationality in census().nationality.words:
        held = base.places_of(nationality)
        count = sum(norm.place in held for norm in base.norms if norm.fits)
        rows.append((nationality, (place(nationality).name, count, ", ".join(held) or "none known")))
    return rows
