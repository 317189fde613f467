"""Assignments, answers and drafts of people; help by models, the ledger and the audit trail."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from mores.studio.models.items import ItemVersion, WorkItem
from mores.studio.models.people import Account, Participant
from mores.studio.models.projects import Project


class AssignmentStatus(models.TextChoices):
    """State of it. `extra` is an answer past the quota, `excluded` one of somebody excluded: neither counts."""

    CLAIMED = "claimed", _("open")
    DONE = "done", _("answered")
    SKIPPED = "skipped", _("skipped")
    EXPIRED = "expired", _("expired")
    EXTRA = "extra", _("answered past the quota")
    DISCARDED = "discarded", _("discarded")
    EXCLUDED = "excluded", _("answered by somebody who is excluded")


class Assignment(models.Model):
    """One person's hold on one item.

    `account` and `author` repeat what stands in the participant and the item, so that the database itself can refuse
    that anybody answers what they wrote.
    """

    ANSWERED: ClassVar = (AssignmentStatus.DONE, AssignmentStatus.EXTRA, AssignmentStatus.EXCLUDED)
    """What was answered and is paid; only `done` counts."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="assignments")
    item = models.ForeignKey(WorkItem, on_delete=models.PROTECT, related_name="assignments")
    shown = models.ForeignKey(ItemVersion, on_delete=models.PROTECT, related_name="+")
    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="assignments")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    author = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    status = models.CharField(max_length=10, choices=AssignmentStatus.choices, default=AssignmentStatus.CLAIMED)
    lease_until = models.DateTimeField()
    claimed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["item", "participant"], name="assignment_once"),
            models.UniqueConstraint(
                fields=["project", "participant"], condition=Q(status="claimed"), name="assignment_one_open"
            ),
            models.CheckConstraint(
                condition=Q(author__isnull=True) | ~Q(author=F("account")), name="assignment_not_of_its_author"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["project", "lease_until"], condition=Q(status="claimed"), name="assignment_leases")
        ]


class Response(models.Model):
    """One version of an answer; an edit appends another, a trigger refuses to change or delete one."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="responses")
    version = models.PositiveIntegerField()
    answer = models.JSONField()
    idem_key = models.CharField(max_length=64, unique=True, help_text="One sending, however often it arrives.")
    order = models.JSONField(null=True, blank=True, help_text="Options as they stood, by question.")
    active_ms = models.PositiveIntegerField(null=True, blank=True, help_text="Time on task; within the lease's time.")
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["assignment", "version"], name="response_version_once")
        ]


class AnswerRedaction(models.Model):
    """Answer whose words were taken out on request; a trigger refuses to change or delete one.

    Where there is one, and nowhere else, the trigger on responses lets their words be emptied.
    """

    assignment = models.OneToOneField(Assignment, on_delete=models.PROTECT, related_name="redaction")
    by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "studio_redaction"


class Draft(models.Model):
    """Text that somebody has typed and not sent: `name` says of what, `rev` grows with each save."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="drafts")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="drafts")
    name = models.CharField(max_length=60)
    rev = models.PositiveIntegerField(default=0)
    body = models.JSONField(default=dict)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "account", "name"], name="draft_once")]


class AuditEvent(models.Model):
    """One thing that happened; each holds the hash of the one before it, a trigger refuses to change or delete one.

    `chain` is the project's number, 0 for the studio as a whole.
    """

    chain = models.PositiveBigIntegerField()
    number = models.PositiveBigIntegerField()
    who = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    what = models.CharField(max_length=40)
    about = models.JSONField(default=dict)
    at = models.CharField(max_length=40, help_text="ISO 8601, as it was hashed.")
    before_sha256 = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64, unique=True)

    class Meta:
        db_table = "studio_event"
        constraints: ClassVar = [models.UniqueConstraint(fields=["chain", "number"], name="event_number_once")]


class Payment(models.Model):
    """One line of the ledger; a trigger refuses to change or delete one, a correction is another line."""

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="payments")
    submission = models.CharField(max_length=100, help_text="What is paid; no submission is paid twice for one reason.")
    reason = models.CharField(max_length=40)
    status = models.CharField(max_length=20)
    minutes = models.DecimalField(max_digits=8, decimal_places=2)
    amount = models.DecimalField(max_digits=10, decimal_places=2)
    currency = models.CharField(max_length=3, default="USD")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["participant", "submission", "reason"], name="payment_once")
        ]


class JobState(models.TextChoices):
    """State of a job."""

    ASKED = "asked"
    ANSWERED = "answered"
    REFUSED = "refused"
    FAILED = "failed"


class Job(models.Model):
    """One request for help; `key` is the hash of what is asked, so that it is asked once."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="jobs")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    about = models.CharField(max_length=60, default="", blank=True, help_text="The page that it was asked for on.")
    likeness = models.CharField(
        max_length=64, default="", help_text="Hash of what is asked, alike for each asking of it."
    )
    key = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.ASKED)
    attempts = models.PositiveIntegerField(default=0)
    model = models.CharField(max_length=120, default="", blank=True)
    request = models.JSONField()
    response = models.JSONField(null=True, blank=True)
    error = models.TextField(default="", blank=True)
    taken = models.JSONField(
        default=list, blank=True, help_text="Each time its proposal was taken: the newest job of the page then."
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["project", "account", "about"], name="job_of_a_page"),
            models.Index(fields=["state", "lease_until"], name="job_to_take"),
        ]
