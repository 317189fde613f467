"""`mores doctor data`: read a benchmark's data and hold it against its card."""

from dataclasses import dataclass
from pathlib import Path

from mores.benchmarks import catalogue
from mores.benchmarks.item_figures import figures_of
from mores.cli import screen
from mores.cli.args_list import DataCheckArgs
from mores.cli.show_details import has_data, items_of
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.files import sha256_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DataCheck:
    """What one benchmark's data holds and where it departs from its card; `sha256` is of the file, if there is one."""

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
    name, data = typed.name, typed.data
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
    """What one benchmark's data holds.

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
