"""Norms are mapped to kinds of location by their own words, with reasons; nothing is forced or lost in silence."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.benchmarks.liveculture.norm_mapping import BUNDLED, Lexicon, TownNorms, fits_of, map_norms, read_lexicon
from mores.benchmarks.liveculture.norm_sources import FEW_AGREE, REPEATED, from_file, from_pack
from mores.cli.build_town import TownNormsArgs, build_town_norms
from mores.core.codec import build, read_toml
from mores.core.errors import InputError
from mores.norms.norm_base import KINDS, NormBase, read_base
from mores.norms.pack import load_pack
from mores.worlds.town.streets import LocationKind

ELEVEN = ("GB-ENG", "AU", "CN", "IE", "GB-SCT", "IT", "GR", "DE", "VN", "PH", "NL")
LEXICON = read_lexicon()
BEHAVIOURS = ("id", "cultural_group", "actor_behavior", "source")
ROWS = (
    ("1", "Italians", "ask the waiter for the menu", "reddit"),
    ("2", "English", "greet each other with a handshake", "tiktok"),
    ("3", "Portuguese and Spanish", "take off their shoes at home", "tiktok"),
    ("4", "Southeast Asians", "queue at the supermarket", "tiktok"),
    ("5", "gamers", "tip the waiter", "reddit"),
    ("6", "Greek", "admire the moon over the sea", "reddit"),
)


def table(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def behaviours(folder: Path, rows: Sequence[Sequence[str]] = ROWS) -> Path:
    return table(folder / "culturebank-behaviours.csv", BEHAVIOURS, rows)


def built(path: Path) -> TownNorms:
    return map_norms(from_file(path), LEXICON)


def kinds(words: str, *, least: float = 0.5) -> set[str]:
    return {fit.kind for fit in fits_of(words, LEXICON) if fit.confidence >= least}


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("rise when the teacher comes in", "school"),
        ("knock before they enter the boss's office", "office"),
        ("take off their shoes at the door of a home", "apartment"),
        ("bring fruit to a patient in hospital", "hospital"),
        ("keep dogs on a leash near the playground", "park"),
        ("haggle with the shopkeeper", "mall"),
        ("split the bill after dining out", "restaurant"),
        ("wipe the treadmill after a workout", "gym"),
    ],
)
def test_a_norm_comes_up_where_its_words_say(words: str, kind: str) -> None:
    assert kinds(words) == {kind}


@pytest.mark.parametrize("words", ["Waiters are tipped in CAFÉS", "a waiter’s tip at the café", "the waiter; the cafe"])
def test_plurals_case_accents_and_apostrophes_do_not_matter(words: str) -> None:
    assert kinds(words) == {"restaurant"}


@pytest.mark.parametrize(
    "words",
    [
        "spark a debate",
        "seek parking",
        "love their home country",
        "walk through national parks",
        "join in order to win",
    ],
)
def test_words_within_words_and_set_phrases_name_no_location(words: str) -> None:
    assert kinds(words) == set()


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("are patient when somebody is slow", "hospital"),
        ("expect customers to be patient and follow rules", "hospital"),
        ("show respectful and patient behavior", "hospital"),
        ("are class-conscious", "school"),
        ("live in low class neighborhoods", "school"),
        ("treat others as second class", "school"),
        ("store eggs at room temperature", "mall"),
        ("consume and store milk in the fridge", "mall"),
        ("store and prepare carrots", "mall"),
        ("collect and store firewood for winter", "mall"),
    ],
)
def test_a_word_in_another_sense_names_no_location(words: str, kind: str) -> None:
    assert kind not in kinds(words, least=0.4)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("bring flowers to patients", "hospital"),
        ("talk to patients with respect", "hospital"),
        ("let the patient decide about a treatment", "hospital"),
        ("get to class on time", "school"),
        ("go to the store on Sundays", "mall"),
        ("buy eggs and milk in stores", "mall"),
        ("keep stores open late", "mall"),
        ("store eggs at home as the supermarket does", "mall"),
    ],
)
def test_the_same_word_in_its_own_sense_still_does(words: str, kind: str) -> None:
    assert kind in kinds(words, least=0.4)


def test_a_mark_between_words_parts_a_phrase() -> None:
    assert "gym" in kinds("meet at sports clubs")
    assert "gym" not in kinds("enjoy sports, clubs and music")


def test_more_words_of_one_kind_make_it_surer_and_never_certain() -> None:
    (one,), (two,) = fits_of("have an exam", LEXICON), fits_of("have an exam after the lesson", LEXICON)
    assert one.kind == two.kind == "school"
    assert one.confidence < two.confidence < 1


def test_the_same_word_twice_counts_once() -> None:
    assert fits_of("exam after exam", LEXICON) == fits_of("exam", LEXICON)


def test_a_word_of_the_context_counts_twice() -> None:
    (inside,), (apart,) = fits_of("exam", LEXICON), fits_of("be calm", LEXICON, context="exam")
    assert inside.confidence == 0.6
    assert apart.confidence == 0.84  # 1 - (1 - .6)²
    assert apart.reason == "school: says 'exam' in its context"


def test_general_manners_hold_everywhere_and_never_as_sure_as_a_location_of_its_own() -> None:
    fits = fits_of("greet each other with a handshake and a smile", LEXICON)
    assert [fit.kind for fit in fits] == list(KINDS)
    assert all(0 < fit.confidence < LEXICON.sure and "hold anywhere" in fit.reason for fit in fits)


def test_manners_at_a_location_do_not_spread_to_others() -> None:
    assert {fit.kind for fit in fits_of("greet the waiter with a smile", LEXICON)} == {"restaurant"}


def test_words_of_state_and_nation_make_a_norm_less_sure() -> None:
    (plain,), doubted = fits_of("have hospitals", LEXICON), fits_of("want the government to have hospitals", LEXICON)
    assert doubted == (replace(plain, confidence=0.45, reason=f"{plain.reason}; less sure: says 'government'"),)


def test_each_reason_quotes_the_words_that_decided() -> None:
    (fit,) = fits_of("leave a tip for the waiter", LEXICON)
    assert fit.reason == "restaurant: says 'tip', 'waiter'"


@given(words=st.lists(st.sampled_from(["tip", "school", "greet", "government", "moon", "bus", "home"])).map(" ".join))
def test_confidences_stay_within_their_bounds(words: str) -> None:
    for fit in fits_of(words, LEXICON):
        assert LEXICON.least <= fit.confidence <= LEXICON.most
        assert fit.reason


@given(words=st.text())
def test_any_text_at_all_can_be_mapped(words: str) -> None:
    assert {fit.kind for fit in fits_of(words, LEXICON)} <= set(KINDS)


def test_the_lexicon_has_words_for_just_the_kinds_of_location_in_town() -> None:
    assert set(LEXICON.kinds) == set(KINDS) == set(get_args(LocationKind))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"kinds": {"gym": {"50": ["sauna"], "90": ["saunas"]}}}, r"'saunas' \(gym\) stands there twice"),
        ({"kinds": {"gym": {"50": ["sauna"]}}, "nowhere": {"words": ["sauna"]}}, "'sauna' .* stands there twice"),
        ({"kinds": {"gym": {"high": ["sauna"]}}}, "the weight 'high' is no whole number"),
        ({"kinds": {"gym": {"100": ["sauna"]}}}, "the weight '100' is no whole number from 1 to 99"),
        ({"kinds": {}, "general": {}, "doubt": {"words": []}, "nowhere": {"words": []}}, "no words"),
    ],
)
def test_a_lexicon_with_a_bad_word_is_refused(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        build(Lexicon, {**read_toml(BUNDLED), **change}, where="words")


def test_rows_of_culturebank_become_what_is_said_of_many(tmp_path: Path) -> None:
    norm = built(behaviours(tmp_path)).base.norms[0]
    assert (norm.id, norm.place, norm.kinds) == ("culturebank-1", "IT", ("restaurant",))
    assert norm.statement == "Said of many Italians: ask the waiter for the menu"
    assert norm.source == "CultureBank (reddit), of the group 'Italians'"


def test_a_group_of_several_places_gives_a_norm_for_each(tmp_path: Path) -> None:
    found = [norm for norm in built(behaviours(tmp_path)).base.norms if norm.id.startswith("culturebank-3")]
    assert [(norm.id, norm.place) for norm in found] == [("culturebank-3@ES", "ES"), ("culturebank-3@PT", "PT")]
    assert {norm.kinds for norm in found} == {("apartment",)}


def test_a_group_that_is_no_place_is_dropped_and_never_forced_into_one(tmp_path: Path) -> None:
    made = built(behaviours(tmp_path))
    assert [(row.id, row.group, row.reason) for row in made.dropped] == [
        ("culturebank-4", "Southeast Asians", "the group is a region"),
        ("culturebank-5", "gamers", "the group is no place"),
    ]


def test_a_norm_that_fits_nowhere_is_kept_with_its_reason_and_never_comes_up(tmp_path: Path) -> None:
    base = built(behaviours(tmp_path)).base
    (norm,) = [norm for norm in base.norms if norm.place == "GR"]
    assert (norm.fits, norm.note) == ((), "no place fits")
    assert all(base.at("GR", kind) == () for kind in KINDS)


def test_english_people_also_have_what_is_said_of_the_british_and_scots_do_not(tmp_path: Path) -> None:
    rows = [("1", "British", "tip the waiter", ""), ("2", "Scottish", "tip the barista", "")]
    base = built(behaviours(tmp_path, rows)).base
    assert [norm.id for norm in base.at("GB-ENG", "restaurant")] == ["culturebank-1"]
    assert [norm.id for norm in base.at("GB-SCT", "restaurant")] == ["culturebank-2"]


def test_what_few_agree_on_is_dropped_with_that_reason(tmp_path: Path) -> None:
    header = ("id", "cultural_group", "sentence", "source", "norm_label")
    rows = [("1", "Irish", "In pubs, Irish buy rounds.", "", "1"), ("2", "Irish", "In pubs, Irish sleep.", "", "0")]
    made = built(table(tmp_path / "contexts.csv", header, rows))
    assert [norm.id for norm in made.base.norms] == ["culturebank-1"]
    assert [(row.id, row.reason) for row in made.dropped] == [("culturebank-2", FEW_AGREE)]


RELEASED = {
    "cultural group": "Dutch", "context": "in a restaurant", "actor_behavior": "pay for themselves", "goal": None,
    "recipient": "None", "topic": "Money", "agreement": 0.8,
}  # fmt: skip


def test_the_released_layout_is_read_with_its_context(tmp_path: Path) -> None:
    made = built(lines(tmp_path / "released.jsonl", RELEASED, {**RELEASED, "agreement": 0.5}))
    (norm,) = made.base.norms
    assert norm.statement == "Said of many Dutch (in a restaurant): pay for themselves"
    assert "'restaurant' in its context" in norm.fits[-1].reason
    assert [row.reason for row in made.dropped] == [FEW_AGREE]


def test_a_row_without_an_id_is_called_by_its_words_and_its_twin_is_dropped(tmp_path: Path) -> None:
    other = {**RELEASED, "actor_behavior": "share the bill"}
    one = built(lines(tmp_path / "a.jsonl", RELEASED, other, RELEASED))
    two = built(lines(tmp_path / "b.jsonl", other, RELEASED, RELEASED))
    assert len(one.base.norms) == 2
    assert (one.base.norms, one.dropped) == (two.base.norms, two.dropped)
    assert [row.reason for row in one.dropped] == [REPEATED]


@given(order=st.permutations(ROWS))
def test_the_order_of_rows_does_not_matter(
    order: list[tuple[str, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    made, other = built(behaviours(folder, order)), built(behaviours(folder))
    assert (made.base.norms, made.dropped) == (other.base.norms, other.dropped)
    assert made.datasheet.by_place == other.datasheet.by_place


@given(chosen=st.sets(st.sampled_from(ROWS), min_size=1))
def test_the_kinds_of_a_norm_never_depend_on_other_norms(
    chosen: set[tuple[str, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    some, every = built(behaviours(folder, sorted(chosen))), built(behaviours(folder))
    assert set(some.base.norms) <= set(every.base.norms)


@given(chosen=st.sets(st.sampled_from(ROWS), min_size=1))
def test_every_row_is_kept_or_dropped_with_a_reason(
    chosen: set[tuple[str, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = built(behaviours(tmp_path_factory.mktemp("rows"), sorted(chosen)))
    kept = {norm.id.split("@")[0] for norm in made.base.norms}
    assert kept.isdisjoint(row.id for row in made.dropped)
    assert len(kept) + len(made.dropped) == made.datasheet.rows == len(chosen)
    assert sum(made.datasheet.dropped.values()) == len(made.dropped)


def test_the_datasheet_counts_what_was_kept_and_dropped(tmp_path: Path) -> None:
    sheet = built(behaviours(tmp_path)).datasheet
    assert (sheet.rows, sheet.norms, sheet.fitting, sheet.anywhere, sheet.nowhere) == (6, 5, 4, 1, 1)
    assert sheet.dropped == {"the group is a region": 1, "the group is no place": 1}
    # the handshake everywhere, the waiter surely, the shoes of two places surely
    assert (sheet.by_kind["restaurant"].norms, sheet.by_kind["restaurant"].sure) == (2, 1)
    assert (sheet.by_kind["apartment"].norms, sheet.by_kind["apartment"].sure) == (3, 2)
    assert {place: tally.norms for place, tally in sheet.by_place.items()} == {"ES": 1, "GB-ENG": 1, "IT": 1, "PT": 1}
    assert sum(sheet.by_band.values()) == 8 + 1 + 2


def test_kinds_that_people_gave_stay_and_others_are_mapped(tmp_path: Path) -> None:
    given_fit = {"kind": "park", "confidence": 1.0, "reason": "asked there"}
    row = {"place": "Italy", "statement": "Many people say one tips the waiter.", "source": "asked"}
    path = lines(tmp_path / "ours.jsonl", {**row, "id": "a", "fits": [given_fit]}, {**row, "id": "b"})
    by_hand, mapped = built(path).base.norms
    assert [(fit.kind, fit.reason) for fit in by_hand.fits] == [("park", "asked there")]
    assert mapped.kinds == ("restaurant",)


def test_mapping_a_base_again_changes_no_norm(tmp_path: Path) -> None:
    build_town_norms(TownNormsArgs(source=str(behaviours(tmp_path)), out=tmp_path / "once.jsonl", json=True))
    build_town_norms(TownNormsArgs(source="once.jsonl", data=tmp_path, out=tmp_path / "twice.jsonl", json=True))
    assert read_base(tmp_path / "once.jsonl").norms == read_base(tmp_path / "twice.jsonl").norms


@pytest.mark.parametrize(
    ("header", "row", "complaint"),
    [
        (BEHAVIOURS, ("1", "Irish", " ", ""), "bank.csv:2: expected cultural_group, and sentence or actor_behavior"),
        (BEHAVIOURS, ("1", "", "sing", ""), "bank.csv:2: cultural_group is empty"),
        ((*BEHAVIOURS, "norm_label"), ("1", "Irish", "sing", "", "maybe"), "bank.csv:2: norm_label is 'maybe'"),
        (("word", "meaning"), ("craic", "fun"), r"columns are \['meaning', 'word'\]; expected rows of CultureBank"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(
    header: Sequence[str], row: Sequence[str], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=complaint):
        from_file(table(tmp_path / "bank.csv", header, [row]))


def test_an_id_that_comes_again_is_refused_where_it_does(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"behaviours\.csv:3: the id '1' is used above"):
        from_file(behaviours(tmp_path, [ROWS[0], ROWS[0]]))


def test_every_norm_of_the_bundled_pack_is_in_the_base_under_its_id() -> None:
    made = map_norms(from_pack(), LEXICON)
    assert [norm.id for norm in made.base.norms] == [entry.norm.id for entry in load_pack().norms]
    assert made.dropped == ()
    assert made.datasheet.fitting / made.datasheet.norms > 0.8


def test_a_norm_of_business_comes_up_at_the_office_by_its_domain_alone() -> None:
    entry = next(entry for entry in load_pack().norms if entry.norm.domain == "business")
    assert "office" in {fit.kind for fit in fits_of("", LEXICON, context=f"{entry.norm.domain}; gifts")}
    made = map_norms(from_pack(), LEXICON).base
    business = {entry.norm.id for entry in load_pack().norms if entry.norm.domain == "business"}
    assert all("office" in norm.kinds for norm in made.norms if norm.id in business)


def test_the_command_writes_the_base_the_dropped_rows_and_the_datasheet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "town.jsonl"
    build_town_norms(
        TownNormsArgs(source="culturebank-behaviours.csv", data=behaviours(tmp_path).parent, out=out, json=True)
    )
    printed = json.loads(capsys.readouterr().out)
    assert printed["datasheet"] == json.loads((tmp_path / "town.datasheet.json").read_text())
    assert printed["datasheet"]["fingerprint"] == read_base(out).fingerprint
    assert [json.loads(row)["id"] for row in (tmp_path / "town.dropped.jsonl").read_text().splitlines()] == [
        "culturebank-4",
        "culturebank-5",
    ]


def test_the_command_tells_people_in_a_few_lines_what_it_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build_town_norms(TownNormsArgs(source=str(behaviours(tmp_path)), out=tmp_path / "town.jsonl"))
    told = " ".join(capsys.readouterr().out.split())
    assert "5 norms from culturebank-behaviours.csv" in told
    assert "Of 6 rows, 2 were dropped: 1: the group is a region; 1: the group is no place." in told
    assert "Italy 1 IT" in told
    assert "Vietnam 0 none known" in told


@pytest.mark.parametrize("taken", ["town.jsonl", "town.dropped.jsonl", "town.datasheet.json"])
def test_the_command_overwrites_nothing(taken: str, tmp_path: Path) -> None:
    (tmp_path / taken).write_text("mine")
    with pytest.raises(InputError, match=f"{taken} exists already and is not overwritten"):
        build_town_norms(TownNormsArgs(source="pack", out=tmp_path / "town.jsonl", json=True))
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("source", "out", "complaint"),
    [
        ("nothing.csv", "town.jsonl", "--from nothing.csv: no file nothing.csv; expected pack"),
        ("pack", "town.csv", "expected a file that ends in .jsonl"),
        ("pack", "not/there/town.jsonl", "make it first"),
    ],
)
def test_the_command_says_what_it_expected(source: str, out: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=complaint):
        build_town_norms(TownNormsArgs(source=source, out=tmp_path / out, json=True))


@pytest.fixture(scope="module", params=["culturebank-behaviours.csv", "culturebank-contexts.csv"])
def real(request: pytest.FixtureRequest, data: Path) -> TownNorms:
    path = data / request.param
    if not path.is_file():
        pytest.skip(f"no {request.param} in {data}")
    return built(path)


def surely(base: NormBase, nationality: str) -> int:
    return sum(len(base.at(nationality, kind, least=LEXICON.sure)) for kind in KINDS)


def test_real_rows_give_norms_for_each_nationality_of_the_town(real: TownNorms) -> None:
    assert all(surely(real.base, nationality) > 0 for nationality in ELEVEN)


def test_real_rows_give_norms_for_each_kind_of_location(real: TownNorms) -> None:
    assert all(tally.sure > 0 for tally in real.datasheet.by_kind.values())


def test_no_real_row_is_lost(real: TownNorms) -> None:
    kept = {norm.id.split("@")[0] for norm in real.base.norms}
    assert len(kept) + len(real.dropped) == real.datasheet.rows
