"""Folds by left-out model: what leans is put right by the others' labels and tested on the left-out model."""

from collections.abc import Sequence
from math import nan

import numpy as np
import pytest
from msgspec.structs import replace

from mores.annotation.judged_items import JudgedItem
from mores.annotation.label_tables import TaskTable
from mores.calibration.agreement import AgreementOptions
from mores.calibration.folds import Folds, analyse_folds, folds_of
from mores.core.errors import InputError
from mores.core.verdict import JudgeAnswer, JudgedUnit, Vote
from mores.tables import as_data
from mores.tables import formatting as words
from mores.tables.blocks import Paragraph, TableBlock
from tests.calibration.judged_tables import evaluation

LABELS = ("satisfied", "neutral", "violated")
MODELS = ("openai/a", "openai/b", "openai/c")


def judged(number: int, chances: Sequence[float] | None, said: str, model: str, judge: str) -> JudgedItem:
    """One norm of one answer, with the verifier's probabilities or its word alone."""
    shares = None if chances is None else dict(zip(LABELS, chances, strict=True))
    vote = Vote(
        item=f"i-{number}", sample=0, task="norm", judge="judge", draw=0, prompt="abc", options=LABELS,
        said={"": JudgeAnswer(label=said)}, shares=shares,
    )  # fmt: skip
    return JudgedItem(
        evaluation=evaluation(judge, model=model, run=model), thing=JudgedUnit(f"i-{number}", 0, "norm"), place="JP",
        cluster=f"c-{number}", options=LABELS, prompt="abc", votes={"judge": (vote,)},
    )  # fmt: skip


def leaning(
    each: int = 60, lean: float = 0.0, judges: Sequence[str] = ("verifier/v",) * 3, *, weighed: bool = True
) -> TaskTable:
    """Answers of three models: the verifier sees what is true, and gives `lean` too much to neutral."""
    rng, rows, truth = np.random.default_rng(5), list[JudgedItem](), list[int]()
    for model, judge in zip(MODELS, judges, strict=True):
        for number in range(each):
            gold = int(rng.integers(3))
            logs = rng.normal(0, 0.8, 3) + 2.0 * (np.arange(3) == gold) + lean * (np.arange(3) == 1)
            chances = np.exp(logs) / np.exp(logs).sum()
            said = LABELS[int(chances.argmax())]
            rows.append(judged(number, chances.tolist() if weighed else None, said, model, judge))
            truth.append(gold)
    blank = np.full(len(rows), "", dtype=np.str_)
    return TaskTable(
        benchmark="cultureforest/hard", task="norm", options=LABELS, rows=tuple(rows), people=("p",),
        labels=np.array(truth, dtype=float)[:, None], splits=blank, ids=blank,
    )  # fmt: skip


def accuracy(found: object) -> float:
    assert found is not None
    value: float = found.figures["raw agreement (accuracy)"].value  # type: ignore[attr-defined]
    return value


def folds(table: TaskTable) -> Folds:
    return folds_of(table, AgreementOptions())


def test_each_model_is_a_fold_with_intervals_and_all_together_one_more() -> None:
    found = folds(leaning())
    assert [fold.model for fold in found.folds] == list(MODELS)
    assert [fold.as_judged.n for fold in (*found.folds, found.whole)] == [60, 60, 60, 180]
    for fold in found.folds:
        for name in ("raw agreement (accuracy)", "macro F1", "Cohen's kappa"):
            figure = fold.as_judged.figures[name]
            assert figure.interval.low is not None
            assert figure.interval.low < figure.value
    # The same questions for all models: as many clusters as one model has.
    assert found.whole.as_judged.clusters == 60


def test_a_verifier_that_leans_to_one_word_is_put_right_by_the_other_models() -> None:
    found = folds(leaning(lean=3.0))
    assert found.alike
    for fold in found.folds:
        assert fold.learnt_from == 120
        assert accuracy(fold.put_right) > accuracy(fold.as_judged) + 0.15


def test_a_verifier_that_does_not_lean_is_left_about_as_it_is() -> None:
    found = folds(leaning())
    assert accuracy(found.whole.put_right) == pytest.approx(accuracy(found.whole.as_judged), abs=0.04)


def test_labels_of_the_left_out_model_have_no_part_in_putting_it_right() -> None:
    table = leaning(lean=3.0)
    own = table.models == MODELS[0]
    wrong = replace(table, labels=np.where(own[:, None], (table.labels + 1) % 3, table.labels))
    one, other = (folds(each).folds[0].put_right for each in (table, wrong))
    assert one is not None
    assert other is not None
    columns = [np.array(each.confusion).sum(axis=0).tolist() for each in (one, other)]
    assert columns[0] == columns[1]  # what the verifier says of its answers is the same


def shown(found: Folds) -> str:
    """What is said of it in words."""
    return "\n".join(
        words.text_of(each.words) for each in analyse_folds([found]).blocks or () if isinstance(each, Paragraph)
    )


def test_each_model_may_have_a_verifier_of_its_own_which_nothing_puts_right() -> None:
    found = folds(leaning(judges=("verifier/without-a", "verifier/without-b", "verifier/without-c")))
    assert not found.alike
    assert [dict(fold.judges) for fold in found.folds] == [{"judge": f"verifier/without-{name}"} for name in "abc"]
    assert all(fold.put_right is None for fold in (*found.folds, found.whole))
    assert "a verifier of its own" in shown(found)


def test_a_judge_without_probabilities_has_folds_and_is_not_put_right() -> None:
    found = folds(leaning(weighed=False))
    assert all(fold.put_right is None for fold in found.folds)
    assert "no probabilities" in shown(found)


def test_a_model_without_labels_is_named() -> None:
    table = leaning()
    found = folds(replace(table, labels=np.where((table.models == MODELS[2])[:, None], nan, table.labels)))
    assert (len(found.folds), found.left_out) == (2, (MODELS[2],))


def test_one_model_has_no_folds() -> None:
    table = leaning()
    with pytest.raises(InputError, match="1 of 1 models have labels; folds need two at least"):
        folds(table.at(table.models == MODELS[0]))


def test_the_table_has_a_row_a_model_and_one_for_all() -> None:
    found = analyse_folds([folds(leaning(lean=3.0))])
    judged, right = (block for block in found.blocks or () if isinstance(block, TableBlock))
    for table in (judged, right):
        assert [words.text_of(row.cells[0]) for row in table.rows] == [*MODELS, "all models, each left out in turn"]
    assert [words.text_of(column.title) for column in judged.columns][-3:] == ["Accuracy", "Macro F1", "Kappa"]
    assert [words.text_of(column.title) for column in right.columns][-3:] == [
        "Accuracy, put right", "Macro F1, put right", "Kappa, put right",
    ]  # fmt: skip
    rows = [row for row in as_data(found)["folds"] if row["left_out"] == MODELS[0] and row["word"] is None]
    assert {(row["measure"], row["put_right"]) for row in rows} >= {("macro F1", False), ("macro F1", True)}
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
    assert all(bool(row["learnt_from"]) == row["put_right"] for row in rows)
