"""A last layer that is carried out for the first token alone gives what the whole one gives."""

from typing import Any

import pytest

from mores.models.local_scoring import read_first_token
from tests.models.tiny import needed

pytestmark = pytest.mark.verifier
SIZES = {"vocab_size": 60, "num_labels": 3, "initializer_range": 0.5}
BERT = {**SIZES, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
DISTILLED = {**SIZES, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64}


def tiny(name: str, **sizes: Any) -> Any:
    transformers, torch = needed("transformers"), needed("torch")
    torch.manual_seed(3)
    config = getattr(transformers, f"{name}Config")(**sizes)
    return getattr(transformers, f"{name}ForSequenceClassification")(config).eval()


def logits(model: Any, lengths: tuple[int, ...] = (3, 7, 12, 12)) -> Any:
    torch = needed("torch")
    rows = [torch.arange(5 + length, 5 + 2 * length) for length in lengths]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=1)
    mask = torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]
    with torch.inference_mode():
        return model(input_ids=ids, attention_mask=mask.long()).logits


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("name", ["Bert", "Roberta", "Electra"])
def test_logits_are_those_of_the_whole_layer(name: str, attention: str) -> None:
    model = tiny(name, **BERT, attn_implementation=attention)
    whole = logits(model)
    assert read_first_token(needed("torch"), model)
    assert (logits(model) - whole).abs().max() < 1e-5
    body = model.base_model
    ids = needed("torch").arange(8)[None]
    assert body(input_ids=ids).last_hidden_state.shape[1] == 1


def test_a_model_of_another_build_is_left_as_it_is() -> None:
    model = tiny("DistilBert", **DISTILLED)
    whole = logits(model)
    assert not read_first_token(needed("torch"), model)
    assert (logits(model) == whole).all()


def test_a_head_that_reads_more_than_the_first_token_is_left_as_it_is() -> None:
    model = tiny("Bert", **BERT)
    model.bert.pooler.forward = lambda hidden: hidden.mean(1)
    whole = logits(model)
    assert not read_first_token(needed("torch"), model)
    assert (logits(model) == whole).all()
