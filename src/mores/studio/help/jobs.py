"""Jobs for models: asked once for the same words, taken by one at a time, their replies kept for good."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec
from django.db.models import F, Q

from mores.core.codec import build, digest
from mores.studio.help.prompts import HelpRequest, prompt
from mores.studio.models import Account, Job, JobState, Project
from mores.studio.work.transactions import writing

LEASE = timedelta(minutes=10)


class ClaimedJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job that is being carried out."""

    number: int
    wanted: HelpRequest


def ask_for(project: Project, account: Account, about: str, wanted: HelpRequest) -> Job:
    """A job for what somebody wants for one page of theirs, `about`.

    The same words asked for while the first asking waits are that asking; once it was answered they are another.
    A job that failed is tried anew.
    """
    words_hash = digest(msgspec.structs.asdict(wanted), length=64)
    with writing():
        alike = Job.objects.filter(project=project, account=account, about=about, kind=wanted.kind, likeness=words_hash)
        last = alike.order_by("-pk").first()
        if last is not None and last.state == JobState.ASKED:
            return last
        if last is not None and last.state == JobState.FAILED:
            Job.objects.filter(pk=last.pk).update(state=JobState.ASKED, error="", lease_until=None)
            return last
        # Askings are numbered, or the journal of calls would answer the second one with the reply to the first.
        request = msgspec.structs.asdict(wanted) | {"sample": alike.count()}
        return Job.objects.create(
            project=project, account=account, about=about, kind=wanted.kind, request=request,
            likeness=words_hash,
            key=digest([project.pk, account.pk, about, prompt(wanted.kind).sha, request], length=64),
        )  # fmt: skip


def jobs_about(project: Project, account: Account, about: str) -> Sequence[Job]:
    """Jobs that somebody asked for on one page, the newest first."""
    return list(Job.objects.filter(project=project, account=account, about=about).order_by("-pk"))


def take(job: Job) -> None:
    """Store that a proposal was put into the form, after all that was asked for on its page by then."""
    with writing():
        locked = Job.objects.select_for_update().get(pk=job.pk)
        page = Job.objects.filter(project=locked.project_id, account=locked.account_id, about=locked.about)
        locked.taken = [*locked.taken, page.order_by("-pk").values_list("pk", flat=True)[0]]
        locked.save(update_fields=["taken"])


def claim(most: int) -> list[ClaimedJob]:
    """Jobs that wait, the oldest first; they are ours until their lease ends."""
    # Looked at without a transaction: a worker that asks four times a second would else hold up SQLite's one writer.
    if not Job.objects.filter(state=JobState.ASKED).exists():
        return []
    with writing() as now:
        free = Job.objects.filter(Q(lease_until=None) | Q(lease_until__lte=now), state=JobState.ASKED)
        jobs = list(free.select_for_update(skip_locked=True).order_by("pk")[:most])
        Job.objects.filter(pk__in=[job.pk for job in jobs]).update(lease_until=now + LEASE, attempts=F("attempts") + 1)
    return [ClaimedJob(number=job.pk, wanted=build(HelpRequest, job.request, where=f"job {job.pk}")) for job in jobs]


def release_all() -> None:
    """Let jobs that an earlier process had taken be taken again."""
    with writing():
        Job.objects.filter(state=JobState.ASKED).update(lease_until=None)


def end(number: int, *, state: JobState, model: str, response: object = None, error: str = "") -> None:
    """Store what came of a job; a job that has ended stays as it is."""
    with writing() as now:
        Job.objects.filter(pk=number, state=JobState.ASKED).update(
            state=state, model=model[:120], response=response, error=error[:2000], ended_at=now
        )
