"""Answers that were cut, unreadable, refused or all alike are told first, and no figure of them is without its mark."""

import json
import re
from collections.abc import Sequence
from csv import DictReader
from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from mores.analysis.answers import analyse as analyse_answers
from mores.analysis.comparison import compare_runs
from mores.analysis.items import ItemTable, item_tables
from mores.analysis.odd_items import SCALES, filled_of, summary
from mores.analysis.results import Result
from mores.api.notebook import load
from mores.api.tables import results_frame
from mores.benchmarks.ladder.analysis import LADDER_ANALYSIS, result_of
from mores.benchmarks.ladder.ladders import ladders
from mores.core.codec import encode
from mores.core.estimate import Estimate, caution_of
from mores.core.transcript import ItemMetadata, Message, ReplyEvent, RequestEvent, Transcript
from mores.core.verdict import EMPTY, Fault, Graded, Verdict, decode_verdicts
from mores.core.verdict_table import VerdictTable
from mores.exports.figures import index, to_csv
from mores.exports.figures.found import figures_of
from mores.exports.latex import latex_table
from mores.reports.charts import drawn
from mores.reports.json_output import as_json
from mores.reports.page.write import render
from mores.reports.terminal import print_full, print_report
from mores.reports.terminal_compare import print_comparison
from mores.runs.loading import read_results
from mores.tables import row_by_key, section_of
from mores.tables.blocks import Axis, Chart, ChartPoint, Series
from mores.tables.formatting import text_of
from tests.reports.browsed import browsed
from tests.reports.ladder_norms import evaluation, judged, known
from tests.reports.made import Made, about, run_of
from tests.reports.shown import printed

QUIZ = "odd/quiz"


def answers(
    *, read: int = 0, unread: int = 0, cut: int = 0, refused: int = 0, empty: int = 0, said: str = "", gold: str = "ab"
) -> list[Verdict]:
    """Answers by both readings; those that are `cut` can be read leniently. Golds take turns."""
    found: list[Verdict] = []
    kinds = ["read"] * read + ["unread"] * unread + ["cut"] * cut + ["refused"] * refused + ["empty"] * empty
    for n, kind in enumerate(kinds):
        right = gold[n % len(gold)]
        for task in ("strict", "lenient"):
            label = (said or right) if kind == "read" or (kind == "cut" and task == "lenient") else None
            fault: Fault | None = None if label else "refusal" if kind == "refused" else "format_error"
            found.append(
                Graded(
                    about=about(f"i{n}", place="JP" if n % 2 else "KE"), sample=0, task=task, label=label, gold=right,
                    points=float(label == right), fault=fault, reason=EMPTY if kind == "empty" else "",
                    cut=True if kind == "cut" else UNSET,
                )
            )  # fmt: skip
    return found


def run(folder: Path, verdicts: Sequence[Verdict], *, model: str = "vllm/m", limit: int | None = 4) -> Path:
    right = [v.points for v in verdicts if isinstance(v, Graded) and v.task == "strict"]
    protocol = {"sampling": {"temperature": 0.0, "max_tokens": limit}, "settings": {}}
    return run_of(
        folder,
        Made(model=model, benchmark=QUIZ, verdicts=verdicts, figures={"accuracy": sum(right) / len(right)},
             also={"protocol": protocol}),
    )  # fmt: skip


def result(path: Path) -> Result:
    (found,) = read_results([path]).evaluations
    return found


def test_each_kind_is_counted_by_answers(tmp_path: Path) -> None:
    counts = result(run(tmp_path / "r", answers(read=5, unread=3, cut=4, refused=2, empty=1))).quality.whole
    assert (counts.answers, counts.unreadable, counts.cut, counts.refused, counts.empty) == (15, 8, 4, 2, 1)
    assert (counts.broken, counts.cut_unread, counts.read_leniently) == (10, 4, 4)


def test_the_first_finding_says_what_happened_and_the_way_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    print_report(read_results([run(tmp_path / "r", answers(read=25, cut=223))]))
    first = " ".join(capsys.readouterr().out.partition("•")[2].split("•")[0].split())
    assert "223 of 248 answers could not be read, all of them cut at 4 tokens" in first
    assert "Try --answer-tokens 24 --reading lenient (223 of them could then be read)." in first


@pytest.mark.parametrize(("limit", "tried"), [(None, None), (4, 24), (24, 48), (400, 800)])
def test_no_smaller_limit_is_ever_advised_nor_one_that_the_run_had(
    tmp_path: Path, limit: int | None, tried: int | None
) -> None:
    assert result(run(tmp_path / "r", answers(read=2, cut=20), limit=limit)).quality.more_tokens == tried


def test_played_back_answers_are_not_advised_another_limit(tmp_path: Path) -> None:
    quality = result(run(tmp_path / "r", answers(read=2, cut=20), model="recorded/a.csv")).quality
    assert (quality.more_tokens, quality.leniently) == (None, True)


@pytest.mark.parametrize(
    ("unread", "said", "marked"),
    [
        (0, False, False),
        (4, False, False),
        (5, True, False),
        (49, True, False),
        (50, True, True),
        (100, True, True),
    ],
)
def test_from_a_twentieth_it_is_said_and_from_half_the_figure_is_marked(
    tmp_path: Path, unread: int, said: bool, marked: bool
) -> None:
    found = result(run(tmp_path / "r", answers(read=100 - unread, unread=unread)))
    assert found.quality.is_reported is said
    assert (found.quality.caution({}) is not None) is marked


def test_few_broken_answers_are_in_the_full_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = read_results([run(tmp_path / "r", answers(read=99, unread=1))])
    print_report(results)
    assert "could not be" not in capsys.readouterr().out
    print_full(results)
    assert "Answers that could not be used" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("gold", "count", "alike"),
    [("ab", 30, True), ("ab", 9, False), ("aaab", 40, True), ("aaaaaaaaaaaaaaaaaaab", 40, False)],
)
def test_one_label_throughout_is_said_unless_it_is_right_throughout(
    tmp_path: Path, gold: str, count: int, alike: bool
) -> None:
    found = result(run(tmp_path / "r", answers(read=count, said="a", gold=gold)))
    assert (found.quality.constant is not None) is alike
    if found.quality.constant is not None:
        assert (found.quality.constant.name, found.quality.constant.given) == ("A", count)


def test_answers_that_take_turns_are_not_alike(tmp_path: Path) -> None:
    assert result(run(tmp_path / "r", answers(read=40))).quality.constant is None


def test_a_group_bears_its_own_mark_and_not_that_of_others(tmp_path: Path) -> None:
    verdicts = [each for n in range(20) for each in _one(n, broken=n % 2 == 1 and n > 2)]
    whole = Estimate(metric="accuracy", value=0.5, asked=20, graded=20)
    places = [replace(whole, metric=f"accuracy{n}", group={"place": place}) for n, place in enumerate(("JP", "KE"))]
    figures = {"accuracy": whole, **{each.metric: each for each in places}}
    found = result(run_of(tmp_path / "r", Made(model="vllm/m", benchmark=QUIZ, verdicts=verdicts, figures=figures)))
    marks = [caution_of(each) for each in found.figures]
    assert [mark and (mark.code, mark.n, mark.of) for mark in marks] == [None, ("answers_unreadable", 9, 9), None]


def _scale(table: ItemTable) -> dict[str, object]:
    (row,) = filled_of([table], {table.benchmark: ()})[1].rows
    return row_by_key(SCALES, row)


def _one(number: int, *, broken: bool) -> list[Verdict]:
    item = about(f"i{number}", place="JP" if broken else "KE")
    label = None if broken else "a"
    fault: Fault | None = "format_error" if broken else None
    return [Graded(about=item, sample=0, task="strict", points=float(not broken), label=label, gold="a", fault=fault)]


def test_no_medium_has_the_figure_without_its_mark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = read_results([run(tmp_path / "r", answers(read=10, cut=90))])
    told = "90 of 100 answers could not be read"
    print_report(results)
    assert "90% unreadable" in capsys.readouterr().out
    page = render(results)
    assert page.index(told) < page.index('id="leaderboard"')
    assert "90% unreadable" in page[page.index('id="leaderboard"') :]
    evaluation = json.loads(as_json(results, tmp_path)[0])["benchmarks"][QUIZ]
    assert told in evaluation["caution"]
    assert evaluation["answers"]["cut"] == 90
    assert evaluation["estimates"][0]["caution"] == told
    rows = list(DictReader(results_frame("estimates", results.evaluations).to_csv().splitlines()))
    assert (rows[0]["cut"], rows[0]["unreadable"], rows[0]["answers"], rows[0]["caution"]) == ("90", "90", "100", told)
    table = latex_table(results).files["table.tex"].decode()
    assert r"$^{\ddagger}$" in table
    assert told in table


def test_each_figure_of_the_ladder_bears_the_mark_of_its_rung(tmp_path: Path) -> None:
    sound = [each for n in range(12) for each in judged(f"n{n}", 1.0)]
    unread = [replace(each, points=0.0, label=None, fault="format_error")
              for n in range(12) for each in known(f"n{n}", (0.0,) * 4) if isinstance(each, Graded)]  # fmt: skip
    path = run_of(tmp_path / "r", evaluation("know", unread, 0.0), evaluation("judge", sound, 1.0))
    (found,) = ladders(read_results([path]))
    for row in found.rows:
        assert [mark and mark.code for mark in map(caution_of, row.scores)] == ["answers_unreadable", None], row.group
    told = " ".join(" ".join(printed(section_of(LADDER_ANALYSIS, result_of([found])))).split())
    assert re.search(r"know [^,]*, [^,]*\(100% unreadable\)", told)


def test_what_is_said_of_items_begins_with_the_models_whose_answers_could_not_be_used(tmp_path: Path) -> None:
    broken, sound = run(tmp_path / "a", answers(read=2, cut=20)), run(tmp_path / "b", answers(read=22), model="vllm/n")
    (table,) = item_tables(read_results([broken, sound]))
    told = "vllm/m: 20 of 22 answers could not be read"
    assert summary(table).startswith(f"{told}. 22 ")
    assert _scale(table)["cautions"] == [told]
    (of_sound,) = item_tables(read_results([sound]))
    assert summary(of_sound).startswith("22 ")
    assert _scale(of_sound)["cautions"] is None


@pytest.mark.parametrize(
    ("cut", "why"),
    [
        (90, "That is why accuracy is 0.0%, below guessing, 33.3%."),
        (10, "Accuracy is 0.0%, significantly below guessing, 33.3%."),
    ],
)
def test_answers_that_could_not_be_used_are_the_reason_only_where_they_may_be(
    tmp_path: Path, cut: int, why: str
) -> None:
    wrong = [
        replace(each, label="b" if each.gold == "a" else "a", points=0.0)
        if isinstance(each, Graded) and each.fault is None
        else each
        for each in answers(read=100 - cut, cut=cut, gold="ab")
    ]
    figure = Estimate(metric="accuracy", value=0.0, low=0.0, high=0.05, asked=100, graded=100)
    made = Made(model="vllm/m", benchmark="ladder/judge", verdicts=wrong, figures={"accuracy": figure})
    told = analyse_answers(read_results([run_of(tmp_path / "r", made)]))
    assert told is not None
    (finding,) = told.findings
    assert text_of(finding.sure).endswith(why)


def test_exported_figures_and_notebooks_say_it_too(tmp_path: Path) -> None:
    broken, sound = run(tmp_path / "a", answers(read=10, cut=90)), run(tmp_path / "b", answers(read=40))
    told = "90 of 100 answers could not be read"
    board = figures_of(read_results([broken]))[0]
    assert board.caution == f"Caution, 1 of 1 figure: {told}."
    assert [row["caution"] for row in DictReader(to_csv(board).splitlines())] == [told]
    assert board.caution in index([board], simulated="")
    assert f"vllm/m on {QUIZ}: {told}." in repr(load(broken))
    assert figures_of(read_results([sound]))[0].caution == ""
    assert "answers" not in repr(load(sound))


def test_a_comparison_too_wide_for_its_marks_has_a_sign_in_their_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [run(tmp_path / name, answers(read=10, cut=90)) for name in "ab"]
    compared = compare_runs(*(read_results([path]) for path in paths))
    for width, mark in ((100, "90% unreadable"), (60, "!")):
        monkeypatch.setenv("COLUMNS", str(width))
        print_comparison(compared)
        row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith(QUIZ))
        assert row.count(mark) == 3
        assert len(row) <= width


def test_sound_answers_leave_no_trace(tmp_path: Path) -> None:
    results = read_results([run(tmp_path / "r", answers(read=40))])
    evaluation = json.loads(as_json(results, tmp_path)[0])["benchmarks"][QUIZ]
    assert evaluation["caution"] is None
    assert "caution" not in evaluation["estimates"][0]
    assert "ddagger" not in latex_table(results).files["table.tex"].decode()
    assert "answers could not be used" not in render(results)


def test_a_file_says_cut_of_cut_answers_alone_and_is_read_back() -> None:
    item = ItemMetadata(item="i", unit="i", cluster="i")
    plain = Graded(about=item, sample=0, task="strict", points=1.0, label="a", gold="a")
    cut = Graded(about=item, sample=0, task="strict", points=1.0, label="a", gold="a", cut=True)
    assert b"cut" not in encode(plain)
    lines = [encode(each) for each in (plain, cut)]
    assert list(decode_verdicts(lines, where="x")) == [plain, cut]
    for table in (VerdictTable((plain, cut)), VerdictTable.read(lines, where="x")):
        assert table.frame("strict").cut.tolist() == [0, 1]
        assert [table.verdict("strict", row) for row in (0, 1)] == [plain, cut]


def test_what_the_item_page_tells_has_the_finish(tmp_path: Path) -> None:
    asked = RequestEvent(role="subject", messages=(Message(role="user", content="Why?"),), prompt="0")
    play = Transcript(
        item="i0", sample=0, events=(asked, ReplyEvent(role="subject", text="False, as", finish="length"))
    )
    path = run(tmp_path / "r", answers(cut=1))
    (path / "cell-0" / "transcripts.jsonl").write_bytes(encode(play) + b"\n")
    held = browsed(path)
    assert held.index["cut"] == [0]
    ((told,),) = held.said.values()
    assert [who for who, _, _ in told.lines] == [
        "put to the subject",
        "the subject answered (finish: length, cut at a limit)",
    ]
    assert {(task, found) for task, _, found, _, _ in told.remarks} == {("strict", "not read"), ("lenient", "a")}


def test_the_ladder_is_drawn_as_low_as_its_figures_go() -> None:
    figure = Estimate(metric="kept", value=-0.9, low=-0.95, high=-0.81, asked=40, graded=40)
    axes = (Axis(labels=("know",)), Axis(title="norms kept", low=-1.0, mark=0.0))
    svg = drawn(Chart(kind="climbs", series=(Series(name="m", points=(ChartPoint(y=figure),)),), axes=axes))
    ends = re.search(r'class="whisker" d="M[0-9.]+ ([0-9.]+)V([0-9.]+)"', svg)
    assert ends is not None
    assert float(ends[1]) > float(ends[2])
    assert all(f">{value}%<" in svg for value in ("100", "0", "−50", "−100"))
