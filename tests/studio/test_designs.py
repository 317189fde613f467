"""A design goes with a paper: one file that makes the same project elsewhere, and tells of nobody."""

from pathlib import Path

import pytest
import tomli
from django.core.files.uploadedfile import SimpleUploadedFile

from mores.core.errors import InputError
from mores.studio.accounts.links import make_token
from mores.studio.config import StudioConfig
from mores.studio.design import NOT_DESIGN, design_of, make_from
from mores.studio.flows.flow import flows
from mores.studio.models import Account, Guideline, GuidelineKind, Membership, Project, Role
from tests.studio import made
from tests.studio.answering import typed
from tests.studio.conftest import BOTH
from tests.studio.doing import client_of, owner_in
from tests.studio.planting import FORM, differing, items, recruited


def _asked(flow: str = "form") -> Project:
    project = made.project("asked", flow=flow, quota=2)
    project.name, project.licence, project.check_every = "Tables “of” Japan", "CC-BY-4.0", 7
    project.settings = {"who": "anybody"} | ({"form": FORM} if flow == "form" else {})
    project.save()
    project.groups.create(code="ainu", name="Ainu", country="JP")
    project.region_quotas.create(region="JP", items=5, people=None)
    project.region_quotas.create(region="GE", items=3, people=9)
    for version, text in enumerate(("Old.", 'Speak of "most".\r\n\r\nNot \\of\\ all.'), start=1):
        Guideline.objects.create(project=project, kind=GuidelineKind.GUIDELINE, version=version, text=text)
    return project


@BOTH
@pytest.mark.parametrize("flow", ["form", "check"])
def test_a_design_makes_the_same_project_and_is_written_the_same_again(studio: object, flow: str) -> None:
    project = _asked(flow)
    first = design_of(project)
    again = make_from(first.decode(), where="paper.toml", owners=[Account.objects.make("Elsewhere", is_owner=True)])
    assert again.slug != project.slug
    assert design_of(Project.objects.get(pk=again.pk)) == first
    assert design_of(make_from(first.decode(), where="paper.toml", owners=[])) == first
    assert [each.text for each in Guideline.objects.filter(project=again)] == ['Speak of "most".\n\nNot \\of\\ all.']
    assert list(Membership.objects.filter(project=again).values_list("account__name", "role")) == [
        ("Elsewhere", Role.OWNER)
    ]


def test_every_flow_has_a_design(studio: object) -> None:
    for flow in flows():
        design = design_of(made.project(flow, flow=flow)).decode()
        assert make_from(design, where=flow, owners=[]).flow == flow


def test_a_design_tells_nothing_of_people_answers_or_secrets(studio: object) -> None:
    project = _asked("review")
    items(project, str)
    differing(project, str)
    recruited(project, made.annotators(project, 1, name="Kenji")[0], str)
    make_token(project, Role.ANNOTATOR, hours=1)
    text = design_of(project).decode()
    assert not any(word in text for word in ("Kenji", "Other", "guest", "C1DONE", "s" * 32, "token"))
    assert set(tomli.loads(text)).isdisjoint(NOT_DESIGN)
    assert not [name for name in tomli.loads(text) if any(part in name for part in ("secret", "token", "hash"))]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("studio_design = 1", "studio_design = 9", "paper.toml: studio_design: expected 1"),
        ("quota = 2", "quota = 'two'", "paper.toml: quota: got 'two'; expected a whole number."),
        ("quota = 2", "quota = 0", "paper.toml: quota: got 0; expected 1 or more."),
        ("quota = 2", "quotum = 2", "paper.toml: unknown key 'quotum'; known are "),
        ('flow = "form"', 'flow = "from"', "paper.toml: flow: "),
        ('who = "anybody"', 'who = "nobody"', "paper.toml: who is 'nobody'; expected local or anybody."),
        ('type = "likert"', 'type = "likret"', "paper.toml: form.toml: ask 1: type: got 'likret'; expected choice"),
        ('region = "GE"', 'region = "XX"', "paper.toml: quotas 1: region: got 'XX'; expected the code of a place"),
        ('code = "ainu"', 'code = "a b"', "paper.toml: screening.groups 1: code: got 'a b'; "),
        ("[guidelines]", "[guidelines]\nother = ''", "paper.toml: guidelines: unknown key 'other'; expected guideline"),
        ("quota = 2", "quota = ", "paper.toml: not TOML"),
    ],
)
def test_what_is_wrong_with_a_design_is_one_line_and_makes_nothing(
    studio: object, old: str, new: str, told: str
) -> None:
    text = design_of(_asked()).decode()
    assert old in text
    with pytest.raises(InputError) as error:
        make_from(text.replace(old, new, 1), where="paper.toml", owners=[])
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert Project.objects.count() == 1


def test_a_design_goes_from_one_studio_to_another_by_the_command_line(studio: StudioConfig, tmp_path: Path) -> None:
    _asked()
    Account.objects.make("Amina", is_owner=True)
    for name in ("one", "two"):
        slug = "asked" if name == "one" else "tables-of-japan"
        typed("studio", "design", "export", "--folder", studio.folder, "--project", slug, "--out", tmp_path / name)
        if name == "one":
            made_of = typed("studio", "design", "import", tmp_path / "one", "--folder", studio.folder)
            assert "tables-of-japan" in made_of.stdout
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_design_is_handed_out_and_taken_on_pages(studio: object) -> None:
    project = _asked()
    got = owner_in(project).get("/p/asked/design")
    owner = client_of(Account.objects.make("Amina", is_owner=True))
    file = SimpleUploadedFile("paper.toml", got.content)
    assert owner.post("/new/design", {"file": file})["Location"] == "/p/tables-of-japan/"
    wrong = owner.post("/new/design", {"file": SimpleUploadedFile("paper.toml", b"studio_design = 2")})
    assert (wrong.status_code, "paper.toml: studio_design: expected 1" in wrong.content.decode()) == (422, True)
