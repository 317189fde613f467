"""The pipeline of norm bases: norms of some sources, each once, labelled and negated where models are named for it.

sources ─▶ import ─▶ duplicates, within and against public benchmarks ─▶ strictness ─▶ negation ─▶ base, bundles

Three labels are joined with care, as in CultureForest's appendix C: one "Yes" and the norm is acceptable to act
against, all "No" and it is strict, otherwise it holds sometimes. Where one of the three gave no label there is none.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from mores.benchmarks.benchmark import CallEstimate
from mores.benchmarks.data_tables import hash_tables
from mores.benchmarks.shapes.question import effort_of
from mores.core.card import Sampling
from mores.core.codec import encode_lines
from mores.core.errors import InputError
from mores.core.norm import Strictness
from mores.core.prompt import prompts_in
from mores.core.seeds import Seed
from mores.models.cast import Cast, LoggingCaller
from mores.models.request import AnswerKey, Tag
from mores.models.similarity import Embedder
from mores.norms.places import place
from mores.pipelines.duplicates import NEAR, PUBLIC, Duplicate, NamedText, duplicates, public_texts, vectors_of
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped, counted, dropped
from mores.pipelines.norms.bundles import Bundle, BundlePool, Shared, bundles_of
from mores.pipelines.norms.norm_base_file import BASE, BuiltNorm, base_lines, base_of
from mores.pipelines.norms.sources import STAGE, ImportedNorms, gather
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.structured_query import REFUSED, NoAnswer, ParsedAnswer, StructuredQuery, ask
from mores.pipelines.text_checks import normalised
from mores.pipelines.unit_context import WRITER

prompt = prompts_in(Path(__file__).parent)
LABELLERS = ("labeller", "labeller2", "labeller3")
ANSWERS = ("Yes", "Sometimes", "No")
LONGER = 2.5
"""Largest ratio of the lengths of a negation and its norm, either way."""
_PLANTED = Seed("norms")


DUPLICATES, STRICTNESS, NEGATION = "duplicates", "strictness", "negation"
STAGES = (STAGE, DUPLICATES, STRICTNESS, NEGATION)
SAME, NEAR_TO = "same words as another norm", "near another norm"
TO_VIOLATE = "acceptable to act against"
BUNDLES = "bundles.jsonl"
SAMPLING = Sampling(temperature=0.0)
ASKED = "What people are expected to do by this custom: "
"""Prefix of an embedded norm, so that what it asks for counts more than what it speaks of."""


class NormsOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs of a build of norms: sources, public tables that they are compared with, and models by role.

    With an `embedder` texts from the cosine `near` on are duplicates, and there are bundles, whose
    norms have in common what `pool` says.
    """

    sources: tuple[str, ...]
    against: tuple[Path, ...] = ()
    roles: Mapping[str, str] = msgspec.field(default_factory=dict)
    near: float = NEAR
    embedder: Embedder | None = None
    pool: Shared = "topic"


def norms_pipeline(options: NormsOptions) -> Pipeline[BuiltNorm, BuiltNorm]:
    """The pipeline of a norm base.

    Raises:
        InputError: a source cannot be read, or the roles are not one writer and three different labellers.
    """
    roles = _checked(options.roles)
    gathered = gather(options.sources)
    vectors = _vectors(gathered, options)
    kept, repeated = _each_once(gathered, options, vectors)
    made_from = gathered.made_from | hash_tables(options.against)

    pipeline = Pipeline[BuiltNorm, BuiltNorm](
        name="norms",
        stages=STAGES,
        units=kept,
        make=lambda norm, cast: _build(norm, cast, roles),
        estimate=lambda norm: _outline(norm, roles),
        release=lambda norms: _release(norms, gathered, vectors, options.pool, pipeline),
        roles=roles,
        prompts=(prompt("strictness"), prompt("negation")),
        made_from=made_from,
        dropped_before=(*gathered.dropped, *repeated),
        settings={
            "near": options.near,
            "pool": options.pool,
            "embedder": None if options.embedder is None else options.embedder.identity,
        },
        licences=gathered.licences,
        from_simulated=gathered.simulated,
    )
    return pipeline


def _checked(roles: Mapping[str, str]) -> dict[str, str]:
    """The roles, if they are those of this pipeline.

    Raises:
        InputError: they are not.
    """
    other = [role for role in roles if role not in (*LABELLERS, WRITER)]
    if other:
        raise InputError(f"--role {other[0]}: expected {', '.join(LABELLERS)} or {WRITER}.")
    labellers = [roles[role] for role in LABELLERS if role in roles]
    if labellers and len(set(labellers)) != len(LABELLERS):
        raise InputError(
            f"--role labeller: {len(set(labellers))} models label strictness; expected three different ones "
            f"({', '.join(LABELLERS)}), as the bias of one model would decide alone."
        )
    return dict(roles)


def _vectors(gathered: ImportedNorms, options: NormsOptions) -> dict[str, npt.NDArray[np.float64]] | None:
    if options.embedder is None:
        return None
    rows = vectors_of([f"{ASKED}{norm.statement}" for norm in gathered.norms], options.embedder)
    return dict(zip((norm.id for norm in gathered.norms), rows, strict=True))


def _each_once(
    gathered: ImportedNorms, options: NormsOptions, vectors: Mapping[str, npt.NDArray[np.float64]] | None
) -> tuple[tuple[BuiltNorm, ...], tuple[Dropped, ...]]:
    """The norms that say nothing twice, each with the ids of those that were dropped for it, and the dropped."""
    texts = [NamedText(name=norm.id, words=norm.statement, within=norm.place) for norm in gathered.norms]
    public = public_texts(options.against)
    if vectors is not None and public and options.embedder is not None:
        rows = vectors_of([f"{ASKED}{text.words}" for text in public], options.embedder)
        vectors = {**vectors, **dict(zip((text.name for text in public), rows, strict=True))}
    found = duplicates(texts, against=public, vectors=vectors, near=options.near)
    before: dict[str, list[str]] = {}
    for name, duplicate in found.items():
        before.setdefault(duplicate.of, []).append(name)
    kept = (replace(n, duplicates=tuple(sorted(before.get(n.id, ())))) for n in gathered.norms if n.id not in found)
    lost = (_repeated(norm, found[norm.id]) for norm in gathered.norms if norm.id in found)
    return tuple(kept), tuple(lost)


def _repeated(norm: BuiltNorm, duplicate: Duplicate) -> Dropped:
    reason = PUBLIC if duplicate.public else SAME if duplicate.cosine == 1 else NEAR_TO
    return dropped(norm, DUPLICATES, reason, f"{duplicate.of}, cosine {duplicate.cosine}")


async def _build(norm: BuiltNorm, cast: Cast, roles: Mapping[str, str]) -> KeptOrDropped[BuiltNorm]:
    """A norm with its strictness and a negation, as far as there are models for it and its source has none."""
    if norm.strictness is None and LABELLERS[0] in roles:
        votes = await votes_on(norm, cast, SAMPLING)
        if isinstance(votes, NoAnswer):
            return dropped(norm, STRICTNESS, votes.reason, votes.detail, transient=votes.transient)
        label = majority_strictness(votes)
        if label == "yes":
            return dropped(norm, STRICTNESS, TO_VIOLATE, ", ".join(votes))
        norm = replace(norm, votes=votes, strictness=label)
    if not norm.negation and WRITER in roles:
        negation = await negation_of(norm, cast, SAMPLING)
        if isinstance(negation, NoAnswer) and negation.transient:
            return dropped(norm, NEGATION, negation.reason, negation.detail, transient=True)
        norm = (
            replace(norm, unnegated=negation.reason)
            if isinstance(negation, NoAnswer)
            else replace(norm, negation=negation)
        )
    return Kept(norm, refused=REFUSED in (*norm.votes, norm.unnegated))


def _outline(norm: BuiltNorm, roles: Mapping[str, str]) -> dict[str, list[CallEstimate]]:
    """Calls about a norm, where every reply can be used."""
    label, negate = norm.strictness is None and LABELLERS[0] in roles, not norm.negation and WRITER in roles
    words = {role: prompt("strictness").body for role in LABELLERS if label}
    words |= {WRITER: prompt("negation").body} if negate else {}
    return {role: [effort_of(body + norm.statement, SAMPLING)] for role, body in words.items()}


def _release(
    norms: Sequence[BuiltNorm],
    gathered: ImportedNorms,
    vectors: Mapping[str, npt.NDArray[np.float64]] | None,
    pool: Shared,
    pipeline: Pipeline[BuiltNorm, BuiltNorm],
) -> Release:
    base = base_of(tuple(norms), pipeline.made_from, simulated=pipeline.simulated, licences=gathered.licences)
    files = {BASE: base_lines(base)}
    bundles: tuple[Bundle, ...] = ()
    pools: tuple[BundlePool, ...] = ()
    if vectors is not None and norms:
        bundles, pools = bundles_of(base.norms, np.array([vectors[norm.id] for norm in base.norms]), pool)
        files[BUNDLES] = encode_lines(bundles)
    return Release(files=files, facts=_facts(base.norms, base.head.version, gathered, bundles, pools))


def _facts(
    norms: Sequence[BuiltNorm],
    version: str,
    gathered: ImportedNorms,
    bundles: Sequence[Bundle],
    pools: Sequence[BundlePool],
) -> dict[str, object]:
    """Datasheet entries of the base."""
    return {
        "version": version,
        "rows": gathered.rows,
        "norms": len(norms),
        "strictness": counted(norm.strictness or "no label" for norm in norms),
        "asked_of_three": sum(bool(norm.votes) for norm in norms),
        "unanimous": sum(len(set(norm.votes)) == 1 and norm.strictness is not None for norm in norms if norm.votes),
        "no_label_by": counted(vote for norm in norms for vote in norm.votes if vote not in ANSWERS),
        "with_negation": sum(bool(norm.negation) for norm in norms),
        "no_negation_by": counted(norm.unnegated for norm in norms if norm.unnegated),
        "agreement_asked": sum(norm.agreement is not None for norm in norms),
        "by_place": counted(norm.place for norm in norms),
        "by_domain": counted(norm.domain or "no domain" for norm in norms),
        "bundles": len(bundles),
        "pools": {"made": sum(not pool.why for pool in pools), **counted(pool.why for pool in pools if pool.why)},
        "by_pool": pools,
    }


class _Strict(msgspec.Struct):
    answer: Literal["Yes", "Sometimes", "No"]


class _Negated(msgspec.Struct):
    negation: str


async def votes_on(norm: BuiltNorm, voice: LoggingCaller, sampling: Sampling) -> tuple[str, ...] | NoAnswer:
    """Each labeller's label of a norm, or the reason for none; one reason alone where a call may succeed later."""
    asked = (ask(voice, _question(norm, role), sampling) for role in LABELLERS)
    found = await asyncio.gather(*asked)
    transient = next((each for each in found if isinstance(each, NoAnswer) and each.transient), None)
    return transient or tuple(each.value.answer if isinstance(each, ParsedAnswer) else each.reason for each in found)


def majority_strictness(votes: Sequence[str]) -> Strictness | Literal["yes"] | None:
    """One label out of three, `yes` where the norm is acceptable to act against; None where one is missing.

    >>> [majority_strictness(("No", *rest, "No")) for rest in (["No"], ["Sometimes"], ["refusal"])]
    ['no', 'sometimes', None]
    >>> majority_strictness(("No", "No", "Yes"))
    'yes'
    """
    if not set(votes) <= set(ANSWERS):
        return None
    if "Yes" in votes:
        return "yes"
    return "no" if set(votes) == {"No"} else "sometimes"


async def negation_of(norm: BuiltNorm, voice: LoggingCaller, sampling: Sampling) -> str | NoAnswer:
    """A statement that says the opposite of a norm, in other words than its own and about as long."""
    reply = json.dumps({"negation": f"It is not so: {norm.statement}"})
    question = StructuredQuery(
        prompt=prompt("negation"),
        values={"place": place(norm.place).name, "norm": norm.statement},
        shape=_Negated,
        tag=Tag(item=norm.id, role=WRITER),
        key=AnswerKey(unit=f"negation/{norm.id}", truth="said", ways={"said": reply}, place=norm.place),
        check=lambda answer: _wrong(norm.statement, answer.negation),
    )
    found = await ask(voice, question, sampling)
    return found if isinstance(found, NoAnswer) else " ".join(found.value.negation.split())


def _wrong(statement: str, negation: str) -> str:
    """Fault of a negation; empty where there is none."""
    one, other = normalised(statement), normalised(negation)
    if not other:
        return "the negation has no words."
    if one == other:
        return "the negation says what the norm says."
    if not 1 / LONGER <= len(other) / len(one) <= LONGER:
        return f"the negation has {len(other)} letters and the norm {len(one)}; write about as many."
    return ""


def _question(norm: BuiltNorm, role: str) -> StructuredQuery[_Strict]:
    planted = _PLANTED.child("strictness", norm.id).uniform()
    truth = ANSWERS[0] if planted < 0.15 else ANSWERS[1] if planted < 0.5 else ANSWERS[2]
    ways = {answer: json.dumps({"answer": answer}) for answer in ANSWERS}
    return StructuredQuery(
        prompt=prompt("strictness"),
        values={"place": place(norm.place).name, "norm": norm.statement},
        shape=_Strict,
        tag=Tag(item=norm.id, role=role),
        key=AnswerKey(unit=f"strictness/{norm.id}", truth=truth, ways=ways, place=norm.place),
    )
