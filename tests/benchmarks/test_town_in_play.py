"""Kinds of place that differ in nothing but how many norms are known of them, in days that were lived."""

import json
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mores.benchmarks.liveculture.results import town
from mores.core.seeds import Seed
from mores.norms.norm_base import KINDS
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from mores.worlds.town.people import WordColumn
from mores.worlds.town.population_files import write_population
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.streets import build_town
from tests.runs.conduct import hold

COUNTS = dict(zip(KINDS, (4, 60, 30, 6, 12, 45, 20, 8), strict=True))
"""Norms of the first origin by kind of place; of the others a half and a quarter are known."""
ORIGINS = {"AU": 1, "CN": 2, "DE": 4}


def written(folder: Path) -> Path:
    """120 people of three origins, and between 2 and 60 norms for each at each kind of place."""
    root = Seed("in play")
    people = sample_population(120, root.child("people"), town=build_town(root.child("streets")))
    origins = list(ORIGINS)
    own = WordColumn.column([origins[person % 3] for person in range(len(people))])
    write_population(replace(people, nationality=own), folder / "population.jsonl")
    rows: list[dict[str, Any]] = [{"base": "mores town norms 1", "made_from": "tests", "made_by": "hand"}]
    for origin, part in ORIGINS.items():
        for number in range(60):
            kinds = [kind for kind, count in COUNTS.items() if number < max(2, count // part)]
            fits = [{"kind": kind, "confidence": 1.0, "reason": "made up"} for kind in kinds]
            rows.append({"id": f"{origin}-{number}", "place": origin, "statement": f"People mind rule {number}.",
                         "source": "made up", "fits": fits})  # fmt: skip
    (folder / "town-norms.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


def test_places_differ_as_their_norms_in_play_do_and_adjusted_they_are_alike(tmp_path: Path) -> None:
    """The target keeps to norms as often everywhere; the verifier sees a violation in each thirtieth that is none."""
    errs = "format_error=0,sensitivity=.95,specificity=.93"
    spec = Spec(
        benchmarks=("liveculture/town",), data=str(written(tmp_path)), models=(f"simulated/typical:live=.8,{errs}",),
        roles={"supporter": "simulated/tempter", "judge": f"simulated/judge:{errs}"}, limit="all",
        settings={"steps": "14", "nearby": "1", "utterances": "2"},
    )  # fmt: skip
    assert hold(tmp_path / "run", spec)
    every = town(read_results([tmp_path / "run"])).in_play
    (found,) = (each for each in every if (each.by, each.metric) == ("location", "adherence_step"))
    many = [place for place in found.groups if place.raw.graded >= 30]
    raw = [place.raw.value or 0 for place in many]
    assert len(many) >= 5
    assert max(raw) - min(raw) > 0.2
    assert found.factor.high is not None
    assert found.factor.high < 1
    values = [place.adjusted.value or 0 for place in many]
    assert max(values) - min(values) < 0.4 * (max(raw) - min(raw))
    middle = sum(values) / len(values)
    inside = sum((place.adjusted.low or 1) <= middle <= (place.adjusted.high or 0) for place in many)
    assert inside >= len(many) - 1
