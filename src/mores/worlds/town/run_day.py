"""A day simulated: agents are asked at each step, the world makes of it what it can, until the day is over.

observation ─▶ what each intends ─▶ resolve: what is done, and who talks ─▶ conversations ─▶ the next step

All who act at a step are asked at once, upon one observation; a conversation is a turn after a turn; which tasks are
done is asked last, as it ends the day: in one call, of every open task that needs a place of the kind where the target
is. Nothing else is on the way from one step to the next. `resolve` is pure: the order in which agents answered makes no
difference.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Struct, field, structs

from mores.core.card import Sampling
from mores.core.transcript import (
    CUT_SHORT,
    ActionEvent,
    DayEvent,
    FailureEvent,
    Message,
    SpeechEvent,
    Subtask,
    SubtaskCheckEvent,
    TranscriptEvent,
)
from mores.models.cast import Caller, call_outcome
from mores.models.request import AnswerKey, CallFailed, Reply, Request, Tag
from mores.worlds.town.actions import (
    DECLINED,
    UNASKED,
    Action,
    AvailableActions,
    UnparsedAction,
    menu,
    offer_of,
    parse_action,
    plain,
    read_object,
    refusal,
)
from mores.worlds.town.day import Day, Observation, advance, observe, open_tasks, opening, start_day, step_start
from mores.worlds.town.planted import PlantedDay
from mores.worlds.town.prompts import Conversation, DayPrompts, TalkChannel
from mores.worlds.town.stage import DayConfig, place_role_of

SUBJECT, SUPPORTER = "subject", "supporter"
TALKS, FREE = 50, 100
"""The first number among a step's calls that is an utterance, and the first that no call of a step has.

A step takes as many numbers beyond it as the town has people: simulated agents draw by these numbers, and keep to them.
"""


Cue = Callable[[], AnswerKey | None]
"""Makes what a simulated agent may read of one call; for one that reads nothing it is not made."""


SubtaskChecker = Callable[[Day, Sequence[Subtask], Sequence[DayEvent]], Awaitable[Sequence[SubtaskCheckEvent]]]
"""Which of some subtasks are done, asked of the verifier in the course of the day: its words on a step's events."""


class DayCallers(msgspec.Struct, frozen=True, kw_only=True):
    """Clients, sampling and names of the calls of one day; `cues` are what simulated agents may read.

    `own` is how the target's model draws its words, `sampling` how the others do; `blind` are roles that get no cues,
    `swift` says that everybody answers at once.
    """

    cast: Caller
    sampling: Sampling
    own: Sampling
    item: str
    sample: int
    words: DayPrompts
    cues: PlantedDay
    blind: frozenset[str] = frozenset()
    swift: bool = False

    @property
    def stage(self) -> DayConfig:
        """All that is fixed in the day."""
        return self.words.stage

    async def ask(self, role: str, call: tuple[int, int], messages: tuple[Message, ...], cue: Cue) -> Reply:
        """The reply of one agent; a call is a step of the day, and its number among the step's calls."""
        number, of_step = call
        tag = Tag(item=self.item, role=role, step=number * self._calls + of_step, sample=self.sample)
        sampling = self.own if role == SUBJECT else self.sampling
        key = None if role in self.blind else cue()
        return await self.cast.ask(Request(messages=messages, sampling=sampling, tag=tag, key=key))

    @property
    def _calls(self) -> int:
        """Numbers of calls that a step may take."""
        return FREE + len(self.stage.population)


class Intention(NamedTuple):
    """Somebody's wish, or why there is none, with what else came with it."""

    who: int
    action: Action | UnparsedAction
    raw: str = ""
    reasoning: str = ""
    planted: str | None = None
    cut: bool = False


class StepOutcome(NamedTuple):
    """Outcome of everybody's intentions: what each did, and who talks with the target, the opener first.

    `message` is what is texted, where that is how they talk.
    """

    actions: tuple[ActionEvent, ...]
    party: tuple[int, ...] = ()
    phone: bool = False
    message: str = ""


def resolve(stage: DayConfig, day: Day, sight: Observation, intentions: Sequence[Intention]) -> StepOutcome:
    """Wishes made upon one sight, put into effect in the order of the people's numbers, the target's first.

    An impossible wish becomes a wait. Who addresses the target finds it talking only if it does not walk away and
    talks with nobody else; the first of them by number opens the conversation.
    """
    # By number and not as they answered, so that the order of replies changes no day.
    ordered = sorted(intentions, key=lambda intention: (intention.who != stage.target, intention.who))
    actions = tuple(_action_event(stage, day, sight, intention) for intention in ordered)
    own = actions[0]
    match own.deed:
        case "talk" | "call":
            return StepOutcome(actions, (stage.target, *own.to), own.deed == "call")
        case "text":
            return StepOutcome(actions, (stage.target, *own.to), True, own.argument or own.how)
        case "go":
            return StepOutcome(actions)
        case "do" if served := _served(stage, own, sight.choices):
            return StepOutcome(actions, (stage.target, *served))
    addressed = [did.who for did in actions[1:] if did.deed == "talk" and stage.target in did.to]
    return StepOutcome(actions, (addressed[0], stage.target)) if addressed else StepOutcome(actions)


def _served(stage: DayConfig, did: ActionEvent, choices: AvailableActions) -> tuple[int, ...]:
    """People whom an action of the menu makes somebody speak with: those named who are here, else the first here."""
    offer = offer_of(Action(kind="do", action=did.action), choices)
    if offer is None or not offer.talks:
        return ()
    here = [person for person in choices.present if person not in {did.who, stage.target}]
    return tuple(person for person in did.to if person in here)[:3] or tuple(here[:1])


def _action_event(stage: DayConfig, day: Day, sight: Observation, intention: Intention) -> ActionEvent:
    action = intention.action if isinstance(intention.action, Action) else Action(kind="wait")
    choices = _choices(stage, day, sight, intention)
    why = intention.action.why if isinstance(intention.action, UnparsedAction) else refusal(action, choices)
    done = Action(kind="wait") if why else action
    return ActionEvent(
        step=day.step,
        minute=day.minute,
        who=intention.who,
        deed=done.kind,
        where=day.where,
        action=done.action,
        argument=done.argument,
        to=done.to,
        how=done.how,
        refused=why,
        raw=intention.raw if why else "",
        reasoning=intention.reasoning,
        planted=intention.planted,
        cut=True if intention.cut else UNSET,
    )


def _choices(stage: DayConfig, day: Day, sight: Observation, intention: Intention) -> AvailableActions:
    """Actions of somebody: the target all it sees; those in its sight speak, do what is offered to them, or wait."""
    if intention.who == stage.target:
        return sight.choices
    here, present = stage.location(day.where), (stage.target, *sight.present)
    offers = menu(here.kind, place_role_of(stage.resident(intention.who), here))
    return AvailableActions(neighbours=(), present=present, offers=offers, contacts=(stage.target,))


class Utterance(NamedTuple):
    """Utterance of a reply: what is said aloud, whether its speaker leaves with it, and faults of its form."""

    text: str
    leaves: bool
    flags: tuple[str, ...] = ()


class Talking(msgspec.Struct, frozen=True, kw_only=True):
    """The target's talk at one step."""

    day: Day
    sight: Observation
    company: DayCallers

    async def converse(self, talk: Conversation) -> AsyncIterator[SpeechEvent]:
        """Speech of the target and the others in turn; who leaves says no more, and the rest go on.

        Raises:
            CallFailed: the target could not be asked.
        """
        target, turn = self.company.stage.target, 0
        opens = talk.party[0] == target
        others = [person for person in talk.party if person != target]
        for number in range(self.company.stage.limits.utterances):
            own = (number % 2 == 0) == opens
            person = target if own else others[turn % len(others)]
            event, leaves = await self._utter(talk, person, number)
            yield event
            if leaves and own:
                return
            if leaves:
                others.remove(person)
            elif not own:
                turn += 1
            if not others:
                return
            talk = structs.replace(talk, lines=(*talk.lines, event), party=(target, *others))

    async def text(self, party: tuple[int, ...], message: str) -> tuple[SpeechEvent, ...]:
        """A message of the target and its answer."""
        talk = Conversation(party=party, way="by text message")
        sent = self._speech_event(party[0], talk, Utterance(message, False))
        answer, _ = await self._utter(structs.replace(talk, lines=(sent,)), party[1], 1)
        return sent, answer

    async def _utter(self, talk: Conversation, person: int, number: int) -> tuple[SpeechEvent, bool]:
        """One turn, and whether its speaker leaves; who cannot be asked leaves without a word.

        Raises:
            CallFailed: the target could not be asked.
        """
        try:
            reply = await self._asked(talk, person, (self.day.step, TALKS + number))
        except CallFailed as failure:
            if person == self.company.stage.target:
                raise
            return self._speech_event(person, talk, Utterance("", True, (f"{UNASKED}{failure.cause}",))), True
        utterance = _marked_if_cut(read_utterance(reply), reply)
        event = self._speech_event(person, talk, utterance)
        return structs.replace(event, planted=reply.planted, reasoning=plain(reply.reasoning)), utterance.leaves

    async def _asked(self, talk: Conversation, person: int, call: tuple[int, int]) -> Reply:
        company, day = self.company, self.day
        if person == self.company.stage.target:
            asked, cue = company.words.target_talk(day, self.sight, talk), partial(company.cues.target_talk, day, talk)
            return await company.ask(SUBJECT, call, asked, cue)
        asked = company.words.supporter_talk(day, person, talk)
        return await company.ask(SUPPORTER, call, asked, partial(company.cues.other_talk, day, talk))

    def _speech_event(self, person: int, talk: Conversation, utterance: Utterance) -> SpeechEvent:
        return SpeechEvent(
            step=self.day.step,
            minute=self.day.minute,
            who=person,
            to=tuple(other for other in talk.party if other != person),
            where=self.day.where,
            text=utterance.text,
            phone=talk.phone,
            flags=utterance.flags,
        )


def _marked_if_cut(utterance: Utterance, reply: Reply) -> Utterance:
    """The same, flagged where the reply ended at a limit."""
    if reply.finish != "length":
        return utterance
    return Utterance(utterance.text, utterance.leaves, (*utterance.flags, CUT_SHORT))


def read_utterance(reply: Reply) -> Utterance:
    """Utterance of a reply. Never raises.

    Plain words are taken as they are, and flagged; an empty reply and a refusal end the talk for their speaker.
    """
    if reply.refusal:
        return Utterance("", True, ("refusal",))
    words = plain(reply.text)
    if not words:
        return Utterance("", True, ("empty",))
    answer = read_object(reply.text)
    if isinstance(answer, UnparsedAction):
        return Utterance(words, False, ("no JSON",))
    if not isinstance(answer.get("say"), str):
        return Utterance(words, False, ("no words under say",))
    spoken = plain(answer["say"])
    return Utterance(spoken, answer.get("leave") is True or not spoken, () if spoken else ("empty",))


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
        own, *intentions = await call_outcome(chain((self._target(asked),), others), swift=self.company.swift)
        if isinstance(own, CallFailed):
            raise own
        found = (own, *(intention for intention in intentions if isinstance(intention, Intention)))
        resolved = resolve(self.company.stage, self.day, self.sight, found)
        self.happened.extend(resolved.actions)
        failure = await self._go_on(resolved, check)
        if failure is not None:
            raise failure

    async def _target(self, asked: tuple[Message, ...]) -> Intention | CallFailed:
        """Intention of the target, or why it could not be asked: told when all others have been asked too."""
        cue = partial(self.company.cues.target, self.day, self.sight)
        try:
            return _intention_of(
                self.company.stage.target, await self.company.ask(SUBJECT, (self.day.step, 0), asked, cue)
            )
        except CallFailed as failure:
            return failure

    async def _other(self, number: int) -> Intention:
        """Intention of somebody here."""
        person = self.sight.present[number]
        asked = self.company.words.supporter_step(self.day, self.sight, person)
        return await self._intention(
            person, number, asked, partial(self.company.cues.other, self.day, self.sight, person)
        )

    async def _intention(self, person: int, number: int, asked: tuple[Message, ...], cue: Cue) -> Intention:
        """Intention of somebody besides the target; who cannot be asked waits, and the day goes on."""
        try:
            return _intention_of(person, await self.company.ask(SUPPORTER, (self.day.step, number), asked, cue))
        except CallFailed as failure:
            return Intention(person, UnparsedAction(f"{UNASKED}{failure.cause}"))

    async def _go_on(self, resolved: StepOutcome, check: SubtaskChecker) -> CallFailed | None:
        """The target's conversation, if it has one, and which tasks are done by then; or why it broke off."""
        try:
            if resolved.party:
                await self._converse(resolved)
        except CallFailed as failure:
            return failure
        stage = self.company.stage
        here = stage.location(self.day.where).kind
        tasks = [task for task in open_tasks(stage, self.day) if task.kind == here]
        if tasks:
            self.happened.extend(await check(self.day, tasks, self.happened))
        return None

    async def _converse(self, resolved: StepOutcome) -> None:
        """Hold the conversation; what is said goes into `happened` turn by turn."""
        talk = Talking(day=self.day, sight=self.sight, company=self.company)
        if resolved.message:
            self.happened.extend(await talk.text(resolved.party, resolved.message))
            return
        way: TalkChannel = "on the phone" if resolved.phone else "here"
        opening = _opening(self.company.stage, resolved, resolved.party)
        async for event in talk.converse(Conversation(party=resolved.party, way=way, opening=opening)):
            self.happened.append(event)  # one by one, so that what was said before a failure is kept


def _intention_of(person: int, reply: Reply) -> Intention:
    action = UnparsedAction(DECLINED) if reply.refusal else parse_action(reply.text)
    cut = reply.finish == "length"
    return Intention(person, action, plain(reply.text), plain(reply.reasoning), reply.planted, cut=cut)


def _opening(stage: DayConfig, resolved: StepOutcome, party: tuple[int, ...]) -> str:
    """Opening of a conversation: how the first of the party turned to the others."""
    first = next(did for did in resolved.actions if did.who == party[0])
    return f"({stage.population.name[first.who]}: {first.how})" if first.how else ""
