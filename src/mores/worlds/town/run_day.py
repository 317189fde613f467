"""A day lived: minds are asked at each step, the world makes of it what it can, until the day is over.

All who act at a step are asked at once, upon one sight; a conversation is a turn after a turn; whether the task in hand
is done is asked last, as it ends the day, and only at a place of the kind that the task needs. Nothing else is on the
way from one step to the next.
"""

from functools import partial
from itertools import chain

from msgspec import Struct, field

from mores.core.transcript import DayEvent, FailureEvent, Message, TranscriptEvent
from mores.models.cast import call_outcome
from mores.models.request import CallFailed, Reply
from mores.worlds.town.actions import DECLINED, UNASKED, UnparsedAction, parse_action, plain
from mores.worlds.town.callers import SUBJECT, SUPPORTER, Cue, DayCallers, SubtaskChecker
from mores.worlds.town.conversations import Talking
from mores.worlds.town.day import Day, Observation, advance, observe, opening, start_day, step_start
from mores.worlds.town.prompts import Conversation, TalkChannel
from mores.worlds.town.resolve import Intention, StepOutcome, resolve
from mores.worlds.town.stage import DayConfig


async def run_day(company: DayCallers, check: SubtaskChecker) -> tuple[TranscriptEvent, ...]:
    """All events of a day, to its end, or to the call in which the target could not be asked."""
    stage, words = company.stage, company.words
    events: list[TranscriptEvent] = [opening(stage, words.brief, words.prompts["target"].sha)]
    day = start_day(stage)
    while day.ended is None:
        step = _Step(day=day, sight=observe(stage, day), company=company)
        try:
            await step.live(check)
        except CallFailed as failure:
            failed = FailureEvent(role=SUBJECT, cause=failure.cause, detail=failure.detail)
            return (*events, *step.happened, failed)
        events.extend(step.happened)
        day = advance(stage, day, step.happened)
    return (*events, day.ended)


class _Step(Struct, frozen=True, kw_only=True):
    """One step; its events go into `happened` as they come, so that a failure leaves those before it."""

    day: Day
    sight: Observation
    company: DayCallers
    happened: list[DayEvent] = field(default_factory=list)

    async def live(self, check: SubtaskChecker) -> None:
        """All that happens.

        Raises:
            CallFailed: the target could not be asked.
        """
        asked = self.company.words.target_step(self.day, self.sight)
        self.happened.append(step_start(self.day, self.sight, asked[-1].content))
        others = (self._other(number) for number in range(len(self.sight.present)))
        own, *minds = await call_outcome(chain((self._target(asked),), others), swift=self.company.swift)
        if isinstance(own, CallFailed):
            raise own
        found = (own, *(mind for mind in minds if isinstance(mind, Intention)))
        resolved = resolve(self.company.stage, self.day, self.sight, found)
        self.happened.extend(resolved.deeds)
        failure = await self._go_on(resolved, check)
        if failure is not None:
            raise failure

    async def _target(self, asked: tuple[Message, ...]) -> Intention | CallFailed:
        """What the target wishes to do, or why it could not be asked: told when all others have been asked too."""
        cue = partial(self.company.cues.target, self.day, self.sight)
        try:
            return _mind(self.company.stage.target, await self.company.ask(SUBJECT, (self.day.step, 0), asked, cue))
        except CallFailed as failure:
            return failure

    async def _other(self, number: int) -> Intention:
        """What somebody here wishes to do."""
        person = self.sight.present[number]
        asked = self.company.words.supporter_step(self.day, self.sight, person)
        return await self._wish(person, number, asked, partial(self.company.cues.other, self.day, self.sight, person))

    async def _wish(self, person: int, number: int, asked: tuple[Message, ...], cue: Cue) -> Intention:
        """What somebody besides the target wishes; who cannot be asked waits, and the day goes on."""
        try:
            return _mind(person, await self.company.ask(SUPPORTER, (self.day.step, number), asked, cue))
        except CallFailed as failure:
            return Intention(person, UnparsedAction(f"{UNASKED}{failure.cause}"))

    async def _go_on(self, resolved: StepOutcome, check: SubtaskChecker) -> CallFailed | None:
        """The target's conversation, if it has one, and whether its task is done by then; or why it broke off."""
        try:
            if resolved.party:
                await self._converse(resolved)
        except CallFailed as failure:
            return failure
        task = self.sight.active
        if task is not None and task.kind == self.company.stage.location(self.day.where).kind:
            self.happened.append(await check(self.day, task, self.happened))
        return None

    async def _converse(self, resolved: StepOutcome) -> None:
        """What is said goes into `happened` turn by turn."""
        talk = Talking(day=self.day, sight=self.sight, company=self.company)
        if resolved.message:
            self.happened.extend(await talk.text(resolved.party, resolved.message))
            return
        way: TalkChannel = "on the phone" if resolved.phone else "here"
        opening = _opening(self.company.stage, resolved, resolved.party)
        async for said in talk.converse(Conversation(party=resolved.party, way=way, opening=opening)):
            self.happened.append(said)  # one by one, so that what was said before a failure is kept


def _mind(person: int, reply: Reply) -> Intention:
    wish = UnparsedAction(DECLINED) if reply.refusal else parse_action(reply.text)
    cut = reply.finish == "length"
    return Intention(person, wish, plain(reply.text), plain(reply.reasoning), reply.planted, cut=cut)


def _opening(stage: DayConfig, resolved: StepOutcome, party: tuple[int, ...]) -> str:
    """What a conversation is opened with: how the first of the party turned to the others."""
    first = next(did for did in resolved.deeds if did.who == party[0])
    return f"({stage.population.name[first.who]}: {first.how})" if first.how else ""
