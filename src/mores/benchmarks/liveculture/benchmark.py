"""LiveCultureBench: one resident's day in a town, lived by the subject and watched by a verifier.

The population is a file in the data's folder, or one that is sampled from the seed; norms are a file there, rows of
CultureBank there, or the bundled pack. Every resident is an item; `--targets N` takes so many, evenly over origins.
"""

from pathlib import Path

from mores.benchmarks.liveculture.grading import TASKS, grade
from mores.benchmarks.liveculture.metrics import FIGURES
from mores.benchmarks.liveculture.town_setup import town_setup
from mores.benchmarks.shapes.days.benchmark import DayBenchmark
from mores.benchmarks.shapes.days.verifier import Rubrics
from mores.core.card import Card
from mores.core.prompt import Prompt, ReadPrompt
from mores.worlds.town.prompts import read_prompts

HERE = Path(__file__).parent


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> DayBenchmark:
    """The one benchmark of the family, `town`."""
    card = Card.read(HERE / f"{name}.card.toml")
    sections = ("mores.benchmarks.liveculture.results:TOWN_ANALYSIS",)
    return DayBenchmark(
        card=card,
        settle=town_setup,
        tasks=TASKS,
        grade=grade,
        figures=FIGURES,
        sections=sections,
        minds=read_prompts(words),
        rubrics=Rubrics.read(words),
    )
