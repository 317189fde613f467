"""The facts beside the weights of a verifier that mores trained: how it is asked, what trained it, how good it is.

A folder of transformers' layout, or of a LoRA adapter that names its base, and in it one file of facts. An encoder is
given the text pair (response, norm) and has a head of three classes; a causal model weighs the labels' words behind a
prompt, as any other behind `verifier/FOLDER`.
"""

from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from mores.core.codec import build, encode, parse_json, read_text
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.files import write_own

TRAINED = "mores_verifier.json"
OWN_FILES = frozenset({TRAINED, "figures.json", "manifest.json"})
"""Files that mores writes beside the weights of a verifier, which make no other model of them."""
FORMAT = 1
ResponseStand = Literal["satisfy", "neutral", "violate"]
STANDS: tuple[ResponseStand, ...] = ("satisfy", "neutral", "violate")
"""Relations of a response to a norm; the classes of an encoder's head have this order."""

VerifierKind = Literal["encoder", "causal"]
LabelledBy = Literal["people", "synthetic", "file"]
"""Labellers of pairs: people, nobody (labels were made with the pairs), or unknown where a file does not say."""


class CalibrationSummary(Struct, frozen=True, kw_only=True):
    """Distance of probabilities from the rates at which they come true, in shares.

    `stated` is the mean probability of the likeliest label of each bin, and `right` the share that was right there;
    `error` is the expected calibration error over all of them.
    """

    stated: tuple[float, ...]
    right: tuple[Estimate, ...]
    error: Estimate


class VerifierCalibration(Struct, frozen=True, kw_only=True):
    """Calibration of a verifier's probabilities and its error rates, on pairs that it did not learn from.

    The temperature was fitted on `fitted` pairs; `before` and `after` show what it does on others. `sensitivity` is the
    share of pairs labelled satisfy that it calls so, `specificity` the share of the others that it does not, over both
    parts, as the likeliest label is the same at any temperature; `worth` is how many independent pairs each of the two
    rests on. `measured_on` has a hash of each source of pairs by its name.
    """

    labels: LabelledBy
    measured_on: dict[str, str]
    temperature: float
    fitted: int
    before: CalibrationSummary
    after: CalibrationSummary
    sensitivity: Estimate
    specificity: Estimate
    worth: tuple[float, float]


class VerifierFacts(Struct, frozen=True, kw_only=True):
    """The facts of a trained verifier.

    `max_tokens` is the most that a pair, or a prompt with its label, may have. `prompt_sha` is of the prompt that a
    causal model was trained with, None for an encoder. Logits of an encoder and log-probabilities of labels are
    divided by `temperature`, where one was fitted. `trained_on` has a hash of each source of pairs by its name, and
    `figures` what was measured by the set of pairs that it was measured on, with who labelled them as a group of each
    (`labels`: synthetic or people). `calibration` is where the temperature is from.
    """

    format: int = FORMAT
    kind: VerifierKind
    labels: tuple[str, ...] = STANDS
    max_tokens: int
    prompt_sha: str | None = None
    temperature: float | None = None
    base: str
    trained_on: dict[str, str]
    seed: int
    figures: dict[str, tuple[Estimate, ...]] = field(default_factory=dict)
    calibration: VerifierCalibration | None = None


def read_trained(folder: Path) -> VerifierFacts | None:
    """The facts of the verifier in a folder; None where no training of ours left any.

    Raises:
        InputError: the file cannot be used, or is of a later format or of other labels.
    """
    path = folder / TRAINED
    if not path.is_file():
        return None
    found = build(VerifierFacts, parse_json(read_text(path), where=str(path)), where=str(path))
    if found.format != FORMAT or found.labels != STANDS:
        raise InputError(
            f"{path}: format {found.format} with the labels {', '.join(found.labels)}; "
            f"expected format {FORMAT} with {', '.join(STANDS)}."
        )
    if found.temperature is not None and not 0 < found.temperature < float("inf"):
        raise InputError(f"{path}: temperature {found.temperature}; expected a number above 0.")
    return found


def write_trained(folder: Path, trained: VerifierFacts) -> None:
    """Put the facts of a verifier beside its weights, in place of earlier ones.

    Raises:
        StorageError: the disk is full, read-only or gone.
    """
    write_own(folder / TRAINED, encode(trained) + b"\n")
