"""The tables, each with its constraints and indexes."""

import django.core.validators
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Account",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                ("name", models.CharField(max_length=80, unique=True)),
                ("is_owner", models.BooleanField(default=False, help_text="May make projects.")),
                ("is_active", models.BooleanField(default=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="Project",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("flow", models.CharField(max_length=40)),
                (
                    "language",
                    models.CharField(default="en", help_text="Language of its items (BCP 47).", max_length=10),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "open"), ("paused", "paused"), ("closed", "closed")],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("quota", models.PositiveIntegerField(default=5, help_text="Answers that each new item gets.")),
                ("lease_minutes", models.PositiveIntegerField(default=60)),
                (
                    "check_every",
                    models.PositiveIntegerField(
                        default=10,
                        help_text="Answers between two attention checks.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "checks_judged",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="How many of somebody's newest attention checks are judged; 0: nobody is excluded.",
                    ),
                ),
                (
                    "checks_right",
                    models.PositiveIntegerField(
                        default=0, help_text="Of these so many must be right; who has fewer is excluded."
                    ),
                ),
                (
                    "settings",
                    models.JSONField(blank=True, default=dict, help_text="What the flow lets a project choose."),
                ),
                (
                    "questions",
                    models.JSONField(blank=True, default=list, help_text="Questions that the project defines."),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "feeds",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.SET_NULL, related_name="fed_by", to="studio.project"
                    ),
                ),
            ],
            options={"ordering": ["name"]},
        ),
        migrations.CreateModel(
            name="WorkItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(help_text="Its id in the file it came from.", max_length=120)),
                (
                    "kind",
                    models.CharField(
                        choices=[("work", "work"), ("training", "training"), ("attention", "attention check")],
                        default="work",
                        max_length=10,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "region",
                    models.CharField(
                        blank=True, default="", help_text="ISO code; empty: anybody may answer.", max_length=10
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting for a curator"),
                            ("open", "open"),
                            ("complete", "complete"),
                            ("dropped", "dropped"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("quota", models.PositiveIntegerField()),
                ("claims", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                (
                    "shuffle",
                    models.PositiveBigIntegerField(
                        help_text="From its key; orders items for each person in another way."
                    ),
                ),
                (
                    "outcome",
                    models.JSONField(blank=True, help_text="What the flow found once all answers were in.", null=True),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="written",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("project", models.ForeignKey(on_delete=models.CASCADE, related_name="items", to="studio.project")),
            ],
            options={
                "db_table": "studio_item",
                "indexes": [models.Index(fields=["project", "state", "region", "-claims"], name="item_to_claim")],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "key"), name="item_key_once"),
                    models.CheckConstraint(
                        condition=models.Q(("claims__lte", models.F("quota"))), name="item_claims_within_quota"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("done__lte", models.F("claims"))), name="item_done_within_claims"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(help_text="Such as curate or adjudicate.", max_length=20)),
                ("verdict", models.JSONField()),
                ("reason", models.TextField(blank=True, default="")),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("by", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("item", models.ForeignKey(on_delete=models.PROTECT, related_name="decisions", to="studio.workitem")),
            ],
        ),
        migrations.CreateModel(
            name="ItemVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("payload", models.JSONField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "help",
                    models.CharField(
                        blank=True, default="", help_text="How a model helped to write it.", max_length=40
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("item", models.ForeignKey(on_delete=models.PROTECT, related_name="versions", to="studio.workitem")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("item", "version"), name="item_version_once")]},
        ),
        migrations.CreateModel(
            name="ProlificStudy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("study_id", models.CharField(max_length=64, unique=True)),
                ("region", models.CharField(blank=True, default="", max_length=10)),
                ("answers", models.PositiveIntegerField(default=10, help_text="Answers in one submission.")),
                (
                    "keys",
                    models.JSONField(
                        blank=True, default=list, help_text="Public keys (JWK) of those who sign its links."
                    ),
                ),
                ("hook_secret", models.CharField(blank=True, default="", max_length=200)),
                ("code_done", models.CharField(max_length=40)),
                ("code_screened_out", models.CharField(max_length=40)),
                ("code_declined", models.CharField(max_length=40)),
                ("code_late", models.CharField(max_length=40)),
                ("reward", models.DecimalField(decimal_places=2, max_digits=10)),
                ("screen_out_reward", models.DecimalField(decimal_places=2, max_digits=10)),
                ("currency", models.CharField(default="USD", max_length=3)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("project", models.ForeignKey(on_delete=models.CASCADE, related_name="studies", to="studio.project")),
            ],
            options={"db_table": "studio_study"},
        ),
        migrations.CreateModel(
            name="Participant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("new", "not screened yet"),
                            ("active", "at work"),
                            ("screened_out", "screened out"),
                            ("declined", "did not consent"),
                            ("late", "came when all places were taken"),
                            ("finished", "finished"),
                            ("returned", "returned their submission"),
                            ("timed_out", "ran out of time"),
                            ("withdrawn", "withdrew"),
                        ],
                        default="new",
                        max_length=12,
                    ),
                ),
                ("region", models.CharField(blank=True, default="", max_length=10)),
                ("group", models.CharField(blank=True, default="", max_length=10)),
                (
                    "source",
                    models.CharField(
                        default="studio", help_text="Where the person came from, such as prolific.", max_length=20
                    ),
                ),
                (
                    "ext_id",
                    models.CharField(
                        help_text="The person's id there; the account's number for the studio.", max_length=100
                    ),
                ),
                ("session_ext_id", models.CharField(blank=True, default="", max_length=100)),
                (
                    "asked_region",
                    models.CharField(
                        blank=True, default="", help_text="Place that their link was for; empty: any.", max_length=10
                    ),
                ),
                (
                    "answers_wanted",
                    models.PositiveIntegerField(blank=True, help_text="None: as many as there are.", null=True),
                ),
                ("nationality", models.CharField(blank=True, default="", max_length=10)),
                ("residence_before_18", models.CharField(blank=True, default="", max_length=10)),
                ("age_band", models.CharField(blank=True, default="", max_length=10)),
                ("gender", models.CharField(blank=True, default="", max_length=20)),
                ("student", models.CharField(blank=True, default="", max_length=10)),
                (
                    "excluded",
                    models.BooleanField(
                        default=False, help_text="Answers do not count; why stands in the audit trail."
                    ),
                ),
                ("consent_at", models.DateTimeField(blank=True, null=True)),
                ("consent_version", models.PositiveIntegerField(blank=True, null=True)),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="participants", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="participants", to="studio.project"),
                ),
                (
                    "study",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="participants",
                        to="studio.prolificstudy",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "source", "ext_id"), name="participant_once_a_study"),
                    models.UniqueConstraint(fields=("project", "account"), name="participant_once_an_account"),
                ]
            },
        ),
        migrations.CreateModel(
            name="Payment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "submission",
                    models.CharField(
                        help_text="What is paid; no submission is paid twice for one reason.", max_length=100
                    ),
                ),
                ("reason", models.CharField(max_length=40)),
                ("status", models.CharField(max_length=20)),
                ("minutes", models.DecimalField(decimal_places=2, max_digits=8)),
                ("amount", models.DecimalField(decimal_places=2, max_digits=10)),
                ("currency", models.CharField(default="USD", max_length=3)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "participant",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="payments", to="studio.participant"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("participant", "submission", "reason"), name="payment_once")
                ]
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "owner"),
                            ("reviewer", "reviewer"),
                            ("writer", "writer"),
                            ("annotator", "annotator"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="memberships", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="memberships", to="studio.project"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "project", "role"), name="membership_once"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["owner", "reviewer", "writer", "annotator"])),
                        name="membership_role_known",
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "about",
                    models.CharField(
                        blank=True, default="", help_text="The page that it was asked for on.", max_length=60
                    ),
                ),
                (
                    "likeness",
                    models.CharField(
                        default="", help_text="Hash of what is asked, alike for each asking of it.", max_length=64
                    ),
                ),
                ("key", models.CharField(max_length=64, unique=True)),
                ("kind", models.CharField(max_length=20)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "Asked"),
                            ("answered", "Answered"),
                            ("refused", "Refused"),
                            ("failed", "Failed"),
                        ],
                        default="asked",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("model", models.CharField(blank=True, default="", max_length=120)),
                ("request", models.JSONField()),
                ("response", models.JSONField(blank=True, null=True)),
                ("error", models.TextField(blank=True, default="")),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "account",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("project", models.ForeignKey(on_delete=models.CASCADE, related_name="jobs", to="studio.project")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["project", "account", "about"], name="job_of_a_page"),
                    models.Index(fields=["state", "lease_until"], name="job_to_take"),
                ]
            },
        ),
        migrations.CreateModel(
            name="Invite",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token_sha256", models.CharField(max_length=64, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "owner"),
                            ("reviewer", "reviewer"),
                            ("writer", "writer"),
                            ("annotator", "annotator"),
                        ],
                        max_length=10,
                    ),
                ),
                ("region", models.CharField(blank=True, default="", max_length=10)),
                ("uses_left", models.PositiveIntegerField(default=1)),
                ("expires_at", models.DateTimeField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "made_by",
                    models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, to=settings.AUTH_USER_MODEL),
                ),
                (
                    "project",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.CASCADE, related_name="invites", to="studio.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Guideline",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("guideline", "guideline"), ("consent", "consent")], default="guideline", max_length=10
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "project",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="guidelines", to="studio.project"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "kind", "version"), name="guideline_version_once")
                ]
            },
        ),
        migrations.CreateModel(
            name="CountrySubgroup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.SlugField(max_length=10)),
                ("name", models.CharField(max_length=80)),
                ("country", models.CharField(max_length=10)),
                ("project", models.ForeignKey(on_delete=models.CASCADE, related_name="groups", to="studio.project")),
            ],
            options={
                "db_table": "studio_group",
                "constraints": [models.UniqueConstraint(fields=("project", "code"), name="group_code_once")],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("rev", models.PositiveIntegerField(default=0)),
                ("body", models.JSONField(default=dict)),
                ("saved_at", models.DateTimeField(auto_now=True)),
                (
                    "account",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="drafts", to=settings.AUTH_USER_MODEL),
                ),
                ("project", models.ForeignKey(on_delete=models.CASCADE, related_name="drafts", to="studio.project")),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("project", "account", "name"), name="draft_once")]
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("claimed", "open"),
                            ("done", "answered"),
                            ("skipped", "skipped"),
                            ("expired", "expired"),
                            ("extra", "answered past the quota"),
                            ("discarded", "discarded"),
                            ("excluded", "answered by somebody who is excluded"),
                        ],
                        default="claimed",
                        max_length=10,
                    ),
                ),
                ("lease_until", models.DateTimeField()),
                ("claimed_at", models.DateTimeField()),
                ("account", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("item", models.ForeignKey(on_delete=models.PROTECT, related_name="assignments", to="studio.workitem")),
                ("shown", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to="studio.itemversion")),
                (
                    "participant",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="assignments", to="studio.participant"),
                ),
                (
                    "project",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="assignments", to="studio.project"),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("status", "claimed")),
                        fields=["project", "lease_until"],
                        name="assignment_leases",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("item", "participant"), name="assignment_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "claimed")),
                        fields=("project", "participant"),
                        name="assignment_one_open",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("author__isnull", True),
                            models.Q(("author", models.F("account")), _negated=True),
                            _connector="OR",
                        ),
                        name="assignment_not_of_its_author",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RegionQuota",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("region", models.CharField(max_length=10)),
                ("items", models.PositiveIntegerField()),
                ("people", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "project",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="region_quotas", to="studio.project"),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("project", "region"), name="region_quota_once")]},
        ),
        migrations.CreateModel(
            name="Response",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("answer", models.JSONField()),
                (
                    "idem_key",
                    models.CharField(help_text="One sending, however often it arrives.", max_length=64, unique=True),
                ),
                (
                    "active_ms",
                    models.PositiveIntegerField(
                        blank=True, help_text="Time on task; within the lease's time.", null=True
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "assignment",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="responses", to="studio.assignment"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("assignment", "version"), name="response_version_once")]
            },
        ),
        migrations.CreateModel(
            name="ItemKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("facts", models.JSONField()),
                ("item", models.OneToOneField(on_delete=models.PROTECT, related_name="sealed", to="studio.workitem")),
            ],
            options={"db_table": "studio_sealed"},
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("event_id", models.CharField(max_length=100)),
                ("submission", models.CharField(max_length=100)),
                ("status", models.CharField(max_length=40)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "study",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="notices", to="studio.prolificstudy"),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("study", "event_id"), name="notice_once")]},
        ),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("chain", models.PositiveBigIntegerField()),
                ("number", models.PositiveBigIntegerField()),
                ("what", models.CharField(max_length=40)),
                ("about", models.JSONField(default=dict)),
                ("at", models.CharField(help_text="ISO 8601, as it was hashed.", max_length=40)),
                ("before_sha256", models.CharField(max_length=64)),
                ("sha256", models.CharField(max_length=64, unique=True)),
                (
                    "who",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "db_table": "studio_event",
                "constraints": [models.UniqueConstraint(fields=("chain", "number"), name="event_number_once")],
            },
        ),
    ]
