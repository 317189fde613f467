"""What the page's script reads: the town, where everybody is, and the target's steps; none of it is a model's words.

Whereabouts are small numbers in base64, people in the order of `Replay.drawn` and half hours within each; names and
origins are columns of codes into words that stand once.
"""

import json
from base64 import b64encode
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mores.benchmarks.liveculture.replay.charts import GLYPHS
from mores.benchmarks.liveculture.replay.days import Replay
from mores.benchmarks.liveculture.replay.timeline import Timeline
from mores.norms.places import place as known_place
from mores.worlds.town.people import WordColumn
from mores.worlds.town.schedule import MORNING, NIGHT, SLOT
from mores.worlds.town.streets import KINDS, Town

_ESCAPES = str.maketrans({letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"})


def packed(replay: Replay, lives: Sequence[Timeline]) -> str:
    """The data as JSON that may stand within a script element: no `<` in it, whatever people or places are called."""
    stage = replay.stage
    told = {
        "from": MORNING,
        "to": NIGHT,
        "slot": SLOT,
        **_town(stage.population.town),
        "people": _people(replay),
        "target": {"id": stage.target, "name": stage.person.name, "home": stage.person.home},
        "days": [_day(replay, life) for life in lives],
    }
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
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
    raw = np.ascontiguousarray(values, dtype=f"<u{width}").tobytes()
    return {"bytes": width, "base64": b64encode(raw).decode()}


def _day(replay: Replay, life: Timeline) -> dict[str, object]:
    """Where everybody was on a day, and the target's way through it; marks are what filters go by."""
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
