"""The tables, a file a subject; the promises that must never break are constraints of the database."""

from mores.studio.models.connections import ApiToken, Delivery, Webhook
from mores.studio.models.items import Decision, ItemKey, ItemKind, ItemState, ItemVersion, WorkItem
from mores.studio.models.people import Account, Invite, Membership, Participant, ParticipantState, Role, SurveyAnswer
from mores.studio.models.projects import (
    CountrySubgroup,
    Guideline,
    GuidelineKind,
    Notice,
    Project,
    ProjectState,
    ProlificStudy,
    RegionQuota,
)
from mores.studio.models.work import (
    AnswerRedaction,
    Assignment,
    AssignmentStatus,
    AuditEvent,
    Draft,
    Job,
    JobState,
    Payment,
    Response,
)

__all__ = [
    "Account",
    "AnswerRedaction",
    "ApiToken",
    "Assignment",
    "AssignmentStatus",
    "AuditEvent",
    "CountrySubgroup",
    "Decision",
    "Delivery",
    "Draft",
    "Guideline",
    "GuidelineKind",
    "Invite",
    "ItemKey",
    "ItemKind",
    "ItemState",
    "ItemVersion",
    "Job",
    "JobState",
    "Membership",
    "Notice",
    "Participant",
    "ParticipantState",
    "Payment",
    "Project",
    "ProjectState",
    "ProlificStudy",
    "RegionQuota",
    "Response",
    "Role",
    "SurveyAnswer",
    "Webhook",
    "WorkItem",
]
