"""Tokens by which programs read a project, and addresses that are told of its items, with what they are sent."""

from typing import ClassVar

from django.db import models

from mores.studio.models.people import Account
from mores.studio.models.projects import Project


class ApiToken(models.Model):
    """Leave to read a project by its address for programs; only the hash of the token is kept."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="tokens")
    token_sha256 = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=80)
    made_by = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)


class Webhook(models.Model):
    """Address that is told when an item has all its answers; the secret signs what it is sent."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="webhooks")
    address = models.URLField(max_length=500)
    secret = models.CharField(max_length=64)
    made_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)


class Delivery(models.Model):
    """One event for one address, once; sent until it is taken, or given up."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event_id = models.CharField(max_length=120)
    body = models.JSONField()
    attempts = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField(null=True, help_text="None: taken, or given up.")
    taken_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["webhook", "event_id"], name="delivery_once")]
        indexes: ClassVar = [
            models.Index(fields=["due_at"], condition=models.Q(due_at__isnull=False), name="delivery_due")
        ]
