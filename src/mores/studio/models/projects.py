"""Projects with their flow, quotas and guidelines, and the studies on Prolific that send people to them."""

from typing import ClassVar

from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _


class ProjectState(models.TextChoices):
    """State of a project, which says if work is handed out."""

    OPEN = "open", _("open")
    PAUSED = "paused", _("paused")
    CLOSED = "closed", _("closed")


class Project(models.Model):
    """One body of work: a flow over items, with the people who do it."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    flow = models.CharField(max_length=40)
    language = models.CharField(max_length=10, default="en", help_text="Language of its items (BCP 47).")
    licence = models.CharField(max_length=200, default="", blank=True, help_text="Of its exports, such as CC-BY-4.0.")
    state = models.CharField(max_length=10, choices=ProjectState.choices, default=ProjectState.OPEN)
    quota = models.PositiveIntegerField(default=5, help_text="Answers that each new item gets.")
    lease_minutes = models.PositiveIntegerField(default=60)
    check_every = models.PositiveIntegerField(
        default=10, validators=[MinValueValidator(1)], help_text="Answers between two attention checks."
    )
    checks_judged = models.PositiveIntegerField(
        default=0, help_text="How many of somebody's newest attention checks are judged; 0: nobody is excluded."
    )
    checks_right = models.PositiveIntegerField(
        default=0, help_text="Of these so many must be right; who has fewer is excluded."
    )
    training_right = models.PositiveIntegerField(
        default=0, help_text="Training items that must be right; who has fewer is excluded. 0: none."
    )
    quick_seconds = models.PositiveIntegerField(default=0, help_text="An answer in fewer seconds is quick.")
    quick_run = models.PositiveIntegerField(default=0, help_text="Quick answers in a row that are too many; 0: none.")
    same_run = models.PositiveIntegerField(
        default=0, help_text="Answers in a row at the same place that are too many; 0: none."
    )
    run_excludes = models.BooleanField(default=False, help_text="Too long a run excludes; else it is flagged.")
    shuffles = models.BooleanField(default=False, help_text="Options stand in another order for each person.")
    feeds = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="fed_by")
    settings = models.JSONField(default=dict, blank=True, help_text="What the flow lets a project choose.")
    questions = models.JSONField(default=list, blank=True, help_text="Questions that the project defines.")
    public = models.BooleanField(
        default=False, help_text="Whether everybody may read what became of the answers, in numbers."
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class RegionQuota(models.Model):
    """Number of items that a project wants of a region, and of people who may take part (None: any number)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="region_quotas")
    region = models.CharField(max_length=10)
    items = models.PositiveIntegerField()
    people = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "region"], name="region_quota_once")]


class CountrySubgroup(models.Model):
    """A finer group within a country that a project tells apart, such as the speakers of one language."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="groups")
    code = models.SlugField(max_length=10)
    name = models.CharField(max_length=80)
    country = models.CharField(max_length=10)

    class Meta:
        db_table = "studio_group"
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "code"], name="group_code_once")]


class GuidelineKind(models.TextChoices):
    """Use of the text."""

    GUIDELINE = "guideline", _("guideline")
    CONSENT = "consent", _("consent")


class Guideline(models.Model):
    """Words that people read before they work, a row a version; never changed, only followed by another."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines")
    kind = models.CharField(max_length=10, choices=GuidelineKind.choices, default=GuidelineKind.GUIDELINE)
    version = models.PositiveIntegerField()
    text = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "kind", "version"], name="guideline_version_once")
        ]


class GuidelinePicture(models.Model):
    """A picture that guidelines show; never changed."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="pictures")
    name = models.CharField(max_length=80)
    kind = models.CharField(max_length=20, help_text="Its media type.")
    content = models.BinaryField()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "name"], name="picture_name_once")]


class ProlificStudy(models.Model):
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

    class Meta:
        db_table = "studio_study"

    def __str__(self) -> str:
        return self.study_id


class Notice(models.Model):
    """Event of a submission as the platform told it, once an event however often it is sent."""

    study = models.ForeignKey(ProlificStudy, on_delete=models.CASCADE, related_name="notices")
    event_id = models.CharField(max_length=100)
    submission = models.CharField(max_length=100)
    status = models.CharField(max_length=40)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["study", "event_id"], name="notice_once")]
