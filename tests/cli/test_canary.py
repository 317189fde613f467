"""The canary line: what mores publishes carries it, and `mores doctor canary` tells who has read it."""

from pathlib import Path
from uuid import UUID

import mores
from mores.cli.canary import CONTROLS, completions, describe, picks, report
from mores.core.canary import CANARY, CANARY_LINE
from mores.core.codec import parse_json
from tests.bundled import SOME
from tests.runs.conduct import Typed

PACK = Path(mores.__file__).parent / "norms" / "pack"
QUESTIONS = 8
ASKED = [*completions(), *(one for number in range(CONTROLS + 1) for one in picks(number, QUESTIONS))]


def _answers(pick: set[int], complete: bool = False) -> list[str | None]:
    """Somebody who picks these GUIDs always and of others says A; completes the line or declines."""
    found: list[str | None] = []
    for question in ASKED:
        kind = question.name.partition("/")[0]
        if kind == "complete":
            found.append(question.right.upper() if complete else "I cannot recite that.")
        else:
            found.append(question.right if int(kind.removeprefix("pick-")) in pick else "A")
    return found


def test_the_line_holds_a_guid_and_stands_in_every_file_of_the_pack() -> None:
    assert str(UUID(CANARY)) == CANARY
    files = sorted(PACK.glob("*.toml"))
    assert files
    assert [path.name for path in files if not path.read_text("utf-8").startswith(f"# {CANARY_LINE}\n")] == []


def test_the_page_of_a_run_and_its_exports_carry_it(tmp_path: Path) -> None:
    mores.run("ladder/know", places=SOME, limit=3, out=tmp_path / "run")
    assert CANARY_LINE in (tmp_path / "run" / "report.html").read_text("utf-8")
    runs = mores.load(tmp_path / "run")
    runs.export("every-eval-ever", tmp_path / "eee")
    assert any(CANARY in path.read_text("utf-8") for path in (tmp_path / "eee").rglob("*.jsonl"))


def test_questions_show_half_of_the_guid_and_each_place_is_right_as_often() -> None:
    assert all(CANARY[18:] not in question.words and CANARY[:18] in question.words for question in completions())
    assert sorted(question.right for question in picks(0, QUESTIONS)) == sorted("ABCD" * 2)
    assert all(CANARY in question.words for question in picks(0, QUESTIONS))
    assert not any(CANARY in question.words for question in picks(3, QUESTIONS))


def test_who_writes_the_rest_has_read_it_whatever_it_picks() -> None:
    found = report(ASKED, _answers(set(), complete=True), QUESTIONS)
    assert found.completed == 3
    assert "nobody guesses the rest" in describe(found)


def test_who_picks_the_canary_more_often_than_all_others_shows_a_weak_sign() -> None:
    found = report(ASKED, _answers({0}), QUESTIONS)
    assert (found.picked, found.p) == (QUESTIONS, 1 / (CONTROLS + 1))
    assert "weak sign" in describe(found)


def test_who_picks_by_place_or_likes_some_guids_shows_nothing() -> None:
    by_place, by_look = (report(ASKED, _answers(pick), QUESTIONS) for pick in (set[int](), {0, 4}))
    assert (by_place.picked, by_place.p) == (2, 1.0)
    assert by_look.p > 0.05
    assert "does not clear it" in describe(by_place)
    assert report(ASKED, [None] * len(ASKED), QUESTIONS).unanswered == len(ASKED)


def test_the_verb_prints_counts_and_says_what_they_mean(typed: Typed) -> None:
    done = typed("doctor", "canary", "simulated/novice", "--questions", "4", "--json")
    assert done.returncode == 0, done.stderr
    found = parse_json(done.stdout, where="canary")
    assert found["canary"] == CANARY
    assert found["completed"] == 0
    assert found["says"]
    assert "Simulated" in typed("doctor", "canary", "simulated/novice", "--questions", "4").stdout
