"""Wrong answers with their words."""

from pathlib import Path

from mores.reports.failures import kind_of, sampled_failures
from mores.reports.findings import Findings, read_findings
from tests.reports.conftest import SPOKEN


def test_the_words_are_the_exact_ones_asked_and_answered(spoken: Path) -> None:
    sample = sampled_failures(read_findings([spoken]).cells[0], 200)
    by_item = {failure.item: failure for failure in sample.shown}
    first = by_item["easy-0"]
    assert first.kind == "format error"
    assert first.lines[-1].text == SPOKEN
    assert "What do people do at feast 0?" in first.lines[0].text
    assert by_item["easy-1"].lines[-1].text == ""
    assert "easy-2" not in by_item
    assert by_item["easy-3"].kind == "ungraded"
    assert by_item["easy-3"].reason == "no recorded reply"


def test_a_sample_is_no_larger_than_asked_and_counts_all(found: Findings) -> None:
    for cell in found.cells:
        whole = sampled_failures(cell, 10_000)
        assert len(whole.shown) == whole.total == sum(kind_of(v) is not None for v in cell.verdicts())
        for most in (1, 5, 20):
            part = sampled_failures(cell, most)
            assert len(part.shown) == min(most, whole.total)
            assert part.counts == whole.counts


def test_rare_kinds_are_not_crowded_out(found: Findings) -> None:
    cell = found.on("ladder/know")[1]
    sample = sampled_failures(cell, 40)
    assert set(sample.counts) >= {"wrong", "refusal", "ungraded"}
    for kind, count in sample.counts.items():
        shown = sum(failure.kind == kind for failure in sample.shown)
        assert shown >= min(count, 40 // len(sample.counts))


def test_the_same_dice_give_the_same_sample(found: Findings) -> None:
    cell = found.cells[1]
    assert sampled_failures(cell, 7) == sampled_failures(cell, 7)
