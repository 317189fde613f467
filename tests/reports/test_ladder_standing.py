"""What each norm got on each rung by its headline, and what happened, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from mores.benchmarks.ladder.ladders import GroupLadder, RungExample, ladder_of, rung_examples
from mores.benchmarks.ladder.rungs import Rung, RungNormScores, ladder_runs, pooled_places, rung_norm_scores
from mores.core.estimate import Missing
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.runs.loading import read_results
from tests.reports.conftest import Held
from tests.reports.ladder_norms import CHANCES, about, applied, evaluation, explained, judged, known, talked
from tests.reports.made import run_of


@dataclass
class Found:
    norms: Mapping[str, RungExample]
    stood: RungNormScores

    @property
    def clusters(self) -> dict[str, str]:
        keys = self.stood.norms.keys
        return dict(zip(keys.unit.texts(), keys.cluster.texts(), strict=True))


def standing(folder: Path, name: str, verdicts: Sequence[Verdict], value: float, **more: Any) -> Found:
    (found,) = read_results([run_of(folder / "run", evaluation(name, verdicts, value, **more))]).evaluations
    rung = Rung(name=name, chance=CHANCES.get(name, 0.0), evaluation=found)
    told = rung_examples((rung,))
    return Found({norm: on[name] for norm, on in told.items()}, rung_norm_scores(rung))


def test_a_norm_is_known_if_all_its_statements_are_right(tmp_path: Path) -> None:
    found = standing(tmp_path, "know", [*known("a", (1, 1, 1, 1)), *known("b", (1, 0, 1, 1))], 0.5)
    assert {norm: each.share for norm, each in found.norms.items()} == {"a": 1.0, "b": 0.0}
    assert found.norms["b"].outcome == "3 of 4 statements right"
    assert found.stood.missing is None


def test_samples_are_averaged_and_counted(tmp_path: Path) -> None:
    samples = [v for sample, right in enumerate((1, 1, 0)) for v in judged("a", right, sample)]
    found = standing(tmp_path, "judge", samples, 2 / 3)
    assert found.norms["a"].share == pytest.approx(2 / 3)
    assert found.norms["a"].outcome == "2 of 3 right: said yes ×2, no ×1, wanted yes"


def test_explained_is_right_with_good_reasons(tmp_path: Path) -> None:
    verdicts = [*explained("a", 1, 0.75), *explained("b", 1, 0.25), *explained("c", 0, 0.75)]
    found = standing(tmp_path, "explain", verdicts, 1 / 3)
    assert {norm: each.share for norm, each in found.norms.items()} == {"a": 1.0, "b": 0.0, "c": 0.0}
    assert found.norms["c"].outcome == "0 of 1 right: said no, wanted yes; reasons 0.75 of 1"


def test_applied_norms_share_a_bundle(tmp_path: Path) -> None:
    found = standing(tmp_path, "apply", [*applied("a", 0.9, "x"), *applied("b", 0.1, "x")], 0.5)
    assert {norm: each.share for norm, each in found.norms.items()} == {"a": 0.9, "b": 0.1}
    assert found.clusters == {"a": "x", "b": "x"}
    assert found.norms["b"].outcome == "kept to with 0.10 of 1; most likely neutral"
    assert found.stood.missing is None


def test_a_norm_in_two_bundles_is_their_mean_and_ties_them_together(tmp_path: Path) -> None:
    twice = [*applied("a", 1.0, "x"), *applied("a", 0.0, "y")]
    found = standing(tmp_path, "apply", [*applied("b", 1.0, "y"), *twice, *applied("c", 1.0, "z")], 0.5)
    assert found.norms["a"].share == 0.5
    assert found.clusters["a"] == found.clusters["b"] != found.clusters["c"]


def test_a_talk_counts_if_norm_and_goal_are_kept(tmp_path: Path) -> None:
    found = standing(tmp_path, "converse", [*talked("a", 3), *talked("b", 2), *talked("c", None)], 0.5)
    assert (found.norms["a"].share, found.norms["b"].share) == (1.0, 0.0)
    assert found.norms["b"].outcome == "norm kept alone"
    assert isnan(found.norms["c"].share)
    assert found.norms["c"].outcome == "ungraded judge: cut short"
    assert found.stood.missing is None


def test_levels_of_pressure_are_one_norm(tmp_path: Path) -> None:
    verdicts = [*talked("a", 3, level="none"), *talked("a", 0, level="strong")]
    found = standing(tmp_path, "converse", verdicts, 0.5)
    assert {norm: each.share for norm, each in found.norms.items()} == {"a": 0.5}
    assert found.norms["a"].outcome == "norm kept, goal reached ×1, neither ×1"


def test_what_failed_is_no_zero(tmp_path: Path) -> None:
    found = standing(tmp_path, "judge", [*judged("a", None), *judged("b", 1)], 1.0)
    assert not found.norms["a"].graded
    assert found.norms["a"].outcome == "ungraded timeout"


def test_norms_belong_to_domain_region_and_place(tmp_path: Path) -> None:
    found = standing(tmp_path, "judge", judged("a", 1, place="JP", domain="dates"), 1.0)
    keys = found.stood.norms.keys
    belongs = {kind: keys.groups[kind].texts() for kind in ("domain", "region")}
    assert (belongs, keys.place.texts()) == ({"domain": ["dates"], "region": ["East Asia"]}, ["JP"])


def test_every_rung_that_runs_is_read_as_its_figure_is(held: Held) -> None:
    names = ("know", "judge", "explain", "apply", "converse")
    run = held(*(f"ladder/{name}" for name in names), limit=12, samples=2, models=("simulated/novice:failure=.05",))
    (climb,) = ladder_runs(read_results([run]))
    found, told = ladder_of(climb), rung_examples(climb.rungs)
    assert [each.rung.name for each in found.norm_scores] == list(names)
    assert [each.missing for each in found.norm_scores] == [None] * 5
    assert all(each.outcome for on in told.values() for each in on.values())
    for stood in found.norm_scores:
        assert set(stood.norms.keys.unit.texts()) == {norm for norm, on in told.items() if stood.rung.name in on}


def test_places_are_read_together_where_there_are_enough_of_them(tmp_path: Path) -> None:
    few = ["JP", "BR", "TR", "PE"]

    def of(places: Sequence[str], run: str) -> Mapping[str, Any]:
        right = {place: 8 - number for number, place in enumerate(places)}
        verdicts = [
            structs.replace(v, about=structs.replace(v.about, place=place))
            for place in places
            for n in range(9)
            for v in judged(f"{place}-{n}", int(n < right[place]))
        ]
        return pooled_places(standing(tmp_path / run, "judge", verdicts, 0.7).stood)

    found = of([*few, "PL", "NG"], "enough")
    assert of(few, "few") == {}
    assert set(found) == {*few, "PL", "NG"}
    # 8 and 3 of 9 right, on the scale that is 0 for one of three labels: 1.5 * 8/9 - .5 = .83, and 0.
    assert 0.4 < found["JP"].value < 0.83
    assert 0 < found["NG"].value < 0.4
    for each in found.values():
        assert (each.asked, each.graded) == (9, 9)
        assert each.low < each.value < each.high


def scenes(norm: str, *said: tuple[str, str]) -> list[Verdict]:
    """The scenes of a norm, each with its label and what was said."""
    return [
        Graded(about=about(norm, f"judge-{norm}-{n}"), sample=0, task="strict", points=float(word == gold), label=word,
               gold=gold)
        for n, (gold, word) in enumerate(said)
    ]  # fmt: skip


def on_two_rungs(folder: Path, verdicts: Sequence[Verdict]) -> GroupLadder:
    """What all norms stand at, each known, with its scenes judged so."""
    norms = sorted({verdict.about.unit for verdict in verdicts})
    knows = [verdict for norm in norms for verdict in known(norm, (1, 1, 1, 1))]
    run = run_of(folder / "run", evaluation("know", knows, 1.0), evaluation("judge", verdicts, 0.5))
    (climb,) = ladder_runs(read_results([run]))
    return ladder_of(climb).whole


YES_NO, NO_NEUTRAL = tuple("abcdef"), tuple("ghijkl")
"""Norms with a scene of each of two labels."""


def test_one_word_for_all_scenes_is_guessing_whatever_labels_come_first(tmp_path: Path) -> None:
    verdicts = [v for n in YES_NO for v in scenes(n, ("yes", "yes"), ("no", "yes"))]
    verdicts += [v for n in NO_NEUTRAL for v in scenes(n, ("no", "yes"), ("neutral", "yes"))]
    found = on_two_rungs(tmp_path, verdicts)
    assert found.scores[1] is not None
    assert found.scores[1].value == pytest.approx(0)
    assert found.drops[0].contrast.ends == pytest.approx((1.0, 0.0))


def test_each_label_of_scenes_counts_alike_by_each_scenes_own(tmp_path: Path) -> None:
    # yes: 3 of 6, no: 6 of 12, neutral: 2 of 6. The mean of 1/2, 1/2 and 1/3 is 4/9; (4/9 - 1/3) / (2/3) = 1/6.
    verdicts = [v for n in YES_NO for v in scenes(n, ("yes", "yes" if n < "d" else "no"), ("no", "no"))]
    verdicts += [v for n in NO_NEUTRAL for v in scenes(n, ("no", "yes"), ("neutral", "neutral" if n < "i" else "no"))]
    found = on_two_rungs(tmp_path, verdicts)
    kept = found.scores[1]
    assert kept is not None
    assert kept.value == pytest.approx(1 / 6)
    assert (kept.asked, kept.graded) == (12, 12)  # norms, of two scenes each
    assert kept.low is not None
    assert kept.high is not None
    assert kept.low < 1 / 6 < kept.high
    drop = found.drops[0].contrast
    assert drop.ends == pytest.approx((1.0, 1 / 6))
    assert (drop.units, drop.clusters) == (12, 12)


def test_a_label_that_no_graded_scene_has_bears_no_claim(tmp_path: Path) -> None:
    verdicts = [v for n in YES_NO + NO_NEUTRAL[:3] for v in scenes(n, ("yes", "yes"), ("no", "yes"))]
    lost = [
        Ungraded(about=about(n, f"judge-{n}-{k}"), sample=0, task="strict", cause="timeout", gold=gold)
        for n in NO_NEUTRAL[3:]
        for k, gold in enumerate(("no", "neutral"))
    ]
    found = on_two_rungs(tmp_path, [*verdicts, *lost]).drops[0].contrast
    assert found.p is None
    assert found.missing == Missing(code="one_label_missing", told="neutral")
