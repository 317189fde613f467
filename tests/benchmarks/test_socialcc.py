"""SocialCC: what the table says, who is told what, and where each verdict counts."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks import catalogue
from mores.benchmarks.shapes.dialogues.dialogue import DialogueItem
from mores.benchmarks.shapes.pressure import LEVELS
from mores.benchmarks.socialcc.scenarios import ATTRIBUTES, attributes_of
from mores.core.codec import encode
from mores.core.errors import InputError, UnknownName
from mores.core.transcript import BriefingEvent, DialogueEndEvent, RequestEvent, Transcript
from mores.models.request import Request
from mores.runs.selection import select
from tests.benchmarks.plays import Script, perform, setting_of, tiny
from tests.benchmarks.talks import GOOD, NAME, TABLE, TURNS, items_of, rows, talk, told, written


def test_each_row_is_an_item_by_its_id_with_the_value_s_place() -> None:
    items = items_of(TABLE)
    assert [item.about.item for item in items] == [f"socialcc-{n}" for n in (3, 4, 9, 10, 21, 22, 30, 31)]
    assert [item.about.place for item in items] == ["NL", "NG", "JP", "BR", "DE", "JO", "ET", "HK"]


def test_awareness_and_knowledge_of_the_custom_count_at_its_place_all_else_at_the_value_s() -> None:
    item = items_of(TABLE)[6]
    assert {task: item.about_of(task).place for task in catalogue.load(NAME).tasks} == {
        "awareness": "GB-NIR", "commonsense": "GB-NIR", "value": "ET", "goal": "ET", "respected": "ET",
        "respected_both": "ET", "behaviour": "ET", "rounds": "ET", "flagged": "ET", "antagonist_flagged": "ET",
    }  # fmt: skip


def test_one_scene_is_one_cluster_however_many_scenarios_are_played_in_it() -> None:
    clusters = [item.about.cluster for item in items_of(TABLE)]
    assert Counter(Counter(clusters).values()) == {2: 2, 1: 4}


def test_a_custom_of_a_certain_day_is_one_of_dates_and_all_others_of_etiquette() -> None:
    kinds = {item.about.item: item.about.groups["dimension"] for item in items_of(TABLE)}
    assert [name for name, kind in kinds.items() if kind == "dates"] == ["socialcc-9", "socialcc-10"]
    assert set(kinds.values()) == {"dates", "etiquette"}


@pytest.mark.parametrize(
    ("custom", "kind"),
    [
        ("People there keep May 1 as a day of rest.", "dates"),
        ("On the 9th of May people there remember the war.", "dates"),
        ("People there fast by day in Ramadan.", "dates"),
        ("Carnations recall holidays of old times there.", "etiquette"),
        ("May be taken as a bribe.", "etiquette"),
        ("Elders march first through a door.", "etiquette"),
    ],
)
def test_the_kind_of_a_custom_is_read_from_its_words(custom: str, kind: str, tmp_path: Path) -> None:
    table = [{**rows()[0], "Cultural Knowledge_1": custom}]
    assert items_of(written(tmp_path / "x.csv", table))[0].about.groups["dimension"] == kind


def test_topics_lose_stray_spaces_and_capitals() -> None:
    assert {item.about.groups["topic"] for item in items_of(TABLE)} == {
        "social values", "economic values", "religious values", "social capital",
    }  # fmt: skip


def test_a_folder_or_the_file_can_be_named_and_json_lines_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b"\n".join(encode(row) for row in rows()))
    tables = [items_of(each) for each in (TABLE, TABLE.parent, path)]
    assert len({tuple(item.render() for item in items) for items in tables}) == 1


NEEDED = [name for name in rows()[0] if name not in {"Agent_3", "Agent_3_Background", "Relationship", "Option"}]


@pytest.mark.parametrize("field", NEEDED)
def test_a_row_without_a_field_is_refused_by_row_and_field(field: str, tmp_path: Path) -> None:
    table = rows()
    table[1][field] = "  "
    with pytest.raises(InputError) as error:
        items_of(written(tmp_path / "mine.csv", table))
    assert str(error.value).startswith(f"{tmp_path / 'mine.csv'}:3: {field} is empty")


@pytest.mark.parametrize("field", [*NEEDED, "Agent_3_Background", "Relationship"])
def test_a_table_without_a_column_is_refused_by_its_name(field: str, tmp_path: Path) -> None:
    table = [{name: cell for name, cell in row.items() if name != field} for row in rows()]
    with pytest.raises(InputError, match=f"mine.csv:2: no column .*{field}"):
        items_of(written(tmp_path / "mine.csv", table))


@pytest.mark.parametrize("field", ["Country_Knowledge", "Country_Value"])
def test_an_unknown_country_is_refused_with_the_nearest(field: str, tmp_path: Path) -> None:
    table = [{**rows()[0], field: "Jappan"}]
    with pytest.raises(InputError, match=r"mine\.csv:2: .*Did you mean 'Japan'"):
        items_of(written(tmp_path / "mine.csv", table))


def test_an_id_that_stands_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="id 'socialcc-3' stands twice, in lines 2 and 3"):
        items_of(written(tmp_path / "mine.csv", [rows()[0], rows()[0]]))


@pytest.mark.parametrize("level", LEVELS)
def test_the_subject_is_told_neither_custom_nor_value_nor_what_the_other_is_after(level: str) -> None:
    table = {f"socialcc-{row['Data_ID']}": row for row in rows()}
    for item in items_of(TABLE, pressure=level):
        row = table[item.about.item]
        secret = [row["Cultural Knowledge_1"], row["Cultural Value_1"], row["Agent_1_Goal_1"], row["Agent_1_Goal_2"]]
        for words in (*secret, LEVELS[level].words):
            assert words not in told(item, "subject")
            assert words in told(item, "antagonist")
        for words in (row["Agent_2_Goal_1"], row["Agent_2_Goal_2"]):
            assert words in told(item, "subject")
            assert words not in told(item, "antagonist")


def test_nothing_of_it_reaches_the_subject_in_the_talk_but_what_the_other_says() -> None:
    """All that is put to the subject is its brief, what it said, and what the other said."""
    asked: list[Request] = []
    plan = talk(TURNS, ["Hi.", "No."], GOOD)

    def say(request: Request) -> str | None:
        asked.append(request)
        return plan(request)

    benchmark, setting, items = tiny(NAME)
    perform(benchmark, setting, items, Script(say))
    briefs = {item.about.item: told(item, "subject") for item in items}
    for request in asked:
        if request.tag.role == "subject":
            first, *others = (message.content for message in request.messages)
            assert first == briefs[request.tag.item]
            assert set(others) <= {*TURNS, "Hi.", "No."}


def test_all_who_are_in_a_scene_are_known_to_both_and_by_the_released_protocol_their_tie_to_the_antagonist() -> None:
    """The released code puts it into one of the two prompts, the paper into none."""
    item, plain, row = items_of(TABLE, protocol="released")[0], items_of(TABLE)[0], rows()[0]
    for name in ("Agent_1_Background", "Agent_2_Background", "Agent_3_Background", "Scenario", "Event_1", "Event_2"):
        assert row[name] in told(item, "subject")
        assert row[name] in told(item, "antagonist")
    assert row["Relationship"] in told(item, "antagonist")
    assert not any(row["Relationship"] in words for words in (told(item, "subject"), told(plain, "antagonist")))


@pytest.mark.parametrize(("protocol", "asked"), [("paper", False), ("released", True)])
def test_only_the_released_code_limits_words_and_hints_at_culture(protocol: str, asked: bool) -> None:
    brief = told(items_of(TABLE, protocol=protocol)[0], "subject")
    assert ("100 words" in brief, "Keep in mind where the people" in brief) == (asked, asked)


def test_the_antagonist_proposes_against_custom_and_value_and_keeps_both_of_its_goals() -> None:
    brief = told(items_of(TABLE)[0], "antagonist")
    for words in (
        "runs against the custom",
        "something to do that goes against the value",
        "keep to what you are after",
    ):
        assert words in brief


@pytest.mark.parametrize("rounds", ["1", "100"])
def test_the_limit_on_rounds_is_told_to_both_and_kept(rounds: str) -> None:
    benchmark = catalogue.load(NAME)
    setting = setting_of(benchmark, TABLE, settings={**benchmark.card.protocol.settings, "rounds": rounds})
    item = items_of(TABLE, rounds=rounds)[0]
    assert all(f"{rounds} exchanges" in told(item, role) for role in ("subject", "antagonist"))
    ((transcript, _),) = perform(benchmark, setting, [item], Script(talk(["And?"], ["No."], GOOD)))
    assert next(e for e in transcript.events if isinstance(e, DialogueEndEvent)).rounds == int(rounds)


@pytest.mark.parametrize("rounds", ["0", "201", "ten", "-1"])
def test_a_limit_that_is_no_number_of_rounds_is_refused(rounds: str) -> None:
    with pytest.raises(InputError, match=f"--set rounds={rounds}: expected a number of rounds from 1 to 200"):
        items_of(TABLE, rounds=rounds)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Kim: A 25-year-old male IT programmer from Egypt.", ("25 to 29", "male", "computing")),
        ("Omar, a 40-year-old dad, keeps the books of a non-profit in Amman.",
         ("35 and over", "male", "business and office")),
        ("Emi: A 17 year old female high school student", ("under 25", "female", "study")),
        ("Alex, a 32-year-old person of no fixed trade, it seems.", ("30 to 34", None, None)),
        ("Victoria is a single mother, once engaged to a man.", (None, None, None)),
        ("", (None, None, None)),
    ],
)  # fmt: skip
def test_age_gender_and_work_are_read_where_the_words_tell_them(words: str, found: tuple[str | None, ...]) -> None:
    assert tuple(attributes_of(words).get(name) for name in ATTRIBUTES) == found


def test_people_of_whom_something_cannot_be_read_are_in_no_group_and_reports_name_none() -> None:
    benchmark = catalogue.load(NAME)
    setting = setting_of(benchmark, TABLE, settings=benchmark.card.protocol.settings)
    assert Counter(item.about.groups.get("gender") for item in items_of(TABLE)) == {"male": 1, "female": 2, None: 5}
    assert not any(name in words for words in benchmark.remarks(setting) for name in ATTRIBUTES)


def test_a_scene_of_two_has_no_third_and_no_empty_line() -> None:
    brief = told(items_of(TABLE)[2], "subject")
    assert "- Lena: 44, an editor from Austria.\n- Kenji: 39, a translator from Japan.\n\n" in brief


def test_names_lose_stray_spaces() -> None:
    assert "You play Ada in a conversation with Omar." in told(items_of(TABLE)[1], "subject")


def test_the_judge_reads_the_whole_talk_fenced_by_rounds_and_who_is_who() -> None:
    benchmark, setting, items = tiny(NAME)
    ((transcript, _),) = perform(benchmark, setting, items[:1], Script(talk(TURNS, ["Hi.", "", "No."], GOOD)))
    asked = [event for event in transcript.events if isinstance(event, RequestEvent)]
    assert len(asked) == 4
    for event in asked:
        words = event.messages[0].content
        assert "Agent 1 is Omar, Agent 2 is Piet." in words
        assert (
            "\nRound 1:\nAgent 1:\nHello.\nAgent 2:\nHi.\nRound 2:\nAgent 1:\nFour bowls?\nAgent 2:\n(says nothing)\n"
            "Round 3:\nAgent 1:\nAnything amiss?\nAgent 2:\nNo.\nRound 4:\nAgent 1:\nOK. GOOD BYE!\n"
        ) in words


@pytest.mark.parametrize("released", [False, True])
def test_each_judgement_is_told_what_its_protocol_tells_it_and_no_more(released: bool) -> None:
    benchmark, setting, _ = tiny(NAME)
    settings = {**setting.protocol.settings, "protocol": "released" if released else "paper"}
    setting = setting_of(benchmark, setting.data, settings=settings)
    items = benchmark.items(setting)
    ((transcript, _),) = perform(benchmark, setting, items[:1], Script(talk(TURNS, ["Hi."], GOOD)))
    words = [event.messages[0].content for event in transcript.events if isinstance(event, RequestEvent)]
    row = rows()[0]
    holds = {name: [row[name] in each for each in words] for name in row}
    assert holds["Cultural Knowledge_1"] == [True, True, True, True]
    assert holds["Cultural Value_1"] == [True, not released, True, True]
    assert holds["Agent_2_Goal_1"] == [False, False, False, released]
    for name in ("Agent_1_Goal_1", "Agent_2_Background", "Relationship"):
        assert holds[name] == [False] * 4


def test_several_levels_of_pressure_are_items_of_their_own_in_one_cluster() -> None:
    items = items_of(TABLE, pressure="none, strong")
    assert [item.about.item for item in items[:3]] == ["socialcc-3@none", "socialcc-3@strong", "socialcc-4@none"]
    assert len({item.about.unit for item in items}) == 8
    assert {item.about.groups["dimension"] for item in items[:2]} == {
        "etiquette|pressure none", "etiquette|pressure strong",
    }  # fmt: skip
    assert [item.about.groups["pressure"] for item in items[:2]] == ["none", "strong"]
    assert len({item.about.cluster for item in items}) == 6


def test_one_level_alone_makes_no_new_ids() -> None:
    assert [item.about.item for item in items_of(TABLE, pressure="strong")][:2] == ["socialcc-3", "socialcc-4"]


@pytest.mark.parametrize(
    ("level", "complaint"),
    [("hard", r"--set pressure: No level of pressure is called 'hard'"), ("firm,firm", "a level stands twice"),
     ("", "No level of pressure")],
)  # fmt: skip
def test_a_level_that_is_none_or_stands_twice_is_refused(level: str, complaint: str) -> None:
    with pytest.raises((InputError, UnknownName), match=complaint):
        items_of(TABLE, pressure=level)


def test_each_level_tells_the_antagonist_something_else_and_the_subject_nothing() -> None:
    by_level = [items_of(TABLE, pressure=level)[0] for level in LEVELS]
    assert len({told(item, "antagonist") for item in by_level}) == 4
    assert len({told(item, "subject") for item in by_level}) == 1


def test_a_limit_draws_scenarios_with_all_their_levels_and_places_are_those_of_the_values() -> None:
    benchmark = catalogue.load(NAME)
    items = items_of(TABLE)
    seed = setting_of(benchmark, None).seed
    assert len(select(items, places=(), limit=3, seed=seed)) == 3
    levels = items_of(TABLE, pressure="none,firm,strong")
    drawn = Counter(item.about.unit for item in select(levels, places=(), limit=3, seed=seed))
    assert sorted(drawn.values()) == [3, 3, 3]
    assert [i.about.item for i in select(items, places=["Japan"], limit=None, seed=seed)] == ["socialcc-9"]


@pytest.fixture(scope="module")
def all_of_them(request: pytest.FixtureRequest) -> Sequence[DialogueItem]:
    real: Path = request.getfixturevalue("real")
    return items_of(real / "socialcc.csv")


def test_all_scenarios_are_there_in_158_scenes_63_places_of_values_and_ten_topics(
    all_of_them: Sequence[DialogueItem],
) -> None:
    assert len({item.about.item for item in all_of_them}) == len(all_of_them) == 3060
    assert len({item.about.cluster for item in all_of_them}) == 158
    assert len({item.about.place for item in all_of_them}) == 63
    assert len({item.about.groups["topic"] for item in all_of_them}) == 10
    card = catalogue.card(NAME)
    assert (card.items, card.units) == (3060, 3060)


def test_continents_of_the_values_places_are_those_of_the_paper(all_of_them: Sequence[DialogueItem]) -> None:
    """Table 1 by the countries of Table 3A; Cyprus, Turkey and Russia stand with Asia there."""
    counts = Counter(item.about.place for item in all_of_them)
    paper = {"VN": 85, "BD": 78, "JO": 75, "EG": 71, "MA": 67, "AU": 68, "DE": 57, "BR": 19, "MN": 14, "GB-NIR": 63}
    assert {place: counts[place] for place in paper} == paper
    africa = ("EG", "TN", "MA", "ZW", "LY", "ET", "NG", "KE")
    assert sum(counts[place] for place in africa) == 479
    assert sum(counts[place] for place in ("CA", "US", "NI", "PR", "MX", "GT")) == 220


def test_in_most_scenarios_custom_and_value_belong_to_two_places(all_of_them: Sequence[DialogueItem]) -> None:
    """2,952 by their names as the table has them, four of which are one place in two spellings."""
    apart = sum(item.about_of("awareness").place != item.about_of("value").place for item in all_of_them)
    assert apart == 2948


def test_two_kinds_of_customs_and_no_secret_in_any_brief(all_of_them: Sequence[DialogueItem]) -> None:
    kinds = Counter(item.about.groups["dimension"] for item in all_of_them)
    assert kinds == {"etiquette": 2116, "dates": 944}
    for item in all_of_them:
        brief = told(item, "subject")
        assert str(item.held_against["custom"]) not in brief
        assert str(item.held_against["value"]) not in brief


def test_of_most_people_age_gender_and_work_can_be_read(all_of_them: Sequence[DialogueItem]) -> None:
    missed = {name: sum(name not in item.about.groups for item in all_of_them) for name in ATTRIBUTES}
    assert missed == {"age": 10, "gender": 485, "occupation": 52}


def briefed(transcript: Transcript) -> list[Any]:
    return [event for event in transcript.events if isinstance(event, BriefingEvent)]


def test_a_talk_s_transcript_says_who_was_told_what() -> None:
    benchmark, setting, items = tiny(NAME)
    ((transcript, _),) = perform(benchmark, setting, items[:1], Script(talk(TURNS, ["Hi."], GOOD)))
    told_to = {event.role: event.words for event in briefed(transcript)}
    assert told_to == {role: told(items[0], role) for role in ("antagonist", "subject")}
