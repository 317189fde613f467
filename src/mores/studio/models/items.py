"""Items that are put to people, each version of their text, and decisions about them."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from mores.studio.models.people import Account
from mores.studio.models.projects import Project


class ItemState(models.TextChoices):
    """State of an item."""

    WAITING = "waiting", _("waiting for a curator")
    OPEN = "open", _("open")
    COMPLETE = "complete", _("complete")
    DROPPED = "dropped", _("dropped")
    RETURNED = "returned", _("sent back to who wrote it")
    RETIRED = "retired", _("retired")


class ItemKind(models.TextChoices):
    """Use of an item; only work is exported as data."""

    WORK = "work", _("work")
    TRAINING = "training", _("training")
    ATTENTION = "attention", _("attention check")


class ItemImport(models.Model):
    """One file of items that came in, so that it can be taken back as a whole."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    name = models.CharField(max_length=200, help_text="Of the file.")
    by = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "studio_import"


class WorkItem(models.Model):
    """One thing to answer, with how many people hold or have answered it.

    `claims` counts slots that are taken, by open work and by answers alike; `done` counts answers.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=120, help_text="Its id in the file it came from.")
    kind = models.CharField(max_length=10, choices=ItemKind.choices, default=ItemKind.WORK)
    version = models.PositiveIntegerField(default=1)
    region = models.CharField(max_length=10, default="", blank=True, help_text="ISO code; empty: anybody may answer.")
    author = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="written")
    state = models.CharField(max_length=10, choices=ItemState.choices, default=ItemState.OPEN)
    quota = models.PositiveIntegerField()
    claims = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    shuffle = models.PositiveBigIntegerField(help_text="From its key; orders items for each person in another way.")
    outcome = models.JSONField(null=True, blank=True, help_text="What the flow found once all answers were in.")
    came_in = models.ForeignKey(ItemImport, on_delete=models.PROTECT, null=True, blank=True, related_name="items")
    retired_from = models.CharField(
        max_length=10, choices=ItemState.choices, default="", blank=True, help_text="State before it was retired."
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "studio_item"
        constraints: ClassVar = [
            # Items that were taken back leave their ids to those of the right file.
            models.UniqueConstraint(
                fields=["project", "key"], condition=~Q(state="retired"), name="item_key_once_in_use"
            ),
            models.CheckConstraint(condition=Q(claims__lte=F("quota")), name="item_claims_within_quota"),
            models.CheckConstraint(condition=Q(done__lte=F("claims")), name="item_done_within_claims"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["project", "state", "region", "-claims"], name="item_to_claim"),
            models.Index(
                fields=["project", "shuffle", "region"],
                condition=Q(state="open", kind="work", claims=0),
                name="item_untouched",
            ),
            models.Index(
                fields=["project"],
                condition=Q(state="open", kind__in=["training", "attention"]),
                name="item_taught",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class ItemVersion(models.Model):
    """The words of an item at one time; a trigger refuses to change or delete one."""

    item = models.ForeignKey(WorkItem, on_delete=models.PROTECT, related_name="versions")
    version = models.PositiveIntegerField()
    payload = models.JSONField()
    sha256 = models.CharField(max_length=64)
    by = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    help = models.CharField(max_length=40, default="", blank=True, help_text="How a model helped to write it.")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["item", "version"], name="item_version_once")]


class ItemKey(models.Model):
    """Key of an item, which nobody who answers is shown; a trigger refuses to change or delete it.

    `cluster` is what the item is drawn together with, such as the question of a pair, and `expected` the answers it
    should have, by field; the rest is its flow's own.
    """

    item = models.OneToOneField(WorkItem, on_delete=models.PROTECT, related_name="sealed")
    facts = models.JSONField()

    class Meta:
        # Its first name, as is `sealed` above, so that no stored database has to be changed.
        db_table = "studio_sealed"


class Decision(models.Model):
    """Decision of a curator or an adjudicator about an item; the newest of a kind holds, none is ever changed."""

    item = models.ForeignKey(WorkItem, on_delete=models.PROTECT, related_name="decisions")
    kind = models.CharField(max_length=20, help_text="Such as curate or adjudicate.")
    verdict = models.JSONField()
    reason = models.TextField(default="", blank=True)
    by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)


class ItemProblem(models.Model):
    """Problem with an item that somebody tells the owner of."""

    item = models.ForeignKey(WorkItem, on_delete=models.PROTECT, related_name="problems")
    by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    words = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)
    handled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "studio_problem"
