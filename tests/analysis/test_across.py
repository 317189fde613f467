"""Several models together: means over them, slopes against facts, providers at home; truths are planted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mores.analysis.model_summary import FACTS, AcrossModels, Models, Providers, Trend, across, models_of, providers_of
from mores.api.runs import Runs
from mores.core.estimate import Missing
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.norms.places import group_of
from mores.reports.sections_list import sections_of
from mores.runs.loading import read_results
from tests.reports.made import Made, run_of
from tests.reports.shown import data, printed

PLACES = {"US": 60, "CN": 60, "FR": 60, "NG": 60}
HOMES = {"Acme": "US", "Bao": "CN", "Coq": "FR"}
"""Providers of the test, each at home in a region of its own."""


def verdicts(right: Sequence[float]) -> list[Verdict]:
    places = [place for place, count in PLACES.items() for _ in range(count)]
    abouts = [
        ItemMetadata(item=f"q{n}", unit=f"q{n}", cluster=f"q{n}", place=place, groups={"mode": "single"})
        for n, place in enumerate(places)
    ]
    return [
        Graded(about=about, sample=0, task=task, points=each, label="a", gold="a")
        for about, each in zip(abouts, right, strict=True)
        for task in ("strict", "lenient")
    ]


def made(model: str, right: Sequence[float], facts: Mapping[str, str | None], **more: Any) -> Made:
    own = {"family": None, "provider": None, "home": None, **dict.fromkeys(FACTS), **facts}
    return Made(
        model=model, benchmark="culturalbench/easy", verdicts=verdicts(right),
        figures={"accuracy": float(np.mean(right))}, also={"facts": own}, **more,
    )  # fmt: skip


def study(folder: Path, *evaluations: Made) -> Models:
    (found,) = models_of(read_results([run_of(folder, *evaluations)]))
    return found


def drawn(rng: np.random.Generator, share: float, at: Mapping[str, float] | None = None) -> list[float]:
    """Answers right by a share, or by another in some places."""
    shares = np.repeat([(at or {}).get(place, share) for place in PLACES], list(PLACES.values()))
    return [float(x) for x in rng.random(shares.size) < shares]


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Models:
    """Nine models, six points a doubling of parameters; questions of China are hard, but not for Bao's models."""
    rng, found = np.random.default_rng(7), []
    for n, provider in enumerate(list(HOMES) * 3):
        doublings = 2 * (n // 3) + n % 2
        share = 0.4 + 0.06 * doublings
        at = {"CN": share if provider == "Bao" else share - 0.4}
        facts = {
            "family": f"f{n % 7}",
            "provider": provider,
            "home": HOMES[provider],
            "parameters": f"{2.0**doublings:g}",
        }
        found.append(made(f"x/m{n}", drawn(rng, share, at), {**facts, "released": "2025-01"}))
    return study(tmp_path_factory.mktemp("across") / "run", *found)


def trend(found: AcrossModels, figure: str, fact: str, *, within: bool = False) -> Trend:
    return next(each for each in found.trends if (each.figure, each.fact, each.within) == (figure, fact, within))


def test_within_families_a_slope_is_told_apart_from_how_good_a_family_is(tmp_path: Path) -> None:
    # Families with larger models are worse by more than size makes up for: five points a doubling within each.
    rng, made_up = np.random.default_rng(4), []
    for family in range(6):
        for step in range(2):
            share = 0.8 - 0.1 * family + 0.05 * 2 * step
            size = f"{2.0 ** (family + 2 * step):g}"
            made_up.append(made(f"x/f{family}-{step}", drawn(rng, share), {"family": f"f{family}", "parameters": size}))
    found = across(study(tmp_path / "run", *made_up))
    over, within = (trend(found, "score", "parameters", within=each).found for each in (False, True))
    assert (over.value or 0) < 0
    assert within.low is not None
    assert within.high is not None
    assert within.low <= 0.05 <= within.high
    assert (within.models, within.families) == (12, 6)


def test_tiers_are_compared_within_families_alone(tmp_path: Path) -> None:
    # A tier up brings eight points in each family; families with high tiers alone would be no better.
    rng, made_up = np.random.default_rng(9), []
    for family in range(6):
        for step in range(2):
            share = 0.75 - 0.1 * family + 0.08 * step
            facts = {"family": f"f{family}", "tier": str(1 + step + family % 2)}
            made_up.append(made(f"x/f{family}-{step}", drawn(rng, share), facts))
    found = across(study(tmp_path / "run", *made_up))
    slope = trend(found, "score", "tier", within=True).found
    assert slope.low is not None
    assert slope.high is not None
    assert slope.low <= 0.08 <= slope.high
    assert (slope.models, slope.families) == (12, 6)
    assert not [each for each in found.trends if each.fact == "tier" and not each.within]


def test_models_without_tiers_have_no_slope_against_them(planted: Models) -> None:
    assert not [each for each in across(planted).trends if each.fact == "tier"]


def test_a_region_where_one_model_has_no_grade_has_no_mean(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    whole = made("x/whole", drawn(rng, 0.6), {})
    lost = made("x/lost", drawn(rng, 0.6), {})
    lost = replace(
        lost,
        verdicts=[
            Ungraded(about=each.about, sample=0, task=each.task, cause="none") if each.about.place == "NG" else each
            for each in lost.verdicts
        ],
    )
    models = study(tmp_path / "run", whole, lost)
    found, regions = across(models), {group_of(place, "region") for place in PLACES if place != "NG"}
    assert {each.group.get("region") for each in found.means} == {None, *regions}
    assert all(each.graded for each in found.means)
    assert sections_of(read_results([tmp_path / "run"]))


def test_families_of_one_model_say_nothing_of_what_is_within_families(planted: Models) -> None:
    found = trend(across(planted), "score", "parameters", within=True).found
    assert (found.models, found.missing) == (4, Missing(code="too_few_families", n=2, needed=5))


def test_a_planted_slope_against_size_is_recovered(planted: Models) -> None:
    found = trend(across(planted), "score", "parameters")
    assert found.found.low is not None
    assert found.found.high is not None
    assert found.found.low <= 0.06 <= found.found.high
    assert (found.found.models, found.found.families, found.unknown) == (9, 7, 0)
    assert found.p_holm is not None
    assert found.p_holm < 0.05


def test_facts_that_do_not_vary_or_are_not_known_give_no_slope(planted: Models) -> None:
    found = across(planted)
    assert trend(found, "score", "released").found.missing == Missing(code="hangs_on_one_family")
    thinking = trend(found, "score", "reasoning")
    assert (thinking.unknown, thinking.found.missing) == (9, Missing(code="too_few_families", n=0, needed=5))
    assert {each.family for each in found.trends} == {2}  # score and gap against size


def test_the_mean_over_models_is_that_of_their_figures_and_wider_than_that_of_items(planted: Models) -> None:
    (whole, *regions), own = across(planted).means, planted.shared.points
    assert whole.value == pytest.approx(own.mean())
    assert whole.low is not None
    assert whole.high is not None
    assert whole.high - whole.low > 2 * 1.96 * (own.mean(axis=0).std() / own.shape[1] ** 0.5)
    assert [each.group["region"] for each in regions] == ["Africa", "East Asia", "North America", "West Europe"]
    assert regions[1].value == pytest.approx(own[:, 60:120].mean())


def at_home(models: Models) -> Providers:
    found = providers_of(models)
    assert found is not None
    return found


def test_a_hard_region_is_no_disadvantage_and_knowing_more_there_is_an_advantage(planted: Models) -> None:
    acme, bao, coq = at_home(planted).at_home
    assert (acme.provider, bao.region, coq.models, coq.others) == ("Acme", "East Asia", 3, 6)
    assert bao.advantage is not None
    assert bao.advantage.low is not None
    assert bao.advantage.high is not None
    assert bao.advantage.low <= 0.4 <= bao.advantage.high
    assert bao.advantage.found
    assert not bao.plain.found  # as right at home as elsewhere: only the others show that home is hard
    assert acme.plain.family == bao.advantage.family == 3


def test_figures_of_providers_are_means_over_their_models(planted: Models) -> None:
    found = at_home(planted)
    rows = planted.shared.points[[1, 4, 7]]
    assert found.counts == {"Acme": 3, "Bao": 3, "Coq": 3}
    assert found.figures["Bao"][0].value == pytest.approx(rows.mean())
    assert found.figures["Bao"][2].value == pytest.approx(rows[:, 60:120].mean())


def test_the_same_model_counts_once_and_baselines_do_not(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    same = [made("openai/gpt-4o", drawn(rng, 0.6), {}), made("openrouter/openai/gpt-4o", drawn(rng, 0.6), {})]
    others = [made("x/other", drawn(rng, 0.5), {}), made("baseline/first", drawn(rng, 0.5), {})]
    found = study(tmp_path / "run", *same, *others)
    assert [each.model for each in found.evaluations] == ["openai/gpt-4o", "x/other"]


def test_few_models_are_told_how_many_are_needed(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    found = across(study(tmp_path / "run", *(made(f"x/m{n}", drawn(rng, 0.6), {}) for n in range(3))))
    assert found.means[0].value is not None
    assert found.means[0].missing == Missing(code="too_few_families", n=3, needed=5)
    assert providers_of(found.models) is None


def rows_of(planted: Models) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table, as a notebook has them."""
    return {name: list(frame) for name, frame in Runs(read_results([planted.evaluations[0].run])).tables.items()}


def test_a_notebook_gets_every_figure_as_a_row(planted: Models) -> None:
    found = rows_of(planted)
    means = {(each["whose"], each["group"]): each for each in found["across"]}
    assert len(means) == len(found["across"])
    assert means["all models", "Africa"]["value"] == pytest.approx(planted.shared.points[:, 180:].mean())
    assert (means["all models", None]["families"], means["all models", None]["graded"]) == (7, 240)
    assert means["Bao", None]["models"] == 3
    size, _, reasoning, *_ = found["across_slopes"]
    assert (size["figure"], size["fact"], size["families"], size["tests"]) == ("score", "parameters", 7, 2)
    assert reasoning["why"] == "too few families of models: 0, at least 5 are needed"
    bao = found["across_homes"][1]
    assert (bao["provider"], bao["region"], bao["advantage_units"], bao["simulated"]) == (
        "Bao",
        "East Asia",
        240,
        False,
    )
    assert [each["home"] for each in found["across_models"]][:3] == ["US", "CN", "FR"]


def test_json_has_the_same_rows_as_frames(planted: Models) -> None:
    sections = sections_of(read_results([planted.evaluations[0].run]))
    told = data(next(each for each in sections if each.id == "across"))
    assert {name: rows_of(planted)[name] for name in told} == told


def test_the_page_has_means_slopes_and_homes(planted: Models) -> None:
    sections = sections_of(read_results([planted.evaluations[0].run]))
    told = "\n".join(printed(next(each for each in sections if each.id == "across")))
    assert "Mean over 9 models" in told
    assert "a doubling of parameters" in told
    assert "Bao" in told
    assert "found" in told
