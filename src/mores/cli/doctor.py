"""`mores doctor` and `mores doctor data`: checks of this machine, of the instrument on it, and of a benchmark's data.

The self-test runs the ladder with a simulated subject in a temporary folder and asks whether what was planted comes
back. It looks for names of keys, never at their values, and calls no endpoint.
"""

# ruff: noqa: RUF009 - `option` makes a field
import asyncio
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from math import sqrt
from pathlib import Path
from time import perf_counter
from typing import Literal, NamedTuple

import typer

from mores import __version__
from mores.api import conductor
from mores.benchmarks import catalogue
from mores.benchmarks.item_figures import figures_of
from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.cli.show_details import has_data, items_of
from mores.core.card import Card
from mores.core.errors import InputError, MoresError
from mores.core.files import sha256_of
from mores.data.fetched import data_path
from mores.models.budget import price_table
from mores.models.provider import providers
from mores.models.simulated import parse_planted
from mores.norms.pack import load_pack
from mores.runs.evaluation import read_estimates
from mores.runs.manifest import packages
from mores.runs.options import RunOptions, argument, option

SUBJECT = "simulated/typical"
LEAST_ROOM = 200_000_000
SLOWEST_IMPORT = 0.2
SURE = 4.0  # standard errors: a sound instrument is outside in one machine of 16,000

CheckState = Literal["ok", "note", "broken"]
CheckResult = tuple[CheckState, str]
"""Result of one check: fine, worth knowing or broken, and a line about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataCheckArgs:
    """Check a benchmark's data against its card; exit 2 where it is malformed."""

    name: str | None = argument("A benchmark or a family.")
    everything: bool = option("All benchmarks whose data is present.", "--all", default=False)
    data: Path | None = option("Folder or file of the data.")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorArgs:
    """Check the installation, and try the ladder on a simulated subject; exit 1 where something is broken."""

    data: Path | None = option("Folder to look for data in; default: $MORES_DATA.")
    json: bool = AS_JSON


def examine(typed: DoctorArgs) -> None:
    """Check this machine, and print the results.

    Raises:
        typer.Exit: 1, as something is broken.
    """
    variable = os.environ.get("MORES_DATA")
    folder = data_path(typed.data) or (Path(variable) if variable else None)
    looks: dict[str, Callable[[], CheckResult]] = {
        "Python": _python,
        "mores": _versions,
        "import": _import_time,
        "disk": _disk,
        "journal": _journal,
        "keys": _keys,
        "network": _network,
        "pack": _pack,
        "data": lambda: _data(folder),
        "self-test": _self_test,
    }
    found = [(name, *_guarded(look)) for name, look in looks.items()]
    if typed.json:
        findings = [{"name": name, "state": state, "says": says} for name, state, says in found]
        screen.print_json({"findings": findings})
    else:
        marks = {"broken": "BROKEN"}
        screen.table(("", "looked at", "found"), [(marks.get(state, state), name, says) for name, state, says in found])
    if any(state == "broken" for _, state, _ in found):
        raise typer.Exit(1)


def _guarded(look: Callable[[], CheckResult]) -> CheckResult:
    """Result of a check; an error is a result too."""
    try:
        return look()
    except (MoresError, OSError, sqlite3.Error, subprocess.SubprocessError, metadata.PackageNotFoundError) as error:
        return "broken", f"{type(error).__name__}: {error}"


def _python() -> CheckResult:
    state: CheckState = "ok" if sys.version_info >= (3, 11) else "broken"
    says = f"{platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return state, says


def _versions() -> CheckResult:
    versions = ", ".join(f"{name} {version}" for name, version in packages().items())
    return "ok", f"{__version__}, with {versions}; prices: {price_table()}"


def _import_time() -> CheckResult:
    """Seconds that `import mores` and the command line's help add to a start of Python, the least of three."""
    bare, light, verbs = (_seconds(code) for code in ("pass", "import mores", "import mores.cli.app"))
    state: CheckState = "ok" if light - bare < SLOWEST_IMPORT else "note"
    says = f"import mores {max(0.0, light - bare):.2f} s, the command line {max(0.0, verbs - bare):.2f} s"
    return state, says


def _seconds(code: str) -> float:
    taken = []
    for _ in range(3):
        started = perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60)  # noqa: S603 - our own Python and words
        taken.append(perf_counter() - started)
    return min(taken)


def _disk() -> CheckResult:
    free = shutil.disk_usage(Path.cwd()).free
    return "ok" if free >= LEAST_ROOM else "broken", f"{free / 1e9:,.1f} GB free in {Path.cwd()}"


def _journal() -> CheckResult:
    """Check that a journal can be written here; shared folders of some networks cannot hold one."""
    with tempfile.TemporaryDirectory(prefix=".mores-doctor-", dir=Path.cwd()) as folder:
        connection = sqlite3.connect(Path(folder) / "journal.sqlite")
        mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
        connection.execute("CREATE TABLE tried (word TEXT)")
        connection.commit()
        connection.close()
    if mode != "wal":
        return "broken", "this folder cannot hold a journal (SQLite's WAL mode); run mores on a local disk"
    return "ok", f"can be written here; SQLite {sqlite3.sqlite_version}"


def _keys() -> CheckResult:
    names = sorted({p.key_variable for p in providers().values() if p.elsewhere})
    found = [name for name in names if os.environ.get(name)]
    says = f"found {', '.join(found)}" if found else f"none found; looked for {', '.join(names)}"
    return "ok" if found else "note", says


def _network() -> CheckResult:
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
    found = [name for name in names if os.environ.get(name) or os.environ.get(name.lower())]
    presets = (name for name, provider in providers().items() if provider.home)
    says = f"presets {', '.join(presets)}; set in the environment: {', '.join(found) or 'no proxy, no certificates'}"
    return "ok", says


def _pack() -> CheckResult:
    pack = load_pack()
    places = len({entry.norm.place for entry in pack.norms})
    says = f"{len(pack.norms)} norms of {places} places, version {pack.version}, fingerprint {pack.fingerprint}"
    return "ok", says


def _data(data: Path | None) -> CheckResult:
    cards = [card for card in map(catalogue.card, catalogue.names()) if card.files]
    found = [card.name for card in cards if has_data(card, data)]
    if data is None:
        return "note", "no folder named; try mores doctor --data DIR, or set MORES_DATA"
    missing = [card.name for card in cards if card.name not in found]
    says = f"{data}: {', '.join(found) or 'none'}" + (f"; not {', '.join(missing)}" if missing else "")
    return "ok" if found else "note", says


class _Recovered(NamedTuple):
    """A rung's planted share and the one that was measured, over so many norms."""

    rung: str
    planted: float
    measured: float
    norms: int

    @property
    def close(self) -> bool:
        error = sqrt(self.planted * (1 - self.planted) / self.norms)
        return abs(self.measured - self.planted) <= SURE * error


def _self_test() -> CheckResult:
    """Run the two rungs with a simulated subject and compare with what was planted in it."""
    started = perf_counter()
    with tempfile.TemporaryDirectory(prefix="mores-doctor-") as folder:
        options = RunOptions(benchmarks=("ladder/know", "ladder/judge"), model=SUBJECT, out=folder)
        evaluations = asyncio.run(conductor.run(options)).evaluations
        found = [_recovered(evaluation.folder) for evaluation in evaluations]
    calls = sum(evaluation.provenance.plays.done for evaluation in evaluations)
    seconds = perf_counter() - started
    figures = "; ".join(f"{r.rung}: planted {r.planted:.3f}, measured {r.measured:.3f}" for r in found)
    state: CheckState = "ok" if all(one.close for one in found) else "broken"
    return state, f"{figures}; {calls} calls in {seconds:.1f} s"


def _recovered(folder: Path) -> _Recovered:
    """The headline of a finished rung beside its planted share, guesses and unusable answers counted in."""
    estimates = read_estimates(folder)
    headline = next(e for e in estimates["estimates"] if e["metric"] == estimates["headline"] and not e["group"])
    card = catalogue.card(str(estimates["benchmark"]))
    rung, planted = card.name.partition("/")[2], parse_planted(SUBJECT)
    knows, usable = planted.chance(rung, None), 1 - planted.chance("format_error", None)
    # A unit is right only where the answers to all of its items can be used.
    right = (knows + (1 - knows) * (card.chance or 0.0)) * usable ** (card.items / card.units)
    return _Recovered(rung, right, headline["value"], headline["graded"])


@dataclass(frozen=True, slots=True, kw_only=True)
class DataCheck:
    """Contents of one benchmark's data and their deviations from its card; `sha256` is of the file, if there is one."""

    benchmark: str
    file: str | None
    sha256: str | None
    items: int
    units: int
    places: int
    departures: tuple[str, ...]


def check_data(typed: DataCheckArgs) -> None:
    """Print what the data of one benchmark, a family or all holds, and what departs from the cards.

    Raises:
        InputError: nothing or too much was named, or data is missing or malformed.
    """
    name, data = typed.name, data_path(typed.data)
    if (name is None) != typed.everything:
        raise InputError("mores doctor data: expected the name of a benchmark, or --all.")
    names = catalogue.names() if name is None else catalogue.resolve(name)
    cards = [catalogue.card(n) for n in names]
    absent = [card.name for card in cards if len(cards) > 1 and not has_data(card, data)]
    found = [checked(card, data) for card in cards if card.name not in absent]
    if not found:
        raise InputError(f"--data {data}: no data of {', '.join(absent)} there; see mores list datasets.")
    if typed.json:
        screen.print_json({"checked": found, "absent": absent})
        return
    for one in found:
        screen.line(f"{one.benchmark}: {one.items:,} items, {one.units:,} units, {one.places} places, "
                    f"{one.file or 'bundled'}")  # fmt: skip
        for departure in one.departures or ("as on the card",):
            screen.line(f"  {departure}")
    if absent:
        screen.line(f"No data here for {', '.join(absent)}.")


def checked(card: Card, data: Path | None) -> DataCheck:
    """Check one benchmark's data against its card.

    Raises:
        InputError: it is missing or malformed, an id stands twice, or a place is unknown; the line says where.
    """
    items = items_of(card.name, data)
    figures = figures_of(catalogue.load(card.name), items, ())
    path = _file(card, data)
    notes = [
        _off(figures.items, card.items, "items"),
        _off(figures.units, card.units, "headline units"),
        _some(sum(item.about.place is None for item in items), "items about no one place"),
        _some(figures.equal_requests, "items with the same words as another"),
        _some(figures.contradictions, "words with different gold labels"),
    ]
    return DataCheck(
        benchmark=card.name,
        file=path.name if path else None,
        sha256=sha256_of(path) if path else None,
        items=figures.items,
        units=figures.units,
        places=len(figures.groups.get("place", ())),
        departures=tuple(note for note in notes if note),
    )


def _file(card: Card, data: Path | None) -> Path | None:
    if data is None or not card.files:
        return None
    return data if data.is_file() else next((data / name for name in card.files if (data / name).is_file()), None)


def _off(found: int, expected: int, what: str) -> str:
    return f"{found:,} {what}, where the card has {expected:,}" if found != expected else ""


def _some(count: int, what: str) -> str:
    return f"{what}: {count:,}" if count else ""
