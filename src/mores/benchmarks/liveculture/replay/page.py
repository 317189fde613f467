"""A replay as one HTML file: nothing is fetched, and nothing that models or people of the town say can act in it.

Models' words stand in the page as escaped text, so that it can be read without a script; the script reads the town and
the steps from JSON, shows one step at a time and draws the map.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mores.benchmarks.liveculture.replay.days import MOST_BROKEN, Replay
from mores.benchmarks.liveculture.replay.timeline import MARKS, NOT_COUNTED, ReplayStep, Timeline, timeline
from mores.core import files
from mores.norms.places import place
from mores.norms.places import place as known_place
from mores.tables.pages import page_values
from mores.worlds.town.people import WordColumn
from mores.worlds.town.schedule import MORNING, NIGHT, SLOT, clock
from mores.worlds.town.streets import KINDS, LocationKind, Town

GLYPHS: dict[LocationKind, str] = {
    "school": "M8 2.6 1 5.9l7 3.3 5.6-2.6v4h1.2V5.9zM3.9 8.5v2.6c0 1 1.8 1.9 4.1 1.9s4.1-.9 4.1-1.9V8.5L8 10.4z",
    "office": "M5.2 4.6V3.3h5.6v1.3h3.4v8.3H1.8V4.6zm1.4 0h2.8v0H6.6zM1.8 8h12.4v1H9.2v1.1H6.8V9h-5z",
    "apartment": "M8 2.2 1.6 8h1.9v5.4h3.2V9.7h2.6v3.7h3.2V8h1.9z",
    "hospital": "M6.1 2.4h3.8v3.7h3.7v3.8H9.9v3.7H6.1V9.9H2.4V6.1h3.7z",
    "park": "M8 1.6 3.7 6.8h1.7L2.8 10.6h4.3v3.4h1.8v-3.4h4.3l-2.6-3.8h1.7z",
    "mall": "M5 5.2C5 1.2 11 1.2 11 5.2h2.3l.8 8.4H1.9l.8-8.4zm1.4 0h3.2c0-2.2-3.2-2.2-3.2 0z",
    "restaurant": "M3.6 2v3.9c0 1 .6 1.7 1.4 2V14h1.5V7.9c.8-.3 1.4-1 1.4-2V2h-1v3.6h-.6V2H5.2v3.6h-.6V2z"
    "M9.8 2v12h1.5V9.6h1.2V5.2C12.500 3.400 11.400 2.200 9.800 2z",
    "gym": "M1 6.7h1.3V5h2.1v2.2h7.2V5h2.1v1.7H15v2.6h-1.3V11h-2.1V8.800H4.400V11H2.300V9.300H1z",
}
"""A sign for each kind of place, as a path in a square of 16."""
_TALL = 24
_LANE = 10
_FIELD = 26


def x(minute: int) -> str:
    """Position of a minute on a strip.

    >>> x(14 * 60 + 30)
    '50%'
    """
    share = 100 * (min(max(minute, MORNING), NIGHT) - MORNING) / (NIGHT - MORNING)
    return f"{share:.2f}".rstrip("0").rstrip(".") + "%"


def _wide(start: int, end: int) -> str:
    return x(MORNING + max(0, min(end, NIGHT) - max(start, MORNING)))


def glyph(kind: LocationKind) -> Markup:
    """The sign of a kind of place, as it stands in the legend."""
    head = Markup('<svg class="sign {}" viewBox="-4 -4 24 24" width="22" height="22" aria-hidden="true">').format(kind)
    return head + Markup('<circle cx="8" cy="8" r="12"/><path d="{}"/></svg>').format(GLYPHS[kind])


def hours() -> Markup:
    """The clock along a strip's top: every third hour always, the others where there is room."""
    marks = [_hour(hour) for hour in range(MORNING // 60, NIGHT // 60 + 1)]
    return _strip(marks, 18, "Hours of the day", "axis")


def _hour(hour: int) -> Markup:
    spot, kind = x(60 * hour), "hour" if (hour - MORNING // 60) % 3 == 0 else "hour minor"
    anchor = {MORNING // 60: "start", NIGHT // 60: "end"}.get(hour, "middle")
    mark = Markup(
        '<g class="{0}"><line x1="{1}" x2="{1}" y1="13" y2="18"/>'
        '<text x="{1}" y="10" text-anchor="{2}">{3}:00</text></g>'
    )
    return mark.format(kind, spot, anchor, hour)


def tasks_strip(life: Timeline) -> Markup:
    """A bar for each subtask's window, and a dot where it was done, hollow where that was outside of it.

    A broken ring stands where only the verifier in the day called it done, whose word does not count.
    """
    label = "; ".join(f"{task.id}. {task.words}, {clock(task.start)} to {clock(task.end)}" for task in life.tasks)
    return _strip(_windows(life), _LANE * max(len(life.tasks), 1), f"Tasks: {label}", "tasks")


def _windows(life: Timeline) -> Iterator[Markup]:
    for lane, task in enumerate(life.tasks):
        y = lane * _LANE + 2
        bar = Markup('<rect class="window" x="{}" y="{}" width="{}" height="{}" rx="3"><title>{}</title></rect>')
        title = f"{task.id}. {task.words}: {clock(task.start)} to {clock(task.end)}"
        yield bar.format(x(task.start), y, _wide(task.start, task.end), _LANE - 4, title)
        minute = life.done.get(task.id, life.claimed.get(task.id))
        if minute is not None:
            counts = task.id in life.done
            kind = "claimed" if not counts else "done late" if task.id in life.late else "done"
            whose = "" if counts else f", {NOT_COUNTED}"
            dot = Markup('<circle class="{}" cx="{}" cy="{}" r="4.5"><title>{} done at {}{}</title></circle>')
            yield dot.format(kind, x(minute), y + _LANE / 2 - 2, f"{task.id}. {task.words}", clock(minute), whose)


def goal_strip(life: Timeline) -> Markup:
    """The share of subtasks done so far, as a stair."""
    label = f"{life.goal} tasks done over the day"
    return _strip(_stairs(life, max(len(life.tasks), 1)), _TALL, label, "goal")


def _stairs(life: Timeline, of: int) -> Iterator[Markup]:
    """A step up for each task done, over a floor as long as the day."""
    times = [*sorted(life.done.values()), life.until]
    floor = Markup('<rect class="floor" x="{}" y="{}" width="{}" height="1.5"/>')
    yield floor.format(x(life.day.began.minute), _TALL - 1.5, _wide(life.day.began.minute, life.until))
    for count, (start, end) in enumerate(pairwise(times), start=1):
        tall = (_TALL - 2) * count / of
        stair = Markup(
            '<rect class="stair" x="{0}" y="{1:.1f}" width="{2}" height="{3:.1f}"/>'
            '<rect class="edge" x="{0}" y="{1:.1f}" width="{2}" height="2"/>'
        )
        yield stair.format(x(start), _TALL - tall, _wide(start, end), tall)


def norms_strip(life: Timeline) -> Markup:
    """A field for each step: kept to, violated, not graded, or no norm known.

    A violation bears a cross, and its field is filled as high as the share of norms violated among those that came up.
    """
    label = f"Norms were violated at {life.count('violation')} of {len(life.steps)} steps"
    return _strip((_field(step) for step in life.steps), _FIELD, label, "norms")


def _field(step: ReplayStep) -> Markup:
    norms = step.verdict("norms")
    state = "unknown" if norms is None else "none" if norms.idle else norms.state
    kind = {"unknown": "unknown", "good": "kept", "none": "ungraded"}.get(state, "violated")
    title = f"{step.time} {step.place.name}: {'no norm known here' if norms is None else norms.words}"
    head = Markup('<svg class="field {}" data-step="{}" x="{}" width="{}" height="{}"><title>{}</title>').format(
        kind, step.number, x(step.minute), _wide(step.minute, step.until), _FIELD, title
    )
    parts = [head, Markup('<rect class="ground" width="100%" height="{}" rx="3"/>').format(_FIELD)]
    if norms is not None and kind == "violated":
        tall = (norms.share or 0) * _FIELD
        parts.append(
            Markup('<rect class="share" y="{:.1f}" width="100%" height="{:.1f}"/>').format(_FIELD - tall, tall)
        )
        parts.append(
            Markup('<svg x="50%" y="{}" overflow="visible"><path d="M-4-4 4 4M4-4-4 4"/></svg>').format(_FIELD / 2)
        )
    return Markup("").join([*parts, Markup("</svg>")])


def events_strip(life: Timeline) -> Markup:
    """Other events: a bubble for each conversation, a triangle for each refused deed."""
    label = f"{life.count('talk')} conversations, {life.count('refused')} refused deeds"
    return _strip((mark for step in life.steps for mark in _events(step)), 18, label, "events")


def _events(step: ReplayStep) -> Iterator[Markup]:
    spot = Markup(
        '<svg class="{}" data-step="{}" x="{}" y="9" overflow="visible"><title>{} {}</title><path d="{}"/></svg>'
    )
    middle = (step.minute + min(step.until, step.minute + 10)) // 2
    if "talk" in step.marks:
        bubble = "M-4-5h8a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2h-4.500l-2.500 3v-3h-1a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2z"
        yield spot.format("talk", step.number, x(middle), step.time, "on the phone" if step.phone else "talk", bubble)
    if "refused" in step.marks:
        yield spot.format("refused", step.number, x(middle + 12), step.time, "refused deed", "M0-5 5.500 4.500h-11z")


def _strip(parts: Iterator[Markup] | Sequence[Markup], height: int, label: str, kind: str) -> Markup:
    head = Markup('<svg class="strip {}" width="100%" height="{}" role="img" aria-label="{}">').format(
        kind, height, label
    )
    return head + Markup("").join(parts) + Markup("</svg>")


_ESCAPES = str.maketrans({letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"})


def packed(replay: Replay, lives: Sequence[Timeline]) -> str:
    """The data as JSON that may stand within a script element: no `<` in it, whatever people or places are called."""
    stage = replay.stage
    data = {
        "from": MORNING,
        "to": NIGHT,
        "slot": SLOT,
        **_town(stage.population.town),
        "people": _people(replay),
        "target": {"id": stage.target, "name": stage.person.name, "home": stage.person.home},
        "days": [_day(replay, life) for life in lives],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def _town(town: Town) -> dict[str, object]:
    kinds = {kind: number for number, kind in enumerate(KINDS)}
    return {
        "kinds": [{"name": kind, "glyph": GLYPHS[kind]} for kind in KINDS],
        "places": [[kinds[place.kind], place.name, place.x, place.y] for place in town.locations],
        "streets": [end for a, around in enumerate(town.neighbours) for b in around if a < b for end in (a, b)],
    }


def _people(replay: Replay) -> dict[str, object]:
    """Columns of those who are drawn; `ids` only where these are not simply all."""
    stage, population = replay.stage, replay.stage.population
    drawn = np.array(replay.drawn, dtype=np.int64)
    everybody = len(drawn) == len(population)
    origins = {code: known_place(code).name for code in population.nationality.words}
    return {
        "all": len(population),
        **({} if everybody else {"ids": drawn.tolist()}),
        "age": pack(population.age[drawn]),
        "name": _column(population.name, drawn),
        "origin": _column(population.nationality, drawn, origins),
        "ties": {str(person): kind for person, kind in sorted(stage.known.items())},
    }


def _column(
    column: WordColumn, rows: npt.NDArray[np.int64], spelled: dict[str, str] | None = None
) -> dict[str, object]:
    """A column of words; `spelled` gives each in other words."""
    return {"words": [(spelled or {}).get(word, word) for word in column.words], "codes": pack(column.codes[rows])}


def pack(values: npt.NDArray[np.integer]) -> dict[str, object]:
    """Numbers from 0 up as base64 of one, two or four bytes each, the smallest first.

    >>> pack(np.array([1, 2, 300]))
    {'bytes': 2, 'base64': 'AQACACwB'}
    """
    most = int(values.max(initial=0))
    width = 1 if most < 2**8 else 2 if most < 2**16 else 4
    # Little-endian by name, as the page reads the bytes on another machine.
    raw = np.ascontiguousarray(values, dtype=f"<u{width}").tobytes()
    return {"bytes": width, "base64": b64encode(raw).decode()}


def _day(replay: Replay, life: Timeline) -> dict[str, object]:
    """Places of everybody on a day, and the target's way through it; marks are what filters go by."""
    steps = [
        {
            "n": step.number,
            "at": step.minute,
            "where": step.place.id,
            **({} if step.to is None else {"to": step.to.id}),
            "here": list(step.nearby),
            "talk": list(step.partners),
            "phone": step.phone,
            "marks": list(step.marks),
        }
        for step in life.steps
    ]
    where = life.whereabouts(replay.stage)[list(replay.drawn)]
    return {"label": life.day.label, "until": life.until, "where": pack(where), "steps": steps}


HERE = Path(__file__).parent


def write_replay(replay: Replay, path: Path, *, private: bool = False) -> None:
    """Put the replay in place as one self-contained file, where it is private for its owner alone.

    Raises:
        InputError: a file is there that is no page of mores.
        StorageError: the file cannot be written.
    """
    files.write_page(path, render(replay), private=private)


def render(replay: Replay) -> str:
    """The replay's HTML."""
    person, town = replay.stage.person, replay.stage.population.town
    lives = tuple(timeline(replay.stage, day) for day in replay.days)
    template = _environment().get_template("replay.html.jinja")
    return template.render(
        replay=replay,
        person=person,
        origin=place(person.nationality).name,
        lives=lives,
        kinds={kind: [town.locations[number] for number in town.of_kind(kind)] for kind in KINDS},
        norms=replay.days[0].norms,
        data=Markup(packed(replay, lives)),  # noqa: S704 - JSON without any <
        marks=MARKS,
        not_counted=NOT_COUNTED,
        most=MOST_BROKEN,
        span=(MORNING, NIGHT),
        **page_values([HERE / "replay.css"], [HERE / "map.js", HERE / "replay.js"]),
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    strips = (tasks_strip, goal_strip, norms_strip, events_strip)
    environment.filters |= {each.__name__: each for each in strips}
    environment.filters |= {"clock": clock, "glyph": glyph}
    environment.globals |= {"hours": hours}
    return environment
