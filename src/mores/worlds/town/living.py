"""A day lived: minds are asked at each step, the world makes of it what it can, until the day is over.

All who act at a step are asked at once, upon one sight; a conversation is a turn after a turn; whether the task in hand
is done is asked last, as it ends the day, and only at a place of the kind that the task needs. Nothing else is on the
way from one step to the next.
"""

import asyncio

from mores.core.day import DayEvent
from mores.core.transcript import Event, Failed, Message
from mores.models.request import CallFailed, Reply
from mores.worlds.town.company import OFF_SCREEN, SUBJECT, SUPPORTER, Check, Company
from mores.worlds.town.day import Day, Mind, Resolved, Sight, advance, dawn, observe, observe_as, opening, resolve, seen
from mores.worlds.town.deeds import DECLINED, UNASKED, Unclear, plain, read_wish
from mores.worlds.town.stage import Stage
from mores.worlds.town.talking import Talking
from mores.worlds.town.words import Conversation, Way, prompt


async def live(stage: Stage, company: Company, check: Check) -> tuple[Event, ...]:
    """All events of a day, to its end, or to the call in which the target could not be asked."""
    words = company.words
    events: list[Event] = [opening(stage, words.brief, prompt("target").sha)]
    day = dawn(stage)
    while day.ended is None:
        happened: list[DayEvent] = []
        try:
            day = await _step(stage, day, company, check, happened)
        except CallFailed as failure:
            failed = Failed(role=SUBJECT, cause=failure.cause, detail=failure.detail)
            return (*events, *happened, failed)
        events.extend(happened)
    return (*events, day.ended)


async def _step(stage: Stage, day: Day, company: Company, check: Check, happened: list[DayEvent]) -> Day:
    """One step; its events go into `happened` as they come, so that a failure leaves those before it."""
    sight = observe(stage, day)
    asked = company.words.target_step(day, sight)
    happened.append(seen(day, sight, asked[-1].content))
    own, *others = await asyncio.gather(
        _target(stage, day, sight, asked, company),
        *(_other(day, sight, number, company) for number in range(len(sight.present))),
        *(_resident(stage, day, person, company) for person in _unseen(stage, day, sight)),
    )
    if isinstance(own, CallFailed):
        raise own
    resolved = resolve(stage, day, sight, (own, *(mind for mind in others if isinstance(mind, Mind))))
    happened.extend(resolved.deeds)
    if resolved.party:
        await _converse(stage, day, sight, resolved, company, happened)
    if sight.active is not None and sight.active.kind == stage.location(day.where).kind:
        happened.append(await check(day, sight.active, happened))
    return advance(stage, day, happened)


def _unseen(stage: Stage, day: Day, sight: Sight) -> tuple[int, ...]:
    """Those whom the target does not perceive and who are asked all the same.

    Where minds live the town these are all the others, every half hour; else nobody.
    """
    if stage.off_screen != "live" or not day.fresh:
        return ()
    seen_by_it = {stage.target, *sight.present}
    return tuple(person for person in range(len(stage.population)) if person not in seen_by_it)


async def _target(
    stage: Stage, day: Day, sight: Sight, asked: tuple[Message, ...], company: Company
) -> Mind | CallFailed:
    """What the target wishes to do, or why it could not be asked: told when all others have been asked too."""
    try:
        return _mind(stage.target, await company.ask(SUBJECT, (day.step, 0), asked, company.cues.target(day, sight)))
    except CallFailed as failure:
        return failure


async def _other(day: Day, sight: Sight, number: int, company: Company) -> Mind:
    """What somebody here wishes to do; who cannot be asked waits, and the day goes on."""
    person = sight.present[number]
    asked = company.words.supporter_step(day, sight, person)
    try:
        key = company.cues.other(day, sight, person)
        return _mind(person, await company.ask(SUPPORTER, (day.step, number), asked, key))
    except CallFailed as failure:
        return Mind(person, _failed(failure))


async def _resident(stage: Stage, day: Day, person: int, company: Company) -> Mind:
    """What somebody elsewhere wishes to do; who cannot be asked waits."""
    sight = observe_as(stage, day, person)
    asked = company.words.resident_step(day, sight, person)
    try:
        key = company.cues.resident(day, sight, person)
        call = (day.step, OFF_SCREEN + person)
        return _mind(person, await company.ask(SUPPORTER, call, asked, key))._replace(sight=sight)
    except CallFailed as failure:
        return Mind(person, _failed(failure), sight=sight)


def _mind(person: int, reply: Reply) -> Mind:
    wish = Unclear(DECLINED, "refusal") if reply.refusal else read_wish(reply.text)
    return Mind(person, wish, plain(reply.text), plain(reply.reasoning), reply.planted)


def _failed(failure: CallFailed) -> Unclear:
    return Unclear(f"{UNASKED}{failure.cause}", "failure")


async def _converse(
    stage: Stage, day: Day, sight: Sight, resolved: Resolved, company: Company, happened: list[DayEvent]
) -> None:
    """What is said goes into `happened` turn by turn."""
    talk = Talking(stage=stage, day=day, sight=sight, company=company)
    if resolved.message:
        happened.extend(await talk.text(resolved.party, resolved.message))
        return
    way: Way = "on the phone" if resolved.phone else "here"
    opened = Conversation(party=resolved.party, way=way, opening=_opening(stage, resolved))
    async for said in talk.converse(opened):
        happened.append(said)  # noqa: PERF401 - what was said before a failure is kept


def _opening(stage: Stage, resolved: Resolved) -> str:
    """What a conversation is opened with: how the first of the party turned to the others."""
    first = next(did for did in resolved.deeds if did.who == resolved.party[0])
    return f"({stage.population.name[first.who]}: {first.how})" if first.how else ""
