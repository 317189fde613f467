"""Certificates as they are stored: what is promised of one judge on one task at each level, and the file of them.

A file is written once, read strictly, and refused where it was changed or does not fit a run.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from mores.calibration.calibration_labels import CalibrationPopulation
from mores.calibration.certificate_conditions import CertificateConditions, differences
from mores.core.codec import build, digest, encode, parse_json, read_text
from mores.core.errors import InputError
from mores.core.files import write_new
from mores.stats.conformal.draws import Thresholds

CertificateKind = Literal["clm", "selective"]
GuaranteeKind = Literal["probability", "expectation", "selective"]
FORMAT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedLevel:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutResult:
    """What a certified level came to on held-out things, for a picture beside the certificate; no part of its promise.

    `loss` is the share without the right judgement, of a selective certificate the share wrong among the `accepted`.
    """

    risk: float
    loss: float | None
    low: float | None
    high: float | None
    items: int
    accepted: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What is promised of one judge on one task (at one place), under which conditions, and by which test.

    `steps` says where the settings that were tried came from; `hash` stands for the conditions.
    """

    conditions: CertificateConditions
    hash: str
    place: str | None
    promise: GuaranteeKind
    delta: float
    claims: int
    mode: str
    family: str
    steps: str
    population: CalibrationPopulation
    levels: tuple[CertifiedLevel, ...]
    held: tuple[HeldOutResult, ...] = ()

    @property
    def name(self) -> str:
        """Task, judge and place."""
        place = f", {self.place or 'no place'}" if self.place is not None else ""
        return f"{self.conditions.benchmark} {self.conditions.task}, {self.conditions.judge}{place}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFile:
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
    if isinstance(plain, dict) and plain.get("format") == FORMAT - 1 and "certificates" in plain:
        raise InputError(
            f"{path}: certificates of an older mores, which promise one thing of an episode where apply decides all of "
            "them; calibrate anew, which asks no model."
        )
    if not isinstance(plain, dict) or plain.get("format") != FORMAT or "certificates" not in plain:
        raise InputError(f"{path}: no certificates; expected a file that mores judge sets or selective wrote with --out.")
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
        told = "; ".join(differences(certificate.conditions, found))
        raise InputError(f"{where}: the certificate of {certificate.name} speaks of another judgement: {told}.")
