"""Scenarios of subgroups: cues that stand in the statement, checks by another model, retries, the released layout."""

import asyncio
import csv
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

import mores
from mores.benchmarks.cure.data import CUES
from mores.cli.app import app
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Request
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped
from mores.pipelines.norms.norm_base_file import BASE, BuiltNorm, base_lines, base_of
from mores.pipelines.pipeline import DATASHEET, DROPPED, BuildResult, Pipeline, build
from mores.pipelines.review_sheets import KEY, SHEET, review_checklist
from mores.pipelines.subgroups.mix import ScenarioMix, in_shares, level_of, level_shares
from mores.pipelines.subgroups.pipeline import ASPECTS, TABLE, release, subgroups_pipeline
from mores.pipelines.subgroups.prompts import BuiltSubgroupScenario, SubgroupScenario
from mores.runs.spec import ExecutionSpec
from tests.pipelines.scripted import Scripted

ROLES = {"writer": "simulated/typical", "checker": "simulated/expert"}
HALF = ScenarioMix()
OF_THE_PAPER = {"low": 0.37, "medium": 0.575, "high": 0.055}
WORDS = "Among Gurung elders of the hills boots never come into the room where people pray."
CARRIED = {"ethnicity": "Gurung", "age": "elders", "region": "the hills"}
PERSONA = "An elderly Gurung who lives in the hills."
SHOWN = {"ethnicity": "Gurung", "age": "elderly", "region": "in the hills"}
SITUATION = "They leave a pair of boots beside the altar while others wait outside."
WRITTEN = {"status": "ok", "persona": PERSONA, "situation": SITUATION, "question": "Is that fine with their people?"}
SOUND = {
    "member": "yes",
    "answer": "no",
    "act": "leave a pair of boots",
    "stance": "kept",
    "gives_away": "",
    "reason": "So.",
}
Said = str | Reply | CallFailed
Answers = Callable[[Request], Said | None]


def statement(label: str = "no", **changes: Any) -> BuiltNorm:
    """A statement whose id asks for a scenario with this answer."""
    name = next(f"s{number}" for number in range(20) if HALF.label_of(f"s{number}") == label)
    return replace(BuiltNorm(id=name, place="NP", statement=WORDS, source="A page"), **changes)


def cues(**words: str) -> str:
    return json.dumps({**dict.fromkeys(CUES, ""), **words})


def usual(request: Request) -> Said:
    """What well-behaved models say."""
    _, step = request.tag.item.split("/", 1)
    replies = {
        "cues/statement": cues(**CARRIED),
        "cues/persona": cues(**SHOWN),
        "write": json.dumps(WRITTEN),
        "check": json.dumps(SOUND),
    }
    return replies[step]


def table(path: Path, *rows: tuple[str, str, str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "place", "statement", "source"), *((*row, "A page") for row in rows)])
    return path


def many(path: Path, count: int = 40) -> Path:
    """Statements of two countries, sorted by country."""
    rows = [
        (f"{place[:2]}{n:02}", place, f"Old farmers of valley {n} in the north greet each other twice at noon.")
        for place in ("Japan", "Nepal")
        for n in range(count // 2)
    ]
    return table(path, *rows)


def made(answers: Answers, of: BuiltNorm | None = None) -> tuple[KeptOrDropped[BuiltSubgroupScenario], Scripted]:
    def script(request: Request) -> Said:
        said = answers(request)
        return usual(request) if said is None else said

    voice = Scripted(script)
    pipeline = subgroups_pipeline(source="pack", roles=ROLES)
    cast = Cast(dict.fromkeys(("labeller", "writer", "checker"), voice))
    return asyncio.run(pipeline.outcome_of(of or statement(), cast)), voice


def at(step: str, *replies: Said, role: str = "") -> Answers:
    """Replies at one step (of one role) in turn, the last again and again."""
    left = list(replies)

    def answers(request: Request) -> Said | None:
        if request.tag.item.endswith(f"/{step}") and role in {"", request.tag.role}:
            return left.pop(0) if len(left) > 1 else left[0]
        return None

    return answers


def kept(outcome: KeptOrDropped[BuiltSubgroupScenario]) -> BuiltSubgroupScenario:
    assert isinstance(outcome, Kept), outcome
    return outcome.value


def dropped(outcome: KeptOrDropped[BuiltSubgroupScenario]) -> Dropped:
    assert isinstance(outcome, Dropped), outcome
    return outcome


def asked(voice: Scripted, step: str, role: str = "") -> list[Request]:
    return [each for each in voice.asked if each.tag.item.endswith(f"/{step}") and role in {"", each.tag.role}]


def built(
    pipeline: Pipeline[BuiltNorm, BuiltSubgroupScenario], folder: Path, conditions: ExecutionSpec | None = None
) -> BuildResult:
    addresses = dict.fromkeys(pipeline.roles.values())
    return asyncio.run(
        build(pipeline, folder, conditions or ExecutionSpec(), seed=Seed("mores-0"), addresses=addresses)
    )


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))


def test_a_scenario_has_the_cues_of_its_statement_and_the_answer_that_was_asked_for() -> None:
    outcome, voice = made(lambda _: None)
    found = kept(outcome)
    assert found.cues == CARRIED
    assert (found.label, found.scenario.persona, found.retried) == ("no", PERSONA, ())
    assert voice.by_role == {"labeller": 1, "writer": 1, "checker": 3}


@pytest.mark.parametrize(("label", "told"), [("yes", "keeps to it; the answer is yes"), ("no", "goes against it")])
def test_half_are_asked_for_an_act_that_goes_against_the_statement(label: str, told: str) -> None:
    outcome, voice = made(at("check", json.dumps({**SOUND, "answer": label})), statement(label))
    assert kept(outcome).label == label
    assert told in asked(voice, "write")[0].messages[0].content
    assert sum(HALF.label_of(f"statement-{n}") == label for n in range(1000)) == pytest.approx(500, abs=50)


def test_a_greater_share_of_yes_turns_some_no_into_yes_and_no_yes_into_no() -> None:
    paper, names = ScenarioMix(yes=0.65), [f"statement-{n}" for n in range(1000)]
    labels = [(HALF.label_of(name), paper.label_of(name)) for name in names]
    assert sum(label == "yes" for _, label in labels) == pytest.approx(650, abs=45)
    assert ("yes", "no") not in labels
    with pytest.raises(InputError, match=r"--yes-share 65: expected a share from 0 to 1"):
        ScenarioMix(yes=65)


def scenario_of(number: int, carried: int) -> BuiltSubgroupScenario:
    """A scenario whose persona carries so many cues."""
    scene = SubgroupScenario(persona=PERSONA, situation=SITUATION, question="Is it?")
    norm = BuiltNorm(id=f"n{number}", place="NP", statement=WORDS, source="A page")
    cues = dict.fromkeys(CUES[:carried], "so")
    return BuiltSubgroupScenario(statement=norm, cues=cues, label="yes", scenario=scene, retried=())


def test_levels_have_the_shares_that_are_asked_for_as_far_as_the_scarcest_goes() -> None:
    many = [scenario_of(n, carried) for n, carried in enumerate([1] * 300 + [2] * 300 + [5] * 11)]
    kept, beyond = in_shares(many, OF_THE_PAPER)
    found = Counter(map(level_of, kept))
    assert found["high"] == 11
    assert {level: n / len(kept) for level, n in found.items()} == pytest.approx(OF_THE_PAPER, abs=0.01)
    assert len(kept) + len(beyond) == len(many)
    assert in_shares(many, {}) == (many, [])
    assert {level_of(each) for each in in_shares(many, level_shares({"low": "1"}))[0]} == {"low"}


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"low": "37"}, "--level low=37: expected a share"),
        ({"low": ".5"}, r"--level: low 0.5, medium 0, high 0 add up to 0.5; expected 1"),
        ({"lows": "1"}, "lows"),
    ],
)
def test_shares_of_levels_that_are_none_are_refused(typed: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        level_shares(typed)


def test_scenarios_beyond_their_levels_share_are_counted_in_the_funnel(tmp_path: Path) -> None:
    out, mix = tmp_path / "out", ScenarioMix(yes=0.65, levels=OF_THE_PAPER)
    assert built(subgroups_pipeline(source=str(many(tmp_path / "s.csv")), roles=ROLES, mix=mix), out).finished
    sheet = json.loads((out / DATASHEET).read_text())
    (last,) = [stage for stage in sheet["funnel"] if stage["stage"] == "levels"]
    assert last["dropped"] == {"more of its level than was asked for": last["came"] - sheet["scenarios"]}
    assert (sheet["settings"]["yes_share"], sheet["settings"]["levels"]) == (0.65, OF_THE_PAPER)


def test_a_negation_of_the_base_says_what_goes_against_a_statement() -> None:
    _, voice = made(lambda _: None, statement(negation="Boots come into the room."))
    assert "as if this held instead: Boots come into the room; the answer is no" in (
        asked(voice, "write")[0].messages[0].content
    )


def test_nobody_tells_the_checker_the_cues_or_the_answer() -> None:
    _, voice = made(lambda _: None)
    persona, check = asked(voice, "cues/persona")[0], asked(voice, "check")[0]
    assert WORDS not in persona.messages[0].content
    assert "goes against" not in check.messages[0].content
    assert {persona.tag.role, check.tag.role} == {"checker"}


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ({"ethnicity": "Tamang"}, '"Tamang" for ethnicity do not stand in the text'),
        ({"region": "Nepal"}, "do not stand in the text"),
        ({"ethnicity": "Among Gurung elders of the hills boots"}, "too long for ethnicity"),
    ],
)
def test_a_cue_without_its_words_in_the_statement_is_told_and_read_again(named: dict[str, str], says: str) -> None:
    outcome, voice = made(at("cues/statement", cues(**named), cues(**CARRIED), role="labeller"))
    kept(outcome)
    again = asked(voice, "cues/statement", "labeller")
    assert len(again) == 2
    assert says in again[1].messages[-1].content


def test_the_whole_country_is_no_region() -> None:
    of = statement(statement="In Nepal, boots never come into the room where Gurung elders pray, and nobody minds.")
    outcome, voice = made(at("cues/statement", cues(ethnicity="Gurung", region="Nepal")), of)
    assert dropped(outcome).reason == "no usable reply"
    assert "the region is Nepal itself" in voice.asked[-1].messages[-1].content


def test_absent_cues_may_be_called_so() -> None:
    outcome, _ = made(at("cues/statement", cues(**{**CARRIED, "religion": "None", "gender": "n/a"})))
    assert kept(outcome).cues == CARRIED


def test_a_statement_of_no_subgroup_is_dropped_before_anything_is_written() -> None:
    outcome, voice = made(at("cues/statement", cues(age="elders")))
    lost = dropped(outcome)
    assert (lost.stage, lost.reason) == ("cues", "no ethnicity, religion or region in the statement")
    assert lost.detail == "age"
    assert voice.by_role == {"checker": 1}


def test_cues_that_two_models_read_otherwise_are_read_again_with_the_difference() -> None:
    fewer = cues(ethnicity="Gurung", age="elders")
    outcome, voice = made(at("cues/statement", fewer, cues(**CARRIED), role="labeller"))
    assert kept(outcome).cues == CARRIED
    again = asked(voice, "cues/statement", "labeller")
    assert [each.tag.sample for each in again] == [0, 1]
    assert 'not found: region ("the hills")' in again[1].messages[0].content
    outcome, voice = made(at("cues/statement", fewer, role="labeller"))
    assert (dropped(outcome).stage, dropped(outcome).reason) == ("cues", "two models read different cues")
    assert len(asked(voice, "cues/statement", "labeller")) == 3


FENCED = f"```json\n{json.dumps(WRITTEN)}\n```"
THOUGHT = f"<think>{{}}</think>Here it is: {json.dumps(WRITTEN)} Enjoy."


@pytest.mark.parametrize("said", [FENCED, THOUGHT, str(WRITTEN), json.dumps({**WRITTEN, "status": "OK", "more": 1})])
def test_a_reply_that_is_nearly_json_costs_no_call(said: str) -> None:
    outcome, voice = made(at("write", said))
    assert kept(outcome).scenario.persona == PERSONA
    assert len(asked(voice, "write")) == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"persona": ""}, "the persona has no words"),
        ({"question": "Say whether that is fine."}, "question mark"),
        ({"situation": "They say that boots never come into the room."}, "boots never come into the room"),
        ({"status": "done"}, "status"),
    ],
)
def test_a_scenario_with_broken_content_is_told_and_asked_for_again(change: dict[str, str], says: str) -> None:
    outcome, voice = made(at("write", json.dumps({**WRITTEN, **change}), json.dumps(WRITTEN)))
    kept(outcome)
    assert len(asked(voice, "write")) == 2
    assert says in asked(voice, "write")[1].messages[-1].content


PERSONAS = [
    (cues(ethnicity="Gurung", age="elderly"), "the persona lacks a cue", 'not found: region ("the hills")'),
    (cues(**SHOWN, occupation="lives"), "the persona shows another cue", 'besides: occupation ("lives")'),
]
CHECKS = [
    ({"member": "no"}, "the persona is not of the community", "not one of those"),
    ({"answer": "yes"}, "the keyed answer does not follow", "the answer is yes and not no: So."),
    ({"answer": "neither"}, "the keyed answer does not follow", "the answer is neither and not no"),
    ({"gives_away": "while others wait outside"}, "the answer is given away", '"while others wait outside"'),
    ({"stance": "changed"}, "the stance of the statement is changed", "something else than the statement: So."),
]
FAULTS = [
    *(("cues/persona", reply, cues(**SHOWN), why, says) for reply, why, says in PERSONAS),
    *(("check", json.dumps({**SOUND, **change}), json.dumps(SOUND), why, says) for change, why, says in CHECKS),
]  # fmt: skip


@pytest.mark.parametrize(("step", "bad", "good", "why", "says"), FAULTS)
def test_what_a_check_finds_goes_back_to_the_writer_and_ends_after_three_tries(
    step: str, bad: str, good: str, why: str, says: str
) -> None:
    outcome, voice = made(at(step, bad, good))
    assert kept(outcome).retried == (why,)
    writing = asked(voice, "write")
    assert [each.tag.sample for each in writing] == [0, 1]
    assert says in writing[1].messages[0].content
    assert SITUATION in writing[1].messages[0].content
    outcome, voice = made(at(step, bad))
    lost = dropped(outcome)
    assert (lost.stage, lost.reason, lost.place) == ("check", why, "NP")
    assert says in lost.detail
    assert len(asked(voice, "write")) == len(asked(voice, step)) == 3


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"act": "throw the boots"}, "throw the boots"),
        ({"act": ""}, "of act"),
        ({"gives_away": "as is usual"}, "of gives_away"),
    ],
)
def test_a_quote_that_is_not_in_the_scene_is_no_evidence(change: dict[str, str], says: str) -> None:
    outcome, voice = made(at("check", json.dumps({**SOUND, **change}), json.dumps(SOUND)))
    assert kept(outcome).retried == ()
    assert says in asked(voice, "check")[1].messages[-1].content


@pytest.mark.parametrize("none", ["none", "No.", "N/A", " "])
def test_a_checker_that_says_in_words_that_nothing_is_told_is_understood(none: str) -> None:
    outcome, voice = made(at("check", json.dumps({**SOUND, "gives_away": none})))
    assert kept(outcome).retried == ()
    assert len(asked(voice, "check")) == 1


def test_retries_of_the_writer_are_bounded_and_giving_up_ends_it_at_once() -> None:
    again = json.dumps({"status": "retry", "reason": "too little said"})
    outcome, voice = made(at("write", again, json.dumps(WRITTEN)))
    assert kept(outcome).retried == ("retried too often",)
    assert "too little said" in asked(voice, "write")[1].messages[0].content
    outcome, voice = made(at("write", again))
    lost = dropped(outcome)
    assert (lost.stage, lost.reason, lost.detail) == ("write", "retried too often", "too little said")
    assert len(asked(voice, "write")) == 3
    outcome, voice = made(at("write", json.dumps({"status": "fail", "reason": "nobody acts"})))
    assert (dropped(outcome).reason, dropped(outcome).detail) == ("the writer gave up", "nobody acts")
    assert len(asked(voice, "write")) == 1


STEPS = {"cues/statement": "cues", "write": "write", "cues/persona": "check", "check": "check"}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("said", [Reply(text="", refusal=True), "I'm sorry, I can't write about this people."])
def test_a_refusal_is_a_status_of_its_own_with_its_place(step: str, said: Said) -> None:
    outcome, voice = made(at(step, said))
    lost = dropped(outcome)
    assert (lost.stage, lost.reason, lost.place, lost.transient) == (STEPS[step], "refusal", "NP", False)
    assert len(asked(voice, step)) == 1


@pytest.mark.parametrize("step", STEPS)
def test_a_call_that_may_come_through_later_leaves_the_statement_waiting(step: str) -> None:
    outcome, _ = made(at(step, CallFailed("http 503", passing=True)))
    assert dropped(outcome).transient
    outcome, _ = made(at(step, CallFailed("http 400")))
    assert not dropped(outcome).transient


def test_models_must_differ_and_be_named() -> None:
    for roles, says in (
        ({"writer": "simulated/typical", "checker": "simulated/typical"}, "another model"),
        ({**ROLES, "labeller": "simulated/expert"}, "another model"),
        ({"writer": "simulated/typical"}, "no --role checker"),
        ({**ROLES, "judge": "a/b"}, "--role judge"),
    ):
        with pytest.raises(InputError, match=says):
            subgroups_pipeline(source="pack", roles=roles)


def test_statements_come_of_a_norm_base_with_its_negations_and_subgroups(tmp_path: Path) -> None:
    norm = BuiltNorm(id="n1", place="NP", statement="Boots stay out.", source="A page", subgroup="Gurung elders",
                     negation="Boots come in.")  # fmt: skip
    (tmp_path / BASE).write_bytes(base_lines(base_of((norm,), {"mine": "x"}, simulated=False)))
    for source in (tmp_path, tmp_path / BASE):
        (unit,) = subgroups_pipeline(source=str(source), roles=ROLES).units
        assert (unit.text, unit.negation) == ("Gurung elders: Boots stay out.", "Boots come in.")


def test_statements_come_of_json_lines_too(tmp_path: Path) -> None:
    row = {"id": "a", "place": "Nepal", "statement": WORDS, "source": "A page"}
    (tmp_path / "mine.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (unit,) = subgroups_pipeline(source=str(tmp_path / "mine.jsonl"), roles=ROLES).units
    assert (unit.id, unit.place, unit.text) == ("a", "NP", WORDS)


def test_a_statement_that_says_what_another_says_is_asked_about_once(tmp_path: Path) -> None:
    source = table(tmp_path / "s.csv", ("b", "Nepal", WORDS), ("a", "Nepal", WORDS.upper()), ("c", "Japan", WORDS))
    pipeline = subgroups_pipeline(source=str(source), roles=ROLES)
    assert {unit.id for unit in pipeline.units} == {"a", "c"}
    assert [(each.unit, each.detail) for each in pipeline.dropped_before] == [("b", "a")]


def test_a_limit_takes_statements_of_all_countries(tmp_path: Path) -> None:
    pipeline = subgroups_pipeline(source=str(many(tmp_path / "s.csv")), roles=ROLES, limit=10)
    assert {unit.place for unit in pipeline.units} == {"JP", "NP"}


def test_a_scene_that_repeats_another_or_a_public_one_is_dropped(tmp_path: Path) -> None:
    public = tmp_path / "public.csv"
    public.write_text("id,situation\n1,They pour their own drink at the table.\n", encoding="utf-8")
    pipeline = subgroups_pipeline(source="pack", roles=ROLES, against=(public,))
    scenes = ("They bow twice.", "They bow, twice!", "They pour their own drink at the table.")
    found = pipeline.release([of_label("yes", str(n), situation=scene) for n, scene in enumerate(scenes)])
    assert found.facts["scenarios"] == 1
    assert [(each.unit, each.reason) for each in found.dropped] == [
        ("1", "same words as another"),
        ("2", "in a public benchmark"),
    ]


def of_label(label: str, name: str = "s", situation: str = SITUATION, **carried: str) -> BuiltSubgroupScenario:
    return BuiltSubgroupScenario(statement=statement(id=name), cues=carried or CARRIED,
        label="yes" if label == "yes" else "no",
                scenario=SubgroupScenario(persona=PERSONA, situation=situation, question="Is it fine?"),
                retried=("the answer is given away",) if name == "0" else ())  # fmt: skip


def test_the_datasheet_has_shares_by_cue_level_and_answer_with_n_and_interval() -> None:
    one = {"ethnicity": "Gurung"}
    four = {**CARRIED, "gender": "men"}
    made_ = [of_label("yes", "0", **one), *(of_label("no", str(n)) for n in (1, 2)), of_label("yes", "3", **four)]
    facts = release(made_, [each.statement for each in made_]).facts
    levels, shares = facts["levels"], facts["cues"]
    assert isinstance(levels, dict)
    assert isinstance(shares, dict)
    assert [levels[level]["share"] for level in ("low", "medium", "high")] == [0.25, 0.5, 0.25]
    assert [shares[cue]["share"] for cue in ("age", "gender", "religion")] == [0.75, 0.25, 0.0]
    # Wilson's interval of 2 of 4 with z = 1.96: .5 ± 1.96 * sqrt(.25 / 4 + 3.8416 / 64) / (1 + 3.8416 / 4) = .5 ± .35
    yes = facts["yes_share"]
    assert isinstance(yes, dict)
    assert (yes["n"], yes["share"]) == (4, 0.5)
    assert yes["low"] == pytest.approx(0.15, abs=0.001)
    assert facts["retried"] == {"the answer is given away": 1}
    none = {"n": 0, "share": None, "low": None, "high": None}
    assert release([], []).facts["yes_share"] == none


def test_a_release_runs_as_its_benchmark_thin_and_thick(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert built(subgroups_pipeline(source=str(many(tmp_path / "s.csv")), roles=ROLES), out).finished
    rows = rows_of(out / TABLE)
    sheet = json.loads((out / DATASHEET).read_text())
    assert len(rows) == sheet["scenarios"] == sheet["yes_share"]["n"]
    assert {row["label"] for row in rows} == {"yes", "no"}
    assert all(row["label"] == HALF.label_of(row["id"]) for row in rows)
    assert sum(sheet["asked_for"].values()) == 40
    assert (sheet["simulated"], sheet["checked_by_people"]) == (True, False)
    assert sheet["prompts_are"].startswith("a reconstruction")
    tasks = ["cure/specnorm_thin", "cure/specnorm_thick"]
    found = mores.run(tasks, data=out / TABLE, judge="simulated/judge", out=tmp_path / "run")
    levels = {level: share["share"] for level, share in sheet["levels"].items() if share["share"]}
    for evaluation in found.results.evaluations:
        asked_by = {each.group["dimension"]: each.asked for each in evaluation.estimates if "dimension" in each.group}
        assert {level: asked_by[level] / len(rows) for level in levels} == levels


def test_a_build_killed_or_cut_anywhere_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    source = many(tmp_path / "s.csv", 8)
    built(subgroups_pipeline(source=str(source), roles=ROLES), tmp_path / "whole")
    for calls in (1, 3, 9):
        with pytest.raises(Exception, match="calls"):
            built(subgroups_pipeline(source=str(source), roles=ROLES), tmp_path / f"{calls}",
                  ExecutionSpec(max_calls=calls))  # fmt: skip
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(source), str(tmp_path / "killed")], check=False, env=dict(os.environ)
    )
    assert killed.returncode == -signal.SIGKILL
    for name in ("1", "3", "9", "killed"):
        assert not (tmp_path / name / DATASHEET).exists()
        built(subgroups_pipeline(source=str(source), roles=ROLES), tmp_path / name)
        assert bytes_of(tmp_path / name) == bytes_of(tmp_path / "whole")


KILLED = """
import asyncio, os, signal, sys
from msgspec.structs import replace
from itertools import count
from pathlib import Path
from typing import Any
from mores.core.seeds import Seed
from mores.pipelines.pipeline import build
from mores.pipelines.subgroups.pipeline import subgroups_pipeline
from mores.runs.spec import ExecutionSpec

roles = {"writer": "simulated/typical", "checker": "simulated/expert"}
pipeline, made = subgroups_pipeline(sys.argv[1], roles), count(1)

async def deadly(unit, cast):
    found = await pipeline.outcome_of(unit, cast)
    if next(made) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return found

asyncio.run(build(replace(pipeline, make=deadly), Path(sys.argv[2]), ExecutionSpec(), seed=Seed("mores-0"),
                  addresses=dict.fromkeys(pipeline.roles.values())))
"""


def bytes_of(folder: Path) -> dict[str, bytes]:
    names = (TABLE, SHEET, KEY, DROPPED, DATASHEET, "funnel.svg")
    return {name: (folder / name).read_bytes() for name in names}


def test_the_same_build_again_asks_nothing_and_changes_no_byte(tmp_path: Path) -> None:
    source = many(tmp_path / "s.csv", 8)
    built(subgroups_pipeline(source=str(source), roles=ROLES), tmp_path / "out")
    before = bytes_of(tmp_path / "out")
    again = built(subgroups_pipeline(source=str(source), roles=ROLES), tmp_path / "out", ExecutionSpec(max_calls=1))
    assert again.finished
    assert bytes_of(tmp_path / "out") == before


def test_refusals_are_counted_by_place_in_the_datasheet(tmp_path: Path) -> None:
    source = many(tmp_path / "s.csv", 20)
    roles = {**ROLES, "writer": "simulated/typical:NP.refusal=1"}
    built(subgroups_pipeline(source=str(source), roles=roles), tmp_path / "out")
    sheet = json.loads((tmp_path / "out" / DATASHEET).read_text())
    refused = {each["where"]: each["refused"] for each in sheet["refusals"]["by_place"]}
    asked_of = sum(json.loads(line)["place"] == "NP" and json.loads(line)["reason"] == "refusal"
                   for line in (tmp_path / "out" / DROPPED).read_text().splitlines())  # fmt: skip
    assert refused == {"JP": 0, "NP": asked_of}
    assert asked_of > 0
    assert sheet["by_place"].keys() == {"JP"}


def test_people_are_asked_three_things_of_each_scenario_and_not_told_the_key(tmp_path: Path) -> None:
    built(subgroups_pipeline(source=str(many(tmp_path / "s.csv")), roles=ROLES), tmp_path / "out")
    rows = rows_of(tmp_path / "out" / SHEET)
    key = {point["id"]: point for point in json.loads((tmp_path / "out" / KEY).read_text())}
    labels = {row["id"]: row["label"] for row in rows_of(tmp_path / "out" / TABLE)}
    assert [row["id"] for row in rows] == sorted(key)
    assert len(rows) == len(ASPECTS) * len(labels)
    assert {row["annotator"] + row["label"] for row in rows} == {""}
    for point in key.values():
        assert point["expected"] == (labels[point["scenario"]] if point["aspect"] == "stance fidelity" else "yes")


def labelled(out: Path, path: Path, *people: str, wrong: str = "") -> Path:
    """A sheet that all people fill in as the key has it, but for one aspect of the first scenario."""
    key = json.loads((out / KEY).read_text())
    first = min(point["scenario"] for point in key)
    with path.open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file)
        written.writerow(("id", "annotator", "label"))
        for point, person in product(key, people):
            other = point["scenario"] == first and point["aspect"] == wrong
            written.writerow(
                (point["id"], person, {"yes": "no", "no": "yes"}[point["expected"]] if other else point["expected"])
            )
    return path


def test_peoples_labels_say_by_aspect_what_is_sound_and_how_far_they_agree(tmp_path: Path) -> None:
    out = tmp_path / "out"
    built(subgroups_pipeline(source=str(many(tmp_path / "s.csv")), roles=ROLES), out)
    count = len(rows_of(out / TABLE))
    good = review_checklist(out, [labelled(out, tmp_path / "good.csv", "ana", "bo")])
    assert (good.labels, good.people, good.rows) == (6 * count, 2, 3 * count)
    assert [(each.sound.value, each.unanimous, each.decided) for each in good.aspects] == [(1.0, 1.0, count)] * 3
    bad = review_checklist(out, [labelled(out, tmp_path / "bad.csv", "ana", "bo", "cy", wrong="cue accuracy")])
    found = {each.aspect: each for each in bad.aspects}
    assert found["cue accuracy"].sound.value == pytest.approx(1 - 1 / count)
    assert found["cue accuracy"].sound.interval.low is not None
    assert len(found["cue accuracy"].failed) == 1
    assert found["stance fidelity"].failed == ()


def test_where_people_are_split_nothing_is_decided(tmp_path: Path) -> None:
    out = tmp_path / "out"
    built(subgroups_pipeline(source=str(many(tmp_path / "s.csv")), roles=ROLES), out)
    sheets = [
        labelled(out, tmp_path / "a.csv", "ana"),
        labelled(out, tmp_path / "b.csv", "bo", wrong="cultural clarity"),
    ]
    found = {each.aspect: each for each in review_checklist(out, sheets).aspects}
    assert found["cultural clarity"].decided == found["cue accuracy"].decided - 1
    assert found["cultural clarity"].sound.value == 1.0
    with pytest.raises(InputError, match="a second label of"):
        review_checklist(out, [sheets[0], sheets[0]])


def test_the_command_says_what_it_would_ask_builds_and_reads_peoples_labels(tmp_path: Path) -> None:
    out, roles = tmp_path / "out", [f"--role={role}={spec}" for role, spec in ROLES.items()]
    typed = ["build", "subgroups", str(many(tmp_path / "s.csv", 20)), *roles, "--limit", "12", "--out", str(out)]
    dry = CliRunner().invoke(app, [*typed, "--dry", "--json"])
    calls = {each["role"]: each["calls"] for each in json.loads(dry.stdout)["roles"]}
    assert calls == {"labeller": 12, "writer": 12, "checker": 36}
    assert not out.exists()
    found = json.loads(CliRunner().invoke(app, [*typed, "--json"]).stdout)
    assert found["finished"]
    assert [step["stage"] for step in found["funnel"]] == ["import", "cues", "write", "check", "duplicates"]
    labels = labelled(out, tmp_path / "labels.csv", "ana", "bo", wrong="cue accuracy")
    told = CliRunner().invoke(app, ["build", "review", str(out), "--labels", str(labels)])
    assert told.exit_code == 0
    assert "Not as it should be, cue accuracy" in told.stdout
