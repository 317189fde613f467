"""The tables, a file a subject; the promises that must never break are constraints of the database."""

from mores.studio.models.items import (
    Decision,
    ItemImport,
    ItemKey,
    ItemKind,
    ItemProblem,
    ItemState,
    ItemVersion,
    WorkItem,
)
from mores.studio.models.people import Account, Invite, Membership, Participant, ParticipantState, Role
from mores.studio.models.projects import (
    CountrySubgroup,
    Guideline,
    GuidelineKind,
    GuidelinePicture,
    Notice,
    Project,
    ProjectState,
    ProlificStudy,
    RegionQuota,
)
from mores.studio.models.work import Assignment, AssignmentStatus, AuditEvent, Draft, Job, JobState, Payment, Response

__all__ = [
    "Account",
    "Assignment",
    "AssignmentStatus",
    "AuditEvent",
    "CountrySubgroup",
    "Decision",
    "Draft",
    "Guideline",
    "GuidelineKind",
    "GuidelinePicture",
    "Invite",
    "ItemImport",
    "ItemKey",
    "ItemKind",
    "ItemProblem",
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
    "WorkItem",
]
