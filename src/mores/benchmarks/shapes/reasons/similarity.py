"""How near an answer comes in meaning to what it is held against, as a model of embeddings has it; no judge is asked.

answer and reference ─▶ a vector each ─▶ their cosine, a verdict of its own. The whole answer counts, label and all.

Source:
    CURE (2025), released code, whose encoder is paraphrase-multilingual-MiniLM-L12-v2; the paper has no such figure.
"""

from functools import lru_cache

from mores.benchmarks.benchmark import ExpectedVerdict, Setting
from mores.benchmarks.shapes.judge_panel import failed_verdict, fault_verdict
from mores.benchmarks.shapes.reasons.metrics import SIMILARITY
from mores.core.transcript import FailureEvent, ItemMetadata, ReplyEvent
from mores.core.verdict import Graded, Verdict
from mores.models.similarity import Embedded, cosine, embedder_named

OPTION = "encoder"


def encoder_name(setting: Setting) -> str:
    """The encoder that the run names; empty where it names none."""
    return setting.protocol.settings.get(OPTION, "")


@lru_cache(maxsize=1)
def encoder(name: str) -> Embedded:
    """An encoder by its folder or its name on the Hugging Face hub, not loaded yet.

    Raises:
        InputError: there is none by that name, or the library is not installed.
    """
    return Embedded(embedder_named(name, f"--set {OPTION}={name}"))


def encoder_hash(setting: Setting) -> dict[str, str]:
    """The hash of the files of the run's encoder, by its name; nothing where it names none."""
    name = encoder_name(setting)
    return {f"encoder {name}": encoder(name).identity} if name else {}


async def similarity_verdict(
    heard: ReplyEvent | FailureEvent, reference: str, about: ItemMetadata, sample: int, name: str
) -> Verdict:
    """The cosine of an answer and its reference; 0 for an answer without words.

    Raises:
        InputError: the encoder cannot be loaded.
    """
    due = ExpectedVerdict(SIMILARITY, about)
    if isinstance(heard, FailureEvent):
        return failed_verdict(heard, due, sample)
    if not heard.text.strip():
        return fault_verdict("format_error", due, sample)
    one, other = await encoder(name).vectors((heard.text, reference))
    return Graded(about=about, sample=sample, task=SIMILARITY, points=cosine(one, other))
