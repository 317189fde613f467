"""The datasheet of an export tells of groups, and of nobody in them."""

import json
import re
from importlib import import_module

from django.apps import apps
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from mores.studio.flows.datasheet import FEWEST, shown_counts
from mores.studio.flows.exporting import export_files
from mores.studio.models import Guideline, Participant, Payment, Project
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, stored
from tests.studio.test_agreement import labelled


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 40), max_size=6))
def test_nothing_that_is_shown_gives_a_small_count_away(counts: dict[str, int]) -> None:
    shown = shown_counts(counts)
    hidden = [count for name, count in counts.items() if count and name not in shown]
    assert all(count >= FEWEST for count in shown.values())
    assert not shown or not hidden or (sum(hidden) >= FEWEST and len(hidden) >= 2)


def test_a_lone_small_count_takes_the_next_one_with_it() -> None:
    assert shown_counts({"yes": 20, "no": 7, "not told": 2}) == {"yes": 20}
    assert shown_counts({"yes": 9, "no": 4}) == {}
    assert shown_counts({"yes": 9, "no": 6}) == {"yes": 9, "no": 6}


def _twelve() -> Project:
    """A question that 12 people answered, of whom seven are students, five not, and one is of an age of their own."""
    project = made.project(quota=12)
    made.questions(project, 1)
    people = made.annotators(project, 12)
    for number, person in enumerate(people):
        about = {"student": "yes" if number < 7 else "no", "age_band": "18-29" if number else "70+"}
        Participant.objects.filter(pk=person.pk).update(**about)
        stored(person, claimed(person))
        Payment.objects.create(
            participant=person, submission=f"s{number}", reason="done", status="due", minutes="2.50", amount="1.25"
        )
    Guideline.objects.create(project=project, version=1, text="Take your time.")
    return project


@BOTH
def test_every_export_has_a_datasheet_that_names_nobody(studio: object) -> None:
    project = _twelve()
    for export in ("culturalbench", "answers"):
        told = json.loads(export_files(project, export)["datasheet.json"])
        assert told["people"] == {"JP": {"people": 12, "age_band": {}, "gender": {"not told": 12},
                                         "student": {"yes": 7, "no": 5}}}  # fmt: skip
        assert told["payments"] == [
            {"currency": "USD", "status": "due", "lines": 12, "minutes": "30.00", "amount": "15.00"}
        ]
        assert told["guidelines"] == [{"kind": "guideline", "version": 1}]
        assert told["help"] == {"none": 1.0}
        assert (told["answers"], told["items_by_region"]) == (12, {"JP": 1})
        assert "70+" not in json.dumps(told)
        assert "annotator-" not in json.dumps(told)


@BOTH
def test_what_people_told_of_themselves_is_in_no_other_file(studio: object) -> None:
    project = _twelve()
    for export in ("culturalbench", "answers"):
        files = export_files(project, export)
        del files["datasheet.json"]
        # As words of their own: names that were made at random may hold such digits.
        assert not any(re.search(rb"(?<![\w-])(18-29|70\+)", content) for content in files.values())


@BOTH
def test_the_licence_of_a_project_stands_in_every_export(studio: object) -> None:
    project = _twelve()
    for licence, told, said in (
        ("", "not stated", None),
        ("CC-BY-4.0", "CC-BY-4.0", "license: cc-by-4.0"),
        ("Ours: ask", "Ours: ask", 'license: other\nlicense_name: "Ours: ask"'),
    ):
        Project.objects.update(licence=licence)
        project.refresh_from_db()
        files = export_files(project, "answers")
        assert json.loads(files["datasheet.json"])["licence"] == told
        card = files["README.md"].decode()
        assert f"Licence: {told}." in card
        assert (said or "---") in card
        assert ("license" in card) is (said is not None)


@BOTH
def test_a_licence_that_stood_in_the_settings_is_moved(studio: object) -> None:
    project = made.project()
    Project.objects.update(settings={"licence": "CC0-1.0", "who": "anybody"})
    import_module("mores.studio.migrations.0003_licence").move(apps, None)
    project.refresh_from_db()
    assert (project.licence, project.settings) == ("CC0-1.0", {"who": "anybody"})


def _told(project: Project) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(export_files(project, "labels")["datasheet.json"])["agreement"]
    return found


@BOTH
def test_every_export_says_how_far_people_agree_with_n_and_intervals(studio: object) -> None:
    # As in test_agreement: 8 of 10 items agree, half the labels are yes; kappa is (.8 - .5) / .5.
    project = labelled([["yes", "yes"]] * 4 + [["no", "no"]] * 4 + [["yes", "no"]] * 2)
    (told,) = _told(project)
    assert (told["question"], told["units"], told["people"], told["scale"]) == ("awareness", 10, 2, "nominal")
    for name, value in (("pairs_that_agree", 0.8), ("fleiss_kappa", 0.6), ("krippendorff_alpha", 0.62)):
        figure = told[name]
        assert isinstance(figure, dict)
        assert abs(figure["value"] - value) < 1e-9
        assert figure["low"] < value < figure["high"] <= 1
        assert figure["why"] is None


def test_an_export_is_the_same_in_whatever_language_it_is_asked_for(studio: object) -> None:
    project = _twelve()
    with override("ar"):
        files = export_files(project, "answers")
    assert files == export_files(project, "answers")


def test_where_agreement_cannot_be_told_the_export_says_why(studio: object) -> None:
    (told,) = _told(labelled([["yes"]]))
    assert told["units"] == 0
    figure = told["fleiss_kappa"]
    assert isinstance(figure, dict)
    assert figure["value"] is figure["low"] is None
    assert figure["why"]
