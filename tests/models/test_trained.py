"""The facts beside a trained verifier's weights."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.core.estimate import Estimate, Missing
from mores.models.verifier_facts import TRAINED, VerifierFacts, read_trained, write_trained

SURE = Estimate(metric="accuracy", group={"labels": "synthetic"}, value=0.9, low=0.8, high=0.95, asked=40, graded=40)
FEW = Estimate(
    metric="f1_macro", value=None, asked=2, graded=2, missing=Missing(code="too_few_clusters", n=2, needed=8)
)
FACTS = VerifierFacts(
    kind="encoder", max_tokens=256, temperature=1.5, base="tiny", trained_on={"questions": "ab12"}, seed=3,
    figures={"held out": (SURE, FEW)},
)  # fmt: skip


def test_facts_come_back_as_they_were_written(tmp_path: Path) -> None:
    write_trained(tmp_path, FACTS)
    assert read_trained(tmp_path) == FACTS


def test_a_folder_of_others_has_no_facts(tmp_path: Path) -> None:
    assert read_trained(tmp_path) is None


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        (replace(FACTS, format=2), "format 2 with the labels satisfy, neutral, violate; expected format 1"),
        (replace(FACTS, labels=("violate", "neutral", "satisfy")), "expected format 1 with satisfy, neutral, violate"),
        (replace(FACTS, temperature=0.0), "temperature 0.0; expected a number above 0"),
        (replace(FACTS, kind="forest"), "kind: Input should be 'encoder' or 'causal'"),
    ],
)
def test_facts_that_cannot_be_used_are_refused_in_one_line(facts: VerifierFacts, says: str, tmp_path: Path) -> None:
    write_trained(tmp_path, facts)
    with pytest.raises(InputError) as refused:
        read_trained(tmp_path)
    assert says in str(refused.value)
    assert str(tmp_path / TRAINED) in str(refused.value)
