"""What people read: the record of each server, as a section of docs/servers.md."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from benchmarks.servers.plays import Outcome
from benchmarks.servers.prefixes import LEAST, Cached
from benchmarks.servers.serving import Server
from benchmarks.servers.strains import Borne
from benchmarks.servers.throughput import MOST, Throughput
from benchmarks.speed.report import machine

PLAYED = ("play", "calls", "tokens in / out", "seconds", "verdicts", "failed attempts", "ungraded", "passed")


@dataclass(slots=True, kw_only=True)
class Record:
    """All that was seen of one server; `not_run` says why it was not tried, and is empty where it was."""

    server: Server
    not_run: str = ""
    version: str = ""
    seconds: float = 0.0
    outcomes: list[Outcome] = field(default_factory=list)
    strains: list[Borne] = field(default_factory=list)
    cached: list[Cached] = field(default_factory=list)
    throughput: Throughput | None = None

    def faults(self) -> list[str]:
        """Why it does not pass, a line for each reason."""
        found = [f"{each.play}: {each.fault}" for each in self.outcomes if each.fault]
        found += [each.fault for each in self.strains if each.fault]
        for each in self.cached:
            least = LEAST[each.play]
            if each.share < least:
                found.append(f"{each.play}: {each.share:.1%} of its tokens were cached, expected at least {least:.0%}")
        if self.throughput is not None and self.throughput.ratio > MOST:
            found.append(f"a run takes {self.throughput.ratio:.2f} times as long as a bare client, at most {MOST:.2f}")
        return [f"{self.server.title}: {line}" for line in found]


def section(tried: Record) -> str:
    """What docs/servers.md says of one server."""
    if tried.not_run:
        return f"**Not run**: {tried.not_run}"
    lines = [f"{tried.version}, listening after {tried.seconds:.0f} s. {datetime.now(UTC):%Y-%m-%d}; {machine()}.", ""]
    lines += _table(PLAYED, map(_row, tried.outcomes))
    altered = dict.fromkeys(note for outcome in tried.outcomes for note in outcome.altered)
    lines += ["", f"Altered: {'; '.join(altered) or 'nothing'}.", ""]
    lines += _table(("a call with", "what came of it"), ((each.about, each.became) for each in tried.strains))
    speed = [*map(_of_prefixes, tried.cached), *([_of_throughput(tried.throughput)] if tried.throughput else ())]
    return "\n".join([*lines, *(["", *speed] if speed else ())])


def _table(heads: tuple[str, ...], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def _row(outcome: Outcome) -> tuple[str, ...]:
    into, out = outcome.tokens
    return (
        outcome.play, f"{outcome.calls:,}", f"{into:,} / {out:,}", f"{outcome.seconds:.1f}", f"{outcome.verdicts:,}",
        _counts(outcome.failed_attempts), _counts(outcome.ungraded), f"no: {outcome.fault}" if outcome.fault else "yes",
    )  # fmt: skip


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {cause}" for cause, count in sorted(counts.items())) or "–"


def _of_prefixes(count: Cached) -> str:
    return (
        f"- {count.play}: {count.found:,} of {count.asked:,} tokens of prompts were in the cache of prefixes by the "
        f"server's own counter, {count.share:.1%} (at least {LEAST[count.play]:.0%})."
    )


def _of_throughput(took: Throughput) -> str:
    rounds = ", ".join(f"{ours:.1f}/{bare:.1f}" for ours, bare in zip(took.ours, took.bare, strict=True))
    return (
        f"- {took.calls:,} closed questions take {took.ratio:.2f} times as long as a bare client needs for the same "
        f"bodies (at most {MOST:.2f}; the quickest of {len(took.ours)} rounds in turns; seconds of mores and of the "
        f"bare client: {rounds})."
    )


def summary(records: Sequence[Record]) -> list[str]:
    """What is printed at the end: each server, and how many of its plays passed."""
    lines = []
    for each in records:
        passed = sum(not outcome.fault for outcome in each.outcomes)
        said = f"not run: {each.not_run}" if each.not_run else f"{passed} of {len(each.outcomes)} plays passed"
        lines.append(f"{each.server.title}: {said}")
    return lines
