"""Red-teaming while writing: every step of models is exported, with whom it fooled, and how often that succeeds."""

import json
from pathlib import Path

import pytest
from django.test import Client

from mores.benchmarks.data_tables import read_table
from mores.core.errors import InputError
from mores.studio.accounts.links import join
from mores.studio.config import StudioConfig
from mores.studio.flows.check.combinations import chosen_wrong
from mores.studio.flows.exporting import export_files
from mores.studio.flows.funnel import funnel
from mores.studio.flows.write.attempts import QuestionResult
from mores.studio.flows.write.fooled_views import name_help
from mores.studio.flows.write.settings import Offered, WritingSettings, check_writing, writing_settings
from mores.studio.flows.write.success import fooled_models, fooled_shares
from mores.studio.help.jobs import ask_for, end
from mores.studio.help.prompts import DRAFT, NEAR, REVISE, VERIFY, HelpRequest, near, question_of, wrong_letters
from mores.studio.models import Account, ItemState, Job, JobState, Participant, Project, Role, WorkItem
from mores.studio.work.items import NewItem, add_items
from tests.endpoint import Endpoint
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, owner_in, stored
from tests.studio.test_write import NOTE, TYPED, _at, ended, helping, page_of, writing

QUESTION, OPTIONS = str(TYPED["question"]), tuple(str(TYPED[letter]) for letter in "abcd")


def answered(client: Client, project: Project, page: str, holds: str, **typed: object) -> Job:
    """What comes of asking the verifier about what is typed, where it names these letters."""
    client.post(f"/p/{project.slug}/write", TYPED | {"page": page, "do": "verify"} | typed)
    job = Job.objects.order_by("-pk")[0]
    assert job.kind == VERIFY
    end(job.pk, state=JobState.ANSWERED, model="toy/small", response=_said(holds))
    return job


def _said(holds: str) -> dict[str, object]:
    return {"said": {"holds": list(holds), "confidence": 70, "why": "I guess."}}


def revised(client: Client, project: Project, page: str, strategy: str) -> Job:
    """A revision by a strategy that changes an option, taken into the form."""
    client.post(f"/p/{project.slug}/write", TYPED | {"page": page, "do": f"revise-{strategy}"})
    job = Job.objects.order_by("-pk")[0]
    said = {**{name: TYPED[name] for name in ("question", "a", "b", "c")}, "d": "Whoever sits nearest", "holds": ["a"]}
    end(job.pk, state=JobState.ANSWERED, model="toy/helper", response={"said": said})
    client.post(f"/p/{project.slug}/write", TYPED | {"page": page, "do": f"take-{job.pk}"})
    return job


def exported(project: Project, name: str, kind: str = "questions") -> list[dict[str, object]]:
    return [json.loads(line) for line in export_files(project, kind)[name].splitlines()]


@BOTH
def test_every_step_of_models_is_exported_in_its_order_with_what_fooled_them(studio: object) -> None:
    project, client, account = writing()
    page = page_of(client, project)["page"]
    answered(client, project, page, "a")
    revised(client, project, page, "closer")
    changed = {"d": "Whoever sits nearest"}
    answered(client, project, page, "b", **changed)
    client.post(f"/p/{project.slug}/write", TYPED | changed | {"page": page, "do": "send"})
    steps = exported(project, "attempts.jsonl")
    assert [(each["step"], each["kind"], each["strategy"], each["model"]) for each in steps] == [
        (1, "verify", "own words", "toy/small"), (2, "revise", "closer", "toy/helper"),
        (3, "verify", "closer", "toy/small"),
    ]  # fmt: skip
    assert [(each["right"], each["confidence"], each["taken"]) for each in steps] == [
        (True, 70, False), (None, None, True), (False, 70, False),
    ]  # fmt: skip
    assert all(each["question_idx"] == page and each["sent"] and each["place"] == "JP" for each in steps)
    options = [*OPTIONS[:3], "Whoever sits nearest"]
    asked = {"situation": "", "question": QUESTION, "options": options, "holds": ["a"], "instruction": ""}
    assert steps[2]["asked"] == asked
    (question,) = exported(project, "questions.jsonl")
    assert (question["fooled"], question["verifier"], question["answers_of_models"]) == (True, "toy/small", 2)
    assert (question["help"], question["offered"], question["writer"]) == ("verify+revise", "all", f"a{account.pk}")


def test_a_question_counts_by_the_newest_answer_to_the_very_words_that_were_sent(studio: object) -> None:
    project, client, _ = writing()
    changes: list[tuple[dict[str, object], bool | None]] = [
        ({}, False), ({"c": "The cook"}, None), ({"holds": ["b"]}, None),
    ]  # fmt: skip
    for number, (sent, fooled) in enumerate(changes):
        page = page_of(client, project)["page"]
        answered(client, project, page, "b", question=f"Who begins {number}?")
        answered(client, project, page, "a", question=f"Who begins {number}?")
        typed = {**TYPED, "question": f"Who begins {number}?", **sent}
        client.post(f"/p/{project.slug}/write", typed | {"page": page, "do": "send"})
        assert [each["fooled"] for each in exported(project, "questions.jsonl")][number] is fooled


def test_what_was_never_sent_is_counted_among_answers_and_its_words_are_not_exported(studio: object) -> None:
    project, client, _ = writing()
    answered(client, project, page_of(client, project)["page"], "b")
    (step,) = exported(project, "attempts.jsonl")
    assert (step["sent"], step["right"], step["asked"], step["answered"]) == (False, False, None, None)
    assert [(each["by"], each["of"], each["n"]) for each in exported(project, "success.jsonl")] == [
        ("follows", "answers", 1)
    ]


def test_what_holds_is_said_before_a_model_answers(studio: object) -> None:
    project, client, _ = writing()
    typed = {name: value for name, value in TYPED.items() if name != "holds"} | page_of(client, project)
    refused = client.post(f"/p/{project.slug}/write", typed | {"do": "verify"})
    assert refused.status_code == 422
    assert b"Choose this first." in refused.content
    assert not Job.objects.exists()


def test_the_page_says_whether_the_model_was_fooled(studio: object) -> None:
    project, client, _ = writing()
    page = page_of(client, project)["page"]
    for holds, words in (("a", "The model is right"), ("ab", "The model is fooled")):
        answered(client, project, page, holds)
        shown = client.get(f"/p/{project.slug}/write").content.decode()
        assert words in shown
        assert "You have changed the question since." not in shown
    client.post(f"/p/{project.slug}/write", TYPED | {"page": page, "do": "save", "d": "The cook"})
    assert "You have changed the question since." in client.get(f"/p/{project.slug}/write").content.decode()


@pytest.mark.parametrize("letters", ["ABCD" * 4 + "A", "AA"])
def test_an_answer_of_the_same_letter_twice_is_refused_with_its_cause(
    studio: StudioConfig, endpoint: Endpoint, letters: str
) -> None:
    project, client, account = writing()
    page = page_of(client, project)["page"]
    held = json.dumps(list(letters.lower()))
    endpoint.set(reply=f'{{"holds": {held}, "confidence": 0, "why": "?"}}')
    asked = HelpRequest(kind=VERIFY, place="JP", question=QUESTION, options=OPTIONS, holds=("a",))
    with helping(_at(studio, endpoint)):
        job = ended(ask_for(project, account, page, asked).pk)
    assert job.state == JobState.FAILED
    # What an earlier edition stored as an answer is none either.
    answered(client, project, page, letters.lower(), d="The cook")
    shown = client.get(f"/p/{project.slug}/write").content.decode()
    assert shown.count(f"holds has {len(letters)} letters, some of them twice") == 2
    assert "The model's answer:" not in shown
    assert {each["state"] for each in exported(project, "attempts.jsonl")} == {"failed"}


def test_a_draft_that_names_a_letter_twice_is_refused_too() -> None:
    assert wrong_letters(["b", "b"])
    assert not wrong_letters(["a", "b", "c", "d"])
    assert not wrong_letters([])


@pytest.mark.parametrize(
    ("offered", "asked"), [("all", {DRAFT, VERIFY, REVISE}), ("verifier", {VERIFY}), ("none", set())]
)
def test_writers_have_the_help_that_their_project_offers_and_no_other(
    studio: object, offered: str, asked: set[str]
) -> None:
    project, client, _ = writing()
    project.settings = {"help": offered}
    project.save()
    page = page_of(client, project)
    for button in ("draft", "verify", "revise-negate"):
        client.post(f"/p/{project.slug}/write", TYPED | page | {"do": button, "situation": NOTE})
    assert set(Job.objects.values_list("kind", flat=True)) == asked
    shown = client.get(f"/p/{project.slug}/write").content.decode()
    assert ('value="draft"' in shown, 'value="verify"' in shown) == (DRAFT in asked, VERIFY in asked)
    client.post(f"/p/{project.slug}/write", TYPED | page | {"do": "send"})
    assert [each["offered"] for each in exported(project, "questions.jsonl")] == [offered]


def test_random_each_writer_has_one_kind_of_help_for_good(studio: object) -> None:
    wanted = WritingSettings(help=Offered.RANDOM)
    drawn = [wanted.offered_to(Participant(pk=number, project_id=1)) for number in range(200)]
    assert drawn == [wanted.offered_to(Participant(pk=number, project_id=1)) for number in range(200)]
    assert 70 < drawn.count(Offered.VERIFIER) < 130  # 4 standard deviations are 28
    assert set(drawn) == {Offered.VERIFIER, Offered.ALL}


SETUP: dict[str, object] = {
    "name": "Writing", "quota": 5, "lease_minutes": 60, "check_every": 10, "checks_judged": 0, "checks_right": 0,
    "training_right": "0", "quick_seconds": "0", "quick_run": "0", "same_run": "0",
    "language": "en", "licence": "", "feeds": "", "questions": "[]", "settings": "{}",
    **{f"{rows}-{name}_FORMS": 0 for rows in ("quotas", "groups") for name in ("TOTAL", "INITIAL")},
}  # fmt: skip
CHOSEN: dict[str, object] = {
    "flow-per_writer_least": 3, "flow-per_writer": 7, "flow-help": "verifier", "flow-strategies": ["negate"],
    "flow-own_strategies": "Name a season: Say in which season it happens.", "flow-survey": "on",
    "flow-survey_questions": "Was the pay fair?",
}  # fmt: skip


def test_an_owner_sets_what_a_writer_is_asked_for_and_offered_in_fields(studio: object) -> None:
    project = made.project("writing", flow="write")
    owner = owner_in(project)
    assert owner.post("/p/writing/setup", SETUP | CHOSEN).status_code == 302
    project.refresh_from_db()
    found = writing_settings(project)
    assert (found.per_writer_least, found.per_writer, found.help, found.survey) == (3, 7, Offered.VERIFIER, True)
    assert list(found.ways()) == ["negate", "Name a season"]
    shown = owner.get("/p/writing/setup").content.decode()
    assert "Name a season: Say in which season it happens." in shown
    assert "\n{}</textarea>" in shown  # what has a field is not shown as JSON too
    for wrong, words in (
        ({"flow-per_writer": 2}, "Expected no fewer than are asked of each writer."),
        ({"flow-per_writer_least": 0}, "Ensure this value is greater than or equal to 1."),
        ({"flow-own_strategies": "No colon"}, "expected a title of at most 60 characters"),
        ({"flow-own_strategies": "negate: turn it"}, "stands twice"),
    ):
        refused = owner.post("/p/writing/setup", {**SETUP, **CHOSEN, **wrong})
        assert refused.status_code == 422
        assert words in refused.content.decode()
    assert writing_settings(Project.objects.get(slug="writing")) == found


def test_settings_that_cannot_be_read_are_refused_and_break_no_page(studio: object) -> None:
    with pytest.raises(InputError, match="per_writer"):
        check_writing({"per_writer": "three"}, [])
    project, client, _ = writing()
    project.settings = {"per_writer": "three", "of an older studio": 1}
    project.save()
    assert client.get(f"/p/{project.slug}/write").status_code == 200


def test_a_strategy_of_the_project_reaches_the_model_and_the_export(studio: object) -> None:
    project, client, _ = writing()
    project.settings = {"own_strategies": [{"title": "Name a season", "instruction": "Say in which season."}]}
    project.save()
    page = page_of(client, project)["page"]
    job = revised(client, project, page, "Name a season")
    wanted = HelpRequest(**{**job.request, "options": tuple(job.request["options"]), "holds": ("a",)})
    assert "Say in which season." in question_of(wanted, 1)[0].values["instruction"]
    answered(client, project, page, "b", d="Whoever sits nearest")
    assert [each["strategy"] for each in exported(project, "attempts.jsonl")] == ["Name a season", "Name a season"]
    assert b"<bdi>Name a season</bdi>" in client.get(f"/p/{project.slug}/write").content


@BOTH
def test_who_has_written_what_was_asked_is_asked_how_it_went(studio: object) -> None:
    project, client, account = writing()
    where = f"/p/{project.slug}/write"
    assert client.get(f"{where}/survey").status_code == 404
    project.settings = {"survey": True, "per_writer_least": 2, "survey_questions": ["Was the pay fair?"]}
    project.save()
    for number, onward in enumerate((where, f"{where}/survey")):
        typed = TYPED | page_of(client, project) | {"question": f"Question {number}?", "do": "send"}
        assert client.post(where, typed)["Location"] == onward
    assert b"Was the pay fair?" in client.get(f"{where}/survey").content
    warned = client.post(f"{where}/survey", {"easy": "5", "words": "Call me: 090-1234-5678."})
    assert warned.status_code == 422
    for easy in ("2", "4"):  # the newest word holds
        assert client.post(f"{where}/survey", {"easy": easy, "own-1": "1", "words": "Nothing"}).status_code == 302
    project.settings |= {"survey_questions": []}  # what was asked stays with its answer
    project.save()
    rows = {row["name"]: (row["writer"], row["question"], row["answer"]) for row in exported(project, "survey.jsonl")}
    assert rows == {
        "easy": (f"a{account.pk}", "Was it easy to learn how this works?", "4"),
        "own-1": (f"a{account.pk}", "Was the pay fair?", "1"),
        "words": (f"a{account.pk}", "What would you change?", "Nothing"),
    }
    assert client.get(where).content.count(b"Tell us how it went") == 0


def result(writer: int, fooled: bool, **more: str) -> QuestionResult:
    facts = {"place": "JP", "offered": "all", "help": "verify", "model": "toy/small"} | more
    return QuestionResult(question_idx="q", writer=f"a{writer}", answers=1, fooled=fooled, **facts)


def test_success_is_the_share_of_questions_that_fooled_with_an_interval_over_writers() -> None:
    # Ten writers of two questions each, both alike: 20 questions say no more than 10.
    alike = [result(writer, writer < 5) for writer in range(10) for _ in range(2)]
    row = next(row for row in fooled_shares(alike, []) if row.by == "all")
    assert (row.n, row.writers, row.fooled, row.measured.value) == (20, 10, 10, 0.5)
    apart = [result(writer, writer % 2 == 0) for writer in range(20)]
    other = next(row for row in fooled_shares(apart, []) if row.by == "all")
    (low, high), (lower, higher) = row.measured.interval[:2], other.measured.interval[:2]
    assert None not in {low, high, lower, higher}
    assert high - low > higher - lower  # type: ignore[operator]
    # One writer alone has Wilson's interval over questions: 1 of 2 is 9.5 % to 90.5 %.
    own = next(row for row in fooled_shares([result(3, True), result(3, False)], []) if row.by == "writer")
    assert own.measured.interval.method == "wilson"
    assert own.measured.interval.low == pytest.approx(0.0945, abs=1e-4)
    few = next(row for row in fooled_shares([result(3, True)], []) if row.by == "place").row()
    assert (few["share"], few["low"], few["why"]) == (1.0, None, "too_few_clusters")


def test_models_stand_in_the_order_of_how_many_questions_fooled_them() -> None:
    questions = [result(1, True, model="small"), result(1, True, model="small"), result(2, False, model="large"),
                 result(2, True, model="large")]  # fmt: skip
    assert [(row.group, row.fooled, row.n) for row in fooled_models(questions)] == [("small", 2, 2), ("large", 1, 2)]


@BOTH
def test_writers_see_which_models_were_fooled_and_only_who_runs_the_project_sees_by_whom(studio: object) -> None:
    project, client, account = writing()
    page = page_of(client, project)["page"]
    answered(client, project, page, "b")
    client.post(f"/p/{project.slug}/write", TYPED | {"page": page, "do": "send"})
    shown = client.get(f"/p/{project.slug}/fooled").content.decode()
    assert "Of your questions 1 of 1 fooled the model." in shown
    assert "<bdi>toy/small</bdi></th><td>1</td><td>1</td>" in shown
    assert "By writer" not in shown
    managed = owner_in(project).get(f"/p/{project.slug}/fooled").content.decode()
    assert f"<bdi>a{account.pk}</bdi>" in managed
    assert "<bdi>Japan</bdi>" in managed


def _several(region: str = "JP") -> tuple[Project, WorkItem, Client]:
    """A kept question of which two options hold, and a reviewer."""
    project = made.project("checked", quota=2)
    made.questions(project, 1, region=region)
    for person in made.annotators(project, 2):
        held = claimed(person)
        done = stored(person, held, "a", "b")
    assert done.completed is not None
    export_files(project, "culturalbench")  # closes what has all its answers
    reviewer = Account.objects.make("reviewer")
    join(project, reviewer, Role.REVIEWER)
    return project, WorkItem.objects.get(project=project), client_of(reviewer)


def _options(project: Project) -> set[str]:
    (row,) = exported(project, "culturalbench-easy.jsonl", "culturalbench")
    assert str(row[f"prompt_option_{str(row['answer']).lower()}"]) == "i, ii"
    return {str(row[f"prompt_option_{letter}"]) for letter in "abcd"} - {"i, ii"}


@BOTH
def test_wrong_answers_are_proposed_as_near_misses_edited_and_exported(studio: object) -> None:
    project, item, reviewer = _several()
    drawn, where = _options(project), f"/p/checked/combinations/{item.pk}"
    assert "drawn" in reviewer.get("/p/checked/combinations").content.decode()
    reviewer.post(where, {"do": NEAR})
    job = Job.objects.get(kind=NEAR)
    said = {"first": ["a"], "second": ["b"], "third": ["a", "b", "c"]}
    assert question_of(HelpRequest(**job.request), 1)[0].values["question"].count("* ") == 2
    end(job.pk, state=JobState.ANSWERED, model="toy", response={"said": said})
    assert "A model has proposed others" in reviewer.get(where).content.decode()
    assert _options(project) == drawn  # nothing is stored yet
    posted = {"wrong-1": ["a"], "wrong-2": ["b", "a"], "wrong-3": ["a"]}
    refused = reviewer.post(where, posted)
    assert refused.status_code == 422
    assert b"This is the right answer." in refused.content
    assert b"Another answer says the same." in refused.content
    assert reviewer.post(where, posted | {"wrong-2": ["d", "b"], "wrong-3": ["a", "b", "d"]}).status_code == 302
    assert _options(project) == {"i", "ii, iv", "i, ii, iv"}
    (sheet,) = [json.loads(export_files(project, "culturalbench")["datasheet.json"])["data"]]
    assert sheet["combinations_by_people"] == 1
    # What holds has changed since, and is one of the wrong answers: three are drawn again.
    assert item.outcome is not None
    WorkItem.objects.filter(pk=item.pk).update(outcome=item.outcome | {"gold": ["a", "b", "d"]})
    (row,) = exported(project, "culturalbench-easy.jsonl", "culturalbench")
    assert len({str(row[f"prompt_option_{letter}"]) for letter in "abcd"}) == 4
    assert chosen_wrong(project)["q0"] == (("a",), ("b", "d"), ("a", "b", "d"))


@pytest.mark.parametrize("gold", ["ab", "acd", "abcd"])
def test_near_misses_leave_out_or_add_one_statement_and_there_are_three_at_least(gold: str) -> None:
    found = near(gold)
    assert len(found) >= 3
    assert all(len(set(gold) - set(each)) < 2 and len(set(each) - set(gold)) < 2 for each in found)
    assert tuple(gold) not in found


@BOTH
def test_the_funnel_tells_what_was_imported_from_what_was_written_here(studio: object) -> None:
    project, client, _ = writing()
    client.post(f"/p/{project.slug}/write", TYPED | page_of(client, project) | {"do": "send"})
    item, curator = WorkItem.objects.get(project=project), owner_in(project)
    curator.post(f"/p/{project.slug}/curate", {"item": item.pk, "verdict": "accept", "note": ""})
    assert project.feeds is not None
    made.questions(project.feeds, 4)
    WorkItem.objects.filter(project=project.feeds).update(state=ItemState.COMPLETE, outcome={"gold": ["a"]})
    written, checked = funnel(project)
    assert (written.came, written.imported, written.kept) == (1, 0, 1)
    assert (checked.came, checked.imported, checked.kept) == (5, 4, 5)
    add_items(project.feeds, [NewItem(key="q0~JP-13", payload={"question": "?", "options": list("wxyz")})], who=None)
    assert funnel(project)[1].imported == 4  # a second round is no import
    assert b"| Writing-Checked | 6 | 4 |" in export_files(project, "questions")["README.md"]


def test_what_a_csv_export_guards_is_read_back_word_for_word(studio: object, tmp_path: Path) -> None:
    project = made.project("checked", quota=1)
    words = ("=1+1 is said at table.", "'=quoted", "-2 guests", "'tis so")
    payload = {"question": "@home: what is said?", "options": list(words)}
    add_items(project, [NewItem(key="=q", payload=payload, region="JP")], who=None)
    (person,) = made.annotators(project, 1)
    stored(person, claimed(person), "b")
    for name, content in export_files(project, "culturalbench").items():
        (tmp_path / name).write_bytes(content)
    assert b"'=1+1" in (tmp_path / "culturalbench-hard.csv").read_bytes()
    rows = list(read_table(tmp_path / "culturalbench-hard.csv", ("question_idx", "prompt_question", "prompt_option")))
    assert [row.cells["prompt_option"] for row in rows] == list(words)
    assert {(row.cells["question_idx"], row.cells["prompt_question"]) for row in rows} == {
        ("=q", "@home: what is said?")
    }
    lines = list(read_table(tmp_path / "culturalbench-hard.jsonl", ("prompt_option",)))
    assert [row.cells["prompt_option"] for row in lines] == list(words)


def test_a_curator_reads_in_words_what_help_a_question_had() -> None:
    assert name_help("draft+verify") == "a draft + an answer"
    assert name_help("none") == "none"
