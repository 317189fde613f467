"""Leaving a project for good: what somebody told of themselves goes, what they answered stays under a number."""

from mores.studio.models import Assignment, Draft, Membership, Participant
from mores.studio.work.audit import record
from mores.studio.work.leases import free_all
from mores.studio.work.transactions import writing

FACTS = ("nationality", "residence_before_18", "group", "age_band", "gender", "student")
"""What is taken away; the region stays, as answers stand by it, and so does a platform's id, as payments do."""


def withdraw(participant: int) -> bool:
    """Take a person out of a project; False where they were out already.

    Work that they hold goes back, drafts go, the facts of themselves go. Whoever is in no other project loses the name
    and the password of their account too.
    """
    with writing() as now:
        person = Participant.objects.select_for_update().get(pk=participant)
        if person.state == Participant.State.WITHDRAWN:
            return False
        free_all(Assignment.objects.filter(participant=person), Assignment.Status.DISCARDED)
        Draft.objects.filter(project=person.project_id, account=person.account_id).delete()
        for name in FACTS:
            setattr(person, name, "")
        person.state = Participant.State.WITHDRAWN
        person.save()
        Membership.objects.filter(project=person.project_id, account=person.account_id).delete()
        if not Membership.objects.filter(account=person.account_id).exists() and not person.account.is_owner:
            account = person.account
            account.name, account.is_active = f"withdrawn-{account.pk}", False
            account.set_unusable_password()
            account.save()
        record(person.project_id, "withdraw", {"participant": person.pk}, who=person.account_id, at=now)
        return True
