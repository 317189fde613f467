"""Questions of three norms: retried with reasons, checked by another model, repaired, refined, taken back, released."""

import asyncio
import csv
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

import mores
from mores.cli.app import app
from mores.core.codec import encode_lines
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Request
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped
from mores.pipelines.gates.check import check_items
from mores.pipelines.gates.data_checks import PublicTexts
from mores.pipelines.gates.gate import failing
from mores.pipelines.gates.layouts import items_of
from mores.pipelines.norms.bundles import Bundle
from mores.pipelines.norms.norm_base_file import BASE, BuiltNorm, base_lines, base_of
from mores.pipelines.norms.pipeline import BUNDLES
from mores.pipelines.pipeline import DATASHEET, BuildResult, build
from mores.pipelines.questions.pipeline import BuiltQuestion, questions_pipeline, shuffled
from mores.pipelines.questions.prompts import LETTERS, MATRIX, Grounds, QuestionDraft, wrong_with, wrong_with_rationale
from mores.pipelines.questions.review import review
from mores.pipelines.review_sheets import KEY, SHEET
from mores.runs.spec import ExecutionSpec
from tests.pipelines.scripted import Scripted

ROLES = {"writer": "simulated/typical", "checker": "simulated/expert"}
STATEMENTS = (
    "Shoes come off at the door of a home.",
    "A guest brings a small gift.",
    "The oldest person is greeted first.",
)
NORMS = tuple(
    BuiltNorm(id=f"n{n}", place="JP", statement=words, source="A page", domain="etiquette", topic="Visits",
              strictness="no" if n == 1 else "sometimes", negation=f"It is not so: {words}")
    for n, words in enumerate(STATEMENTS, start=1)
)  # fmt: skip
GROUNDS = Grounds(id="n1+n2+n3", norms=(NORMS[0], NORMS[1], NORMS[2]))
OPTIONS = {letter: f"Mina takes course {letter.lower()} at the visit" for letter in "ABCD"}
SCENE = {
    "status": "ok",
    "context": "Mina visits the Itos for the first time.",
    "decider": "Mina",
    "goal": "to be welcome",
}
COMPOSED = {
    **SCENE, "question": "What does she do?", **{letter.lower(): text for letter, text in OPTIONS.items()},
    "rationale": "D keeps to all three.",
    "evidence": [{"norm": n, "option": letter, "quote": "Mina takes"} for n, letter in ((1, "A"), (2, "B"), (3, "C"))],
}  # fmt: skip
Said = str | Reply | CallFailed
Answers = Callable[[Request], Said | None]


def folder(path: Path, *norms: BuiltNorm) -> Path:
    """A norm base with one bundle of three norms."""
    path.mkdir()
    used = norms or NORMS
    (path / BASE).write_bytes(base_lines(base_of(used, {"mine": "x"}, simulated=False)))
    ids = tuple(norm.id for norm in used[:3])
    bundle = Bundle(id="+".join(ids), place="JP", domain="etiquette", topic="Visits", norms=ids, silhouette=0.2,
                    pool_silhouette=0.1)  # fmt: skip
    (path / BUNDLES).write_bytes(encode_lines([bundle]))
    return path


def stands(request: Request, letter: str, wrong: int = 0) -> str:
    """A check that finds what the matrix has, but for one norm."""
    found = [
        ("violate" if stand == "satisfy" else "satisfy") if n == wrong else stand
        for n, stand in enumerate(MATRIX[LETTERS["ABCD".index(letter)]], start=1)
    ]
    return json.dumps({f"norm_{n}": {"stand": stand, "quote": "Mina takes"} for n, stand in enumerate(found, start=1)})


def usual(request: Request) -> Said:
    """What well-behaved models say."""
    _, step, *part = request.tag.item.split("/")
    if step == "scene":
        return json.dumps(SCENE)
    if step == "compose":
        return json.dumps(COMPOSED)
    if step == "check":
        return stands(request, part[0][-1])
    if step == "repair":
        return json.dumps({"text": f"Mina takes course {part[0][0].lower()} this time, mended"})
    if step == "context":
        return json.dumps({"context": f"{SCENE['context']} It rains.", "question": "What does she do?"})
    return json.dumps({letter.lower(): f"{text}, {step}" for letter, text in OPTIONS.items()})


def made(answers: Answers, tmp_path: Path) -> tuple[KeptOrDropped[BuiltQuestion], Scripted]:
    def script(request: Request) -> Said:
        said = answers(request)
        return usual(request) if said is None else said

    voice = Scripted(script)
    pipeline = questions_pipeline(norms=folder(tmp_path / "norms"), roles=ROLES)
    cast = Cast(dict.fromkeys(("writer", "checker", "refiner"), voice))
    return asyncio.run(pipeline.outcome_of(GROUNDS, cast)), voice


def kept(outcome: KeptOrDropped[BuiltQuestion]) -> BuiltQuestion:
    assert isinstance(outcome, Kept), outcome
    return outcome.value


def dropped(outcome: KeptOrDropped[BuiltQuestion]) -> Dropped:
    assert isinstance(outcome, Dropped), outcome
    return outcome


def at(step: str, *replies: Said) -> Answers:
    """Replies at one step in turn, the last again and again."""
    left = list(replies)

    def answers(request: Request) -> Said | None:
        if request.tag.item.split("/", 1)[1].startswith(step):
            return left.pop(0) if len(left) > 1 else left[0]
        return None

    return answers


def test_a_question_goes_through_all_steps(tmp_path: Path) -> None:
    outcome, voice = made(lambda _: None, tmp_path)
    found = kept(outcome)
    assert found.refined == ("context", "enrich", "intent", "concrete", "neutral")
    assert found.repairs == 0
    assert found.draft.context.endswith("It rains.")
    assert voice.by_role == {"writer": 2, "checker": 24, "refiner": 5}


def test_a_scene_is_asked_for_again_with_the_reasons_and_another_draw(tmp_path: Path) -> None:
    again = json.dumps({"status": "retry", "reason": "nobody decides here"})
    outcome, voice = made(at("scene", again, json.dumps(SCENE)), tmp_path)
    kept(outcome)
    asked = [request for request in voice.asked if "/scene" in request.tag.item]
    assert [request.tag.sample for request in asked] == [0, 1]
    assert "nobody decides here" in asked[1].messages[0].content


@pytest.mark.parametrize(("step", "stage"), [("scene", "scene"), ("compose", "compose")])
def test_retries_are_bounded_and_giving_up_ends_it_at_once(tmp_path: Path, step: str, stage: str) -> None:
    again = json.dumps({"status": "retry", "reason": "too little said"})
    outcome, voice = made(at(step, again), tmp_path)
    lost = dropped(outcome)
    assert (lost.stage, lost.reason, lost.detail, lost.place) == (stage, "retried too often", "too little said", "JP")
    assert sum(f"/{step}" in request.tag.item for request in voice.asked) == 3
    (tmp_path / "other").mkdir()
    outcome, voice = made(at(step, json.dumps({"status": "fail", "reason": "no scene"})), tmp_path / "other")
    assert dropped(outcome).reason == "the writer gave up"
    assert sum(f"/{step}" in request.tag.item for request in voice.asked) == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"a": ""}, "no words"),
        ({"a": OPTIONS["B"]}, "say the same"),
        ({"a": "Mina takes " + "very " * 30 + "long"}, "differ too much in length"),
        ({"question": "Do shoes come off at the door of a home?"}, "give norm 1 away"),
        ({"rationale": "In Japan D is best."}, "names Japan"),
        ({"evidence": [{"norm": 1, "option": "A", "quote": "not there"}]}, "does not stand in"),
        ({"evidence": [{"norm": 4, "option": "A", "quote": "Mina"}]}, "norm"),
        ({"evidence": [{"norm": 1, "option": "A", "quote": "Mina takes"}]}, "leaves a norm out"),
    ],
)
def test_a_draft_with_broken_content_is_told_and_asked_for_again(
    tmp_path: Path, change: dict[str, object], says: str
) -> None:
    outcome, voice = made(at("compose", json.dumps({**COMPOSED, **change}), json.dumps(COMPOSED)), tmp_path)
    kept(outcome)
    asked = [request for request in voice.asked if "/compose" in request.tag.item]
    assert len(asked) == 2
    assert says in asked[1].messages[-1].content


def test_an_option_that_does_not_fit_is_repaired_and_judged_again_by_the_checker(tmp_path: Path) -> None:
    def answers(request: Request) -> Said | None:
        return stands(request, "B", wrong=2) if request.tag.item.endswith("check/draft-0-B") else None

    outcome, voice = made(answers, tmp_path)
    found = kept(outcome)
    assert found.repairs == 1
    assert found.first.options["B"].endswith("mended")
    assert found.first.options["A"] == OPTIONS["A"]
    repairs = [request for request in voice.asked if "/repair" in request.tag.item]
    assert len(repairs) == 1
    assert "B satisfies norm 1, violates norm 2 and satisfies norm 3" in repairs[0].messages[0].content
    assert "satisfy norm 2" in repairs[0].messages[0].content


def test_repairs_end_after_two_rounds(tmp_path: Path) -> None:
    def answers(request: Request) -> Said | None:
        return stands(request, "B", wrong=2) if "/check/" in request.tag.item and request.tag.item[-1] == "B" else None

    outcome, voice = made(answers, tmp_path)
    lost = dropped(outcome)
    assert (lost.stage, lost.reason, lost.detail) == ("check", "an option does not fit the matrix", "B")
    assert sum("/repair" in request.tag.item for request in voice.asked) == 2


def test_a_refinement_that_breaks_the_matrix_is_taken_back(tmp_path: Path) -> None:
    def answers(request: Request) -> Said | None:
        return stands(request, "D", wrong=3) if request.tag.item.endswith("check/intent-D") else None

    outcome, _ = made(answers, tmp_path)
    found = kept(outcome)
    assert found.refined == ("context", "enrich", "concrete", "neutral")
    assert "intent" not in "".join(found.draft.options.values())


def test_a_refinement_that_is_refused_leaves_the_question_as_it_was(tmp_path: Path) -> None:
    outcome, _ = made(at("enrich", "I'm sorry, I can't help with that."), tmp_path)
    assert "enrich" not in kept(outcome).refined


def test_a_quote_that_is_not_in_the_option_is_no_evidence(tmp_path: Path) -> None:
    invented = json.dumps({f"norm_{n}": {"stand": "satisfy", "quote": "never said"} for n in (1, 2, 3)})
    outcome, voice = made(at("check/draft-0-D", invented), tmp_path)
    assert dropped(outcome).reason == "no usable reply"
    assert "does not stand in course of action D" in voice.asked[-1].messages[-1].content


@pytest.mark.parametrize("step", ["scene", "compose", "check", "enrich"])
def test_a_call_that_may_come_through_later_leaves_the_question_waiting(tmp_path: Path, step: str) -> None:
    outcome, _ = made(at(step, CallFailed("http 503", passing=True)), tmp_path)
    assert dropped(outcome).transient


def test_a_refusal_is_counted_as_one_with_its_place(tmp_path: Path) -> None:
    outcome, _ = made(at("scene", Reply(text="", refusal=True)), tmp_path)
    lost = dropped(outcome)
    assert (lost.reason, lost.place, lost.transient) == ("refusal", "JP", False)


def test_what_no_question_may_have_is_said_in_words() -> None:
    draft = QuestionDraft(
        context="A scene.", question="What now?", options=dict(zip(LETTERS, OPTIONS.values(), strict=True))
    )
    assert wrong_with(draft, GROUNDS) == ""
    assert "give norm 3 away" in wrong_with(replace(draft, context=STATEMENTS[2].upper()), GROUNDS)
    assert wrong_with_rationale("D is best.", GROUNDS) == ""


def test_models_must_differ_and_be_named(tmp_path: Path) -> None:
    norms = folder(tmp_path / "norms")
    for roles, says in (
        ({"writer": "simulated/typical", "checker": "simulated/typical"}, "another model"),
        ({"writer": "simulated/typical", "checker": "a/b", "refiner": "a/b"}, "another model"),
        ({"writer": "simulated/typical"}, "no --role checker"),
        ({**ROLES, "judge": "a/b"}, "--role judge"),
    ):
        with pytest.raises(InputError, match=says):
            questions_pipeline(norms=norms, roles=roles)
    with pytest.raises(InputError, match=r"norms\.jsonl"):
        questions_pipeline(norms=tmp_path, roles=ROLES)


@pytest.mark.parametrize(
    ("lacks", "why"),
    [("domain", "no domain"), ("strictness", "no strictness of a norm"), ("negation", "no negation of a norm")],
)
def test_a_bundle_that_a_release_cannot_hold_is_dropped_before_anything_is_asked(
    tmp_path: Path, lacks: str, why: str
) -> None:
    bare = replace(NORMS[1], **{lacks: "" if lacks == "negation" else None})
    pipeline = questions_pipeline(norms=folder(tmp_path / "norms", NORMS[0], bare, NORMS[2]), roles=ROLES)
    assert pipeline.units == []
    assert [each.reason for each in pipeline.dropped_before] == [why]


def released(tmp_path: Path, conditions: ExecutionSpec | None = None, name: str = "out") -> BuildResult:
    norms = tmp_path / "norms"
    pipeline = questions_pipeline(norms=norms if norms.is_dir() else folder(norms), roles=ROLES)
    addresses = dict.fromkeys(pipeline.roles.values())
    return asyncio.run(
        build(pipeline, tmp_path / name, conditions or ExecutionSpec(), seed=Seed("mores-0"), addresses=addresses)
    )


def test_a_release_runs_as_its_benchmark_in_every_form(tmp_path: Path) -> None:
    assert released(tmp_path).finished
    found = mores.run("cultureforest", data=tmp_path / "out" / "data", judge="simulated/judge", out=tmp_path / "run")
    assert len(found.benchmarks) == 5
    sheet = json.loads((tmp_path / "out" / DATASHEET).read_text())
    assert (sheet["questions"], sheet["simulated"], sheet["checked_by_people"]) == (1, True, False)


def test_the_datasheet_has_the_gates_that_a_check_of_the_release_finds(tmp_path: Path) -> None:
    built = released(tmp_path)
    again = check_items(items_of(str(tmp_path / "out" / "data")).items, PublicTexts(), Seed("mores-0"))
    assert built.gates == again
    sheet = json.loads((tmp_path / "out" / DATASHEET).read_text())
    assert [gate["name"] for gate in sheet["gates"]] == [gate.name for gate in again]
    told = next(gate for gate in sheet["gates"] if gate["name"] == "norm in the question")
    assert (told["passed"], told["n"], told["threshold"]["words_in_a_row"]) == (True, 1, 6)
    assert set(told["interval"]) == {"low", "high", "method", "missing"}


def test_a_release_that_repeats_a_public_table_fails_a_gate_that_names_the_question(tmp_path: Path) -> None:
    released(tmp_path)
    (item,) = items_of(str(tmp_path / "out" / "data")).items
    table = tmp_path / "public.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("words",), (item.stem,)])
    pipeline = questions_pipeline(norms=tmp_path / "norms", roles=ROLES, against=(table,))
    addresses = dict.fromkeys(pipeline.roles.values())
    built = asyncio.run(build(pipeline, tmp_path / "held", ExecutionSpec(), seed=Seed("mores-0"), addresses=addresses))
    assert [(gate.name, gate.items) for gate in failing(built.gates)] == [("repeated", (item.id,))]
    assert "public.csv" in json.loads((tmp_path / "held" / DATASHEET).read_text())["made_from"]


def test_a_failing_gate_is_told_and_ends_with_three_only_where_that_is_asked_for(tmp_path: Path) -> None:
    folder(tmp_path / "norms")
    typed = ["build", "questions", str(tmp_path / "norms"), "--role", "writer=simulated/typical",
             "--role", "checker=simulated/expert"]  # fmt: skip
    assert CliRunner().invoke(app, [*typed, "--out", str(tmp_path / "one"), "--strict"]).exit_code == 0
    (item,) = items_of(str(tmp_path / "one" / "data")).items
    table = tmp_path / "public.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("words",), (item.stem,)])
    held = [*typed, "--against", str(table), "--out", str(tmp_path / "two")]
    told = CliRunner().invoke(app, held)
    assert told.exit_code == 0
    assert "repeated fails" in told.stdout
    assert item.id in told.stdout
    strict = CliRunner().invoke(app, [*held, "--strict", "--json"])
    assert strict.exit_code == 3
    gates = {gate["name"]: gate for gate in json.loads(strict.stdout)["gates"]}
    assert (gates["repeated"]["passed"], gates["repeated"]["items"]) == (False, [item.id])


def test_a_build_cut_anywhere_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    released(tmp_path)
    whole = {path.relative_to(tmp_path / "out"): path.read_bytes() for path in (tmp_path / "out").rglob("*.*")}
    for calls in (1, 3, 9):
        name = f"cut-{calls}"
        with pytest.raises(Exception, match="calls"):
            released(tmp_path, ExecutionSpec(max_calls=calls), name)
        released(tmp_path, name=name)
        for path, data in whole.items():
            if path.suffix in {".json", ".jsonl", ".csv"}:
                assert (tmp_path / name / path).read_bytes() == data, path


def test_the_order_of_options_rests_on_the_question_alone() -> None:
    assert shuffled("a") == shuffled("a")
    assert {tuple(shuffled(str(n)).items()) for n in range(60)} > {tuple(shuffled("a").items())}


def labelled(folder: Path, *people: str, wrong: tuple[str, int] | None = None) -> Path:
    """A sheet that all people fill in as the key has it, but for one pair."""
    key = {pair["id"]: pair for pair in json.loads((folder / KEY).read_text())}
    with (folder / SHEET).open(encoding="utf-8-sig") as sheet:
        rows = list(csv.DictReader(sheet))
    out = folder.parent / f"{folder.name}-labels.csv"
    with out.open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file)
        written.writerow(("id", "annotator", "label"))
        for row, person in product(rows, people):
            pair = key[row["id"]]
            stand = MATRIX[pair["option"]][pair["norm"] - 1]
            if wrong == (pair["option"], pair["norm"]):
                stand = "violate" if stand == "satisfy" else "satisfy"
            written.writerow((row["id"], person, stand))
    return out


def test_the_sheet_tells_nobody_what_a_pair_should_be(tmp_path: Path) -> None:
    released(tmp_path)
    text = (tmp_path / "out" / SHEET).read_text()
    assert len(text.splitlines()) == 13
    ids = [line.split(",")[0] for line in text.splitlines()[1:]]
    assert ids == sorted(ids)
    assert not any(stand in text for stand in ("satisfy", "violate"))


def test_labels_tell_hard_and_soft_compliance_and_agreement(tmp_path: Path) -> None:
    released(tmp_path)
    out = tmp_path / "out"
    good = review(out, [labelled(out, "ana", "bo", "cy")])
    assert (good.hard.value, good.soft.value, good.unanimous, good.agreement.fleiss.value) == (1.0, 1.0, 1.0, 1.0)
    assert (good.labels, good.people, good.pairs, good.questions) == (36, 3, 12, 1)
    twice = review(out, [labelled(out, "ana", wrong=("A", 2))])
    assert (twice.hard.value, twice.soft.value, twice.unanimous) == (0.0, 1.0, None)
    assert len(twice.failed) == 1
    lost = review(out, [labelled(out, "ana", wrong=("D", 1))])
    assert (lost.hard.value, lost.soft.value) == (0.0, 0.0)


def test_labels_about_nothing_or_of_another_kind_are_refused_with_their_line(tmp_path: Path) -> None:
    released(tmp_path)
    bad = tmp_path / "bad.csv"
    name = json.loads((tmp_path / "out" / KEY).read_text())[0]["id"]
    for row, says in (("nobody,ana,satisfy", "no row has the id"), (f"{name},ana,maybe", "satisfy or violate")):
        bad.write_text(f"id,annotator,label\n{row}\n", encoding="utf-8")
        with pytest.raises(InputError, match=says):
            review(tmp_path / "out", [bad])
    with pytest.raises(InputError, match="expected a build with a sheet"):
        review(tmp_path, [bad])


def test_a_bundle_of_norms_that_the_base_lacks_is_refused_with_its_line(tmp_path: Path) -> None:
    base = folder(tmp_path / "norms")
    bundle = json.loads((base / BUNDLES).read_text())
    for norms, says in ((["n1", "n2", "n9"], "has no norm 'n9'"), (["n1", "n2", "n2"], "expected 3 different ones")):
        (base / BUNDLES).write_text("\n" + json.dumps({**bundle, "norms": norms}) + "\n")
        with pytest.raises(InputError, match=rf"bundles.jsonl:2: .*{says}"):
            questions_pipeline(base, ROLES)
