"""Certificates as they are stored: the promise of one judge on one task at each level, its conditions, and the file.

A promise made under one set of conditions is void under another: conditions are stored in a readable form, so that a
refusal can name what differs, and as a digest. A file is written once, read strictly, and refused where it was changed
or does not fit a run.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import fields, replace

from mores.annotation.judged_items import JudgedEvaluation
from mores.annotation.label_tables import TaskTable
from mores.core.codec import build, digest, encode, parse_json, read_text
from mores.core.errors import InputError
from mores.core.files import write_new
from mores.core.languages import ENGLISH
from mores.judges.parse import READING
from mores.models.registry import is_simulated
from mores.stats.conformal.draws import Thresholds
from mores.stats.conformal.replay import SetScore

Quality = Literal["constant", "gnmt", "mean", "prefix", "verbalised", "decision"]
SimilarityRule = Literal["decision", "plain", "stemmed", "none"]
Confidence = Literal["consistency", "shares", "likelihood"]
Promised = Literal["thing", "episode"]
"""Unit of the promise: a thing drawn from all things, or of one thing drawn from an episode."""
PlainScalar = str | bool | int | float | None
FORMS = "judges."
"""Prefix of the prompts that all judges share: the form of an answer, the fence, the asking again."""


class ConformalSettings(Struct, frozen=True, kw_only=True):
    """Settings of conformal sets: rule of quality, rule of similarity, and score at which a set is enough.

    `confidence` is of a single decision, for trust or escalation; then the others are not used. `promise` says what is
    promised of them.
    """

    quality: Quality = "constant"
    similarity: SimilarityRule = "decision"
    score: SetScore = "first_k"
    confidence: Confidence | None = None
    promise: Promised = "thing"


class CertificateConditions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Conditions of a certificate: judge, task and words, how draws were made and how many, and what was made of them.

    `altered` is what the endpoint did not take and was left out, `settings` are the benchmark's options, `prompts`
    the hashes of the judge's words, `parser` how replies are read. `languages` are those of the answers, none where all
    are in English: a judge that is right about answers in one may err about those in another.
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
    languages: tuple[str, ...] = ()

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
    languages = tuple(sorted(set(table.languages.tolist())))
    # by the names that certificates are stored with: their hash is of these, and another name would void them
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
        languages=() if languages == (ENGLISH,) else languages,
    )


def _endpoint(spec: str, identity: str) -> str:
    """Endpoint of the judge; of a simulated one without its seed, which are no part of who it is."""
    # what follows the first blank is a seed, and a judge is the same whatever its draws
    return identity.partition(" ")[0] if is_simulated(spec) else identity


def _prompts(listed: Mapping[str, str], used: Collection[str]) -> dict[str, str]:
    """The judge's own words by name, and those that all judges share."""
    named = {name: sha for name, sha in sorted(listed.items()) if sha in used or name.startswith(FORMS)}
    return named or {"": ", ".join(sorted(used))}


def differences(promised: CertificateConditions, found: CertificateConditions) -> tuple[str, ...]:
    """Differences in words, each with what was and what it is here."""
    text: list[str] = []
    for field in fields(CertificateConditions):
        was, now = getattr(promised, field.name), getattr(found, field.name)
        if isinstance(was, dict) and isinstance(now, dict):
            names = sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))
            label = f"{field.name[:-1]} " if field.name in {"prompts", "settings"} else ""
            text += [
                f"{label}{name} {_format_value(was.get(name))}, here {_format_value(now.get(name))}" for name in names
            ]
        elif was != now:
            text.append(f"{field.name} {_format_value(was)}, here {_format_value(now)}")
    return tuple(text)


def _format_value(value: object) -> str:
    match value:
        case None:
            return "none"
        case tuple():
            return ", ".join(map(str, value)) or "none"
        case _:
            return str(value)


CertificateKind = Literal["clm", "selective"]
GuaranteeKind = Literal["probability", "selective"]
FORMAT = 2


class CertifiedLevel(Struct, frozen=True, kw_only=True):
    """One level: the thresholds certified at it with the claim, or the cause for which there are none and why.

    `thresholds` are the ceiling of similarity, the floor of quality and the stop, "inf" and "-inf" for none; of a
    selective certificate the confidence from which decisions stand, and `kept` counts the things at or above it.
    `loss` is the share of units lost (wrong, among the kept); where nothing is certified, with all draws kept.
    `passes_at` is the least level that the first setting would have passed, `labels_needed` a guess at how many
    independent labels would certify this one, were losses as frequent; None where none would.
    """

    risk: float
    certified: bool
    thresholds: dict[str, float | str]
    loss: float
    units: int
    claim: str
    p: float | None = None
    tested: int = 0
    accepted: int = 0
    kept: int | None = None
    cause: str = ""
    passes_at: float | None = None
    labels_needed: int | None = None

    @property
    def settings(self) -> Thresholds:
        """The thresholds of kept sets as numbers."""
        return Thresholds(*(float(self.thresholds[name]) for name in Thresholds._fields))


class HeldOutResult(Struct, frozen=True, kw_only=True):
    """Outcome of a certified level on held-out things, for a picture beside the certificate; no part of its promise.

    `loss` is the share without the right judgement, of a selective certificate the share wrong among the `accepted`.
    """

    risk: float
    loss: float | None
    low: float | None
    high: float | None
    items: int
    accepted: int | None = None


class CalibrationPopulation(Struct, frozen=True, kw_only=True):
    """Population of a certificate: models whose answers were labelled, places, people, and clusters.

    `left_out` are labelled things on which people tie; the promise speaks of things on which they do not. `longest` is
    the most things that one model has in an episode: of longer ones nothing is promised.
    """

    models: tuple[str, ...]
    places: dict[str, int]
    people: int
    items: int
    clusters: int
    left_out: int
    longest: int

    @property
    def clustered(self) -> bool:
        """True where things share an episode, a scene or a day, which are then the units."""
        return self.clusters < self.items


class Certificate(Struct, frozen=True, kw_only=True):
    """Promise of one judge on one task (at one place), its conditions, and its test.

    `steps` says where the settings that were tried came from; `hash` stands for the conditions.
    """

    conditions: CertificateConditions
    hash: str
    place: str | None
    promise: GuaranteeKind
    delta: float
    claims: int
    mode: str
    steps: str
    population: CalibrationPopulation
    levels: tuple[CertifiedLevel, ...]
    held: tuple[HeldOutResult, ...] = ()

    @property
    def name(self) -> str:
        """Task, judge and place."""
        place = f", {self.place or 'no place'}" if self.place is not None else ""
        return f"{self.conditions.benchmark} {self.conditions.task}, {self.conditions.judge}{place}"


class CertificateFile(Struct, frozen=True, kw_only=True):
    """Certificates of one call: what they rest on by hash, and a hash of all else, so that a change is seen.

    `labels` are hashes of the label files by their names, `sample` that of the frozen sample, "" for none; `split` says
    how calibration and held-out things were told apart.
    """

    format: int = FORMAT
    kind: CertificateKind
    simulated: bool
    seed: int
    labels: dict[str, str]
    sample: str
    split: str
    certificates: tuple[Certificate, ...]
    sha: str = ""

    @property
    def hash(self) -> str:
        """The hash of all but itself."""
        return digest(replace(self, sha=""), length=16)


def write_certificates(path: Path, file: CertificateFile) -> None:
    """Put the file in place, laid out for people.

    Raises:
        InputError: there is a file of that name.
    """
    import json  # noqa: PLC0415 - laid out for people, as manifests are

    plain = parse_json(encode(file), where="certificate")
    write_new(path, (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode())


def read_certificates(path: Path) -> CertificateFile:
    """The certificates of a file.

    Raises:
        InputError: it is no such file, of another format, or was changed after it was written.
    """
    plain = parse_json(read_text(path), where=str(path))
    # before fields are read one by one: those of another format would only be called unknown
    if not isinstance(plain, dict) or plain.get("format") != FORMAT or "certificates" not in plain:
        raise InputError(f"{path}: no certificates; expected a file of mores judge sets or selective.")
    file = build(CertificateFile, plain, where=str(path))
    if file.sha != file.hash:
        raise InputError(
            f"{path}: it was changed after it was written (hash {file.hash}, expected {file.sha}); calibrate anew."
        )
    return file


def refuse_other(certificate: Certificate, found: CertificateConditions, *, where: str) -> None:
    """Nothing, if what is found is just what was promised of.

    Raises:
        InputError: anything differs; the message names what.
    """
    if found.hash != certificate.hash:
        text = "; ".join(differences(certificate.conditions, found))
        raise InputError(f"{where}: the certificate of {certificate.name} speaks of another judgement: {text}.")
