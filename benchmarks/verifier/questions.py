"""Answers with known labels for a verifier, made of two published tables: nobody and no model labels anything here.

casa.csv   ─▶ norms, each with a request that breaks it and one that does not ─▶ answers of simulated respondents of
stated competence, to learn from and to hold out, and questions in CultureForest's layout on other norms
normad.csv ─▶ its stories beside their rules, for a test on other people's words

Each label is the table's own: CASA's `agreement` of the request that an answer is, NormAd's `Gold Label` of a story. An
answer that is a request of another country's scene leaves the norm neutral. Requests and stories are not changed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from mores.benchmarks.cultureforest.data import NORMS_FILE
from mores.benchmarks.data_tables import DataRow, filled, one_of, read_table
from mores.core.codec import encode
from mores.core.estimate import SHARED
from mores.core.files import write_new
from mores.core.seeds import Seed
from mores.models.verifier_facts import ResponseStand
from mores.pipelines.questions.prompts import LETTERS, MATRIX, UpperLetter

CASA, NORMAD = "casa.csv", "normad.csv"
ANSWERS, STORIES, FRESH = "simulated-answers.jsonl", "stories.jsonl", "fresh"
_COLUMNS = ("subset", "index", "country", "user_query", "agreement", "symbol_desc", "violated_norm")
_CATEGORY = {"online_shopping": "Etiquette", "social_discussion_forum": "Communication"}
"""CultureForest's layout wants one of its eight categories; CASA has two kinds of scene."""
_STANDS: dict[str, ResponseStand] = {"yes": "satisfy", "neutral": "neutral", "no": "violate"}
_ASKED = re.compile(r"\s*\bIs [^.?!]*\?\s*$")
_SEED = Seed("benchmarks/verifier")


class Respondent(NamedTuple):
    """A simulated respondent: its chances to keep to a norm and to speak of something else, and its manner of speech.

    What is left of the chances is that it breaks the norm.
    """

    name: str
    keeps: float
    elsewhere: float
    manner: str


RESPONDENTS = (
    Respondent("careful (simulated)", 0.70, 0.15, "{}"),
    Respondent("middling (simulated)", 0.45, 0.25, "Let me put it like this. {} Thank you."),
    Respondent("careless (simulated)", 0.25, 0.15, "hey, so: {}"),
)
"""Models of the folds. What each says of a norm is drawn; how that is labelled is not."""


DRAWS = 3
"""How often a respondent is asked about a scene; what it says a second time is not written twice."""


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """A norm of CASA, what the table says behind it, and the request that keeps to it and the one that breaks it."""

    id: str
    country: str
    category: str
    norm: str
    background: str
    requests: dict[ResponseStand, str]


def make(data: Path, folder: Path, *, scenes: int, fresh: int, stories: int) -> None:
    """Write `ANSWERS`, `STORIES` and `FRESH` into a new folder.

    Args:
        data: Has `CASA` and `NORMAD`, as they were published.
        folder: A folder that is not there yet.
        scenes: Scenes that are answered, to learn from and to hold out, shared out among the respondents.
        fresh: Questions of three norms each on which there is no answer.
        stories: Stories of NormAd.

    Raises:
        InputError: a table is missing or damaged.
    """
    known = _scenes(data / CASA)
    bundles = list(_bundles(known))[:fresh]
    taken = {scene.norm for bundle in bundles for scene in bundle}
    rest = [scene for scene in known if scene.norm not in taken]
    told = _stories(data / NORMAD, stories)
    folder.mkdir(parents=True)
    _write_lines(folder / ANSWERS, _answers(rest, scenes))
    _write_lines(folder / STORIES, told)
    _write_forest(folder / FRESH, bundles)


def _scenes(path: Path) -> list[Scene]:
    """The scenes that have a request of either kind; where their words of the norm differ, those of the one broken."""
    found: dict[tuple[str, ...], dict[ResponseStand, DataRow]] = {}
    for row in read_table(path, _COLUMNS):
        name = tuple(row.cells[column] for column in ("country", "subset", "index"))
        found.setdefault(name, {})[_STANDS[one_of(row, "agreement", ("yes", "no"))]] = row
    return [_scene("-".join(name), rows) for name, rows in found.items() if {"satisfy", "violate"} <= rows.keys()]


def _scene(name: str, rows: dict[ResponseStand, DataRow]) -> Scene:
    broken = rows["violate"]
    return Scene(
        id=name,
        country=broken.cells["country"],
        category=_CATEGORY[one_of(broken, "subset", tuple(_CATEGORY))],
        norm=filled(broken, "violated_norm"),
        background=filled(broken, "symbol_desc"),
        requests={stand: filled(row, "user_query") for stand, row in rows.items()},
    )


def _bundles(scenes: Iterable[Scene]) -> Iterator[tuple[Scene, ...]]:
    """Three scenes of one country and category each, no scene in two of them, in a drawn order."""
    homes: dict[tuple[str, str], list[Scene]] = {}
    for scene in scenes:
        homes.setdefault((scene.country, scene.category), []).append(scene)
    drawn = [
        tuple(home[at : at + 3]) for home in homes.values() for at in range(0, len(home) - 2, 3)
        if len({scene.norm for scene in home[at : at + 3]}) == len(home[at : at + 3])
    ]  # fmt: skip
    yield from sorted(drawn, key=lambda bundle: _SEED.child("bundle", _name(bundle)).uniform())


def _name(bundle: Sequence[Scene]) -> str:
    return SHARED.join(scene.id for scene in bundle)


def _asked(bundle: Sequence[Scene]) -> str:
    return f"{bundle[0].country}: somebody has three things to ask of an assistant. What should be asked?"


def _option(bundle: Sequence[Scene], letter: UpperLetter) -> str:
    """The requests that stand to the norms as the matrix says, in an order that does not tell which is of which."""
    said = [scene.requests[stand] for scene, stand in zip(bundle, MATRIX[letter], strict=True)]
    return " ".join(sorted(said, key=lambda text: _SEED.child("order", _name(bundle), text).uniform()))


def _write_forest(folder: Path, bundles: Sequence[tuple[Scene, ...]]) -> None:
    """Questions in CultureForest's layout: four options by its matrix of norms and options."""
    files: dict[tuple[str, str], list[tuple[Scene, ...]]] = {}
    for bundle in bundles:
        files.setdefault((bundle[0].country.strip("."), bundle[0].category), []).append(bundle)
    for (country, category), rows in files.items():
        (folder / country).mkdir(parents=True, exist_ok=True)
        _write_lines(folder / country / f"{category}.json", map(_question, rows))
    norms = [
        {"norm_id": scene.id, "norm": scene.norm, "norm_negative": f"It is not so: {scene.norm}",
         "acceptability": "No", "Country/Region": scene.country, "Category": scene.category}
        for bundle in bundles for scene in bundle
    ]  # fmt: skip
    write_new(folder / NORMS_FILE, encode(norms) + b"\n")


def _question(bundle: tuple[Scene, ...]) -> dict[str, object]:
    stem = _asked(bundle)
    options = {letter: _option(bundle, letter) for letter in LETTERS}
    listed = "\n".join(f"{letter}. {text}" for letter, text in options.items())
    norms = {f"Norm_{n}": {"norm_id": scene.id, "norm": scene.norm} for n, scene in enumerate(bundle, start=1)}
    return {
        "uuid": _name(bundle),
        "Norm_Bundle": {"Norms": norms},
        "Easy": {"Question_MCQ": f"{stem}\n{listed}", "Answer_Key_Shuffle": "D"},
        "Medium": {f"Question_Judge{n}": f"{stem}\n{text}" for n, text in enumerate(options.values(), start=1)},
        "Open": {"Question_Open": stem},
        "Open_End": stem,
    }


def _answers(scenes: Sequence[Scene], most: int) -> Iterator[dict[str, object]]:
    """Answers on so many scenes, the respondents by turns, so that one left out speaks of norms of its own.

    Each is asked `DRAWS` times about a scene; what it has said already is not written again.
    """
    drawn = sorted(scenes, key=lambda scene: _SEED.child("answered", scene.id).uniform())[:most]
    for number, scene in enumerate(drawn):
        respondent = RESPONDENTS[number % len(RESPONDENTS)]
        for stand in dict.fromkeys(_drawn(respondent, scene, draw) for draw in range(DRAWS)):
            yield {
                "id": f"{respondent.name}/{scene.id}/{stand}", "model": respondent.name, "place": scene.country,
                "question": f"{scene.background} What would you ask of an assistant?", "cluster": scene.norm,
                "response": respondent.manner.format(_request(scene, stand, scenes)), "norm": scene.norm,
                "label": stand,
            }  # fmt: skip


def _drawn(respondent: Respondent, scene: Scene, draw: int) -> ResponseStand:
    at = _SEED.child("answer", respondent.name, scene.id, draw).uniform()
    if at < respondent.keeps:
        return "satisfy"
    return "neutral" if at < respondent.keeps + respondent.elsewhere else "violate"


def _request(scene: Scene, stand: ResponseStand, scenes: Sequence[Scene]) -> str:
    if stand != "neutral":
        return scene.requests[stand]
    others = [other for other in scenes if other.country != scene.country]
    return others[_SEED.child("elsewhere", scene.id).below(len(others))].requests["satisfy"]


def _stories(path: Path, most: int) -> list[dict[str, str]]:
    """Stories beside their rules, without the question that each ends with; which ones is drawn by their ids."""
    found = [
        {"id": f"normad/{row.cells['id']}", "response": _ASKED.sub("", row.cells["Story"]),
         "norm": row.cells["Rule-of-Thumb"], "label": _STANDS[one_of(row, "Gold Label", tuple(_STANDS))],
         "question": "What does the person in the story do?", "cluster": row.cells["Rule-of-Thumb"]}
        for row in read_table(path, ("id", "Story", "Rule-of-Thumb", "Gold Label"))
    ]  # fmt: skip
    return sorted(found, key=lambda each: _SEED.child("story", each["id"]).uniform())[:most]


def _write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    write_new(path, b"".join(encode(row) + b"\n" for row in rows))
