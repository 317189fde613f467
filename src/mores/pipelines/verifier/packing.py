"""Sequences end to end in one row, with no padding between them: each token attends to its own sequence alone.

On an accelerator PyTorch's attention over lengths does it in one call; on a CPU each sequence is attended to in turn,
which gives the same figures and is there to test the rest by.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

PACKED = "mores_packed"
"""What transformers knows this attention by."""


def register_packed_attention() -> None:
    """Make the attention known to transformers; it needs no mask, as lengths come beside the tokens."""
    transformers = import_module("transformers")
    transformers.AttentionInterface.register_packed_attention(PACKED, _packed_attention)
    transformers.AttentionMaskInterface.register_packed_attention(PACKED, lambda *_, **__: None)


def can_pack(device: str) -> bool:
    """True where this PyTorch can attend over lengths on such a device."""
    return device == "cpu" or find_spec("torch.nn.attention.varlen") is not None


def layout_of(lengths: Sequence[int], device: Any) -> dict[str, Any]:
    """Arguments that tell a model of sequences in one row: each token's position in its own, and their ends."""
    torch = import_module("torch")
    ends = torch.tensor([0, *lengths], dtype=torch.int32, device=device).cumsum(0, dtype=torch.int32)
    places = torch.cat([torch.arange(length, device=device) for length in lengths])
    return {
        "position_ids": places[None],
        "cu_seq_lens_q": ends,
        "cu_seq_lens_k": ends,
        "max_length_q": max(lengths),
        "max_length_k": max(lengths),
    }


def _packed_attention(
    module: Any, query: Any, key: Any, value: Any, mask: Any, scaling: float | None = None, **arguments: Any
) -> tuple[Any, None]:
    """Attention of one row of sequences, shape (1, tokens, heads, size); no weight is dropped out of it."""
    _ = mask
    ends, causal = arguments["cu_seq_lens_q"], bool(getattr(module, "is_causal", False))
    grouped = query.shape[1] != key.shape[1]
    if query.device.type == "cpu":
        attend = import_module("torch.nn.functional").scaled_dot_product_attention
        torch, spots = import_module("torch"), ends.tolist()
        parts = [
            attend(*(each[:, :, start:end] for each in (query, key, value)), is_causal=causal, scale=scaling,
                   enable_gqa=grouped)
            for start, end in pairwise(spots)
        ]  # fmt: skip
        return torch.cat(parts, dim=2).transpose(1, 2), None
    most = arguments["max_length_q"]
    found = import_module("torch.nn.attention.varlen").varlen_attn(
        *(each[0].transpose(0, 1) for each in (query, key, value)), ends, ends, most, most, scale=scaling,
        window_size=(-1, 0) if causal else (-1, -1), enable_gqa=grouped,
    )  # fmt: skip
    return found[None], None
