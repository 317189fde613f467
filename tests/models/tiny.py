"""A tiny causal language model of random weights and its tokeniser, stored as transformers stores them."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mores.models.verifier_facts import VerifierFacts, VerifierKind, write_trained

CORPUS = ["Does it keep to the norm? Neutral yes no Answer", '{"Answer": "Neutral"} {"Answer": "yes"}']
"""Of the verifier's words one is a token of its own, the others are cut."""
CHAT = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def needed(name: str) -> Any:
    """A library of the extra `verifier`; the test is skipped where it is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        pytest.skip(f"{name} is not installed; pip install '.[verifier]'")


def write_tiny(folder: Path, *, chat: bool = False, merges: tuple[str, ...] = (), seed: int = 1) -> Path:
    """A folder with the model: byte-level tokens, of which `merges` are more."""
    tokenizers, transformers, torch = needed("tokenizers"), needed("transformers"), needed("torch")
    words = tokenizers.Tokenizer(tokenizers.models.BPE())
    words.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    words.train_from_iterator(CORPUS, trainer)
    words.add_tokens(list(merges))
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<|endoftext|>")
    if chat:
        tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=256, n_embd=32, n_layer=2, n_head=2, initializer_range=0.5,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def by_hand(folder: Path, text: str, label: str, start: int | None = None) -> float:
    """The sum of a label's token log-probabilities after a text, from one plain forward pass over the two."""
    transformers, torch = needed("transformers"), needed("torch")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    whole = tokenizer(text + label)["input_ids"]
    first = len(tokenizer(text)["input_ids"]) if start is None else start
    with torch.no_grad():
        logprobs = model(torch.tensor([whole])).logits[0].double().log_softmax(-1)
    return float(sum(logprobs[place - 1, whole[place]] for place in range(first, len(whole))))


def write_tiny_encoder(folder: Path, *, seed: int = 1) -> Path:
    """A folder with a tiny encoder of random weights, its head of three classes, and the facts of a trained one."""
    tokenizers, transformers, torch = needed("tokenizers"), needed("transformers"), needed("torch")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = tokenizers.BertWordPieceTokenizer()
    words.train_from_iterator(CORPUS, vocab_size=120, special_tokens=special, show_progress=False)
    transformers.BertTokenizerFast(tokenizer_object=words._tokenizer).save_pretrained(folder)
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=120, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=64, num_labels=3, initializer_range=0.5,
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    write_trained(folder, facts())
    return folder


def facts(kind: VerifierKind = "encoder", *, temperature: float | None = None) -> VerifierFacts:
    """What stands beside the weights of a trained verifier."""
    return VerifierFacts(
        kind=kind, max_tokens=64, temperature=temperature, base="tiny", trained_on={"pairs": "0" * 12}, seed=1
    )


def pair_by_hand(folder: Path, response: str, norm: str) -> list[float]:
    """The log-probabilities of the classes of one pair, from one plain forward pass."""
    transformers, torch = needed("transformers"), needed("torch")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        logits = model(**tokenizer(response, norm, return_tensors="pt")).logits[0].double()
    return [float(value) for value in logits.log_softmax(-1)]
