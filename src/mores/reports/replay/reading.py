"""A replay out of finished runs: the town is made again from the run's seed and data, the day is what it stored.

run folder ─▶ cells with days in town ─▶ the same episode of each ─▶ Replay. A town that is no longer what it was when
the run was played is refused, as people would stand where they never were.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.shapes.days.benchmark import DayBenchmark
from mores.core.codec import UNREADABLE, parse_json
from mores.core.day import Checked, Did
from mores.core.errors import InputError, UnknownName
from mores.core.transcript import Failed, Transcript, read_event
from mores.models.budget import Budget
from mores.reports.findings import Finding, read_unchanged
from mores.reports.replay.days import Played, Replay
from mores.reports.replay.rechecked import rechecked, votes_on_tasks
from mores.runs.folder import MANIFEST
from mores.runs.results import TRANSCRIPTS
from mores.runs.spec import read_study
from mores.runs.stored import JUDGES
from mores.runs.study import Study
from mores.worlds.town.stage import Stage

Play = tuple[str, int]
"""An episode by its item and its sample."""
_OF_TOWNS = ("residents", "cultures", "offscreen")
"""Settings that decide who lives in a town, and who is where."""


class _Event(msgspec.Struct):
    event: str


class _Head(msgspec.Struct):
    """What of a stored episode is read to choose one."""

    item: str
    sample: int
    events: list[_Event]


_heads = msgspec.json.Decoder(_Head)


def read_replay(run: Path, *, episode: str | None = None, against: Path | None = None) -> Replay:
    """The days of one episode: of all models of a run, and of those of another where one is named.

    Args:
        run: Folder of a finished run.
        episode: An item such as `day-17`, or `day-17/1` for its second sample; by default the first one whose day did
            not break off before a step.
        against: Folder of another finished run on the same seed.

    Raises:
        InputError: a folder is no finished run or has no days in town, the episode is not in all of them, or the town
            is another one.
    """
    cells = _town_cells(run, against)
    play = _chosen(
        episode, [_listed(cell) for cell in cells], [str(path) for path in (run, against) if path is not None]
    )
    lived = [_played(cell, _transcript(cell, play)) for cell in cells]
    stages = [stage for stage, _ in lived]
    for cell, stage in zip(cells[1:], stages[1:], strict=True):
        _refuse_other_town((cells[0], stages[0]), (cell, stage))
    return Replay(stage=stages[0], days=tuple(day for _, day in lived))


def _refuse_other_town(first: tuple[Finding, Stage], other: tuple[Finding, Stage]) -> None:
    """Days that cannot be put side by side: other people, another way of moving them, other hours, or other tasks."""
    (cell, stage), (beside, found) = first, other
    if found.population.fingerprint != stage.population.fingerprint:
        what = "another town than that of {}"
    elif found.off_screen != stage.off_screen:
        what = "people off the screen are moved another way than in {}"
    elif not np.array_equal(found.whereabouts, stage.whereabouts):
        what = "people are at other places through the day than in {}"
    elif found.plan != stage.plan:
        what = "the target has other tasks than in {}"
    else:
        return
    differs = "; ".join(_differing(cell, beside)) or "the manifests do not tell in what"
    raise InputError(f"{beside.run}: {what.format(cell.run)} ({differs}); expected runs that are equal in this.")


def _differing(one: Finding, other: Finding) -> Iterator[str]:
    """What two runs were given otherwise that decides who is where, each in words."""
    for name in _OF_TOWNS:
        values = [cell.provenance.protocol.settings.get(name, "not set") for cell in (one, other)]
        if len(set(values)) > 1:
            yield f"{name} {' and '.join(values)}"
    if one.provenance.seed != other.provenance.seed:
        yield f"seed {one.provenance.seed} and {other.provenance.seed}"
    hashes = one.provenance.data, other.provenance.data
    names = [name for name in dict.fromkeys((*hashes[0], *hashes[1])) if hashes[0].get(name) != hashes[1].get(name)]
    if names:
        yield f"other data: {', '.join(names)}"


def _town_cells(run: Path, against: Path | None) -> tuple[Finding, ...]:
    """The cells that hold days in town, all of one benchmark; of two runs, the first two are one of each."""
    runs = [run] if against is None else [run, against]
    found = [cell for cell in read_unchanged(runs).cells if _days_of(cell) is not None]
    for each in runs:
        if not any(cell.run == each for cell in found):
            raise InputError(f"{each}: no days in town; expected a run of liveculture/town.")
    same = tuple(cell for cell in found if cell.benchmark == found[0].benchmark)
    if against is not None and not any(cell.run == against for cell in same):
        raise InputError(f"{against}: no days of {found[0].benchmark}; expected a run of the same benchmark.")
    return same if against is None else _paired(same, run)


def _paired(cells: Sequence[Finding], run: Path) -> tuple[Finding, ...]:
    """The cells with one of the other run in the second place: that of the first one's model, if it has one."""
    first = next(cell for cell in cells if cell.run == run)
    others = sorted((cell for cell in cells if cell.run != run), key=lambda cell: cell.model != first.model)
    ahead = (first, *others[:1])
    return (*ahead, *(cell for cell in cells if cell not in ahead))


def _days_of(cell: Finding) -> DayBenchmark | None:
    """The benchmark of a cell, where it is one of days in town."""
    found = catalogue.load(cell.benchmark) if cell.card is not None else None
    return found if isinstance(found, DayBenchmark) else None


def _listed(cell: Finding) -> dict[Play, bool]:
    """The episodes of a cell in the order of its file; False where nobody lived even a step."""
    found: dict[Play, bool] = {}
    for head, _ in _lines(cell):
        found[head.item, head.sample] = any(each.event == "did" for each in head.events)
    return found


def _transcript(cell: Finding, play: Play) -> Transcript:
    """One episode of a cell, without what was asked of judges."""
    where = str(cell.folder / TRANSCRIPTS)
    line = next(line for head, line in _lines(cell) if (head.item, head.sample) == play)
    said = (row for row in parse_json(line, where=where)["events"] if not str(row.get("role", "")).startswith(JUDGES))
    return Transcript(item=play[0], sample=play[1], events=tuple(read_event(row) for row in said))


def _lines(cell: Finding) -> Iterator[tuple[_Head, bytes]]:
    path = cell.folder / TRANSCRIPTS
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield _heads.decode(line), line
            except UNREADABLE as error:
                raise InputError(f"{path}:{number}: no transcript, or one that is cut ({error}).") from error


def _chosen(episode: str | None, listed: Sequence[Mapping[Play, bool]], runs: Sequence[str]) -> Play:
    """The episode that was asked for, or the first that all cells hold."""
    common = [play for play in listed[0] if all(play in plays for plays in listed)]
    if not common:
        raise InputError(f"{' and '.join(runs)}: no episode in common; expected runs with the same seed and targets.")
    if episode is not None:
        return _named(episode, common)
    return next((play for play in common if all(plays[play] for plays in listed)), common[0])


def _named(episode: str, common: Sequence[Play]) -> Play:
    item, _, sample = episode.partition("/")
    wanted = (item, int(sample) if sample.isdecimal() else 0)
    if wanted not in common or (sample and not sample.isdecimal()):
        raise UnknownName(
            "episode", episode, (name for name, _ in common), todo="An episode is an item, such as day-17."
        )
    return wanted


def _played(cell: Finding, transcript: Transcript) -> tuple[Stage, Played]:
    """One day of a cell with the stage that it was lived on, made again.

    Raises:
        InputError: what the town was made from changed since, or the day broke off before anything was done.
    """
    benchmark, setting = _days_of(cell), _setting(cell)
    if benchmark is None or not any(isinstance(event, Did) for event in transcript.events):
        cause = next((event.cause for event in transcript.events if isinstance(event, Failed)), "no step was lived")
        raise InputError(
            f"{cell.run}: {transcript.item} of {cell.label} broke off before its first deed ({cause}); "
            "choose another one with --episode."
        )
    _refuse_changed(cell, benchmark.sources(setting))
    item = next(each for each in benchmark.items(setting) if each.about.item == transcript.item)
    verdicts = (v for v in cell.every_verdict() if (v.about.item, v.sample) == (transcript.item, transcript.sample))
    rejudged = cell.provenance.judged is not None
    votes = votes_on_tasks(cell.folder, transcript.item, transcript.sample) if rejudged else {}
    return benchmark.stage(item, setting), Played(
        label=cell.label,
        benchmark=cell.benchmark,
        simulated=cell.simulated,
        item=transcript.item,
        sample=transcript.sample,
        events=transcript.events,
        verdicts=tuple(verdicts),
        norms=benchmark.norms(item, setting),
        roles=cell.provenance.roles,
        rejudged=rejudged,
        again=rechecked((event for event in transcript.events if isinstance(event, Checked)), votes),
    )


def _setting(cell: Finding) -> Setting:
    """What a cell was played with."""
    spec, conditions = read_study(cell.folder / MANIFEST)
    return Setting(
        data=Path(spec.data) if spec.data else None,
        protocol=cell.provenance.protocol,
        seed=Study(spec=spec, conditions=conditions, folder=cell.folder, budget=Budget()).seed,
        roles=cell.provenance.roles,
    )


def _refuse_changed(cell: Finding, sources: Mapping[str, str]) -> None:
    before = cell.provenance.data
    changed = sorted(name for name, sha in sources.items() if before.get(name, sha) != sha)
    if changed:
        raise InputError(
            f"{cell.run}: {' and '.join(changed)} changed since it was played; expected the data and the mores "
            "of the run, or run it again."
        )
