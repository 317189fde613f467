"""A Prolific for tests: it signs links and events as the real one does, and hands out its table of submissions."""

import hashlib
import json
import random
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from django.test import Client

from mores.studio.models import Project, ProlificStudy
from mores.studio.recruiting.submissions import signature_of
from mores.studio.recruiting.tokens import SHA256_PREFIX

EXPONENT = 65537
SECRET = "the secret of the hook"
HERE = "http://127.0.0.1:8765"
FAR = 4_000_000_000


def study(project: Project, *, signed: bool = False, region: str = "", answers: int = 2) -> ProlificStudy:
    """A study of a project."""
    return ProlificStudy.objects.create(
        project=project, study_id="study-1", region=region, answers=answers, keys=[key()] if signed else [],
        hook_secret=SECRET, code_done="DONE", code_screened_out="OUT", code_declined="NO", code_late="LATE",
        reward="3.50", screen_out_reward="0.50",
    )  # fmt: skip


def ids(person: str = "person-1", submission: str = "submission-1", of: str = "study-1") -> dict[str, str]:
    """What a link carries."""
    return {"PROLIFIC_PID": person, "STUDY_ID": of, "SESSION_ID": submission}


@dataclass
class Came:
    """Somebody whom Prolific sent, at their browser."""

    client: Client = field(default_factory=Client)
    person: str = "person-1"
    submission: str = "submission-1"

    def open(self, project: str = "feasts") -> object:
        """Follow the link."""
        return self.client.get(f"/p/{project}/prolific", ids(self.person, self.submission), follow=True)

    def screened(self, place: str = "JP") -> str:
        """Follow the link, tell where they are from, and see what comes next."""
        self.open()
        told = {"nationality": place, "residence": place, "consent": "on"}
        return self.client.post("/p/feasts/screening", told, follow=True).content.decode()


def event(status: str, *, submission: str = "submission-1", number: str = "event-1", secret: str = SECRET) -> int:
    """Tell of a submission by the hook; the status of the answer."""
    body = json.dumps({"event_type": "submission.status.change", "resource_id": submission, "status": status})
    headers = {
        "X-Prolific-Request-Signature": signature_of(secret, "1700000000", body.encode()),
        "X-Prolific-Request-Timestamp": "1700000000",
        "X-Event-ID": number,
    }
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post("/p/feasts/prolific/hook", body, content_type="application/json", headers=headers)
    return answer.status_code


def table(folder: Path, *rows: tuple[str, str, str]) -> Path:
    """Prolific's table of submissions."""
    path = folder / "submissions.csv"
    lines = ["Submission id,Participant id,Status,Time taken", *(",".join((*row, "60")) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def key() -> dict[str, str]:
    """The public key, as in a key set."""
    modulus, _ = _pair()
    return {"kid": "k1", "kty": "RSA", "n": _text(modulus.to_bytes(256, "big")), "e": "AQAB"}


def token(claims: dict[str, object], *, alg: str = "RS256", kid: str = "k1") -> str:
    """A signed token."""
    head, body = (_text(json.dumps(part).encode()) for part in ({"alg": alg, "kid": kid}, claims))
    modulus, private = _pair()
    tail = b"\x00" + SHA256_PREFIX + hashlib.sha256(f"{head}.{body}".encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (254 - len(tail)) + tail
    signed = pow(int.from_bytes(padded, "big"), private, modulus).to_bytes(256, "big")
    return f"{head}.{body}.{_text(signed)}"


def link(**other: object) -> dict[str, object]:
    """The claims of a good link."""
    return {"prolific": ids(), "aud": HERE, "exp": FAR} | other


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


@cache
def _pair() -> tuple[int, int]:
    """Modulus and private exponent; the same each time."""
    dice = random.Random(7)
    one, other = _prime(dice), _prime(dice)
    return one * other, pow(EXPONENT, -1, (one - 1) * (other - 1))


def _prime(dice: random.Random) -> int:
    while True:
        number = dice.getrandbits(1024) | (3 << 1022) | 1
        if all(pow(base, number - 1, number) == 1 for base in (2, 3, 5, 7)) and (number - 1) % EXPONENT:
            return number
