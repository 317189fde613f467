"""The one command that fits best after a run: what failed again, a day to look at, labels for a judge, a real model."""

from typing import NamedTuple

from mores.analysis.results import JUDGES, Results
from mores.benchmarks.catalogue import folder_of

TOWN = "liveculture/town"
SUBJECT = "subject"
SHOWN = 2
"""Benchmarks that an example names."""


class NextStep(NamedTuple):
    """What it is for, and what to type."""

    why: str
    command: str


def next_step(results: Results, *, checked: bool = False) -> NextStep:
    """What to do after these runs; `checked` where their judges are held against people already."""
    runs = " ".join(str(run) for run in results.runs)
    if results.so_far is not None:
        left = next((each.run for each in results.missing), None)
        cut = next(
            (each.run for each in results.every if each.provenance.plays.done < each.provenance.plays.asked), left
        )
        return NextStep("continues it", f"mores resume {cut}")
    few = [each for each in results.evaluations if each.mostly_ungraded]
    if few:
        return NextStep("retries what failed", f"mores resume {few[0].run}")
    days = results.on(TOWN)
    if days:
        return NextStep("shows a day in town", f"mores town replay {days[0].run}")
    if all(each.simulated for each in results.evaluations):
        return NextStep("asks a real model", _of_a_real_model(results))
    judged = [each for each in results.evaluations if each.judges and not each.simulated and not checked]
    if judged:
        return NextStep("draws answers for people to label, to check the judge",
                        f"mores judge sample {judged[0].run} --n 200 --out DIR")  # fmt: skip
    if len(results.models) > 1:
        return NextStep("shows which items are hard or may have a wrong key", f"mores items {runs}")
    return NextStep("compares another run with this one", f"mores compare {runs.split()[0]} OTHER")


def _of_a_real_model(results: Results) -> str:
    """The benchmarks of these runs that need the fewest others beside the subject, with a model for each of them."""
    roles = {each.benchmark: tuple(each.provenance.roles) for each in results.evaluations}
    fewest = min(map(len, roles.values()))
    names = [name for name, own in roles.items() if len(own) == fewest][:SHOWN]
    others = dict.fromkeys(role for name in names for role in roles[name] if role != SUBJECT)
    played = [" --judge PROVIDER/MODEL" if role == JUDGES else f" --role {role}=PROVIDER/MODEL" for role in others]
    own = all(each.card is not None and each.card.source.startswith("own") for each in results.evaluations)
    folder = folder_of(names[0])
    if folder is not None:
        return f"mores run {folder} -m PROVIDER/MODEL"
    return f"mores run {' '.join(names)}{'' if own else ' --data DIR'} -m PROVIDER/MODEL{''.join(played)}"
