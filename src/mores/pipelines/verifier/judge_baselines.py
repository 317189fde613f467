"""Judges set beside a verifier: each says how the same responses stand to the same norms, through one journal.

A verifier or a simulated judge is asked for probabilities, any other judge for one verdict in words. A judge that
failed has said nothing of a pair.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from mores.benchmarks.shapes.question import effort_of
from mores.core.card import Sampling
from mores.core.codec import decode_lines, digest, encode_lines
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.judges.judge import Unjudged
from mores.judges.jury import Jury
from mores.judges.verifier import LABELS, NormPrompts, score_by_labels, score_by_votes
from mores.judges.verifier import AnswerNormPair as Put
from mores.models.cast import Cast
from mores.models.registry import is_simulated
from mores.models.request import Tag
from mores.models.verifier_facts import STANDS
from mores.pipelines.funnel import Kept
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.verifier.pairs import ResponseNormPair
from mores.stats.checks import FloatArray

JUDGED = "judged.jsonl"
STAGE = "judge"
_SAYING = Sampling(temperature=0.0)
_SEED = Seed("verifier/judges")


class JudgedPair(msgspec.Struct, frozen=True, kw_only=True):
    """Judges' labels of one pair: by judge the code of a label into `STANDS`, None for one that failed."""

    pair: str
    labels: dict[str, int | None]


def judging_pipeline(
    pairs: Sequence[ResponseNormPair], judges: Sequence[str]
) -> Pipeline[ResponseNormPair, JudgedPair]:
    """All pairs put to all judges.

    Args:
        pairs: Labelled pairs, each once.
        judges: Specs of models.

    Raises:
        InputError: a judge is named twice.
    """
    if len(set(judges)) < len(judges):
        raise InputError(f"--judge {', '.join(judges)}: a judge is named twice; name each once.")
    prompts = NormPrompts.read(Prompt.read)
    words = "".join(prompt.body for prompt in prompts.all)
    roles = {f"judge{number}": spec for number, spec in enumerate(judges, start=1)}
    return Pipeline[ResponseNormPair, JudgedPair](
        name="verifier judges",
        stages=(STAGE,),
        units=pairs,
        make=lambda pair, cast: _judged(pair, cast, roles, prompts),
        outline=lambda pair: {role: [effort_of(words + pair.response + pair.norm, _SAYING)] for role in roles},
        out_of=lambda found: Release(files={JUDGED: encode_lines(found)}, facts={"pairs": len(found)}),
        roles=roles,
        prompts=prompts.all,
        made_from={"pairs": digest([[pair.id, pair.response, pair.norm, pair.label] for pair in pairs], length=64)},
    )


def read_judged(folder: Path, pairs: Sequence[ResponseNormPair]) -> dict[str, FloatArray]:
    """Labels of some pairs by each judge, in their order.

    Raises:
        InputError: the file is damaged.
    """
    path = folder / JUDGED
    with path.open("rb") as lines:
        found = list(decode_lines(msgspec.json.Decoder(JudgedPair), lines, where=str(path), what="judged pair"))
    labels = {each.pair: each.labels for each in found}
    names = list(found[0].labels) if found else []
    return {name: np.array([labels[pair.id][name] for pair in pairs], dtype=np.float64) for name in names}


async def _judged(
    pair: ResponseNormPair, cast: Cast, roles: Mapping[str, str], prompts: NormPrompts
) -> Kept[JudgedPair]:
    labels = await asyncio.gather(*(_judged_code(pair, role, spec, cast, prompts) for role, spec in roles.items()))
    return Kept(JudgedPair(pair=pair.id, labels=dict(zip(roles.values(), labels, strict=True))))


async def _judged_code(pair: ResponseNormPair, role: str, spec: str, cast: Cast, prompts: NormPrompts) -> int | None:
    put = Put(
        place=pair.place_name,
        where=pair.place or None,
        question=pair.question,
        norm=pair.norm,
        answer=pair.response,
        tag=Tag(item=pair.id, role=role),
        unit=pair.id,
        prompts=prompts,
        planted=None if pair.label is None else LABELS[STANDS.index(pair.label)],
    )
    jury = Jury(roles=(role,))
    if spec.startswith("verifier/") or is_simulated(spec):
        scored = await score_by_labels(put, jury=jury, cast=cast, seed=_SEED)
    else:
        scored = await score_by_votes(put, jury=jury, cast=cast, sampling=_SAYING, seed=_SEED)
    if isinstance(scored, Unjudged):
        return None
    return LABELS.index(max(LABELS, key=lambda label: scored.shares[label]))
