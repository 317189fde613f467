"""A comparison of two runs, for a terminal and for programs."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mores.core.card import Metric
from mores.core.codec import encode
from mores.reports import difference_words as words
from mores.reports import wording
from mores.reports.comparison import Compared, Comparison
from mores.reports.differences import Family
from mores.reports.terminal import show


def comparison_as_json(comparison: Comparison) -> list[str]:
    """One line of JSON for each pair of models; what is missing is null with its `why`."""
    pairs = dict.fromkeys((c.model_a, c.model_b) for c in comparison.compared)
    return [encode(_of_pair(comparison, *pair)).decode() for pair in pairs]


def _of_pair(comparison: Comparison, model_a: str, model_b: str) -> dict[str, object]:
    compared = [c for c in comparison.compared if (c.model_a, c.model_b) == (model_a, model_b)]
    return {
        "a": {"run": str(comparison.run_a), "model": model_a},
        "b": {"run": str(comparison.run_b), "model": model_b},
        "benchmarks": {c.benchmark: words.plain_benchmark(c) for c in compared},
        "alone": comparison.alone,
        "worse": {w.compared.benchmark: w.p for w in comparison.worse if w.compared in compared},
    }


def print_comparison(comparison: Comparison) -> None:
    """Print a comparison for people."""
    show(_parts(comparison))


def _parts(comparison: Comparison) -> Iterator[RenderableType]:
    if any(c.simulated for c in comparison.compared):
        yield Text(wording.SIMULATED, style="bold")
    yield Text(f"A: {comparison.run_a}\nB: {comparison.run_b}")
    yield Text(
        "Differences are B − A in percentage points, or in points of a metric that is no share, with 95% intervals; "
        "negative: B is worse.",
        style="dim",
    )
    for compared in comparison.compared:
        yield ""
        yield from _benchmark(compared)
    if comparison.alone:
        yield ""
        yield Text(f"In one run only: {', '.join(comparison.alone)}.")


def _benchmark(compared: Compared) -> Iterator[RenderableType]:
    whole = compared.whole
    yield Text(f"{compared.benchmark} · {compared.metric}", style="bold")
    metric = compared.described
    a, b = wording.number(whole.a, metric), wording.number(whole.b, metric)
    yield _line(f"A {compared.model_a} {a}, B {compared.model_b} {b}")
    told = (wording.chance_of(whole.p), whole.test) if whole.p is not None else ()
    yield _line(
        Text.assemble(
            "B − A: ", (words.apart(whole, metric), "bold"), f" points, {', '.join(told)}; {words.over(whole)}."
        ),
    )
    yield _line(words.seen(compared))
    left = words.left_out(compared)
    if left:
        yield _line(left)
    if compared.beside:
        yield _line(words.beside_family(compared))
    yield from (Padding(Text(words.judged(beside)), (0, 0, 0, 4)) for beside in compared.beside)
    for note in compared.notes:
        yield _line(f"Note: {note}.")
    for family in compared.families:
        yield ""
        some = f"; the {words.SHOWN} with the smallest p" if len(family.weightiest) > words.SHOWN else ""
        yield _line(f"{words.family_told(family)}{some}.")
        if family.weightiest:
            yield Padding(_groups(family, metric), (0, 0, 0, 2))


def _line(said: str | Text) -> RenderableType:
    return Padding(said if isinstance(said, Text) else Text(said), (0, 0, 0, 2))


def _groups(family: Family, metric: Metric | None) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(family.kind, overflow="fold", max_width=16)
    for name in ("n", "A", "B", "B − A"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("Holm", "BH", "seen from"):
        table.add_column(name, justify="right")
    for found in family.weightiest[: words.SHOWN]:
        table.add_row(
            wording.group_name(family.kind, found.group),
            f"{found.units:,}",
            wording.number(found.a, metric, sign=False),
            wording.number(found.b, metric, sign=False),
            words.apart(found, metric),
            words.bare(found.p_holm),
            words.bare(found.p_bh),
            words.least_seen(found, metric),
        )
    return table
