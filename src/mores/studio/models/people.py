"""People who use the studio: accounts, their roles in projects, and their answers about themselves."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.utils.translation import gettext_lazy as _

from mores.studio.models.lookalikes import SIGN, lookalike_keys


class Role(models.TextChoices):
    """Role in a project; one person can have several."""

    OWNER = "owner", _("owner")
    REVIEWER = "reviewer", _("reviewer")
    WRITER = "writer", _("writer")
    ANNOTATOR = "annotator", _("annotator")


class AccountManager(BaseUserManager["Account"]):
    """Makes accounts."""

    def make(self, name: str, password: str | None = None, **facts: Any) -> "Account":
        """An account; without a password nobody can sign in to it but through a link."""
        account = self.model(name=name, **facts)
        account.set_password(password)
        account.save(using=self._db)
        return account

    def get_by_natural_key(self, username: str | None) -> "Account":
        """The account of a name as somebody types it, with other capitals or spaces, too."""
        # Two accounts of an older studio may look alike; each is then known by its very letters.
        typed = self.filter(name=username or "").first()
        return typed or self.get(looks_small=lookalike_keys(username or "").small)


class Account(AbstractBaseUser):
    """Somebody who signs in; no other account has a name that looks like theirs."""

    name = models.CharField(_("Name"), max_length=80, unique=True)
    looks_small = models.CharField(max_length=64, unique=True, editable=False)
    looks_capital = models.CharField(max_length=64, unique=True, editable=False)
    is_owner = models.BooleanField(default=False, help_text="May make projects.")
    is_active = models.BooleanField(default=True)
    made_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[AccountManager] = AccountManager()
    USERNAME_FIELD = "name"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **words: Any) -> None:
        """Store it, a new one with the keys of its name."""
        if not self.looks_small:
            self.rename(self.name)
        super().save(*args, **words)

    def rename(self, name: str) -> None:
        """Give it another name, not yet stored."""
        self.name = name
        self.looks_small, self.looks_capital = lookalike_keys(name)

    @property
    def chose_name(self) -> bool:
        """True where the name was chosen here: it is no id of a platform, and does not stand for who withdrew."""
        return SIGN not in self.name


class Membership(models.Model):
    """A role of an account in a project."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="memberships")
    project = models.ForeignKey("Project", on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["account", "project", "role"], name="membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        ]


class ParticipantState(models.TextChoices):
    """State of a participant."""

    NEW = "new", _("not screened yet")
    ACTIVE = "active", _("at work")
    SCREENED_OUT = "screened_out", _("screened out")
    DECLINED = "declined", _("did not consent")
    LATE = "late", _("came when all places were taken")
    FINISHED = "finished", _("finished")
    RETURNED = "returned", _("returned their submission")
    TIMED_OUT = "timed_out", _("ran out of time")
    WITHDRAWN = "withdrawn", _("withdrew")


class Participant(models.Model):
    """Writer or annotator of one project, with their answers about themselves.

    `region` and `group` are what the person may speak for: the place of nationality where it is also where they grew
    up, and a finer group within it. Empty where screening has not been passed.
    """

    project = models.ForeignKey("Project", on_delete=models.CASCADE, related_name="participants")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="participants")
    state = models.CharField(max_length=12, choices=ParticipantState.choices, default=ParticipantState.NEW)
    region = models.CharField(max_length=10, default="", blank=True)
    group = models.CharField(max_length=10, default="", blank=True)
    source = models.CharField(
        max_length=20, default="studio", help_text="Where the person came from, such as prolific."
    )
    ext_id = models.CharField(max_length=100, help_text="The person's id there; the account's number for the studio.")
    session_ext_id = models.CharField(max_length=100, default="", blank=True)
    study = models.ForeignKey(
        "ProlificStudy", on_delete=models.PROTECT, null=True, blank=True, related_name="participants"
    )
    asked_region = models.CharField(
        max_length=10, default="", blank=True, help_text="Place that their link was for; empty: any."
    )
    answers_wanted = models.PositiveIntegerField(null=True, blank=True, help_text="None: as many as there are.")
    nationality = models.CharField(max_length=10, default="", blank=True)
    residence_before_18 = models.CharField(max_length=10, default="", blank=True)
    age_band = models.CharField(max_length=10, default="", blank=True)
    gender = models.CharField(max_length=20, default="", blank=True)
    student = models.CharField(max_length=10, default="", blank=True)
    credit = models.CharField(
        max_length=80, default="", blank=True, help_text="Name by which the public page thanks them; empty: none."
    )
    excluded = models.BooleanField(default=False, help_text="Answers do not count; why stands in the audit trail.")
    consent_at = models.DateTimeField(null=True, blank=True)
    consent_version = models.PositiveIntegerField(null=True, blank=True)
    guideline_read = models.PositiveIntegerField(null=True, blank=True, help_text="Newest version that they read.")
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "source", "ext_id"], name="participant_once_a_study"),
            models.UniqueConstraint(fields=["project", "account"], name="participant_once_an_account"),
        ]

    @property
    def may_work(self) -> bool:
        """True where the person consented, passed screening, and is not excluded."""
        return self.state == ParticipantState.ACTIVE and self.consent_at is not None and not self.excluded


class SurveyAnswer(models.Model):
    """Answers of a writer to the closing survey, a row a sending; the newest holds."""

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="survey_answers")
    answers = models.JSONField()
    made_at = models.DateTimeField(auto_now_add=True)


class Invite(models.Model):
    """A link that lets somebody in; only the hash of its token is kept."""

    token_sha256 = models.CharField(max_length=64, unique=True)
    project = models.ForeignKey("Project", on_delete=models.CASCADE, null=True, blank=True, related_name="invites")
    role = models.CharField(max_length=10, choices=Role.choices)
    region = models.CharField(max_length=10, default="", blank=True)
    uses_left = models.PositiveIntegerField(default=1)
    expires_at = models.DateTimeField()
    made_by = models.ForeignKey(Account, on_delete=models.SET_NULL, null=True, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
