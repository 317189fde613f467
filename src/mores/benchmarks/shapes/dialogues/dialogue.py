"""A talk under pressure: an antagonist that knows a norm raises a conflict with it, the subject has a goal of its own.

scene ─▶ two minds talk ─▶ events. The subject is not told the norm, but by a control; the antagonist is.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache, partial
from itertools import groupby

from msgspec import UNSET, Struct, UnsetType, field, structs

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.shapes.question import SUBJECT, limited, of_subject
from mores.core.card import Control
from mores.core.prompt import Prompt, preceded
from mores.core.transcript import ItemMetadata, Transcript, TranscriptEvent, TurnEvent
from mores.models.cast import Cast
from mores.models.request import AlarmKey, AnswerKey
from mores.worlds.dialogue import SILENT, DialogueLimits, DialogueState, run_dialogue
from mores.worlds.persona import ModelPolicy, Persona

ANTAGONIST = "antagonist"
SLOT = re.compile(r"\[\[\s*\w+\s*\]\]")
PROPOSAL, HARMLESS, AGAINST = "proposal", "harmless", "against the norm"
"""Kind of group that tells what the antagonist proposes, where some of it goes against no norm."""
OPENING = "(The conversation begins. You speak first.)"


class ScriptedTurn(Struct, frozen=True, kw_only=True):
    """Turn of a simulated speaker: ways by outcome, the first of them the competent one.

    `fact` names what the outcome decides; empty where it decides nothing. A `pressed` line comes after the pressure
    of the other, and is what a subject gives way in. Where nothing has to be objected to, `alarmed` has what outcomes
    become by an objection. `courteous` are the outcomes that are open to plain courtesy, unset where nobody says.
    """

    ways: Mapping[str, str]
    fact: str = ""
    pressed: bool = False
    alarmed: Mapping[str, str] = field(default_factory=dict)
    courteous: tuple[str, ...] | UnsetType = UNSET

    @property
    def truth(self) -> str:
        """The outcome of who knows."""
        return next(iter(self.ways))


class DialogueRole(Struct, frozen=True, kw_only=True):
    """One of the two: its role, its name, what fills the slots of its prompt, and what it is told before."""

    role: str
    name: str
    prompt: Prompt
    words: Mapping[str, str]
    told: str = ""

    @property
    def brief(self) -> str:
        """All that it is told before the talk."""
        return preceded(self.prompt.render(**self.words), self.told)

    def persona(self) -> Persona:
        """The mind that plays it; the prompt's own words, and no others, are what it must not say aloud."""
        return Persona(
            role=self.role,
            name=self.name,
            brief=self.brief,
            prompt=self.prompt.sha,
            rules=_stretches(self.prompt.body),
        )


class DialogueItem(Struct, frozen=True, kw_only=True):
    """A scene for two, what judges hold the talk against, and what verdicts count towards.

    `about` is what the talk counts towards, `metadata_by_task` that of tasks whose verdicts count elsewhere.
    `script` is what simulated minds say, by role and turn. `pressure` is how hard the antagonist pushes, from 0 to 1;
    a scene is one unit however hard: what a simulated mind knows of it, it knows at each pressure. `control` says how
    its place was masked.
    """

    about: ItemMetadata
    antagonist: DialogueRole
    subject: DialogueRole
    held_against: Mapping[str, str]
    script: Mapping[str, tuple[ScriptedTurn, ...]]
    metadata_by_task: Mapping[str, ItemMetadata] = field(default_factory=dict)
    pressure: float = 1.0
    line: int = 0
    control: Control | UnsetType = UNSET

    @property
    def harmless(self) -> bool:
        """True where what the antagonist proposes goes against no norm."""
        return self.about.groups.get(PROPOSAL) == HARMLESS

    def about_of(self, task: str) -> ItemMetadata:
        """Metadata of a verdict on one task: those of the talk, unless it says otherwise."""
        return self.metadata_by_task.get(task) or structs.replace(self.about, part=task)

    def render(self) -> str:
        """The words put to the subject before the talk."""
        return self.subject.brief

    def key(self, role: str, step: int) -> AnswerKey | None:
        """Answer key of a simulated speaker at its turn; after its last line it has only a good bye to say."""
        lines = self.script.get(role, ())
        line = lines[step] if step < len(lines) else ScriptedTurn(ways={"closes": "Thank you for the talk. Good bye."})
        key = partial(AlarmKey, alarmed=dict(line.alarmed)) if line.alarmed else AnswerKey
        return key(
            unit=f"{self.about.unit}/{line.fact}",
            truth=line.truth,
            ways=dict(line.ways),
            place=self.about_of(line.fact).place,
            rung="converse",
            pressure=self.pressure if line.pressed else 0.0,
            control=self.control,
            courteous=line.courteous,
        )


@cache
def _stretches(body: str) -> tuple[str, ...]:
    """A prompt's own words, without what fills its slots."""
    return tuple(SLOT.split(body))


async def play(item: DialogueItem, sample: int, cast: Cast, setting: Setting, rules: DialogueLimits) -> Transcript:
    """The talk, from what both were told to its end."""
    minds = (item.antagonist.persona(), item.subject.persona())
    # What a run asks of the subject alone, such as to think, is not asked of the antagonist.
    drawn = {ANTAGONIST: limited(setting.protocol), SUBJECT: of_subject(setting.protocol)}
    policies = {
        role: ModelPolicy(cast=cast, sampling=sampling, item=item.about.item, sample=sample, keys=item.key)
        for role, sampling in drawn.items()
    }
    events = await run_dialogue(DialogueState(minds=minds, rules=rules), policies, OPENING)
    return Transcript(item=item.about.item, sample=sample, events=events)


def format_talk(events: Iterable[TranscriptEvent]) -> str:
    """A talk as judges read it: "Round n:" and what each of the two said in it.

    The speakers are Agent 1 (who speaks first) and Agent 2, as in the files that are released.
    """
    spoken = [event for event in events if isinstance(event, TurnEvent)]
    parts = []
    for number, turns in groupby(spoken, key=lambda spoke: spoke.round):
        parts.append(f"Round {number}:")
        for spoke in turns:
            who = "Agent 2" if spoke.role == SUBJECT else "Agent 1"
            parts.append(f"{who}:\n{spoke.text or SILENT}")
    return "\n".join(parts)
