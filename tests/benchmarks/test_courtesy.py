"""The zero of the rungs: who is merely polite gets what is stated, and baselines have no figure where judges decide."""

from pathlib import Path

import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

import mores
from mores.analysis.groups import WHOLE
from mores.benchmarks.ladder.courtesy import describe_polite, describe_zero, no_better, polite_scores, short_zero
from mores.benchmarks.ladder.ladders import Ladder, ladders
from mores.benchmarks.ladder.rungs import ORDER, above_guessing
from mores.benchmarks.ladder.sentences import describe_start
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.models.request import AlarmKey, AnswerKey
from mores.models.simulated import Simulated
from mores.norms.pack import load_pack
from mores.runs.loading import read_results
from tests.bundled import LIVED
from tests.reports.ladder_norms import stood

COURTESY = {entry.norm.id: entry.norm.courtesy for entry in load_pack().norms}
COUNTED = [entry for entry in load_pack().norms if not entry.norm.contested and entry.converse is not None]
CALM = sum(e.norm.courtesy == "keeps" or bool(e.converse and e.converse.harmless) for e in COUNTED) / len(COUNTED)
KEPT = sum(COURTESY[norm] == "keeps" for norm in LIVED) / len(LIVED)
"""Shares of talks, and of norms in bundles, of the bundled pack that politeness keeps."""
PERFECT = "simulated/judge:sensitivity=1,specificity=1,noise=0,format_error=0"


@pytest.fixture(scope="module")
def polite(tmp_path_factory: pytest.TempPathFactory) -> Ladder:
    folder = tmp_path_factory.mktemp("polite") / "run"
    mores.run("ladder", model="simulated/polite", judge=PERFECT, out=folder)
    (found,) = ladders(read_results([folder]))
    return found


def test_who_is_merely_polite_gets_what_is_stated(polite: Ladder) -> None:
    assert [rung.name for rung in polite.rungs] == list(ORDER)
    for name, scores, stated in zip(ORDER, polite.norm_scores, polite.whole.polite, strict=True):
        kept = np.nanmean(scores.norms.value)
        # Labels are guessed, so only their mean is 0; what a judge decides follows norm by norm.
        assert kept == pytest.approx(stated, abs=0.08 if name in {"know", "judge"} else 0.005)


def test_hardly_anything_but_talks_without_a_conflict_is_kept_by_politeness_in_the_bundled_pack(polite: Ladder) -> None:
    of = dict(zip(ORDER, polite.whole.polite, strict=True))
    assert of == pytest.approx({**dict.fromkeys(ORDER, 0.0), "apply": KEPT, "converse": CALM, "live": KEPT})
    assert KEPT < 0.01 < CALM


def test_a_ladder_that_begins_at_politeness_has_no_drop_from_there(polite: Ladder) -> None:
    last = polite.whole.drops[-1]
    assert (last.before, last.after) == ("converse", "live")
    assert not last.grounded
    assert not last.breaks


def test_it_is_said_in_words(polite: Ladder) -> None:
    start = describe_start(polite)
    assert start.startswith("Who knows no norm and is merely polite keeps, as stated and not measured: ")
    assert f"{100 * CALM:.1f} at converse" in start
    assert describe_zero(ORDER) == "guessing at know and judge, no norm kept elsewhere"
    assert describe_zero(["know"]) == "guessing"
    assert describe_zero(["apply", "live"]) == "no norm kept"
    assert [short_zero(of) for of in (ORDER, ["know"], ["live"])] == [
        "guessing or none kept",
        "guessing",
        "no norm kept",
    ]
    assert describe_polite([("know", 0.0), ("apply", 0.0)]) == "0"
    assert describe_polite([("know", 0.0)]) == ""
    assert (no_better("judge"), no_better("live")) == ("guessing", "mere politeness")


def test_of_another_pack_nobody_knows_what_politeness_does() -> None:
    assert polite_scores(stood("apply", [1.0] * 8), [WHOLE]) == [None]
    assert polite_scores(stood("judge", [1.0] * 8), [WHOLE]) == [0.0]


def test_a_figure_is_above_its_own_zero() -> None:
    figure = Estimate(metric="kept", value=0.45, low=0.38, high=0.52, asked=100, graded=100)
    assert above_guessing(figure)
    assert not above_guessing(figure, 0.42)
    assert above_guessing(figure, None)
    assert above_guessing(None, 0.42)


def test_politeness_picks_among_what_is_open_to_it() -> None:
    one = Simulated("simulated/polite", Seed("s"))
    ways = {"keeps": "k", "breaks": "b"}
    key = AnswerKey(unit="u", truth="keeps", ways=ways, rung="live", courteous=("breaks",))
    assert {one.pick(key, Seed(f"{n}")) for n in range(20)} == {"breaks"}
    assert {one.pick(replace(key, courteous=UNSET), Seed(f"{n}")) for n in range(40)} == {"keeps", "breaks"}
    calm = AlarmKey(unit="u", truth="keeps", ways=ways, rung="live", courteous=("keeps",), alarmed={"keeps": "breaks"})
    assert {one.pick(calm, Seed(f"{n}")) for n in range(20)} == {"keeps"}
    other = Simulated("simulated/typical:live=0", Seed("s"))
    assert {other.pick(key, Seed(f"{n}")) for n in range(40)} == {"keeps", "breaks"}


def test_a_baseline_is_left_out_where_it_is_no_guess(tmp_path: Path) -> None:
    mores.run("ladder", model="baseline/random", places="JP", out=tmp_path / "run")
    assert read_results([tmp_path / "run"]).benchmarks == ("ladder/know", "ladder/judge")
    with pytest.raises(InputError, match="no guess at an open answer; expected a benchmark of labels"):
        mores.run("ladder/apply", model="baseline/random", out=tmp_path / "apply")


def test_stored_answers_of_a_baseline_have_no_figure_there() -> None:
    scores = stood("apply", [1.0] * 16)
    evaluation = replace(scores.rung.evaluation, model="baseline/random")
    assert not replace(scores.rung, evaluation=evaluation).drawn  # nobody judged it
    traced = replace(evaluation.provenance, roles={"subject": "baseline/random", "judge": "m/judge"})
    assert replace(scores.rung, evaluation=replace(evaluation, provenance=traced)).drawn
