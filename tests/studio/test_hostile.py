"""Words and requests that mean harm: shown as they are and never obeyed, refused where they are too large."""

import json

import pytest
from django.test import Client
from django.utils.html import escape

from mores.studio.models import Project, Response
from mores.studio.work.items import NewItem, add_items
from tests.payloads import MARKUP, SCRIPTS
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, owner_in

pytestmark = BOTH
BACKEND = "django.contrib.auth.backends.ModelBackend"


def _shown(words: str, slug: str = "feasts") -> tuple[Client, str]:
    """Somebody at an item whose question, options and project bear these words."""
    project = made.project(slug)
    Project.objects.filter(pk=project.pk).update(name=words[:200])
    options = [f"{words} {letter}" for letter in "abcd"]
    add_items(project, [NewItem(key="q", payload={"question": words, "options": options}, region="JP")], who=None)
    (person,) = made.annotators(project, 1, name=f"annotator of {slug}")
    client = Client(raise_request_exception=False)
    client.force_login(person.account, backend=BACKEND)
    return client, f"/p/{slug}/work/{claimed(person).assignment}"


def test_markup_in_words_of_people_is_text(studio: object, subtests: pytest.Subtests) -> None:
    for number, given in enumerate(MARKUP):
        with subtests.test(words=given):
            words = given.replace("\x00", "")  # no import takes it
            client, place = _shown(words, f"feasts-{number}")
            for page in (client.get(place), client.get(f"/p/feasts-{number}/"), client.get("/")):
                assert page.status_code == 200
                assert "<" not in words or words not in page.content.decode()
                assert escape(words[:200]) in page.content.decode()


def test_every_script_is_shown_answered_and_stored(studio: object, subtests: pytest.Subtests) -> None:
    for number, words in enumerate([*SCRIPTS, "{{ 7 * 7 }}", "{% now %}", "=1+1", "\u202egnp.exe"]):
        with subtests.test(words=words):
            client, place = _shown(words, f"feasts-{number}")
            assert client.get(place).status_code == 200
            sent = client.post(place, {"options": "a", "key": words}, headers={"accept": "application/json"})
            assert sent.status_code == 200
            assert Response.objects.get(assignment=int(place.rpartition("/")[2])).answer == {"options": ["a"]}


@pytest.mark.parametrize("chosen", ["e", "a' OR 1=1", "", "\x00"])
def test_what_is_no_option_is_refused(studio: object, chosen: str) -> None:
    client, place = _shown("plain")
    assert client.post(place, {"options": chosen, "key": "k"}).status_code == 422
    assert not Response.objects.exists()


def test_what_is_too_large_is_refused_and_says_so(studio: object) -> None:
    client, place = _shown("plain")
    assert client.post(place, {"options": "a" * 2_000_000}).status_code == 413
    assert client.post(place, {"options": ["a"] * 5_000}).status_code == 413
    assert client.post(place, {"options": ["a", "dont_know"], "key": "k"}).status_code == 422


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("[" * 10_000 + "]" * 10_000, 400),
        ("no json", 400),
        ("[]", 422),
        ('{"rev": "0", "body": {}}', 422),
        ('{"rev": 0, "body": {"options": "\\u0000"}}', 422),
        (json.dumps({"rev": 0, "body": {"note": "x" * 2_000_000}}), 413),
        ('{"rev": 0, "body": {"options": ["a"]}}', 200),
    ],
    ids=["deep", "words", "list", "text", "nul", "huge", "sound"],
)
def test_a_draft_is_an_object_of_reasonable_size(studio: object, body: str, status: int) -> None:
    client, place = _shown("plain")
    assert client.post(f"{place}/draft", body, content_type="application/json").status_code == status


def test_a_sign_that_no_database_stores_breaks_nothing(studio: object) -> None:
    client, place = _shown("plain")
    assert client.post(place, {"options": "a", "key": "\x00k"}).status_code == 302
    assert Response.objects.get().idem_key == "k"
    owner = owner_in(Project.objects.get())
    assert owner.post("/p/feasts/second-round", {"to": "\x00 \x00"}).status_code == 302
