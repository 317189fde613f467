"""An encoder that mores trained judges pairs by a plain forward pass, put right by its temperature."""

import shutil
from pathlib import Path

import pytest
from msgspec import structs

from mores.core.estimate import Estimate
from mores.models import local_scoring
from mores.models.local_scoring import LabelLoglikelihoods, LabelPrompt, PairClassifier
from mores.models.request import CallFailed, Reply, Request, TextPair
from mores.models.verifier_facts import write_trained
from tests.models.clients import ask_all, at_door
from tests.models.test_verifier_model import LABELS, asking, opened, sums, weigh
from tests.models.tiny import facts, needed, pair_by_hand, write_tiny, write_tiny_encoder

pytestmark = pytest.mark.verifier
NORM = "keep to the norm"


@pytest.fixture(autouse=True)
def _caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_encoder(tmp_path_factory.mktemp("encoder"))


def pairing(response: str, labels: tuple[str, ...] = LABELS) -> Request:
    return structs.replace(asking(f"Is it so: {response}", labels), pair=TextPair(response, NORM))


def test_log_probabilities_are_those_of_a_plain_forward_pass(encoder: Path) -> None:
    responses = ["yes", "no " * 9 + "yes", "neutral answer to it", "does it keep"]
    replies, _ = weigh(encoder, *map(pairing, responses))
    for response, reply in zip(responses, replies, strict=True):
        expected = pair_by_hand(encoder, response, NORM)
        assert sums(reply) == pytest.approx(dict(zip(LABELS, expected, strict=True)), abs=2e-4)
        assert isinstance(reply, Reply)
        assert (reply.finish, reply.text) == ("exact", LABELS[expected.index(max(expected))])
        assert reply.usage.input > 5


def test_small_batches_change_no_figure(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = [pairing("yes no " * n) for n in range(1, 12)]
    together, _ = weigh(encoder, *requests)
    monkeypatch.setattr(local_scoring, "CLASSIFIER_TOKENS", {"cpu": 1, "cuda": 1})
    apart, _ = weigh(encoder, *requests)
    for one, other in zip(together, apart, strict=True):
        assert sums(one) == pytest.approx(sums(other), abs=1e-4)


def test_a_pair_weighs_the_same_alone_and_among_others_on_several_threads(encoder: Path) -> None:
    torch = needed("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        weigher = PairClassifier(encoder, "verifier/encoder", facts())
        questions = [LabelPrompt((), LABELS, TextPair("yes no " * (1 + number * 7 % 20), NORM)) for number in range(90)]
        among = weigher.weigh(questions)
        assert torch.get_num_threads() == 2
        for question, weighed in zip(questions, among, strict=True):
            (alone,) = weigher.weigh([question])
            assert isinstance(weighed, LabelLoglikelihoods)
            assert isinstance(alone, LabelLoglikelihoods)
            assert weighed.sums == pytest.approx(alone.sums, abs=2e-5)
    finally:
        torch.set_num_threads(before)


def test_what_the_encoder_was_not_made_for_fails_alone(encoder: Path) -> None:
    wrong = (asking(), pairing("yes", ("Yes", "No")), pairing("yes " * 80), pairing("yes"))
    (no_pair, others, long, right), _ = weigh(encoder, *wrong)
    assert isinstance(no_pair, CallFailed)
    assert "was asked something else" in no_pair.detail
    assert isinstance(others, CallFailed)
    assert "the labels Yes, No are asked for; the verifier knows satisfy, neutral, violate" in others.detail
    assert isinstance(long, CallFailed)
    assert long.cause == "too long"
    assert long.detail.endswith(" tokens; the verifier takes 64")
    assert isinstance(right, Reply)


def test_a_temperature_divides_what_either_kind_of_verifier_says(encoder: Path, tmp_path: Path) -> None:
    (plain,), _ = weigh(encoder, pairing("yes"))
    mild_one = shutil.copytree(encoder, tmp_path / "mild")
    write_trained(mild_one, facts(temperature=2.0))
    (mild,), _ = weigh(mild_one, pairing("yes"))
    assert sums(mild) == pytest.approx({label: value / 2 for label, value in sums(plain).items()}, abs=2e-5)
    causal = write_tiny(tmp_path / "causal")
    (plain,), _ = weigh(causal, pairing("yes"))
    write_trained(causal, facts("causal", temperature=0.5))
    (sharp,), _ = weigh(causal, pairing("yes"))
    assert sums(sharp) == pytest.approx({label: value * 2 for label, value in sums(plain).items()}, abs=2e-5)


def test_another_temperature_is_another_judge_and_another_figure_is_not(encoder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(encoder, tmp_path / "copy")
    before = opened(folder).identity
    write_trained(
        folder,
        structs.replace(facts(), figures={"held out": (Estimate(metric="accuracy", value=0.5, asked=9, graded=9),)}),
    )
    assert opened(folder).identity == before
    write_trained(folder, facts(temperature=2.0))
    assert opened(folder).identity != before


def test_a_journal_answers_pairs_again(encoder: Path, tmp_path: Path) -> None:
    requests = [pairing(f"yes {'no ' * n}") for n in range(4)]
    first = at_door(tmp_path, opened(encoder), ask_all(*requests))
    assert at_door(tmp_path, opened(encoder), ask_all(*requests)) == first


def test_weights_without_a_trained_head_are_refused(tmp_path: Path) -> None:
    folder = write_tiny_encoder(tmp_path / "bare")
    transformers = needed("transformers")
    transformers.BertModel.from_pretrained(folder).save_pretrained(folder)
    with pytest.raises(Exception, match=r"no weights for classifier.*mores judge verifier train") as error:
        weigh(folder, pairing("yes"))
    assert "\n" not in str(error.value)
