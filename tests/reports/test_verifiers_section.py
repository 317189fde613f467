"""A page says of a trained verifier how sure it is, how often it is right, and whose labels say so."""

import pytest
from msgspec import structs

from mores.analysis.results import ModelUsage, Results
from mores.analysis.verifiers import analyse, reliability_chart
from mores.calibration.temperature import calibrated
from mores.core.seeds import Seed
from mores.exports.figures import drawn as figure_drawn
from mores.exports.figures.found import figures_of
from mores.models.verifier_facts import VerifierCalibration, VerifierFacts
from mores.reports.charts import RELIABILITY, risk_file
from mores.reports.page import render
from mores.reports.sections_list import tables_of
from mores.runs.loading import read_results
from mores.tables import rows_by_key
from mores.tables.blocks import Chart, SideBySide, TableBlock
from tests.calibration.test_verifiers import drawn
from tests.reports.conftest import Held


@pytest.fixture(scope="module")
def calibration() -> VerifierCalibration:
    return calibrated(drawn(300, heat=2.0), labels="synthetic", measured_on={}, seed=Seed("test"))


@pytest.fixture(scope="module")
def judged(held: Held) -> Results:
    return read_results([held("ladder/apply", limit=12)])


def by(results: Results, trained: VerifierFacts) -> Results:
    """The same results, had their judge been this verifier."""
    (each,) = results.evaluations
    (judge,) = each.judges.values()
    models = {**each.provenance.models, judge: ModelUsage(trained=trained)}
    return structs.replace(
        results, evaluations=(structs.replace(each, provenance=structs.replace(each.provenance, models=models)),)
    )


def facts(calibration: VerifierCalibration | None, prompt: str | None = None) -> VerifierFacts:
    return VerifierFacts(
        kind="encoder", max_tokens=64, base="tiny", trained_on={}, seed=1, prompt_sha=prompt, calibration=calibration
    )


def words_of(results: Results) -> str:
    found = analyse(results)
    assert found is not None
    return str(found.blocks)


def test_the_diagram_is_among_the_figures_for_a_paper(judged: Results, calibration: VerifierCalibration) -> None:
    (found,) = [each for each in figures_of(by(judged, facts(calibration))) if each.kind == "reliability"]
    assert figure_drawn(found, "").startswith("<svg")


def test_the_section_has_the_diagram_its_table_and_whose_labels_they_are(
    judged: Results, calibration: VerifierCalibration
) -> None:
    found = analyse(by(judged, facts(calibration)))
    assert found is not None
    (beside,) = [block for block in found.blocks or () if isinstance(block, SideBySide)]
    chart, table = beside.blocks
    assert isinstance(chart, Chart)
    assert isinstance(table, TableBlock)
    assert [each.name for each in chart.series] == ["as trained", "calibrated"]
    assert len(table.rows) == len(calibration.before.stated) + len(calibration.after.stated)
    page = render(by(judged, facts(calibration)), ())
    assert "no person has confirmed them" in page
    assert "probability stated" in page


def test_programs_get_each_verifier_with_its_bins(judged: Results, calibration: VerifierCalibration) -> None:
    found = tables_of(by(judged, facts(calibration)))
    (row,) = rows_by_key(found["verifiers"].table, found["verifiers"].rows)
    assert (row["base"], row["labelled_by"], row["fitted"]) == ("tiny", "synthetic", calibration.fitted)
    assert row["sensitivity"] == calibration.sensitivity.value
    bins = rows_by_key(found["verifiers_reliability"].table, found["verifiers_reliability"].rows)
    assert [each["stated"] for each in bins] == [*calibration.before.stated, *calibration.after.stated]
    assert [each["right"] for each in bins][-1] == calibration.after.right[-1].value


def test_without_a_trained_verifier_there_is_no_section(judged: Results) -> None:
    assert analyse(judged) is None


def test_a_verifier_that_is_not_calibrated_is_said_to_be_so(judged: Results) -> None:
    assert "not calibrated" in words_of(by(judged, facts(None)))


def test_a_verifier_that_is_asked_in_other_words_than_it_learnt_is_said_to_be_so(judged: Results) -> None:
    (each,) = judged.evaluations
    asked = next(iter(each.provenance.prompts.values()))
    assert "trained on other words" in words_of(by(judged, facts(None, "0" * 12)))
    assert "trained on other words" not in words_of(by(judged, facts(None, asked)))


def test_the_diagram_is_a_file_of_its_own(calibration: VerifierCalibration) -> None:
    picture = risk_file([reliability_chart(calibration)], RELIABILITY)
    assert picture.startswith("<svg")
    assert "right as often as stated" in picture
    assert "no certificate" not in picture
    assert picture.count('class="mark') == len(calibration.before.stated) + len(calibration.after.stated) + 2
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")


def test_a_diagram_of_synthetic_labels_says_so(calibration: VerifierCalibration) -> None:
    assert "synthetic" in str(reliability_chart(calibration).title)
    assert "synthetic" not in str(reliability_chart(structs.replace(calibration, labels="people")).title)
