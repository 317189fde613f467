"""Signs of contamination: a gap between items and paraphrases, and between items by their dates."""

from pathlib import Path

import pytest

import mores
from mores.analysis.contamination import CONTAMINATION_ANALYSIS, analyse, contamination
from mores.core.errors import InputError
from mores.runs.loading import read_results, with_dates
from mores.tables import section_of
from tests.reports.shown import printed

CARD = """title = "Dated"
measures = "Whether a custom is known."
not_measured = "How a model behaves."
source = "own"
licence = "CC-BY-4.0"
labels = ["yes", "no"]
"""
PROMPT = "In [[place]]: [[act]]\n\nReply with one word (yes or no) and nothing else.\n"
MODELS = ("one", "other", "third")
RELEASED = {"one": "2024-06", "other": "2022-01", "third": "2026-01"}
ITEMS = 48


def _right(model: str, item: int, paraphrase: bool, early: bool) -> bool:
    """The first model knows early originals by heart; everybody is right on two of three items."""
    return (item // 2) % 3 > 0 or (model == "one" and early and not paraphrase)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dated")
    rows, replies = ["id,place,gold,act,paraphrase_of,date"], {model: ["item,reply"] for model in MODELS}
    for item in range(ITEMS):
        place, gold, early = ("Japan", "Germany")[item % 2], ("yes", "no")[item // 2 % 2], item % 4 < 2
        date = "2023-05" if early else "2025-09"
        for name, original in ((f"q{item}", ""), (f"q{item}-a", f"q{item}"), (f"q{item}-b", f"q{item}")):
            rows.append(f"{name},{place},{gold},does {name},{original},{date}")
            for model in MODELS:
                right = _right(model, item, bool(original), early)
                replies[model].append(f"{name},{gold if right else {'yes': 'no', 'no': 'yes'}[gold]}")
    for name, text in (("card.toml", CARD), ("prompt.md", PROMPT), ("items.csv", "\n".join(rows) + "\n")):
        (folder / name).write_text(text, encoding="utf-8")
    for model, lines in replies.items():
        (folder / f"{model}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    specs = {model: f"recorded/{folder / model}.csv" for model in MODELS}
    facts = [f"{specs[model]}:released={date}" for model, date in RELEASED.items()]
    mores.run(str(folder), model=[*specs.values()], fact=facts, out=folder / "run")
    return folder / "run"


def test_originals_known_by_heart_show_beyond_the_other_models(run: Path) -> None:
    found = contamination(read_results([run]))
    assert found is not None
    gaps = {Path(gap.result.model).stem: gap for gap in found.gaps}
    assert {gap.kind for gap in found.gaps} == {"item"}
    planted = gaps["one"]
    assert planted.gap.units == ITEMS
    assert planted.gap.difference == pytest.approx(8 / ITEMS)
    assert planted.beyond is not None
    assert planted.beyond.found
    assert gaps["other"].gap.difference == 0


def test_items_from_before_a_model_are_held_against_later_ones(run: Path) -> None:
    found = contamination(read_results([run]))
    assert found is not None
    splits = {Path(split.result.model).stem: split for split in found.splits}
    one = splits["one"]
    assert (one.plain.earlier, one.plain.later, one.references) == (ITEMS * 3 / 2, ITEMS * 3 / 2, 2)
    assert one.beyond is not None
    assert one.beyond.difference == pytest.approx(8 / (ITEMS * 3 / 2))
    other = splits["other"]
    assert other.plain.missing is not None
    assert other.plain.missing.code == "dates_on_one_side"
    assert other.beyond is None


def test_people_read_what_a_gap_can_mean(run: Path) -> None:
    found = analyse(read_results([run]))
    assert found is not None
    screen = " ".join(printed(section_of(CONTAMINATION_ANALYSIS, found)))
    assert "Beyond others, points" in screen
    assert "on one side of its release" in screen
    assert any("does better on the original words" in str(finding.words) for finding in found.findings)


def test_dates_of_a_table_go_before_those_of_items(run: Path, tmp_path: Path) -> None:
    table = tmp_path / "dates.csv"
    table.write_text("item,date\n" + "".join(f"q{item},2025-01\n" for item in range(ITEMS)), encoding="utf-8")
    found = contamination(with_dates(read_results([run]), table))
    assert found is not None
    one = next(split for split in found.splits if Path(split.result.model).stem == "one")
    assert one.plain.earlier == ITEMS
    rows = mores.load(run, dates=table).tables["contamination_dates"]
    assert ITEMS in set(rows["earlier"])


def test_a_table_without_known_items_or_with_odd_dates_is_refused(run: Path, tmp_path: Path) -> None:
    table, results = tmp_path / "dates.csv", read_results([run])
    for text, reason in (
        ("item,date\nq1,May 2024\n", "date is 'May 2024'; expected 2024, 2024-05 or 2024-05-31"),
        ("item,date\nq1,2024\nq1,2025\n", "item 'q1' has the dates 2024 and 2025"),
        ("item,date\nz,2024\n", "none of its 1 items is in these runs"),
    ):
        table.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=reason):
            with_dates(results, table)


def test_a_plain_run_says_nothing_of_it(tmp_path: Path) -> None:
    mores.run("ladder/know", out=tmp_path / "run", limit=10)
    assert contamination(read_results([tmp_path / "run"])) is None
