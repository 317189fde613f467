"""People who come at the same moment: no seat is given twice, and one link makes one person."""

from mores.studio.accounts.screening import ScreeningFacts, screen
from mores.studio.models import Account, Notice, Participant, Payment
from mores.studio.recruiting.arrivals import Arrival, arrive
from mores.studio.recruiting.submissions import SubmissionEvent, apply_event, end
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import all_at_once
from tests.studio.prolific import study


@BOTH
def test_no_more_are_seated_than_there_are_seats(studio: object) -> None:
    project = made.project()
    project.region_quotas.create(region="JP", items=9, people=3)
    people = [
        Participant.objects.create(project=project, account=Account.objects.make(f"p{n}"), ext_id=str(n))
        for n in range(16)
    ]
    seated = all_at_once(lambda n: screen(people[n], ScreeningFacts(nationality="JP", residence_before_18="JP")), 16)
    assert seated.count(True) == 3
    assert Participant.objects.filter(state="active").count() == 3
    assert Participant.objects.filter(state="late").count() == 13


@BOTH
def test_one_link_opened_many_times_at_once_makes_one_person_who_is_paid_once(studio: object) -> None:
    project = made.project()
    arrival = Arrival(study=study(project), person="person-1", submission="submission-1")
    found = all_at_once(lambda _: arrive(arrival), 16)
    assert len({person.pk for person in found if isinstance(person, Participant)}) == 1
    Participant.objects.update(state="screened_out")
    person = Participant.objects.get()
    assert len({str(each) for each in all_at_once(lambda _: end(person.pk), 16)}) == 1
    assert Payment.objects.count() == 1


@BOTH
def test_one_event_told_many_times_at_once_is_carried_out_once(studio: object) -> None:
    project = made.project()
    known = study(project)
    arrive(Arrival(study=known, person="person-1", submission="submission-1"))
    told = SubmissionEvent(event="e1", submission="submission-1", status="RETURNED")
    assert all_at_once(lambda _: apply_event(known, told), 16).count(True) == 1
    assert Notice.objects.count() == 1
