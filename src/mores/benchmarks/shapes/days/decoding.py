"""How the target's model draws its words: as its provider has it, or as the paper set it for the models that it ran."""

from msgspec import structs

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.shapes.question import SUBJECT, limited, of_subject
from mores.core.card import CutSampling, Sampling
from mores.core.errors import InputError

DECODING, PAPER = "decoding", "paper"
PRESETS: dict[str, Sampling] = {
    "qwen3": CutSampling(temperature=0.6, top_p=0.95, top_k=20, min_p=0.0),
    "ministral-3": Sampling(temperature=0.7, top_p=0.95),
    "llama-3": Sampling(temperature=0.6, top_p=0.9),
    "gemini-2.5": CutSampling(temperature=1.0, top_p=0.95, top_k=64),
}
"""By what a model's name has in it (LiveCultureBench, table 12); what the table leaves out is the provider's."""


def own_sampling(setting: Setting) -> Sampling:
    """How the target's model draws its words.

    Raises:
        InputError: the paper's way was asked for, and the paper has not run this model.
    """
    preset = _preset(setting)
    if preset is None:
        return of_subject(setting.protocol)
    asked = setting.protocol.subject
    sampling = structs.replace(preset, max_tokens=limited(setting.protocol).max_tokens)
    return sampling if asked is None else asked.over(sampling)


def describe_sampling(setting: Setting) -> str:
    """The paper's settings in a sentence; nothing where decoding is left to the provider.

    Raises:
        InputError: the paper's way was asked for, and the paper has not run this model.
    """
    preset = _preset(setting)
    if preset is None:
        return ""
    settings = structs.asdict(preset).items()
    told = (f"{name} {value:g}" for name, value in settings if value is not None and name != "logprobs")
    return f"The target's model draws its words as in table 12 of the paper: {', '.join(told)}."


def _preset(setting: Setting) -> Sampling | None:
    """The paper's way for the target's model; None where decoding is left to the provider."""
    if setting.protocol.settings.get(DECODING, "provider") != PAPER:
        return None
    spec = setting.roles.get(SUBJECT, "")
    name = spec.casefold().replace("_", "-").replace("qwen-3", "qwen3")
    known = next((preset for part, preset in PRESETS.items() if part in name), None)
    if known is None:
        raise InputError(f"--set decoding=paper: table 12 has no {spec}; it has names with {', '.join(PRESETS)}.")
    return known
