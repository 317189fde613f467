"""Which custom meets which value, and what values say."""

from collections import Counter
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.pipelines.dialogues.pairs import pairs_of, read_values
from mores.pipelines.dialogues.pipeline import dialogues_pipeline
from tests.pipelines.scenarios import HELD, PAIR, folder, norm, options, value

CUSTOMS = tuple(norm(f"{home}{n}", home) for home in ("JP", "NG", "PE", "GB-SCT") for n in range(5))
VALUES = tuple(value(f"Q{n}", home) for home in ("NG", "GB") for n in range(3))


def test_pairs_are_of_two_countries_never_twice_and_bring_every_place_in_turn() -> None:
    pairs = pairs_of(CUSTOMS, VALUES, 6)
    assert Counter(pair.value.place for pair in pairs) == {"NG": 6, "GB": 6}
    assert len({pair.id for pair in pairs}) == 12
    assert not any(pair.custom.place == "GB-SCT" and pair.value.place == "GB" for pair in pairs)
    assert {pair.custom.place for pair in pairs if pair.value.place == "NG"} == {"JP", "PE", "GB-SCT"}
    assert Counter(pair.custom.place for pair in pairs if pair.value.place == "NG").most_common(1)[0][1] == 2
    assert {pair.value.place for pair in pairs[:2]} == {"NG", "GB"}


def test_all_pairs_come_where_so_many_are_wanted_and_the_first_comes_from_a_third_place() -> None:
    pairs = pairs_of(CUSTOMS, VALUES, 1000)
    assert len({pair.id for pair in pairs}) == len(pairs) == 15 * 3 + 15 * 3
    assert all(len({*pair.places}) == 3 for pair in pairs)
    assert pairs_of([norm("a", "JP")], [value("Q1", "NG")], 5)[0].places == ("NG", "NG", "JP")


def test_pairs_hang_on_no_order_and_a_new_custom_parts_none_of_the_others() -> None:
    pairs = pairs_of(CUSTOMS, VALUES, 1000)
    assert pairs_of(CUSTOMS[::-1], VALUES, 1000) == pairs
    more = pairs_of((*CUSTOMS, norm("new", "JP")), VALUES, 15)
    first = {pair.id for pair in pairs_of(CUSTOMS, VALUES, 15)}
    assert {pair.id for pair in more if pair.custom.id != "new"} <= first


def test_values_come_with_their_statement_or_with_the_words_of_their_codes(tmp_path: Path) -> None:
    coded, wordings = tmp_path / "coded.csv", tmp_path / "wordings.csv"
    coded.write_text("question,place,codes,share\nQ28,JO,1 2,.9\nQ28,NZ,4,.81\nQ99,NZ,1,.9\n", "utf-8")
    wordings.write_text(
        "question,codes,topic,statement\nQ28,1 2,Social values,Most in [[place]] agree.\n"
        "Q28,3 4,Social values,Most in [[place]] disagree.\nQ28,4,Social values,Most in [[place]] disagree strongly.\n",
        "utf-8",
    )
    found, lost = read_values(coded, wordings)
    assert [each.statement for each in found] == ["Most in Jordan agree.", "Most in New Zealand disagree strongly."]
    assert [(each.unit, each.reason) for each in lost] == [("Q99@NZ", "no wording of its answers")]
    with pytest.raises(InputError, match="put their codes into words: --wordings FILE"):
        read_values(coded, None)
    said, _ = read_values(folder(tmp_path / "norms") / "values.csv", None)
    assert [each.statement for each in said] == [HELD, "Many in Peru trust those they meet."]
    coded.write_text("question,place,topic,statement\nQ1,JP,T,So.\nQ1,Japan,T,So.\n", "utf-8")
    with pytest.raises(InputError, match=r"coded\.csv:3: a second row of Q1 in Japan"):
        read_values(coded, None)


def test_only_customs_of_etiquette_and_dates_meet_values(tmp_path: Path) -> None:
    norms = folder(tmp_path / "norms", PAIR.custom, norm("g", "JP", "greetings"), norm("x", "JP", None),
                   norm("d", "JP", "dates"))  # fmt: skip
    pipeline = dialogues_pipeline(options(norms))
    assert {pair.custom.id for pair in pipeline.units} == {"n1", "d"}
    assert {each.unit: each.reason for each in pipeline.dropped_before} == {
        "g": "a domain other than etiquette and dates", "x": "no domain"
    }  # fmt: skip
    with pytest.raises(InputError, match="0 customs"):
        dialogues_pipeline(options(folder(tmp_path / "none", norm("g", "JP", "greetings"))))
