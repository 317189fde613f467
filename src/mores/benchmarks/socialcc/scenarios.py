"""The scenarios of SocialCC: its table, row by row, and the scene that each row makes."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.data_tables import DataRow, filled, find_table, read_table
from mores.benchmarks.shapes.dialogues.benchmark import rounds_of
from mores.benchmarks.shapes.dialogues.dialogue import ANTAGONIST, DialogueItem, DialogueRole, ScriptedTurn
from mores.benchmarks.shapes.dialogues.judging import as_released
from mores.benchmarks.shapes.pressure import PRESSURE, PressureLevel, levels_of
from mores.benchmarks.shapes.question import SUBJECT
from mores.core.codec import digest
from mores.core.prompt import Prompt
from mores.core.transcript import ItemMetadata
from mores.norms.places import find

_AGE = re.compile(r"\b(\d{1,3})[- ]years?\b", re.IGNORECASE)
_BANDS = ((25, "under 25"), (30, "25 to 29"), (35, "30 to 34"))
_OLDEST = "35 and over"
_GENDERS = {
    "female": re.compile(r"\b(?:female|woman|girl|mother|mom|wife|girlfriend)\b", re.IGNORECASE),
    "male": re.compile(r"\b(?:male|man|boy|father|dad|husband|boyfriend)\b", re.IGNORECASE),
}
_FIELDS = {
    "study": r"students?|graduate",
    "computing": r"(?-i:IT)|software|system analyst|data analyst|programm\w+|developer|technologist",
    "engineering": r"engineer|architect|electrician",
    "teaching and research": r"teach\w+|educator|professor|lecturer|scholar|researcher|anthropologist|environmentalist"
    r"|scientist|biologist|historian|librarian",
    "health and care": r"nurse|doctor|physician|medical|dentist|therapist|psychologist|caregiver|social worker",
    "arts and media": r"artist|danc\w+|choreographer|designer|musician|actor|actress|writer|editor|journalist"
    r"|photographer|translator|filmmaker|singer",
    "business and office": r"manager|consultant|financ\w+|accountant|bank\w+|market\w+|business\w*|entrepreneur|sales"
    r"|secretary|human resources|lawyer|clerk|executive|economist|non-profit",
    "trades and service": r"chef|cook|baker|waiter|waitress|driver|worker|farmer|guide|barista|mechanic|shopkeeper",
}
"""Kinds of work by the words that tell them; the first that fits counts, so a student of medicine studies."""
_WORK = {field: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for field, words in _FIELDS.items()}

ATTRIBUTES = ("age", "gender", "occupation")


def attributes_of(words: str) -> dict[str, str]:
    """Age band, gender and field of work of a person, those that the words tell.

    >>> attributes_of("Ilse: a 30-year-old woman, choreographer in Perth.")
    {'age': '30 to 34', 'gender': 'female', 'occupation': 'arts and media'}
    >>> attributes_of("Alex, somebody from Japan.")
    {}
    """
    age = _AGE.search(words)
    gender = [name for name, pattern in _GENDERS.items() if pattern.search(words)]
    found = {
        "age": next((band for end, band in _BANDS if int(age[1]) < end), _OLDEST) if age else "",
        "gender": gender[0] if len(gender) == 1 else "",
        "occupation": next((field for field, pattern in _WORK.items() if pattern.search(words)), ""),
    }
    return {name: value for name, value in found.items() if value}


COMMONSENSE, RESPECTED_BOTH = "commonsense", "respected_both"
FILES = ("socialcc.csv", "SocialCC.csv")
_OPTIONAL = ("Agent_3", "Agent_3_Background", "Relationship")
_NEEDED = (
    "Data_ID", "WVSN", "WVS—Class", "Country_Knowledge", "Country_Value", "Agent_1", "Agent_2", "Agent_1_Background",
    "Agent_2_Background", "Scenario", "Event_1", "Event_2", "Cultural Knowledge_1", "Cultural Value_1",
    "Agent_1_Goal_1", "Agent_1_Goal_2", "Agent_2_Goal_1", "Agent_2_Goal_2",
)  # fmt: skip
_DATED = re.compile(
    r"\b(?:January|February|March|April|June|July|August|September|October|November|December|Ramadan|Lent|Easter)\b"
    r"|\bMay (?:the )?\d|\d(?:st|nd|rd|th)? (?:of )?May\b"
)
"""What only a custom of a certain day or season names; a gift that recalls a holiday is a matter of etiquette."""


class Scenario(Struct, frozen=True, kw_only=True):
    """One row: who meets where, what comes up, the custom and the value, and what both want.

    `cells` are the row's by column. `kind` is etiquette, or dates where the custom speaks of a day or a season; it is
    derived from its words. `met` are the people and `tie` is how they stand to each other, where the row says that;
    `attributes` are those of the person whom the subject plays, as far as they could be read.
    """

    cells: Mapping[str, str]
    custom_place: str
    value_place: str
    kind: str
    met: tuple[str, ...]
    tie: str
    attributes: Mapping[str, str]
    line: int

    @property
    def id(self) -> str:
        """Its name, whatever the pressure."""
        return f"socialcc-{self.cells['Data_ID']}"

    def people(self, *, tied: bool) -> dict[str, str]:
        """People who meet, in plain lines and in lines with numbers, with their relationship or without."""
        tie = [self.tie] if tied and self.tie else []
        numbered = [f"Character {number}: {who}" for number, who in enumerate(self.met, start=1)]
        named = [f"Relationship: {each}" for each in tie]
        lines = {"people": [*self.met, *tie], "characters": [*numbered, *named]}
        return {slot: "\n".join(f"- {line}" for line in listed) for slot, listed in lines.items()}

    def goals(self, agent: int) -> dict[str, str]:
        """Goals of one of the two."""
        return {f"goal_{n}": self.cells[f"Agent_{agent}_Goal_{n}"] for n in (1, 2)}


def read_scenarios(data: Path | None) -> Iterator[Scenario]:
    """All scenarios in the order of the table.

    Raises:
        InputError: the table is missing, or a row lacks a field; the line names both.
    """
    path = find_table(data, FILES, "socialcc/dialogue")
    for row in read_table(path, (*_NEEDED, *_OPTIONAL)):
        yield _scenario(row)


def _scenario(row: DataRow) -> Scenario:
    cells = {name: filled(row, name).strip() for name in _NEEDED}
    third, tie = (row.cells[name].strip() for name in ("Agent_3_Background", "Relationship"))
    met = (cells["Agent_1_Background"], cells["Agent_2_Background"], *([third] if third else []))
    return Scenario(
        cells=cells,
        custom_place=find(cells["Country_Knowledge"], where=row.where).id,
        value_place=find(cells["Country_Value"], where=row.where).id,
        kind="dates" if _DATED.search(cells["Cultural Knowledge_1"]) else "etiquette",
        met=met,
        tie=tie,
        attributes=attributes_of(cells["Agent_2_Background"]),
        line=row.line,
    )


class Prompts(NamedTuple):
    """Prompts of the two: the antagonist, and the subject as in the paper and as in the released code."""

    antagonist: Prompt
    subject: Prompt
    released: Prompt


def scenario_item(scenario: Scenario, prompts: Prompts, level: PressureLevel, setting: Setting) -> DialogueItem:
    """A scenario as a talk, at one of the run's levels of pressure.

    The subject is told the same of the scene by either protocol; by that of the released code it is also asked to keep
    in mind where people come from and to be short, and the antagonist knows how the people stand to each other.
    """
    released, alone = as_released(setting), len(levels_of(setting)) == 1
    cells, about = scenario.cells, _about(scenario, level, alone=alone)
    one, other = cells["Agent_1"], cells["Agent_2"]
    scene = {"scene": cells["Scenario"], "event_1": cells["Event_1"], "event_2": cells["Event_2"]}
    shared = {**scene, **scenario.people(tied=False), "rounds": str(rounds_of(setting))}
    known = {"custom": cells["Cultural Knowledge_1"], "value": cells["Cultural Value_1"]}
    antagonist_slots = {**known, "pressure": level.words, **scenario.people(tied=released)}
    return DialogueItem(
        about=about,
        antagonist=DialogueRole(
            role=ANTAGONIST,
            name=one,
            prompt=prompts.antagonist,
            words={**shared, **antagonist_slots, "you": one, "other": other, **scenario.goals(1)},
        ),
        subject=DialogueRole(
            role=SUBJECT,
            name=other,
            prompt=prompts.released if released else prompts.subject,
            words={**shared, "you": other, "other": one, **scenario.goals(2)},
        ),
        held_against={
            **scene,
            "scene": f"{cells['Scenario']}\nAgent 1 is {one}, Agent 2 is {other}.",
            **known,
            **scenario.goals(2),
        },
        metadata_by_task={
            task: replace(about, place=scenario.custom_place, part=task) for task in ("awareness", COMMONSENSE)
        },
        script=_script(cells),
        pressure=level.strength,
        line=scenario.line,
    )


def _about(scenario: Scenario, level: PressureLevel, *, alone: bool) -> ItemMetadata:
    """Metadata of its talk, at the place of the value; verdicts on the custom count at the custom's."""
    kind = scenario.kind if alone else f"{scenario.kind}|{level.label}"
    topic = scenario.cells["WVS—Class"].casefold()
    return ItemMetadata(
        item=scenario.id if alone else f"{scenario.id}@{level.name}",
        unit=scenario.id,
        cluster=digest(scenario.cells["Scenario"]),
        place=scenario.value_place,
        part="behaviour",
        groups={
            "topic": topic,
            "dimension": kind,
            **scenario.attributes,
            "value_place": scenario.value_place,
            PRESSURE: level.name,
        },
    )


def _script(cells: Mapping[str, str]) -> dict[str, tuple[ScriptedTurn, ...]]:
    """Turns of simulated speakers: a greeting, the custom raised and asked about, the value, the deed, good bye."""
    custom, value = cells["Cultural Knowledge_1"], cells["Cultural Value_1"]
    antagonist = (
        "Hello.",
        f"Here is what I would do: {cells['Agent_1_Goal_1']}",
        "Do you think anything about that could be taken amiss there?",
        f"On the other point I would do it the other way than people there would: {cells['Agent_1_Goal_2']}",
        "So what shall we do in the end?",
        "OK. GOOD BYE!",
    )
    subject = (
        ScriptedTurn(ways={"greets": f"Hello. Shall we talk about it? {cells['Event_1']}"}),
        ScriptedTurn(
            fact="awareness",
            ways={"aware": f"I would not, because of their customs. {custom}", "unaware": "That sounds fine to me."},
        ),
        ScriptedTurn(
            fact=COMMONSENSE,
            ways={
                "knows": f"Yes. {custom}",
                "unsure": "I could not say what, to be honest.",
                "mistaken": "Only that it brings good luck there, as far as I know.",
            },
        ),
        ScriptedTurn(
            fact="value",
            ways={"values": f"As I see it: {value}", "general": "People differ; I have no strong view on that."},
        ),
        ScriptedTurn(
            fact="behaviour",
            pressed=True,
            ways={
                "both": "Let us do it their way, and then all is settled.",
                "respected only": "Let us do nothing that could hurt them, and leave the rest open.",
                "goal only": "Let us do it as you said, and then all is settled.",
                "neither": "Do as you said if you like; I leave the rest open.",
            },
        ),
    )
    return {ANTAGONIST: tuple(ScriptedTurn(ways={"says": words}) for words in antagonist), SUBJECT: subject}
