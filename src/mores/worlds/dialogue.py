"""Two agents talk in turns until one says good bye, both are silent, or the rounds are used up.

talk, what was said ─▶ step ─▶ talk. The step is pure: equal words give equal talks, whoever said them and however
long it took, so a talk that was cut goes on from its journal. A round is a turn of the first speaker and one of the
second, who may be left without an answer.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.core.transcript import BriefingEvent, DialogueEndEvent, FailureEvent, TranscriptEvent, TurnEvent
from mores.models.request import CallFailed, Reply
from mores.worlds.persona import Memory, Persona, Policy

ReplyFlag = Literal["empty", "refusal", "repeats", "speaks for the other", "leaks its instructions", "cut short"]
FLAGS: tuple[ReplyFlag, ...] = get_args(ReplyFlag)
_SHINGLE = 8
"""Words of an agent's instructions in a row that nobody says by chance."""
_WORD = re.compile(r"\w+")
_MARKS = r"[\s*_#>\[\]()]"
"""What may stand round a speaker's name in Markdown or a script."""
_BETWEEN = 4
"""Marks between a name and its colon, at most."""
_AGENTS = r"(?:agent|character)\s*[12]"
_GOVERNED = (
    r"(?:say|says|saying|said|wave|waved|bid|bidding|kiss|a|an|the|this|that|no|our|my|your|his|her|their|of|or"
    r"|hello\s+and)\s+"
)
_GOOD_BYE = re.compile(rf"(?P<governed>\b{_GOVERNED})?\bgood[\s-]?bye\b", re.IGNORECASE)


class FilteredReply(NamedTuple):
    """The words that reach the other, and the flags of what was said."""

    text: str
    flags: tuple[ReplyFlag, ...]


def filter_reply(reply: Reply, speaker: Persona, listener: Persona, before: str | None) -> FilteredReply:
    """Words of a reply that reach the listener: without the speaker's name before them, and not beyond its own turn.

    Args:
        reply: What the speaker's model said.
        speaker: Who speaks.
        listener: Who hears it.
        before: What the speaker said last, if it spoke before.
    """
    own, beyond = reply.text.strip(), None
    if _may_name(own, (speaker.name, listener.name)):
        own = _own_label(speaker.name).sub("", own, count=1)
        beyond = _turn_of(listener.name, speaker.name).search(own)
    text = (own[: beyond.start()] if beyond else own).strip()
    found: dict[ReplyFlag, bool] = {
        "empty": not text,
        "refusal": reply.refusal,
        "repeats": bool(text) and before is not None and _bare(text) == _bare(before),
        "speaks for the other": beyond is not None,
        "leaks its instructions": not _secret(speaker.rules).isdisjoint(_shingles(_words(own))),
        "cut short": reply.finish == "length",
    }
    return FilteredReply(text, tuple(flag for flag in FLAGS if found[flag]))


def is_closing(text: str) -> bool:
    """True if somebody says good bye; to plan a goodbye party, or to say goodbye to a third, is to go on talking.

    >>> is_closing("OK. GOOD BYE!"), is_closing("Let us plan her goodbye party.")
    (True, False)
    """
    if "bye" not in text.lower():
        return False
    return any(found["governed"] is None for found in _GOOD_BYE.finditer(text))


def _bare(text: str) -> str:
    return " ".join(_words(text)) or text


def _may_name(text: str, names: tuple[str, str]) -> bool:
    """True if a name may stand before a colon, which is seldom so.

    Only then the patterns of these two are made, which took a sixth of a simulated talk.
    """
    *before, _ = text.lower().split(":")
    if not before:
        return False
    odd = not (text.isascii() and all(name.isascii() and ":" not in name for name in names))
    if odd or any("agent" in words or "character" in words for words in before):
        return True  # for the patterns to say; a letter beyond ASCII may have more cases than two
    return any(name.lower() in words[-len(name) - _BETWEEN :] for words in before for name in names)


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[str, ...]:
    """The words of a turn, which is looked at again when its speaker's next one comes."""
    return tuple(_WORD.findall(text.casefold()))


@lru_cache(maxsize=4096)
def _secret(rules: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """All runs of words of the instructions, none of them over the bounds of a stretch."""
    return frozenset(shingle for rule in rules for shingle in _shingles(_words(rule)))


def _shingles(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(_SHINGLE)), strict=False)


@lru_cache(maxsize=4096)
def _own_label(name: str) -> re.Pattern[str]:
    return re.compile(rf"\A{_MARKS}*(?:{re.escape(name)}|{_AGENTS}){_MARKS}{{0,{_BETWEEN}}}:{_MARKS}*", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _turn_of(listener: str, speaker: str) -> re.Pattern[str]:
    """The beginning of a line that is put into somebody's mouth, the listener's or once more the speaker's."""
    names = "|".join((re.escape(listener), re.escape(speaker), _AGENTS))
    return re.compile(rf"^{_MARKS}{{0,4}}(?:{names}){_MARKS}{{0,{_BETWEEN}}}:", re.IGNORECASE | re.MULTILINE)


SILENT = "(says nothing)"
"""What the other hears of an agent that says nothing; many endpoints take no empty message."""


class DialogueLimits(Struct, frozen=True, kw_only=True):
    """Limits of a talk: its rounds, and the turns without words of one speaker after which it ends.

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
    turns: tuple[TurnEvent, ...] = ()
    ended: DialogueEndEvent | None = None

    @property
    def speaker(self) -> Persona:
        """Speaker of the next turn."""
        return self.minds[len(self.turns) % 2]

    @property
    def listener(self) -> Persona:
        """Listener of the next turn."""
        return self.minds[(len(self.turns) + 1) % 2]

    @property
    def round(self) -> int:
        """The round that the next turn belongs to, from 1."""
        return len(self.turns) // 2 + 1


def step(talk: DialogueState, spoke: TurnEvent) -> DialogueState:
    """The talk after one more turn.

    Raises:
        InputError: it has ended, or it is somebody else's turn.
    """
    if talk.ended is not None:
        raise InputError(f"The talk ended by {talk.ended.why}; nothing more can be said.")
    if spoke.role != talk.speaker.role:
        raise InputError(f"It is the turn of the {talk.speaker.role}; the {spoke.role} spoke.")
    turns = (*talk.turns, spoke)
    return replace(talk, turns=turns, ended=_ending(turns, talk.rules))


def _ending(turns: tuple[TurnEvent, ...], rules: DialogueLimits) -> DialogueEndEvent | None:
    if rules.stored:
        return None
    last, rounds = turns[-1], (len(turns) + 1) // 2
    if is_closing(last.text):
        return DialogueEndEvent(why="closing words", by=last.role, rounds=rounds)
    # Every second turn from the last one: those of one speaker.
    own = turns[::-2][: rules.silences]
    if len(own) == rules.silences and not any(spoke.text for spoke in own):
        return DialogueEndEvent(why="silence", by=last.role, rounds=rounds)
    return DialogueEndEvent(why="limit", by=None, rounds=rounds) if len(turns) >= 2 * rules.rounds else None


def leave(talk: DialogueState) -> DialogueState:
    """The talk as it ends where a recording of it has no more turns: by closing words, if those were its last.

    Raises:
        InputError: it has ended before.
    """
    if talk.ended is not None:
        raise InputError(f"The talk ended by {talk.ended.why}; nobody can leave it.")
    last, rounds = talk.turns[-1:], (len(talk.turns) + 1) // 2
    if last and is_closing(last[0].text):
        return replace(talk, ended=DialogueEndEvent(why="closing words", by=last[0].role, rounds=rounds))
    return replace(talk, ended=DialogueEndEvent(why="recording", by=None, rounds=rounds))


async def run_dialogue(
    talk: DialogueState, policies: Mapping[str, Policy], opening: str
) -> tuple[TranscriptEvent, ...]:
    """All events of a talk, from what the agents were told to its end, or to the call that failed.

    Args:
        talk: Before anything was said.
        policies: What speaks for each agent, by role.
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
        memories = {role: _after(memory, role, talk.turns[-1]) for role, memory in memories.items()}
    briefed = (
        BriefingEvent(role=mind.role, name=mind.name, words=mind.brief, prompt=mind.prompt) for mind in talk.minds
    )
    return (*briefed, *talk.turns, *((talk.ended,) if talk.ended else ()), *cut)


def _after(memory: Memory, role: str, spoke: TurnEvent) -> Memory:
    """Memory of a speaker after one more turn."""
    words = spoke.text or SILENT
    return memory.add_assistant(words) if spoke.role == role else memory.add_user(words)


def _spoke(talk: DialogueState, reply: Reply) -> TurnEvent:
    """The speaker's next turn, by what its model replied."""
    mind, before = talk.speaker, talk.turns[-2].text if len(talk.turns) > 1 else None
    filtered = filter_reply(reply, mind, talk.listener, before)
    text = reply.text.strip() if talk.rules.stored else filtered.text
    return TurnEvent(
        role=mind.role,
        name=mind.name,
        round=talk.round,
        text=text,
        raw=reply.text if reply.text != text else None,
        reasoning=reply.reasoning,
        flags=filtered.flags,
        planted=reply.planted,
    )
