"""Screening: somebody may speak for the place whose nationality they have and where they lived before 18."""

from collections.abc import Mapping

import msgspec
from django.db.models import Q

from mores.norms.places import roll_up
from mores.studio.models import Guideline, GuidelineKind, Participant, ParticipantState, Project, WorkItem
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing


class ScreeningFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Answers of somebody about themselves; places as ISO codes, the finer group empty where there is none."""

    nationality: str
    residence_before_18: str
    group: str = ""
    age_band: str = ""
    gender: str = ""
    student: str = ""


def speaks_for(facts: ScreeningFacts, groups: Mapping[str, str]) -> tuple[str, str]:
    """Country and finer group that somebody may answer for; empty where nationality and youth lie apart.

    Args:
        facts: What they told.
        groups: Groups that the project tells apart, each with its country; none: parts of countries by their codes.
    """
    region = facts.nationality if facts.nationality == facts.residence_before_18 else ""
    if not region or not facts.group:
        return region, ""
    country = groups.get(facts.group, "") if groups else roll_up(facts.group)
    return region, facts.group if country == region else ""


def screen(participant: Participant, facts: ScreeningFacts) -> bool:
    """Store what somebody tells, once, with their consent; True where they may work."""
    with writing() as now:
        person = Participant.objects.select_for_update().get(pk=participant.pk)
        # A second try with other facts changes nothing, or people could guess which ones let them in.
        if person.state != ParticipantState.NEW:
            return person.may_work
        groups = dict(person.project.groups.values_list("code", "country"))
        person.region, person.group = speaks_for(facts, groups)
        person.nationality, person.residence_before_18 = facts.nationality, facts.residence_before_18
        person.age_band, person.gender, person.student = facts.age_band, facts.gender, facts.student
        person.consent_at, person.consent_version = now, consent_version(person.project)
        if not _fits(person):
            person.state = ParticipantState.SCREENED_OUT
        else:
            person.state = ParticipantState.ACTIVE if _quota_left(person) else ParticipantState.LATE
        person.save()
        record(person.project_id, "screen", {"state": person.state}, who=person.account_id, at=now)
        return person.state == ParticipantState.ACTIVE


def decline(participant: Participant) -> None:
    """Let somebody go who does not consent; nothing that they told is stored."""
    with writing() as now:
        # One conditional update, so that two clicks at once record one event.
        if Participant.objects.filter(pk=participant.pk, state=ParticipantState.NEW).update(
            state=ParticipantState.DECLINED
        ):
            record(
                participant.project_id,
                "screen",
                {"state": ParticipantState.DECLINED},
                who=participant.account_id,
                at=now,
            )


def consent_words(project: Project) -> Guideline | None:
    """The newest words that people consent to; None where the project has none of its own."""
    return Guideline.objects.filter(project=project, kind=GuidelineKind.CONSENT).order_by("-version").first()


def consent_version(project: Project) -> int | None:
    """Version of the words that people consent to; None where the project has none of its own."""
    found = consent_words(project)
    return None if found is None else found.version


def _fits(person: Participant) -> bool:
    own = {person.region, person.group} - {""}
    wanted = _regions(person.project)
    asked = {person.asked_region} if person.asked_region else own
    return bool(own) and bool(own & asked) and (not wanted or bool(wanted & own))


def _quota_left(person: Participant) -> bool:
    """True if a place is free among as many people as are wanted of the region; asked one after another."""
    own = [place for place in (person.region, person.group) if place]
    quotas = person.project.region_quotas.select_for_update().filter(region__in=own, people__isnull=False)
    admitted = Participant.objects.filter(
        project=person.project_id, state__in=(ParticipantState.ACTIVE, ParticipantState.FINISHED), excluded=False
    )
    return all(
        admitted.filter(Q(region=quota.region) | Q(group=quota.region)).count() < (quota.people or 0)
        # Locked in one order, so that two people who are screened at once never wait for each other in a circle.
        for quota in quotas.order_by("pk")
    )


def _regions(project: Project) -> set[str]:
    """The places that a project asks people of; none where its items are for anybody, or none are there yet."""
    wanted = set(project.region_quotas.values_list("region", flat=True))
    asked = set(WorkItem.objects.filter(project=project).values_list("region", flat=True).distinct())
    return set() if "" in asked else wanted | asked
