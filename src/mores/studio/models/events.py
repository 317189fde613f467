"""The audit trail: what happened, in chains of hashes, one a project."""

from typing import ClassVar

from django.db import models

from mores.studio.models.people import Account


class Event(models.Model):
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
        constraints: ClassVar = [models.UniqueConstraint(fields=["chain", "number"], name="event_number_once")]
