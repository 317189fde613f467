"""Guidelines: Markdown that can do no harm, read once a version before the first item, and beside each item."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from mores.studio.accounts.links import join
from mores.studio.models import (
    Account,
    AuditEvent,
    Guideline,
    GuidelineKind,
    GuidelinePicture,
    Participant,
    Project,
    Role,
)
from mores.studio.web.markdown import to_html
from tests.payloads import MARKUP, SCRIPTS
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import client_of, owner_in

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def _shown(text: str) -> str:
    return to_html(text, lambda name: f"/pictures/{name}" if name == "tea.png" else "")


def test_markdown_is_headings_below_the_pages_lists_tables_and_ones_own_pictures() -> None:
    assert _shown("# Rules\n\n- **nice**") == (
        '<h3 dir="ltr">Rules</h3>\n<ul>\n<li dir="ltr"><strong>nice</strong></li>\n</ul>\n'
    )
    assert '<td dir="ltr">yes</td>' in _shown("| a |\n| - |\n| yes |")
    assert '<img src="/pictures/tea.png" alt="A cup"' in _shown("![A cup](tea.png)")
    assert "<br" in _shown("one\ntwo")  # as plain text was shown before


def test_each_block_runs_as_its_words_do_also_around_other_blocks_and_beside_a_picture() -> None:
    for text in ("> تكلم عن الأغلبية", "- مرتين\n\n- ثلاثًا", "![كوب](tea.png)", "1. `x` is fine"):
        way = "ltr" if text.isascii() else "rtl"
        opened = re.findall(r"<(?:p|li|blockquote)[^>]*>", _shown(text))
        assert opened, text
        assert all(f'dir="{way}"' in tag for tag in opened), (text, opened)
    assert "<p>18:00</p>" in _shown("18:00")  # as its page runs


def test_pictures_from_elsewhere_are_words_and_links_tell_nobody_where_they_were_followed() -> None:
    assert "<img" not in _shown("![A cup](https://elsewhere.example/tea.png)")
    assert "A cup" in _shown("![A cup](https://elsewhere.example/tea.png)")
    assert 'rel="noreferrer noopener"' in _shown("[here](https://elsewhere.example)")


@pytest.mark.parametrize("words", [*MARKUP, *SCRIPTS, "[x](javascript:alert(1))", "![x](data:image/svg+xml,<svg>)"])
def test_nothing_that_is_written_becomes_markup_of_its_own(words: str) -> None:
    page = _shown(words).casefold()
    assert not any(tag in page for tag in ("<script", "<img", "<svg", "<iframe", 'href="javascript', ' onerror="'))


def _work() -> tuple[Project, Participant, Client]:
    project = made.project()
    made.questions(project, 3)
    Guideline.objects.create(project=project, kind=GuidelineKind.GUIDELINE, version=1, text="Speak of **most** people.")
    (person,) = made.annotators(project, 1)
    return project, person, client_of(person.account)


@BOTH
def test_a_version_is_read_once_before_the_first_item_and_stands_beside_each(studio: object) -> None:
    project, person, client = _work()
    place = client.get("/p/feasts/work").headers["Location"]
    page = client.get(place).text
    assert "<strong>most</strong>" in page
    assert "I have read this" in page
    assert 'name="options"' not in page
    assert client.post("/p/feasts/read", {"version": "1", "next": place}).headers["Location"] == place
    page = client.get(place).text
    assert 'name="options"' in page
    assert "<strong>most</strong>" in page
    person.refresh_from_db()
    assert person.guideline_read == 1
    assert AuditEvent.objects.get(what="read").about == {"participant": person.pk, "version": 1}
    # A new version comes before the next item, also where a script asks for it.
    Guideline.objects.create(project=project, kind=GuidelineKind.GUIDELINE, version=2, text="Speak of all.")
    part = client.post(place, {"options": "a", "key": "k"}, headers={"X-Part": "main"})
    assert "Speak of all." in part.text
    assert part.headers["Content-Location"] != place
    # The old version is not the one that is to be read.
    assert "Speak of all." in client.post("/p/feasts/read", {"version": "1"}).text
    assert client.post("/p/feasts/read", {"version": "2", "next": "//evil.example"}).headers["Location"] == "/p/feasts/"


def test_writers_read_them_too(studio: object) -> None:
    project = made.project(flow="write")
    (person,) = made.annotators(project, 1)
    join(project, person.account, Role.WRITER)
    Guideline.objects.create(project=project, kind=GuidelineKind.GUIDELINE, version=1, text="Be kind.")
    client = client_of(person.account)
    assert "I have read this" in client.get("/p/feasts/write").text
    client.post("/p/feasts/read", {"version": "1", "next": "/p/feasts/write"})
    assert "I have read this" not in client.get("/p/feasts/write").text


@BOTH
def test_a_picture_is_taken_once_and_served_to_members_alone(studio: object) -> None:
    project, _person, client = _work()
    owner = owner_in(project)

    def sent(name: str, content: bytes) -> str:
        file = SimpleUploadedFile(name, content)
        return owner.post("/p/feasts/guidelines/pictures", {"picture": file}, follow=True).text

    assert "<code>![…](a-cup.png)</code>" in sent("a cup.png", PNG)
    assert "give yours another name" in sent("a cup.png", PNG + b"1")
    assert "it was not stored" in sent("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert "it was not stored" in sent("large.png", PNG + b"\0" * (2 << 20))
    assert bytes(GuidelinePicture.objects.get().content) == PNG
    here = "/p/feasts/guidelines/pictures/a-cup.png"
    served = client.get(here)
    assert (served.headers["Content-Type"], served.headers["X-Content-Type-Options"]) == ("image/png", "nosniff")
    assert client_of(Account.objects.make("stranger")).get(here).status_code == 404
    assert client.post("/p/feasts/guidelines/pictures").status_code == 403
    owner.post("/p/feasts/guidelines", {"kind": "guideline", "text": "![Tea](a-cup.png)"})
    assert f'src="{here}"' in client.get("/p/feasts/guidelines").text
