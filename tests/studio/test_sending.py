"""Sending an answer: a script gets the next item at once, a browser without scripts by a redirect."""

import re

from django.test import Client

from mores.studio.models import Response
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import client_of

KEY = re.compile(r'name="key" value="(\w+)"')
SCRIPT = {"X-Part": "main"}


def _begun(questions: int) -> tuple[Client, str, dict[str, str]]:
    """A browser with an item open, where that lies, and a form to send."""
    project = made.project()
    made.questions(project, questions)
    (person,) = made.annotators(project, 1)
    client = client_of(person.account)
    place = client.get("/p/feasts/work").headers["Location"]
    found = KEY.search(client.get(place).text)
    assert found is not None
    return client, place, {"options": "a", "key": found[1]}


@BOTH
def test_a_script_is_answered_with_the_next_item_and_its_address(studio: object) -> None:
    client, place, form = _begun(2)
    answer = client.post(place, form, headers=SCRIPT)
    following = answer.headers["Content-Location"]
    assert answer.status_code == 200
    assert following != place
    assert f'action="{following}"' in answer.text
    assert "Your answer is stored." in answer.text
    assert "<html" not in answer.text
    assert following == client.get("/p/feasts/work").headers["Location"]


@BOTH
def test_what_a_script_sends_again_is_one_answer_and_leads_to_the_same_item(studio: object) -> None:
    client, place, form = _begun(2)
    first, second = (client.post(place, form, headers=SCRIPT).headers["Content-Location"] for _ in range(2))
    assert first == second
    assert Response.objects.count() == 1


@BOTH
def test_a_script_that_sent_the_last_answer_is_told_that_nothing_is_left(studio: object) -> None:
    client, place, form = _begun(1)
    answer = client.post(place, form, headers=SCRIPT)
    assert (answer.status_code, answer.headers["Content-Location"]) == (200, "/p/feasts/work")
    assert 'id="no-work"' in answer.text


@BOTH
def test_a_script_that_sends_too_little_gets_the_same_form_with_what_is_wrong(studio: object) -> None:
    client, place, form = _begun(1)
    answer = client.post(place, {"key": form["key"]}, headers=SCRIPT)
    assert (answer.status_code, answer.headers["Content-Location"]) == (422, place)
    assert "Choose at least one option." in answer.text


@BOTH
def test_without_scripts_an_answer_leads_to_the_next_item(studio: object) -> None:
    client, place, form = _begun(2)
    answer = client.post(place, form)
    assert answer.status_code == 302
    assert answer.headers["Location"] not in {place, "/p/feasts/work"}


def test_a_script_whose_session_ended_is_sent_to_sign_in(studio: object) -> None:
    _, place, form = _begun(1)
    answer = Client().post(place, form, headers=SCRIPT)
    assert answer.status_code == 302
    assert "Content-Location" not in answer.headers
