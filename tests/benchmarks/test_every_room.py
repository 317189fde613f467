"""What holds of every benchmark: its card is complete and true, its words render, and nothing changes unnoticed."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Benchmark, Setting
from mores.benchmarks.shapes import scoring
from mores.benchmarks.shapes.labels import LabelReading
from mores.core.card import Card
from mores.core.codec import field_names
from mores.core.errors import InputError
from mores.core.prompt import LANGUAGE_TAG, Prompt
from mores.core.transcript import BriefingEvent, DayStartEvent, RequestEvent
from mores.core.verdict import Graded, Ungraded
from mores.judges import verifier
from mores.worlds.town import run_day
from tests.benchmarks.fingerprints import fingerprint, fixed, words_of
from tests.benchmarks.plays import TINY, Open, Say, Script, figure, figures_of, perform, setting_of, tiny

ROOMS = Path(scoring.__file__).parents[1]
BUNDLED = [name for name in catalogue.names() if not catalogue.card(name).files]
KINDS = {"place", "region", "wvs_group", "continent", "domain", "topic", "mode", "strictness", "location",
         "nationality", "cultures", "rung", "dimension", "proposal", "pack_region", "age", "gender",
         "occupation", "language", "votes", "subnational", "scope"}  # fmt: skip

IN_THE_TEXT = {"cultureforest/easy"}
"""Options stand in the text of the questions: shuffling is refused."""


JUDGES = Path(verifier.__file__).parent
TOWN = (ROOMS / "shapes" / "days", Path(run_day.__file__).parent / "prompts")
IN_TOWN = {"liveculture/town", "ladder/live"}
"""Days in town, whose words lie with the town."""


def always(words: str | None) -> Say:
    return lambda _: words


def judged(name: str) -> bool:
    """True where somebody is asked to judge, or may be."""
    card = catalogue.card(name)
    return "judge" in (*catalogue.load(name).roles(card.protocol), *card.optional_roles)


every = pytest.mark.parametrize("name", catalogue.names())


@every
def test_a_card_has_the_name_of_its_room_and_says_all_that_a_reader_needs(name: str) -> None:
    card = catalogue.card(name)
    assert card.name == name
    optional = {"files", "notes", "chance", "options", "draw", "thin", "baselines", "optional_roles"}
    empty = [name for name in field_names(Card) if name not in optional and getattr(card, name) in ("", (), None, 0)]
    assert not empty
    number, _, letter = card.version.partition("-")
    assert number.isdecimal()
    assert letter.isalpha()
    assert card.protocol.source
    assert "subject" in card.protocol.roles
    assert set(card.groups) <= KINDS
    assert card.chance is None or 0 <= card.chance <= 1


@every
def test_the_headline_is_a_metric_that_grows_with_skill_and_an_accuracy_is_a_share(name: str) -> None:
    card = catalogue.card(name)
    names = [metric.name for metric in card.metrics]
    assert len(names) == len(set(names))
    (headline,) = (metric for metric in card.metrics if metric.name == card.headline)
    assert headline.better == "higher"
    assert headline.low < headline.high
    assert all((metric.low, metric.high) == (0, 1) for metric in card.metrics if "accuracy" in metric.name)
    assert all(metric.says and metric.unit for metric in card.metrics)


def with_columns(name: str) -> tuple[Benchmark, Setting, Sequence[Any]]:
    """A tiny benchmark with all metrics: the files that its options take, and the protocol of the released code."""
    card, folder = catalogue.card(name), TINY / name.partition("/")[0] / "brought"
    files = {option.name: str(folder / f"{option.name}.csv") for option in card.options if option.beside}
    released = {option.name: "released" for option in card.options if option.name == "protocol"}
    return tiny(name, settings={**card.protocol.settings, **files, **released})


@every
def test_the_metrics_of_the_card_are_those_that_are_found_and_no_others(name: str) -> None:
    benchmark, setting, items = with_columns(name)
    found = figures_of(benchmark, setting, items, Script(fixed()))
    assert found[0].metric == benchmark.card.headline
    assert found[0].group == {}
    assert {e.metric for e in found if not e.group} == {metric.name for metric in benchmark.card.metrics}
    assert {kind for e in found for kind in e.group} <= set(benchmark.card.groups)
    assert len({(e.metric, *e.group.items()) for e in found}) == len(found)


@every
def test_every_group_of_the_card_is_found_where_the_data_tell_it_apart(name: str) -> None:
    benchmark, setting, items = with_columns(name)
    found = figures_of(benchmark, setting, items, Script(fixed()))
    assert {kind for e in found for kind in e.group} == set(benchmark.card.groups)


@every
def test_ids_are_unique_and_units_and_clusters_nest(name: str) -> None:
    benchmark, _, items = tiny(name)
    abouts = [item.about for item in items]
    assert len({about.item for about in abouts}) == len(abouts)
    for task in benchmark.tasks:
        owed = [due.about for item in items for due in benchmark.due(item) if due.task == task]
        assert len({(about.unit, about.cluster, about.place) for about in owed}) == len({about.unit for about in owed})
        assert all(about.item and about.unit and about.cluster for about in owed)


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_pack_has_as_many_items_and_units_as_its_card_says(name: str) -> None:
    benchmark = catalogue.load(name)
    items = benchmark.items(setting_of(benchmark, None))
    owed = [benchmark.due(item) for item in items]
    units = {due.about.unit for dues in owed for due in dues if due.task == dues[0].task}
    assert (len(items), len(units)) == (benchmark.card.items, benchmark.card.units)


@every
def test_prompts_are_files_of_the_room_with_names_of_their_own(name: str) -> None:
    benchmark = catalogue.load(name)
    family = name.partition("/")[0]
    folders = [
        ROOMS / family,
        *([JUDGES, JUDGES / "forms"] if judged(name) or name == "cultureforest/informed" else []),
        *(TOWN if name in IN_TOWN else ()),
    ]
    files = {Prompt.read(path).sha for folder in folders for path in folder.glob("*.prompt.md")}
    assert {prompt.sha for prompt in benchmark.prompts} <= files
    names = [prompt.header.name for prompt in benchmark.prompts]
    assert len(names) == len(set(names))
    for prompt in benchmark.prompts:
        assert prompt.header.name.startswith((f"{family}.", "judges.", *(("town.",) if name in IN_TOWN else ())))
        assert prompt.header.language
        assert prompt.header.origin


@every
def test_prompts_that_are_siblings_by_language_have_the_same_slots_and_say_their_language(name: str) -> None:
    siblings: dict[str, list[Prompt]] = {}
    for prompt in catalogue.load(name).prompts:
        family, _, tag = prompt.header.name.rpartition(".")[0].rpartition(".")
        if LANGUAGE_TAG.fullmatch(tag) and family.count("."):
            assert prompt.header.language == tag
            siblings.setdefault(family, []).append(prompt)
        elif prompt.header.language != "en":
            raise AssertionError(f"{prompt.header.name} is in {prompt.header.language}, and its name does not say so")
    assert all(len({prompt.slots for prompt in each}) == 1 for each in siblings.values())


@every
def test_every_item_is_asked_in_the_words_of_a_prompt_and_no_slot_stays_open(name: str) -> None:
    benchmark, setting, items = tiny(name)
    shas = {prompt.sha for prompt in benchmark.prompts}
    for transcript, _ in perform(benchmark, setting, items, Script(fixed())):
        asked = [
            event for event in transcript.events if isinstance(event, RequestEvent | BriefingEvent | DayStartEvent)
        ]
        assert asked
        assert all(event.prompt in shas for event in asked)
        words = [words for event in transcript.events for words in words_of(event)]
        assert all(each.strip() and "[[" not in each for each in words)


@every
def test_a_scripted_model_runs_three_items(name: str) -> None:
    """What it says is graded, whatever it is; only the failure of another role leaves a verdict open, and names it."""
    benchmark, setting, items = tiny(name)
    others = set(benchmark.roles(setting.protocol)) - {"subject"}
    for words in ("True", "I'm sorry.", "", "🙂" * 5_000):
        for transcript, verdicts in perform(benchmark, setting, items[:3], Script(always(words))):
            (item,) = (item for item in items[:3] if item.about.item == transcript.item)
            assert {verdict.task for verdict in verdicts} == {due.task for due in benchmark.due(item)}
            for verdict in verdicts:
                if isinstance(verdict, Graded):
                    assert 0 <= verdict.points <= max(metric.high for metric in benchmark.card.metrics)
                else:
                    assert verdict.cause.partition(": ")[0] in others


@every
def test_a_call_that_broke_is_ungraded_and_says_why(name: str) -> None:
    benchmark, setting, items = tiny(name)
    for item, (_, verdicts) in zip(items, perform(benchmark, setting, items[:3], Script(always(None))), strict=False):
        assert {verdict.task for verdict in verdicts} == {due.task for due in benchmark.due(item)}
        assert all(isinstance(verdict, Ungraded) and verdict.cause == "no connection" for verdict in verdicts)
    found = figures_of(benchmark, setting, items, Script(always(None)))
    assert all(e.value is None and e.graded == 0 and e.missing for e in found)
    assert all(e.asked for e in found if e.metric == benchmark.card.headline)


@every
def test_who_knows_all_gets_all_and_who_says_nothing_gets_nothing(name: str) -> None:
    benchmark, setting, items = tiny(name)
    setting = replace(setting, roles=dict.fromkeys(benchmark.roles(setting.protocol), "simulated/expert"))
    rungs = ",".join(f"{rung}=1" for rung in ("know", "judge", "explain", "apply", "converse", "live", "apply_known"))
    sage = Open(f"simulated/expert:{rungs},format_error=0,sensitivity=1,specificity=1,noise=0")
    headline = benchmark.card.headline
    (metric,) = (metric for metric in benchmark.card.metrics if metric.name == headline)
    assert figure(figures_of(benchmark, setting, items, sage), headline).value == pytest.approx(metric.high)
    silent = figure(figures_of(benchmark, setting, items, Script(always(""))), headline)
    assert (silent.value or 0) <= 0


@every
def test_what_a_play_may_ask_for_is_known_before(name: str) -> None:
    benchmark, setting, items = tiny(name, samples=1)
    calls = 0

    def count(_: object) -> str:
        nonlocal calls
        calls += 1
        return "True"

    perform(benchmark, setting, items[:1], Script(count))
    outline = benchmark.outline(items[0], setting)
    assert calls <= sum(effort.calls for effort in outline.values())
    assert set(outline) == set(benchmark.roles(setting.protocol))
    assert all(effort.input_tokens > 0 and effort.output_tokens > 0 for effort in outline.values())


@every
def test_nothing_in_wording_or_scoring_changes_unnoticed(name: str) -> None:
    """If this fails, past scores no longer compare."""
    found = fingerprint(name)
    assert found == catalogue.card(name).fingerprint, (
        f"{name} asks or scores otherwise than its card says: raise the number in its version "
        f'(now {catalogue.card(name).version}) and set fingerprint = "{found}"'
    )


@pytest.mark.parametrize("name", ["culturalbench/hard", "cure/normad_thin"])
def test_a_fingerprint_changes_with_a_word_asked_and_with_the_reading_of_a_reply(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fingerprint(name)
    assert fingerprint(name) == before
    whole = Prompt.render
    monkeypatch.setattr(Prompt, "render", lambda self, **values: whole(self, **values) + " Please.")
    assert fingerprint(name) != before
    monkeypatch.undo()
    unread = LabelReading(None, "format_error")
    monkeypatch.setattr("mores.benchmarks.shapes.closed_question.read_label", lambda *_: unread)
    assert fingerprint(name) != before


@every
def test_items_do_not_depend_on_the_global_dice(name: str) -> None:
    shuffle = name not in IN_THE_TEXT
    random.seed(1)
    _, _, first = tiny(name, shuffle=shuffle)
    random.seed(2)
    _, _, second = tiny(name, shuffle=shuffle)
    assert [item.about for item in first] == [item.about for item in second]
    assert [item.render() for item in first] == [item.render() for item in second]


def test_a_family_name_stands_for_all_its_benchmarks() -> None:
    for family, members in catalogue.families().items():
        assert catalogue.resolve(family) == members
        assert all(catalogue.resolve(member) == (member,) for member in members)


def test_a_card_with_an_unknown_field_is_refused_by_file_and_field(tmp_path: Path) -> None:
    text = (ROOMS / "ladder" / "know.card.toml").read_text(encoding="utf-8")
    path = tmp_path / "know.card.toml"
    path.write_text(f'fingerprnt = "x"\n{text}', encoding="utf-8")
    with pytest.raises(InputError, match=r"know\.card\.toml: unknown field \['fingerprnt'\]"):
        Card.read(path)


def test_the_shape_of_a_benchmark_is_what_the_interface_asks() -> None:
    benchmark: Benchmark = catalogue.load("ladder/know")
    setting: Setting = setting_of(benchmark, None)
    assert benchmark.items(setting)
