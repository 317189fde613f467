"""A replay out of a run: the town made again, the day as it was stored, and what is refused."""

import asyncio
import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mores.benchmarks.liveculture.replay import render
from mores.benchmarks.liveculture.replay.timeline import timeline
from mores.benchmarks.liveculture.town_setup import NORMS as NORMS_FILE
from mores.cli.town import ReplayArgs, read_replay
from mores.cli.town import replay as replay_verb
from mores.core.codec import encode
from mores.core.errors import InputError, UnknownName
from mores.core.transcript import StepStartEvent
from mores.core.verdict import Graded
from mores.norms.norm_base import FORMAT, BaseHeader, Fit, NormBase, TownNorm, base_lines
from mores.norms.places import place
from mores.runs.folder import seal_of
from mores.runs.run_study import run_study
from mores.runs.spec import ExecutionSpec, Spec
from mores.runs.study import Study
from mores.tables import formatting
from mores.worlds.town.schedule import slot_of
from mores.worlds.town.streets import KINDS
from tests.reports.test_page import Parts


@pytest.fixture(scope="module")
def norms_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a few norms of our own for two of the town's origins."""
    folder = tmp_path_factory.mktemp("norms")
    fits = tuple(Fit(kind=kind, confidence=1.0, reason="made for a test") for kind in KINDS)
    rows = tuple(
        TownNorm(id=f"{place}-{n}", place=place, statement=f"In {place} people do thing {n}.", source="own", fits=fits)
        for place in ("AU", "CN", "GB-ENG")
        for n in range(3)
    )
    (folder / NORMS_FILE).write_bytes(
        base_lines(NormBase(BaseHeader(base=FORMAT, made_from="own", made_by="hand"), rows))
    )
    return folder


def ran(folder: Path, *benchmarks: str, **wished: Any) -> Path:
    spec = Spec(benchmarks=benchmarks, **wished)
    study = Study(spec=spec, conditions=ExecutionSpec(first_wait=0.0), folder=folder)
    assert asyncio.run(run_study(study))
    return folder


@pytest.fixture(scope="module")
def run(norms_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two simulated models live the days of three residents."""
    return ran(
        tmp_path_factory.mktemp("runs") / "run",
        "liveculture/town",
        models=("simulated/typical", "simulated/novice"),
        data=str(norms_folder),
        limit=3,
        settings={"residents": "150"},
    )


def test_a_run_is_shown_as_it_was_played(run: Path) -> None:
    found = read_replay(run)
    assert [each.label for each in found.days] == ["simulated/typical", "simulated/novice"]
    for each, evaluation in zip(found.days, sorted(run.glob("simulated-*"), reverse=True), strict=True):
        stored = [
            json.loads(line) for line in (evaluation / "transcripts.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        assert json.loads(encode(each.events)) == next(row["events"] for row in stored if row["item"] == each.item)
    for lived in found.days:
        for begun in lived.each(StepStartEvent):
            where = timeline(found.stage, lived).whereabouts(found.stage)[:, slot_of(begun.minute)]
            there = set(np.flatnonzero(where == begun.where).tolist())
            assert set(begun.present) <= there
        assert lived.verdicts
    assert formatting.SIMULATED in Parts(render(found)).text


def test_any_episode_can_be_asked_for(run: Path) -> None:
    lines = (next(run.glob("simulated-novice*")) / "transcripts.jsonl").read_text(encoding="utf-8").splitlines()
    plays = [json.loads(line)["item"] for line in lines]
    assert [read_replay(run, episode=item).days[0].item for item in plays] == plays
    assert read_replay(run, episode=f"{plays[1]}/0").days[0].item == plays[1]
    with pytest.raises(UnknownName, match=r"No episode is called 'day-x'"):
        read_replay(run, episode="day-x")
    with pytest.raises(UnknownName, match="such as day-17"):
        read_replay(run, episode=f"{plays[0]}/1")


def test_a_run_that_was_judged_again_shows_what_its_own_votes_and_verdicts_say(
    run: Path, norms_folder: Path, tmp_path: Path
) -> None:
    """Each task as the votes have it; and the count of the strip is that of the verdict on the day."""
    wished: dict[str, Any] = {
        "models": ("simulated/typical", "simulated/novice"),
        "data": str(norms_folder),
        "limit": 3,
    }
    again = ran(
        tmp_path / "again", "liveculture/town", settings={"residents": "150"}, judged=str(run),
        judge_samples=3, judge_temperature=1.0, **wished,
    )  # fmt: skip
    episodes = {json.loads(line)["item"] for line in _lines(again, "transcripts.jsonl")}
    changed = 0
    for item in episodes:
        for before, after in zip(
            read_replay(run, episode=item).days, read_replay(again, episode=item).days, strict=True
        ):
            life = timeline(read_replay(again, episode=item).stage, after)
            assert not life.uncounted
            (goal,) = (v for v in after.verdicts if v.task == "goal" and isinstance(v, Graded))
            assert len(life.done) == round(goal.points * len(life.tasks))
            changed += [word.check.done for word in after.words] != [word.check.done for word in before.words]
    assert changed
    for path in again.glob("*/votes.jsonl"):
        path.unlink()
    old = read_replay(again)
    assert all(timeline(old.stage, each).uncounted for each in old.days)


def _lines(run: Path, name: str) -> list[str]:
    return [line for path in run.glob(f"*/{name}") for line in path.read_text(encoding="utf-8").splitlines()]


def test_people_have_the_names_and_origins_of_the_setting_that_was_played(norms_folder: Path, tmp_path: Path) -> None:
    settings = {"residents": "60", "cultures": "1", "steps": "12"}
    found = read_replay(ran(tmp_path / "run", "liveculture/town", data=str(norms_folder), limit=1, settings=settings))
    origins = {found.stage.population.nationality[person] for person in range(60)}
    assert origins == {found.stage.person.nationality}
    data = json.loads(re.search(r'id="data">(.*?)</script>', render(found), re.DOTALL)[1])  # type: ignore[index]
    shown = data["people"]["origin"]
    assert {shown["words"][code] for code in b64decode(shown["codes"]["base64"])} == {place(next(iter(origins))).name}


def test_a_run_without_days_in_town_is_refused(tmp_path: Path) -> None:
    run = ran(tmp_path / "run", "ladder/know", limit=5)
    with pytest.raises(InputError, match="no days in town; expected a run of liveculture/town"):
        read_replay(run)


def test_a_town_that_changed_since_is_refused(norms_folder: Path, tmp_path: Path) -> None:
    run = ran(tmp_path / "run", "liveculture/town", data=str(norms_folder), limit=1, settings={"residents": "120"})
    manifest = (run / "manifest.json").read_text(encoding="utf-8")
    found = re.search(r'"population": "([0-9a-f]+)"', manifest)
    assert found is not None
    other = json.loads(manifest.replace(found[1], "0" * 12))
    (run / "manifest.json").write_text(json.dumps({**other, "seal": seal_of(other)}), encoding="utf-8")
    with pytest.raises(InputError, match="population changed since it was played"):
        read_replay(run)


def test_the_verb_writes_a_page_and_says_where(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replay_verb(ReplayArgs(run=run))
    page = Path(capsys.readouterr().out.strip())
    assert page.parent == run
    assert page.name == f"replay-{read_replay(run).days[0].item}.html"
    assert page.read_text(encoding="utf-8") == render(read_replay(run))
    replay_verb(ReplayArgs(run=run, out=tmp_path / "new" / "page.html"))
    assert (tmp_path / "new" / "page.html").is_file()
    with pytest.raises(InputError, match="it is a folder"):
        replay_verb(ReplayArgs(run=run, out=tmp_path))
