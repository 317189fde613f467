"""Respondents that need no endpoint: simulated ones, baselines, recorded outputs, and a verifier on this machine."""

from mores.core.seeds import Seed
from mores.models.provider import Provider
from mores.models.recorded import Recorded, holds_shares
from mores.models.registry import Connection
from mores.models.similarity import SimilarityBaseline, is_similarity
from mores.models.simulated import BASELINES, PRESETS, Baseline, Simulated, describe_planted
from mores.models.verifier import VerifierModel


def _baseline(spec: str, seed: Seed, connection: Connection) -> SimilarityBaseline | Baseline:
    return SimilarityBaseline(spec, access=connection) if is_similarity(spec) else Baseline(spec, seed)


_SAYS = {
    "always-true": "always answers yes",
    "first": "always gives the first label or option",
    "random": "guesses at random, each label equally likely",
}

PROVIDERS = (
    Provider(
        name="simulated",
        open=lambda spec, seed, _: Simulated(spec, seed),
        examples={f"simulated/{name}": describe_planted(name) for name in PRESETS},
        real=False,
        simulated=True,
        labels=lambda _: True,
    ),
    Provider(
        name="baseline",
        open=_baseline,
        examples={
            **{f"baseline/{name}": _SAYS[name] for name in BASELINES},
            "baseline/similarity:FOLDER": "gives the option whose embedding is nearest to the place's name",
        },
        real=False,
    ),
    Provider(
        name="recorded",
        open=lambda spec, _, connection: Recorded(spec, connection.columns),
        labels=holds_shares,
        examples={
            "recorded/FILE": (
                "plays back outputs made elsewhere: any table (--columns), dialogues, logs of other programs"
            ),
            "recorded/FOLDER": (
                "plays back dialogues made elsewhere, a text file each, or CultureForest's released outputs"
            ),
        },
    ),
    Provider(
        name="verifier",
        open=lambda spec, *_: VerifierModel(spec),
        labels=lambda _: True,
        examples={
            "verifier/FOLDER_OR_HUB_ID": "judges norms by probabilities of labels, on this machine (transformers, LoRA)"
        },
    ),
)
