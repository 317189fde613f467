"""The top rung: norms in the course of a day, each decided by what became of it whenever it came up."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import summarise
from mores.benchmarks.ladder.benchmark import benchmark as ladder
from mores.benchmarks.ladder.rung_live import LadderTownSetup, live_benchmark
from mores.benchmarks.shapes.days.benchmark import DayBenchmark
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.core.verdict import NOT_MET, Graded, Ungraded, Verdict
from mores.core.verdict_table import VerdictTable
from mores.models.request import Reply, Request
from mores.norms.norm_base import KINDS
from mores.norms.pack import Pack, load_pack
from mores.worlds.town.stage import Limits
from tests.benchmarks.plays import TINY, Open, Script, figure, setting_of, tiny, verdicts_of


def bundled() -> tuple[DayBenchmark, LadderTownSetup]:
    """The rung over the bundled pack, and what its days stand on."""
    benchmark = ladder("live")
    assert isinstance(benchmark, DayBenchmark)
    benchmark.items(setting_of(benchmark, None))
    (ground,) = benchmark.grounds.values()
    assert isinstance(ground, LadderTownSetup)
    return benchmark, ground


def ids_of(request: Request) -> list[str]:
    fields = json.loads(request.schema or "{}").get("properties", {})
    found: list[str] = fields["answers"]["items"]["properties"]["id"]["enum"] if "answers" in fields else []
    return found


class Town(Script):
    """Minds that go about their tasks, as simulated ones do, and a verifier that says a word for each norm."""

    def __init__(self, word: Callable[[Request, str], str], *, silent: str | None = None) -> None:
        super().__init__(self.judge)
        self.word, self.silent = word, silent
        self.minds = Open("simulated/expert:format_error=0,live=1,apply_known=1")

    def judge(self, request: Request) -> str:
        ids = ids_of(request)
        if not ids:
            return json.dumps({"reason": "So.", "choice": "yes"})
        return json.dumps({"answers": [{"id": n, "reason": "So.", "choice": self.word(request, n)} for n in ids]})

    async def ask(self, request: Request) -> Reply:
        if request.tag.role == "judge":
            return await super().ask(request)
        if request.tag.role == "subject" and self.silent is not None:
            return Reply(text=self.silent)
        return await self.minds.ask(request)


def norms(door: Town, task: str = "live") -> list[Verdict]:
    """The verdicts on the norms of the tiny pack."""
    benchmark, setting, items = tiny("ladder/live")
    return [verdict for verdict in verdicts_of(benchmark, setting, items, door) if verdict.task == task]


def points(found: list[Verdict]) -> set[float | None]:
    return {verdict.points if isinstance(verdict, Graded) else None for verdict in found}


def test_a_norm_that_came_up_and_was_never_violated_counts() -> None:
    assert points(norms(Town(lambda *_: "respected"))) == {1.0}
    assert points(norms(Town(lambda *_: "respected"), "came_up")) == {1.0}
    turns = iter(range(10**6))
    found = norms(Town(lambda *_: "respected" if next(turns) % 2 else "not applicable"))
    assert points(found) <= {1.0, None}
    assert 1.0 in points(found)


def test_one_violation_decides_however_often_the_norm_was_respected() -> None:
    turns = iter(range(10**6))
    found = norms(Town(lambda *_: "violated" if next(turns) % 3 == 0 else "respected"))
    assert 0.0 in points(found)
    assert all(v.label == "violated" for v in found if isinstance(v, Graded) and not v.points)
    assert points(norms(Town(lambda *_: "violated"))) == {0.0}


def test_a_norm_that_never_came_up_is_ungraded_and_counted() -> None:
    found = norms(Town(lambda *_: "not applicable"))
    assert {v.cause for v in found if isinstance(v, Ungraded)} == {NOT_MET}
    assert len(found) == len([v for v in found if isinstance(v, Ungraded)])
    assert points(norms(Town(lambda *_: "not applicable"), "came_up")) == {0.0}


def test_a_verifier_that_fails_leaves_a_norm_open_unless_a_violation_is_known() -> None:
    def lost(request: Request, _: str) -> str:
        return "violated" if request.tag.step > 60_000 else "no word of the list"

    assert points(norms(Town(lost))) <= {0.0, None}
    never = norms(Town(lambda *_: "no word of the list"))
    assert {v.cause for v in never if isinstance(v, Ungraded)} == {"judge: off the list"}
    assert points(never) == {None}


@pytest.mark.parametrize("silent", ["", "I would rather not."])
def test_a_target_that_says_nothing_usable_all_day_has_kept_to_no_norm(silent: str) -> None:
    found = norms(Town(lambda *_: "respected", silent=silent))
    assert points(found) == {0.0}
    assert {v.fault for v in found if isinstance(v, Graded)} == {"format_error"}


def test_every_norm_of_a_bundle_is_on_one_day_with_a_task_that_leads_to_it() -> None:
    _, ground = bundled()
    held = [about.part for item in ground.items() for about in item.held]
    assert len(set(held)) == len(held)
    assert set(held) == {norm.id for bundle in load_pack().bundles for norm in bundle.norm}
    assert not any("ordinary day" in remark for remark in ground.remarks)
    for item in ground.items():
        stage, places = ground.stage(item, Limits()), ground.norms(item)
        occasions = ground.occasions(item)
        assert set(occasions.values()) == {about.part for about in item.held}
        for task in stage.plan.subtasks:
            assert task.kind in KINDS
            assert occasions[task.id] in places[task.kind]
            assert task.words == task.words.strip()
            assert 20 <= len(task.words) <= 150


def test_a_target_comes_from_the_place_of_its_bundle_and_nobody_lives_two_days() -> None:
    _, ground = bundled()
    items = ground.items()
    assert len({item.target for item in items}) == len(items) == len(load_pack().bundles)
    for item in items:
        person = ground.stage(item, Limits()).person
        assert person.nationality == item.about.place
        assert {about.place for about in item.held} == {item.about.place}
        assert 20 <= person.age <= 64


def test_no_task_says_what_its_norm_says() -> None:
    """No run of six words stands in both."""
    _, ground = bundled()
    statements = {entry.norm.id: entry.norm.statement for entry in load_pack().norms}
    for item in ground.items():
        occasions = ground.occasions(item)
        for task in ground.stage(item, Limits()).plan.subtasks:
            shared = _runs(task.words) & _runs(statements[occasions[task.id]])
            assert not shared, (occasions[task.id], shared)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
    return {tuple(words[start : start + 6]) for start in range(len(words) - 5)}


def test_simulated_minds_meet_nearly_every_norm() -> None:
    benchmark, _ = bundled()
    setting = setting_of(benchmark, None)
    door = Open("simulated/expert:format_error=0,sensitivity=1,specificity=1,live=1,apply_known=1")
    found = verdicts_of(benchmark, setting, benchmark.items(setting), door)
    figures = summarise(benchmark, VerdictTable(found), setting)
    assert figure(figures, "accuracy").value == 1
    assert (figure(figures, "came_up").value or 0) >= 0.9
    held = {norm.id for bundle in load_pack().bundles for norm in bundle.norm}
    contested = {entry.norm.id for entry in load_pack().norms if entry.norm.contested}
    assert figure(figures, "accuracy").asked == len(held - contested)


def test_a_town_too_small_for_the_bundles_is_refused() -> None:
    benchmark = catalogue.load("ladder/live")
    settings = {**benchmark.card.protocol.settings, "residents": "20"}
    with pytest.raises(InputError, match="residents=20"):
        benchmark.items(setting_of(benchmark, None, settings=settings))


def test_a_pack_without_bundles_is_refused() -> None:
    benchmark = live_benchmark(lambda _: _without_bundles(), lambda *_: pytest.fail("not asked"), Prompt.read)
    with pytest.raises(InputError, match=r"no table \[\[bundle\]\]"):
        benchmark.items(setting_of(benchmark, None))


def _without_bundles() -> Pack:
    return replace(load_pack(), bundles=())


def test_a_packs_own_tasks_goal_and_names_make_its_days(tmp_path: Path) -> None:
    plain = (TINY / "ladder" / "DE.toml").read_text(encoding="utf-8")
    table = '[norm.live]\nkind = "gym"\ntask = "meet a trainer at four"\n'
    own = plain.replace("[norm.converse]", f"{table}[norm.converse]", 1)
    own = own.replace('id = "DE-one"\n', 'id = "DE-one"\nday = "Be where one is expected."\n')
    own = own.replace('place = "DE"\n', 'place = "DE"\nnames = { female = ["Imke"], male = ["Imke"] }\n')
    (tmp_path / "DE.toml").write_text(own, encoding="utf-8")
    benchmark = ladder("live")
    assert isinstance(benchmark, DayBenchmark)
    setting = setting_of(benchmark, tmp_path)
    (item,) = benchmark.items(setting)
    stage = benchmark.stage(item, setting)
    assert stage.plan.goal == "Be where one is expected."
    assert (stage.plan.subtasks[0].kind, stage.plan.subtasks[0].words) == ("gym", "meet a trainer at four")
    assert stage.person.name == "Imke"
    assert list(benchmark.norms(item, setting)["gym"]) == [item.held[0].part]
    assert not any("ordinary day" in remark for remark in benchmark.remarks(setting))
    (tmp_path / "DE.toml").write_text(plain, encoding="utf-8")
    benchmark.items(setting)
    assert any("1 of 1 bundles have an ordinary day" in remark for remark in benchmark.remarks(setting))
