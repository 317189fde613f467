"""A replay as one HTML file: nothing is fetched, and nothing that models or people of the town say can act in it.

Models' words stand in the page as escaped text, so that it can be read without a script; the script reads the town and
the steps from JSON, shows one step at a time and draws the map.
"""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mores.benchmarks.liveculture.replay import charts
from mores.benchmarks.liveculture.replay.days import Replay
from mores.benchmarks.liveculture.replay.page_data import packed
from mores.benchmarks.liveculture.replay.timeline import MARKS, NOT_COUNTED, timeline
from mores.benchmarks.liveculture.replay.verdict_texts import MOST_BROKEN
from mores.blocks.pages import page_values
from mores.core import files
from mores.norms.places import place
from mores.worlds.town.schedule import MORNING, NIGHT, clock
from mores.worlds.town.streets import KINDS

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
    strips = (charts.tasks_strip, charts.goal_strip, charts.norms_strip, charts.events_strip)
    environment.filters |= {each.__name__: each for each in strips}
    environment.filters |= {"clock": clock, "glyph": charts.glyph}
    environment.globals |= {"hours": charts.hours}
    return environment
