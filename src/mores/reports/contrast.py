"""A comparison of two runs, for a terminal and for programs."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mores.core.card import Metric
from mores.core.codec import encode
from mores.reports import wording
from mores.reports.comparison import LEVEL, Beside, Compared, Comparison, Difference
from mores.reports.terminal import show

SHOWN = 8
"""Places in the table, at most: those with the smallest p of all that differ."""
_OF_WHOLE = tuple(f.name for f in fields(Difference) if f.name not in {"place", "p_holm"})


def comparison_as_json(comparison: Comparison) -> list[str]:
    """One line of JSON for each pair of models; what is missing is null with its `why`."""
    pairs = dict.fromkeys((c.model_a, c.model_b) for c in comparison.compared)
    return [encode(_of_pair(comparison, *pair)).decode() for pair in pairs]


def _of_pair(comparison: Comparison, model_a: str, model_b: str) -> dict[str, object]:
    compared = [c for c in comparison.compared if (c.model_a, c.model_b) == (model_a, model_b)]
    return {
        "a": {"run": str(comparison.run_a), "model": model_a},
        "b": {"run": str(comparison.run_b), "model": model_b},
        "benchmarks": {c.benchmark: _of_benchmark(c) for c in compared},
        "alone": comparison.alone,
        "worse": {w.compared.benchmark: w.p for w in comparison.worse if w.compared in compared},
    }


def _of_benchmark(compared: Compared) -> dict[str, object]:
    return {
        "metric": compared.metric,
        "simulated": compared.simulated,
        **{name: getattr(compared.whole, name) for name in _OF_WHOLE},
        "family": compared.family,
        "places": compared.places,
        "only_a": compared.only_a,
        "only_b": compared.only_b,
        "ungraded": compared.ungraded,
        "notes": compared.notes,
        "beside": {b.metric: {name: getattr(b.whole, name) for name in _OF_WHOLE} for b in compared.beside},
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
        Text.assemble("B − A: ", (_apart(whole, metric), "bold"), f" points, {', '.join(told)}; {_over(whole)}."),
    )
    yield _line(_seen(whole, metric))
    left = _left_out(compared)
    if left:
        yield _line(left)
    yield from (_line(_judged(beside)) for beside in compared.beside)
    for note in compared.notes:
        yield _line(f"Note: {note}.")
    if compared.places:
        yield ""
        differing = sorted((d for d in compared.places if d.difference), key=lambda d: (d.p is None, d.p, d.place))
        yield _line(_family(compared, len(differing)))
        if differing:
            yield Padding(_places(differing[:SHOWN], metric), (0, 0, 0, 2))


def _judged(beside: Beside) -> str:
    """What judges say beside the headline, in one sentence."""
    whole, metric = beside.whole, beside.described
    a, b = wording.number(whole.a, metric), wording.number(whole.b, metric)
    told = f", {wording.chance_of(whole.p)} (not corrected)" if whole.p is not None else ""
    lower = " (lower is better)" if metric is not None and metric.better == "lower" else ""
    return f"{beside.metric}{lower}: A {a}, B {b}; B − A: {_apart(whole, metric)} points{told}; {_over(whole)}."


def _line(words: str | Text) -> RenderableType:
    return Padding(words if isinstance(words, Text) else Text(words), (0, 0, 0, 2))


def _apart(found: Difference, metric: Metric | None) -> str:
    whole = _signed(found.difference, metric)
    if found.low is None or found.high is None:
        few = "too few" if (found.why or "").startswith("too few") else found.why or "no interval"
        return f"{whole} ({few})"
    return f"{whole} [{_signed(found.low, metric)}, {_signed(found.high, metric)}]"


def _signed(difference: float | None, metric: Metric | None) -> str:
    """A difference with its sign: in percentage points of a share, else in the metric's own points."""
    shown = difference if difference is None or wording.is_share(metric) else difference / 100
    return wording.points_apart(shown)


def _over(found: Difference) -> str:
    clusters = "" if found.clusters == found.units else f" in {found.clusters:,} clusters"
    return f"n {found.units:,}{clusters}"


def _seen(found: Difference, metric: Metric | None) -> str:
    if found.detectable is None:
        return "No unit differs, so what could have been seen is unknown."
    if found.detectable > _reach(metric):
        return "So few units cannot show any difference (power .8, level .05)."
    return f"With power .8 at level .05, {_points(found.detectable, metric)} points would have been seen."


def _reach(metric: Metric | None) -> float:
    return metric.high - metric.low if metric else 1.0


def _points(size: float, metric: Metric | None) -> str:
    return f"{100 * size if wording.is_share(metric) else size:.1f}"


def _left_out(compared: Compared) -> str:
    counts = {
        "items only in A": compared.only_a,
        "items only in B": compared.only_b,
        "units not graded in both": compared.ungraded,
    }
    told = [f"{count:,} {what}" for what, count in counts.items() if count]
    return f"Left out: {', '.join(told)}." if told else ""


def _family(compared: Compared, differing: int) -> str:
    found = sum(d.p_holm is not None and d.p_holm < LEVEL for d in compared.places)
    some = f"; the {SHOWN} with the smallest p" if differing > SHOWN else ""
    return f"Places: {found} of a family of {compared.family} differ at .05 after Holm's correction{some}."


def _places(places: Sequence[Difference], metric: Metric | None) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("place", overflow="fold", max_width=20)
    for name in ("n", "A", "B", "B − A", "p (Holm)", "seen from"):
        table.add_column(name, justify="right", no_wrap=True)
    for found in places:
        table.add_row(
            wording.group_name("place", found.place or ""),
            f"{found.units:,}",
            wording.number(found.a, metric, sign=False),
            wording.number(found.b, metric, sign=False),
            _apart(found, metric),
            wording.chance_of(found.p_holm).removeprefix("p ").removeprefix("= "),
            wording.DASH if found.detectable is None else _points(min(_reach(metric), found.detectable), metric),
        )
    return table
