"""The report for a terminal: a table of all models, what was found, what it took, and the command that fits next.

It is short, whatever the run, and says the same without colours and in a pipe; `--full` prints everything.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text as Line

from mores.analysis.judge_errors import describe_shared_bands
from mores.analysis.leaderboard import UsageTotals
from mores.analysis.results import JUDGES, Results
from mores.benchmarks.catalogue import folder_of
from mores.core.terminal_safety import one_line
from mores.core.verdict import NOT_MET
from mores.reports.console import format_finding, hanging, screen_width, show, show_fitted
from mores.reports.findings import in_order
from mores.reports.plugins import lines_of, printed_section
from mores.reports.sections.provenance import cautions, describe_recording
from mores.reports.sections_list import all_sections, findings_of, leaderboard_of
from mores.reports.terminal_table import front_table
from mores.runs.loading import describe_changes
from mores.tables import formatting as words
from mores.tables.blocks import Finding, Section

TOWN = "liveculture/town"
SUBJECT = "subject"
JUDGE_CUT = "judge: cut short"
SHOWN = 2
"""Benchmarks that an example names."""


class NextStep(NamedTuple):
    """A command with its purpose."""

    why: str
    command: str


def next_step(results: Results, *, checked: bool = False) -> NextStep:
    """The next command after these runs; `checked` where their judges are compared with people already."""
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


BRACKETS = "Brackets hold 95% sampling intervals, in per cent for shares; n is the number graded."
MADE_UP = "Simulated answers: they say nothing about any real model."
PARTLY = "Partly simulated: simulated answers say nothing about any real model."


def print_report(results: Results, page: Path | None = None, also: Sequence[Section] = ()) -> None:
    """Print what matters of some runs; `page` is named where it is there, `also` are sections beside their own."""
    show_fitted(
        notes=lines_of("the notes", lambda: [Line(note, style="bold") for note in _notes(results)]),
        table=lambda width, most: lines_of("the table", lambda: front_table(leaderboard_of(results), width, most)),
        found=lines_of("the findings", lambda: [format_finding(finding) for finding in findings_of(results, also)]),
        foot=lines_of("the last lines", lambda: list(_foot(results, page, checked=bool(also)))),
    )


def print_full(results: Results, page: Path | None = None, also: Sequence[Section] = ()) -> None:
    """Print everything that a terminal can show of some runs."""
    shared = lines_of("the judge bands", lambda: [Line(describe_shared_bands(leaderboard_of(results).judged))])
    show(_everything(results, findings_of(results, also), all_sections(results, also, page=False), shared))
    _name(page)


def print_only(results: Results, sections: Sequence[Section], page: Path | None = None) -> None:
    """Print some sections alone, with what has to be known of the runs."""
    findings = in_order(finding for section in sections for finding in section.findings)
    show(_everything(results, findings, sections))
    _name(page)


def _name(page: Path | None) -> None:
    if page is not None and page.is_file():
        show(hanging(Line(f"All figures, questions and answers: {page}"), screen_width()), wrapped=True)


def _everything(
    results: Results, findings: Sequence[Finding], sections: Sequence[Section], shared: Sequence[Line] = ()
) -> Iterator[RenderableType]:
    yield from (Line(note, style="bold") for note in _changed(results))
    yield from lines_of("the notes", lambda: [Line(note, style="bold") for note in cautions(results)])
    if results.simulated:
        yield Line(words.SIMULATED, style="bold")
    bands = words.describe_judge_bands(each.overall() for each in results.evaluations)
    yield Line(f"{BRACKETS} {bands}".rstrip(), style="dim")
    yield from (line for line in shared if line.plain)
    for finding in findings:
        yield from hanging(format_finding(finding, name=str), screen_width())
    for each in sections:
        yield ""
        yield from printed_section(each)


def _changed(results: Results) -> list[str]:
    return [
        f"Changed: {line}. Figures and answers here may differ from those of the run."
        for line in describe_changes(results)
    ]


def _notes(results: Results) -> Iterator[str]:
    """Notes to read before any figure, a line or two each."""
    for notes in (_changed(results), cautions(results)):
        if notes:
            yield f"{notes[0]}{f' And {len(notes) - 1} more.' if len(notes) > 1 else ''}"
    if results.simulated:
        yield MADE_UP if all(each.simulated for each in results.evaluations) else PARTLY


def _most_judge_tokens(results: Results) -> int:
    """The highest limit on a judgement among those evaluations of which one was cut; 0 where there is no limit."""
    cut = (result.provenance.protocol.judging for result in results.evaluations if JUDGE_CUT in result.causes())
    return max((judging.sampling.max_tokens or 0 for judging in cut if judging is not None), default=0)


def _foot(results: Results, page: Path | None, *, checked: bool) -> Iterator[Line]:
    logs = (usage.recording for each in results.evaluations for usage in each.provenance.models.values())
    yield from (Line(f"{describe_recording(counts)}.") for counts in logs if counts is not None)
    causes = sum((Counter(each.causes()) for each in results.evaluations), Counter[str]())
    if away := causes.pop(NOT_MET, 0):
        was, counted = ("was", "is") if away == 1 else ("were", "are")
        yield Line(f"{words.plural(away, 'norm')} {was} not applicable in the day, and {counted} not counted.")
    if causes:
        yield Line(_on_a_line("Ungraded: ", [f"{one_line(cause)} ({n:,})" for cause, n in causes.most_common()]))
    if JUDGE_CUT in causes and (most := _most_judge_tokens(results)):
        yield Line(f"Judgements were cut at {most:,} tokens. Try --judge-tokens {2 * most}.")
    refused = dict(pair for each in results.evaluations for pair in each.refused_with().items())
    for cause, answer in list(refused.items())[:1]:
        yield Line(f"{cause}; the endpoint said: {words.format_server_message(answer)}")
    departures = [each for result in results.evaluations for each in result.provenance.departures]
    chosen = dict.fromkeys(f"{words.setting_name(d.setting)} {d.plain}" for d in departures if not d.by_default)
    if chosen:
        yield Line(_on_a_line("Deviates from the protocol: ", list(chosen)))
    own = dict.fromkeys(each.plain for each in departures if each.by_default)
    if own:
        yield Line(_on_a_line("Words of prompts: ", list(own)), style="dim")
    protocols = (result.provenance.protocol for result in results.evaluations)
    faithful = dict.fromkeys(place for protocol in protocols for place in protocol.faithful.values())
    if faithful:
        yield Line(_on_a_line("Words of prompts as published: ", list(faithful)))
    yield Line(describe_effort(leaderboard_of(results).effort), style="dim")
    if page is not None and page.is_file():
        yield Line(f"All figures and answers: {page}, or here with --full")
    step = next_step(results, checked=checked)
    yield Line("Next: ").append(step.command, style="bold").append(f"  {step.why}", style="dim")


def _on_a_line(head: str, items: Sequence[str]) -> str:
    """As many things as a line has room for, one at least, and how many there are more."""
    shorter = [f"{', '.join(items[: len(items) - left])} and {left} more" for left in range(1, len(items))]
    lines = [f"{head}{each}." for each in (", ".join(items), *shorter)]
    return next((line for line in lines if cell_len(line) <= screen_width()), lines[-1])


def describe_effort(effort: UsageTotals) -> str:
    """Calls, tokens, cost and time of some runs, and when they ended."""
    cost = "price unknown" if effort.cost is None else f"at most ${effort.cost:.2f}" if effort.cost else "no cost"
    took = "" if effort.seconds is None else f" · {_time(effort.seconds)}"
    ended = f" · {effort.ended[:10]}" if effort.ended else ""
    tokens = f"{_short_count(effort.input_tokens)} tokens in, {_short_count(effort.output_tokens)} out"
    return f"{words.plural(effort.calls, 'call')} · {tokens} · {cost}{took}{ended}"


def _time(seconds: float) -> str:
    """`1.7 s`, `12 min`, `3.4 h`."""
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _short_count(count: int) -> str:
    """`950`, `95k`, `6.6M`."""
    return f"{count}" if count < 1000 else f"{count / 1e3:.0f}k" if count < 1_000_000 else f"{count / 1e6:.1f}M"
