"""Settings that reach what is there already, and messages that say what was expected."""

from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.studio.flows.importing import import_file
from mores.studio.models import Project, WorkItem
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import client_of, owner_in
from tests.studio.test_owners_pages import FORMS, SETTINGS


@BOTH
def test_who_may_answer_is_set_for_items_that_are_there_too_and_back_again(studio: object, tmp_path: Path) -> None:
    project = made.project(flow="label")
    path = tmp_path / "list.csv"
    path.write_text("id,task,words,options,place\n1,t,Is it so?,yes | no,Japan\n")
    import_file(project, path)
    owner = owner_in(project)
    for settings, region in (('{"who": "anybody"}', ""), ('{"who": "local"}', "JP")):
        page = owner.post("/p/feasts/setup", FORMS | SETTINGS | {"settings": settings}, follow=True)
        assert "1 item is for other people now" in page.text
        assert WorkItem.objects.get().region == region


@pytest.mark.parametrize(
    ("language", "taken"), [("pt-BR", True), ("zh-Hant", True), ('xx"><b>', False), ("english", False)]
)
def test_the_language_of_items_is_a_code_of_bcp_47(studio: object, language: str, taken: bool) -> None:
    project = made.project()
    answer = owner_in(project).post("/p/feasts/setup", FORMS | SETTINGS | {"language": language})
    assert answer.status_code == (302 if taken else 422)
    assert (Project.objects.get().language == language) is taken


def test_a_spreadsheet_is_told_what_is_expected(studio: object, tmp_path: Path) -> None:
    (tmp_path / "items.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"items.xlsx: a spreadsheet; expected CSV or JSON Lines"):
        import_file(made.project(), tmp_path / "items.xlsx")


def test_each_answer_stands_under_its_own_question(studio: object, tmp_path: Path) -> None:
    project = made.project(flow="norms")
    path = tmp_path / "norms.csv"
    path.write_text(
        "id,place,statement,know_question,know_a,know_b,judge_story,judge_question\n"
        "n,Japan,A norm,What is true?,This,That,A guest comes.,Is it right?\n"
    )
    import_file(project, path)
    (person,) = made.annotators(project, 1)
    page = client_of(person.account).get("/p/feasts/work", follow=True).text
    order = [page.index(words) for words in ("What is true?", 'name="know"', "A guest comes.", 'name="judge"')]
    assert order == sorted(order)
