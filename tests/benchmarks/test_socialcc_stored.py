"""Talks and scores from elsewhere: played back turn by turn, judged as they stand, read on the released scales."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks.shapes.dialogues.dialogue import format_talk
from mores.benchmarks.shapes.dialogues.judging import STEPS, score_of
from mores.benchmarks.socialcc.released_talks import JUDGEMENT_STEPS
from mores.core.errors import InputError
from mores.core.transcript import read_event
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.runs.spec import Spec
from tests.benchmarks.plays import TINY
from tests.benchmarks.talks import NAME
from tests.runs.conduct import hold, left, manifest, mores, transcripts, verdicts, whole

DATA = TINY / "socialcc"
OPINION = '{"reason":"Round 2.","choice":"%s"}'
FACT = '{"id":"%s","reason":"Round 3.","choice":"%s"}'
FACTS = {"goal": "yes", "respected": "no", "respected_both": "yes"}
BOTH = '{"answers":[' + ",".join(FACT % fact for fact in FACTS.items()) + "]}"
RULED = (OPINION % "yes", OPINION % "correct", OPINION % "no", BOTH)


def talk(*turns: str) -> str:
    """A talk in the released form."""
    lines = []
    for number, words in enumerate(turns):
        lines += [f"Round {number // 2 + 1}:"] if number % 2 == 0 else []
        lines += [f"Agent {number % 2 + 1}:", words]
    return "\n".join(lines) + "\n"


TALKS = {
    3: talk("Hello.", "Hi: I know.\n\nAgent 1:\nis what they call you.", "Four bowls?", "Not four.", "GOOD BYE!"),
    4: talk("Hello.", "Hi.", "Four bowls?", "Fine, goodbye!", "Well?", "Good."),
    9: talk("Hello.", *[f"Line {n}." for n in range(105)]),
    10: talk("Hello.", "", "Well?", "", "Are you there?", "Now I am."),
    21: "ERROR: 429 Too Many Requests",
}


def folder_of(path: Path, talks: Mapping[int, str] = TALKS) -> Path:
    folder = path / "talks"
    folder.mkdir()
    for number, text in talks.items():
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


def judge_of(path: Path, words: Sequence[str] = RULED, ids: Sequence[int] = tuple(TALKS)) -> Path:
    """A recorded judge that says the same of every talk."""
    file = path / "judge.csv"
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow(["item", "reply", "role", "step"])
        writer.writerows((f"socialcc-{n}", said, "judge", STEPS * k) for n in ids for k, said in enumerate(words))
    return file


def spec(subject: Path, judge: Path, **more: Any) -> Spec:
    roles = {"antagonist": f"recorded/{subject}", "judge": f"recorded/{judge}"}
    return Spec(benchmarks=(NAME,), models=(f"recorded/{subject}",), roles=roles, data=str(DATA), **more)


def spoken(run: Path) -> dict[str, list[tuple[str, int, str]]]:
    """What was said in each talk: by whom, in which round."""
    return {
        line["item"]: [(e["role"], e["round"], e["text"]) for e in line["events"] if e["event"] == "spoke"]
        for line in transcripts(run)
    }


def endings(run: Path) -> dict[str, Any]:
    return {
        line["item"]: next((e["why"] for e in line["events"] if e["event"] == "ended"), None)
        for line in transcripts(run)
    }


def of(run: Path, number: int) -> dict[str, Verdict]:
    return {v.task: v for v in verdicts(run) if v.about.item == f"socialcc-{number}"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All talks, judged."""
    path = tmp_path_factory.mktemp("stored")
    assert hold(path / "run", spec(folder_of(path), judge_of(path)))
    return path / "run"


def test_every_turn_is_played_back_as_it_stands_and_stops_where_it_stopped(run: Path) -> None:
    for number in (3, 4, 9, 10):
        line = next(line for line in transcripts(run) if line["item"] == f"socialcc-{number}")
        words = format_talk(read_event(event) for event in line["events"])
        assert words.replace("(says nothing)", "") == TALKS[number].rstrip("\n")
    assert endings(run) == {
        "socialcc-3": "closing words", "socialcc-4": "recording", "socialcc-9": "recording",
        "socialcc-10": "recording", "socialcc-21": None, "socialcc-22": None, "socialcc-30": None, "socialcc-31": None,
    }  # fmt: skip


def test_a_talk_of_53_rounds_is_judged_whole_and_the_run_says_so(run: Path) -> None:
    assert len(spoken(run)["socialcc-9"]) == 106
    rounds = of(run, 9)["rounds"]
    assert isinstance(rounds, Graded)
    assert rounds.points == 53
    assert "Talks held elsewhere are judged as they stand; 1 of 5 have over 20 rounds." in manifest(run)["remarks"]


def test_the_judge_reads_all_of_it(run: Path) -> None:
    line = next(line for line in transcripts(run) if line["item"] == "socialcc-9")
    asked = [e["messages"][0]["content"] for e in line["events"] if e["event"] == "asked"]
    assert len(asked) == 4
    assert all("Round 53:" in words and "Line 104." in words for words in asked)


def test_verdicts_are_the_judge_s(run: Path) -> None:
    found = of(run, 3)
    points = {task: v.points for task, v in found.items() if isinstance(v, Graded)}
    assert points == {
        "awareness": 1, "commonsense": 1, "value": 0, "goal": 1, "respected": 0, "respected_both": 1, "behaviour": 2,
        "rounds": 3, "flagged": 1, "antagonist_flagged": 0,
    }  # fmt: skip


def test_an_error_message_and_a_missing_talk_are_ungraded_each_with_its_cause(run: Path) -> None:
    assert {v.cause for v in of(run, 21).values() if isinstance(v, Ungraded)} == {"recorded error"}
    assert {v.cause for v in of(run, 22).values() if isinstance(v, Ungraded)} == {"no recorded reply"}
    assert all(isinstance(v, Ungraded) for n in (21, 22, 30, 31) for v in of(run, n).values())
    assert (whole(run, "awareness")["asked"], whole(run, "awareness")["graded"]) == (8, 4)


def test_replies_by_role_and_step_give_the_same_turns_and_stops_as_a_live_talk(tmp_path: Path) -> None:
    """A talk that was held here, written down line by line, is held once more, word for word."""
    assert hold(tmp_path / "live", Spec(benchmarks=(NAME,), data=str(DATA)))
    rows = []
    for line in transcripts(tmp_path / "live"):
        steps = {"antagonist": 0, "subject": 0}
        for event in line["events"]:
            if event["event"] == "spoke":
                role, words = event["role"], event["raw"] or event["text"]
                rows.append({"item": line["item"], "role": role, "step": steps[role], "reply": words})
                steps[role] += 1
    path = tmp_path / "said.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ids = [int(line["item"].removeprefix("socialcc-")) for line in transcripts(tmp_path / "live")]
    assert hold(tmp_path / "again", spec(path, judge_of(tmp_path, ids=ids)))
    assert spoken(tmp_path / "again") == spoken(tmp_path / "live")
    assert endings(tmp_path / "again") == endings(tmp_path / "live")
    assert "Pressure of the antagonist: paper." in manifest(tmp_path / "again")["remarks"]


def test_one_side_alone_from_a_recording_is_a_talk_by_our_rules(tmp_path: Path) -> None:
    """Where the other side is another recording, closing words end it and the limit holds."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    plan = spec(folder_of(one), judge_of(tmp_path))
    plan = Spec(**{**{name: getattr(plan, name) for name in ("benchmarks", "models", "data")},
                   "roles": {**plan.roles, "antagonist": f"recorded/{folder_of(other)}"}})  # fmt: skip
    assert hold(tmp_path / "run", plan)
    assert endings(tmp_path / "run")["socialcc-4"] == "closing words"
    assert endings(tmp_path / "run")["socialcc-9"] == "limit"
    assert len(spoken(tmp_path / "run")["socialcc-9"]) == 40


def test_equal_recordings_give_equal_bytes(tmp_path: Path) -> None:
    plan = spec(folder_of(tmp_path), judge_of(tmp_path))
    assert hold(tmp_path / "one", plan)
    assert hold(tmp_path / "other", plan, concurrency=2)
    assert left(tmp_path / "one") == left(tmp_path / "other")


def test_the_command_judges_a_folder_of_talks(tmp_path: Path) -> None:
    talks, judge = folder_of(tmp_path), judge_of(tmp_path)
    done = mores("run", NAME, "--data", DATA, "--model", f"recorded/{talks}", "--role", f"antagonist=recorded/{talks}",
                 "--judge", f"recorded/{judge}", "--out", tmp_path / "run", "--json", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["benchmarks"][NAME]
    assert (found["asked"], found["graded"]) == (8, 4)


# Scores that were given elsewhere


def test_scores_are_as_far_apart_as_the_judgements_are_asked() -> None:
    assert JUDGEMENT_STEPS == STEPS


@pytest.mark.parametrize(
    ("text", "score"),
    [("1", 1), ("1.0", 1), ("No awareness, Score: 0", 0), ("[1/0], so 1.", 1), ("-1", -1), ("−1", -1), ("Score:-1", -1),
     ("0-1", 1), ("7", 2), ("-3", -1), ("1.5", 1.5), ("", None), ("none", None), ("ERROR: 429", None),
     (" ERROR: code 1", None)],
)  # fmt: skip
def test_the_last_number_counts_kept_within_the_scale(text: str, score: float | None) -> None:
    assert score_of(text) == score


def scored(path: Path, *cells: Sequence[str], talks: bool = True) -> Path:
    """A run over scores of the first talks, in the released table."""
    names = ("Awareness_Score", "Knowledge_Score", "Value_Score", "Behavior_Score")
    table = [dict(zip(names, row, strict=True)) | {"Data_ID": str(n)} for n, row in zip(TALKS, cells, strict=False)]
    file = path / "eva.json"
    file.write_text(json.dumps(table), encoding="utf-8")
    subject = folder_of(path) if talks else file
    assert hold(path / "run", spec(subject, file, settings={"scores": "released"}))
    return path / "run"


@pytest.mark.parametrize(
    ("behaviour", "points", "facts"),
    [("2", 3, (1, 1)), ("1", 2, (1, 0)), ("0", 1, (0, 1)), ("-1", 0, (0, 0))],
)
def test_a_released_score_of_conduct_is_two_facts(
    behaviour: str, points: float, facts: tuple[float, float], tmp_path: Path
) -> None:
    run = scored(tmp_path, ("1", "2", "0", behaviour))
    found = {task: v.points for task, v in of(run, 3).items() if isinstance(v, Graded)}
    assert found["behaviour"] == points
    assert (found["goal"], found["respected"]) == facts
    ours = of(run, 3)["respected_both"]
    assert isinstance(ours, Ungraded)
    assert ours.cause == "judge: no score of it"
    assert whole(run, "behaviour_released")["value"] == pytest.approx(float(behaviour))


def test_released_means_are_the_plain_means_of_the_scores_and_blanks_are_no_zeros(tmp_path: Path) -> None:
    run = scored(tmp_path, ("1", "2", "0", "2"), ("0", "1", "1", "-1"), ("0", "", "1", "1"), ("1", "0", "0", "0"))
    assert whole(run, "awareness")["value"] == pytest.approx(2 / 4)
    assert whole(run, "value")["value"] == pytest.approx(2 / 4)
    assert whole(run, "commonsense_released")["value"] == pytest.approx(3 / 3)
    assert whole(run, "commonsense_released")["graded"] == 3
    assert whole(run, "behaviour_released")["value"] == pytest.approx(2 / 4)
    assert manifest(run)["ungraded"]["judge: no score"] == 1


def test_scores_without_their_talks_count_and_the_talks_show_nothing(tmp_path: Path) -> None:
    run = scored(tmp_path, ("1", "2", "0", "2"), ("0", "1", "1", "-1"), talks=False)
    assert (whole(run, "awareness")["value"], whole(run, "awareness")["graded"]) == (0.5, 2)
    assert (whole(run, "rounds")["value"], whole(run, "rounds")["graded"]) == (None, 0)
    assert whole(run, "flagged")["graded"] == 0


@pytest.mark.parametrize(("cell", "cause"), [("2", "judge: off the scale"), ("-1", "judge: off the scale")])
def test_a_number_that_a_judgement_cannot_give_is_no_grade(cell: str, cause: str, tmp_path: Path) -> None:
    found = of(scored(tmp_path, (cell, "2", "0", "2")), 3)["awareness"]
    assert isinstance(found, Ungraded)
    assert (found.cause, found.raw) == (cause, cell)


def test_a_run_over_scores_says_so(tmp_path: Path) -> None:
    run = scored(tmp_path, ("1", "2", "0", "2"))
    assert any("Verdicts are scores given elsewhere" in remark for remark in manifest(run)["remarks"])
    assert {"setting": "scores", "published": "asked", "used": "released"} in manifest(run)["departures"]


def test_a_judge_that_is_asked_is_not_read_by_its_last_number(tmp_path: Path) -> None:
    roles = {"antagonist": "simulated/typical", "judge": "simulated/judge"}
    plan = Spec(benchmarks=(NAME,), roles=roles, data=str(DATA), settings={"scores": "released"})
    with pytest.raises(InputError, match="--set scores=released reads scores given elsewhere: --judge recorded/FILE"):
        hold(tmp_path / "run", plan)
