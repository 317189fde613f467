"""Every item can be read: which answers were right, and the exact words asked, answered and judged."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mores.analysis.outcomes import units_link
from mores.analysis.results import Results
from mores.benchmarks.ladder.pack_info import norm_sources
from mores.core.estimate import SEPARATE
from mores.core.verdict import Graded, Verdict, VoteSummary
from mores.norms.pack import PARALLEL, load_pack
from mores.reports.browse import browser
from mores.reports.browse.messages import titles_of
from mores.reports.browse.outcomes import kind_of
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from tests.benchmarks.plays import TINY, tiny
from tests.reports.browsed import answers, browsed
from tests.reports.conftest import SPOKEN
from tests.reports.made import Made, about, label, reasons, run_of
from tests.runs.conduct import hold

EASY = "culturalbench/easy"


def test_the_words_are_the_exact_ones_asked_and_answered_with_the_hash_of_the_prompt(spoken: Path) -> None:
    found = browsed(spoken)
    (first,) = found.said[EASY, "easy-0"]
    (_, question, prompt), (_, answer, _) = first.lines
    assert "What do people do at feast 0?" in question
    assert answer == SPOKEN
    assert prompt in set(read_results([spoken]).evaluations[0].provenance.prompts.values())
    assert found.said[EASY, "easy-1"][0].lines[-1][1] == ""
    assert found.said[EASY, "easy-3"][0].remarks[0][2] == "no recorded reply"
    kinds = dict(zip(found.index["items"]["id"], found.kinds(), strict=True))
    assert [kinds[f"easy-{n}"] for n in range(4)] == ["format error", "format error", "right", "ungraded"]


def test_all_items_are_there_right_and_wrong_as_the_headline_counts_them(found: Results) -> None:
    held = browsed(found)
    for evaluation in found.evaluations:
        assert {about.item for about in evaluation.verdict_table.item_metadata} <= set(held.index["items"]["id"])
    assert len(held.said) == len(held.index["items"]["id"])
    (items, by_result, _, kinds) = held.index["answers"]
    judged = [n for n, each in enumerate(found.evaluations) if each.benchmark == "ladder/judge"]
    for number in judged:
        apart = {
            about.item for about in found.evaluations[number].verdict_table.item_metadata if SEPARATE in about.groups
        }
        own = [
            held.index["kinds"][k]
            for i, r, k in zip(items, by_result, kinds, strict=True)
            if r == number and held.index["items"]["id"][i] not in apart
        ]
        whole = found.evaluations[number].overall()
        assert whole is not None
        assert whole.value is not None
        assert own.count("right") == round(whole.value * whole.graded)
        assert own.count("ungraded") == whole.asked - whole.graded


def test_models_stand_side_by_side_on_an_item(found: Results) -> None:
    held = browsed(found)
    for plays in held.said.values():
        assert len({held.index["results"][play.result]["model"] for play in plays}) == len(plays) == 2


def test_the_same_results_give_the_same_bytes(found: Results) -> None:
    assert browser(found) == browser(found)


def test_of_too_many_items_some_are_drawn_for_all_models_alike(found: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mores.reports.browse.stored_items.MOST", 200)
    held = browser(found)
    assert held is not None
    assert 0 < held.shown < held.total
    some = browsed(found)
    assert all(len(plays) == 2 for plays in some.said.values())


def test_words_that_find_no_room_are_counted_and_those_of_wrong_answers_come_first(
    found: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.reports.browse.items.ROOM", 4_000)
    monkeypatch.setattr("mores.reports.browse.items.PART", 5_000)
    held, some = browser(found), browsed(found)
    assert held is not None
    assert 0 < held.worded == len(some.said) < held.shown
    kinds: dict[int, list[int]] = {}
    for item, kind in zip(some.index["answers"][0], some.index["answers"][3], strict=True):
        kinds.setdefault(item, []).append(kind)
    names = list(zip(some.index["items"]["benchmark"], some.index["items"]["id"], strict=True))
    assert all(any(kinds[names.index(name)]) for name in some.said)


def test_an_item_of_the_ladder_says_where_its_norm_was_looked_up(found: Results, spoken: Path) -> None:
    index = browsed(found).index
    sources = {each.norm.id: each.norm.sources[0] for each in load_pack().norms}
    told = dict(zip(index["units"], index["rests"], strict=True))
    assert told
    assert all(
        sources[norm].title in words and sources[norm].url in words
        for norm, words in ((unit.partition(PARALLEL)[0], words) for unit, words in told.items())
    )
    assert set(browsed(spoken).index["rests"]) == {""}


def test_a_pack_of_other_words_lends_no_sources() -> None:
    pack = load_pack()
    name = f"pack {pack.id} {pack.version}"
    assert norm_sources({name: pack.fingerprint})
    assert norm_sources({name: "another"}) == {}
    assert norm_sources({}) == {}


def test_a_figure_leads_to_its_items(found: Results) -> None:
    first = found.evaluations[0]
    assert units_link(first) == "#browse?benchmark=ladder%2Fknow&model=simulated%2Ftypical"
    assert units_link(first, "place", "JP").endswith("&place=JP")
    assert units_link(first, "domain", "dates").endswith("&group=domain%3Adates")


SHARES = {"satisfied": 0.6, "neutral": 0.3, "violated": 0.1}


def held_against(norm: str, label: str, shares: dict[str, float], **more: Any) -> Graded:
    ballot = VoteSummary(votes=1, asked=1, words=5, label_probs=shares)
    where = about("i0", part=norm)
    return Graded(
        about=where, sample=0, task="norm", points=shares["satisfied"], label=label, ballot=ballot, **more
    )  # fmt: skip


def test_a_probability_below_one_is_no_failure_where_the_label_is_the_first() -> None:
    assert kind_of(held_against("n1", "satisfied", SHARES)) == "right"
    assert kind_of(held_against("n1", "neutral", {"satisfied": 0.2, "neutral": 0.7, "violated": 0.1})) == "wrong"


def test_points_of_a_rubric_are_no_label() -> None:
    for points in (0.0, 0.4, 1.0):
        assert kind_of(reasons("i0", points)) == "points"


def test_a_right_label_with_bad_reasons_is_a_failure_of_its_own() -> None:
    assert kind_of(label("i0", 1), reasons("i0", 0.4)) == "wrong reason"
    assert kind_of(label("i0", 1), reasons("i0", 0.5)) == "right"
    assert kind_of(label("i0", 0), reasons("i0", 0.4)) == "wrong"
    assert kind_of(label("i0", 1), reasons("i0", None)) == "ungraded"


def finding(folder: Path, verdicts: list[Verdict], **more: Any) -> Path:
    roles, figures = {"judge": "openai/j"}, {"accuracy": 0.5}
    made = Made(model="openai/a", benchmark="odd/tea", verdicts=verdicts, figures=figures, roles=roles, **more)
    return run_of(folder / "run", made)


def test_the_judges_reason_stands_beside_the_answer_and_its_other_words_too(tmp_path: Path) -> None:
    verdicts = [label("i0", 1), reasons("i0", 0.25, reason="<b>Poor</b>"), label("i1", 1), reasons("i1", None)]
    run = finding(tmp_path, verdicts)
    assert answers(run) == {"wrong reason": 1, "ungraded": 1}
    said = browsed(run).said
    ((task, _, found, _, why),) = [r for r in said["odd/tea", "i0"][0].remarks if r[0] == "coverage"]
    assert (task, found, why) == ("coverage", "0.25 points", "<b>Poor</b>")
    ((_, _, cause, _, raw),) = [r for r in said["odd/tea", "i1"][0].remarks if r[0] == "coverage"]
    assert (cause, raw) == ("judge: cut short", "It covers")
    assert any("A judge's own words" in text for _, text, _ in said["odd/tea", "i0"][0].lines)


def test_a_question_of_words_that_all_questions_have_is_its_title_and_not_what_stands_around_it() -> None:
    asked = [f"¿Cuál es {which} más popular en España?" for which in ("el plato", "la flor", "la torre", "el juego")]
    frame = "Da una sola respuesta corta y no escribas nada más.\n\nPregunta: {}\nRespuesta:"
    own = ["¿Cuál es en España la más popular?", *asked]
    assert titles_of([frame.format(question) for question in own]) == own


def test_one_question_of_a_language_has_its_own_words_for_a_title(tmp_path: Path) -> None:
    one_each = ("KR-T-01-ko", "MX-T-02-es", "GB-T-01-en")
    spec = Spec(
        benchmarks=("blend/saq_local",), models=("simulated/typical",), data=str(TINY / "blend"), items=one_each
    )
    assert hold(tmp_path / "run", spec)
    words = {item.about.item: item.question for item in tiny("blend/saq_local")[2]}
    index = browsed(tmp_path / "run").index
    assert index["items"]["title"] == [words[item] for item in index["items"]["id"]]
    assert sorted(index["items"]["id"]) == sorted(one_each)


def test_many_files_of_data_are_counted_and_not_listed_with_each_answer(tmp_path: Path) -> None:
    spec = Spec(benchmarks=("blend/saq_local",), models=("simulated/typical",), data=str(TINY / "blend"))
    assert hold(tmp_path / "run", spec)
    (result,) = browsed(tmp_path / "run").index["results"]
    assert result["data"] == ["10 files, Mexico_data.json to UK_questions.csv"]


def test_each_norm_of_an_answer_is_an_answer_by_itself(tmp_path: Path) -> None:
    broken = {"satisfied": 0.1, "neutral": 0.1, "violated": 0.8}
    verdicts = [held_against("n1", "satisfied", SHARES), held_against("n2", "violated", broken, reason="It is broken.")]
    run = finding(tmp_path, list(verdicts))
    assert answers(run) == {"right": 1, "wrong": 1}
    remark = browsed(run).said["odd/tea", "i0"][0].remarks[1]
    assert remark == ("norm", "n2", "satisfied 10%, neutral 10%, violated 80%", "satisfied", "It is broken.")


def test_talks_are_told_turn_by_turn(tmp_path: Path) -> None:
    events = [
        {"event": "briefed", "role": "subject", "name": "Agent 2", "words": "You are a guest.", "prompt": "0"},
        {"event": "spoke", "role": "antagonist", "name": "Agent 1", "round": 1, "text": "Come in."},
        {"event": "spoke", "role": "subject", "name": "Agent 2", "round": 1, "text": "Thanks.", "raw": "(bows) Thanks.",
         "reasoning": "Shoes off?", "flags": ["leak"]},
        {"event": "ended", "why": "closing words", "by": "subject", "rounds": 1},
    ]  # fmt: skip
    verdict = Graded(about=about("i0"), sample=0, task="behaviour", points=1.0, label="1")
    assert answers(finding(tmp_path, [verdict], events=events, headline="behaviour")) == {"right": 1}
    run = finding(tmp_path / "other", [replace(verdict, points=0.0, label="0")], events=events, headline="behaviour")
    (said,) = browsed(run).said["odd/tea", "i0"]
    assert [(speaker, text) for speaker, text, _ in said.lines] == [
        ("told to the subject before the talk", "You are a guest."),
        ("the antagonist in round 1", "Come in."),
        ("the subject thought", "Shoes off?"),
        ("the subject in round 1 (leak)", "(bows) Thanks."),
        ("the talk ended in round 1", "closing words"),
    ]
