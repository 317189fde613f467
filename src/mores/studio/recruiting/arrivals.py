"""Arrival of people by a link of Prolific: a new person, or one who comes back to the same place."""

import re
from enum import StrEnum

import msgspec

from mores.studio.models import (
    Account,
    Membership,
    Notice,
    Participant,
    ParticipantState,
    Project,
    ProjectState,
    ProlificStudy,
    Role,
)
from mores.studio.recruiting.submissions import ENDED, apply
from mores.studio.recruiting.tokens import InvalidToken, claims_of
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

SOURCE = "prolific"
PERSON, STUDY, SUBMISSION = "PROLIFIC_PID", "STUDY_ID", "SESSION_ID"
_ID = re.compile(r"[0-9A-Za-z_-]{6,64}")


class Unknown(StrEnum):
    """Reason that nobody is let in by a link."""

    NOT_A_LINK = "not_a_link"
    NO_STUDY = "no_study"
    FORGED = "forged"
    TWICE = "twice"


class Arrival(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a link: a study of ours, the person, and the submission that they have begun."""

    study: ProlificStudy
    person: str
    submission: str


def read_link(project: Project, parameters: dict[str, str], *, audience: str) -> Arrival | Unknown:
    """Person and study of a link; where the study has keys, only a link that is signed by one of them counts.

    Args:
        project: The project that the link leads to.
        parameters: The link's parameters: `prolific_token`, or the three ids.
        audience: Address of this studio.
    """
    ids: dict[str, object] = dict(parameters)
    token, studies = parameters.get("prolific_token", ""), list(ProlificStudy.objects.filter(project=project))
    if token:
        found = _claimed(token, [key for study in studies for key in study.keys], audience)
        if found is None:
            return Unknown.FORGED
        ids = found
    person, study_id, submission = (str(ids.get(name, "")) for name in (PERSON, STUDY, SUBMISSION))
    if not all(_ID.fullmatch(each) for each in (person, study_id, submission)):
        return Unknown.NOT_A_LINK
    study = next((each for each in studies if each.study_id == study_id), None)
    if study is None:
        return Unknown.NO_STUDY
    # Checked a second time by the keys of its own study: another study's key may not sign for this one.
    if study.keys and (not token or _claimed(token, study.keys, audience) is None):
        return Unknown.FORGED
    return Arrival(study=study, person=person, submission=submission)


def _claimed(token: str, keys: list[dict[str, str]], audience: str) -> dict[str, object] | None:
    try:
        claims = claims_of(token, keys, audience=audience).get("prolific")
    except InvalidToken:
        return None
    return claims if isinstance(claims, dict) else {}


def arrive(arrival: Arrival) -> Participant | Unknown:
    """The participant behind a link, made where they are new; the same link always leads to the same place.

    One person takes part in a project once: another submission of theirs is refused, so that no answer comes twice.
    """
    study, project = arrival.study, arrival.study.project
    with writing() as now:
        account, _ = Account.objects.get_or_create(
            name=f"{SOURCE}:{arrival.person}",
            defaults={"password": f"!{SOURCE}"},  # none that anybody could type
        )
        Membership.objects.get_or_create(account=account, project=project, role=Role.ANNOTATOR)
        late = project.state != ProjectState.OPEN
        person, new = Participant.objects.get_or_create(
            project=project,
            account=account,
            defaults={
                "source": SOURCE,
                "ext_id": arrival.person,
                "session_ext_id": arrival.submission,
                "study": study,
                "asked_region": study.region,
                "answers_wanted": study.answers,
                "state": ParticipantState.LATE if late else ParticipantState.NEW,
            },
        )
        if not new:
            same = (person.study_id, person.session_ext_id) == (study.pk, arrival.submission)
            return person if same else Unknown.TWICE
        record(project.pk, "arrive", {"participant": person.pk, "study": study.study_id}, who=account.pk, at=now)
        # What Prolific told before the person came here.
        notice = Notice.objects.filter(study=study, submission=arrival.submission, status__in=ENDED).last()
        if notice is not None:
            apply(study, arrival.submission, notice.status)
            person.refresh_from_db()
        return person
