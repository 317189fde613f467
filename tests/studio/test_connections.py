"""Programs read a project by a token, and addresses are told of items that are done; neither lets anything else in."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from mores.core.errors import InputError
from mores.studio.connections import hooks
from mores.studio.connections.hooks import add_webhook, deliver_due, end_webhook
from mores.studio.connections.tokens import A_MINUTE, end_api_token, make_api_token
from mores.studio.flows.closing import close_item
from mores.studio.models import Account, ApiToken, Delivery, Project, Webhook, WorkItem
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, owner_in, stored


def _answered(quota: int = 2) -> Project:
    project = made.project(quota=quota)
    made.questions(project, 1)
    for person in made.annotators(project, quota):
        done = stored(person, claimed(person))
        if done.completed is not None:
            close_item(done.completed)
    return project


def _get(place: str, token: str) -> tuple[int, dict[str, object]]:
    got = Client().get(f"/api/p/{place}", headers={"authorization": f"Bearer {token}"})
    return got.status_code, json.loads(got.content)


@BOTH
def test_a_token_reads_items_answers_and_agreement_of_its_project(studio: object) -> None:
    cache.clear()
    project = _answered()
    token = make_api_token(project, "a notebook", by=Account.objects.make("Amina"))
    assert not ApiToken.objects.filter(token_sha256__contains=token).exists()
    status, found = _get("feasts/items", token)
    item = found["items"][0]  # type: ignore[index]
    assert (status, item["key"], item["state"], found["after"]) == (200, "q0", "complete", None)
    status, found = _get("feasts/answers", token)
    assert (status, [each["answer"] for each in found["answers"][0]["answers"]]) == (200, [{"options": ["a"]}] * 2)  # type: ignore[index]
    assert "annotator" not in json.dumps(found)  # a number, no name
    status, found = _get("feasts/agreement", token)
    assert (status, len(found["agreement"])) == (200, 1)  # type: ignore[arg-type]
    made.project("other")
    assert _get("other/items", token)[0] == 401
    assert _get("feasts/items", "x" * 43)[0] == 401
    assert Client().get("/api/p/feasts/items").status_code == 401
    assert Client().post("/api/p/feasts/items", headers={"authorization": f"Bearer {token}"}).status_code == 405
    assert _get("feasts/items?after=-1", token)[0] == 422
    end_api_token(project, ApiToken.objects.get().pk, by=Account.objects.get(name="Amina"))
    assert _get("feasts/items", token)[0] == 401


def test_a_token_asks_so_often_in_a_minute_and_no_more(studio: object, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr("mores.studio.connections.tokens.time.time", lambda: 0.0)
    token = make_api_token(made.project(), "a loop", by=Account.objects.make("Amina"))
    assert {_get("feasts/items", token)[0] for _ in range(A_MINUTE)} == {200}
    assert _get("feasts/items", token)[0] == 429


Heard = list[tuple[dict[str, str], bytes]]


@contextmanager
def _listening(*statuses: int) -> Iterator[tuple[str, Heard]]:
    """An address, and what it was sent; it answers with these statuses in turn."""
    heard: Heard = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(statuses[min(len(heard), len(statuses)) - 1])
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Listener)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/told?by=mores", heard
    finally:
        server.shutdown()
        server.server_close()


@BOTH
def test_an_address_is_told_once_of_an_item_that_is_done_signed_and_until_it_takes_it(
    studio: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "STUDIO_PRIVATE_HOOKS", True)
    project = made.project(quota=1)
    made.questions(project, 1)
    with _listening(500, 204) as (address, heard):
        secret = add_webhook(project, address, by=Account.objects.make("Amina"))
        (person,) = made.annotators(project, 1)
        completed = stored(person, claimed(person)).completed
        assert completed is not None
        close_item(completed)
        close_item(completed)
        assert heard == []  # no request waits for it
        assert deliver_due() == 1
        waiting = Delivery.objects.get()
        assert (waiting.error, waiting.attempts, waiting.taken_at) == ("HTTP 500", 1, None)
        assert deliver_due() == 0  # not before its time
        Delivery.objects.update(due_at=waiting.webhook.made_at)
        assert (deliver_due(), deliver_due()) == (1, 0)
    item = WorkItem.objects.get()
    for headers, body in heard:
        signature = hmac.new(secret.encode(), headers["X-Mores-Timestamp"].encode() + b"." + body, hashlib.sha256)
        assert headers["X-Mores-Signature"] == f"sha256={signature.hexdigest()}"
    assert len({headers["X-Event-ID"] for headers, _ in heard}) == 1
    assert json.loads(heard[1][1]) == {
        "id": heard[1][0]["X-Event-ID"], "event": "item.done", "project": "feasts", "item": "q0", "state": item.state,
        "answers": 1,
    }  # fmt: skip
    taken = Delivery.objects.get()
    assert (taken.error, taken.due_at, taken.attempts) == ("", None, 2)
    assert taken.taken_at is not None


@pytest.mark.parametrize(
    "address",
    ["https://127.0.0.1/", "https://10.0.0.8/", "https://169.254.169.254/latest", "https://[::1]/",
     "https://[::ffff:127.0.0.1]/", "https://localhost/", "http://93.184.215.14/", "ftp://93.184.215.14/",
     "https://me:word@93.184.215.14/", "https:///", "https://[x"],
)  # fmt: skip
def test_an_address_that_leads_inside_is_refused_and_is_never_reached(studio: object, address: str) -> None:
    project = made.project()
    with pytest.raises(InputError):
        add_webhook(project, address, by=Account.objects.make("Amina"))
    assert not Webhook.objects.exists()
    # A name that came to lead inside after it was named is refused as it is sent.
    assert hooks.post(address, b"{}", {}) != ""


def test_an_address_that_takes_nothing_is_given_up_and_one_that_ended_is_told_no_more(
    studio: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "STUDIO_PRIVATE_HOOKS", True)
    project, owner = made.project(quota=1), Account.objects.make("Amina")
    made.questions(project, 2)
    add_webhook(project, "http://127.0.0.1:9/", by=owner)
    (person,) = made.annotators(project, 1)
    for at in range(2):
        completed = stored(person, claimed(person)).completed
        assert completed is not None
        close_item(completed)
        if at:
            end_webhook(project, Webhook.objects.get().pk, by=owner)
            assert deliver_due() == 0
            break
        for _ in range(hooks.MOST_ATTEMPTS):
            Delivery.objects.update(due_at=project.made_at)
            assert deliver_due() == 1
        assert (Delivery.objects.get().due_at, deliver_due()) == (None, 0)


def test_an_owner_makes_tokens_and_names_addresses_on_a_page(studio: object, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    project = made.project()
    owner = owner_in(project)
    page = owner.post("/p/feasts/connections", {"new": "token", "name": "<b>a notebook</b>"}).content.decode()
    token = page.partition('<code class="long">')[2].partition("<")[0]
    assert _get("feasts/items", token)[0] == 200
    again = owner.get("/p/feasts/connections").content.decode()
    assert token not in again
    assert "&lt;b&gt;a notebook" in again
    wrong = owner.post("/p/feasts/connections", {"new": "hook", "address": "https://127.0.0.1/"})
    assert (wrong.status_code, "leads to a private place" in wrong.content.decode()) == (422, True)
    monkeypatch.setattr(settings, "STUDIO_PRIVATE_HOOKS", True)
    page = owner.post("/p/feasts/connections", {"new": "hook", "address": "http://127.0.0.1:9/"}).content.decode()
    assert Webhook.objects.get().secret in page
    assert Webhook.objects.get().secret not in owner.get("/p/feasts/connections").content.decode()
    for name, number in (("token", ApiToken.objects.get().pk), ("hook", Webhook.objects.get().pk)):
        assert owner.post(f"/p/feasts/connections/{name}/{number}/end").status_code == 302
    assert _get("feasts/items", token)[0] == 401
    assert Webhook.objects.get().ended_at is not None
