"""The pipeline of topics: each text is asked about several times, and the label of most draws is its label.

The confidence of a label is the share of draws that gave it: a model asked for its own confidence says high numbers to
everything. A sheet for people holds a few of each topic, the least sure among them.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from mores.benchmarks.data_tables import filled, hash_table, read_table
from mores.benchmarks.shapes.question import effort_of
from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.core.norm import Domain
from mores.core.prompt import prompts_in
from mores.core.seeds import Seed
from mores.core.table import sheet, sheet_for_people
from mores.models.cast import Cast
from mores.models.request import AnswerKey, Tag
from mores.norms.places import named
from mores.pipelines.funnel import Kept, KeptOrDropped, counted, dropped
from mores.pipelines.norms.norm_base_file import BASE, Base, base_lines, base_of, read_base
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.structured_query import NoAnswer, ParsedAnswer, StructuredQuery, ask
from mores.pipelines.unit_context import LABELLER, check_counts
from mores.stats.rng import generator

CulturalbenchTopic = Literal[
    "clothing", "food", "entertainment", "communication", "school", "work", "travel", "dating and marriage", "family",
    "greetings", "dining", "gifts", "visiting and punctuality", "celebrations", "politics", "religion", "others",
]  # fmt: skip
"""CulturalBench's topics (its section 3), in our words."""
TOPICS: tuple[CulturalbenchTopic, ...] = get_args(CulturalbenchTopic)
DOMAINS: tuple[Domain, ...] = get_args(Domain)
STAGE, COUNTRY = "label", "country"
SPLIT = "no label that most draws gave"
SHEET, TABLE = "check.csv", "topics.csv"
CHECKED = 5
"""Texts of each topic that people are given to check."""
DRAWING = Sampling(temperature=0.7)
_SEED = Seed("topics")
prompt = prompts_in(Path(__file__).parent)


class _Labelled(msgspec.Struct):
    topic: CulturalbenchTopic
    domain: Domain


class TopicText(msgspec.Struct, frozen=True, kw_only=True):
    """Text to label: an id, its words, and the place that they are about, empty where none is known."""

    id: str
    words: str
    place: str = ""


class TopicLabel(msgspec.Struct, frozen=True, kw_only=True):
    """A text with its labels, each with the share of draws that gave it."""

    text: TopicText
    topic: CulturalbenchTopic
    topic_share: float
    domain: Domain
    domain_share: float


def topics_pipeline(
    source: Path,
    roles: Mapping[str, str],
    *,
    id_column: str = "question_idx",
    words: tuple[str, ...] = ("prompt_question",),
    draws: int = 3,
    limit: int | None = None,
) -> Pipeline[TopicText, TopicLabel]:
    """The pipeline of topics of a norm base, or of a table by its column of ids and its columns of words.

    Raises:
        InputError: the source cannot be read, no labeller is named, or draws or limit are no positive number.
    """
    if set(roles) != {LABELLER}:
        raise InputError(f"--role: {', '.join(roles) or 'nobody'}; expected {LABELLER}=SPEC alone.")
    check_counts(draws=draws, limit=limit)
    base = read_base(source) if source.suffix == ".jsonl" else None
    texts = _of_base(base) if base is not None else _of_table(source, id_column, words)
    return Pipeline[TopicText, TopicLabel](
        name="topics",
        stages=(STAGE,),
        units=texts[:limit],
        make=lambda text, cast: _build(text, cast, draws),
        estimate=lambda text: {LABELLER: [effort_of(prompt("topic").body + text.words, DRAWING, draws)]},
        release=lambda labelled: _release(labelled, base, id_column),
        roles=dict(roles),
        prompts=(prompt("topic"),),
        made_from=hash_table(source),
        settings={"draws": draws, "id": id_column, "words": list(words), "limit": limit},
        licences={} if base is None else {source.name: base.head.licence},
        from_simulated=base is not None and base.head.simulated,
    )


def _of_base(base: Base) -> list[TopicText]:
    return [TopicText(id=norm.id, words=norm.statement, place=norm.place) for norm in base.norms]


def _of_table(source: Path, id_column: str, columns: tuple[str, ...]) -> list[TopicText]:
    """The texts of a table; rows of one id are one text, as the four statements of a question are.

    Raises:
        InputError: a column is not there, or a row has no id.
    """
    found: dict[str, dict[str, None]] = {}
    places: dict[str, str] = {}
    for row in read_table(source, (id_column, *columns)):
        words, name = " ".join(row.cells[column] for column in columns), filled(row, id_column).strip()
        found.setdefault(name, {})[" ".join(words.split())] = None
        places[name] = named(row.cells.get(COUNTRY, "")) or ""
    return [TopicText(id=name, words="\n".join(words), place=places[name]) for name, words in found.items()]


async def _build(text: TopicText, cast: Cast, draws: int) -> KeptOrDropped[TopicLabel]:
    replies = await asyncio.gather(*(ask(cast, _question(text, draw), DRAWING) for draw in range(draws)))
    lost = next((each for each in replies if isinstance(each, NoAnswer)), None)
    if lost is not None:
        return dropped(text, STAGE, lost.reason, lost.detail, transient=lost.transient)
    given = [each.value for each in replies if isinstance(each, ParsedAnswer)]
    topic, domain = (_most([getattr(each, name) for each in given]) for name in ("topic", "domain"))
    if topic is None or domain is None:
        labels = "; ".join(f"{each.topic}, {each.domain}" for each in given)
        return dropped(text, STAGE, SPLIT, labels)
    return Kept(TopicLabel(text=text, topic=topic[0], topic_share=topic[1], domain=domain[0], domain_share=domain[1]))


def _most(given: Sequence[str]) -> tuple[Any, float] | None:
    """The label of most draws with its share; None where two were given as often."""
    ranked = Counter(given).most_common(2)
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        return None
    return ranked[0][0], ranked[0][1] / len(given)


def _question(text: TopicText, draw: int) -> StructuredQuery[_Labelled]:
    planted = _SEED.child(text.id)
    topic, domain = (
        TOPICS[planted.child("topic").below(len(TOPICS))],
        DOMAINS[planted.child("domain").below(len(DOMAINS))],
    )
    reply = json.dumps({"topic": topic, "domain": domain})
    return StructuredQuery(
        prompt=prompt("topic"),
        values={"text": text.words, "topics": "; ".join(TOPICS), "domains": "; ".join(DOMAINS)},
        shape=_Labelled,
        tag=Tag(item=text.id, role=LABELLER, sample=draw),
        key=AnswerKey(unit=f"topic/{text.id}", truth="said", ways={"said": reply}),
    )


def _release(labelled: Sequence[TopicLabel], base: Base | None, id_column: str) -> Release:
    files = {TABLE: _table(labelled, id_column if base is None else "id"), SHEET: _sheet(labelled)}
    if base is not None:
        labels = {each.text.id: each for each in labelled}
        norms = tuple(
            replace(norm, topic=norm.topic or labels[norm.id].topic, domain=norm.domain or labels[norm.id].domain)
            if norm.id in labels else norm
            for norm in base.norms
        )  # fmt: skip
        files[BASE] = base_lines(
            base_of(norms, base.head.made_from, simulated=base.head.simulated, licences=base.head.licences)
        )
    facts = {
        "texts": len(labelled),
        "topics": counted(each.topic for each in labelled),
        "domains": counted(each.domain for each in labelled),
        "all_draws_alike": sum(each.topic_share == each.domain_share == 1 for each in labelled),
    }
    return Release(files=files, facts=facts)


def _table(labelled: Sequence[TopicLabel], id_column: str) -> bytes:
    rows = ((each.text.id, each.topic, f"{each.topic_share:.3f}", each.domain, f"{each.domain_share:.3f}")
            for each in labelled)  # fmt: skip
    return sheet((id_column, "topic", "topic_share", "domain", "domain_share"), rows, encoding="utf-8")


def _sheet(labelled: Sequence[TopicLabel]) -> bytes:
    """A few texts of each topic for people: the least sure, then others at random; without the labels."""
    chosen: list[TopicLabel] = []
    for topic in TOPICS:
        here = [each for each in labelled if each.topic == topic]
        order = generator(_SEED.child("sheet", topic)).permutation(len(here))
        # The sort is stable: among texts that are equally sure the order stays random.
        chosen += sorted((here[int(at)] for at in order), key=lambda each: each.topic_share)[:CHECKED]
    rows = ((each.text.id, each.text.words, "", "", "") for each in sorted(chosen, key=lambda each: each.text.id))
    return sheet_for_people(("id", "text", "annotator", "topic", "domain"), rows)
