"""One thing laid out: a benchmark's card with figures of its items, a place, a norm, the pack."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec import to_builtins

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import ItemView, Setting, ShowsItems
from mores.benchmarks.controls import controls_of
from mores.benchmarks.item_figures import ItemFigures, figures_of
from mores.benchmarks.ladder.pack_info import describe_checking
from mores.benchmarks.shapes.closed_question import ClosedItem
from mores.benchmarks.shapes.reasons.benchmark import ExplainedItem
from mores.cli import screen
from mores.core.card import Card, Protocol
from mores.core.seeds import Seed
from mores.core.transcript import Item
from mores.norms.pack import Pack, PackNorm
from mores.norms.places import Place, places

ITEM_KEYS = ("item", "place", "gold")
"""Columns in which items are shown whose benchmark has none of its own."""
NO_DATA = "For figures of its items give the data: --data DIR_OR_FILE."


def items_of(name: str, data: Path | None) -> Sequence[Item]:
    """All items of a benchmark in the order of its data, as its card's protocol puts them.

    Raises:
        InputError: the data is missing or malformed.
    """
    benchmark = catalogue.load(name)
    return benchmark.items(Setting(data=data, protocol=benchmark.card.protocol, seed=Seed("mores-0")))


def has_data(card: Card, data: Path | None) -> bool:
    """True where a benchmark needs no data, was given a file, or finds one of its files in the folder."""
    return not card.files or (data is not None and (data.is_file() or any((data / f).is_file() for f in card.files)))


def show_benchmarks(names: Sequence[str], data: Path | None, *, ids: bool, json: bool) -> None:
    """Print cards with figures of their items, or the items' ids; one that was named alone must have its data.

    Raises:
        InputError: the data is missing or malformed.
    """
    found = [
        (catalogue.card(name), _looked_at(name, data, must=ids or (data is not None and len(names) == 1)))
        for name in names
    ]
    if ids:
        _print_ids([(_view_of(card), items or ()) for card, items in found], json=json)
        return
    figures = [
        (card, figures_of(catalogue.load(card.name), items, card.groups) if items is not None else None)
        for card, items in found
    ]
    if json:
        screen.print_json({"benchmarks": [{"card": card, "items": items} for card, items in figures]})
        return
    for card, items in figures:
        _print_card(card)
        if items is None:
            screen.line(NO_DATA)
        else:
            _print_figures(card, items)


def _looked_at(name: str, data: Path | None, *, must: bool) -> Sequence[Item] | None:
    """Items of a benchmark, or None where it has no data and may do without."""
    if must or has_data(catalogue.card(name), data):
        return items_of(name, data)
    return None


def _view_of(card: Card) -> ItemView | None:
    """The way in which a benchmark shows its items, where it has one."""
    benchmark = catalogue.load(card.name)
    return benchmark.item_view if isinstance(benchmark, ShowsItems) else None


def _print_ids(found: Sequence[tuple[ItemView | None, Sequence[Item]]], *, json: bool) -> None:
    """Print a line an item; titles stand above where a benchmark names its own."""
    if json:
        rows = [_item_row(item) | (dict(view.row(item)) if view else {}) for view, items in found for item in items]
        screen.print_json({"items": rows})
        return
    for view, items in found:
        keys = tuple(view.titles) if view else ITEM_KEYS
        if view:
            sys.stdout.write("\t".join(view.titles.values()) + "\n")
        shown = (view.row(item) if view else _item_row(item) for item in items)
        sys.stdout.writelines("\t".join(row[key] or "-" for key in keys) + "\n" for row in shown)


def _item_row(item: Item) -> dict[str, str | None]:
    """An item's id, place and gold label."""
    gold = item.gold if isinstance(item, ClosedItem | ExplainedItem) else None
    return {"item": item.about.item, "place": item.about.place, "gold": gold}


class CardPart(NamedTuple):
    """A part of a card below its heading: facts by name, or a table of the columns, or sentences."""

    heading: str
    facts: Mapping[str, object] = MappingProxyType({})
    columns: tuple[str, ...] = ()
    rows: Sequence[tuple[object, ...]] = ()
    sentences: Sequence[str] = ()


def card_parts(card: Card) -> tuple[CardPart, ...]:
    """Parts of a card, as the terminal and the site show them; empty facts are to be left out."""
    metrics = sorted(card.metrics, key=lambda metric: metric.name != card.headline)
    parts = (
        CardPart(f"{card.title} ({card.name}, version {card.version})", facts=_card_facts(card)),
        CardPart("Protocol (a run shows where it departs from it)", facts=_protocol_facts(card.protocol)),
        CardPart(
            "Options (--set NAME=VALUE)",
            columns=("name", "default", "choices", "says"),
            rows=[(o.name, o.default or "(none)", ", ".join(o.choices) or "any", o.says) for o in card.options],
        ),
        CardPart(
            "Metrics (the first is the headline)",
            columns=("name", "unit", "range", "says"),
            rows=[(m.name, m.unit, f"{m.low:g}–{m.high:g}", _format_metric(m.says, m.better)) for m in metrics],
        ),
        CardPart("Notes", sentences=card.notes),
    )
    return tuple(part for part in parts if part.facts or part.rows or part.sentences)


def _print_card(card: Card) -> None:
    for part in card_parts(card):
        screen.heading(part.heading)
        if part.facts:
            screen.facts(part.facts)
        if part.rows:
            screen.table(part.columns, part.rows)
        for sentence in part.sentences:
            screen.line(f"- {sentence}")


def _card_facts(card: Card) -> dict[str, object]:
    data = f"{' or '.join(card.files)}, named with --data" if card.files else "bundled"
    return {
        "measures": card.measures, "does not measure": card.not_measured, "source": card.source,
        "licence": card.licence, "data": data,
        "items": f"{card.items:,} in {card.units:,} headline units; drawn together: {card.clusters}",
        "by chance": screen.share(card.chance), "figures by": ", ".join(card.groups),
        "controls": ", ".join(controls_of(catalogue.load(card.name))) or "none",
    }  # fmt: skip


def _format_metric(says: str, better: str) -> str:
    return f"{says} (lower is better)" if better == "lower" else says


def _protocol_facts(protocol: Protocol) -> dict[str, object]:
    temperature = protocol.sampling.temperature
    return {
        "temperature": "left to the provider" if temperature is None else f"{temperature:g}",
        "answer": f"{protocol.answer_tokens} tokens, thinking apart" if protocol.answer_tokens else "no limit",
        "samples": protocol.samples, "labels read": protocol.reading,
        "options": "permuted" if protocol.shuffle else "in their own order",
        "units": f"{protocol.limit:,}, drawn from all" if protocol.limit else "all",
        "judging": _judging(protocol),
        "roles": ", ".join(protocol.roles), "taken from": protocol.source,
    }  # fmt: skip


def _judging(protocol: Protocol) -> str:
    if protocol.judging is None:
        return ""
    times = "once" if protocol.judging.runs == 1 else f"{protocol.judging.runs} times each"
    temperature = protocol.judging.sampling.temperature
    return f"{times}, temperature {'left to the provider' if temperature is None else f'{temperature:g}'}"


def _print_figures(card: Card, found: ItemFigures) -> None:
    screen.heading("Items as found")
    counts = {
        "items": f"{found.items:,} in {found.units:,} headline units and {found.clusters:,} clusters",
        "equal": f"{found.equal_requests:,} with the same words as another" if found.equal_requests else "",
        "contrary": f"{found.contradictions:,} words with different gold labels" if found.contradictions else "",
    }
    view = _view_of(card)
    groups = {view.titles.get(kind, kind) if view else kind: _counted(counts) for kind, counts in found.groups.items()}
    screen.facts(counts | groups)
    if found.words:
        screen.heading("Words")
        screen.table(("text", "texts", "mean", "fewest", "most"), [(slot, *found.words[slot]) for slot in found.words])
    if found.always:
        screen.heading(f"Gold labels, and what always giving one would get ({card.headline}: by headline unit)")
        rows = [(a.label, a.gold, screen.share(a.items), screen.share(a.units), a.baseline or "") for a in found.always]
        screen.table(("label", "gold", "of items", "of units", "who does so"), rows)


def _counted(counts: dict[str, int]) -> str:
    listed = ", ".join(f"{value} {count:,}" for value, count in counts.items())
    return f"{len(counts)}: {listed}"


def show_place(where: Place, pack: Pack, *, json: bool) -> None:
    """Print a place: its codes and groups, its parts, the pack's norms of it and how far those were checked."""
    entries = [entry.norm for entry in pack.norms if entry.norm.place == where.id]
    parts = [part.id for part in places() if part.parent == where.id]
    if json:
        screen.print_json({"place": where, "parts": parts, "norms": [norm.id for norm in entries],
                           "standing": describe_checking(entries) if entries else None})  # fmt: skip
        return
    screen.heading(f"{where.name} ({where.id})")
    screen.facts({"part of": where.parent, "region": where.region, "continent": where.continent,
                  "wvs_group": where.wvs_group, "parts": ", ".join(parts)})  # fmt: skip
    if entries:
        screen.heading(f"Norms in the pack {pack.id}, version {pack.version} ({len(entries)})")
        screen.line(describe_checking(entries))
        screen.facts({norm.id: norm.statement for norm in entries})


def show_norm(entry: PackNorm, *, json: bool) -> None:
    """Print a norm as what many people of a place say, its source and its items."""
    if json:
        screen.print_json(to_builtins(entry))
        return
    norm = entry.norm
    screen.heading(norm.id)
    screen.facts(
        {
            "norm": norm.statement, "false": norm.negation, "place": norm.place, "holds for": norm.subgroup,
            "domain": f"{norm.domain}, {norm.topic}", "strictness": norm.strictness,
            "agreement": "nobody was asked yet" if norm.agreement is None else screen.share(norm.agreement),
            "does not hold": norm.except_for or None, "contested": norm.contested or None,
        }
    )  # fmt: skip
    for source in norm.sources:
        looked = "" if source.verified else " (UNVERIFIED: no page could be opened)"
        screen.facts({"source": f"{source.title}, looked up {source.looked_up}{looked}", "address": source.url,
                      "found": source.found, "dissent": source.dissent or None})  # fmt: skip
    for known in entry.know:
        screen.heading(f"know: {known.question}")
        screen.table(("true", "statement"), [(option.true, option.text) for option in known.options])
    for scene in entry.judge:
        screen.heading("judge")
        screen.facts({"scene": scene.story, "asked": scene.question, "label": scene.label, "why": scene.why})


def show_pack(pack: Pack, *, json: bool) -> None:
    """Print a pack: its size, its places and domains, and how much of it was verified."""
    norms = [entry.norm for entry in pack.norms]
    head = {"id": pack.id, "name": pack.name, "version": pack.version, "fingerprint": pack.fingerprint,
            "norms": len(norms), "unverified": sum(not norm.verified for norm in norms)}  # fmt: skip
    counts: dict[str, dict[str, int]] = {
        "places": dict(Counter(norm.place for norm in norms)),
        "domains": dict(Counter(str(norm.domain) for norm in norms)),
        "strictness": dict(Counter(str(norm.strictness) for norm in norms)),
        "labels": dict(Counter(str(scene.label) for entry in pack.norms for scene in entry.judge)),
    }
    if json:
        screen.print_json(head | counts | {"standing": describe_checking(norms)})
        return
    screen.heading(f"{pack.name} ({pack.id}, version {pack.version})")
    screen.line(describe_checking(norms))
    screen.facts({name: head[name] for name in ("norms", "unverified", "fingerprint")})
    screen.facts({kind: _counted(found) for kind, found in counts.items()})
