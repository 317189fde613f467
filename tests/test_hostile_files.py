"""Whatever is in a file that a user hands over, it is read or refused in one line; never a traceback."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.hostile_files import CHANGES, Dice, ModelClient, clients

NAMES = (
    "study", "manifest as study", "manifest", "manifest judged", "manifest resumed", "estimates", "verdicts",
    "transcripts", "votes", "journal", "journal opened", "data", "recorded lines", "recorded table",
    "log inspect.eval", "log scenario_state.json", "log lm-eval.jsonl", "log every.jsonl", "log openai.jsonl",
    "log anthropic.jsonl", "log gemini.jsonl", "labels table", "labels lines",
    "export label-studio.json", "export argilla.json", "export potato.json", "export user_state.json",
    "export prodigy.json", "export mturk.csv", "export qualtrics.csv", "part manifest.json", "part verdicts.jsonl",
    "part transcripts.jsonl", "responses", "bundles", "base of bundles",
    "certificates", "sample", "population lines", "population arrays", "plans", "norms", "statements",
    "key of a sheet", "pack",
)  # fmt: skip
FEW, MANY = 8, 1_200


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sequence[ModelClient]:
    found = clients(tmp_path_factory.mktemp("hostile"))
    assert tuple(door.name for door in found) == NAMES
    return found


def tried(door: ModelClient, folder: Path, seeds: range) -> None:
    for seed in seeds:
        try:
            door.tried(folder / "copy", seed)
        except BaseException as error:
            error.add_note(f"{door.name}, seed {seed}")
            raise
        shutil.rmtree(folder / "copy")


@pytest.mark.parametrize("name", NAMES)
def test_a_sound_file_passes_or_is_refused_for_what_it_lacks(
    sound: Sequence[ModelClient], tmp_path: Path, name: str
) -> None:
    door = sound[NAMES.index(name)]
    door.holds(shutil.copytree(door.folder, tmp_path / "copy"))


@pytest.mark.parametrize("name", NAMES)
def test_a_strange_file_is_read_or_refused_in_words(sound: Sequence[ModelClient], tmp_path: Path, name: str) -> None:
    tried(sound[NAMES.index(name)], tmp_path, range(FEW))


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_in_a_files_place_is_refused_in_words(sound: Sequence[ModelClient], tmp_path: Path, name: str) -> None:
    door = sound[NAMES.index(name)]
    folder = shutil.copytree(door.folder, tmp_path / "copy")
    (folder / door.file).unlink()
    (folder / door.file).mkdir()
    door.holds(folder)


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_no_file_is_strange_enough(sound: Sequence[ModelClient], tmp_path: Path, name: str) -> None:
    tried(sound[NAMES.index(name)], tmp_path, range(FEW, FEW + MANY))


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_changes_change_what_can_be_changed(change: object) -> None:
    data = b'{"name": "x", "n": 1}\nseed = 3\n'
    assert callable(change)
    assert any(change(data, Dice(seed)) != data for seed in range(20))
