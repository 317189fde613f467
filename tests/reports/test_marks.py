"""What is made of answers that could not be used, or are all alike, bears their mark wherever it is read."""

import json
import re
from collections.abc import Iterator, Sequence
from csv import DictReader
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mores.analysis.answer_quality import UNMARKED
from mores.analysis.comparison import compare_runs
from mores.analysis.contrast import Contrast
from mores.analysis.controls import GAINS
from mores.analysis.gate import gate_of
from mores.analysis.model_summary import across, models_of
from mores.analysis.models_compared import MODELS_ANALYSIS
from mores.analysis.rankings import rankings
from mores.analysis.results import Results
from mores.api.frames import Frame
from mores.api.notebook import Runs
from mores.api.notebook import run as run_now
from mores.api.tables import results_frame
from mores.benchmarks.ladder.ladders import ladders
from mores.benchmarks.ladder.tables import DROPS
from mores.core.estimate import Caution, Estimate, caution_of, gravest
from mores.core.verdict import Verdict
from mores.exports.figures import to_csv
from mores.exports.figures.found import figures_of
from mores.exports.latex import latex_table
from mores.reports.json_output import as_json
from mores.reports.page.write import render
from mores.reports.sections_list import all_sections, tables_of
from mores.reports.terminal import print_full, print_report
from mores.reports.terminal_compare import print_comparison
from mores.reports.two_runs import comparison_as_json, comparison_tables, gate_lines
from mores.runs.loading import read_results
from mores.tables import rows_by_key
from mores.tables.blocks import Block, CellValue, Chart, DifferenceCell, DifferenceValue, Stack, TableBlock
from mores.tables.formatting import format_difference, text_of
from mores.tables.missing_texts import to_plain
from tests.endpoint import running
from tests.reports.made import Made, run_of
from tests.reports.shown import analysed, printed
from tests.reports.test_answers import QUIZ, answers, run

TOLD = "90 of 100 answers could not be read"
SAID = "No. I do not know the customs of that place, so I would ask somebody who lives there."
WHOLE = {"accuracy": 0.5}
RUNGS = ("know", "judge", "explain", "apply", "converse")


def of_models(folder: Path, **models: Sequence[Verdict]) -> Results:
    made = [
        Made(model=f"vllm/{name}", benchmark=QUIZ, verdicts=verdicts, figures=WHOLE)
        for name, verdicts in models.items()
    ]
    return read_results([run_of(folder, *made)])


def one(results: Results) -> str:
    return " ".join(" ".join(printed(section)) for section in [analysed(MODELS_ANALYSIS, results)] if section)


def test_the_graver_of_two_sides_is_told_and_of_many_what_is_true_of_half() -> None:
    few, most = Caution(code="answers_cut", n=6, of=10), Caution(code="answers_refused", n=99, of=100)
    assert gravest([few, most]) == gravest([most, few]) == most
    assert gravest([None, few]) == few
    assert gravest([None, None, few]) is None
    assert gravest([None, most, few]) == most
    assert gravest([]) is None


def test_a_difference_bears_the_mark_of_either_side(tmp_path: Path) -> None:
    sound, broken = run(tmp_path / "a", answers(read=100)), run(tmp_path / "b", answers(read=10, cut=90))
    for sides in ((sound, broken), (broken, sound)):
        comparison = compare_runs(*(read_results([side]) for side in sides))
        (compared,) = comparison.compared
        assert compared.whole.caution == Caution(code="answers_unreadable", n=90, of=100)
        assert format_difference(compared.whole).endswith("(90% unreadable)")
        assert text_of(compared.whole).endswith("(90% unreadable)")
        assert all("90% unreadable" in line for line in gate_lines(gate_of(comparison)) if "B − A" in line)
        told = json.loads(comparison_as_json(comparison))["analyses"]["headlines"]["headlines"]
        rows = DictReader(Frame.of_table(comparison_tables(comparison)["headlines"]).to_csv().splitlines())
        assert [row["caution"] for row in (*told, *rows)] == [TOLD, TOLD]


def test_a_group_of_a_difference_bears_its_own_mark(tmp_path: Path) -> None:
    sound = answers(read=100)
    half = [each for each in answers(unread=100) if each.about.place == "JP"]
    mixed = [*half, *(each for each in sound if each.about.place == "KE")]
    places = {f"accuracy {place}": Estimate(metric="accuracy", group={"place": place}, value=0.5, asked=50, graded=50)
              for place in ("JP", "KE")}  # fmt: skip
    sides = (
        run_of(tmp_path / name, Made(model="vllm/m", benchmark=QUIZ, verdicts=verdicts, figures={**WHOLE, **places}))
        for name, verdicts in {"a": sound, "b": mixed}.items()
    )
    (compared,) = compare_runs(*(read_results([side]) for side in sides)).compared
    marks = {each.group.value: each.caution and (each.caution.n, each.caution.of) for each in compared.places}
    assert marks == {"JP": (50, 50), "KE": None}


def test_sound_sides_leave_no_trace_in_a_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = compare_runs(*(read_results([run(tmp_path / name, answers(read=100))]) for name in "ab"))
    print_comparison(comparison)
    assert "%" not in capsys.readouterr().out.partition(QUIZ)[2].partition("•")[0]
    tables = [filled for filled in comparison_tables(comparison).values() if filled.table.id != "left_out"]
    assert all(not row["caution"] for each in tables[:2] for row in rows_by_key(each.table, each.rows))


def test_a_ranking_marks_the_model_and_its_difference_from_the_first(tmp_path: Path) -> None:
    results = of_models(tmp_path / "r", good=answers(read=100), fair=answers(read=99, unread=1),
                        bad=answers(read=10, cut=90))  # fmt: skip
    found = rankings(results)
    assert found is not None
    marks = {each.label: (caution_of(each), caution_of(each.against)) for each in found.ranked[0].standings}
    broken = Caution(code="answers_unreadable", n=90, of=100)
    assert marks == {"vllm/good": (None, None), "vllm/fair": (None, None), "vllm/bad": (broken, broken)}
    assert one(results).count("90% unreadable") == 2
    section = analysed(MODELS_ANALYSIS, results)
    assert section is not None
    assert json.dumps(to_plain(section.data)).count(TOLD) == 2


def test_who_is_ahead_of_answers_that_could_not_be_read_is_said_with_it(tmp_path: Path) -> None:
    section = analysed(MODELS_ANALYSIS, of_models(tmp_path / "r", good=answers(read=100), bad=answers(read=10, cut=90)))
    assert section is not None
    (finding,) = section.findings
    assert "(90% unreadable)" in text_of(finding.sure)


@pytest.mark.parametrize(("broken", "marked"), [(1, False), (2, True), (3, True)])
def test_a_mean_over_models_bears_the_mark_of_half_of_them(tmp_path: Path, broken: int, marked: bool) -> None:
    sets = {f"m{n}": answers(unread=100) if n < broken else answers(read=100) for n in range(4)}
    results = of_models(tmp_path / "r", **sets)
    (models,) = models_of(results)
    assert all((caution_of(mean) is not None) is marked for mean in across(models).means)
    assert any(row["caution"] for row in Runs(results).tables["across"]) is marked


def test_the_gap_between_places_bears_the_mark_of_its_answers(tmp_path: Path) -> None:
    results = of_models(tmp_path / "r", bad=answers(read=10, cut=90))
    page = render(results)
    line = page[page.index("Points between the best and the worst place") :].partition("</p>")[0]
    assert "90% unreadable" in line


def figures_in(cell: Any) -> Iterator[Estimate | DifferenceValue]:
    """The figures and differences of a cell, those of its pictures too."""
    match cell:
        case tuple():
            yield from (found for part in cell for found in figures_in(part))
        case Stack():
            yield from figures_in(cell.lines)
        case CellValue():
            yield from figures_in(cell.value)
        case Chart():
            points = (point for series in cell.series for point in series.points)
            yield from figures_in(tuple(end for point in points for end in (point.x, point.y)))
        case Estimate() | Contrast() | DifferenceCell():
            yield cell


def cells(blocks: Sequence[Block]) -> Iterator[Any]:
    """All cells of tables, and pictures."""
    for block in blocks:
        if isinstance(block, Chart):
            yield block
        elif isinstance(block, TableBlock):
            yield from (cell for row in block.rows for cell in row.cells)
        yield from cells(getattr(block, "blocks", ()))


@pytest.fixture(scope="module")
def parrots(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two models that say one sentence to everything, on five rungs of the ladder, with their places and without."""
    out = tmp_path_factory.mktemp("parrots") / "run"
    with running() as subject, running() as other:
        subject.answers({"": SAID})
        run_now(
            [f"ladder/{rung}" for rung in RUNGS], model=["vllm/parrot", "vllm/cockatoo"], judge="vllm/judge", out=out,
            role="antagonist=vllm/other", places="JP,DE,GR,KE", control="masked",
            base_url=[subject.url, f"judge={other.url}", f"antagonist={other.url}"],
        )  # fmt: skip
    return read_results([out])


def test_no_figure_of_a_page_is_without_its_mark(parrots: Results) -> None:
    unmarked, marked = set[str](), 0
    for section in all_sections(parrots, page=True):
        for each in figures_in(tuple(cells(section.blocks))):
            value = each.value if isinstance(each, Estimate) else each.difference
            if value is None or getattr(each, "metric", "") in UNMARKED:
                continue
            marked += caution_of(each) is not None
            if caution_of(each) is None:
                unmarked.add(f"{section.id}: {each}")
    assert not unmarked
    assert marked > 1_000


def test_no_picture_is_without_it(parrots: Results) -> None:
    assert all(figure.caution for figure in figures_of(parrots))
    page = render(parrots)
    assert re.search(r"<figcaption>Norms kept by rung[^<]*<strong>Caution, 10 of 10 figures: most answers", page)


def test_no_gain_of_a_place_is_without_it(parrots: Results) -> None:
    rows = rows_by_key(GAINS, tables_of(parrots)["controls"].rows)
    assert rows
    assert all(row["caution"] for row in rows if row["gain"] is not None)


def test_a_model_of_one_sentence_is_marked_on_every_rung_and_drop_and_in_every_medium(
    parrots: Results, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = replace(parrots, evaluations=parrots.of("vllm/parrot"))
    repeated = {each.benchmark: each.quality.repeated for each in results.evaluations}
    for rung in ("explain", "apply", "converse"):
        text = repeated[f"ladder/{rung}"]
        assert text is not None, rung
        assert (text.given, text.begins) == (text.read, "No. I do not know the customs of…")
    assert repeated["ladder/know"] is None

    (ladder,) = ladders(results)
    for row in ladder.rows:
        assert all(map(caution_of, (*(score for score in row.scores if score), *row.drops))), row.group
    print_full(results)
    full = " ".join(capsys.readouterr().out.split())
    print_report(results)
    screen = " ".join(capsys.readouterr().out.split())
    of_apply = repeated["ladder/apply"]
    assert of_apply is not None
    count = of_apply.given
    told = f"the same words in {count} of {count} answers: “No. I do not know the customs of…”"
    for shown in (screen, full):
        assert f"ladder/apply: {told}." in shown
        assert "100% the same words" in shown
    page = render(results)
    drops = page[page.index("Drops of vllm/parrot over all norms") :].partition("</table>")[0]
    assert len(re.findall(r">100% [^<]*</span>", drops)) == len(RUNGS) - 1
    drops_made = rows_by_key(DROPS, tables_of(results)["ladder_drops"].rows)
    assert drops_made
    assert all(drop["caution"] for drop in drops_made if drop["drop"] is not None)

    apply = json.loads(as_json(results, tmp_path)[0])["benchmarks"]["ladder/apply"]
    account = apply["answers"]
    assert account["one_text"] == "No. I do not know the customs of…"
    assert (account["one_text_given"], account["one_text_given_of"]) == (count, count)
    assert apply["caution"] == told
    assert all(each["caution"] == told for each in apply["estimates"] if each["metric"] == "accuracy")
    rows = list(DictReader(results_frame("estimates", results.evaluations).to_csv().splitlines()))
    headlines = [row for row in rows if row["metric"] == "accuracy"]
    assert headlines
    assert all(row["caution"] for row in headlines)
    assert told in {row["caution"] for row in headlines}
    drops = latex_table(results).files["analyses.tex"].decode().partition("Drops of vllm/parrot over all norms")[2]
    assert drops.partition(r"\end{longtable}")[0].count(r"(100\%") == len(RUNGS) - 1
    table = latex_table(results).files["table.tex"].decode()
    assert table.count(r"\%$^{\ddagger}$") == len(RUNGS)
    assert r"100\% the same words" in table
    board = figures_of(results)[0]
    assert all(row["caution"] for row in DictReader(to_csv(board).splitlines()))
