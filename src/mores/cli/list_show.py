"""`mores list` and `mores show`: all things of a kind, and one thing in detail.

Each thing is looked up as plain values; they are printed as JSON for programs, or laid out for people.
"""

# ruff: noqa: RUF009 - `option` makes a field
import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import MISSING, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import asdict

from mores.analysis.results import Result
from mores.benchmarks import catalogue
from mores.benchmarks.ladder.pack_info import describe_pack, pack_of
from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.cli.show_details import show_benchmarks, show_norm, show_pack, show_place
from mores.core.errors import InputError, MoresError, UnknownName
from mores.core.prompt import Prompt, Released
from mores.data.fetched import data_path
from mores.data.sources import source_of
from mores.models.journal_reader import reader_of
from mores.models.provider import home_of, providers
from mores.models.registry import known_specs
from mores.norms.pack import Pack, PackNorm, load_pack
from mores.norms.places import Place, find, place
from mores.runs.batch_files import is_waiting
from mores.runs.folder import JOURNAL, MANIFEST, RUNS, read_part
from mores.runs.loading import read_what_is_there
from mores.runs.options import argument, option
from mores.runs.partial_results import written_files


@dataclass(frozen=True, slots=True, kw_only=True)
class ListArgs:
    """List benchmarks, models, datasets, packs, prompts, or the runs under runs/ and how far they are."""

    kind: str = argument("benchmarks, models, datasets, packs, prompts or runs.", "benchmarks")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowArgs:
    """Show a benchmark's card, its items or its prompts; or a place, a norm, the pack."""

    name: str = argument("A benchmark, a family, a place such as JP, a norm's id, pack, or prompts.", MISSING)
    of: str | None = argument("After prompts: whose.", metavar="[BENCHMARK]")
    data: Path | None = option("Folder or file of the benchmark's data, or the name of a fetched data set.")
    items: bool = option("One line per item: id, place, gold label.", "--items", default=False)
    json: bool = AS_JSON


class Listing(NamedTuple):
    """Things of one kind: a row of plain values each, and the columns that people are shown."""

    rows: list[dict[str, object]]
    columns: tuple[str, ...]


def list_things(typed: ListArgs) -> None:
    """Print all things of a kind: benchmarks, models, datasets, packs, prompts, or the runs under runs/.

    Raises:
        UnknownName: there is no such kind.
    """
    kind = typed.kind
    if kind not in LISTINGS:
        raise UnknownName("list", kind, LISTINGS, todo=f"There are {', '.join(LISTINGS)}.")
    listing = LISTINGS[kind]()
    if typed.json:
        screen.print_json({kind: listing.rows})
    elif not listing.rows:
        screen.line(f"There are no {kind} here.")
    else:
        screen.table(listing.columns, ([row[name] for name in listing.columns] for row in listing.rows))


def show(typed: ShowArgs) -> None:
    """Print what is known of a benchmark, a family, a place, a norm or the pack, or the prompts of a benchmark.

    Raises:
        UnknownName: it is none of these.
        InputError: the data cannot be used.
    """
    name, data, json = typed.name, data_path(typed.data), typed.json
    if name == "prompts":
        show_prompts(typed.of, json=json)
        return
    if typed.of is not None:
        raise InputError(f"mores show {name} {typed.of}: expected one name, or: mores show prompts {typed.of}.")
    if name in {*catalogue.names(), *catalogue.families()} or catalogue.is_folder(name):
        show_benchmarks(catalogue.resolve(name), data, ids=typed.items, json=json)
        return
    pack = pack_of(data)
    if not json:
        for remark in describe_pack(data):
            screen.line(remark)
    match _found(name, pack):
        case PackNorm() as entry:
            show_norm(entry, json=json)
        case Place() as where:
            show_place(where, pack, json=json)
        case _:
            show_pack(pack, json=json)


def _found(name: str, pack: Pack) -> PackNorm | Place | None:
    """The norm or place of a name; None for the pack itself."""
    if name in {"pack", pack.id}:
        return None
    for entry in pack.norms:
        if entry.norm.id == name:
            return entry
    try:
        return find(name)
    except UnknownName:
        places = {entry.norm.place for entry in pack.norms}
        norms = (entry.norm.id for entry in pack.norms)
        known = [*catalogue.names(), *catalogue.families(), "pack", *(place(code).name for code in places), *norms]
        raise UnknownName("benchmark, place or norm", name, known, todo="List them: mores list.") from None


def _benchmarks() -> Listing:
    rows: list[dict[str, object]] = []
    for card in map(catalogue.card, catalogue.names()):
        row = {
            "name": card.name, "title": card.title, "version": card.version, "measures": card.measures,
            "items": card.items, "units": card.units, "unit": card.clusters, "headline": card.headline,
            "chance": card.chance, "files": card.files, "licence": card.licence,
        }  # fmt: skip
        rows.append(row | {"data": "--data" if card.files else "bundled", "guess": screen.share(card.chance)})
    return Listing(rows, ("name", "items", "guess", "data", "measures"))


def _models() -> Listing:
    rows: list[dict[str, object]] = [
        {"name": spec, "kind": kind, "about": about if kind != "endpoints" else _endpoint(about)}
        for kind, members in known_specs().items()
        for spec, about in members.items()
    ]
    return Listing(rows, ("name", "about"))


def _endpoint(name: str) -> str:
    home = home_of(providers()[name])
    address = home.base_url.removeprefix("https://")
    if home.key_variable is None:
        return f"{address}, no key needed (MORES_API_KEY where the server wants one)"
    found = "set" if os.environ.get(home.key_variable) else "not set"
    return f"{address}, key in {home.key_variable} ({found})"


def _datasets() -> Listing:
    rows: dict[tuple[str, ...], dict[str, object]] = {}
    for card in map(catalogue.card, catalogue.names()):
        if card.files:
            fetch = source_of(card.name)
            row = {"also": card.files[1:], "source": card.source, "licence": card.licence, "fetch": fetch}
            how = f"; mores data fetch {fetch}" if fetch else ""
            about = f"for {card.name}; {card.licence}; {card.source}{how}"
            rows.setdefault(card.files, {"name": card.files[0], **row, "benchmark": card.name, "about": about})
    return Listing(list(rows.values()), ("name", "about"))


def _packs() -> Listing:
    pack = load_pack()
    row: dict[str, object] = {"name": pack.id, "title": pack.name, "version": pack.version, "norms": len(pack.norms)}
    row |= {"places": len({n.norm.place for n in pack.norms}), "fingerprint": pack.fingerprint}
    return Listing([row], ("name", "version", "norms", "places", "fingerprint", "title"))


def _prompts() -> Listing:
    rows: list[dict[str, object]] = [
        {"name": prompt.header.name, "benchmark": name, **asdict(prompt.header), "hash": prompt.sha}
        for name in catalogue.names()
        for prompt in catalogue.load(name).prompts
    ]
    return Listing(rows, ("name", "hash", "role", "benchmark"))


def _runs() -> Listing:
    """A row a run, the newest first; one that cannot be read says so instead of its figures."""
    folders = [path.parent for path in RUNS.glob(f"*/{MANIFEST}")]
    newest = sorted(folders, key=lambda folder: (-_changed(folder), folder.name))
    return Listing([_run_row(folder) for folder in newest], ("run", "state", "plays", "cost", "age", "models"))


LISTINGS = {
    "benchmarks": _benchmarks,
    "models": _models,
    "datasets": _datasets,
    "packs": _packs,
    "prompts": _prompts,
    "runs": _runs,
}


def show_prompts(of: str | None, *, json: bool) -> None:
    """Print the prompts of a benchmark or a family that `--prompt` takes, by ROLE/TASK, with their words.

    Raises:
        InputError: none is named.
        UnknownName: there is no such benchmark or family.
    """
    if of is None:
        raise InputError("mores show prompts: expected a benchmark or a family, such as: mores show prompts cure.")
    held: dict[str, list[str]] = {}
    known: dict[str, Prompt] = {}
    for benchmark in catalogue.resolve(of):
        for prompt in catalogue.prompts(benchmark).values():
            known[prompt.header.name] = prompt
            held.setdefault(prompt.header.name, []).append(benchmark)
    if json:
        screen.print_json({"prompts": [_prompt_row(prompt, held[name]) for name, prompt in known.items()]})
        return
    for name, prompt in known.items():
        header = prompt.header
        screen.heading(prompt.key)
        screen.facts({
            "of": ", ".join(held[name]), "name": f"{name} ({header.language})", "hash": prompt.sha,
            "checked": "read by no speaker of the language yet" if header.unread else "",
            "slots": ", ".join(sorted(prompt.slots)), "optional": ", ".join(header.optional), "origin": header.origin,
            "published": header.published, "released": header.released and _format_released(header.released),
        })  # fmt: skip
        sys.stdout.write(f"\n{prompt.body}\n")


def _prompt_row(prompt: Prompt, benchmarks: list[str]) -> dict[str, object]:
    header = prompt.header
    return {
        "prompt": prompt.key, "benchmarks": benchmarks, "name": header.name, "role": header.role,
        "language": header.language, "hash": prompt.sha, "slots": sorted(prompt.slots), "optional": header.optional,
        "origin": header.origin, "unread": header.unread, "published": header.published or None,
        "released": header.released, "words": prompt.body,
    }  # fmt: skip


def _format_released(released: Released) -> str:
    """Place of the words in released code, from which `--prompts-from` takes them."""
    where = ", ".join(filter(None, (released.within, released.name)))
    return f"{released.repository}: {released.file}" + (f" ({where})" if where else "")


COLUMNS = ("run", "state", "benchmarks", "models", "plays", "calls", "cost", "age")
DAY, HOUR, MINUTE = 86_400, 3_600, 60


def _run_row(run: Path) -> dict[str, object]:
    try:
        found = read_what_is_there([run])
        spec = read_part(run, "spec")
    except MoresError as error:
        return {**dict.fromkeys(COLUMNS, ""), "run": str(run), "state": f"cannot be read: {error}", "age": _age(run)}
    plays = [each.provenance.plays for each in found.every]
    done, asked = sum(each.done for each in plays), sum(each.asked for each in plays)
    return {
        "run": str(run),
        "state": ("waiting" if is_waiting(run) else "unfinished") if found.partial else "finished",
        "benchmarks": ", ".join(spec["benchmarks"]),
        "models": ", ".join(spec["models"]),
        "plays": f"{done:,} of {asked:,}" if asked and not found.missing else f"{done:,} so far",
        "calls": _calls(run),
        "cost": _cost(found.every),
        "age": _age(run),
    }


def _calls(run: Path) -> int:
    """Number of calls in its journals, those of a process that is writing among them."""
    return sum(_replies(path) for path in run.glob(f"**/{JOURNAL}"))


def _replies(path: Path) -> int:
    try:
        with closing(reader_of(path)) as reader:
            return int(reader.execute("SELECT count(*) FROM replies").fetchone()[0])
    except (sqlite3.DatabaseError, InputError):
        return 0


def _cost(evaluations: Sequence[Result]) -> str:
    """US dollars of all runs' last sessions, at most; empty where a price is not known."""
    costs = [usage.cost for each in evaluations for usage in each.provenance.models.values() if usage.price is not None]
    return "" if None in costs else f"${sum(cost for cost in costs if cost is not None):.2f}" if costs else ""


def _changed(run: Path) -> float:
    """Time of the last change in it, in seconds of the system's clock."""
    return max((path.stat().st_mtime for path in written_files(run)), default=0.0)


def _age(run: Path) -> str:
    """Time since something was last written: `12 s`, `5 min`, `3 h`, `2 days`."""
    seconds = max(0.0, datetime.now(UTC).timestamp() - _changed(run))
    if seconds < 2 * MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds / HOUR:.0f} h" if seconds < 2 * DAY else f"{seconds / DAY:.0f} days"
