"""The control `told`: the norm stands before each item, the subject alone is told, and knowing is found again."""

from pathlib import Path
from typing import Any

import pytest

import mores
from mores.analysis.results import Result
from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.controls import controls_of, prompts_of_control, under_control
from mores.benchmarks.ladder.anchors import AnchoredLadder, anchored_ladders
from mores.benchmarks.ladder.anchors_analysis import describe_drop
from mores.benchmarks.ladder.controls import SOMETIMES, norm_in_words
from mores.benchmarks.ladder.rungs import ORDER
from mores.benchmarks.shapes.dialogues.dialogue import DialogueItem
from mores.core.seeds import Seed
from mores.core.transcript import BriefingEvent, DayStartEvent, RequestEvent
from mores.models.request import AnswerKey
from mores.models.simulated import parse_planted
from mores.norms.pack import load_pack
from mores.runs.loading import read_results

BUNDLED = {entry.norm.id: entry for entry in load_pack().norms}
PLACES = ("JP", "DE", "KE")


def setting_of(rung: str) -> Setting:
    return Setting(data=None, protocol=catalogue.load(f"ladder/{rung}").card.protocol, seed=Seed("told"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("told") / "run"
    subject = "simulated/typical:judge=.3,informed=1,format_error=0"
    mores.run("ladder", model=subject, control="told", places=",".join(PLACES), out=folder)
    return folder


def _told(run: Path, rung: str) -> tuple[Result, Result]:
    found = read_results([run])
    (plain,) = found.on(f"ladder/{rung}")
    (other,) = found.variants_of(plain)
    return plain, other


@pytest.mark.parametrize("rung", ORDER)
def test_every_rung_can_be_told_and_leaves_nothing_out(rung: str) -> None:
    benchmark = catalogue.load(f"ladder/{rung}")
    assert "told" in controls_of(benchmark)
    items = benchmark.items(setting_of(rung))
    found = under_control("told", benchmark, items, setting_of(rung))
    assert len(found.items) == len(items)
    assert not found.left_out
    assert [each.about for each in found.items] == [each.about for each in items]
    (words,) = prompts_of_control("told", benchmark)
    assert words not in benchmark.prompts
    assert prompts_of_control("", benchmark) == ()


@pytest.mark.parametrize("rung", ["know", "judge", "explain", "apply", "converse"])
def test_the_norms_stand_before_words_that_are_as_ever(rung: str) -> None:
    benchmark, setting = catalogue.load(f"ladder/{rung}"), setting_of(rung)
    items = benchmark.items(setting)
    with_norms: list[Any] = list(under_control("told", benchmark, items, setting).items)
    plain: Any
    for plain, told in zip(items, with_norms, strict=True):
        before, gap, after = told.render().partition("\n\n")
        assert (gap, after) == ("\n\n", plain.render())
        assert before.startswith("What people say of customs in ")
        assert before.endswith("This may or may not bear on what follows.")


def test_who_may_act_otherwise_and_of_whom_it_is_said_is_told_too() -> None:
    entry = next(e for e in BUNDLED.values() if e.norm.subgroup and e.norm.strictness == "sometimes")
    assert norm_in_words(entry.norm) == f"{entry.norm.statement} This is said of {entry.norm.subgroup}. {SOMETIMES}"
    plain = next(e for e in BUNDLED.values() if not e.norm.subgroup and e.norm.strictness == "no")
    assert norm_in_words(plain.norm) == plain.norm.statement


def test_no_answer_can_be_copied_from_what_is_told() -> None:
    """Neither an option stands in the norm nor the norm in an option, and no scene's label or reason does."""
    for entry in BUNDLED.values():
        told = norm_in_words(entry.norm).casefold()
        for option in (option.text.casefold().rstrip(".") for known in entry.know for option in known.options):
            assert option not in told
            assert told not in option
        for scene in entry.judge:
            assert scene.why.casefold().rstrip(".") not in told
        if entry.explain is not None:
            assert entry.explain.reference.casefold() not in told


def test_nobody_but_the_subject_is_told() -> None:
    benchmark, setting = catalogue.load("ladder/converse"), setting_of("converse")
    items = benchmark.items(setting)
    for plain, told in zip(items, under_control("told", benchmark, items, setting).items, strict=True):
        assert isinstance(plain, DialogueItem)
        assert isinstance(told, DialogueItem)
        assert told.antagonist == plain.antagonist
        assert told.held_against == plain.held_against
        assert told.subject.words == plain.subject.words


def test_words_of_a_run_are_traced_and_put_to_the_subject_alone(run: Path) -> None:
    for rung in ORDER:
        plain, told = _told(run, rung)
        assert "ladder.told.v1" in told.provenance.prompts
        assert "ladder.told.v1" not in plain.provenance.prompts
        for transcript in told.transcripts():
            for event in transcript.events:
                if isinstance(event, DayStartEvent):
                    assert event.brief.startswith("What people say of customs in ")
                if isinstance(event, BriefingEvent | RequestEvent):
                    said = event.words if isinstance(event, BriefingEvent) else event.messages[0].content
                    assert said.startswith("What people say of customs in ") == (event.role == "subject")


def test_a_plain_run_is_as_it_was(run: Path, tmp_path: Path) -> None:
    subject = "simulated/typical:judge=.3,informed=1,format_error=0"
    mores.run(["ladder/know", "ladder/judge"], model=subject, places=",".join(PLACES), out=tmp_path / "plain")
    found = {each.benchmark: each.estimates for each in read_results([tmp_path / "plain"]).evaluations}
    assert found == {name: _told(run, name.partition("/")[2])[0].estimates for name in found}


def test_who_is_told_knows_as_often_as_planted() -> None:
    person = parse_planted("simulated/typical:judge=.3,informed=.5")
    key = AnswerKey(unit="u", truth="yes", ways={"yes": "yes", "no": "no"}, rung="judge", control="told")
    assert person.knows_chance(key) == pytest.approx(0.3 + 0.5 * 0.7)


def test_a_drop_for_want_of_knowing_is_found_to_be_one(run: Path) -> None:
    (found,) = anchored_ladders(read_results([run]))
    assert isinstance(found, AnchoredLadder)
    assert [rung.rung.name for rung in found.rungs] == list(ORDER)
    know, judge = found.rungs[:2]
    assert judge.informed is not None
    assert judge.informed.value == pytest.approx(1.0, abs=0.1)
    first = found.drops[0]
    assert first.names == ("know", "judge")
    assert first.found
    assert not first.stays
    assert "Knowing would close" in describe_drop(first)
    # A difference of differences: both ways of taking it are one.
    sizes = [each.size for each in (judge.gain, know.gain, first.plain, first.informed, first.taken)]
    assert None not in sizes
    gain_after, gain_before, plain, told, taken = (float(size or 0) for size in sizes)
    assert taken == pytest.approx(plain - told)
    assert taken == pytest.approx(gain_after - gain_before, abs=0.03)


def test_nobody_was_told_is_no_section(tmp_path: Path) -> None:
    mores.run(["ladder/know", "ladder/judge"], model="simulated/typical", places="JP", out=tmp_path / "run")
    assert anchored_ladders(read_results([tmp_path / "run"])) == ()
