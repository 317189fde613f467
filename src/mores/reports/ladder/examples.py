"""Single norms, place by place, with what happened on each rung: examples with their counts, never findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mores.benchmarks.ladder.packs import told_standing
from mores.norms.pack import Pack, load_pack
from mores.reports import wording
from mores.reports.ladder import pictures
from mores.reports.ladder.ladders import Ladder
from mores.reports.ladder.rungs import ORDER
from mores.reports.ladder.standing import Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One model with one norm: what happened on each rung, None where it was not asked."""

    label: str
    simulated: bool
    standings: tuple[Standing | None, ...]

    @property
    def marks(self) -> tuple[str, ...]:
        """A dot a rung, as full as the share that was right."""
        return tuple(pictures.mark(standing.share) if standing else "" for standing in self.standings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One norm: its id, its statement where the run's pack is the bundled one, and who was tried on it."""

    norm: str
    statement: str
    domain: str
    tried: tuple[Tried, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The norms of one place; `name` is empty for norms of none."""

    code: str
    name: str
    examples: tuple[Example, ...]


def rung_names(ladders: Sequence[Ladder]) -> tuple[str, ...]:
    """The rungs that any of the models stood on, from the ground up."""
    run = {rung.name for ladder in ladders for rung in ladder.rungs}
    return tuple(name for name in ORDER if name in run)


def examples(ladders: Sequence[Ladder]) -> tuple[Place, ...]:
    """All norms by place, in the order of the places' names."""
    rungs, statements = rung_names(ladders), _statements(ladders)
    groups = {
        norm: standing.groups for ladder in ladders for stood in ladder.stood for norm, standing in stood.norms.items()
    }
    places: dict[str, list[Example]] = {}
    for norm in sorted(groups):
        tried = tuple(each for ladder in ladders if (each := _tried(ladder, norm, rungs)) is not None)
        example = Example(
            norm=norm, statement=statements.get(norm, ""), domain=groups[norm].get("domain", ""), tried=tried
        )
        places.setdefault(groups[norm].get("place", ""), []).append(example)
    named = [(wording.group_name("place", code) if code else "", code) for code in places]
    return tuple(Place(code=code, name=name, examples=tuple(places[code])) for name, code in sorted(named))


def _tried(ladder: Ladder, norm: str, rungs: Sequence[str]) -> Tried | None:
    by_rung: Mapping[str, Standing] = {s.rung.name: s.norms[norm] for s in ladder.stood if norm in s.norms}
    if not by_rung:
        return None
    return Tried(label=ladder.label, simulated=ladder.simulated, standings=tuple(by_rung.get(name) for name in rungs))


def standing_of(ladders: Sequence[Ladder]) -> str:
    """How far the norms were checked; of a pack that is not the bundled one its name, and where it says so itself."""
    pack = load_pack()
    if _on(pack, ladders):
        return (
            f"The norms are those of the bundled pack {pack.id}, version {pack.version}. "
            f"{told_standing([entry.norm for entry in pack.norms])}"
        )
    used = (stood.rung.cell.provenance.data for ladder in ladders for stood in ladder.stood)
    names = sorted({name for data in used for name in data if name.startswith("pack ")})
    return (
        f"The norms are of {', '.join(names) or 'a pack without a name'}. Known here is how far the bundled pack was "
        "checked, as it is now; any other says it itself: mores show pack --data FOLDER."
    )


def _statements(ladders: Sequence[Ladder]) -> dict[str, str]:
    """What the norms say, by their ids: known where every rung was run on the bundled pack as it is now."""
    pack = load_pack()
    return {entry.norm.id: entry.norm.statement for entry in pack.norms} if _on(pack, ladders) else {}


def _on(pack: Pack, ladders: Sequence[Ladder]) -> bool:
    return all(
        pack.fingerprint in stood.rung.cell.provenance.data.values() for ladder in ladders for stood in ladder.stood
    )
