"""Two minds talk in turns until one says good bye, both are silent, or the rounds are used up.

talk, what was said ─▶ step ─▶ talk. The step is pure: equal words give equal talks, whoever said them and however
long it took, so a talk that was cut goes on from its journal. A round is a turn of the first speaker and one of the
second, who may be left without an answer.
"""

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.core.transcript import BriefingEvent, DialogueEndEvent, FailureEvent, TranscriptEvent, TurnEvent
from mores.models.request import CallFailed, Reply
from mores.worlds.persona import Memory, Persona, Policy
from mores.worlds.reply_filter import filter_reply, is_closing

SILENT = "(says nothing)"
"""What the other hears of a mind that says nothing; many endpoints take no empty message."""


class DialogueLimits(Struct, frozen=True, kw_only=True):
    """How long a talk may be, and after how many turns without words of one mind it ends.

    A `stored` talk was held elsewhere: nothing of it is cut, and it ends where it ended.
    """

    rounds: int = 20
    silences: int = 2
    stored: bool = False

    def __post_init__(self) -> None:
        """Both are at least 1.

        Raises:
            InputError: they are not.
        """
        if self.rounds < 1 or self.silences < 1:
            raise InputError(f"rounds is {self.rounds}, silences {self.silences}; expected at least 1 of each.")


class DialogueState(Struct, frozen=True, kw_only=True):
    """The state of a talk: who takes part, the first speaker first, what was said, and how it ended."""

    minds: tuple[Persona, Persona]
    rules: DialogueLimits = field(default_factory=DialogueLimits)
    said: tuple[TurnEvent, ...] = ()
    ended: DialogueEndEvent | None = None

    @property
    def speaker(self) -> Persona:
        """Whose turn it is."""
        return self.minds[len(self.said) % 2]

    @property
    def listener(self) -> Persona:
        """Who hears it."""
        return self.minds[(len(self.said) + 1) % 2]

    @property
    def round(self) -> int:
        """The round that the next turn belongs to, from 1."""
        return len(self.said) // 2 + 1


def step(talk: DialogueState, spoke: TurnEvent) -> DialogueState:
    """The talk after one more turn.

    Raises:
        InputError: it has ended, or it is somebody else's turn.
    """
    if talk.ended is not None:
        raise InputError(f"The talk ended by {talk.ended.why}; nothing more can be said.")
    if spoke.role != talk.speaker.role:
        raise InputError(f"It is the turn of the {talk.speaker.role}; the {spoke.role} spoke.")
    said = (*talk.said, spoke)
    return replace(talk, said=said, ended=_ending(said, talk.rules))


def _ending(said: tuple[TurnEvent, ...], rules: DialogueLimits) -> DialogueEndEvent | None:
    if rules.stored:
        return None
    last, rounds = said[-1], (len(said) + 1) // 2
    if is_closing(last.text):
        return DialogueEndEvent(why="closing words", by=last.role, rounds=rounds)
    own = said[::-2][: rules.silences]
    if len(own) == rules.silences and not any(spoke.text for spoke in own):
        return DialogueEndEvent(why="silence", by=last.role, rounds=rounds)
    return DialogueEndEvent(why="limit", by=None, rounds=rounds) if len(said) >= 2 * rules.rounds else None


def leave(talk: DialogueState) -> DialogueState:
    """The talk as it ends where a recording of it has no more turns: by closing words, if those were its last.

    Raises:
        InputError: it has ended before.
    """
    if talk.ended is not None:
        raise InputError(f"The talk ended by {talk.ended.why}; nobody can leave it.")
    last, rounds = talk.said[-1:], (len(talk.said) + 1) // 2
    if last and is_closing(last[0].text):
        return replace(talk, ended=DialogueEndEvent(why="closing words", by=last[0].role, rounds=rounds))
    return replace(talk, ended=DialogueEndEvent(why="recording", by=None, rounds=rounds))


async def run_dialogue(
    talk: DialogueState, policies: Mapping[str, Policy], opening: str
) -> tuple[TranscriptEvent, ...]:
    """All events of a talk, from what the minds were told to its end, or to the call that failed.

    Args:
        talk: Before anything was said.
        policies: What speaks for each mind, by role.
        opening: What the first speaker is told, so that it begins.
    """
    memories = {mind.role: Memory.of(mind, opening if mind is talk.minds[0] else "") for mind in talk.minds}
    cut: tuple[TranscriptEvent, ...] = ()
    while talk.ended is None and not cut:
        mind = talk.speaker
        try:
            reply = await policies[mind.role].speak(mind, memories[mind.role], talk.round - 1)
        except CallFailed as failure:
            cut = (FailureEvent(role=mind.role, cause=failure.cause, detail=failure.detail),)
            continue
        if reply is None:
            talk = leave(talk)
            continue
        talk = step(talk, _spoke(talk, reply))
        memories = {role: _after(memory, role, talk.said[-1]) for role, memory in memories.items()}
    briefed = (
        BriefingEvent(role=mind.role, name=mind.name, words=mind.brief, prompt=mind.prompt) for mind in talk.minds
    )
    return (*briefed, *talk.said, *((talk.ended,) if talk.ended else ()), *cut)


def _after(memory: Memory, role: str, spoke: TurnEvent) -> Memory:
    """What a mind remembers after one more turn."""
    words = spoke.text or SILENT
    return memory.said(words) if spoke.role == role else memory.heard(words)


def _spoke(talk: DialogueState, reply: Reply) -> TurnEvent:
    """The speaker's next turn, by what its model replied."""
    mind, before = talk.speaker, talk.said[-2].text if len(talk.said) > 1 else None
    heard = filter_reply(reply, mind, talk.listener, before)
    text = reply.text.strip() if talk.rules.stored else heard.text
    return TurnEvent(
        role=mind.role,
        name=mind.name,
        round=talk.round,
        text=text,
        raw=reply.text if reply.text != text else None,
        reasoning=reply.reasoning,
        flags=heard.flags,
        planted=reply.planted,
    )
