"""Many people at once, on real servers: the last slots, one answer sent fifty times, one person in many tabs."""

from collections import Counter
from itertools import cycle

import aiohttp
from django.db.models import Count

from benchmarks.load.studio import SLUG, fill
from mores.studio.config import StudioConfig
from mores.studio.models import Assignment, Participant, Response, WorkItem
from mores.studio.work.leases import Lease, claim
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.served import cookies_of, serving, together

pytestmark = BOTH
Person = tuple[str, dict[str, str]]


def test_of_two_hundred_people_a_hundred_get_the_hundred_slots(studio: StudioConfig) -> None:
    sessions = fill(items=20, people=200)
    landed: Counter[str] = Counter()

    async def ask(client: aiohttp.ClientSession, who: tuple[str, str]) -> None:
        cookies = {"sessionid": who[1]}
        async with client.get(f"{who[0]}/p/{SLUG}/work", cookies=cookies, allow_redirects=False) as answer:
            landed["an item" if answer.status == 302 else "nothing"] += 1
            assert answer.status in {200, 302}, await answer.text()

    with serving(studio) as one, serving(studio) as other:
        together(ask, zip(cycle((one.url, other.url)), sessions, strict=False))
    assert landed == {"an item": 100, "nothing": 100}
    assert set(WorkItem.objects.values_list("claims", flat=True)) == {5}
    assert Assignment.objects.count() == 100


def test_an_answer_that_is_sent_fifty_times_at_once_is_one_answer(studio: StudioConfig) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    held = claim(person.pk, person.project_id)
    assert isinstance(held, Lease)
    answers: Counter[str] = Counter()

    async def send(client: aiohttp.ClientSession, url: str) -> None:
        told = {"options": "a", "key": "one-sending"}
        async with client.post(f"{url}/p/feasts/work/{held.assignment}", data=told, cookies=cookies) as answer:
            answers[f"{answer.status} {await answer.text()}"] += 1

    with serving(studio) as one, serving(studio) as other:
        cookies = cookies_of(person.account)
        together(send, [one.url, other.url] * 25)
    stored = Response.objects.get()
    assert answers == {f'200 {{"response": {stored.pk}, "counted": true}}': 50}
    assert WorkItem.objects.get().done == 1


def test_one_person_in_four_tabs_holds_one_item(studio: StudioConfig) -> None:
    project = made.project(quota=60)
    made.questions(project, 10)
    people = made.annotators(project, 30)
    where: dict[int, set[str]] = {person.pk: set() for person in people}

    async def ask(client: aiohttp.ClientSession, who: tuple[str, Participant, dict[str, str]]) -> None:
        url, person, cookies = who
        async with client.get(f"{url}/p/feasts/work", cookies=cookies, allow_redirects=False) as answer:
            where[person.pk].add(answer.headers["Location"])

    with serving(studio) as server:
        tabs = [(server.url, person, cookies_of(person.account)) for person in people]
        together(ask, tabs * 4)
    assert all(len(found) == 1 for found in where.values())
    assert Assignment.objects.count() == 30


def test_people_who_answer_at_once_fill_every_slot_and_no_more(studio: StudioConfig) -> None:
    project = made.project(quota=3)
    made.questions(project, 12)
    people = made.annotators(project, 9)

    async def work(client: aiohttp.ClientSession, who: Person) -> None:
        url, cookies = who
        while True:
            async with client.get(f"{url}/p/feasts/work", cookies=cookies, allow_redirects=False) as answer:
                if answer.status == 200:
                    return
                place = answer.headers["Location"]
            told = {"options": "b", "key": f"{cookies['sessionid'][:20]}{place}".replace("/", "-")}
            async with client.post(f"{url}{place}", data=told, cookies=cookies) as answer:
                assert answer.status == 200, await answer.text()

    with serving(studio) as server:
        together(work, [(server.url, cookies_of(person.account)) for person in people])
    assert set(WorkItem.objects.values_list("state", "claims", "done")) == {("complete", 3, 3)}
    assert Response.objects.count() == 36
    assert not Assignment.objects.values("item", "participant").annotate(n=Count("pk")).filter(n__gt=1)
