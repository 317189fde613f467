"""How the target's model draws its words: as its provider has it, or as the paper set it for the models that it ran."""

from dataclasses import replace

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.shapes.asking import SUBJECT, limited
from mores.core.card import Sampling
from mores.core.errors import InputError

PRESETS: dict[str, tuple[float, float]] = {
    "qwen3": (0.6, 0.95),
    "ministral-3": (0.7, 0.95),
    "llama-3": (0.6, 0.9),
    "gemini-2.5": (1.0, 0.95),
}
"""Temperature and top_p by what a model's name has in it (LiveCultureBench, table 12). Its top_k of Qwen 3 (20) and
Gemini 2.5 (64) cannot be asked of every endpoint and are left to the provider."""


def own_sampling(setting: Setting) -> Sampling:
    """How the target's model draws its words.

    Raises:
        InputError: the paper's way was asked for, and the paper has not run this model.
    """
    sampling = limited(setting.protocol)
    if setting.protocol.settings.get("decoding", "provider") != "paper":
        return sampling
    spec = setting.roles.get(SUBJECT, "")
    name = spec.casefold().replace("_", "-").replace("qwen-3", "qwen3")
    known = next((preset for part, preset in PRESETS.items() if part in name), None)
    if known is None:
        raise InputError(f"--set decoding=paper: table 12 has no {spec}; it has names with {', '.join(PRESETS)}.")
    return replace(sampling, temperature=known[0], top_p=known[1])
