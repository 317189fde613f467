"""The tables, a file a subject; the promises that must never break are constraints of the database."""

from mores.studio.models.items import Decision, Item, ItemVersion, Sealed
from mores.studio.models.people import Account, Invite, Membership, Participant, Role
from mores.studio.models.projects import Group, Guideline, Notice, Project, RegionQuota, Study
from mores.studio.models.work import Assignment, Draft, Event, Job, Payment, Response

__all__ = [
    "Account",
    "Assignment",
    "Decision",
    "Draft",
    "Event",
    "Group",
    "Guideline",
    "Invite",
    "Item",
    "ItemVersion",
    "Job",
    "Membership",
    "Notice",
    "Participant",
    "Payment",
    "Project",
    "RegionQuota",
    "Response",
    "Role",
    "Sealed",
    "Study",
]
