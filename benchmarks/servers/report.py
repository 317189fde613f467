"""What people read: the record of all servers, as a section of docs/servers.md."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.servers.plays import Outcome
from benchmarks.servers.prefixes import LEAST, Cached
from benchmarks.servers.serving import Server
from benchmarks.servers.strains import Borne
from benchmarks.servers.throughput import MOST, Throughput
from benchmarks.speed.report import machine

PLAYED = ("server", "play", "calls", "tokens in / out", "seconds", "verdicts", "failed attempts", "ungraded", "passed")
BEGIN, END = "<!-- servers: measured, begin -->", "<!-- servers: measured, end -->"


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


def section(records: Sequence[Record]) -> str:
    """The section of docs/servers.md, its markers around it."""
    ran = [record for record in records if not record.not_run]
    lines = [f"Measured on {datetime.now(UTC):%Y-%m-%d}; {machine()}.", ""]
    lines += _table(("server", "version", "listens after"), "--:", map(_head, records))
    lines += ["", "## Plays", "", *_table(PLAYED, ":--", (_row(r, o) for r in ran for o in r.outcomes))]
    lines += ["", "## What was altered for each", "", *_altered(ran)]
    lines += ["", "## Calls that cannot be served as they are", ""]
    lines += _table(("call", *(record.server.title for record in ran)), ":--", _strains(ran))
    lines += ["", "## Speed", "", *_speed(ran)]
    return "\n".join([BEGIN, *lines, END])


def record(path: Path, written: str) -> None:
    """Put the section in place of the one between the markers."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.split(BEGIN)[0] + written + text.split(END)[1], encoding="utf-8")


def _table(heads: tuple[str, ...], align: str, rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(heads) + " |", "|---|" + f"{align}|" * (len(heads) - 1)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def _head(record: Record) -> tuple[str, str, str]:
    if record.not_run:
        return record.server.title, f"**not run**: {record.not_run}", "–"
    return record.server.title, record.version, f"{record.seconds:.0f} s"


def _row(record: Record, outcome: Outcome) -> tuple[str, ...]:
    into, out = outcome.tokens
    return (
        record.server.title, outcome.play, f"{outcome.calls:,}", f"{into:,} / {out:,}", f"{outcome.seconds:.1f}",
        f"{outcome.verdicts:,}", _counts(outcome.failed_attempts), _counts(outcome.ungraded),
        f"no: {outcome.fault}" if outcome.fault else "yes",
    )  # fmt: skip


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {cause}" for cause, count in sorted(counts.items())) or "–"


def _altered(ran: Sequence[Record]) -> list[str]:
    lines = []
    for record in ran:
        said = dict.fromkeys(note for outcome in record.outcomes for note in outcome.altered)
        lines.append(f"- {record.server.title}: {'; '.join(said) or 'nothing'}.")
    return lines


def _strains(ran: Sequence[Record]) -> list[tuple[str, ...]]:
    asked = list(dict.fromkeys(each.about for record in ran for each in record.strains))
    found = [{each.about: each.became for each in record.strains} for record in ran]
    return [(about, *(became.get(about, "–") for became in found)) for about in asked]


def _speed(ran: Sequence[Record]) -> list[str]:
    lines = [_of_prefixes(each.server, count) for each in ran for count in each.cached]
    lines += [_of_throughput(each.server, each.throughput) for each in ran if each.throughput is not None]
    return lines or ["Measured on vLLM alone, which was not run."]


def _of_prefixes(server: Server, count: Cached) -> str:
    return (
        f"- {server.title}, {count.play}: {count.found:,} of {count.asked:,} tokens of prompts were in the cache of "
        f"prefixes by the server's own counter, {count.share:.1%} (at least {LEAST[count.play]:.0%})."
    )


def _of_throughput(server: Server, took: Throughput) -> str:
    rounds = ", ".join(f"{ours:.1f}/{bare:.1f}" for ours, bare in zip(took.ours, took.bare, strict=True))
    return (
        f"- {server.title}: {took.calls:,} closed questions take {took.ratio:.2f} times as long as a bare client takes "
        f"for the same bodies (at most {MOST:.2f}; the quickest of {len(took.ours)} rounds in turns; seconds of mores "
        f"and of the bare client: {rounds})."
    )


def summary(records: Sequence[Record]) -> list[str]:
    """What is printed at the end: each server, and how many of its plays passed."""
    lines = []
    for each in records:
        passed = sum(not outcome.fault for outcome in each.outcomes)
        said = f"not run: {each.not_run}" if each.not_run else f"{passed} of {len(each.outcomes)} plays passed"
        lines.append(f"{each.server.title}: {said}")
    return lines
