"""Who holds which item, what they answered, and what they have typed so far."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from mores.studio.models.items import Item, ItemVersion
from mores.studio.models.people import Account, Participant
from mores.studio.models.projects import Project


class Assignment(models.Model):
    """One person's hold on one item.

    `account` and `author` repeat what stands in the participant and the item, so that the database itself can refuse
    that anybody answers what they wrote.
    """

    class Status(models.TextChoices):
        """How it stands. `extra` is an answer past the quota, `excluded` one of somebody excluded: neither counts."""

        CLAIMED = "claimed", _("open")
        DONE = "done", _("answered")
        SKIPPED = "skipped", _("skipped")
        EXPIRED = "expired", _("expired")
        EXTRA = "extra", _("answered past the quota")
        DISCARDED = "discarded", _("discarded")
        EXCLUDED = "excluded", _("answered by somebody who is excluded")

    ANSWERED: ClassVar = (Status.DONE, Status.EXTRA, Status.EXCLUDED)
    """What was answered and is paid; only `done` counts."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="assignments")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="assignments")
    shown = models.ForeignKey(ItemVersion, on_delete=models.PROTECT, related_name="+")
    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="assignments")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    author = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.CLAIMED)
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
    active_ms = models.PositiveIntegerField(null=True, blank=True, help_text="Time on task; within the lease's time.")
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["assignment", "version"], name="response_version_once")
        ]


class Draft(models.Model):
    """What somebody has typed and not sent: `name` says of what, `rev` grows with each save."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="drafts")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="drafts")
    name = models.CharField(max_length=60)
    rev = models.PositiveIntegerField(default=0)
    body = models.JSONField(default=dict)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "account", "name"], name="draft_once")]
