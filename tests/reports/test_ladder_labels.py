"""A ladder whose judges are known by people's labels, or by a range that is stated."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from mores.analysis.judge_errors import stated_range
from mores.analysis.results import ModelUsage, Result, Results
from mores.annotation.label_tables import read_tables
from mores.benchmarks.ladder.ladders import ladders
from mores.benchmarks.ladder.sentences import describe_break, describe_judges
from mores.calibration.judge_report import with_labels
from mores.cli.app import app
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.models.verifier_facts import CalibrationSummary, LabelledBy, VerifierCalibration, VerifierFacts
from mores.runs.loading import read_results
from mores.stats.rogan_gladen import JudgeErrors, RateRange
from tests.annotation.people import SimulatedAnnotators, simulate_labels, write_labels
from tests.bundled import MANY, counted
from tests.reports.conftest import Held

Screen = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def fallen(held: Held) -> Path:
    """A model that explains what it does not apply, by a judge of .95."""
    subject = "simulated/typical:explain=.97,apply=.3,apply_known=1,format_error=0"
    judge = {"judge": "simulated/judge:sensitivity=.95,specificity=.95"}
    return held("ladder/explain", "ladder/apply", places=MANY, models=(subject,), roles=judge)


@pytest.fixture(scope="module")
def labels(fallen: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("labels") / "labels.csv"
    write_labels(path, simulate_labels([fallen], None, SimulatedAnnotators(count=1, accuracy=(1.0,))))
    return path


def told(run: Path, capsys: Screen, *flags: str) -> dict[str, Any]:
    app(["report", str(run), "--json", *flags], standalone_mode=False)
    return dict(json.loads(capsys.readouterr().out)["analyses"]["ladder"])


def rate_of(rung: dict[str, Any], name: str) -> tuple[Any, ...]:
    return tuple(rung[f"{name}_{part}"] for part in ("low", "high", "labels", "source"))


def test_labels_take_the_place_of_the_stated_range(fallen: Path, labels: Path, capsys: Screen) -> None:
    plain, known = told(fallen, capsys), told(fallen, capsys, "--labels", str(labels))
    assert rate_of(plain["ladder_judges"][1], "sensitivity") == (0.75, 1.0, 0, None)
    for name in ("sensitivity", "specificity"):
        low, high, count, source = rate_of(known["ladder_judges"][1], name)
        assert low == high == pytest.approx(0.95, abs=0.06)
        assert 10 <= count <= counted(MANY)
        assert source == "judged"
    loose, tight = plain["ladder_drops"][0], known["ladder_drops"][0]
    assert tight["high"] - tight["low"] < loose["high"] - loose["low"]
    # True scores: .97 explained, and .3 applied or guessed as one of three words: .97 − (.3 + .7 / 3) = .44.
    assert tight["low"] < 0.44 < tight["high"]
    assert known["ladder_breaks"][0]["breaks_at"] == "apply"


def test_a_narrower_range_is_taken_from_the_command_line(fallen: Path, capsys: Screen) -> None:
    found = told(fallen, capsys, "--judge-range", ".94-1")
    assert rate_of(found["ladder_judges"][0], "specificity") == (0.94, 1.0, 0, None)
    assert found["ladder_breaks"][0]["breaks_at"] == "apply"


def test_what_a_simulated_judge_has_planted_is_not_peeked_at(fallen: Path) -> None:
    (found,) = ladders(read_results([fallen]))
    assert "each from .75 to 1, as stated" in describe_judges(found)


@pytest.mark.parametrize("typed", ["1", ".9", "1-.9", ".4-1", "a-b", ""])
def test_a_range_that_is_none_is_refused(typed: str) -> None:
    with pytest.raises(InputError, match=r"expected two shares from \.6 to 1"):
        stated_range(typed)


def measured(found: Results, labels: LabelledBy = "synthetic", worth: float = 400.0, share: float = 0.95) -> Results:
    """The same results, had their judge been a verifier with figures of its own on other pairs."""
    rate = Estimate(metric="rate", value=share, low=share - 0.03, high=share + 0.03, asked=500, graded=500)
    nothing = CalibrationSummary(stated=(), right=(), error=structs.replace(rate, value=None))
    calibration = VerifierCalibration(
        labels=labels, measured_on={}, temperature=1.0, fitted=0, before=nothing, after=nothing,
        sensitivity=rate, specificity=rate, worth=(worth, worth),
    )  # fmt: skip
    facts = VerifierFacts(kind="encoder", max_tokens=64, base="tiny", trained_on={}, seed=1, calibration=calibration)

    def known(each: Result) -> Result:
        (judge,) = each.judges.values()
        models = {**each.provenance.models, judge: ModelUsage(trained=facts)}
        return structs.replace(each, provenance=structs.replace(each.provenance, models=models))

    return structs.replace(found, evaluations=tuple(map(known, found.evaluations)))


def test_what_was_measured_of_a_verifier_takes_the_place_of_the_default_range_and_says_whose_labels(
    fallen: Path,
) -> None:
    plain = read_results([fallen])
    (loose,), (tight,) = ladders(plain), ladders(measured(plain))
    explain, apply = tight.norm_scores
    assert explain.judge == loose.norm_scores[0].judge  # it judges reasons, of which nothing was measured
    assert apply.judge.sensitivity == RateRange.labelled(0.95 * 400, 400, "synthetic")
    assert "on apply sensitivity .95 by 400 synthetic labels of other answers, specificity .95" in describe_judges(
        tight
    )
    (wide,), (narrow,) = loose.whole.drops, tight.whole.drops
    ends = [(each.contrast.low, each.contrast.high) for each in (wide, narrow)]
    assert None not in ends[0] + ends[1]
    assert ends[1][1] - ends[1][0] < ends[0][1] - ends[0][0]  # type: ignore[operator]
    assert narrow.holds_from is None


def test_people_who_labelled_other_answers_are_not_said_to_be_nobody(fallen: Path) -> None:
    (found,) = ladders(measured(read_results([fallen]), "people"))
    assert "by 400 labels of other answers by people" in describe_judges(found)


def test_a_stated_range_and_labels_of_these_answers_go_before_what_was_measured_elsewhere(
    fallen: Path, labels: Path
) -> None:
    found = measured(read_results([fallen]))
    stated = structs.replace(found, judges=stated_range(".9-1"))
    assert ladders(stated)[0].norm_scores[1].judge == JudgeErrors.within(0.9, 1)
    known = with_labels(found, read_tables(found.runs, [labels]))
    assert ladders(known)[0].norm_scores[1].judge.sensitivity.source == "judged"


def test_too_few_labels_elsewhere_leave_the_default_range(fallen: Path) -> None:
    (found,) = ladders(measured(read_results([fallen]), worth=9.0))
    assert "each from .75 to 1, as stated" in describe_judges(found)


def test_a_verifier_no_better_than_chance_bears_no_claim_and_no_person_is_named_for_it(fallen: Path) -> None:
    (found,) = ladders(measured(read_results([fallen]), share=0.5))
    told = describe_break(found.whole.drops)
    assert "by its labels the judge is hardly better than chance" in told
    assert "people" not in told + describe_judges(found)
