"""Labels for judges: a work list goes in, labels come out that mores reads, and nobody sees what is sealed."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from mores.annotation.sample import RECORD, ROWS, read_sample
from mores.annotation.sample import SHEET as WORK_SHEET
from mores.core.errors import InputError
from mores.studio.config import StudioConfig
from mores.studio.flows.fields import ItemForm, Posted
from mores.studio.flows.flow import flow_named
from mores.studio.flows.importing import import_file
from mores.studio.models import ItemKey, ItemVersion
from tests.annotation.runs import talks
from tests.studio import made
from tests.studio.answering import Chooses, answer_all, of_studio, typed
from tests.studio.conftest import BOTH


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 60 talks, judged without fault."""
    return talks(tmp_path_factory.mktemp("talked") / "run", 60, models=("simulated/typical", "simulated/novice"))


@BOTH
def test_labels_go_the_whole_way_through_the_command_line(studio: StudioConfig, spoken: Path, tmp_path: Path) -> None:
    work, out = tmp_path / "work", tmp_path / "out"
    typed("judge", "sample", spoken, "--n", 60, "--task", "awareness", "--out", work)
    project = made.project("judges", flow="label", quota=2)
    project.settings = {"who": "anybody"}
    project.save()
    assert "60 new items" in of_studio(studio, "import", work, "--project", "judges").stdout
    for number, person in enumerate(made.annotators(project, 2)):
        answer_all(person, _somebody(number))
    of_studio(studio, "export", "--project", "judges", "--out", out)
    labels = ("--labels", out / "labels.csv", "--sample", work)
    agreement = json.loads(typed("judge", "agreement", spoken, *labels, "--json").stdout)
    assert agreement["agreement_tasks"]
    assert json.loads(typed("judge", "correct", spoken, *labels, "--json").stdout)["corrections_tasks"]
    certified = typed("judge", "sets", spoken, *labels, "--risk", ".3", "--json")
    assert json.loads(certified.stdout)["certificates"]


def _somebody(number: int) -> Chooses:
    def chooses(key: str, payload: Mapping[str, object]) -> Posted:
        options = [str(each) for each in payload["options"]] or ["0.5"]  # type: ignore[attr-defined]
        return {"label": [options[(int(key[:4], 36) + number // 9) % len(options)]], "note": ["=a word"]}

    return chooses


def test_nothing_that_is_sealed_comes_in_with_a_work_list(studio: object, spoken: Path, tmp_path: Path) -> None:
    work, project = tmp_path / "work", made.project(flow="label")
    typed("judge", "sample", spoken, "--n", 30, "--out", work)
    import_file(project, work)
    stored = json.dumps(list(ItemVersion.objects.values_list("payload", flat=True)))
    assert not any(word in stored for word in ("simulated/typical", "calibration", "split", "verdict"))
    assert {row.split for row in read_sample(work / RECORD).rows} == {"calibration", "test"}
    assert not ItemKey.objects.exists()


def test_both_kinds_of_work_list_are_the_same_items(studio: object, spoken: Path, tmp_path: Path) -> None:
    work, project = tmp_path / "work", made.project(flow="label")
    typed("judge", "sample", spoken, "--n", 30, "--out", work)
    assert import_file(project, work / ROWS).new == 30
    assert import_file(project, work / WORK_SHEET).known == 30


def _asked(tmp_path: Path, options: str) -> ItemForm:
    file = tmp_path / "list.csv"
    file.write_text(f"id,task,place,words,options,verdict\na1,awareness,,Is it so?,{options},no\n")
    project = made.project(flow="label")
    import_file(project, file)
    return flow_named("label").sheet(ItemVersion.objects.get().payload, project)


@pytest.mark.parametrize(
    ("told", "options"),
    [
        ("yes | no", ["yes", "no"]),
        ("1 | 2 | 3 | 4 | 5", ["1", "2", "3", "4", "5"]),
        ("0 to 1", ["0", *(f"0.{n}" for n in range(1, 10)), "1"]),
    ],
)
def test_a_thing_is_asked_on_its_own_scale_and_a_verdict_beside_it_is_not_shown(
    studio: object, tmp_path: Path, told: str, options: list[str]
) -> None:
    sheet = _asked(tmp_path, told)
    assert [option.value for option in sheet.fields[0].options] == options  # type: ignore[union-attr]
    assert [passage.text for passage in sheet.passages] == ["Is it so?"]
    assert "verdict" not in ItemVersion.objects.get().payload


def test_options_that_are_none_are_refused_with_their_line(studio: object, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"list.csv:2: options are 'yes'; expected two or more"):
        _asked(tmp_path, "yes")
