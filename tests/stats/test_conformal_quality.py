"""Rule for the quality of a draw."""

import pytest

from mores.core.errors import InputError
from mores.stats.conformal.draws import constant_quality, prefix_consistency, verbalised


def test_the_share_so_far_uses_the_past_alone() -> None:
    # (c + 1) / (k + 2) with c = 1 1 2 3 2 for k = 1 … 5
    assert prefix_consistency([[0, 1, 0, 0, 1]])[0].tolist() == pytest.approx([2 / 3, 2 / 4, 3 / 5, 4 / 6, 3 / 7])
    assert prefix_consistency([[0, 1, 0, 1, 1]])[0, :3].tolist() == pytest.approx([2 / 3, 2 / 4, 3 / 5])


def test_a_draw_that_did_not_parse_agrees_with_none() -> None:
    assert prefix_consistency([[-1, -1, 0]])[0].tolist() == pytest.approx([1 / 3, 1 / 4, 2 / 5])


def test_stated_confidence_is_taken_at_its_word_and_missing_is_none() -> None:
    assert verbalised([[0.9, None], [0.0, 1.0]]).tolist() == [[0.9, 0.0], [0.0, 1.0]]
    with pytest.raises(InputError, match="divide percentages"):
        verbalised([[90.0, 80.0]])


def test_constant_quality_is_one() -> None:
    assert constant_quality(2, 3).tolist() == [[1, 1, 1], [1, 1, 1]]
