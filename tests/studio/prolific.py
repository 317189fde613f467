"""A Prolific for tests: it signs links and events as the real one does, and hands out its table of submissions."""

import json
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from django.test import Client
from jwt.algorithms import RSAAlgorithm

from mores.studio.models import Project, ProlificStudy
from mores.studio.recruiting.submissions import signature_of

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
    public = RSAAlgorithm.to_jwk(_private().public_key(), as_dict=True)
    return {"kid": "k1", "kty": "RSA", "n": public["n"], "e": public["e"]}


def token(claims: dict[str, object], *, alg: str = "RS256", kid: str = "k1") -> str:
    """A signed token; with another algorithm than its own, its head says so and its signature stays as it was."""
    head, body, signature = jwt.encode(claims, _private(), "RS256", headers={"kid": kid}).split(".")
    if alg != "RS256":
        head = urlsafe_b64encode(json.dumps({"alg": alg, "kid": kid}).encode()).decode().rstrip("=")
    return f"{head}.{body}.{signature}"


def link(**other: object) -> dict[str, object]:
    """The claims of a good link."""
    return {"prolific": ids(), "aud": HERE, "exp": FAR} | other


@cache
def _private() -> RSAPrivateKey:
    """The private key, made once; no test depends on which it is."""
    return generate_private_key(65537, 2048)
