"""Writes the small model in the two forms that servers read: `python -m benchmarks.servers.model FOLDER` (12 MB).

A folder as transformers and vLLM read it, and beside it model.gguf for llama.cpp: one model, and the same bytes as
long as the prompts that its vocabulary is made of are the same.
"""

import json
import sys
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

from benchmarks.servers.serving import CONTEXT
from benchmarks.servers.speech import CHOICES, CUE, CUED, DEED, WORDS, follows
from benchmarks.servers.vocabulary import MARKS, Vocabulary, spelled, vocabulary
from benchmarks.servers.weights import HEADS, INNER, LAYERS, WIDTH, Cue, Weights, weights

BASE, SMALLEST = 10_000.0, 1e-5
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
PLACES = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}  # fmt: skip
"""What llama.cpp calls the tensors."""


def write(folder: Path) -> None:
    """The model in both forms."""
    words = vocabulary(WORDS, DEED)
    ids = {token: number for number, token in enumerate(words.tokens)}
    planted = {
        None if token is None else ids[token]: {ids[after]: logit for after, logit in nexts.items()}
        for token, nexts in follows().items()
    }
    cue = Cue(ids[spelled(CUE)], ids[spelled(DEED)], CUED)
    tensors = weights(len(words.tokens), planted, [ids[token] for token in CHOICES], cue)
    folder.mkdir(parents=True, exist_ok=True)
    _write_folder(folder, words, tensors)
    _write_gguf(folder / "model.gguf", words, tensors)


def _write_folder(folder: Path, words: Vocabulary, tensors: Weights) -> None:
    ends = {"eos_token_id": MARKS.index("<|im_end|>"), "pad_token_id": 0}
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": len(words.tokens),
        "hidden_size": WIDTH, "intermediate_size": INNER, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS, "max_position_embeddings": CONTEXT, "rms_norm_eps": SMALLEST, "rope_theta": BASE,
        "hidden_act": "silu", "tie_word_embeddings": False, "dtype": "float32", "bos_token_id": 0, **ends,
    }  # fmt: skip
    of_tokens = {
        "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>",
        "chat_template": TEMPLATE, "model_max_length": CONTEXT, "clean_up_tokenization_spaces": False,
    }  # fmt: skip
    files = {
        "config": config, "generation_config": ends, "tokenizer": _tokenizer(words), "tokenizer_config": of_tokens
    }  # fmt: skip
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    _write_safetensors(folder / "model.safetensors", tensors)


def _tokenizer(words: Vocabulary) -> dict[str, object]:
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    by_bytes = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "added_tokens": [{"id": number, "content": mark, **plain} for number, mark in enumerate(MARKS)],
        "pre_tokenizer": by_bytes,
        "decoder": by_bytes,
        "model": {
            "type": "BPE",
            "vocab": {token: number for number, token in enumerate(words.tokens)},
            "merges": words.merges,
        },
    }


def _write_safetensors(path: Path, tensors: Weights) -> None:
    """A length, a table of names, shapes and places, and the numbers one after another."""
    table: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, tensor in tensors.items():
        table[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [at, at + tensor.nbytes]}
        at += tensor.nbytes
    head = json.dumps(table).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(b"".join([len(head).to_bytes(8, "little"), head, *(each.tobytes() for each in tensors.values())]))


def _write_gguf(path: Path, words: Vocabulary, tensors: Weights) -> None:
    file = gguf.GGUFWriter(path, "llama")
    file.add_context_length(CONTEXT)
    file.add_embedding_length(WIDTH)
    file.add_feed_forward_length(INNER)
    file.add_block_count(LAYERS)
    file.add_head_count(HEADS)
    file.add_rope_dimension_count(WIDTH // HEADS)
    file.add_rope_freq_base(BASE)
    file.add_layer_norm_rms_eps(SMALLEST)
    file.add_vocab_size(len(words.tokens))
    file.add_tokenizer_model("gpt2")
    file.add_tokenizer_pre("gpt-2")
    file.add_token_list(words.tokens)
    normal = len(words.tokens) - len(MARKS)
    file.add_token_types([gguf.TokenType.CONTROL] * len(MARKS) + [gguf.TokenType.NORMAL] * normal)
    file.add_token_merges([" ".join(pair) for pair in words.merges])
    file.add_eos_token_id(MARKS.index("<|im_end|>"))
    file.add_add_bos_token(False)
    file.add_chat_template(TEMPLATE)
    for name, tensor in tensors.items():
        file.add_tensor(_named(name), _turned(name, tensor))
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def _named(name: str) -> str:
    """A tensor's name in llama.cpp."""
    part = name.removesuffix(".weight")
    if part in PLACES:
        return f"{PLACES[part]}.weight"
    layer, _, inner = part.removeprefix("model.layers.").partition(".")
    return f"blk.{layer}.{PLACES[inner]}.weight"


def _turned(name: str, tensor: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Queries and keys in the order in which llama.cpp turns them by their place: pairs beside each other."""
    if "q_proj" not in name and "k_proj" not in name:
        return tensor
    halves = tensor.reshape(HEADS, 2, WIDTH // HEADS // 2, WIDTH)
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(tensor.shape))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
