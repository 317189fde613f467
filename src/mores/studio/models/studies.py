"""Studies on a recruiting platform that send people to a project, and what the platform told of their submissions."""

from typing import ClassVar

from django.db import models

from mores.studio.models.projects import Project


class Study(models.Model):
    """One study on Prolific: how its links are checked, what its people do and are paid, the codes that end it.

    Without `keys` the links are unsigned, and told apart only by ids that nobody can guess.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="studies")
    study_id = models.CharField(max_length=64, unique=True)
    region = models.CharField(max_length=10, default="", blank=True)
    answers = models.PositiveIntegerField(default=10, help_text="Answers in one submission.")
    keys = models.JSONField(default=list, blank=True, help_text="Public keys (JWK) of those who sign its links.")
    hook_secret = models.CharField(max_length=200, default="", blank=True)
    code_done = models.CharField(max_length=40)
    code_screened_out = models.CharField(max_length=40)
    code_declined = models.CharField(max_length=40)
    code_late = models.CharField(max_length=40)
    reward = models.DecimalField(max_digits=10, decimal_places=2)
    screen_out_reward = models.DecimalField(max_digits=10, decimal_places=2)
    currency = models.CharField(max_length=3, default="USD")
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.study_id


class Notice(models.Model):
    """What the platform told of a submission, once an event however often it is sent."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="notices")
    event_id = models.CharField(max_length=100)
    submission = models.CharField(max_length=100)
    status = models.CharField(max_length=40)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["study", "event_id"], name="notice_once")]
