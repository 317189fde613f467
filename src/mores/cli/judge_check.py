"""`mores judge attack` and `mores judge probe`: checks of one judge.

The answers to attack with are the pack's thin reasons, right labels that name no norm, so that a judge should pass none
of them. Each is judged as it is, under every attack of the suite, and with a paragraph of neutral words after it. Those
for `mores judge probe` were each written to keep, leave open or break one norm. `--data` names another pack, such as a
translated one: a judge that withstands attacks round English answers may give way round others.
"""

# ruff: noqa: RUF009 - `option` makes a field
import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.ladder.pack_info import pack_of
from mores.benchmarks.shapes.judge_panel import JUDGE, judging_of
from mores.benchmarks.shapes.reasons.benchmark import ExplainedBenchmark
from mores.benchmarks.shapes.reasons.metrics import GOOD_FROM
from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.cli.asking import open_client
from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.core.languages import ENGLISH, language_of
from mores.core.seeds import Seed
from mores.judges.attacks import AttackReport, under_attack
from mores.judges.judge import JudgeSession
from mores.judges.jury import JudgingRate
from mores.judges.probes import ProbeFigures, ShiftFigures, Stance, probe_verbosity, under_probes
from mores.judges.rubric_answers import Opinion
from mores.judges.verifier import LABELS
from mores.models.cast import Cast
from mores.models.client import ModelClient
from mores.models.registry import is_simulated
from mores.norms.pack import Pack
from mores.norms.places import place
from mores.runs.options import argument, option
from mores.stats.paired import Paired
from mores.stats.rng import generator

T = TypeVar("T")
EXPLAINED, APPLIED = "ladder/explain", "ladder/apply"
SEED = Seed("doctor").child("judge")
WANTED = Opinion(reason="The norm is named and explained.", points=1.0)
"""Answer that the attacks ask the judge for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCheckArgs:
    """Options of both checks of one judge."""

    judge: str = argument("The judge, as --judge of mores run.", MISSING)
    answers: int = option("Number of answers to judge.", default=15)
    base_url: str | None = option("Address of its endpoint.")
    data: Path | None = option("Folder of a pack whose answers are judged, in its language; default: the bundled one.")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackArgs(JudgeCheckArgs):
    """Attack a judge, and count how often it passes an answer that it should not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeArgs(JudgeCheckArgs):
    """Put answers to a judge in several ways, and count how often its verdict changes where it must not."""


def attack_judge(typed: AttackArgs) -> None:
    """Attack a judge and print how often it gave way.

    Raises:
        InputError: the spec cannot be opened, or there are not so many answers.
        RunError: the judge cannot be reached.
    """
    spec = typed.judge
    calls, attacks, padding = asyncio.run(_examined(typed))
    if typed.json:
        head = {"judge": spec, "simulated": is_simulated(spec), "language": _language(typed), "calls": calls}
        screen.print_json({**head, "attacks": attacks, "padding": padding})
    else:
        print_simulated_note(spec)
        _print(_judged(typed, calls), attacks, padding)


async def _examined(typed: AttackArgs) -> tuple[int, AttackReport, ShiftFigures]:
    """Number of calls, and the results."""
    benchmark = catalogue.load(EXPLAINED)
    if not isinstance(benchmark, ExplainedBenchmark):
        raise TypeError(EXPLAINED)
    setting = Setting(data=typed.data, protocol=catalogue.card(EXPLAINED).protocol, seed=SEED)
    rubric, cases = benchmark.rubric(setting), draw_cases(benchmark.failing_cases(setting), typed.answers)
    async with open_judge(typed.judge, judging_of(setting).sampling, typed.base_url) as connection:
        attacked = await under_attack(rubric, cases, passing=WANTED, passes=_passes, session=connection.session)
        padded = await probe_verbosity(rubric, cases, passes=_passes, session=connection.session)
    return connection.door.tally.asked, attacked, padded


class JudgeConnection(NamedTuple):
    """A judge that can be asked, and its door, which counts the calls."""

    session: JudgeSession
    door: ModelClient


@asynccontextmanager
async def open_judge(spec: str, sampling: Sampling, base_url: str | None) -> AsyncIterator[JudgeConnection]:
    """A judge with a journal that is thrown away.

    Raises:
        InputError: the spec cannot be opened.
        RunError: nobody answers there.
    """
    with tempfile.TemporaryDirectory(prefix="mores-doctor-") as folder:
        journal = Path(folder) / "journal.sqlite"
        async with open_client(spec, sampling, journal=journal, seed=SEED, base_url=base_url) as door:
            yield JudgeConnection(JudgeSession(cast=Cast({JUDGE: door}), sampling=sampling, seed=SEED), door)


def draw_cases(cases: Sequence[T], count: int) -> list[T]:
    """So many of some things, drawn with a seed.

    Raises:
        InputError: there are not so many.
    """
    if not 1 <= count <= len(cases):
        raise InputError(f"--answers {count}: expected from 1 to {len(cases)}.")
    order = generator(SEED.child("answers")).permutation(len(cases))[:count]
    return [cases[int(number)] for number in sorted(order)]


def _passes(opinion: Opinion) -> bool:
    return (opinion.points or 0.0) >= GOOD_FROM


def print_simulated_note(spec: str) -> None:
    """Say of a simulated judge that its errors are planted."""
    if is_simulated(spec):
        screen.line("Simulated: this judge's errors were planted; they say nothing about any real model.")


def _judged(typed: JudgeCheckArgs, calls: int) -> str:
    """Judge, number of its calls, and the language of the answers where it is not the judge's own prompts'."""
    tag = _language(typed)
    other = "" if tag == ENGLISH else f" The answers are in {language_of(tag).name}, the judge's prompts in English."
    return f"{typed.judge}: {calls:,} calls.{other}"


def _language(typed: JudgeCheckArgs) -> str:
    """Language of the answers."""
    return pack_of(typed.data).language


def _print(judged: str, found: AttackReport, padding: ShiftFigures) -> None:
    screen.line(f"{judged} Reasons that name no norm, judged; a sound judge passes none.")
    families = (replace(rate, name=rate.name.replace("_", " ")) for rate in found.families)
    rows = [found.unattacked, found.attacked, *families]
    _print_rates("", "passed", rows)
    screen.line(
        f"With neutral words after them {format_points(padding.paired)} more pass; "
        f"McNemar's exact p {padding.paired.p:.2g}, n {padding.graded}."
    )


def _print_rates(of: str, counted: str, rates: Sequence[JudgingRate]) -> None:
    heads = (of, counted, "of", "ungraded", "share, 95% interval over answers")
    screen.table(heads, [(r.name, r.hits, r.graded, r.ungraded, format_share(r)) for r in rates])


def format_share(rate: JudgingRate) -> str:
    """A share with its interval in a table."""
    if rate.share is None:
        return "none graded"
    interval = rate.interval
    return f"{100 * rate.share:.1f}%{_between(interval.low, interval.high) or ' (too few answers for one)'}"


def format_points(paired: Paired) -> str:
    """A difference of shares with its interval."""
    return f"{100 * paired.difference:.1f} points{_between(paired.low, paired.high)}"


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{100 * low:.1f}, {100 * high:.1f}]"


def probe_judge(typed: ProbeArgs) -> None:
    """Put answers to a judge in several ways and print how often its verdict changes.

    Raises:
        InputError: the spec cannot be opened, or there are not so many answers.
        RunError: the judge cannot be reached.
    """
    spec = typed.judge
    calls, found = asyncio.run(_probed(typed))
    if typed.json:
        head = {"judge": spec, "simulated": is_simulated(spec), "language": _language(typed), "calls": calls}
        screen.print_json({**head, "probes": found._asdict()})
    else:
        print_simulated_note(spec)
        _print_probes(_judged(typed, calls), found)


async def _probed(typed: ProbeArgs) -> tuple[int, ProbeFigures]:
    """Number of calls, and the results."""
    setting = Setting(data=typed.data, protocol=catalogue.card(APPLIED).protocol, seed=SEED)
    stances = draw_cases(_stances(pack_of(typed.data)), typed.answers)
    async with open_judge(typed.judge, judging_of(setting).sampling, typed.base_url) as connection:
        figures = await under_probes(stances, connection.session)
    return connection.door.tally.asked, figures


def _stances(pack: Pack) -> list[Stance]:
    """An answer for each norm of each of the pack's bundles, which keeps, leaves open and breaks it in turn."""
    norms = {entry.norm.id: entry.norm for entry in pack.norms}
    found = [(bundle, own, norms[own.id]) for bundle in pack.bundles for own in bundle.norm]
    return [
        Stance(
            id=f"{bundle.id}/{norm.id}",
            place=place(norm.place).name,
            where=norm.place,
            question=bundle.question,
            norm=norm.statement,
            negation=norm.negation,
            answer=getattr(own, LABELS[number % len(LABELS)]),
            truth=LABELS[number % len(LABELS)],
        )
        for number, (bundle, own, norm) in enumerate(found)
    ]


def _print_probes(judged: str, found: ProbeFigures) -> None:
    right, changed, first = found
    screen.line(
        f"{judged} Answers that keep, leave open or break a norm: right of {right.graded} "
        f"{format_share(right)}, {right.ungraded} ungraded."
    )
    screen.line("How often the verdict is not what the judge's own on the same answer demands; a steady judge: never.")
    _print_rates("put in another way", "changed", changed)
    screen.line(
        f"Listed first a label is chosen {format_points(first)} more often than listed last; p {first.p:.2g}, "
        f"n {first.units}."
    )
