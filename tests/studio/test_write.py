"""Writing: saved at each step, helped by models that may be slow, dead or odd, curated, and counted from end to end."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import pytest
import yaml
from django.test import Client

from mores.studio.accounts.links import join
from mores.studio.accounts.screening import ScreeningFacts, screen
from mores.studio.config import StudioConfig
from mores.studio.flows.exporting import export_files
from mores.studio.flows.funnel import funnel
from mores.studio.help.jobs import ask_for, release_all
from mores.studio.help.jobs import claim as claim_jobs
from mores.studio.help.prompts import DRAFT, VERIFY, HelpRequest, question_of
from mores.studio.help.worker import HelpWorker
from mores.studio.models import Account, ItemState, Job, JobState, Participant, Project, Role, WorkItem
from mores.studio.work.leases import Lease, claim
from tests.endpoint import Endpoint
from tests.studio import made
from tests.studio.conftest import BOTH

NOTE = "At a feast the eldest begins to eat, and everybody waits."
TYPED = {
    "question": "Who begins to eat at a feast?", "a": "The eldest", "b": "The guest", "c": "The host",
    "d": "Whoever is hungry", "holds": ["a"], "common": "4", "knows": "5",
}  # fmt: skip


def writing(slug: str = "writing", region: str = "JP") -> tuple[Project, Client, Account]:
    """A project that is written in and feeds one that checks, with a writer who is signed in."""
    project = made.project(slug, flow="write")
    project.feeds = made.project(f"{slug}-checked")
    project.save()
    return project, *writer_in(project, "writer", region)


def writer_in(project: Project, name: str, region: str = "JP") -> tuple[Client, Account]:
    account = Account.objects.make(f"{project.slug}-{name}")
    join(project, account, Role.WRITER)
    screen(
        Participant.objects.get(project=project, account=account),
        ScreeningFacts(nationality=region, residence_before_18=region),
    )
    client = Client()
    client.force_login(account, backend="django.contrib.auth.backends.ModelBackend")
    return client, account


def curator_in(project: Project) -> Client:
    account = Account.objects.make(f"{project.slug}-curator")
    join(project, account, Role.REVIEWER)
    client = Client()
    client.force_login(account, backend="django.contrib.auth.backends.ModelBackend")
    return client


def page_of(client: Client, project: Project) -> dict[str, str]:
    text = client.get(f"/p/{project.slug}/write").content.decode()
    found = re.search(r'name="page" value="(\w{32})"', text)
    assert found is not None
    return {"page": found[1]}


@contextmanager
def helping(config: StudioConfig) -> Iterator[HelpWorker]:
    """The thread that carries jobs out, ended in the end."""
    helper = HelpWorker(config)
    thread = helper.start()
    try:
        yield helper
    finally:
        helper.stopping.set()
        thread.join(timeout=20)
        assert not thread.is_alive()


def ended(number: int) -> Job:
    pause = Event()
    for _ in range(200):
        job = Job.objects.get(pk=number)
        if job.state != JobState.ASKED:
            return job
        pause.wait(0.1)
    raise AssertionError(job.state)


@BOTH
def test_a_question_goes_from_its_writer_by_the_curator_to_those_who_check(studio: object) -> None:
    project, client, account = writing()
    sent = client.post(f"/p/{project.slug}/write", TYPED | page_of(client, project) | {"do": "send", "situation": NOTE})
    assert sent.status_code == 302
    item = WorkItem.objects.get(project=project)
    assert (item.state, item.region, item.author) == (ItemState.WAITING, "JP", account)
    curator = curator_in(project)
    shown = curator.get(f"/p/{project.slug}/curate").content.decode()
    assert "Who begins to eat at a feast?" in shown
    curator.post(f"/p/{project.slug}/curate", {"item": item.pk, "verdict": "accept", "note": ""})
    assert project.feeds is not None
    onward = WorkItem.objects.get(project=project.feeds)
    assert onward.author == account
    assert "writer" not in onward.versions.get().payload
    # Whoever wrote it never checks it.
    join(project.feeds, account, Role.ANNOTATOR)
    same = Participant.objects.get(project=project.feeds, account=account)
    screen(same, ScreeningFacts(nationality="JP", residence_before_18="JP"))
    assert not isinstance(claim(same.pk, project.feeds.pk), Lease)
    assert isinstance(claim(made.annotators(project.feeds, 1)[0].pk, project.feeds.pk), Lease)
    written, checked = funnel(project)
    assert (written.came, written.waiting, written.kept, written.lost) == (1, 0, 1, 0)
    assert (checked.came, checked.open, checked.kept) == (1, 1, 0)
    files = export_files(project, "questions")
    assert b'"help":"none"' in files["questions.jsonl"]
    head = yaml.safe_load(files["README.md"].decode().split("---")[1])
    assert head["configs"] == [{"config_name": "questions", "data_files": "questions.jsonl"}]
    assert head["pretty_name"] == project.name


@BOTH
def test_what_the_curator_drops_goes_no_further_and_stands_in_the_funnel(studio: object) -> None:
    project, client, _ = writing()
    client.post(f"/p/{project.slug}/write", TYPED | page_of(client, project) | {"do": "send"})
    item, curator = WorkItem.objects.get(project=project), curator_in(project)
    for _twice in range(2):
        curator.post(f"/p/{project.slug}/curate", {"item": item.pk, "verdict": "unsafe", "note": "insults somebody"})
    item.refresh_from_db()
    assert (item.state, item.outcome) == (ItemState.DROPPED, {"reason": "unsafe"})
    assert item.decisions.count() == 1
    assert not WorkItem.objects.filter(project=project.feeds).exists()
    assert [stage.dropped for stage in funnel(project)] == [{"unsafe": 1}, {}]


@BOTH
def test_a_question_sent_again_is_one_and_with_other_words_a_second_one_if_its_writer_says_so(studio: object) -> None:
    project, client, _ = writing()
    typed = TYPED | page_of(client, project) | {"do": "send"}
    for _twice in range(2):
        assert client.post(f"/p/{project.slug}/write", typed).status_code == 302
    assert WorkItem.objects.filter(project=project).count() == 1
    other = client.post(f"/p/{project.slug}/write", typed | {"a": "The youngest"})
    assert other.status_code == 422
    assert b"The youngest" in other.content
    again = re.search(r'name="page" value="(\w{32})"', other.content.decode())
    assert again is not None
    client.post(f"/p/{project.slug}/write", typed | {"a": "The youngest", "page": again[1]})
    assert WorkItem.objects.filter(project=project).count() == 2


def test_what_is_not_complete_is_refused_and_kept_as_typed(studio: object) -> None:
    project, client, _ = writing()
    wrong = TYPED | page_of(client, project) | {"do": "send", "b": "the eldest", "c": "Whoever likes"}
    refused = client.post(f"/p/{project.slug}/write", wrong)
    assert refused.status_code == 422
    assert b"Another option says the same." in refused.content
    assert not WorkItem.objects.exists()
    assert b"Whoever likes" in client.get(f"/p/{project.slug}/write").content


@BOTH
def test_a_writer_hears_of_personal_data_before_it_is_stored_and_a_curator_sees_it(studio: object) -> None:
    project, client, _ = writing()
    path = f"/p/{project.slug}/write"
    typed = TYPED | page_of(client, project) | {"do": "send", "c": "Write to ana@example.org", "situation": "In 2010."}
    warned = client.post(path, typed)
    assert warned.status_code == 422
    assert "e-mail address: \u2068ana@example.org\u2069" in warned.content.decode()
    assert not WorkItem.objects.exists()
    assert b"ana@example.org" in client.get(path).content  # kept as typed
    seen = re.search(r'name="seen" value="(\w+)"', warned.content.decode())
    assert seen is not None
    # Who adds something else is told of that too; who sends it again has it stored.
    assert client.post(path, typed | {"seen": seen[1], "situation": "Call 090-1234-5678."}).status_code == 422
    assert client.post(path, typed | {"seen": seen[1]}).status_code == 302
    assert WorkItem.objects.get(project=project).state == "waiting"
    curator = curator_in(project)
    assert b"<bdi>ana@example.org</bdi>" in curator.get(f"/p/{project.slug}/curate").content
    page = curator.get(f"/p/{project.slug}/personal").content.decode()
    assert "Texts that people wrote: 6. Of these, 1 may tell who somebody is." in page
    assert "<bdi>ana@example.org</bdi>" in page


@BOTH
def test_quotas_of_a_writer_and_of_a_region_hold_and_keep_the_text(studio: object) -> None:
    project, client, _ = writing()
    project.settings = {"per_writer": 1}
    project.save()
    project.region_quotas.create(region="JP", items=2)
    for number in range(2):
        typed = TYPED | page_of(client, project) | {"question": f"Question {number}?", "do": "send"}
        last = client.post(f"/p/{project.slug}/write", typed)
    assert last.status_code == 422
    assert b"as many questions as this project takes" in last.content
    for name in ("second", "third"):
        other, _ = writer_in(project, name)
        last = other.post(f"/p/{project.slug}/write", TYPED | page_of(other, project) | {"do": "send"})
    assert b"enough questions about your region" in last.content
    assert WorkItem.objects.filter(project=project).count() == 2


@BOTH
def test_a_draft_comes_from_a_model_and_is_taken_into_the_form(studio: StudioConfig) -> None:
    project, client, _ = writing()
    page = page_of(client, project)
    client.post(f"/p/{project.slug}/write", {"situation": NOTE, "do": "draft"} | page)
    with helping(studio):
        job = ended(Job.objects.get().pk)
    assert job.state == JobState.ANSWERED, job.error
    shown = client.get(f"/p/{project.slug}/write").content.decode()
    assert "Simulated option a" in shown
    client.post(f"/p/{project.slug}/write", {"situation": NOTE, "do": f"take-{job.pk}"} | page)
    shown = client.get(f"/p/{project.slug}/write").content.decode()
    assert re.search(r'name="question"[^>]*>Which of these', shown)
    client.post(f"/p/{project.slug}/write", TYPED | page | {"do": "send"})
    assert WorkItem.objects.get(project=project).versions.get().help == "draft"


@BOTH
def test_help_is_asked_for_once_for_the_same_words_and_again_once_it_was_answered(studio: StudioConfig) -> None:
    project, _, account = writing()
    wanted = HelpRequest(kind=DRAFT, place="JP", situation=NOTE)
    first, second = (ask_for(project, account, "p", wanted) for _ in range(2))
    assert first.pk == second.pk
    with helping(studio):
        one = ended(first.pk)
        other = ended(ask_for(project, account, "p", wanted).pk)
    assert other.pk != one.pk
    assert other.response != one.response


@BOTH
def test_a_job_is_taken_by_one_and_again_after_whoever_had_it_died(studio: StudioConfig) -> None:
    project, _, account = writing()
    ask_for(project, account, "p", HelpRequest(kind=DRAFT, place="JP", situation=NOTE))
    assert len(claim_jobs(5)) == 1
    assert claim_jobs(5) == []
    release_all()
    assert len(claim_jobs(5)) == 1


def test_the_verifier_says_how_sure_it_is_and_never_sees_what_the_writer_holds_true(
    studio: StudioConfig, endpoint: Endpoint
) -> None:
    project, _, account = writing()
    endpoint.answers({"Japan": '{"holds": ["b"], "confidence": 80, "why": "I guess."}'})
    options = ("The eldest", "The guest", "The host", "Anybody")
    asked = HelpRequest(kind=VERIFY, place="JP", question="Who begins?", options=options, holds=("a",))
    with helping(_at(studio, endpoint)):
        job = ended(ask_for(project, account, "p", asked).pk)
    assert job.response is not None
    assert job.response["said"] == {"holds": ["b"], "confidence": 80, "why": "I guess."}
    shown = question_of(asked, 1)[0].values["question"]
    assert shown == "Who begins?\na) The eldest\nb) The guest\nc) The host\nd) Anybody"


def _at(studio: StudioConfig, endpoint: Endpoint) -> StudioConfig:
    spec = "openai/test-model"
    return StudioConfig(
        folder=studio.folder, models={"helper": spec, "verifier": spec},
        addresses={"helper": endpoint.url, "verifier": endpoint.url},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        ("no JSON at all", JobState.FAILED),
        ("I'm sorry, but I can't help with that.", JobState.REFUSED),
        ('{"question": "", "a": "x", "b": "x", "c": "y", "d": "z", "holds": []}', JobState.FAILED),
    ],
)
def test_a_model_that_gives_nothing_of_use_leaves_the_page_usable(
    studio: StudioConfig, endpoint: Endpoint, reply: str, state: str
) -> None:
    project, client, account = writing()
    page = page_of(client, project)
    endpoint.answers({"Japan": reply})
    with helping(_at(studio, endpoint)):
        job = ended(ask_for(project, account, page["page"], HelpRequest(kind=DRAFT, place="JP", situation=NOTE)).pk)
    assert job.state == state
    assert b"go on without it" in client.get(f"/p/{project.slug}/write").content
    assert client.post(f"/p/{project.slug}/write", TYPED | page | {"do": "send"}).status_code == 302
    assert WorkItem.objects.get(project=project).versions.get().help == "none"


def test_with_a_model_that_never_answers_writing_goes_on_and_its_helper_can_be_stopped(
    studio: StudioConfig, endpoint: Endpoint
) -> None:
    project, client, account = writing()
    page = page_of(client, project)
    endpoint.set(latency_ms=60_000)
    with helping(_at(studio, endpoint)):
        job = ask_for(project, account, page["page"], HelpRequest(kind=DRAFT, place="JP", situation=NOTE))
        assert b"A model is at work" in client.get(f"/p/{project.slug}/write").content
        assert client.post(f"/p/{project.slug}/write", TYPED | page | {"do": "send"}).status_code == 302
    # It was not answered, and is asked for again by whoever helps next.
    endpoint.set(latency_ms=0, reply='{"question": "?", "a": "1", "b": "2", "c": "3", "d": "4", "holds": ["a"]}')
    with helping(_at(studio, endpoint)):
        assert ended(job.pk).state == JobState.ANSWERED


def test_errors_of_a_server_end_a_job_and_the_same_button_tries_anew(studio: StudioConfig, endpoint: Endpoint) -> None:
    project, _, account = writing()
    endpoint.set(turn=400, turn_says="down")
    wanted = HelpRequest(kind=DRAFT, place="JP", situation=NOTE)
    with helping(_at(studio, endpoint)):
        job = ended(ask_for(project, account, "p", wanted).pk)
        assert job.state == JobState.FAILED
        endpoint.set(turn=0, reply='{"question": "?", "a": "1", "b": "2", "c": "3", "d": "4", "holds": ["a"]}')
        assert ask_for(project, account, "p", wanted).pk == job.pk
        assert ended(job.pk).state == JobState.ANSWERED


@BOTH
def test_a_typed_question_with_what_no_database_stores_is_refused_and_nothing_breaks(studio: StudioConfig) -> None:
    project, client, _ = writing()
    place = f"/p/{project.slug}/write/draft"
    typed = {"rev": 0, "body": {"question": ["Who\x00?"]}}
    assert client.post(place, typed, content_type="application/json").status_code == 422
    typed["body"] = {"question": ["Who?"]}
    assert client.post(place, typed, content_type="application/json").status_code == 200
