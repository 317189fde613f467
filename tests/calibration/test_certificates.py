"""Certificates of judges: what was planted is recovered, the promise holds over many calibrations, traps refused."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs
from msgspec.structs import replace
from scipy import stats
from scipy.special import betaln

from mores.annotation.judged_items import JudgedItem
from mores.annotation.label_tables import TaskTable
from mores.calibration.apply_certificate import apply_certificates, chosen_risk
from mores.calibration.calibration_labels import Splitting, split_truths
from mores.calibration.certificate import (
    Certificate,
    CertificateFile,
    ConformalSettings,
    read_certificates,
    write_certificates,
)
from mores.calibration.certificates_analysis import claims, elsewhere, levels_table, risk_charts, sentences
from mores.calibration.certificates_tables import levels_of
from mores.calibration.certify import CertificationRequest, certify
from mores.calibration.draws import JudgeDraws, judge_draws, stated_confidence
from mores.calibration.judge_calibration import JudgeCalibration, calibration, certificate_file, judges_of
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.reports.charts import risk_file
from mores.stats.conformal.calibration import CalibrationPlan
from mores.stats.conformal.risk_tests import units_to_pass
from tests.calibration.judged_tables import OPTIONS, evaluation, planted, quickly_planted, row, table, vote

RISKS = (0.05, 0.11, 0.17, 0.23, 0.29, 0.35)
DICE = Seed("test")
REPEATS = 240


def asked(risks: tuple[float, ...] = RISKS, *, by_place: bool = False, **plan: object) -> CertificationRequest:
    made = CalibrationPlan(**{"score": "first_k", **plan})  # type: ignore[arg-type]
    return CertificationRequest(risks=risks, plan=made, by_place=by_place)


def calibrated(
    found: TaskTable,
    how: CertificationRequest | None = None,
    measure: ConformalSettings | None = None,
    splitting: Splitting | None = None,
) -> JudgeCalibration:
    how, measure = how or asked(), measure or ConformalSettings()
    table, role = judges_of([found], ())[0]
    return calibration(table, role, measure, (how, splitting or Splitting()), seed=DICE)


def missing(draws: int, right: float, steady: float) -> float:
    """True risk of the first so many draws: none is right, with chances to be right from the planted beta."""
    worth = 1 / steady - 1
    a, b = right * worth, (1 - right) * worth
    return float(np.exp(betaln(a, b + draws) - betaln(a, b)))


def stopped(certificate: Certificate, draws: int) -> list[int | None]:
    """How many draws each level keeps; None where it has no certificate."""
    return [int(min(level.settings.stop, draws)) if level.certified else None for level in certificate.levels]


def certificate_of(found: TaskTable, draws: JudgeDraws, how: CertificationRequest) -> Certificate:
    """The steps of the command, without what it says of held-out things."""
    (made,) = certify(draws, split_truths(found, Splitting(), seed=DICE), how, seed=DICE)
    return made


@cache
def many_calibrations() -> tuple[tuple[tuple[int | None, ...], ...], tuple[tuple[float, ...], ...]]:
    """Draws kept at each level by calibrations on 200 fresh things each, and the losses of 1 … 10 draws there."""
    found, losses = [], []
    for number in range(REPEATS):
        made = quickly_planted(200, 10, right=0.87, steady=0.6, seed=number)
        draws = judge_draws(made, "judge", ConformalSettings())
        found.append(tuple(stopped(certificate_of(made, draws, asked()), 10)))
        right = draws.codes == made.truth[:, None]
        losses.append(tuple(float(1 - right[:, :k].any(1).mean()) for k in range(1, 11)))
    return tuple(found), tuple(losses)


def too_often(level: float) -> float:
    """A share of violations that 240 calibrations at delta .05 do not reach by chance."""
    return level + 3 * sqrt(level * (1 - level) / REPEATS)


def shown(made: JudgeCalibration) -> str:
    """The levels of its certificate as people see them."""
    return str(list(levels_table(levels_of(made.certificates[0], {}, simulated=False))))


@pytest.mark.parametrize("place", range(len(RISKS)))
def test_the_true_risk_is_above_a_level_in_no_more_calibrations_than_promised(place: int) -> None:
    found, _ = many_calibrations()
    kept = [each[place] for each in found]
    violated = [k is not None and missing(k, 0.87, 0.6) > RISKS[place] for k in kept]
    assert np.mean(violated) <= too_often(0.05)
    assert place == 0 or np.mean([k is not None for k in kept]) > 0.9  # it is no promise that is never made


def test_the_naive_rule_breaks_its_word() -> None:
    # The cheapest number of draws whose loss on the labels is at most the level, without a test.
    _, losses = many_calibrations()
    worst = 0.0
    for risk in RISKS:
        naive = [next((k for k, loss in enumerate(each, start=1) if loss <= risk), None) for each in losses]
        worst = max(worst, float(np.mean([k is not None and missing(k, 0.87, 0.6) > risk for k in naive])))
    assert worst > 2 * too_often(0.05)


def test_things_of_one_episode_do_not_break_the_promise() -> None:
    violated = []
    for number in range(120):
        made = quickly_planted(300, 6, right=0.87, steady=0.6, seed=number, per_cluster=6)
        (kept,) = stopped(certificate_of(made, judge_draws(made, "judge", ConformalSettings()), asked((0.17,))), 6)
        violated.append(kept is not None and missing(kept, 0.87, 0.6) > 0.17)
    assert np.mean(violated) <= 0.05 + 3 * sqrt(0.05 * 0.95 / 120)


def test_held_out_figures_recover_what_was_planted() -> None:
    made = calibrated(planted(2_000, 10), asked(mode="line"), splitting=Splitting(held_out=0.5))
    on = made.applied[0]
    assert on is not None
    assert (on.held_out, on.items) == (True, 1_000)
    kept = stopped(made.certificates[0], 10)
    assert kept[-1] == 1  # a single word is wrong in .13, so one draw does at .35
    for each, k in zip(on.levels, kept, strict=True):
        if each.figures is not None and k is not None:
            truth = missing(k, 0.87, 0.6)
            assert abs(each.figures.loss - truth) < 4 * sqrt(truth * (1 - truth) / 1_000)
            assert each.figures.draws * 10 == pytest.approx(k)
    word = made.single
    assert word.accuracy is not None
    assert word.flip_rate is not None
    assert word.accuracy.value == pytest.approx(0.87, abs=0.03)
    # Two draws on a thing disagree with chance 2 · .87 · .13 · (1 - .6) = .0905.
    assert word.flip_rate.value == pytest.approx(0.0905, abs=0.01)


def test_levels_above_the_judges_own_error_are_told_to_be_trivial() -> None:
    made = calibrated(planted(400, 5), splitting=Splitting(held_out=0.5))
    assert any("sets add nothing" in line and "0.35" in line for line in claims(made))
    assert any("no breach" in line for line in claims(made))


def test_at_temperature_nought_no_level_below_the_judges_error_is_certified() -> None:
    made = calibrated(planted(300, 8, steady=1.0))
    assert made.draws.equal
    assert any("add nothing" in line for line in sentences(made))
    levels = made.certificates[0].levels
    assert [level.certified for level in levels if level.risk != 0.17] == [False, False, True, True, True]
    low = levels[0]
    assert (low.cause, low.labels_needed) == ("judge not good enough", None)
    assert "were as many lost among more, no number of labels would do" in shown(made)
    assert low.passes_at is not None
    assert 0.1 < low.passes_at < 0.17


def test_what_is_uncalibratable_says_why_where_it_would_pass_and_how_many_labels_would_do() -> None:
    few = calibrated(planted(40, 10, right=0.97), asked((0.05, 0.11)))
    low, high = few.certificates[0].levels
    assert (low.cause, low.certified) == ("too few items", False)
    assert low.labels_needed is not None
    assert low.labels_needed >= 59
    assert high.certified
    assert "too few items (would pass at" in shown(few)


@pytest.mark.parametrize(("loss", "risk", "counted"), [(0.02, 0.05, True), (0.03, 0.11, False), (0.0, 0.05, True)])
def test_so_many_labels_are_just_enough(loss: float, risk: float, counted: bool) -> None:
    needed = units_to_pass(loss, risk, counted=counted)
    assert needed is not None
    if counted:
        assert stats.binom.cdf(np.ceil(loss * needed), needed, risk) <= 0.05
        assert stats.binom.cdf(np.ceil(loss * (needed - 1)), needed - 1, risk) > 0.05
    assert units_to_pass(risk, risk, counted=counted) is None


def test_an_unreadable_draw_is_never_dropped_and_agrees_with_nobody() -> None:
    where = evaluation()
    rows = [row(n, [vote(n, d, None if n < 30 else OPTIONS[n % 2]) for d in range(3)], where=where) for n in range(100)]
    made = calibrated(table(rows, {n: n % 2 for n in range(100)}), asked((0.35,)))
    level = made.certificates[0].levels[0]
    assert level.units == 100
    assert level.loss == pytest.approx(0.3)
    assert made.draws.unreadable == {"not JSON": 90}
    assert made.single.unread == 30
    assert any("90 of 300 draws could not be read" in line for line in sentences(made))


def test_things_that_share_an_episode_are_tested_as_episodes_and_it_is_said() -> None:
    made = calibrated(planted(300, 5, per_cluster=5))
    certificate = made.certificates[0]
    assert certificate.population.clusters == 60
    assert {level.units for level in certificate.levels} == {60}
    assert any("60 clusters were tested by their mean losses" in line for line in sentences(made))
    assert made.one_each[0.35] == 14  # P(Bin(60, .35) <= 14) is the last at most .05
    alone = calibrated(planted(300, 5, per_cluster=5), splitting=Splitting(one_each=True))
    assert (alone.certificates[0].population.items, alone.certificates[0].population.clustered) == (60, False)


def in_episodes(seed: int, *, errs: float, sizes: Sequence[int] = (1, 9), episodes: int = 150) -> TaskTable:
    """Episodes of several lengths, a label of one thing each; the judge errs in the longest alone, this often."""
    rng, where = np.random.default_rng(seed), evaluation()
    rows, truths = list[JudgedItem](), {}
    for episode, size in enumerate(rng.choice(sizes, episodes).tolist()):
        chosen = int(rng.integers(size))
        for k in range(size):
            number = len(rows)
            wrong = size == max(sizes) and rng.random() < errs
            said = vote(number, 0, OPTIONS[number % 2 ^ wrong])
            rows.append(row(number, [said], where=where, cluster=f"e-{episode}"))
            if k == chosen:
                truths[number] = number % 2
    return table(rows, truths)


def test_a_judge_that_errs_in_long_episodes_is_not_certified_by_the_short_ones() -> None:
    """.12 wrong of the nine things of long ones: .108 of all things, .06 where episodes count alike. Level .1 is broken
    by a certificate of any; of 30 at most two and three standard errors may be, where .4 are without weights.
    """
    broken = {"thing": 0, "episode": 0}
    for number in range(30):
        found = in_episodes(number, errs=0.12)
        draws = judge_draws(found, "judge", ConformalSettings())
        for promise in ("thing", "episode"):
            truths = split_truths(found, Splitting(promise=promise), seed=DICE)
            (made,) = certify(draws, truths, asked((0.1,)), seed=DICE)
            broken[promise] += made.levels[0].certified
    assert broken["thing"] <= 30 * 0.05 + 3 * sqrt(30 * 0.05 * 0.95)
    assert broken["episode"] > 30 * 0.05 + 3 * sqrt(30 * 0.05 * 0.95)


def test_a_certificate_says_of_what_it_promises_and_keeps_to_it(tmp_path: Path) -> None:
    found = in_episodes(1, errs=0.0)
    thing, episode = (
        calibrated(found, asked((0.1,)), ConformalSettings(promise=promise), Splitting(promise=promise))
        for promise in ("thing", "episode")
    )
    assert thing.truths.aside > 40
    assert any("set aside by chance" in line for line in sentences(thing))
    assert "from all things of new episodes of at most 9 things" in thing.certificates[0].levels[0].claim
    assert "one thing drawn at random from a new episode" in episode.certificates[0].levels[0].claim
    assert thing.certificates[0].hash != episode.certificates[0].hash
    assert episode.certificates[0].levels[0].units == 150
    longer = in_episodes(2, errs=0.0, sizes=(1, 12), episodes=20)
    for made, says in ((thing, ()), (episode, ("of one thing drawn from an episode; of all things together",))):
        file = certificate_file("clm", [made], (), seed=0)
        write_certificates(tmp_path / f"{len(says)}.json", file)
        read = read_certificates(tmp_path / f"{len(says)}.json")
        (own,) = apply_certificates(read, [found], risk=0.1)
        told_own = tuple(elsewhere(own))
        assert len(told_own) == len(says)
        assert all(part in told for part, told in zip(says, told_own, strict=True))
        (other,) = apply_certificates(read, [longer], risk=0.1)
        assert any("in episodes of more than 9" in told for told in elsewhere(other))


def test_a_file_of_another_format_is_no_file_of_certificates(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text('{"format": 1, "kind": "clm", "certificates": []}')
    with pytest.raises(InputError, match="no certificates; expected a file of mores judge sets or selective"):
        read_certificates(path)


def test_labels_count_by_the_chance_that_was_stored() -> None:
    """Chances that are alike set nothing aside; those that go with the length do what the length would do."""
    found = in_episodes(3, errs=0.0)
    chances = np.where(found.labelled, 0.5, np.nan)
    even = split_truths(replace(found, chances=chances), Splitting(), seed=DICE)
    assert even.aside == 0
    sizes = Counter(found.clusters.tolist())
    drawn = np.array([0.5 / sizes[name] for name in found.clusters.tolist()])
    by_length = split_truths(replace(found, chances=np.where(found.labelled, drawn, np.nan)), Splitting(), seed=DICE)
    assert by_length.calibration.tolist() == split_truths(found, Splitting(), seed=DICE).calibration.tolist()


def test_held_out_things_share_no_episode_with_those_that_calibrate() -> None:
    found = planted(300, 2, per_cluster=5)
    truths = split_truths(found, Splitting(held_out=0.4), seed=DICE)
    assert truths.held.size + truths.calibration.size == 300
    assert not set(found.clusters[truths.held]) & set(found.clusters[truths.calibration])
    again = split_truths(found, Splitting(held_out=0.4), seed=DICE)
    assert (again.held == truths.held).all()


def test_a_samples_splits_are_kept_to() -> None:
    found = planted(100, 2)
    names = ["calibration" if n < 70 else "test" if n < 90 else "" for n in range(100)]
    truths = split_truths(replace_splits(found, names), Splitting(), seed=DICE)
    assert (truths.calibration.tolist(), truths.held.tolist()) == (list(range(70)), list(range(70, 90)))
    with pytest.raises(InputError, match="frozen before it was labelled"):
        split_truths(replace_splits(found, names), Splitting(held_out=0.5), seed=DICE)
    with pytest.raises(InputError, match="of the splits test; expected some of 'calibration'"):
        split_truths(replace_splits(found, ["test"] * 100), Splitting(), seed=DICE)


def replace_splits(found: TaskTable, names: list[str]) -> TaskTable:
    labels = {n: int(found.labels[n, 0]) for n in range(len(found.rows))}
    return table(found.rows, labels, names)


def test_things_on_which_people_tie_are_left_out_and_counted() -> None:
    found = planted(100, 3)
    second = np.where(np.arange(100) < 10, 1 - found.labels[:, 0], found.labels[:, 0])
    tied = replace(found, people=("ann", "bo"), labels=np.column_stack((found.labels[:, 0], second)))
    made = calibrated(tied)
    assert made.certificates[0].population.items == 90
    assert any("10 labelled things on which people tie left out" in line for line in sentences(made))


@pytest.mark.parametrize("quality", ["gnmt", "mean"])
def test_steps_of_likelihoods_come_from_things_without_labels(quality: str) -> None:
    def likely(n: int, d: int) -> dict[str, Any]:
        return {"tokens": 40, "logprob": -0.4 - 0.05 * ((7 * n + 3 * d) % 20)}

    where = evaluation()
    rows = [row(n, [vote(n, d, OPTIONS[n % 2], **likely(n, d)) for d in range(4)], where=where) for n in range(200)]
    found = table(rows, {n: n % 2 for n in range(120)})
    made = calibrated(found, asked(score="max"), ConformalSettings(quality=quality, score="max"))  # type: ignore[arg-type]
    assert made.certificates[0].steps == "quantiles over 80 things without labels"
    assert all(level.certified for level in made.certificates[0].levels)
    few = calibrated(table(rows[:130], {n: n % 2 for n in range(120)}), asked(score="max"),
                     ConformalSettings(quality=quality, score="max"))  # type: ignore[arg-type]  # fmt: skip
    assert few.certificates[0].steps.startswith("even steps, fixed beforehand, as only 10 things")


def test_quality_is_read_from_each_draw_alone() -> None:
    where = evaluation()
    votes = [vote(0, 0, "yes", tokens=10, logprob=-1.0, reason="Confidence: 90%."),
             vote(0, 1, "no", tokens=10, logprob=-2.0, reason="Unsure."), vote(0, 2, None)]  # fmt: skip
    found = table([row(0, votes, where=where)], {0: 0})
    # exp(-1 / (15 / 6)^.6) = .5615, and the mean is exp(-.1).
    expected = {
        "gnmt": [0.5615, 0.3153, 0.0],
        "mean": [0.9048, 0.8187, 0.0],
        "verbalised": [0.9, 0.0, 0.0],
        "prefix": [2 / 3, 0.5, 0.2],
        "constant": [1.0, 1.0, 1.0],
    }
    for quality, values in expected.items():
        draws = judge_draws(found, "judge", ConformalSettings(quality=quality))  # type: ignore[arg-type]
        assert draws.quality[0] == pytest.approx(values, abs=1e-4)


def test_weighed_labels_give_the_share_of_the_decision() -> None:
    votes = [vote(0, 0, "yes", shares={"yes": 0.8, "no": 0.2})]
    found = table([row(0, votes, where=evaluation())], {0: 0})
    assert judge_draws(found, "judge", ConformalSettings(quality="decision")).quality.tolist() == [[0.8]]


@pytest.mark.parametrize(
    ("reason", "value"),
    [("Certainty: 0.7", 0.7), ("confidence is 85 %", 0.85), ("confidence 300", None), ("I am 90 years old", None)],
)
def test_a_stated_confidence_is_read_where_there_is_one(reason: str, value: float | None) -> None:
    assert stated_confidence(reason) == value


def small(*rows: JudgedItem, **also: object) -> TaskTable:
    return table(rows, {n: n % 2 for n in range(len(rows))}, **also)  # type: ignore[arg-type]


TRAPS: dict[str, tuple[Callable[[], TaskTable], str]] = {
    "fewer draws for some": (lambda: small(row(0, [vote(0, 0, "yes")] * 2, where=evaluation()),
                                           row(1, [vote(1, 0, "no")], where=evaluation())),
                             "i-1, sample 0, goal has 1 draws of judge, others 2"),
    "mixed prompts": (lambda: small(row(0, [vote(0, 0, "yes")], where=evaluation()),
                                    row(1, [vote(1, 0, "no", prompt="other")], where=evaluation(run="two"))),
                      "was asked by 2 prompts (abc, other)"),
    "mixed judges": (lambda: small(row(0, [vote(0, 0, "yes")], where=evaluation()),
                                   row(1, [vote(1, 0, "no")], where=evaluation("openai/other", run="two"))),
                     "two was judged otherwise than run: judge openai/judge, here openai/other"),
    "mixed temperatures": (lambda: small(row(0, [vote(0, 0, "yes")], where=evaluation()),
                                         row(1, [vote(1, 0, "no")], where=evaluation(run="two", protocol={
                                             "judging": {"sampling": {"temperature": 0.0}}, "settings": {}}))),
                           "temperature 1.0, here 0.0"),
    "points": (lambda: small(row(0, [vote(0, 0, "yes")], where=evaluation()), options=()), "judges give points in it"),
    "one class": (lambda: table([row(n, [vote(n, 0, "yes")], where=evaluation()) for n in range(50)],
                                dict.fromkeys(range(50), 0)), "people say 'yes' of all 50 things"),
    "too few": (lambda: small(*(row(n, [vote(n, 0, "yes")], where=evaluation()) for n in range(6))),
                "6 independent labelled things calibrate; expected at least 7"),
    "no labels": (lambda: table([row(0, [vote(0, 0, "yes")], where=evaluation())], {}), "people decided nothing in it"),
}  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS)
def test_what_cannot_be_calibrated_on_is_refused_in_one_line(trap: str) -> None:
    made, line = TRAPS[trap]
    with pytest.raises(InputError) as refused:
        calibrated(made())
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("quality", "line"),
    [
        ("gnmt", "judge again with --logprobs"),
        ("decision", "labels were not weighed"),
        ("verbalised", "no reason states"),
    ],
)
def test_a_quality_that_draws_do_not_carry_is_refused(quality: str, line: str) -> None:
    with pytest.raises(InputError, match=line):
        calibrated(planted(60, 2), measure=ConformalSettings(quality=quality))  # type: ignore[arg-type]


def test_more_draws_than_are_kept_in_mind_are_refused() -> None:
    with pytest.raises(InputError, match="expected at most 64"):
        calibrated(planted(20, 65))


def test_all_thresholds_are_tried_on_things_split_off() -> None:
    made = calibrated(
        planted(400, 6), asked(mode="pareto", score="max"), ConformalSettings(quality="prefix", score="max")
    )
    certificate = made.certificates[0]
    assert certificate.mode == "pareto"
    assert certificate.levels[-1].units == 280
    assert certificate.levels[-1].certified


def test_each_place_is_certified_at_its_part_of_delta() -> None:
    made = calibrated(planted(600, 5), asked((0.35,), by_place=True))
    assert [each.place for each in made.certificates] == ["BR", "JP", "NG"]
    assert all(each.delta == pytest.approx(0.05 / 3) for each in made.certificates)
    assert all(each.levels[0].units == 200 for each in made.certificates)


def test_claims_divide_delta() -> None:
    one, six = (calibrated(planted(100, 5), asked((0.17,), claims=n)).certificates[0] for n in (1, 6))
    assert one.levels[0].p == six.levels[0].p or not six.levels[0].certified
    assert six.delta == pytest.approx(0.05 / 6)


def test_the_picture_has_a_panel_a_task_and_marks_levels_without_certificate() -> None:
    made = calibrated(planted(300, 8, steady=1.0), splitting=Splitting(held_out=0.5))
    (chart,) = risk_charts(made.certificates, simulated=False)
    assert str(chart.title).startswith("goal (")
    (series,) = chart.series
    losses = [None if point.y is None else point.y.value for point in series.points]
    assert [loss is None for loss in losses] == [not level.certified for level in made.certificates[0].levels]
    drawn = risk_file([chart])
    assert drawn.count('class="mark') == sum(loss is not None for loss in losses) + 1  # and one in the key
    assert drawn.count('class="cross"') == losses.count(None) + 1
    assert "no certificate at this level" in drawn
    assert drawn.startswith("<svg xmlns=")


def file_of(made: JudgeCalibration, tmp_path: Path) -> CertificateFile:
    labels = tmp_path / "labels.csv"
    labels.write_text("item,task,annotator,label\n")
    return certificate_file("clm", [made], [labels], seed=0)


def test_a_certificate_is_stored_and_read_back_whole(tmp_path: Path) -> None:
    file = file_of(calibrated(planted(300, 6)), tmp_path)
    write_certificates(tmp_path / "cert.json", file)
    assert read_certificates(tmp_path / "cert.json") == file
    with pytest.raises(InputError, match="is not overwritten"):
        write_certificates(tmp_path / "cert.json", file)


@pytest.mark.parametrize("change", ["risk", "stop", "judge"])
def test_a_certificate_that_was_changed_is_refused(change: str, tmp_path: Path) -> None:
    write_certificates(tmp_path / "cert.json", file_of(calibrated(planted(300, 6)), tmp_path))
    plain = json.loads((tmp_path / "cert.json").read_text())
    certificate = plain["certificates"][0]
    if change == "judge":
        certificate["conditions"]["judge"] = "openai/another"
    elif change == "risk":
        certificate["levels"][-1]["risk"] = 0.01
    else:
        certificate["levels"][-1]["thresholds"]["stop"] = 1.0 if certificate["levels"][-1] else 2.0
        certificate["levels"][-2]["thresholds"]["stop"] = 7.0
    (tmp_path / "cert.json").write_text(json.dumps(plain))
    with pytest.raises(InputError, match="it was changed after it was written"):
        read_certificates(tmp_path / "cert.json")


def test_thresholds_replayed_on_the_same_draws_give_the_same_sets(tmp_path: Path) -> None:
    found = planted(600, 6, labelled=300)
    made = calibrated(found)
    (put,) = apply_certificates(file_of(made, tmp_path), [found], risk=0.11)
    kept = stopped(made.certificates[0], 6)[1]
    assert kept is not None
    assert {each.made for each in put.decisions} == {kept}
    assert sum(put.counts.values()) == 600
    assert {each.people for each in put.decisions} <= {"", "split"}
    split = [n for n, codes in enumerate(made.draws.codes[:, :kept]) if len(set(codes.tolist())) > 1]
    assert [n for n, each in enumerate(put.decisions) if each.people] == split
    assert [row.thing.item for row in put.for_people] == [f"i-{n}" for n in split]


def test_where_a_level_has_no_certificate_everything_goes_to_people(tmp_path: Path) -> None:
    found = planted(300, 8, steady=1.0)
    (put,) = apply_certificates(file_of(calibrated(found), tmp_path), [found], risk=0.05)
    assert put.counts == {"no certificate": 300}
    assert put.claims == ()
    assert all(each.decided is None and not each.kept for each in put.decisions)


def other_evaluation(found: TaskTable, **also: Any) -> TaskTable:
    where = evaluation(**also)
    labels = {n: int(code) for n, code in enumerate(found.labels[:, 0])}
    return table([structs.replace(each, evaluation=where) for each in found.rows], labels)


HOT = {
    "judging": {"sampling": {"temperature": 0.5, "top_p": None, "max_tokens": 100, "logprobs": False}},
    "settings": {},
}
OTHERS: dict[str, tuple[dict[str, Any], str]] = {
    "judge": ({"spec": "openai/other"}, "judge openai/judge, here openai/other"),
    "temperature": ({"protocol": HOT}, "temperature 1.0, here 0.5"),
    "card": ({"card": {"version": "2-A"}}, "card 1-A, here 2-A"),
    "form": ({"prompts": {"made.goal.v1": "abc", "judges.fence.v1": "new"}}, "prompt judges.fence.v1 fff, here new"),
    "endpoint": ({"models": {"openai/judge": {"identity": "https://elsewhere/v1"}}}, "here https://elsewhere/v1"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_certificate_is_not_put_to_use_on_another_judgement(what: str, tmp_path: Path) -> None:
    found = planted(200, 4)
    file = file_of(calibrated(found), tmp_path)
    also, line = OTHERS[what]
    with pytest.raises(InputError) as refused:
        apply_certificates(file, [other_evaluation(found, **also)], risk=0.35)
    assert line in str(refused.value)


def test_another_prompt_or_number_of_draws_is_refused_by_name(tmp_path: Path) -> None:
    found = planted(200, 4)
    file = file_of(calibrated(found), tmp_path)
    with pytest.raises(InputError, match="draws 4, here 3"):
        apply_certificates(file, [planted(200, 3)], risk=0.35)
    worded = table(
        [
            structs.replace(each, votes={"judge": tuple(structs.replace(v, prompt="new") for v in each.votes["judge"])})
            for each in found.rows
        ],
        {},
    )
    with pytest.raises(InputError, match=r"prompt made.goal.v1 abc, here none"):
        apply_certificates(file, [worded], risk=0.35)


def test_what_the_benchmark_asks_its_subject_is_no_part_of_a_judgement(tmp_path: Path) -> None:
    found = planted(200, 4)
    prompts = {"made.goal.v1": "abc", "judges.fence.v1": "fff", "made.subject.v1": "changed"}
    apply_certificates(file_of(calibrated(found), tmp_path), [other_evaluation(found, prompts=prompts)], risk=0.35)


def test_answers_of_another_model_are_told_to_be_outside_the_promise(tmp_path: Path) -> None:
    found = planted(200, 4)
    (put,) = apply_certificates(
        file_of(calibrated(found), tmp_path), [other_evaluation(found, model="openai/new")], risk=0.35
    )
    assert put.strangers == ("openai/new",)


def test_a_level_is_named_and_never_picked_by_what_it_brings(tmp_path: Path) -> None:
    file = file_of(calibrated(planted(200, 4), asked((0.17, 0.35))), tmp_path)
    with pytest.raises(InputError, match=r"name the level to use; the certificate has 0.17, 0.35"):
        chosen_risk(file, None)
    with pytest.raises(InputError, match=r"has the levels 0.17, 0.35"):
        apply_certificates(file, [planted(200, 4)], risk=0.2)
    assert chosen_risk(file_of(calibrated(planted(200, 4), asked((0.35,))), tmp_path), None) == 0.35


def test_places_without_a_certificate_go_to_people(tmp_path: Path) -> None:
    found = planted(600, 5)
    others = [number for number, each in enumerate(found.rows) if each.place != "NG"]
    japan = table([found.rows[n] for n in others], {k: int(found.labels[n, 0]) for k, n in enumerate(others)})
    made = calibrated(japan, asked((0.35,), by_place=True))
    (put,) = apply_certificates(file_of(made, tmp_path), [found], risk=0.35)
    assert put.counts["no certificate there"] == 200


def test_certify_is_the_same_for_equal_seeds() -> None:
    found = planted(500, 5)
    draws, how = (
        judge_draws(found, "judge", ConformalSettings(quality="prefix", score="max")),
        asked(mode="pareto", score="max"),
    )
    truths = split_truths(found, Splitting(), seed=DICE)
    first, second = (certify(draws, truths, how, seed=Seed("x")) for _ in range(2))
    assert first == second
