"""Controls: the same items without their place or with another, and what the place adds: planted, run, found again."""

import json
from pathlib import Path

import msgspec
import pytest

import mores
from mores.analysis.controls import analyse, gains
from mores.analysis.results import Result
from mores.analysis.wrong_place import wrong_places
from mores.core.errors import BudgetReached, InputError, UnknownName
from mores.models.request import AnswerKey
from mores.norms.pack import load_pack
from mores.norms.remove_place import PlaceMask, named_in
from mores.reports.json_output import as_json
from mores.reports.sections_list import sections_of
from mores.reports.terminal import print_report
from mores.runs.loading import read_results
from tests.benchmarks.masked_pack import write_pack

SURE = "simulated/typical:know=.8,judge=.8,format_error=0"


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pack(tmp_path_factory.mktemp("pack") / "masks")


@pytest.fixture(scope="module")
def run(pack: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("controls") / "run"
    mores.run(["ladder/know", "ladder/judge"], model=SURE, control="all", data=pack, out=folder)
    return folder


def _under(run: Path, control: str, benchmark: str = "ladder/know") -> Result:
    found = read_results([run]).variants
    return next(each for each in found if each.variant.control == control and each.benchmark == benchmark)


def _asked(result: Result) -> dict[str, str]:
    return {each.item: each.events[0].messages[0].content for each in result.transcripts()}  # type: ignore[union-attr]


def test_a_word_is_masked_whole_in_its_case_and_the_longest_first() -> None:
    mask = PlaceMask({"Korea": "the country", "South Korea": "the country", "kimchi": "a dish", "Minji's": "her"})
    assert mask("In South Korea, Koreans eat kimchi.") == "In the country, Koreans eat a dish."
    assert mask("Korea is cold. Korea's hills; 'Korea!'") == "The country is cold. The country's hills; 'the country!'"
    assert mask("Kimchi, Korean food") == "Kimchi, Korean food"
    assert PlaceMask({})("Korea") == "Korea"


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        ("Two Poles met", "PL", "Poles"),
        ("She did polish the floor", "PL", None),
        ("the U.S. way", "US", "US"),
        ("Give us turkey", "US", None),
        ("In Texas", "US", "Texas"),
        ("Côte d’Ivoire's coast", "CI", "Cote dIvoires"),
        ("NEW ZEALAND", "NZ", "NEW ZEALAND"),
        ("in the country", "JP", None),
    ],
)
def test_a_place_is_seen_by_any_of_its_names(text: str, place: str, name: str | None) -> None:
    assert named_in(text, place) == name


def test_plain_figures_are_those_of_a_run_without_controls(run: Path, pack: Path, tmp_path: Path) -> None:
    mores.run(["ladder/know", "ladder/judge"], model=SURE, data=pack, out=tmp_path / "plain")
    found, plain = read_results([run]), read_results([tmp_path / "plain"])
    assert [each.estimates for each in found.evaluations] == [each.estimates for each in plain.evaluations]
    assert {each.variant.control for each in found.variants} == {"masked", "swapped", "misplaced", "told"}


def test_nothing_that_names_the_place_is_put_to_the_subject(run: Path) -> None:
    asked = _asked(_under(run, "masked"))
    assert len(asked) == 3 * 20 * 4
    for words in asked.values():
        assert not {"Japan", "Brazil", "German", "Kenta"} & set(words.replace(".", " ").split())
    assert "in the country: What do many people in the country do about custom 3?" in asked["know-JP-etiquette-3-1"]
    assert "local way" in asked["know-JP-etiquette-3-1"]


def test_a_swapped_item_names_the_other_place_and_has_its_answer(run: Path) -> None:
    swapped = _under(run, "swapped")
    asked = _asked(swapped)
    assert "What do many people in France do about custom 3?" in asked["know-JP-etiquette-3-1"]
    assert "know-JP-etiquette-2-1" not in asked
    gold = {v.about.item: v.gold for v in swapped.verdicts() if v.about.item.startswith("know-JP-etiquette-3")}
    assert [gold[f"know-JP-etiquette-3-{n}"] for n in (1, 2, 3, 4)] == ["false", "true", "true", "false"]
    assert "Control swapped: 30 of 60 questions are left out (30 have no answer for another place)." in (
        swapped.provenance.remarks
    )


def test_a_norm_that_still_names_its_place_is_left_out_whole(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "pack", 4)
    file = pack / "JP.toml"
    file.write_text(file.read_text().replace("They break it.", "They break it the Okinawan way.", 1))
    mores.run("ladder/know", model=SURE, control="masked", data=pack, out=tmp_path / "run")
    masked = _under(tmp_path / "run", "masked")
    assert "Control masked: 1 of 12 norms are left out (1 still name the place once masked)." in (
        masked.provenance.remarks
    )
    assert {item.rpartition("-")[0] for item in _asked(masked)} == {
        f"know-{place}-etiquette-{n}" for place in ("BR", "DE", "JP") for n in range(4)
    } - {"know-JP-etiquette-0"}


def test_a_question_without_an_answer_elsewhere_is_left_out_alone(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "pack", 4)
    file = pack / "JP.toml"
    told = file.read_text()
    start, end = told.index("[norm.know]"), told.index("[norm.judge]")
    again = told[start:end].replace("[norm.know]", "[[norm.know]]")
    parts = told.split("[[norm]]")
    parts[2] = parts[2].replace("[norm.know]", f"{again}[[norm.know]]").replace('know = ["b|c"]', 'know = ["b|c", "-"]')
    file.write_text("[[norm]]".join(parts))
    mores.run("ladder/know", model=SURE, control="swapped", data=pack, out=tmp_path / "run")
    swapped = _under(tmp_path / "run", "swapped")
    assert {"know-JP-etiquette-1-1", "know-JP-etiquette-3-1"} <= set(_asked(swapped))
    assert not [item for item in _asked(swapped) if "~2" in item]
    assert "Control swapped: 7 of 13 questions are left out (7 have no answer for another place)." in (
        swapped.provenance.remarks
    )
    (gain,) = gains(read_results([tmp_path / "run"]))
    assert (gain.whole.metric, gain.whole.units) == ("accuracy", 6)


def test_a_control_opened_alone_is_a_run_with_a_departure(run: Path) -> None:
    folder = next(path for path in run.iterdir() if path.name.endswith("know--control-masked"))
    (alone,) = read_results([folder]).evaluations
    assert [(each.setting, each.used) for each in alone.provenance.departures] == [("control", "masked")]


def test_words_that_a_table_is_not_for_are_masked_by_rules(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "pack", 2)
    file = pack / "JP.toml"
    group = 'strictness = "no"\nsubgroup = "people who left Nippon"'
    file.write_text(file.read_text().replace('strictness = "sometimes"', group))
    mores.run("ladder/judge", model=SURE, control="masked", data=pack, out=tmp_path / "run")
    asked = _asked(_under(tmp_path / "run", "masked", "ladder/judge"))
    assert "A scene in the country (people who left the country):" in asked["judge-JP-etiquette-0"]
    assert len(asked) == 6


def test_a_limit_draws_the_same_norms_with_and_without_the_place(pack: Path, tmp_path: Path) -> None:
    mores.run("ladder/judge", model=SURE, control="masked", data=pack, limit=7, out=tmp_path / "run")
    found = read_results([tmp_path / "run"])
    assert set(_asked(found.evaluations[0])) == set(_asked(found.variants[0]))


def test_the_gain_of_the_place_stands_in_the_report(run: Path) -> None:
    found = gains(read_results([run]))
    assert [(g.control, g.plain.benchmark) for g in found] == [
        ("masked", "ladder/know"), ("masked", "ladder/judge"), ("swapped", "ladder/know"), ("swapped", "ladder/judge"),
    ]  # fmt: skip
    know = found[0]
    assert know.whole.units == 60
    assert know.whole.found
    assert know.whole.difference == pytest.approx((know.whole.b or 0) - (know.whole.a or 0))
    assert {each.place for each in know.courtesy} == {"BR", "DE", "JP"}
    assert {each.group.value for each in know.families["place"]} == {"BR", "DE", "JP"}
    section = next(each for each in sections_of(read_results([run])) if each.id == "controls")
    json.dumps(section.data)
    page = (run / "report.html").read_text()
    assert "What the place adds" in page
    marked = sum(len(each.as_well) for gain in found[:2] for each in gain.courtesy)
    assert page.count("right; courtesy") + page.count("wanted yes; courtesy") > 0
    assert page.count("; courtesy") == marked


def test_the_gain_stands_beside_the_headline_and_in_python(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = mores.load(run).tables["controls"]
    assert set(frame["control"]) == {"masked", "swapped"}
    whole = [gain for place, gain in zip(frame["place"], frame["gain"], strict=True) if place is None]
    assert whole == [each.whole.difference for each in gains(read_results([run]))]
    print_report(read_results([run]))
    told = capsys.readouterr().out
    assert "effect of the place" in told
    assert f"{100 * float(str(whole[0])):+.1f} [" in told
    (line,) = as_json(read_results([run]), run)
    told_rows = json.loads(line)["benchmarks"]["ladder/know"]["controls"]
    gains_of = {row["control"]: row for row in told_rows if row["place"] is None}
    assert gains_of["masked"]["gain"] == whole[0]
    assert gains_of["swapped"]["units"] == 30


def test_a_run_without_controls_says_nothing_of_them(pack: Path, tmp_path: Path) -> None:
    mores.run("ladder/judge", model=SURE, data=pack, limit=3, out=tmp_path / "run")
    found = read_results([tmp_path / "run"])
    assert len(mores.load(tmp_path / "run").tables["controls"]) == 0
    assert analyse(found) is None
    assert "controls" not in json.loads(as_json(found, tmp_path)[0])["benchmarks"]["ladder/judge"]


def test_a_planted_courtesy_is_found_again(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "pack", 10)
    people = [f"{SURE},courtesy=.25,person={n}" for n in range(12)]
    mores.run(["ladder/know", "ladder/judge"], model=people, control="masked", data=pack, out=tmp_path / "run")
    found = gains(read_results([tmp_path / "run"]))
    for benchmark in ("ladder/know", "ladder/judge"):
        own = [g.whole for g in found if g.plain.benchmark == benchmark]
        assert len(own) == 12
        covered = sum((c.low or 0.0) <= 0.8 * (1 - 0.25) <= (c.high or 0.0) for c in own)
        assert covered >= 10, benchmark  # of 12, with probability .98 where each covers with .95
        assert sum(c.difference or 0.0 for c in own) / 12 == pytest.approx(0.6, abs=0.07)


def test_who_needs_no_place_gains_nothing_by_it(pack: Path, tmp_path: Path) -> None:
    mores.run("ladder/know", model=f"{SURE},courtesy=1", control="masked", data=pack, out=tmp_path / "run")
    (gain,) = gains(read_results([tmp_path / "run"]))
    assert gain.whole.difference == 0
    assert not gain.whole.found
    assert gain.as_well == gain.kept > 0


def test_a_run_cut_short_in_its_control_is_gone_on_with(pack: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(BudgetReached):
        mores.run("ladder/judge", model=SURE, control="masked", data=pack, out=folder, limit=5, max_calls=7)
    mores.resume(folder)
    whole = tmp_path / "whole"
    mores.run("ladder/judge", model=SURE, control="masked", data=pack, out=whole, limit=5)
    cut, at_once = read_results([folder]), read_results([whole])
    assert [each.estimates for each in cut.every] == [each.estimates for each in at_once.every]


def test_keys_of_plain_items_stay_what_they_were() -> None:
    assert b"control" not in msgspec.json.encode(AnswerKey(unit="u", truth="t", ways={}))


def test_controls_that_cannot_be_run_are_refused_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"--control: No control is called 'mask'\. Did you mean 'masked'\?"):
        mores.run("ladder/know", control="mask", out=tmp_path / "run")
    with pytest.raises(InputError, match="--control masked: these benchmarks cannot be asked so; expected one whose"):
        mores.run("liveculture/town", control="masked", limit=1, out=tmp_path / "run")
    bare = write_pack(tmp_path / "bare", 2, masked=False)
    told = r"--control masked: nothing to ask: 6 of 6 norms are left out \(6 have no words to mask the place by\)\."
    with pytest.raises(InputError, match=told):
        mores.run(["ladder/know", "ladder/judge"], control="masked", data=bare, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_control_without_items_is_left_out_beside_one_with_some(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "pack", 2, swapped=False)
    mores.run("ladder/know", model=SURE, control="all", data=pack, out=tmp_path / "run")
    assert [each.variant.control for each in read_results([tmp_path / "run"]).variants] == ["masked", "told"]


def test_a_misplaced_item_names_the_other_place_and_keeps_its_scene(run: Path) -> None:
    asked = _asked(_under(run, "misplaced", "ladder/judge"))
    assert "A scene in France:" in asked["judge-JP-etiquette-3"]
    assert "Kenta lives in a local town" in asked["judge-JP-etiquette-3"]
    assert not any("Japan" in words for words in asked.values())
    misplaced = _under(run, "misplaced")
    # Of four statements those are asked whose truth is another in France.
    own = sorted(item for item in _asked(misplaced) if item.startswith("know-JP-etiquette-3-"))
    assert own == [f"know-JP-etiquette-3-{n}" for n in (1, 2, 3, 4)]
    assert "Control misplaced: 120 of 240 items are left out (120 have no answer for another place)." in (
        misplaced.provenance.remarks
    )
    (judged,) = (each for each in _under(run, "misplaced", "ladder/judge").provenance.remarks if "misplaced" in each)
    assert "have the same answer in both places" in judged


@pytest.mark.parametrize(
    ("model", "stays", "follows"),
    [("simulated/typical:know=1,judge=1,format_error=0", 0.0, 1.0), ("simulated/typical:format_error=1", 0.0, 0.0)],
)
def test_who_knows_places_follows_the_one_that_is_named(
    pack: Path, tmp_path: Path, model: str, stays: float, follows: float
) -> None:
    mores.run(["ladder/know", "ladder/judge"], model=model, control="misplaced", data=pack, out=tmp_path / "run")
    found = wrong_places(read_results([tmp_path / "run"]))
    assert [each.plain.benchmark for each in found] == ["ladder/know", "ladder/judge"]
    for each in found:
        assert (each.lean.a, each.lean.b, each.moved.a) == (stays, follows, stays)
        assert each.moved.b == follows
        assert (each.lean.found, each.moved.found) == (follows > 0, follows > 0)


def test_who_answers_by_the_scene_stays_with_it(pack: Path, tmp_path: Path) -> None:
    """Recorded answers: the same labels are given where another place is named."""
    said = {f"judge-{entry.norm.id}": entry.judge[0].label for entry in load_pack(pack).norms}
    rows = [f"{item},{label},{control}" for item, label in said.items() for control in ("", "misplaced")]
    (tmp_path / "said.csv").write_text("\n".join(["item,reply,control", *rows, ""]))
    model = f"recorded/{tmp_path}/said.csv"
    with pytest.raises(InputError, match=r"no replies under the control masked; expected rows .*a column control"):
        mores.run("ladder/judge", model=model, control="masked", data=pack, out=tmp_path / "none")
    mores.run("ladder/judge", model=model, control="misplaced", data=pack, out=tmp_path / "run")
    results = read_results([tmp_path / "run"])
    (found,) = wrong_places(results)
    assert (found.moved.a, found.moved.b, found.lean.b) == (1.0, 1.0, 0.0)
    assert (found.moved.found, found.lean.found) == (False, True)
    shown = analyse(results)
    assert shown is not None
    (finding,) = shown.findings
    assert isinstance(finding.words, tuple)
    assert " stays with the scene on " in finding.words
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Another place named in a scene that stays" in page
    frame = mores.load(tmp_path / "run").tables["wrong_place"]
    assert [frame[name][0] for name in ("with_place", "stays", "follows", "stays_there")] == [1.0, 1.0, 0.0, 1.0]
