"""`mores doctor --judge SPEC --probes`: does a judge of norms hold to its word where nothing that matters changes?

The answers are the bundled pack's: each was written to keep, leave open or break one norm.
"""

import asyncio

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.shapes.judged import judging_of
from mores.cli import screen
from mores.cli.judge_check import SEED, drawn, seated, tell_planted, told_points, told_share
from mores.judges.norm_probes import ProbeFigures, Stance, under_probes
from mores.judges.verifier import LABELS
from mores.models.specs import is_simulated
from mores.norms.pack import load_pack
from mores.norms.places import place

RUNG = "ladder/apply"


def probe_judge(spec: str, *, answers: int, base_url: str | None, json: bool) -> None:
    """Put answers to a judge in several ways and print how often its verdict changes.

    Raises:
        InputError: the spec cannot be opened, or there are not so many answers.
        RunError: the judge cannot be reached.
    """
    calls, found = asyncio.run(_probed(spec, answers, base_url))
    if json:
        head = {"judge": spec, "simulated": is_simulated(spec), "calls": calls}
        screen.print_json({**head, "probes": found._asdict()})
    else:
        tell_planted(spec)
        _print(spec, calls, found)


async def _probed(spec: str, answers: int, base_url: str | None) -> tuple[int, ProbeFigures]:
    """How many calls it took, and what was found."""
    setting = Setting(data=None, protocol=catalogue.card(RUNG).protocol, seed=SEED)
    stances = drawn(_stances(), answers)
    async with seated(spec, judging_of(setting).sampling, base_url) as seat:
        figures = await under_probes(stances, seat.sitting)
    return seat.door.tally.asked, figures


def _stances() -> list[Stance]:
    """An answer for each norm of each of the pack's bundles, which keeps, leaves open and breaks it in turn."""
    pack = load_pack()
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


def _print(spec: str, calls: int, found: ProbeFigures) -> None:
    right, changed, first = found
    screen.line(
        f"{spec}: {calls:,} calls. Answers that keep, leave open or break a norm: right of {right.graded} "
        f"{told_share(right)}, {right.ungraded} ungraded."
    )
    screen.line("How often the verdict is not what the judge's own on the same answer demands; a steady judge: never.")
    heads = ("put in another way", "changed", "of", "ungraded", "share, 95% interval over answers")
    screen.table(heads, [(r.name, r.hits, r.graded, r.ungraded, told_share(r)) for r in changed])
    screen.line(
        f"Listed first a label is chosen {told_points(first)} more often than listed last; p {first.p:.2g}, "
        f"n {first.units}."
    )
