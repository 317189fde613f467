"""The rung converse: who is told the norm, what a simulated talk is like under each pressure, and what counts."""

from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks.benchmark import Benchmark, Setting
from mores.benchmarks.shapes.pressure import LEVELS
from mores.core.errors import InputError
from mores.core.transcript import DialogueEndEvent, TurnEvent
from mores.norms.pack import load_pack
from tests.benchmarks.plays import TINY, Open, Script, figure, figures_of, perform, setting_of, tiny
from tests.benchmarks.talks import talk, told

NAME = "ladder/converse"
SAGE = "simulated/expert:converse=1,apply_known=1,format_error=0,false_alarm=0,sensitivity=1,specificity=1"
HARMLESS_ONES = {"converse-JP-etiquette-slippers"}


def opened(**settings: str) -> tuple[Benchmark, Setting, list[Any]]:
    benchmark, setting, _ = tiny(NAME)
    changed = setting_of(benchmark, setting.data, settings={**benchmark.card.protocol.settings, **settings})
    return benchmark, changed, list(benchmark.items(changed))


def test_the_subject_is_told_neither_the_norm_nor_what_the_other_proposes() -> None:
    scenes = {f"converse-{entry.norm.id}": entry for entry in load_pack(TINY / "ladder").norms if entry.converse}
    _, _, items = opened()
    assert {item.about.item for item in items} == set(scenes)
    for item in items:
        entry = scenes[item.about.item]
        assert entry.converse is not None
        for words in (entry.norm.statement, entry.converse.proposal, LEVELS["paper"].words):
            assert words not in told(item, "subject")
        for words in (entry.converse.proposal, LEVELS["paper"].words):
            assert words in told(item, "antagonist")
        assert (entry.norm.statement in told(item, "antagonist")) is not entry.converse.harmless
        assert entry.converse.goal in told(item, "subject")
        assert entry.converse.goal not in told(item, "antagonist")


@pytest.mark.parametrize(("level", "pushes"), [("none", 0), ("paper", 1), ("firm", 2), ("strong", 3)])
def test_a_simulated_other_pushes_as_often_as_the_level_says_and_the_talk_closes(level: str, pushes: int) -> None:
    benchmark, setting, items = opened(pressure=level)
    for transcript, _ in perform(benchmark, setting, items, Open(f"{SAGE},give_way=0")):
        said = [event for event in transcript.events if isinstance(event, TurnEvent)]
        end = next(event for event in transcript.events if isinstance(event, DialogueEndEvent))
        harmless = transcript.item in HARMLESS_ONES
        assert (end.why, end.by, end.rounds) == ("closing words", "antagonist", 6 + pushes - harmless)
        planted = [event.planted for event in said if event.role == "subject"]
        seen = ["stays"] if harmless else ["aware", "knows"]
        assert planted == ["greets", *seen, *["stays"] * (1 + pushes), "both"]
        assert not any(event.flags for event in said)


def test_who_knows_all_and_acts_on_it_keeps_every_norm_at_every_level() -> None:
    benchmark, setting, items = opened(pressure="none,strong")
    found = figures_of(benchmark, setting, items, Open(f"{SAGE},give_way=0"))
    for level in ("none", "strong"):
        assert figure(found, "accuracy", dimension=f"pressure {level}").value == 1
    assert figure(found, "accuracy").asked == 2 * len({item.about.unit for item in items})


def test_who_gives_way_to_all_pressure_is_aware_all_the_same() -> None:
    benchmark, setting, items = opened(pressure="none,strong")
    found = figures_of(benchmark, setting, items, Open(f"{SAGE},give_way=1"))
    assert figure(found, "accuracy", dimension="pressure none").value == 1
    assert (figure(found, "accuracy", dimension="pressure strong").value or 0) < 1
    assert figure(found, "awareness", dimension="pressure strong").value == 1


def test_a_norm_is_one_unit_whatever_the_pressure() -> None:
    _, _, items = opened(pressure="none,firm,strong")
    units = [item.about.unit for item in items]
    assert all(units.count(unit) == 3 for unit in units)
    assert len({item.about.item for item in items}) == len(items)


def test_a_pack_without_scenes_for_talks_is_refused(tmp_path: Any) -> None:
    for path in (each for each in (TINY / "ladder").iterdir() if each.is_file()):
        text = path.read_text(encoding="utf-8")
        kept, inside = [], False
        for line in text.splitlines():
            inside = line.startswith("[norm.converse") or (inside and not line.startswith("["))
            if not inside:
                kept.append(line)
        (tmp_path / path.name).write_text("\n".join(kept), encoding="utf-8")
    benchmark, setting, _ = tiny(NAME)
    with pytest.raises(InputError, match=r"no norm has a table \[norm.converse\]"):
        benchmark.items(setting_of(benchmark, tmp_path, settings=setting.protocol.settings))


def only(items: list[Any], *, harmless: bool) -> list[Any]:
    return [item for item in items if item.harmless is harmless]


def test_the_subject_of_a_harmless_talk_is_told_what_others_are_and_the_judge_that_nothing_is_wrong() -> None:
    benchmark, setting, items = opened()
    (calm,), others = only(items, harmless=True), only(items, harmless=False)
    assert calm.subject.prompt.sha == others[0].subject.prompt.sha
    assert calm.antagonist.prompt.sha != others[0].antagonist.prompt.sha
    assert [due.task for due in benchmark.due(calm)][:3] == ["goal", "respected", "behaviour"]
    assert {due.task for due in benchmark.due(others[0])} == set(benchmark.tasks)
    calls = benchmark.outline(calm, setting)["judge"].calls
    assert calls < benchmark.outline(others[0], setting)["judge"].calls


def test_an_objection_to_a_harmless_proposal_is_a_false_alarm_and_the_goal_does_not_mend_it() -> None:
    benchmark, setting, items = opened()
    for chance, right in ((0, 1), (1, 0)):
        spec = SAGE.replace("false_alarm=0", f"false_alarm={chance}")
        found = figures_of(benchmark, setting, items, Open(spec))
        assert figure(found, "false_alarms").value == 1 - right
        assert figure(found, "accuracy", proposal="harmless").value == right
        assert figure(found, "accuracy", proposal="against the norm").value == 1
        assert figure(found, "behaviour", proposal="harmless").value == 1 + 2 * right
        assert figure(found, "goal").value == 1


def test_only_talks_against_the_norm_count_for_what_is_noticed_known_and_respected() -> None:
    benchmark, setting, items = opened(pressure="none,strong")
    found = figures_of(benchmark, setting, items, Open(SAGE))
    against, calm = (2 * len(only(opened()[2], harmless=kind)) for kind in (False, True))
    for metric in ("awareness", "commonsense", "respected"):
        assert figure(found, metric).asked == against
    assert figure(found, "false_alarms").asked == calm
    assert figure(found, "accuracy").asked == figure(found, "goal").asked == against + calm


def test_a_goal_left_open_is_no_false_alarm_and_counts_for_a_harmless_talk() -> None:
    benchmark, setting, items = opened()
    said = {"awareness": {"goal": "no", "respected": "yes"}}  # what is asked first
    found = figures_of(
        benchmark, setting, only(items, harmless=True), Script(talk(["Hello", "Why not?"], ["Fine."], said))
    )
    assert (figure(found, "accuracy").value, figure(found, "goal").value) == (1, 0)
    assert figure(found, "false_alarms").value == 0


def test_who_says_nothing_raises_no_alarm_and_gets_nothing() -> None:
    benchmark, setting, items = opened()
    found = figures_of(benchmark, setting, only(items, harmless=True), Script(talk(["Hello"], [""])))
    assert (figure(found, "accuracy").value, figure(found, "false_alarms").value) == (0, 0)


def test_a_planted_rate_of_false_alarms_is_found_again(tmp_path: Path) -> None:
    text = (TINY / "ladder" / "JP.toml").read_text(encoding="utf-8")
    head, _, norms = text.partition("[[norm]]")
    one = "[[norm]]" + norms.partition("[[bundle]]")[0].rpartition("[[norm]]")[2]
    assert "harmless = true" in one
    many = [one.replace("JP-etiquette-slippers", f"JP-etiquette-slippers-{n}") for n in range(400)]
    (tmp_path / "JP.toml").write_text(head + "\n".join(many), encoding="utf-8")
    benchmark, setting, _ = tiny(NAME)
    setting = setting_of(benchmark, tmp_path, settings=setting.protocol.settings)
    found = figures_of(benchmark, setting, benchmark.items(setting), Open(SAGE.replace("alarm=0", "alarm=0.3")))
    alarms = figure(found, "false_alarms")
    assert alarms.low is not None
    assert alarms.high is not None
    assert alarms.low < 0.3 < alarms.high
    assert alarms.value == pytest.approx(1 - (figure(found, "accuracy").value or 0))
    assert "respected" not in {each.metric for each in found}


def test_a_pack_without_harmless_proposals_has_no_figure_of_false_alarms() -> None:
    benchmark, setting, items = opened()
    found = figures_of(benchmark, setting, only(items, harmless=False), Open(SAGE))
    assert "false_alarms" not in {each.metric for each in found}
