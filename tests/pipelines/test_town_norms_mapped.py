"""Norms of the town by a named mapper: several kinds of place a norm, the share of draws as confidence, a sheet."""

import asyncio
import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mores.benchmarks.liveculture.norm_sources import Candidate, DroppedNorm, ImportedTownNorms
from mores.cli.build_town import TownNormsArgs, build_town_norms
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Request
from mores.norms.norm_base import KINDS, Fit, TownNorm, read_base
from mores.pipelines.funnel import Dropped, Kept
from mores.pipelines.pipeline import BuildResult, build
from mores.pipelines.town_norms.pipeline import BASE, SHEET, town_norms_pipeline
from mores.runs.spec import ExecutionSpec
from tests.pipelines.scripted import Scripted

ROLES = {"mapper": "simulated/typical"}


def norm(name: str, words: str, *fits: Fit) -> Candidate:
    mapped = TownNorm(id=name, place="IT", statement=words, source="made up", fits=fits)
    return Candidate(norm=mapped, words=words, context="food; tipping")


def gathered(*candidates: Candidate, dropped: tuple[DroppedNorm, ...] = ()) -> ImportedTownNorms:
    rows = len(candidates) + len(dropped)
    return ImportedTownNorms(made_from="made up", rows=rows, candidates=candidates, dropped=dropped)


def places(*kinds: str) -> str:
    return json.dumps({"places": [{"kind": kind, "reason": f"one is at a {kind}"} for kind in kinds]})


def outcome(script: Callable[[Request], str | Reply | CallFailed], given: Candidate, draws: int = 3) -> object:
    pipeline = town_norms_pipeline(gathered(given), ROLES, draws=draws)
    return asyncio.run(pipeline.outcome_of(pipeline.units[0], Cast({"mapper": Scripted(script)})))


def by_draw(*said: str) -> Callable[[Request], str]:
    return lambda request: said[request.tag.sample]


TIP = norm("tip", "Guests leave a tip.")


def test_each_kind_that_a_draw_names_is_one_with_the_share_of_draws_as_confidence() -> None:
    found = outcome(by_draw(places("restaurant", "gym"), places("restaurant"), places("restaurant", "mall")), TIP)
    assert isinstance(found, Kept)
    assert [(fit.kind, fit.confidence) for fit in found.value.fits] == [
        ("mall", 0.33), ("restaurant", 1.0), ("gym", 0.33),
    ]  # fmt: skip
    assert found.value.fits[1].reason == "one is at a restaurant"


def test_a_norm_that_fits_nowhere_is_kept_and_says_so() -> None:
    found = outcome(lambda _: places(), TIP)
    assert isinstance(found, Kept)
    assert (found.value.fits, found.value.note) == ((), "no place fits")


def test_the_mapper_reads_the_norm_its_context_and_whose_it_is() -> None:
    asked: list[str] = []

    def say(request: Request) -> str:
        asked.append(request.messages[0].content)
        return places("restaurant")

    outcome(say, TIP, draws=1)
    assert "Guests leave a tip. (food; tipping)" in asked[0]
    assert "Many people of Italy" in asked[0]
    assert ", ".join(KINDS) in asked[0]


def test_a_kind_that_the_town_has_not_is_asked_about_again_and_then_the_norm_is_dropped() -> None:
    found = outcome(lambda _: places("church"), TIP)
    assert isinstance(found, Dropped)
    assert (found.stage, found.reason) == ("map", "no usable reply")


def test_who_has_kinds_by_hand_is_not_asked_about() -> None:
    own = norm("own", "Guests wait.", Fit(kind="park", confidence=1.0, reason="by hand"))
    found = outcome(lambda _: pytest.fail("asked"), own)
    assert isinstance(found, Kept)
    assert found.value == own.norm


def built(tmp_path: Path, *candidates: Candidate, **more: tuple[DroppedNorm, ...]) -> BuildResult:
    pipeline = town_norms_pipeline(gathered(*candidates, **more), ROLES)
    addresses = dict.fromkeys(pipeline.roles.values())
    return asyncio.run(build(pipeline, tmp_path, ExecutionSpec(), seed=Seed("mores-0"), addresses=addresses))


def test_a_build_has_a_funnel_a_base_and_a_sheet_that_does_not_tell_what_the_mapper_said(tmp_path: Path) -> None:
    many = [norm(f"n{number}", f"People mind custom {number}.") for number in range(60)]
    lost = DroppedNorm(id="x", group="Europeans", words="sing", reason="the group is a region")
    found = built(tmp_path, *many, dropped=(lost,))
    assert found.finished
    assert [(step.stage, step.came, step.passed) for step in found.funnel] == [("import", 61, 60), ("map", 60, 60)]
    base = read_base(tmp_path / BASE)
    assert len(base.norms) == 60
    assert "simulated/typical in the words of town_norms.map.v1" in base.header.made_by
    assert found.facts["norms"] == 60
    with (tmp_path / SHEET).open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert 0 < len(rows) <= 60
    assert all(not any(value for name, value in row.items() if name not in {"id", "people of", "norm"}) for row in rows)


@pytest.mark.parametrize(
    ("roles", "counts", "says"),
    [
        ({}, {}, "--role: nobody; expected mapper=SPEC alone"),
        ({"labeller": "x"}, {}, "--role: labeller; expected mapper=SPEC alone"),
        (ROLES, {"draws": 0}, "--draws 0: expected a positive number"),
        (ROLES, {"limit": 0}, "--limit 0: expected a positive number"),
    ],
)
def test_what_cannot_be_used_is_refused(roles: dict[str, str], counts: dict[str, int], says: str) -> None:
    with pytest.raises(InputError, match=says):
        town_norms_pipeline(gathered(TIP), roles, **counts)


def test_the_command_maps_by_a_model_and_sets_its_counts_beside_the_papers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "town"
    build_town_norms(TownNormsArgs(source="pack", out=out, role=["mapper=simulated/typical"], limit=20, draws=1))
    told = " ".join(capsys.readouterr().out.split())
    assert "location norms confidence 0.5 or more paper, table 10" in told
    assert "of norms from paper, table 11" in told
    assert len(read_base(out / BASE).norms) == 20
    with pytest.raises(InputError, match="--limit: no model is asked without --role mapper=SPEC"):
        build_town_norms(TownNormsArgs(source="pack", out=tmp_path / "words.jsonl", limit=20))
