"""A trained verifier is calibrated on pairs of questions that it did not learn from, and its folder says how."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from mores.cli.app import app
from mores.core.codec import encode_lines
from mores.core.errors import InputError
from mores.models.verifier_facts import STANDS, VerifierFacts, read_trained, write_trained
from mores.pipelines.verifier import evaluate
from mores.pipelines.verifier.evaluate import calibrate
from mores.pipelines.verifier.figures import card
from mores.pipelines.verifier.pairs import ResponseNormPair
from mores.pipelines.verifier.predictions import RaterPrediction
from mores.pipelines.verifier.train import PAIRS, PairRow, read_stored
from mores.runs.folder import write_manifest

FACTS = VerifierFacts(kind="encoder", max_tokens=64, base="tiny", trained_on={"forest": "0" * 64}, seed=1)
QUESTIONS, EACH, HEAT = 120, 4, 2.0


def pair(question: int, number: int) -> ResponseNormPair:
    """One of a question's pairs, with a label that its numbers decide."""
    label = STANDS[int(np.random.default_rng([question, number]).integers(3))]
    return ResponseNormPair(
        id=f"{question}/{number}", cluster=f"q-{question}", response=f"answer {question} {number}",
        norm=f"norm {number}", question=f"question {question}", label=label, origin="matrix",
    )  # fmt: skip


class Sure:
    """A verifier that leans towards the label, and is surer than right; of every fiftieth pair it says nothing."""

    temperature = 1.0

    def __init__(self, name: str) -> None:
        trained = read_trained(Path(name))
        assert trained is not None
        self._temperature = trained.temperature or 1.0

    def predict(self, pairs: Sequence[ResponseNormPair]) -> list[RaterPrediction]:
        return [self._one(each) for each in pairs]

    def _one(self, each: ResponseNormPair) -> RaterPrediction:
        question, number = map(int, each.id.split("/"))
        if (question * EACH + number) % 50 == 0:
            return RaterPrediction(cause="too long: 90 tokens; the verifier takes 64")
        assert each.label is not None
        logits = np.random.default_rng([question, number, 1]).normal(0, 1, 3)
        logits[STANDS.index(each.label)] += 1.0  # the logs of honest probabilities, when both have these laws
        chance = np.exp(HEAT * logits / self._temperature)
        return RaterPrediction(tuple((chance / chance.sum()).tolist()))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What training leaves, without the weights: questions 0 to 29 were learnt from."""
    monkeypatch.setattr(evaluate, "LoadedVerifier", Sure)
    lines = [
        PairRow(part="train" if question < 30 else "held out", pair=pair(question, number))
        for question in range(30 + QUESTIONS)
        for number in range(EACH)
    ]
    place = tmp_path / "verifier"
    place.mkdir()
    (place / PAIRS).write_bytes(encode_lines(lines))
    write_trained(place, FACTS)
    write_manifest(place, {"kind": "verifier", "state": "finished", "spec": {}})
    return place


def write_pairs(path: Path, questions: range, annotator: str = "") -> Path:
    rows = [pair(question, number) for question in questions for number in range(EACH)]
    lines = [
        {"id": each.id, "response": each.response, "norm": each.norm, "question": each.question, "label": each.label,
         "annotator": annotator}
        for each in rows
    ]  # fmt: skip
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_the_folder_says_at_which_temperature_and_by_whose_labels(folder: Path) -> None:
    found = calibrate(read_stored(folder))
    trained = read_trained(folder)
    assert trained is not None
    assert trained.calibration == found.calibration
    assert trained.temperature == found.calibration.temperature == pytest.approx(HEAT, abs=0.5)
    assert found.calibration.labels == "synthetic"
    assert found.calibration.measured_on == FACTS.trained_on
    assert found.unscored == 9
    assert found.calibration.fitted + found.calibration.after.error.graded == QUESTIONS * EACH - 9
    assert found.calibration.after.error.value is not None
    assert found.calibration.before.error.value is not None
    assert found.calibration.after.error.value < found.calibration.before.error.value


def test_a_second_time_finds_the_same(folder: Path) -> None:
    first = calibrate(read_stored(folder)).calibration
    again = calibrate(read_stored(folder)).calibration
    assert again.temperature == pytest.approx(first.temperature, rel=1e-6)
    assert (again.sensitivity, again.specificity, again.worth) == (first.sensitivity, first.specificity, first.worth)


def test_no_pair_of_a_question_that_was_learnt_from_counts(folder: Path, tmp_path: Path) -> None:
    other = write_pairs(tmp_path / "pairs.jsonl", range(20, 80), "ana")
    found = calibrate(read_stored(folder), other)
    assert found.learnt_from == 10 * EACH
    assert found.calibration.labels == "people"
    assert list(found.calibration.measured_on) == ["pairs.jsonl"]
    with pytest.raises(InputError, match="no labelled pair is of a question that nothing was learnt from"):
        calibrate(read_stored(folder), write_pairs(tmp_path / "seen.jsonl", range(30)))


def test_labels_of_several_worths_are_called_by_the_least(folder: Path) -> None:
    stored = read_stored(folder)
    mixed = tuple(replace(each, origin="people") for each in stored.pairs["held out"][:300])
    parts = {**stored.pairs, "held out": (*mixed, *stored.pairs["held out"][300:])}
    assert calibrate(replace(stored, pairs=parts)).calibration.labels == "synthetic"


def test_the_verb_tells_it_and_draws_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app(["judge", "verifier", "calibrate", str(folder)], standalone_mode=False)
    out = capsys.readouterr().out
    assert "Temperature" in out
    assert "no person has confirmed them" in out
    assert "Left out: 9 pairs without probabilities." in out
    assert (folder / "reliability.svg").read_text().startswith("<svg")
    app(["judge", "verifier", "calibrate", str(folder), "--json"], standalone_mode=False)
    said = json.loads(capsys.readouterr().out)["found"]
    assert said["calibration"]["labels"] == "synthetic"
    assert {"temperature", "fitted", "before", "after", "sensitivity", "specificity", "worth"} <= set(
        said["calibration"]
    )


def test_a_folder_without_a_verifier_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a folder that mores judge verifier train has finished") as error:
        app(["judge", "verifier", "calibrate", str(tmp_path)], standalone_mode=False)
    assert "\n" not in str(error.value)


def test_the_card_has_the_temperature_the_errors_and_whose_labels_they_are(folder: Path) -> None:
    calibrate(read_stored(folder))
    manifest: dict[str, object] = {
        "spec": {"start": {"lora": 0, "base": "0" * 16}, "schedule": {"epochs": 1, "batch": 8, "rate": None}},
        "pairs": {"train": 120}, "labels": {"satisfy (matrix)": 40}, "licences": {"forest": "none"},
    }  # fmt: skip
    told = card(replace(read_stored(folder), manifest=manifest), ())
    assert "calibration error is" in told
    assert "sensitivity" in told
    assert "synthetic: no person gave them" in told
