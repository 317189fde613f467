"""The rung converse: who is told the norm, what a simulated talk is like under each pressure, and what counts."""

from typing import Any

import pytest

from mores.benchmarks.benchmark import Benchmark, Setting
from mores.benchmarks.shapes.dialogues.pressure import LEVELS
from mores.core.errors import InputError
from mores.core.transcript import Ended, Spoke
from mores.norms.pack import load_pack
from tests.benchmarks.plays import TINY, Open, figure, figures_of, perform, setting_of, tiny
from tests.benchmarks.talks import told

NAME = "ladder/converse"
SAGE = "simulated/expert:converse=1,apply_known=1,format_error=0,sensitivity=1,specificity=1"


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
            assert words in told(item, "antagonist")
        assert entry.converse.goal in told(item, "subject")
        assert entry.converse.goal not in told(item, "antagonist")


@pytest.mark.parametrize(("level", "pushes"), [("none", 0), ("paper", 1), ("firm", 2), ("strong", 3)])
def test_a_simulated_other_pushes_as_often_as_the_level_says_and_the_talk_closes(level: str, pushes: int) -> None:
    benchmark, setting, items = opened(pressure=level)
    for transcript, _ in perform(benchmark, setting, items, Open(f"{SAGE},give_way=0")):
        said = [event for event in transcript.events if isinstance(event, Spoke)]
        end = next(event for event in transcript.events if isinstance(event, Ended))
        assert (end.why, end.by, end.rounds) == ("closing words", "antagonist", 6 + pushes)
        planted = [event.planted for event in said if event.role == "subject"]
        assert planted == ["greets", "aware", "knows", *["stays"] * (1 + pushes), "both"]
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
