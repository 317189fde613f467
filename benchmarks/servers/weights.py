"""The weights of a small language model that talks in short sentences: what comes next hangs on the last token.

Attention and the inner layers are random and small. They read all that was said and move each choice a little, so that
one question is answered otherwise than another; what may follow a token is planted in the last layer. No data and no
training are needed, and a grammar that holds its answers to a schema comes to an end.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

WIDTH, INNER, LAYERS, HEADS = 256, 512, 2, 4
STEADY = 0.5
"""Share of each token's place that all have in common: what is likely anywhere."""
STIR, SWAY = 0.1, 0.2
"""How far the random layers move a place, and how much a choice heeds where attention moves it."""
SHARP, MARKED = 1.4, 8.0
"""How sharply the cue is looked for, and how far it moves a place."""

Weights = dict[str, npt.NDArray[np.float32]]
LAYER = {
    "self_attn.q_proj": (WIDTH, WIDTH), "self_attn.k_proj": (WIDTH, WIDTH), "self_attn.v_proj": (WIDTH, WIDTH),
    "self_attn.o_proj": (WIDTH, WIDTH), "mlp.gate_proj": (INNER, WIDTH), "mlp.up_proj": (INNER, WIDTH),
    "mlp.down_proj": (WIDTH, INNER),
}  # fmt: skip


class Cue(NamedTuple):
    """A token that one head looks for, and the token that becomes likelier by so much where it was said."""

    token: int
    answer: int
    logit: float


def weights(size: int, follows: Mapping[int | None, Mapping[int, float]], swayed: list[int], cue: Cue) -> Weights:
    """All tensors under their names in a Llama; the same each time.

    Args:
        size: Tokens of the vocabulary.
        follows: For a token, what may come after it and how likely, as logits; None for what may come anywhere.
        swayed: Tokens between which all that was said before decides.
        cue: What is looked for in all that was said before.
    """
    rng = np.random.default_rng(0)
    places = _places(size, [token for token in follows if token is not None], rng)
    last = np.zeros((size, WIDTH))
    for token, nexts in follows.items():
        towards = np.eye(WIDTH)[0] / STEADY if token is None else _own(places[token])
        for after, logit in nexts.items():
            last[after] += logit * towards / np.sqrt(WIDTH)
    apart = np.arange(WIDTH) > len(follows)  # where no token that something follows stands
    last[swayed] += rng.normal(0.0, SWAY, (len(swayed), WIDTH)) * apart
    found = {"model.embed_tokens": places * np.sqrt(WIDTH), "lm_head": last, "model.norm": np.ones(WIDTH)}
    for layer in range(LAYERS):
        name = f"model.layers.{layer}"
        found |= {f"{name}.{part}": rng.normal(0.0, shape[1] ** -0.5, shape) for part, shape in LAYER.items()}
        found |= {f"{name}.{part}": np.ones(WIDTH) for part in ("input_layernorm", "post_attention_layernorm")}
        found[f"{name}.mlp.down_proj"] *= STIR
        found[f"{name}.self_attn.v_proj"][:, 0] = 0.0  # what all tokens have in common tells nothing
    _plant(found, cue, np.flatnonzero(places[cue.token])[1])
    return {f"{name}.weight": np.ascontiguousarray(tensor, np.float32) for name, tensor in found.items()}


def _places(size: int, own: list[int], rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Where tokens stand, as unit vectors; those that something follows stand at right angles to all others."""
    free = rng.normal(size=(size, WIDTH))
    free[:, : len(own) + 1] = 0.0
    free[:, -1] = 0.0
    free /= np.linalg.norm(free, axis=1, keepdims=True)
    free[own] = np.eye(WIDTH)[1 : len(own) + 1]
    placed: npt.NDArray[np.float64] = free * np.sqrt(1 - STEADY**2)
    placed[:, 0] = STEADY
    return placed


def _plant(found: dict[str, npt.NDArray[np.float64]], cue: Cue, direction: int) -> None:
    """Give the first head to the cue: it looks for the cue's direction, at any distance, and marks the last one."""
    name, slowest, mark = "model.layers.0.self_attn", WIDTH // HEADS // 2 - 1, WIDTH - 1
    for part, heeds in (("q_proj", 0), ("k_proj", direction)):
        found[f"{name}.{part}"][: WIDTH // HEADS] = 0.0
        found[f"{name}.{part}"][slowest, heeds] = SHARP  # of all pairs this one is turned the least by distance
    found[f"{name}.v_proj"][0] = np.eye(WIDTH)[direction]
    for layer in range(LAYERS):
        for part in ("self_attn.o_proj", "mlp.down_proj"):
            found[f"model.layers.{layer}.{part}"][mark] = 0.0
    told = np.sqrt((1 - STEADY**2) * WIDTH)
    found[f"{name}.o_proj"][:, 0] = MARKED / told * np.eye(WIDTH)[mark]
    found["lm_head"][:, mark] = 0.0
    found["lm_head"][cue.answer, mark] = cue.logit / MARKED


def _own(place: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The direction in which one token alone stands, so long that its place measures one along it."""
    apart = place.copy()
    apart[0] = 0.0
    apart /= np.sum(apart**2)
    return apart
