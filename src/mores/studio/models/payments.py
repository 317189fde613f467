"""What people are owed, line by line."""

from typing import ClassVar

from django.db import models

from mores.studio.models.people import Participant


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
