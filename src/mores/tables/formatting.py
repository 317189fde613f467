"""Values in words for people: the one place that writes numbers, p-values, intervals, counts and reasons.

Shares stand in per cent with one decimal, intervals in brackets, differences of shares in percentage points.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Protocol

from msgspec.structs import replace

from mores.core.card import Metric
from mores.core.errors import InputError, UnknownName
from mores.core.estimate import SHOWS_NO_DIFFERENCE, Estimate, JudgeBand, Missing, caution_of, judge_band_of
from mores.core.verdict import NOT_MET
from mores.norms.places import place
from mores.stats.reliability import LISTED, WANTED, Reliability
from mores.tables.blocks import (
    Cell,
    CellValue,
    Chart,
    DifferenceValue,
    Format,
    Inline,
    PlainCell,
    Quoted,
    Span,
    Stack,
    Words,
)
from mores.tables.missing_texts import format_caution, format_mark, format_missing, short_reason

DASH = "–"
JUDGE_BAND = "judge band"
"""Name of the range that the errors of a judge leave a figure, apart from its interval, in every medium."""
PALE_LINE = "Pale line behind an interval: its judge band."
"""Legend of pictures."""
NOT_REACHABLE = "not reachable"
"""Words in place of a minimum detectable effect beyond half of the range of its metric."""
SIMULATED = "Simulated: these answers come from a planted competence. They say nothing about any real model."
FINE = 20
"""Range of a metric's points below which differences are told with two digits."""
SMALL = 0.001
"""p-values below it are told as below it."""
MOST_MARKS = 2
"""Different cautions that are told below a picture; more are told together."""
_MESSAGE = re.compile(r'"(?:message|detail)"\s*:\s*"((?:[^"\\]|\\.)*)"')
_KINDS = {
    "wvs_group": ("Inglehart–Welzel group", "Inglehart–Welzel groups"),
    "pack_region": ("region of the pack", "regions of the pack"),
    "strictness": ("strictness", "levels of strictness (how binding a norm is)"),
    "nationality": ("nationality", "nationalities"),
    "cultures": ("number of origins among those spoken with", "numbers of origins among those spoken with"),
    "votes": ("votes for the most frequent answer", "votes for the most frequent answer"),
    "subnational": ("part of a country", "parts of a country"),
    "apart": ("scored separately", "scored separately"),
}
"""Names of kinds of groups, one and several of them, where that is not their id."""
_SEPARATE = {"contested": "contested norms", "boundary": "boundary items"}
"""Names of what is scored separately."""
_CAUSES = {NOT_MET: "not applicable"}
"""Causes of having no grade, where that is not how they are stored."""
_SETTINGS = {"units drawn": "sample size"}
"""Names of settings, where that is not how they are stored."""


def is_share(metric: Metric | None) -> bool:
    """True for metrics that run from 0 to 1; what no card describes is taken for one."""
    return metric is None or (metric.low, metric.high) == (0.0, 1.0)


def format_number(value: float | None, metric: Metric | None = None, *, sign: bool = True) -> str:
    """A figure in words: `75.6%` for a share (`75.6` without its sign), `1.25` for points, a dash for none.

    >>> format_number(0.7556), format_number(0.7556, sign=False), format_number(None)
    ('75.6%', '75.6', '–')
    """
    if value is None:
        return DASH
    if not is_share(metric):
        return _minus(f"{value:.2f}")
    return f"{_minus(f'{100 * value:.1f}')}{'%' if sign else ''}"


def format_whole(share: float) -> str:
    """A share in whole per cents without a sign, where there is little room.

    >>> format_whole(0.7556), format_whole(-0.041), format_whole(-0.001)
    ('76', '−4', '0')
    """
    return _minus(f"{100 * share:.0f}")


def _minus(text: str) -> str:
    """A number with the typographic minus, and no sign before zero."""
    # A small negative number rounds to -0.0, which would look like a direction.
    return text.lstrip("+-") if float(text) == 0 else text.replace("-", "−")


def format_interval(estimate: Estimate, metric: Metric | None = None) -> str:
    """An interval in words, `[67.7, 82.0]`; where there is none, the short reason."""
    if estimate.low is None or estimate.high is None:
        return "" if estimate.value is None else short_reason(estimate.missing, "no interval")
    low, high = (format_number(end, metric, sign=False) for end in (estimate.low, estimate.high))
    return f"[{low}, {high}]"


def format_judge_band(band: JudgeBand, metric: Metric | None = None) -> str:
    """The ends of a judge band: `59.5–99.3`, or `−6.0 to 24.0` where one of them is below 0.

    >>> rates = {"sensitivity": (0.75, 1.0), "specificity": (0.75, 1.0)}
    >>> format_judge_band(JudgeBand(low=0.595, high=0.993, **rates))
    '59.5–99.3'
    """
    ends = (format_number(end, metric, sign=False) for end in (band.low, band.high))
    return (" to " if band.low < 0 else DASH).join(ends)


def describe_judge_rates(bands: Iterable[JudgeBand]) -> str:
    """The rates of judges that some bands are of: `sensitivity and specificity from .75 to 1`; empty for none.

    >>> stated = JudgeBand(low=0.2, high=0.8, sensitivity=(0.75, 1.0), specificity=(0.75, 1.0))
    >>> told = JudgeBand(low=0.2, high=0.8, sensitivity=(0.8, 0.9), specificity=(0.7, 0.9), labelled=True)
    >>> describe_judge_rates([told]), describe_judge_rates([stated, told])
    ('sensitivity from .80 to .90 and specificity from .70 to .90, by labels', 'rates that differ by figure')
    """
    different = {(band.sensitivity, band.specificity, band.labelled) for band in bands}
    if len(different) != 1:
        return "rates that differ by figure" if different else ""
    ((sensitivity, specificity, labelled),) = different
    one, other = (f"from {format_rate(low)} to {format_rate(high)}" for low, high in (sensitivity, specificity))
    both = f"sensitivity and specificity {one}" if one == other else f"sensitivity {one} and specificity {other}"
    return f"{both}, by labels" if labelled else both


def format_rate(rate: float) -> str:
    """A rate of a judge: `.93`, `1`."""
    return f"{rate:.2f}".lstrip("0") if rate < 0.995 else "1"


def describe_judge_bands(figures: Iterable[Estimate | None]) -> str:
    """Sentence on how judge bands are read, with the rates that they are of; empty where no figure has one."""
    rates = describe_judge_rates(band for band in map(judge_band_of, figures) if band is not None)
    return f"{JUDGE_BAND.capitalize()}: the figure for any judge with {rates}." if rates else ""


def format_bounds(estimate: Estimate | None, metric: Metric | None = None) -> tuple[str, str] | None:
    """A figure were all that is ungraded at worst, and at best; None where nothing ungraded leaves it open."""
    if estimate is None or estimate.worst is None or estimate.best is None or estimate.worst == estimate.best:
        return None
    return format_number(estimate.worst, metric), format_number(estimate.best, metric)


def format_graded(estimate: Estimate) -> str:
    """The n of a figure: graded, and of how many asked where those differ.

    >>> format_graded(Estimate(metric="accuracy", value=None, asked=12, graded=10))
    '10 of 12'
    """
    same = estimate.graded == estimate.asked
    return f"{estimate.graded:,}" if same else f"{estimate.graded:,} of {estimate.asked:,}"


def format_p(p: float | None) -> str:
    """A p-value: `p = 0.012`, `p < 0.001`; empty for none.

    >>> format_p(0.0123), format_p(1e-5), format_p(1.0)
    ('p = 0.012', 'p < 0.001', 'p = 1')
    """
    if p is None:
        return ""
    # From 0.9995 on, three decimals would say 1.000.
    return f"p < {SMALL}" if p < SMALL else f"p = {p:.3f}" if p < 0.9995 else "p = 1"


def format_bare_p(p: float | None) -> str:
    """A p-value without its letter; a dash for none."""
    return DASH if p is None else format_p(p).removeprefix("p ").removeprefix("= ")


def format_difference(found: DifferenceValue | Estimate, metric: Metric | None = None) -> str:
    """A difference in points with its interval, or with the short reason why there is none, and with its mark."""
    return " ".join((*parts_of_difference(found, metric), *bracketed_mark(found)))


def parts_of_difference(found: DifferenceValue | Estimate, metric: Metric | None = None) -> tuple[str, str]:
    """A difference in points, and its interval or the short reason why there is none."""
    whole = format_signed(found.value if isinstance(found, Estimate) else found.difference, metric)
    if found.low is None or found.high is None:
        return whole, f"({short_reason(found.missing) or 'no interval'})"
    return whole, f"[{format_signed(found.low, metric)}, {format_signed(found.high, metric)}]"


def parts_of_size(found: DifferenceValue | Estimate, metric: Metric | None = None) -> tuple[str, str]:
    """A difference without its sign, and its interval or the short reason why there is none."""
    sizes = (found.value if isinstance(found, Estimate) else found.difference, found.low, found.high)
    whole, low, high = (DASH if size is None else format_size(size, metric) for size in sizes)
    if found.low is None or found.high is None:
        return whole, f"({short_reason(found.missing) or 'no interval'})"
    return whole, f"[{low}, {high}]"


def format_signed(difference: float | None, metric: Metric | None = None) -> str:
    """A difference with its sign: in percentage points of a share, else in the metric's own points; a dash for none.

    >>> format_signed(-0.105), format_signed(0.0), format_signed(None)
    ('−10.5', '0.0', '–')
    """
    if difference is None:
        return DASH
    return _minus(f"{100 * difference:+.1f}" if is_share(metric) else f"{difference:+.{_digits(metric)}f}")


def format_size(size: float, metric: Metric | None) -> str:
    """A size in percentage points of a share, else in the metric's own points."""
    return _minus(f"{100 * size if is_share(metric) else size:.{_digits(metric)}f}")


class Detecting(Protocol):
    """A test as far as it is told which difference it could have shown."""

    @property
    def minimum_detectable(self) -> float | None:
        """The least difference that it would have found, within half of the range of its metric."""

    @property
    def undetectable(self) -> Missing | None:
        """Reason for a missing one."""


def is_out_of_reach(test: object) -> bool:
    """True of a test that would have found no difference of up to half of the range of its metric."""
    return getattr(test, "undetectable", None) == SHOWS_NO_DIFFERENCE


def describe_detectable(tests: Iterable[Detecting], metric: Metric | None = None) -> str:
    """The largest minimum detectable effect of some tests, in a sentence; empty where none is known."""
    every = list(tests)
    known = [test.minimum_detectable for test in every if test.minimum_detectable is not None]
    blind = sum(map(is_out_of_reach, every))
    if not blind:
        return f"Minimum detectable effect: {format_size(max(known), metric)} points." if known else ""
    in_these = f" in {blind:,} of {len(every):,}" if len(every) > blind else ""
    others = f"; up to {format_size(max(known), metric)} points in others" if known else ""
    return f"Minimum detectable effect: {NOT_REACHABLE}{in_these}{others}."


def _digits(metric: Metric | None) -> int:
    """Digits after the point: a scale of a few points has two."""
    return 2 if metric is not None and 1 < metric.high - metric.low < FINE else 1


def format_rough(value: float | None, estimated: bool) -> str:
    """A number without its decimals, marked where it is estimated; a dash for none.

    >>> format_rough(1234.5, True), format_rough(None, False)
    ('≈1,234', '–')
    """
    return DASH if value is None else f"{'≈' * estimated}{value:,.0f}"


def format_range(low: int | None, high: int | None) -> str:
    """Whole numbers from the least to the greatest: `1–3`, or one alone where both are it; a dash for none."""
    return DASH if low is None or high is None else f"{low:,}" if low == high else f"{low:,}–{high:,}"


def format_units(units: int, clusters: int) -> str:
    """Units and, where they are fewer, clusters: `n 120 in 30 clusters`."""
    return f"n {units:,}" if clusters == units else f"n {units:,} in {clusters:,} clusters"


def format_causes(causes: dict[str, int]) -> str:
    """Causes with their counts: `timeout 3, no connection 1`; empty for none."""
    return ", ".join(f"{_CAUSES.get(cause, cause)} {count:,}" for cause, count in causes.items())


def setting_name(setting: str) -> str:
    """The name of a setting that departs from the published protocol, such as `sample size`."""
    return _SETTINGS.get(setting, setting)


def kind_name(kind: str) -> str:
    """The name of a kind of group, such as `Inglehart–Welzel group`."""
    return _KINDS.get(kind, (kind,))[0]


def kinds_name(kind: str) -> str:
    """The name of several groups of a kind, such as `places`."""
    return _KINDS.get(kind, (f"{kind}s",))[-1]


def group_name(kind: str, value: str) -> str:
    """The name of one group: a place's or a language's English name, that of what is scored separately, else its own.

    >>> group_name("place", "JP"), group_name("language", "su"), group_name("topic", "Food")
    ('Japan', 'Sundanese', 'Food')
    """
    if kind == "apart":
        return _SEPARATE.get(value, value)
    if kind == "language":
        return _language_name(value)
    if kind not in {"place", "nationality"}:
        return value
    try:
        return place(value).name
    except UnknownName:
        return value


def _language_name(tag: str) -> str:
    from mores.core.languages import language_of  # noqa: PLC0415 - a run in one language, as most are, needs none

    try:
        return language_of(tag).name
    except InputError:
        return tag


def plural(count: int, one: str, many: str = "") -> str:
    """A count with its noun.

    >>> plural(1, "model"), plural(1200, "model"), plural(2, "is", "are")
    ('1 model', '1,200 models', '2 are')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def benchmarks_named(names: Sequence[str]) -> str:
    """Benchmarks in a list, those of one family together.

    >>> benchmarks_named(["ladder/know", "ladder/judge", "cure/casa_thin"])
    'ladder/know, judge and cure/casa_thin'
    """
    texts, before = [], ""
    for name in names:
        family, _, own = name.partition("/")
        texts.append(own if own and family == before else name)
        before = family
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def format_reliability(found: Reliability) -> str:
    """A reliability with its interval: `0.34 [0.00, 0.65]`; the reason where there is none."""
    if found.value is None or found.low is None or found.high is None:
        return format_missing(found.missing) or DASH
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def describe_order(kind: str, found: Reliability, unit: str) -> str:
    """Reliability of the order of groups of a kind, and units (in the plural) that each would need, in a sentence."""
    name, more = kinds_name(kind), _needed(found, f"{unit} in each")
    if found.value is None:
        return f"{name[:1].upper()}{name[1:]} are not ranked: {format_missing(found.missing)}."
    if found.ranks:
        return f"Reliability of the order of {name}: {format_reliability(found)}{more}."
    short = f"under {LISTED}" if found.value < LISTED else "which chance alone may give"
    return f"{name[:1].upper()}{name[1:]} are not ranked: reliability {format_reliability(found)}, {short}{more}."


def _needed(found: Reliability, each: str) -> str:
    if found.value is None or found.value >= WANTED:
        return ""
    if found.needed is not None:
        return f"; about {_two_digits(found.needed):,} {each} would give {WANTED}"
    least = f", at least {_two_digits(found.needed_least):,} {each} for {WANTED}" if found.needed_least else ""
    return f"; chance alone explains the differences{least}"


def _two_digits(units: int) -> int:
    """Two digits, rounded up: a number of units to have is no more exact than that."""
    step = int(10 ** max(0, len(str(units)) - 2))
    return -(-units // step) * step


def format_server_message(body: str) -> str:
    """The words of a server's refusal without what they are packed in, on one line and no longer than two lines.

    >>> format_server_message('{"error":{"code":400,"message":"request (2112 tokens) exceeds the context"}}')
    'request (2112 tokens) exceeds the context'
    """
    found = _MESSAGE.search(body)
    words = " ".join((found[1] if found else body).split())
    return words if len(words) <= 200 else f"{words[:200]}…"


def clipped(text: str, longest: int) -> str:
    """Words as far as a page shows them, and how many more there are."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]} … ({len(text) - longest:,} more characters are in transcripts.jsonl)"


def lead(text: str, *, simulated: bool) -> str:
    """Beginning of a section; where some of its models are simulated it says what that means."""
    made_up = " Rows of models marked simulated say nothing about any real model."
    return f"{text}{made_up if simulated else ''}"


@lru_cache(maxsize=1024)
def subject(label: str, *, simulated: bool) -> tuple[Inline, ...]:
    """A model's name, marked where its answers were made up."""
    return Span(label, "model"), *made_up(simulated=simulated)


class NamedModel(Protocol):
    """Anything that has a model's name, and true where its answers were simulated."""

    @property
    def label(self) -> str: ...  # noqa: D102 - said above
    @property
    def simulated(self) -> bool: ...  # noqa: D102


def subject_of(found: NamedModel) -> tuple[Inline, ...]:
    """The name of the model that something was found of, marked where its answers were made up."""
    return subject(found.label, simulated=found.simulated)


def made_up(*, simulated: bool) -> tuple[Inline, ...]:
    """The mark after the name of what was made up; nothing after any other."""
    return (" ", Span("simulated", "tag")) if simulated else ()


def sentence(text: Words) -> Words:
    """The words with a capital first and a full stop last; nothing of none.

    >>> text_of(sentence(("minimum detectable effect ", CellValue(value=0.1, format="size"))))
    'Minimum detectable effect 10.0.'
    """
    first, *rest = spans_of(text) or (Span(""),)
    if not isinstance(first, Span) or not first.text:
        return ""
    return (replace(first, text=f"{first.text[:1].upper()}{first.text[1:]}"), *rest, ".")


def joined(items: Iterable[Words], between: str = ", ") -> tuple[Inline, ...]:
    """Words with something between them, such as a comma."""
    found: list[Inline] = []
    for item in items:
        found += [between, *inline_parts(item)] if found else inline_parts(item)
    return tuple(found)


def listed(items: Iterable[Words]) -> tuple[Inline, ...]:
    """Words in a list, with commas and a last "and".

    >>> text_of(listed(["a", "b", "c"])), text_of(listed(["a"]))
    ('a, b and c', 'a')
    """
    *most, last = items
    return (*joined(most), " and ", *inline_parts(last)) if most else inline_parts(last)


def inline_parts(words: Words) -> tuple[Inline, ...]:
    """The parts that words are made of."""
    return words if isinstance(words, tuple) else (words,)


def spans_of(cell: Cell, format_: Format | None = None, metric: Metric | None = None) -> tuple[Span | Chart, ...]:
    """Parts of a cell or of words: stretches of words, and small charts among them.

    Values are written by `format_`, or as what they are: an estimate as a figure with its interval and n.
    """
    if isinstance(cell, tuple):
        return tuple(span for part in cell for span in spans_of(part))
    if isinstance(cell, Span | Chart):
        return (cell,)
    if isinstance(cell, CellValue):
        return _linked(spans_of(cell.value, cell.format, cell.metric), cell.target)
    if isinstance(cell, Stack):
        return spans_of(joined((line for line in cell.lines if not isinstance(line, Chart)), "; "))
    if isinstance(cell, Quoted):
        return ()
    return _written(cell, format_, metric)


def _linked(spans: tuple[Span | Chart, ...], target: str) -> tuple[Span | Chart, ...]:
    """The first stretch of words as a link, where it leads anywhere."""
    first, *rest = spans
    return (replace(first, target=target), *rest) if target and isinstance(first, Span) else spans


def _written(cell: PlainCell, format_: Format | None, metric: Metric | None) -> tuple[Span, ...]:
    if cell is None:
        return (Span(DASH, "missing"),)
    if isinstance(cell, Missing):
        return (Span(format_missing(cell)),)
    if format_ == "ends" and not isinstance(cell, str | int | float):
        return (Span(parts_of_difference(cell, metric)[1]), *marks_of(cell))
    if isinstance(cell, Estimate) and format_ != "signed":
        return (_heat(cell, metric),) if format_ == "heat" else _figure(cell, metric, counts=format_ != "share")
    if isinstance(cell, str):
        return (Span(group_name("place", cell) if format_ == "place" else cell),)
    if isinstance(cell, int | float):
        return (Span(_NUMBERS[format_ or ("count" if isinstance(cell, int) else "share")](cell, metric)),)
    whole, ends = parts_of_size(cell, metric) if format_ == "size" else parts_of_difference(cell, metric)
    return (
        Span(whole, "strong"), Span(" "), Span(ends, "interval", title=format_missing(cell.missing)), *marks_of(cell)
    )  # fmt: skip


def _figure(figure: Estimate, metric: Metric | None, *, counts: bool) -> tuple[Span, ...]:
    """The value, its interval or why there is none, its n, and the band of its judge."""
    known, why = figure.value is not None, format_missing(figure.missing)
    # A band that stands alone says what there is; the reason stands in the title of the dash.
    bare = not known and judge_band_of(figure) is not None
    ends = format_interval(figure, metric) if known else "" if bare else short_reason(figure.missing)
    spans = [Span(format_number(figure.value, metric), "strong" if known else "missing", title=why)]
    if ends:
        spans += [Span(" "), Span(ends, "interval", title=why)]
    spans += marks_of(figure)
    counted = (Span(" "), Span(f"n {format_graded(figure)}", "soft")) if counts else ()
    return *spans, *counted, *banded(figure, metric)


def banded(figure: Estimate, metric: Metric | None) -> tuple[Span, ...]:
    """The judge band of a figure under its name, with its rates beside; nothing where nobody judged it."""
    band = judge_band_of(figure)
    if band is None:
        return ()
    text = f"({JUDGE_BAND} {format_judge_band(band, metric)})"
    return Span(" "), Span(text, "band", title=describe_judge_rates([band]))


def bracketed_mark(figure: object) -> tuple[str, ...]:
    """The mark of a figure or difference in brackets, among plain words; nothing where it has none."""
    mark = format_mark(caution_of(figure))
    return (f"({mark})",) if mark else ()


def marks_of(figure: object) -> tuple[Span, ...]:
    """The mark of a figure or difference whose answers mostly cannot be used, or are all alike; nothing for others."""
    caution = caution_of(figure)
    return () if caution is None else (Span(" "), Span(format_mark(caution), "warning", title=format_caution(caution)))


def format_cautions(figures: Iterable[Estimate]) -> str:
    """Cautions on the answers behind a picture's figures, as a sentence; empty for nothing."""
    every = list(figures)
    marks = [format_caution(mark) for mark in map(caution_of, every) if mark is not None]
    if not marks:
        return ""
    text = (
        "; ".join(dict.fromkeys(marks)) if len({*marks}) <= MOST_MARKS else "most answers cannot be used or are alike"
    )
    return f"Caution, {len(marks):,} of {plural(len(every), 'figure')}: {text}."


def _heat(figure: Estimate, metric: Metric | None) -> Span:
    """The value alone, set back where it has no interval; its title says the rest, of which `!` warns."""
    text = format_number(figure.value, metric, sign=False)
    text += " !" if caution_of(figure) else ""
    return Span(text, "plain" if figure.low is not None else "soft", title=text_of(figure, metric=metric))


_NUMBERS: dict[str, Callable[[float, Metric | None], str]] = {
    "share": format_number,
    "count": lambda value, _: f"{value:,}",
    "points": lambda value, _: _minus(f"{100 * value:.1f}"),
    "decimal": lambda value, _: _minus(f"{value:.2f}"),
    "mean": lambda value, _: _minus(f"{value:.1f}"),
    "correlation": lambda value, _: _minus(f"{value:+.2f}"),
    "signed": format_signed,
    "size": format_size,
    "p": lambda value, _: format_bare_p(value),
    "full_p": lambda value, _: format_p(value),
}
"""Functions that write numbers, by format."""


def text_of(cell: Cell, format_: Format | None = None, metric: Metric | None = None) -> str:
    """Words without their styles, as a terminal shows them.

    >>> text_of((*subject("a/b", simulated=True), ": ", CellValue(value=0.5)))
    'a/b (simulated): 50.0%'
    """
    spans = (span for span in spans_of(cell, format_, metric) if isinstance(span, Span) and span.style != "narrow")
    return "".join(f"({span.text})" if span.style in {"tag", "warning"} else span.text for span in spans)


def sort_key(cell: Cell) -> str | None:
    """Key that a cell is sorted by where that is not its text: its value, nothing for a missing one."""
    if isinstance(cell, CellValue):
        return sort_key(cell.value)
    if isinstance(cell, Stack | tuple):
        keys = (sort_key(part) for part in (cell.lines if isinstance(cell, Stack) else cell))
        return next((key for key in keys if key is not None), None)
    if isinstance(cell, str | Span | Chart | Quoted):
        return None
    if cell is None:
        return ""
    if isinstance(cell, Missing):
        return ""
    value = cell.value if isinstance(cell, Estimate) else cell if isinstance(cell, int | float) else cell.difference
    return "" if value is None else f"{value}"
