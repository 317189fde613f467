"""Runs of days in town made by hand: what each day got done, and at which of its steps a norm was violated."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting, summarise
from mores.benchmarks.liveculture.results import TOWN_ANALYSIS, TownResults, result_of, town
from mores.core.card import Judging
from mores.core.codec import build
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict, VoteSummary
from mores.core.verdict_table import VerdictTable
from mores.reports.page.write import render
from mores.runs.loading import read_results
from mores.runs.protocol import departures
from mores.tables import section_of
from mores.tables.blocks import Section
from tests.reports.made import Made
from tests.reports.shown import data
from tests.reports.test_page import Parts

NAME = "liveculture/town"
CARD = catalogue.card(NAME)
SETTINGS = {option.name: option.default for option in CARD.options}
RESPECTED, VIOLATED, ABSENT = "respected", "violated", "not applicable"


def day(
    number: int,
    goal: float | None,
    broken: Sequence[bool],
    *,
    origin: str = "AU",
    cultures: str = "1",
    place: str = "park",
    in_play: int | None = None,
) -> list[Verdict]:
    """One day: the share of its tasks that was done, and at each step whether one of the place's ten norms was broken.

    Two of the ten come up. No step is a resident of whose origin no norm is known; a goal of None is ungraded.
    """
    item = f"day-{number}"

    def about(part: str, **groups: str) -> ItemMetadata:
        known = {} if in_play is None or "location" not in groups else {"in_play": str(in_play)}
        own = {"nationality": origin, "cultures": cultures, **groups, **known}
        return ItemMetadata(item=item, unit=item, cluster=item, place=origin, groups=own, part=part)

    steps: list[Verdict] = [
        Graded(
            about=about(str(n), location=place), sample=0, task="norms", points=1.0 - 0.1 * was,
            label=VIOLATED if was else RESPECTED,
            ballot=VoteSummary(votes=1, asked=1, words=5, hard=True,
                          label_probs={RESPECTED: 0.2 - 0.1 * was, VIOLATED: 0.1 * was, ABSENT: 0.8}),
        )
        for n, was in enumerate(broken)
    ]  # fmt: skip
    done: Verdict = (
        Ungraded(about=about("goal"), sample=0, task="goal", cause="judge: not JSON", raw="Hm.")
        if goal is None
        else Graded(about=about("goal"), sample=0, task="goal", points=goal)
    )
    return [*steps, done]


def days(results: Iterable[tuple[float | None, Sequence[bool]]], **more: Any) -> list[Verdict]:
    """Days 0, 1, …"""
    return [v for n, (goal, broken) in enumerate(results) for v in day(n, goal, broken, **more)]


def even(count: int, done: int, kept: int, **more: Any) -> list[Verdict]:
    """So many days, of which so many have all tasks done, and so many no violation at their one step."""
    return days([(float(n < done), [n >= kept]) for n in range(count)], **more)


def evaluation(
    verdicts: Sequence[Verdict], model: str = "openai/a", *, settings: Mapping[str, str] | None = None, **more: Any
) -> Made:
    """One model's days, with the figures that the benchmark itself makes of them."""
    setting = Setting(data=None, protocol=CARD.protocol, seed=Seed("test"))
    figures = summarise(catalogue.load(NAME), VerdictTable(verdicts), setting)
    own, asked = {**SETTINGS, **(settings or {})}, more.get("judging")
    judging = CARD.protocol.judging if asked is None else build(Judging, asked, where="judging")
    gone = [structs.asdict(each) for each in departures(CARD, replace(CARD.protocol, settings=own, judging=judging))]
    also = {"data": {"population": "p", "norms": "n"}, "departures": gone, **more.pop("also", {})}
    return Made(
        model=model, benchmark=NAME, verdicts=verdicts, headline="adherence_mean",
        figures={str(n): figure for n, figure in enumerate(figures)}, settings=own,
        roles={"supporter": "openai/s", "judge": "openai/j", **more.pop("roles", {})}, also=also, **more,
    )  # fmt: skip


def found_in(*runs: Path) -> TownResults:
    return town(read_results(runs))


def section(found: TownResults) -> Section:
    return section_of(TOWN_ANALYSIS, result_of(found))


def plain(found: TownResults) -> Any:
    """What programs read, as they read it."""
    return data(section(found))


def text_of(*runs: Path) -> str:
    return Parts(render(read_results(runs))).text
