"""What somebody may speak for: the place whose nationality they have and where they lived before they were 18."""

from dataclasses import dataclass

from mores.norms.places import roll_up
from mores.studio.models import Guideline, Item, Participant, Project
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What somebody tells of themselves; places as ISO codes, the finer group empty where there is none."""

    nationality: str
    residence_before_18: str
    group: str = ""
    age_band: str = ""
    gender: str = ""
    student: str = ""


def speaks_for(facts: Facts) -> tuple[str, str]:
    """Country and finer group that somebody may answer for; empty where nationality and youth lie apart."""
    region = facts.nationality if facts.nationality == facts.residence_before_18 else ""
    group = facts.group if region and facts.group and roll_up(facts.group) == region else ""
    return region, group


def screen(participant: Participant, facts: Facts) -> bool:
    """Store what somebody tells, with their consent; True where they may work.

    Told once: a second try with other facts changes nothing, so that nobody can guess which ones open the door.
    """
    with writing() as now:
        person = Participant.objects.select_for_update().get(pk=participant.pk)
        if person.state != Participant.State.NEW:
            return person.may_work
        person.region, person.group = speaks_for(facts)
        wanted = _regions(person.project)
        fits = bool(person.region) and (not wanted or bool(wanted & {person.region, person.group}))
        person.state = Participant.State.ACTIVE if fits else Participant.State.SCREENED_OUT
        person.nationality, person.residence_before_18 = facts.nationality, facts.residence_before_18
        person.age_band, person.gender, person.student = facts.age_band, facts.gender, facts.student
        person.consent_at, person.consent_version = now, consent_version(person.project)
        person.save()
        record(person.project_id, "screen", {"state": person.state}, who=person.account_id, at=now)
        return fits


def consent_version(project: Project) -> int | None:
    """Version of the words that people consent to; None where the project has none of its own."""
    found = Guideline.objects.filter(project=project, kind=Guideline.Kind.CONSENT).order_by("-version").first()
    return None if found is None else found.version


def _regions(project: Project) -> set[str]:
    """The places that a project asks people of; none where its items are for anybody, or none are there yet."""
    wanted = set(project.region_quotas.values_list("region", flat=True))
    asked = set(Item.objects.filter(project=project).values_list("region", flat=True).distinct())
    return set() if "" in asked else wanted | asked
