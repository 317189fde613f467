"""What models were asked in helping people."""

from typing import ClassVar

from django.db import models

from mores.studio.models.people import Account
from mores.studio.models.projects import Project


class Job(models.Model):
    """One request for help; `key` is the hash of what is asked, so that it is asked once."""

    class State(models.TextChoices):
        """How it stands."""

        ASKED = "asked"
        ANSWERED = "answered"
        REFUSED = "refused"
        FAILED = "failed"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="jobs")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    about = models.CharField(max_length=60, default="", blank=True, help_text="The page that it was asked for on.")
    likeness = models.CharField(
        max_length=64, default="", help_text="Hash of what is asked, alike for each asking of it."
    )
    key = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    attempts = models.PositiveIntegerField(default=0)
    model = models.CharField(max_length=120, default="", blank=True)
    request = models.JSONField()
    response = models.JSONField(null=True, blank=True)
    error = models.TextField(default="", blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["project", "account", "about"], name="job_of_a_page"),
            models.Index(fields=["state", "lease_until"], name="job_to_take"),
        ]
