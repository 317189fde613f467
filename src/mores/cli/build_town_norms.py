"""`mores build`: data sets made from others, stage by stage, each with what it dropped and a datasheet.

What a stage gives lies in three new files beside each other: the data (`NAME.jsonl`), the rows that were dropped, each
with its reason (`NAME.dropped.jsonl`), and the datasheet (`NAME.datasheet.json`).
"""

from pathlib import Path

from mores.benchmarks.liveculture.norm_mapping import Datasheet, TownNorms, map_norms, read_lexicon
from mores.benchmarks.liveculture.norm_sources import ImportedTownNorms, from_file, from_pack
from mores.cli import screen
from mores.cli.args_build import TownNormsArgs
from mores.core.codec import encode_lines
from mores.core.errors import InputError
from mores.core.files import write_new
from mores.norms.norm_base import NormBase, base_lines
from mores.norms.places import place
from mores.worlds.town.census import census


def build_town_norms(typed: TownNormsArgs) -> None:
    """Map norms to the kinds of location in town, write the base beside what was dropped, and print the datasheet.

    Raises:
        InputError: the source cannot be read, or a file is there already: none is overwritten.
    """
    files = _free(typed.out)
    made = map_norms(_gathered(typed.source, typed.data), read_lexicon())
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
    rows = [(kind, tally.norms, tally.sure) for kind, tally in sheet.by_kind.items()]
    screen.table(("location", "norms", f"confidence {sheet.sure} or more"), rows)
    screen.line("Norms that may come up for the people of the town, by whose norms they have:")
    screen.table(("of", "norms", "from"), _residents(made.base))
    screen.line(f"Fingerprint {sheet.fingerprint}. Dropped rows and the datasheet lie beside it.")


def _describe_dropped(sheet: Datasheet) -> str:
    if not sheet.dropped:
        return f"No row of {sheet.rows:,} was dropped."
    reasons = "; ".join(f"{count:,}: {reason}" for reason, count in sheet.dropped.items())
    return f"Of {sheet.rows:,} rows, {sum(sheet.dropped.values()):,} were dropped: {reasons}."


def _residents(base: NormBase) -> list[tuple[str, int, str]]:
    """The nationalities that the town's census knows, with their norms that fit somewhere."""
    rows = []
    for nationality in census().nationality.words:
        held = base.places_of(nationality)
        count = sum(norm.place in held for norm in base.norms if norm.fits)
        rows.append((place(nationality).name, count, ", ".join(held) or "none known"))
    return rows
