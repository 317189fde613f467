"""The whole way through pages, as people go it: owner's link, project, import, invites, answers, export, a run."""

import io
import re
import zipfile
from pathlib import Path

from django.test import Client

from mores.api.notebook import run
from mores.studio.accounts.links import owner_token
from mores.studio.models import WorkItem
from tests.studio import made
from tests.studio.conftest import BOTH

PASSWORD = "a long enough one"
SINGLE, MULTI, NOBODY = ["b"], ["a", "c"], ["dont_know"]


@BOTH
def test_a_question_goes_from_an_import_to_a_run_of_culturalbench(studio: object, tmp_path: Path) -> None:
    owner = Client()
    _enter(owner, f"/enter/{owner_token()}", "owner")
    assert b"New project" in owner.get("/").content
    told = {"name": "Feasts", "flow": "check", "quota": 5, "lease_minutes": 60, "language": "en"}
    assert owner.post("/new", told, follow=True).redirect_chain[-1][0] == "/p/feasts/"
    with made.question_file(tmp_path, 3).open("rb") as file:
        assert b"3 new items" in owner.post("/p/feasts/import", {"file": file}).content
    page = owner.post("/p/feasts/invite", {"role": "annotator", "uses": 5, "hours": 24}).content.decode()
    link = re.search(r"/enter/[\w-]+", page[page.index('id="link"') :])
    assert link is not None
    for number in range(5):
        _annotate(link[0], number)
    assert sorted(WorkItem.objects.values_list("state", flat=True)) == ["complete", "complete", "dropped"]
    archive = owner.get("/p/feasts/export/culturalbench")
    with zipfile.ZipFile(io.BytesIO(archive.content)) as files:
        files.extractall(tmp_path / "export")
    for setup in ("easy", "hard"):
        result = run(
            f"culturalbench/{setup}", model="simulated/typical", data=tmp_path / "export", out=tmp_path / setup
        )
        assert result


def _enter(client: Client, link: str, name: str) -> None:
    client.post(link, {"name": name, "password": PASSWORD}, follow=True)


def _annotate(link: str, number: int) -> None:
    """One person answers all there is: question 0 has one gold option, 1 has two, 2 is not known to most."""
    client = Client()
    _enter(client, link, f"annotator {number}")
    facts = {"nationality": "JP", "residence": "JP", "consent": "on"}
    page = client.post("/p/feasts/screening", facts, follow=True)
    answers = {"q 0": SINGLE, "q 1": MULTI, "q 2": NOBODY}
    while b'id="no-work"' not in page.content:
        text = page.content.decode()
        asked = re.search(r"at feast (\d)", text)
        key = re.search(r'name="key" value="(\w+)"', text)
        assert asked is not None
        assert key is not None
        page = client.post(
            page.redirect_chain[-1][0], {"options": answers[f"q {asked[1]}"], "key": key[1]}, follow=True
        )
