"""Tokens by which programs read a project; a token is shown once, and only its hash is kept."""

import hashlib
import secrets
import time

from django.core.cache import cache

from mores.studio.models import Account, ApiToken, Project
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

A_MINUTE = 60
"""Requests that a token may make in a minute, of each process of the server."""


def make_api_token(project: Project, name: str, *, by: Account) -> str:
    """A new token."""
    token = secrets.token_urlsafe(32)
    with writing() as now:
        ApiToken.objects.create(project=project, token_sha256=_hash(token), name=name, made_by=by)
        record(project.pk, "token", {"name": name}, who=by.pk, at=now)
    return token


def end_api_token(project: Project, number: int, *, by: Account) -> None:
    """End a token; nothing where it has ended, or is of another project."""
    with writing() as now:
        if ApiToken.objects.filter(pk=number, project=project, ended_at=None).update(ended_at=now):
            record(project.pk, "token-end", {"token": number}, who=by.pk, at=now)


def find_api_token(slug: str, header: str) -> ApiToken | None:
    """The token of an Authorization header, where it lets in to this project."""
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token:
        return None
    found = ApiToken.objects.filter(token_sha256=_hash(token.strip()), project__slug=slug, ended_at=None)
    return found.select_related("project").first()


def too_often(token: ApiToken) -> bool:
    """True once a token has made its requests of this minute."""
    key = f"api-{token.pk}-{int(time.time() // 60)}"
    cache.add(key, 0, timeout=120)
    return cache.incr(key) > A_MINUTE


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
