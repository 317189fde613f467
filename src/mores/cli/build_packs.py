"""Builds of packs that ask no model: projects in which people check a pack, their answers in it, its release."""

# ruff: noqa: RUF009 - `option` makes a field
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from msgspec.structs import replace

from mores.benchmarks.ladder.pack_info import pack_of
from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.cli.build_check import print_checklist
from mores.core.codec import read_toml
from mores.core.errors import InputError
from mores.core.files import refuse_taken, write_new
from mores.core.table import sheet_for_people
from mores.norms.pack import BUNDLED, FILE, NormSurvey, Pack, merged, read_header, read_survey
from mores.norms.places import find
from mores.pipelines.ladder.ballots import DESIGN, ITEMS, ballots_of, describe_ballots, project_files, surveys_of
from mores.pipelines.ladder.release import HEADER, header_file, pack_file, release_files
from mores.pipelines.translate.speakers import SpeakerRemark, SpeakersCheck, TranslatedPart, check_of, parts_to_check
from mores.pipelines.translate.speakers import project_files as speakers_files
from mores.runs.options import argument, option
from mores.tables import formatting as words
from mores.tables.missing_texts import plain_fields

ENGLISH_PACK = option("pack, or the folder of the pack that was translated.", "--english", default="pack")


@dataclass(frozen=True, slots=True, kw_only=True)
class PackArgs:
    """Copy a pack of norms with what people of its places said of them."""

    source: str = argument("pack, or the folder of another pack of norms.", MISSING)
    agreement: list[Path] | None = option(
        "agreement.jsonl of a studio's export, or answers.csv of one of ballots; repeatable."
    )
    speakers: list[Path] | None = option(
        "answers.csv of a check of a translation by speakers of its language; repeatable."
    )
    english: str = ENGLISH_PACK
    out: Path = option("New folder for the copy.", default=MISSING)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseArgs:
    """Write a pack with its errata, datasheet, licence, citation and checksums into a folder."""

    out: Path = argument("New folder.", MISSING)
    pack: str = option("pack, or the folder of another pack of norms.", default="pack")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotsArgs:
    """Write the studio's project in which people of a place say what they think of its norms."""

    place: str = argument("Place, by name or code.", MISSING)
    pack: str = option("pack, or the folder of another pack of norms.", default="pack")
    out: Path = option("New folder for design.toml, items.csv and key.csv.", default=MISSING)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakersArgs:
    """Write the studio's project in which speakers of a language check a translated pack, line by line."""

    pack: Path = argument("Folder of a translated pack, as mores build translate writes it.", MISSING)
    english: str = ENGLISH_PACK
    place: list[str] | None = option("Check norms of this place; repeatable; default: all.")
    out: Path = option("New folder for design.toml and items.csv.", default=MISSING)
    json: bool = AS_JSON


def build_speakers(typed: SpeakersArgs) -> None:
    """Write the project, and print what it asks and how it is brought into a studio.

    Raises:
        InputError: the pack is no translation of the one in English, has no norms of a place, or the folder is there.
    """
    refuse_taken(typed.out)
    parts = _translated_parts(_home(str(typed.pack)), typed.english)
    wanted = [find(name, where="--place").id for name in typed.place or ()]
    here = {part.place for part in parts}
    if missing := [name for name in wanted if name not in here]:
        held = ", ".join(sorted(here))
        raise InputError(f"--place {missing[0]}: {typed.pack} has no norms of it; it has some of {held}.")
    chosen = [part for part in parts if not wanted or part.place in wanted]
    tag = read_header(typed.pack).language
    for name, content in speakers_files(chosen, tag).items():
        write_new(typed.out / name, content)
    units = len({part.unit for part in chosen})
    if typed.json:
        screen.print_json({"out": str(typed.out), "language": tag, "norms": units, "items": len(chosen)})
        return
    lines = sum(len(part.english) for part in chosen)
    of = words.plural(units, "norm or open question", "norms and open questions")
    screen.line(f"{typed.out}: {words.plural(len(chosen), 'item')}, the parts of {of}, {lines:,} lines.")
    _print_next(typed.out)


def _print_next(out: Path) -> None:
    screen.line(f"Next: mores studio design import {out / DESIGN}; it prints the project's SLUG.")
    screen.line(f"Then: mores studio import {out / ITEMS} --project SLUG")


def _translated_parts(home: Path, english: str) -> tuple[TranslatedPart, ...]:
    return parts_to_check(pack_of(_home(english)), pack_of(home), read_header(home))


def build_ballots(typed: BallotsArgs) -> None:
    """Write the project, and print what it asks and how it is brought into a studio.

    Raises:
        InputError: the place is unknown, the pack has no norms of it, or the folder is there.
    """
    refuse_taken(typed.out)
    pack = pack_of(_home(typed.pack))
    place = find(typed.place, where="PLACE")
    ballots = ballots_of(pack, place.id)
    for name, content in project_files(pack, place.id).items():
        write_new(typed.out / name, content)
    if typed.json:
        norms = len({each.norm for each in ballots})
        screen.print_json({"out": str(typed.out), "place": place.id, "norms": norms, "items": len(ballots)})
        return
    screen.line(f"{typed.out}: {describe_ballots(ballots)}.")
    _print_next(typed.out)


ASKED, CHECKED = "+people", "+speakers"
"""Endings of a pack's version once people were asked of its norms, and once speakers checked its translation."""
REMARKS = "remarks.csv"
"""File of what speakers would write otherwise, beside the pack that they checked."""


def build_pack(typed: PackArgs) -> None:
    """Copy a pack with what people said of its norms, or of their translation, and print what they said.

    Of a norm that stands in several files of agreement, the last holds. Where speakers checked a translation, the copy
    has the norms alone of which most find every part right.

    Raises:
        InputError: neither kind of answers is named, a file cannot be read or names a norm that is not in the pack, or
            the folder is there.
    """
    source, out = typed.source, typed.out
    refuse_taken(out)
    if not (typed.agreement or typed.speakers):
        raise InputError("No answers: expected --agreement FILE, of people of a place, or --speakers FILE.")
    home = _home(source)
    pack, header = pack_of(home), read_header(home)
    files = [_surveys(path) for path in typed.agreement or ()]
    _refuse_strangers(pack, typed.agreement or (), files)
    check = check_of(_translated_parts(home, typed.english), typed.speakers) if typed.speakers else None
    if check is not None and not any(entry.norm.id in check.sound for entry in pack.norms):
        raise InputError(f"{source}: speakers find no norm right in all of its parts; nothing was written.")
    ending = (ASKED if files else "") + (CHECKED if check else "")
    version = header.version.removesuffix(CHECKED).removesuffix(ASKED) + ending
    header = replace(header, version=version, checked=header.checked if check is None else check.checked)
    kept = {entry.norm.id for entry in pack.norms if check is None or entry.norm.id in check.sound}
    for name, content in _place_files(home, check).items():
        write_new(out / name, content)
    before = [read_survey(home / FILE)] if (home / FILE).is_file() else []
    if before or files:
        known = [{norm: asked for norm, asked in each.items() if norm in kept} for each in (*before, *files)]
        write_new(out / FILE, merged(known))
    write_new(out / HEADER, header_file(header))
    if check is not None:
        write_new(out / REMARKS, sheet_for_people(SpeakerRemark._fields, check.remarks))
    _print_pack(pack_of(out), out, check, json=typed.json)


def _place_files(home: Path, check: SpeakersCheck | None) -> dict[str, bytes]:
    """The files of a pack's places as they are, or without what speakers did not find right."""
    paths = [path for path in sorted(home.glob("*.toml")) if path.name != HEADER]
    if check is None:
        return {path.name: path.read_bytes() for path in paths}
    found = ((path.name, _without(read_toml(path), set(check.sound))) for path in paths)
    return {name: pack_file(table) for name, table in found if table["norm"]}


def _without(table: dict[str, Any], sound: AbstractSet[str]) -> dict[str, Any]:
    """A place's file with sound norms alone, and the open questions that are sound and whose norms are."""
    norms = [row for row in table["norm"] if row["id"] in sound]
    bundles = [
        row for row in table.get("bundle", ())
        if row["id"] in sound and all(norm["id"] in sound for norm in row["norm"])
    ]  # fmt: skip
    return {**table, "norm": norms, "bundle": bundles}


def _home(source: str) -> Path:
    """Folder of the bundled pack, or of another."""
    home = BUNDLED if source == "pack" else Path(source)
    if not any(home.glob("*.toml")):
        raise InputError(f"{source}: no pack; expected `pack`, or a folder with a TOML file for each place.")
    return home


def build_release(typed: ReleaseArgs) -> None:
    """Write the folder, and print how many files it has.

    Raises:
        InputError: the pack cannot be read, or the folder is there.
    """
    refuse_taken(typed.out, "DIR")
    home = _home(typed.pack)
    pack = pack_of(home)
    files = release_files(pack, home)
    for name, content in files.items():
        write_new(typed.out / name, content)
    if typed.json:
        about = {"pack": pack.id, "version": pack.version, "fingerprint": pack.fingerprint}
        screen.print_json({"out": str(typed.out), **about, "norms": len(pack.norms), "files": sorted(files)})
        return
    of = words.plural(len(pack.norms), "norm")
    screen.line(f"{typed.out}: pack {pack.id}, version {pack.version}, {of}, {words.plural(len(files), 'file')}.")


def _surveys(path: Path) -> dict[str, NormSurvey]:
    return surveys_of(path) if path.suffix == ".csv" else read_survey(path)


def _refuse_strangers(pack: Pack, paths: Sequence[Path], files: Sequence[dict[str, NormSurvey]]) -> None:
    known = {entry.norm.id for entry in pack.norms}
    for path, file in zip(paths, files, strict=True):
        for norm in file.keys() - known:
            raise InputError(
                f"{path}: {norm} is no norm of pack {pack.id}; name the pack that people were asked about."
            )


def _print_pack(pack: Pack, out: Path, check: SpeakersCheck | None, *, json: bool) -> None:
    shares = [entry.norm.agreement for entry in pack.norms if entry.norm.agreement is not None]
    mean = fmean(shares) if shares else None
    if json:
        header = {"out": str(out), "pack": pack.id, "version": pack.version, "fingerprint": pack.fingerprint}
        of_speakers = {} if check is None else {"speakers": plain_fields(check)}
        asked = {"norms": len(pack.norms), "asked": len(shares), "mean_agreement": mean}
        screen.print_json({**header, **asked, **of_speakers})
        return
    if check is not None:
        _print_check(check, len(pack.norms), out)
        return
    agree = "" if mean is None else f"; on average {screen.share(mean)} of the asked agree"
    screen.line(f"{out}: {len(pack.norms):,} norms; people were asked about {len(shares):,}{agree}.")


def _print_check(check: SpeakersCheck, norms: int, out: Path) -> None:
    readers = words.plural(check.checked, "speaker")
    screen.line(f"{out}: {words.plural(norms, 'norm')}, each part read by {readers} or more and found right by most.")
    screen.line(f"{words.plural(check.speakers, 'speaker')} read {words.plural(check.parts, 'part')}.")
    print_checklist(check.review)
    for names, says in ((check.at_fault, "not found right"), (check.unread, "not read by anybody in all parts")):
        if names:
            shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
            screen.line(f"Left out, {says}: {len(names):,} ({shown}).")
    if check.outdated:
        screen.line(f"{check.outdated:,} answers are about texts that were changed since, and count for nothing.")
    if check.remarks:
        screen.line(f"What speakers would write otherwise: {out / REMARKS}, {words.plural(len(check.remarks), 'row')}.")
