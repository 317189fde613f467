"""Everything a certificate depends on: a promise made under one set of conditions is void under another.

Stored in a readable form, so that a refusal can name what differs, and as a digest.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from mores.annotation.judged_items import JudgedEvaluation
from mores.annotation.label_tables import TaskTable
from mores.core.codec import digest
from mores.judges.parse import READING
from mores.models.registry import is_simulated
from mores.stats.conformal.replay import SetScore

Quality = Literal["constant", "gnmt", "mean", "prefix", "verbalised", "decision"]
SimilarityRule = Literal["decision", "plain", "stemmed", "none"]
Confidence = Literal["consistency", "shares", "likelihood"]
Promised = Literal["thing", "episode"]
"""What is promised: of a thing drawn from all things, or of one thing drawn from an episode."""
PlainScalar = str | bool | int | float | None
FORMS = "judges."
"""How names of the prompts begin that all judges share: the form of an answer, the fence, the asking again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformalSettings:
    """What is made of draws: how good each is held to be, how alike two are, and when a set of them is enough.

    `confidence` is of a single decision, for trust or escalation; then the others are not used. `promise` says what is
    promised of them.
    """

    quality: Quality = "constant"
    similarity: SimilarityRule = "decision"
    score: SetScore = "first_k"
    confidence: Confidence | None = None
    promise: Promised = "thing"


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateConditions:
    """Who judged what in which words, how draws were made and how many, and what was made of them.

    `altered` is what the endpoint did not take and was left out, `settings` are the benchmark's options, `prompts`
    the hashes of the judge's words, `parser` how replies are read.
    """

    judge: str
    role: str
    endpoint: str
    altered: tuple[str, ...]
    benchmark: str
    card: str
    settings: dict[str, str]
    task: str
    options: tuple[str, ...]
    prompts: dict[str, str]
    sampling: dict[str, PlainScalar]
    parser: str
    draws: int
    measure: dict[str, PlainScalar]

    @property
    def hash(self) -> str:
        """Sixteen hex digits that stand for all of it."""
        return digest(self, length=16)


def conditions_of(
    evaluation: JudgedEvaluation,
    table: TaskTable,
    role: str,
    prompts: Collection[str],
    draws: int,
    measure: ConformalSettings,
) -> CertificateConditions:
    """The conditions under which one evaluation of a run was judged by one role."""
    spec = evaluation.judges.get(role, role)
    protocol: Mapping[str, Any] = evaluation.manifest["protocol"]
    asked: Mapping[str, Any] = protocol.get("judging") or {}
    door: Mapping[str, Any] = evaluation.manifest.get("models", {}).get(spec, {})
    used = {"confidence": measure.confidence} if measure.confidence else {
        "quality": measure.quality, "likeness": measure.similarity, "set": measure.score}  # fmt: skip
    return CertificateConditions(
        judge=spec,
        role=role,
        endpoint=_endpoint(spec, str(door.get("identity", ""))),
        altered=tuple(door.get("altered") or ()),
        benchmark=table.benchmark,
        card=str(evaluation.manifest["card"]["version"]),
        settings=dict(protocol.get("settings") or {}),
        task=table.task,
        options=table.options,
        prompts=_prompts(evaluation.manifest["prompts"], prompts),
        sampling=dict(asked.get("sampling") or {}),
        parser=READING,
        draws=draws,
        measure={**used, "promise": measure.promise},
    )


def _endpoint(spec: str, identity: str) -> str:
    """Where the judge is reached; of a simulated one without its seed, which are no part of who it is."""
    return identity.partition(" ")[0] if is_simulated(spec) else identity


def _prompts(listed: Mapping[str, str], used: Collection[str]) -> dict[str, str]:
    """The judge's own words by name, and those that all judges share."""
    named = {name: sha for name, sha in sorted(listed.items()) if sha in used or name.startswith(FORMS)}
    return named or {"": ", ".join(sorted(used))}


def differences(promised: CertificateConditions, found: CertificateConditions) -> tuple[str, ...]:
    """What differs, each in words: what was, and what it is here."""
    told: list[str] = []
    for field in fields(CertificateConditions):
        was, now = getattr(promised, field.name), getattr(found, field.name)
        if isinstance(was, dict) and isinstance(now, dict):
            names = sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))
            label = f"{field.name[:-1]} " if field.name in {"prompts", "settings"} else ""
            told += [
                f"{label}{name} {_format_value(was.get(name))}, here {_format_value(now.get(name))}" for name in names
            ]
        elif was != now:
            told.append(f"{field.name} {_format_value(was)}, here {_format_value(now)}")
    return tuple(told)


def _format_value(value: object) -> str:
    match value:
        case None:
            return "none"
        case tuple():
            return ", ".join(map(str, value)) or "none"
        case _:
            return str(value)
