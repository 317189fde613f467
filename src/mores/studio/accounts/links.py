"""Links that let somebody in; a link is shown once, and only its hash is kept."""

import hashlib
import secrets
from datetime import timedelta

from django.db.models import F

from mores.studio.models import Account, Invite, Membership, Participant, Project, Role
from mores.studio.work.audit import STUDIO, record
from mores.studio.work.transactions import database_time, writing

OWNER_HOURS = 24
BACKEND = "django.contrib.auth.backends.ModelBackend"


def owner_token() -> str:
    """A one-time token that makes the first owner's account; tokens of earlier starts end."""
    Invite.objects.filter(project=None, role=Role.OWNER).update(uses_left=0)
    return make_token(None, Role.OWNER, hours=OWNER_HOURS)


def make_token(
    project: Project | None, role: Role, *, uses: int = 1, region: str = "", hours: int, by: Account | None = None
) -> str:
    """A new token for a link; it lets in `uses` people with a role, for so many hours."""
    token = secrets.token_urlsafe(24)
    with writing() as now:
        Invite.objects.create(
            token_sha256=_hash(token), project=project, role=role, region=region, uses_left=uses,
            expires_at=now + timedelta(hours=hours), made_by=by,
        )  # fmt: skip
        about = {"role": str(role), "region": region, "uses": uses}
        record(STUDIO if project is None else project.pk, "invite", about, who=None if by is None else by.pk, at=now)
    return token


def find_invite(token: str) -> Invite | None:
    """The invite of a token that still lets somebody in."""
    found = Invite.objects.filter(token_sha256=_hash(token), uses_left__gt=0, expires_at__gt=database_time())
    return found.select_related("project").first()


def revoke(invite: Invite, *, by: Account) -> None:
    """End a link; who came in by it stays."""
    with writing() as now:
        Invite.objects.filter(pk=invite.pk).update(uses_left=0)
        about = {"invite": invite.pk, "role": invite.role}
        record(invite.project_id or STUDIO, "revoke", about, who=by.pk, at=now)


def accept(invite: Invite, account: Account) -> bool:
    """Let an account in, once; False where the invite has just been used up."""
    with writing() as now:
        # Who has the role already uses nothing up.
        if Membership.objects.filter(account=account, project=invite.project, role=invite.role).exists():
            return True
        # Compared and counted in one statement, so that the last use of a link lets in one of two.
        if not Invite.objects.filter(pk=invite.pk, uses_left__gt=0).update(uses_left=F("uses_left") - 1):
            return False
        if invite.project is None:
            Account.objects.filter(pk=account.pk).update(is_owner=True)
        else:
            join(invite.project, account, Role(invite.role), region=invite.region)
        record(invite.project_id or STUDIO, "join", {"role": invite.role}, who=account.pk, at=now)
        return True


def join(project: Project, account: Account, role: Role, *, region: str = "") -> None:
    """Give an account a role in a project; who writes or answers is asked about themselves, and speaks for a region."""
    Membership.objects.get_or_create(account=account, project=project, role=role)
    if role in {Role.WRITER, Role.ANNOTATOR}:
        known = {"ext_id": str(account.pk), "asked_region": region}
        Participant.objects.get_or_create(project=project, account=account, defaults=known)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
