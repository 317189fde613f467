"""How good a verifier is beside others: figures, judges through a journal, the card, and what files it takes."""

import asyncio
import json
from collections.abc import Sequence
from math import nan
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from mores.cli.verifier import embedder_kept
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.verifier_facts import STANDS, VerifierFacts
from mores.pipelines.pipeline import build
from mores.pipelines.verifier.evaluate import EvaluationSet
from mores.pipelines.verifier.evaluate import pairs_of as drawn_of
from mores.pipelines.verifier.figures import VERIFIER, PairSetMetrics, card, figures_of
from mores.pipelines.verifier.pairs import ResponseNormPair, codes_of
from mores.pipelines.verifier.predictions import (
    by_embedding,
    by_response,
    judging_pipeline,
    majority,
    predict,
    read_judged,
)
from mores.pipelines.verifier.train import StoredVerifier, read_stored
from mores.runs.spec import ExecutionSpec

SEED = Seed("mores-0")


def pairs_of(count: int, origin: str = "matrix") -> list[ResponseNormPair]:
    """Pairs of three a question, one of each label."""
    return [
        ResponseNormPair(
            id=f"p{n}",
            cluster=f"q{n // 3}",
            response=f"keeps {n}",
            norm="norm",
            label=STANDS[n % 3],
            origin=origin,  # type: ignore[arg-type]
        )
        for n in range(count)
    ]


def found(count: int = 60) -> PairSetMetrics:
    pairs = pairs_of(count)
    gold = np.array(codes_of(pairs), dtype=float)
    poor = np.where(np.arange(count) % 4 == 0, (gold + 1) % 3, gold)
    poor[:2] = nan
    return figures_of("held out", pairs, {"poor": poor, VERIFIER: gold}, seed=SEED)


def test_who_fails_is_not_wrong_and_a_lead_is_over_what_both_graded() -> None:
    verifier, poor = found().raters
    assert (verifier.rater, verifier.graded, verifier.agreement.accuracy.value, verifier.lead) == (
        VERIFIER,
        60,
        1.0,
        None,
    )
    assert poor.graded == 58
    assert poor.agreement.accuracy.value == pytest.approx(1 - 14 / 58)
    assert poor.lead is not None
    assert poor.lead.units == 58
    assert poor.lead.difference == pytest.approx(14 / 58)
    assert poor.lead.low is not None
    assert poor.lead.low > 0


def test_clusters_are_questions_and_each_figure_says_who_labelled_and_of_how_many() -> None:
    whole = found()
    assert (whole.pairs, whole.clusters) == (60, 20)
    assert {each.metric for each in whole.estimates} >= {"accuracy", "f1_macro", "sensitivity", "specificity", "recall"}
    assert {each.group["labels"] for each in whole.estimates} == {"synthetic"}
    assert {(each.asked, each.graded) for each in whole.estimates} == {(60, 60)}
    assert {each.group["class"] for each in whole.estimates if each.metric == "f1"} == set(STANDS)


def test_labels_of_several_worths_are_never_put_together() -> None:
    mixed = [*pairs_of(6), *(replace(each, id=f"x{each.id}", origin="people") for each in pairs_of(6))]
    with pytest.raises(InputError, match="labels are people, synthetic"):
        figures_of("held out", mixed, {VERIFIER: np.zeros(12)}, seed=SEED)


class Letters:
    """Texts point where their first letter says."""

    identity = "letters"

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return [{"k": [1.0, 0.0], "n": [1.0, 0.1], "x": [0.0, 1.0]}[text[0]] for text in texts]


def test_a_reader_of_embeddings_learns_how_near_lies_what_keeps_to_a_norm() -> None:
    near = [
        ResponseNormPair(id=f"a{n}", cluster=f"a{n}", response="k", norm="n", label="satisfy", origin="file")
        for n in range(20)
    ]
    far = [replace(each, id=f"b{each.id}", response="x", label="neutral") for each in near]
    assert by_embedding([*near, *far], [far[0], near[0]], Letters()).tolist() == [1.0, 0.0]


def test_a_reader_of_the_response_alone_does_not_see_the_norm() -> None:
    kept = [
        ResponseNormPair(id=f"a{n}", cluster=f"a{n}", response="k", norm="n", label="satisfy", origin="file")
        for n in range(20)
    ]
    broken = [replace(each, id=f"b{each.id}", response="x", label="violate") for each in kept]
    other = replace(kept[0], norm="x")
    assert by_response([*kept, *broken], [kept[0], other, broken[0]], Letters()).tolist() == [0.0, 0.0, 2.0]


def test_what_a_model_of_embeddings_gave_a_verifier_is_kept_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    class Counting(Letters):
        def __call__(self, texts: Sequence[str]) -> list[list[float]]:
            asked.extend(texts)
            return super().__call__(texts)

    monkeypatch.setattr("mores.cli.verifier.embedder_named", lambda *_: Counting())
    for texts in (["k", "n"], ["n", "x"]):
        embedder = embedder_kept("vllm/m", tmp_path)
        assert embedder is not None
        assert [list(each) for each in embedder(texts)] == Letters()(texts)
    assert asked == ["k", "n", "x"]


def test_the_majority_class_is_that_of_the_training() -> None:
    train = [replace(each, label="violate") for each in pairs_of(5)]
    assert majority(train, pairs_of(3)).tolist() == [2.0, 2.0, 2.0]


def test_judges_are_asked_once_through_a_journal_and_know_what_was_planted(tmp_path: Path) -> None:
    pairs = [replace(each, place="JP", place_name="Japan", question="What to do?") for each in pairs_of(30)]
    judges = ("simulated/judge:sensitivity=1,specificity=1", "simulated/judge:sensitivity=.5,specificity=.5")
    pipeline = judging_pipeline(pairs, judges)
    addresses: dict[str, str | None] = dict.fromkeys(judges)
    for _ in range(2):
        asyncio.run(build(pipeline, tmp_path / "j", ExecutionSpec(), seed=SEED, addresses=addresses))
    said = read_judged(tmp_path / "j", pairs)
    assert said[judges[0]].codes.tolist() == codes_of(pairs)
    assert said[judges[1]].codes.tolist() != codes_of(pairs)


def test_a_judge_that_is_asked_about_a_part_says_nothing_of_the_rest(tmp_path: Path) -> None:
    whole = [replace(each, place="JP", place_name="Japan", question="What to do?") for each in pairs_of(30)]
    sets = [EvaluationSet("held out", tuple(whole), STORED), EvaluationSet("other", tuple(whole[:6]), STORED)]
    part = drawn_of(sets, 9)
    assert len({pair.id for pair in part} & {pair.id for pair in whole[:6]}) == 6
    assert 9 <= len(part) <= 15
    assert len(drawn_of(sets)) == 30
    judge = "simulated/judge:sensitivity=1,specificity=1"
    asyncio.run(build(judging_pipeline(part, [judge]), tmp_path / "j", ExecutionSpec(), seed=SEED,
                      addresses={judge: None}))  # fmt: skip
    said = read_judged(tmp_path / "j", whole)[judge]
    assert (said.asked, int(np.isfinite(said.codes).sum())) == (len(part), len(part))
    with pytest.raises(InputError, match=r"--limit 0: expected a positive number"):
        drawn_of(sets, 0)


def test_a_judge_is_named_once() -> None:
    with pytest.raises(InputError, match="named twice"):
        judging_pipeline(pairs_of(3), ("simulated/judge", "simulated/judge"))


TRAINED = VerifierFacts(kind="encoder", max_tokens=128, base="tiny", trained_on={"questions": "ab" * 32}, seed=4)
STORED = StoredVerifier(
    folder=Path("v"),
    trained=TRAINED,
    manifest={
        "spec": {
            "start": {"base": "0123", "lora": 8},
            "schedule": {"epochs": 2, "batch": 16, "rate": None},
            "leave_out": "",
        },
        "licences": {"questions": "CC-BY-4.0"},
        "pairs": {"train": 100, "held out": 60},
        "labels": {"satisfy (matrix)": 100, "neutral (unrelated)": 60},
    },
    pairs={"train": (), "held out": (), "left out": ()},
)


def test_the_card_has_each_figure_with_its_interval_and_says_that_labels_are_synthetic() -> None:
    said = card(STORED, [found()])
    verifier, poor = (line for line in said.splitlines() if line.startswith(("| verifier", "| poor")))
    assert "100.0% [" in verifier
    assert "+24.1 [" in poor
    assert "p < 0.001" in poor or "p = " in poor
    assert "58 of 60" in poor
    assert "60 pairs of 20 questions. The labels are synthetic: no person gave them." in said
    assert "questions (SHA-256 abab" in said
    assert "licence: CC-BY-4.0" in said
    assert "LoRA of rank 8" in said
    assert "Labels are synthetic unless people gave them" in said
    assert "nothing is known of models that it has not seen" in said


def test_a_folder_without_a_finished_verifier_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a folder that mores judge verifier train has finished"):
        read_stored(tmp_path)


def test_what_is_predicted_goes_to_a_new_table(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"response": "Bows.", "norm": "People bow."}) + "\n")
    with pytest.raises(InputError, match=r"ends in \.csv or \.jsonl"):
        predict("nowhere", pairs, tmp_path / "out.txt")
    (tmp_path / "out.csv").write_text("")
    with pytest.raises(InputError, match="not overwritten"):
        predict("nowhere", pairs, tmp_path / "out.csv")
