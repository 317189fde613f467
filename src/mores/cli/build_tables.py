"""Builds that ask no model: values of a survey, people's answers in a pack."""

# ruff: noqa: RUF009 - `option` makes a field
import re
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path
from statistics import fmean

from mores.benchmarks.ladder.pack_info import pack_of
from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.core.errors import InputError
from mores.core.files import refuse_taken, write_new
from mores.norms.pack import BUNDLED, FILE, NormSurvey, Pack, merged, read_survey
from mores.norms.places import find
from mores.pipelines.consensus import ValuesOptions, values_of
from mores.pipelines.ladder.ballots import (
    DESIGN,
    ITEMS,
    ballots_of,
    describe_ballots,
    project_files,
    surveys_of,
)
from mores.pipelines.ladder.release import HEADER, pack_header, release_files
from mores.runs.options import argument, option
from mores.tables import formatting as words
from mores.tables.missing_texts import plain_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuesArgs:
    """Find the questions of a survey of values on which the people of a country agree."""

    responses: Path = argument("Responses as the World Values Survey has them (CSV).", MISSING)
    out: Path = option("New file of the pairs (.csv).", default=MISSING)
    question: list[str] | None = option("Column of a question; repeatable; default: all called Q and a number.")
    together: list[str] | None = option("QUESTION=CODE,CODE: codes that count as one answer; repeatable.")
    threshold: float = option("Share above which people agree.", default=0.8)
    least: int = option("Respondents that a country needs.", default=100)
    country: str = option("Column of the country.", default="B_COUNTRY_ALPHA")
    weight: str = option("Column of weights; all count alike where it is not there.", default="W_WEIGHT")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class PackArgs:
    """Copy a pack of norms with what people of its places said of them."""

    source: str = argument("pack, or the folder of another pack of norms.", MISSING)
    agreement: list[Path] = option(
        "agreement.jsonl of a studio's export, or answers.csv of one of ballots; repeatable.", default=MISSING
    )
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
    screen.line(f"Next: mores studio design import {typed.out / DESIGN}; it prints the project's SLUG.")
    screen.line(f"Then: mores studio import {typed.out / ITEMS} --project SLUG")


def build_values(typed: ValuesArgs) -> None:
    """Write the pairs on which people agree, and print how many there are.

    Raises:
        InputError: the responses cannot be read, or a file is there already.
    """
    options = ValuesOptions(
        source=typed.responses, questions=tuple(typed.question or ()), together=grouped(typed.together or ()),
        threshold=typed.threshold, least=typed.least, country=typed.country, weight=typed.weight,
    )  # fmt: skip
    found = values_of(options)
    write_new(typed.out, found.table)
    if typed.json:
        screen.print_json({"out": str(typed.out), **plain_fields(found)})
        return
    places = len({each.place for each in found.kept})
    screen.line(
        f"{typed.out}: {len(found.kept):,} of {found.pairs:,} pairs of a question and a country, in {places} of which "
        f"over {words.format_whole(options.threshold)}% agree; {found.respondents:,} respondents."
    )
    if found.few:
        screen.line(f"{found.few:,} pairs have fewer than {options.least:,} respondents.")
    for name, count in found.unknown.items():
        screen.line(f"{name} names no country that is known: {count:,} respondents left out.")


def grouped(given: Sequence[str]) -> dict[str, tuple[tuple[int, ...], ...]]:
    """Codes that count as one answer, by question, from `Q28=1,2`.

    Raises:
        InputError: an entry is not QUESTION=CODE,CODE.
    """
    found: dict[str, tuple[tuple[int, ...], ...]] = {}
    for entry in given:
        question, _, codes = entry.partition("=")
        parts = codes.split(",")
        if not question or not all(re.fullmatch(r"\s*[0-9]{1,9}\s*", part) for part in parts):
            raise InputError(f"--together {entry}: expected QUESTION=CODE,CODE, such as Q28=1,2.")
        found[question] = (*found.get(question, ()), tuple(int(part) for part in parts))
    return found


ASKED = "+people"
"""Ending of a pack's version once people were asked."""


def build_pack(typed: PackArgs) -> None:
    """Copy a pack with what people said of its norms, and print how many were asked about and how far people agree.

    Of a norm that stands in several files of agreement, the last holds.

    Raises:
        InputError: a file cannot be read or names a norm that is not in the pack, or the folder is there.
    """
    source, out = typed.source, typed.out
    refuse_taken(out)
    home = _home(source)
    pack, files = pack_of(home), [_surveys(path) for path in typed.agreement]
    _refuse_strangers(pack, typed.agreement, files)
    before = [read_survey(home / FILE)] if (home / FILE).is_file() else []
    for path in sorted(home.glob("*.toml")):
        if path.name != HEADER:
            write_new(out / path.name, path.read_bytes())
    write_new(out / FILE, merged([*before, *files]))
    write_new(out / HEADER, pack_header(pack, pack.version.removesuffix(ASKED) + ASKED))
    _print_pack(pack_of(out), out, json=typed.json)


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


def _print_pack(pack: Pack, out: Path, *, json: bool) -> None:
    shares = [entry.norm.agreement for entry in pack.norms if entry.norm.agreement is not None]
    mean = fmean(shares) if shares else None
    if json:
        header = {"out": str(out), "pack": pack.id, "version": pack.version, "fingerprint": pack.fingerprint}
        screen.print_json({**header, "norms": len(pack.norms), "asked": len(shares), "mean_agreement": mean})
        return
    agree = "" if mean is None else f"; on average {screen.share(mean)} of the asked agree"
    screen.line(f"{out}: {len(pack.norms):,} norms; people were asked about {len(shares):,}{agree}.")
