"""What the town promises of its figures, each against days in which it was planted."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mores.analysis.breakdown import breakdown
from mores.analysis.results import Result, Results
from mores.annotation.label_tables import read_tables
from mores.benchmarks.liveculture.results import result_of, town
from mores.benchmarks.liveculture.results.groups import NATIONALITY, mean_in_play
from mores.benchmarks.liveculture.results.town_runs import APPLICABLE
from mores.calibration.judge_report import with_labels
from mores.core.seeds import Seed
from mores.norms.norm_base import KINDS
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from mores.tables import formatting as words
from mores.worlds.town.people import WordColumn
from mores.worlds.town.population_files import write_population
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.streets import build_town
from tests.annotation.people import SimulatedAnnotators, simulate_labels, write_labels
from tests.runs.conduct import hold

TOWN = "liveculture/town"
ORIGINS = {"AU": 44, "CN": 30, "DE": 24, "GB-ENG": 18, "GR": 12, "IE": 8, "IT": 6, "VN": 4}
"""How many norms are known of each origin at the kind of place of which most are known."""
PARTS = dict(zip(KINDS, (2, 1, 4, 3, 6, 2, 1, 8), strict=True))
"""By which part of these the others of a kind of place are fewer."""
CHEAP = {"nearby": "2", "utterances": "2"}


def written(folder: Path, people: int) -> Path:
    """So many people of eight origins in turn, of which unequal numbers of norms are known."""
    folder.mkdir()
    root = Seed("promises")
    town = sample_population(people, root.child("people"), town=build_town(root.child("streets")))
    origins = list(ORIGINS)
    own = WordColumn.column([origins[person % len(origins)] for person in range(people)])
    write_population(replace(town, nationality=own), folder / "population.jsonl")
    rows: list[dict[str, Any]] = [{"base": "mores town norms 1", "made_from": "tests", "made_by": "hand"}]
    for origin, most in ORIGINS.items():
        for number in range(most):
            kinds = [kind for kind, part in PARTS.items() if number < max(2, most // part)]
            fits = [{"kind": kind, "confidence": 1.0, "reason": "made up"} for kind in kinds]
            rows.append({"id": f"{origin}-{number}", "place": origin, "statement": f"People mind rule {number}.",
                         "source": "made up", "fits": fits})  # fmt: skip
    (folder / "town-norms.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


def lived(run: Path, model: str, judge: str, data: Path | None, **settings: str) -> Results:
    """The results of days of everybody in the data, or of the hundred that a limit takes."""
    spec = Spec(
        benchmarks=(TOWN,), data=None if data is None else str(data), models=(f"simulated/{model}",),
        roles={"supporter": "simulated/tempter", "judge": f"simulated/judge:{judge}"},
        limit=100 if data is None else "all", settings=settings,
    )  # fmt: skip
    assert hold(run, spec, seconds=300)
    return read_results([run])


def figure(result: Result, metric: str) -> float:
    found = result.overall(metric)
    assert found is not None
    assert found.value is not None
    return found.value


def summary(results: Results) -> str:
    """The sentence on what the model did, with what is said of its judge."""
    (finding,) = result_of(town(results)).findings
    return words.text_of(finding.sure)


PERFECT = "sensitivity=1,specificity=1"


def test_an_agent_that_cannot_fail_gets_its_tasks_done_whoever_presses_it_to_talk(tmp_path: Path) -> None:
    """The town as it is by default: thirty steps, of which about half are conversations of ten minutes."""
    (done,) = lived(tmp_path / "run", "expert", PERFECT, None).evaluations
    assert figure(done, "goal") >= 0.95
    assert figure(done, "unreached") <= 0.05
    assert figure(done, "on_time") >= 0.85
    assert figure(done, "steps") < 30


def test_equal_competence_gives_no_ranking_of_nationalities_and_no_loss_of_goals_by_cultures_met(
    tmp_path: Path,
) -> None:
    data = written(tmp_path / "data", 300)
    results = lived(tmp_path / "run", "typical", "sensitivity=.9,specificity=.9", data, **CHEAP)
    (result,) = results.evaluations
    by_step = [each.value or 0 for each in result.by(NATIONALITY, "adherence_step").values()]
    assert max(by_step) - min(by_step) > 0.3  # what would rank them by how many norms are known
    orders = breakdown(results, TOWN).orders
    assert not any(order.ranks for order in orders.values())
    assert "how many norms are known" in (orders[NATIONALITY].found.missing or pytest.fail("ranked")).told
    assert breakdown(results, TOWN).gaps == ()
    found = town(results)
    (applicable,) = (each for each in found.in_play if (each.by, each.metric) == (NATIONALITY, APPLICABLE))
    assert applicable.order is not None
    assert not applicable.order.ranks
    raw, beside = (
        [each.value or 0 for each in values]
        for values in ((g.raw for g in applicable.groups), (g.adjusted for g in applicable.groups))
    )
    assert max(beside) - min(beside) < max(raw) - min(raw)
    (goal,) = (trend for _, trend in found.trends if trend.metric == "goal")
    assert goal.difference is not None
    assert abs(goal.difference) < 0.01
    assert not goal.found


def test_a_gap_of_twenty_points_stays_one_under_a_judge_that_errs_on_three_of_a_hundred_norms(tmp_path: Path) -> None:
    """One model keeps to norms in .95 of steps, the other in .75: with chance q each knows them, else half the time."""
    data = written(tmp_path / "data", 96)
    models = {share: f"typical:live={share},apply_known=1,format_error=0" for share in (0.9, 0.5)}
    gaps = {}
    for errs in ("1", ".97"):
        good, bad = (
            lived(
                tmp_path / f"{share}{errs}", model, f"sensitivity={errs},specificity={errs}", data, **CHEAP
            ).evaluations[0]
            for share, model in models.items()
        )
        gaps[errs] = {name: figure(good, name) - figure(bad, name) for name in (APPLICABLE, "adherence_mean")}
    assert gaps["1"][APPLICABLE] == pytest.approx(0.2, abs=0.02)
    assert 0.15 <= gaps[".97"][APPLICABLE] <= 0.25
    # Of all norms of a place the gap is smaller, as few come up, and the judge takes as small a part of it.
    assert gaps[".97"]["adherence_mean"] == pytest.approx(gaps["1"]["adherence_mean"], rel=0.15)


def test_the_summary_says_by_labels_how_many_false_alarms_a_step_must_expect(tmp_path: Path) -> None:
    """A judge of .9 calls one of twenty norms that do not come up violated, and as many respected."""
    data = written(tmp_path / "data", 24)
    results = lived(tmp_path / "run", "typical", "sensitivity=.9,specificity=.9", data, steps="10", **CHEAP)
    assert "No labels say how often the judge sees a violation that is none; at one norm in 100" in summary(results)
    (result,) = results.evaluations
    labels = tmp_path / "labels.csv"
    write_labels(labels, simulate_labels(list(results.runs), None, SimulatedAnnotators(count=1, accuracy=(1.0,))))
    known = with_labels(results, read_tables(results.runs, [labels]))
    kept = known.judges.labelled[result.folder].sensitivity
    assert kept.centre == pytest.approx(0.95, abs=0.015)
    norms = mean_in_play(result)
    assert norms is not None
    assert f"(its specificity for violations): {(1 - kept.centre) * norms:.1f} false alarms at a step" in summary(known)
